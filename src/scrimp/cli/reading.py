"""Tables in: CSV and Parquet, by the ending of the file's name."""

from __future__ import annotations

import csv
import gzip
import re
import zlib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from .errors import InputError, one_line

if TYPE_CHECKING:
    import polars as pl

MISSING = ("", "NA", "NaN", "nan", "null")

_NOT_UTF8 = "it is not UTF-8 text; save it as UTF-8."
#: What polars says, and what that means for somebody who has a file and no program.
_REASONS = {
    "invalid utf-8": _NOT_UTF8,
    "found more fields": "a line has more cells than the header; "
    'put text with commas in it into "quotes".',
    "not properly escaped": "a quotation mark is not closed.",
    "empty CSV": "it is empty.",
}


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
    except (pl.exceptions.PolarsError, OSError) as error:
        raise InputError(f"{path} cannot be read as a table: {_reason(error)}") from error
    _check_names(path, frame.columns)
    if not len(frame):
        raise InputError(f"{path} has no rows.")
    return frame.rename(str.strip)


def _read_csv(path: Path, missing: Iterable[str], text: Iterable[str]) -> pl.DataFrame:
    import polars as pl

    header, wanted = _header(path), set(text)
    _refuse_other_separators(path, header)
    wanted |= {name for name in header if name.strip() in wanted}
    return pl.read_csv(
        path,
        infer_schema_length=None,
        null_values=list(dict.fromkeys([*MISSING, *missing])),
        schema_overrides=dict.fromkeys(wanted, pl.String),
        glob=False,
    )


def _header(path: Path) -> list[str]:
    """The names as they are written; none if that much cannot be read."""
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
    """Refuse what is no text, and twins: nobody would know which one is meant."""
    if any("\ufffd" in name or "\0" in name for name in names):
        raise InputError(f"{path} cannot be read as a table: {_NOT_UTF8}")
    known: set[str] = set()
    for name in map(str.strip, names):
        # polars renames a column whose name is taken
        original = re.sub(r"_duplicated_\d+$", "", name)
        if twin := {name, original} & known:
            raise InputError(f"{path} has two columns named {min(twin)!r}. Rename one of them.")
        known.add(name)
