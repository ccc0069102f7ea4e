"""Tables out, and single columns of those that were read."""

from __future__ import annotations

import gzip
import io
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .errors import InputError
from .output import count

if TYPE_CHECKING:
    import numpy as np
    import polars as pl
    from numpy.typing import NDArray


def table_bytes(frame: pl.DataFrame, path: Path) -> bytes:
    """A table as the content of a file of this name."""
    if path.suffix.lower() == ".parquet":
        buffer = io.BytesIO()
        frame.write_parquet(buffer)
        return buffer.getvalue()
    text = frame.write_csv().encode()
    return gzip.compress(text, mtime=0) if path.suffix.lower() == ".gz" else text


def column(frame: pl.DataFrame, name: str, path: Path, use: str) -> pl.Series:
    """A column that must be there."""
    if name not in frame.columns:
        raise InputError(f"{path} has no column {name!r} ({use}); it has {some(frame.columns)}.")
    return frame[name]


def labels(frame: pl.DataFrame, name: str, path: Path) -> NDArray[Any]:
    """The target, known in all rows; whole numbers are integers, however they are written."""
    import numpy as np
    import polars as pl

    series = column(frame, name, path, "the target")
    if series.dtype.is_float():
        series = series.fill_nan(None)
    if absent := series.null_count():
        raise InputError(
            f"The target {name!r} is missing in {absent} of {count(len(series), 'row')} of {path}. "
            "Remove these rows, or fill in what is known."
        )
    if series.dtype.is_float() and (series % 1 == 0).all():
        series = series.cast(pl.Int64)
    if series.dtype.is_numeric() or series.dtype == pl.Boolean:
        return series.to_numpy()
    return np.array(series.cast(pl.String).to_list(), dtype=np.str_)


def numbers(frame: pl.DataFrame, name: str, path: Path, use: str) -> NDArray[np.float64]:
    """A column of numbers >= 0, none missing."""
    import polars as pl

    series = column(frame, name, path, use)
    if not series.dtype.is_numeric():
        raise InputError(f"Column {name!r} of {path} ({use}) holds text; expected numbers.")
    series = series.cast(pl.Float64).fill_nan(None)
    bad = series.null_count() + int((series < 0).sum())
    if bad:
        raise InputError(
            f"Column {name!r} of {path} ({use}) is missing or negative in {bad} of "
            f"{count(len(series), 'row')}; expected numbers >= 0."
        )
    return series.to_numpy()


def some(names: Sequence[str], most: int = 12) -> str:
    """The first of many names."""
    shown = ", ".join(names[:most])
    return shown if len(names) <= most else f"{shown} and {len(names) - most} more"
