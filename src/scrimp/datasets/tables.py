"""Tables as files: CSV, with or without gzip, where an empty cell is a missing value."""

from __future__ import annotations

import gzip

import polars as pl

from .catalog import Entry
from .errors import DatasetMismatch


def to_bytes(frame: pl.DataFrame) -> bytes:
    """Write a table as gzipped CSV; equal tables give equal bytes."""
    return gzip.compress(frame.write_csv().encode(), mtime=0)


def from_bytes(data: bytes, entry: Entry, place: str) -> pl.DataFrame:
    """Read the features and the target of a dataset, and nothing else that the file has."""
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
    """Make the types depend on the values alone: one copy writes 70, another 70.0."""
    whole = [
        column.name
        for column in frame
        if column.dtype.is_float() and (column.drop_nulls() % 1 == 0).all()
    ]
    return frame.with_columns(pl.col(whole).cast(pl.Int64))
