"""Datasets as objects: the bundled one, and those that are looked for or fetched."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import resources
from typing import Any

import polars as pl
from numpy.typing import NDArray

from ..costs.costs import Costs
from . import openml, tables
from .arrays import ARRAYS
from .catalog import ENTRIES, Entry, OpenML
from .finding import find


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
    if name in ARRAYS:
        raise ValueError(f"Dataset {name!r} holds arrays: use fetch_arrays({name!r}).")
    if name not in ENTRIES:
        raise ValueError(f"There is no dataset {name!r}. There are: {', '.join(sorted(ENTRIES))}.")
    if name == "heart":
        return load_heart()
    entry = ENTRIES[name]

    def download(where: OpenML) -> bytes:
        return tables.to_bytes(openml.download(entry, where))

    return _dataset(name, *find(name, f"{name}.csv.gz", entry.openml, download))


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
