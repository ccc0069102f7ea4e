"""Datasets as objects: the bundled one, and those that are looked for or fetched."""

from __future__ import annotations

import os
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

import polars as pl
from numpy.typing import NDArray

from scrimp.costs import Costs
from scrimp.datasets import cache, openml, tables
from scrimp.datasets.catalog import ENTRIES, Entry
from scrimp.datasets.errors import DatasetUnavailable


@dataclass(frozen=True, eq=False)
class Dataset:
    """Data to learn from, and what its columns cost.

    Parameters
    ----------
    name : str
        The name that `fetch` knows it by.
    X : polars.DataFrame
        One column a feature; a missing value is null.
    y : ndarray
        0 and 1 for two classes, text for more, floats for a number to predict.
    costs : Costs or None
        Published prices, where there are any.
    source : str
        Who published the data, and where this copy was read.
    """

    name: str
    X: pl.DataFrame
    y: NDArray[Any]
    costs: Costs | None
    source: str


def load_heart() -> Dataset:
    """Load the Cleveland heart disease data, with the prices of its tests.

    303 patients and 13 tests; 1 in `y` means disease. Prices are those of Turney (1995), in
    Canadian dollars, with shared fees for drawing blood and for two kinds of stress test.

    Returns
    -------
    Dataset

    References
    ----------
    P. D. Turney (1995). Cost-sensitive classification: empirical evaluation of a hybrid genetic
    decision tree induction algorithm. Journal of Artificial Intelligence Research 2:369-409.

    Examples
    --------
    >>> heart = load_heart()
    >>> heart.X.shape
    (303, 13)
    >>> int(heart.y.sum())
    139
    """
    data = resources.files("scrimp.datasets").joinpath("heart.csv").read_bytes()
    return _dataset("heart", data, "the scrimp package")


def fetch(name: str) -> Dataset:
    """Get a dataset by name.

    The file `name.csv.gz` is looked for in the folder `$SCRIMP_DATA`, then in the cache
    (`$SCRIMP_CACHE`, else the user's cache folder). Otherwise the data come from OpenML and are
    kept in the cache.

    Parameters
    ----------
    name : str
        Such as ``"sonar"``; an unknown name is refused with a list of those there are.

    Returns
    -------
    Dataset

    Raises
    ------
    DatasetUnavailable
        If no copy can be had; the message says what was tried and what to do.
    DatasetMismatch
        If a copy is damaged, or is not the dataset it should be.

    Examples
    --------
    >>> round(fetch("heart").costs.total, 2)
    323.97
    """
    if name not in ENTRIES:
        raise ValueError(f"There is no dataset {name!r}. There are: {', '.join(sorted(ENTRIES))}.")
    if name == "heart":
        return load_heart()
    return _dataset(name, *_find(name, ENTRIES[name]))


def _dataset(name: str, data: bytes, place: str) -> Dataset:
    entry = ENTRIES[name]
    frame = tables.from_bytes(data, entry, place)
    return Dataset(
        name=name,
        X=frame.drop(entry.target),
        y=entry.encode(frame[entry.target]),
        costs=_read_costs(entry),
        source=f"{entry.origin}; read from {place}",
    )


def _read_costs(entry: Entry) -> Costs | None:
    if entry.prices is None:
        return None
    listed = resources.files("scrimp.datasets").joinpath(entry.prices)
    with resources.as_file(listed) as path:
        return Costs.read(path)


def _find(name: str, entry: Entry) -> tuple[bytes, str]:
    """The bytes of a table and the place they are from: own folder, cache, OpenML."""
    own = _own_file(name)
    if own is not None and own.is_file():
        return own.read_bytes(), str(own)
    cached = cache.read(name)
    if cached is None:
        cached = _download(name, entry, own)
    return cached, str(cache.path_of(name))


def _own_file(name: str) -> Path | None:
    folder = os.environ.get("SCRIMP_DATA")
    return Path(folder) / f"{name}.csv.gz" if folder else None


def _download(name: str, entry: Entry, own: Path | None) -> bytes:
    if isinstance(entry.openml, str):
        raise _unavailable(name, own, f"OpenML (not used: {entry.openml})", "")
    try:
        frame = openml.download(entry, entry.openml)
    except DatasetUnavailable as error:
        tried = f"OpenML, dataset {entry.openml.data_id} ({error})"
        raise _unavailable(name, own, tried, ", or try again with a network") from error
    data = tables.to_bytes(frame)
    cache.write(name, data)
    return data


def _unavailable(name: str, own: Path | None, remote: str, remedy: str) -> DatasetUnavailable:
    local = "SCRIMP_DATA (not set)" if own is None else f"{own} (no such file)"
    return DatasetUnavailable(
        f"Dataset {name!r} is not available. Tried: {local}; the cache, {cache.path_of(name)} "
        f"(no such file); {remote}. "
        f"Put {name}.csv.gz into a folder and set SCRIMP_DATA to that folder{remedy}."
    )
