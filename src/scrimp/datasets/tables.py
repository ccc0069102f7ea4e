"""Datasets of tables: the bundled one, and those read from files or OpenML.

Files are CSV, with or without gzip; an empty cell is a missing value.
"""

from __future__ import annotations

import gzip
from dataclasses import dataclass
from importlib import resources
from typing import Any

import polars as pl
from numpy.typing import NDArray

from ..costs.costs import Costs
from . import openml
from .arrays import ARRAYS
from .catalog import ENTRIES, Entry, OpenML
from .dataset_file import read_dataset_file
from .errors import DatasetMismatch


@dataclass(frozen=True, eq=False)
class Dataset:
    """A table to learn from, and the prices of its columns.

    Parameters
    ----------
    name : str
        The name that `fetch` knows it by.
    X : polars.DataFrame
        One column per feature; a missing value is null.
    y : ndarray
        0 and 1 for two classes, text for more, floats for regression.
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
        Such as ``"sonar"``; an unknown name raises an error that lists all names.

    Returns
    -------
    Dataset

    Raises
    ------
    DatasetUnavailable
        If no copy is available; the message says what was tried and what to do.
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

    def download(location: OpenML) -> bytes:
        return _to_csv(openml.download(entry, location))

    return _dataset(name, *read_dataset_file(name, f"{name}.csv.gz", entry.openml, download))


def _dataset(name: str, data: bytes, place: str) -> Dataset:
    entry = ENTRIES[name]
    frame = _from_csv(data, entry, place)
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
    price_list = resources.files("scrimp.datasets").joinpath(entry.prices)
    with resources.as_file(price_list) as path:
        return Costs.read(path)


def _to_csv(frame: pl.DataFrame) -> bytes:
    """Return a table as gzipped CSV; equal tables give equal bytes."""
    return gzip.compress(frame.write_csv().encode(), mtime=0)


def _from_csv(data: bytes, entry: Entry, place: str) -> pl.DataFrame:
    """Return the features and the target of a dataset, without other columns of the file."""
    frame = _read_csv(data, entry.missing, place)
    wanted = [*entry.columns, entry.target]
    absent = [name for name in wanted if name not in frame.columns]
    if absent or frame.height != entry.rows:
        raise DatasetMismatch(
            f"{place} has {frame.height} rows"
            + (f" and lacks the columns {absent}" if absent else "")
            + f"; expected {entry.rows} rows and {len(wanted)} columns. Is it another dataset?"
        )
    return _whole_numbers_as_integers(frame.select(wanted))


def _read_csv(data: bytes, missing: str | None, place: str) -> pl.DataFrame:
    null_values = None if missing is None else [missing]
    try:
        return pl.read_csv(data, infer_schema_length=None, null_values=null_values)
    except pl.exceptions.PolarsError as error:
        raise DatasetMismatch(f"{place} cannot be read as CSV: {error}") from error


def _whole_numbers_as_integers(frame: pl.DataFrame) -> pl.DataFrame:
    """Cast whole numbers to integers: one copy of a dataset writes 70, another 70.0."""
    whole = [
        column.name
        for column in frame
        if column.dtype.is_float() and (column.drop_nulls() % 1 == 0).all()
    ]
    return frame.with_columns(pl.col(whole).cast(pl.Int64))
