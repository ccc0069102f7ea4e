"""Tables: read from CSV and Parquet files, written to them, and single columns of them."""

from __future__ import annotations

import csv
import gzip
import io
import re
import zlib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..data.csv_chunks import MISSING
from .errors import InputError, one_line
from .output import count, short

if TYPE_CHECKING:
    import numpy as np
    import polars as pl
    from numpy.typing import NDArray

_NOT_UTF8 = "it is not UTF-8 text; save it as UTF-8."
#: What polars says, and what that means for somebody who has a file and no program.
_REASONS = {
    "invalid utf-8": _NOT_UTF8,
    "found more fields": "a line has more cells than the header; "
    'put text with commas in it into "quotes".',
    "not properly escaped": "a quotation mark is not closed.",
    "empty CSV": "it is empty.",
    "end-of-stream marker": "unexpected end of file.",
}
#: What a gzip file begins with.
_GZIP = b"\x1f\x8b"


def read_table(path: Path, missing: Iterable[str] = (), text: Iterable[str] = ()) -> pl.DataFrame:
    """Read a table that has rows.

    Types of a CSV are inferred from the whole of it, save those of `text`; the names of
    columns lose the blanks around them.
    """
    import polars as pl

    try:
        if path.suffix.lower() == ".parquet":
            frame = pl.read_parquet(path, glob=False)
        else:
            frame = _read_csv(path, missing, text)
    except (pl.exceptions.PolarsError, OSError, EOFError, zlib.error) as error:
        raise InputError(f"{path} cannot be read as a table: {_reason(error)}") from error
    _check_names(path, frame.columns)
    if not len(frame):
        raise InputError(f"{path} has no rows.")
    return frame.rename(str.strip)


def _read_csv(path: Path, missing: Iterable[str], text: Iterable[str]) -> pl.DataFrame:
    import polars as pl

    header, text = _header(path), set(text)
    _refuse_other_separators(path, header)
    # only names that are there: of others, polars 1.34 takes some for new names of columns
    text_columns = [name for name in header if name in text or name.strip() in text]
    return pl.read_csv(
        _unpacked(path),
        infer_schema_length=None,
        null_values=list(dict.fromkeys([*MISSING, *missing])),
        schema_overrides=dict.fromkeys(text_columns, pl.String),
        glob=False,
    )


def _unpacked(path: Path) -> Path | bytes:
    """Return the content of a gzip file, as some versions of polars read half of a damaged one."""
    if path.suffix.lower() != ".gz":
        return path
    content = path.read_bytes()
    return gzip.decompress(content) if content.startswith(_GZIP) else content


def _header(path: Path) -> list[str]:
    """Return the names as they are written; none if that much cannot be read."""
    opener = gzip.open if path.suffix.lower() == ".gz" else open
    try:
        with opener(path, "rt", encoding="utf-8-sig", errors="replace", newline="") as file:
            return next(csv.reader(file), [])
    except (OSError, EOFError, zlib.error, csv.Error):
        return []


def _refuse_other_separators(path: Path, header: Sequence[str]) -> None:
    for mark, name in ((";", "semicolons"), ("\t", "tabs")):
        if len(header) == 1 and mark in header[0]:
            raise InputError(
                f"{path} has {name} between its cells; expected commas. Save it as CSV with commas."
            )


def _reason(error: Exception) -> str:
    text = one_line(error)
    for sign, reason in _REASONS.items():
        if sign in text:
            return reason
    return re.split(r" This error occurred| You might want| Consider setting", text)[0]


def _check_names(path: Path, names: Sequence[str]) -> None:
    """Refuse names that are no text, and names that two columns share."""
    if any("\ufffd" in name or "\0" in name for name in names):
        raise InputError(f"{path} cannot be read as a table: {_NOT_UTF8}")
    seen: set[str] = set()
    for name in map(str.strip, names):
        # polars renames a column whose name is taken
        original = re.sub(r"_duplicated_\d+$", "", name)
        if duplicate := {name, original} & seen:
            raise InputError(
                f"{path} has two columns named {min(duplicate)!r}. Rename one of them."
            )
        seen.add(name)


def table_bytes(frame: pl.DataFrame, path: Path) -> bytes:
    """Return the content of a file of this name that holds the table."""
    if path.suffix.lower() == ".parquet":
        buffer = io.BytesIO()
        frame.write_parquet(buffer)
        return buffer.getvalue()
    text = frame.write_csv().encode()
    return gzip.compress(text, mtime=0) if path.suffix.lower() == ".gz" else text


def with_short_amounts(frame: pl.DataFrame, names: Iterable[str]) -> pl.DataFrame:
    """Return a table whose amounts of money have no digits that come from their sums alone."""
    import polars as pl

    short_values = {
        name: {value: short(value) for value in frame[name].drop_nulls().unique().to_list()}
        for name in names
    }
    amounts = [
        pl.Series(name, [known.get(value) for value in frame[name].to_list()], pl.Float64)
        for name, known in short_values.items()
    ]
    return frame.with_columns(amounts)


def column(frame: pl.DataFrame, name: str, path: Path, use: str) -> pl.Series:
    """Return a column that must be there; `use` says what for."""
    if name not in frame.columns:
        raise InputError(f"{path} has no column {name!r} ({use}); it has {some(frame.columns)}.")
    return frame[name]


def labels(frame: pl.DataFrame, name: str, path: Path) -> NDArray[Any]:
    """Return the target, known in all rows; whole numbers are integers, however written."""
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
    """Return a column of numbers >= 0, none missing."""
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


def some(names: Sequence[str], limit: int = 12) -> str:
    """Return the first of many names, and how many more there are."""
    shown = ", ".join(names[:limit])
    return shown if len(names) <= limit else f"{shown} and {len(names) - limit} more"
