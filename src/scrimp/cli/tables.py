"""Tables in and out: CSV and Parquet, by the ending of the file's name."""

from __future__ import annotations

import gzip
import io
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .errors import InputError, one_line

if TYPE_CHECKING:
    import numpy as np
    import polars as pl
    from numpy.typing import NDArray

    from ..predictor import Predictor

MISSING = ("", "NA", "NaN", "nan", "null")


def read_table(path: Path, missing: Iterable[str] = (), text: Iterable[str] = ()) -> pl.DataFrame:
    """Read a table; types of a CSV are inferred from the whole of it, save those of `text`."""
    import polars as pl

    try:
        if path.suffix.lower() == ".parquet":
            return pl.read_parquet(path, glob=False)
        null_values = list(dict.fromkeys([*MISSING, *missing]))
        frame = pl.read_csv(
            path,
            infer_schema_length=None,
            null_values=null_values,
            schema_overrides=dict.fromkeys(text, pl.String),
            glob=False,
        )
    except (pl.exceptions.PolarsError, OSError) as error:
        reason = one_line(error).split(" This error occurred")[0]
        raise InputError(f"{path} cannot be read as a table: {reason}") from error
    _refuse_twins(path, frame.columns)
    return frame


def _refuse_twins(path: Path, names: Sequence[str]) -> None:
    """Polars renames a column whose name is taken; nobody would know which one is meant."""
    known = set(names)
    for name in names:
        original = re.sub(r"_duplicated_\d+$", "", name)
        if original != name and original in known:
            raise InputError(f"{path} has two columns named {original!r}. Rename one of them.")


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
        raise InputError(f"{path} has no column {name!r} ({use}); it has {_some(frame.columns)}.")
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
            f"The target {name!r} is missing in {absent} of {len(series)} rows of {path}. "
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
            f"Column {name!r} of {path} ({use}) is missing or negative in {bad} of {len(series)} "
            "rows; expected numbers >= 0."
        )
    return series.to_numpy()


def text_columns(model: Predictor) -> list[str]:
    """Columns that hold categories: 01 is one, and not the number 1."""
    columns = model.columns
    return [name for name, j in columns.positions.items() if columns.categories[j] is not None]


def features(
    frame: pl.DataFrame, model: Predictor, path: Path, other: Iterable[str | None] = ()
) -> tuple[pl.DataFrame, list[str]]:
    """The model's columns in any order, and the names of columns that have no use.

    Columns that the model never buys may be absent.
    """
    import polars as pl

    names = list(model.columns.positions)
    read = {names[j] for j in model.plan.plan.columns_read.tolist()}
    absent = [name for name in names if name not in frame.columns]
    if needed := [name for name in absent if name in read]:
        raise InputError(f"{path} lacks columns that the model buys: {', '.join(needed)}.")
    unused = [name for name in frame.columns if name not in {*names, *other}]
    filled = frame.with_columns(pl.lit(None).alias(name) for name in absent)
    return filled.select(names), unused


def _some(names: Sequence[str], most: int = 12) -> str:
    shown = ", ".join(names[:most])
    return shown if len(names) <= most else f"{shown} and {len(names) - most} more"
