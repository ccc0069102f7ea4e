"""Columns that tell nothing of new rows: identifiers, dates and free text."""

from __future__ import annotations

import re
import shlex
from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING

from .output import count, note
from .remarks import is_text

if TYPE_CHECKING:
    import polars as pl

_NAMED = re.compile(r"(^|[_\s.-])(id|ids|uid|uuid|guid|name|mrn|ssn|nr|index|sequence)$", re.I)
_DATE = r"^\d{4}[-/.]\d{1,2}[-/.]\d{1,2}([T ].*)?$|^\d{1,2}[-/.]\d{1,2}[-/.]\d{4}([T ].*)?$"
#: With fewer rows any column may happen to differ in all of them.
_ROWS, _SHARE = 20, 0.95
#: From this share of different values on, text is a text rather than a category.
_FREE = 0.5


def set_aside(X: pl.DataFrame, keep: Collection[str]) -> dict[str, str]:
    """The columns to leave out, and why; those to keep are not looked at."""
    return {c.name: why for c in X if c.name not in keep if (why := _why(c)) is not None}


def say_what_was_set_aside(found: dict[str, str]) -> None:
    """A line a kind."""
    for why, names in _by_kind(found).items():
        note(f"Left out: {_listed(names)} ({why}). --keep takes it as a feature after all.")


def say_what_to_set_aside(found: dict[str, str]) -> None:
    """The same of columns that were not left out."""
    for why, names in _by_kind(found).items():
        look, them = ("looks", "it") if len(names) == 1 else ("look", "them")
        drops = " ".join(f"--drop {shlex.quote(name)}" for name in names)
        note(f"Note: {_listed(names)} {look} like {why}: leave {them} out with {drops}.")


def say_what_is_doubtful(X: pl.DataFrame) -> None:
    """Name columns that might be identifiers, and were kept."""
    names = [c.name for c in X if _distinct(c) > _SHARE and c.dtype.is_integer()]
    if names and len(X) > _ROWS:
        note(
            f"Note: {_listed(names)} differ{'s' if len(names) == 1 else ''} in nearly every row "
            "and may number the rows; --drop leaves out what does."
        )


def _by_kind(found: dict[str, str]) -> dict[str, list[str]]:
    """Columns by the reason that they share."""
    return {why: [n for n, own in found.items() if own == why] for why in found.values()}


def _listed(names: list[str]) -> str:
    return ", ".join(name or "''" for name in names)


def _why(column: pl.Series) -> str | None:
    """Why a column is no feature; None if it may be one."""
    return next(_reasons(column), None)


def _reasons(column: pl.Series) -> Iterator[str]:
    import polars as pl

    if column.dtype.is_temporal():
        yield "dates"
    if len(column) <= _ROWS:
        return
    known, share = column.drop_nulls(), _distinct(column)
    if column.dtype == pl.String and known.str.contains(_DATE).sum() > _SHARE * max(len(known), 1):
        yield "dates"
    whole = column.dtype.is_integer() or _is_whole(known)
    coded = is_text(column) or whole
    if coded and share > _FREE and _NAMED.search(column.name.strip()):
        yield "an identifier by its name and its many values"
    if is_text(column) and share > _SHARE:
        yield "text that differs in nearly every row"
    if is_text(column) and share > _FREE:
        yield f"free text with {count(known.n_unique(), 'value')}"
    if whole and share > _SHARE and _numbers_rows(known):
        yield "row numbers"


def _is_whole(known: pl.Series) -> bool:
    """Whether fractions are possible and there are none, as where an identifier is missing."""
    return known.dtype.is_float() and len(known) > 0 and bool((known.floor() == known).all())


def _distinct(column: pl.Series) -> float:
    return column.drop_nulls().n_unique() / max(len(column), 1)


def _numbers_rows(column: pl.Series) -> bool:
    """Whether it goes up, or down, by one each row."""
    steps = column.diff().drop_nulls()
    return len(steps) > 0 and bool(steps.abs().eq(1).all()) and steps.n_unique() == 1
