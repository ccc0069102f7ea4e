"""Datasets that are arrays: images, word counts, and tables with very many rows or columns."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from .catalog import OpenML
from .dataset_file import read_dataset_file
from .errors import DatasetMismatch
from .uci import UCI, download_numbers

Parts = Mapping[str, NDArray[Any]]


def _dense(parts: Parts) -> Any:
    return parts["X"].reshape(len(parts["X"]), -1)


def _channels_first(parts: Parts) -> Any:
    return parts["X"].transpose(0, 3, 1, 2).reshape(len(parts["X"]), -1)


def _sparse(parts: Parts) -> Any:
    content = (parts["data"], parts["indices"], parts["indptr"])
    return csr_matrix(content, shape=tuple(parts["shape"]))


def _covtype(parts: Parts) -> Any:
    """Return ten numbers, then one flag for each of 4 wilderness areas and 40 soils."""
    kinds = [parts["wilderness"][:, None] == np.arange(1, 5)]
    kinds += [parts["soil"][:, None] == np.arange(1, 41)]
    return np.hstack([parts["X_numeric"], *(kind.astype(np.int16) for kind in kinds)])


@dataclass(frozen=True)
class ArrayEntry:
    """One dataset.

    Parameters
    ----------
    origin : str
        Who published it.
    shape : tuple of int
        Number of rows and features.
    location : OpenML, UCI or str
        Where to fetch it, or why it cannot be fetched from OpenML.
    features : callable
        Makes the features from the arrays of the file.
    file : str, optional
        The name of its file, where it is not that of the dataset.
    n_train : int, optional
        The rows of the published training part, where a fetched copy does not say it.
    """

    origin: str
    shape: tuple[int, int]
    location: OpenML | UCI | str = "no copy with these rows is known there"
    features: Callable[[Parts], Any] = _dense
    file: str | None = None
    n_train: int | None = None


ARRAYS = {
    "mnist": ArrayEntry(
        "MNIST (LeCun, Cortes and Burges), CC BY-SA 3.0", (70000, 784), OpenML(554), n_train=60000
    ),
    "fashion_mnist": ArrayEntry(
        "Fashion-MNIST (Zalando), MIT", (70000, 784), OpenML(40996), n_train=60000
    ),
    "cifar10_subset": ArrayEntry(
        "CIFAR-10 (Krizhevsky), 800 images of each class, from JPEG copies", (8000, 3072),
        features=_channels_first, file="cifar10_jpeg_subset.npz", n_train=6000,
    ),
    "letter": ArrayEntry("UCI Letter Recognition, CC BY 4.0", (20000, 16), OpenML(6)),
    "a9a": ArrayEntry("UCI Adult in LIBSVM's coding, CC BY 4.0", (48842, 123), features=_sparse),
    "covtype": ArrayEntry("UCI Covertype, CC BY 4.0", (581012, 54), features=_covtype),
    "isolet": ArrayEntry("UCI ISOLET, one fifth of it, CC BY 4.0", (1560, 617)),
    "madelon": ArrayEntry("UCI Madelon (NIPS 2003 challenge), CC BY 4.0", (2600, 500)),
    "basehock": ArrayEntry("20 Newsgroups: baseball, hockey", (1993, 4862), features=_sparse),
    "pcmac": ArrayEntry("20 Newsgroups: PC, Macintosh", (1943, 3289), features=_sparse),
    "blogfeedback": ArrayEntry("UCI BlogFeedback, CC BY 4.0", (60021, 280)),
    "slice": ArrayEntry(
        "UCI Relative location of CT slices on axial axis, CC BY 4.0", (53500, 384),
        UCI(206, "relative+location+of+ct+slices+on+axial+axis", "slice_localization_data.csv",
            target=-1, drop=(0,), has_header=True),
    ),
    "year": ArrayEntry(
        "UCI YearPredictionMSD, CC BY 4.0", (515345, 90),
        UCI(203, "yearpredictionmsd", "YearPredictionMSD.txt", target=0), n_train=463715,
    ),
    "mslr": ArrayEntry(
        "MSLR-WEB10K, fold 1, 5000 rows of each part (Microsoft Research licence)", (10000, 136),
        file="mslr_fold1_5k.npz",
    ),
}  # fmt: skip


@dataclass(frozen=True, eq=False)
class ArrayDataset:
    """Arrays to learn from.

    Parameters
    ----------
    name : str
        The name that `fetch_arrays` knows it by.
    X : ndarray or scipy.sparse.csr_matrix (rows, features)
        Images have one feature per pixel, row after row.
    y : ndarray
        Labels, or numbers to predict.
    n_train : int or None
        Number of leading rows that are the published training part.
    query : ndarray or None
        The query of each row, where rows are to be ranked.
    feature_names : tuple of str or None
        Names of the features, where the file has them.
    source : str
        Who published the data, and where this copy was read.
    """

    name: str
    X: Any
    y: NDArray[Any]
    n_train: int | None
    query: NDArray[Any] | None
    feature_names: tuple[str, ...] | None
    source: str


def fetch_arrays(name: str) -> ArrayDataset:
    """Get a dataset of arrays by name.

    The file `name.npz` is looked for in the folder `$SCRIMP_DATA`, then in the cache
    (`$SCRIMP_CACHE`, else the user's cache folder). Otherwise the data come from OpenML or UCI,
    where these have them, and are kept in the cache.

    Parameters
    ----------
    name : str
        Such as ``"mnist"``; an unknown name raises an error that lists all names.

    Returns
    -------
    ArrayDataset

    Raises
    ------
    DatasetUnavailable
        If no copy is available; the message says what was tried and what to do.
    DatasetMismatch
        If a copy is damaged, or is not the dataset it should be.
    """
    if name not in ARRAYS:
        raise ValueError(
            f"There is no dataset of arrays {name!r}. There are: {', '.join(sorted(ARRAYS))}."
        )
    entry = ARRAYS[name]
    file = entry.file or f"{name}.npz"
    data, place = read_dataset_file(
        name, file, entry.location, lambda location: _download(entry, location)
    )
    return _read(name, entry, data, place)


def _read(name: str, entry: ArrayEntry, data: bytes, place: str) -> ArrayDataset:
    try:
        with np.load(io.BytesIO(data), allow_pickle=False) as file:
            parts = {key: file[key] for key in file.files}
        X, y = entry.features(parts), parts["y"]
    except (OSError, EOFError, ValueError, KeyError, AttributeError, zipfile.BadZipFile) as error:
        raise DatasetMismatch(f"{place} cannot be read as arrays: {error}") from error
    if X.shape != entry.shape or y.shape != entry.shape[:1]:
        raise DatasetMismatch(
            f"{place} has {X.shape[0]} rows, {X.shape[1]} features and {len(y)} labels; expected "
            f"{entry.shape[0]} rows and {entry.shape[1]} features. Is it another dataset?"
        )
    names = parts.get("feature_names")
    complete = names is not None and len(names) == X.shape[1]
    return ArrayDataset(
        name=name,
        X=X,
        y=y,
        n_train=int(parts["n_train"]) if "n_train" in parts else None,
        query=parts.get("qid"),
        feature_names=tuple(map(str, names)) if names is not None and complete else None,
        source=f"{entry.origin}; read from {place}",
    )


def _download(entry: ArrayEntry, location: OpenML | UCI) -> bytes:
    """Return a downloaded dataset as the content of a file, in bytes where these suffice."""
    X, y = _fetched(entry, location)
    parts = {"X": _compact(X), "y": y}
    if entry.n_train is not None:
        parts["n_train"] = np.array(entry.n_train)
    buffer = io.BytesIO()
    np.savez_compressed(buffer, **parts)  # type: ignore[arg-type]
    return buffer.getvalue()


def _fetched(entry: ArrayEntry, location: OpenML | UCI) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return features, and targets as numbers where they are."""
    if isinstance(location, UCI):
        return download_numbers(location, *entry.shape)
    from .openml import download_arrays

    X, y = download_arrays(location, *entry.shape)
    return X, _compact(y.astype(np.int64)) if np.char.isdecimal(y).all() else y


def _compact(values: NDArray[Any]) -> NDArray[Any]:
    with np.errstate(invalid="ignore"):  # numbers beyond a byte are compared, and stay
        as_bytes = values.astype(np.uint8)
    return as_bytes if (as_bytes == values).all() else values
