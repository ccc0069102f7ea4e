"""The columns of a training table: how they were read, and which are unlikely to be features."""

from __future__ import annotations

import re
import shlex
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .output import count, note
from .tables import some

if TYPE_CHECKING:
    import polars as pl

_IDENTIFIER = re.compile(r"(^|[_\s.-])(id|ids|uid|uuid|guid|name|mrn|ssn|nr|index|sequence)$", re.I)
_DATE = r"^\d{4}[-/.]\d{1,2}[-/.]\d{1,2}([T ].*)?$|^\d{1,2}[-/.]\d{1,2}[-/.]\d{4}([T ].*)?$"
#: Values of a column that are shown as examples.
_EXAMPLES = 3


@dataclass(frozen=True)
class _Thresholds:
    """From when on a column looks like no feature."""

    #: With fewer rows any column may happen to differ in all of them.
    rows: int = 20
    #: A share of different values that only numbers, dates and identifiers reach.
    nearly_all_differ: float = 0.95
    #: A share of different values from which on text is a text rather than a category.
    free_text: float = 0.5
    #: A share of numbers from which on a text column counts as numbers with a few other values.
    mostly_numbers: float = 0.8


_LIMITS = _Thresholds()


def note_column_types(X: pl.DataFrame) -> None:
    """Print which columns are categories, and which would be numbers but for a few values."""
    for line in (*_categories(X), *_nearly_numbers(X)):
        note(line)


def is_text(series: pl.Series) -> bool:
    """Return whether a column is read as categories."""
    import polars as pl

    return series.dtype in (pl.String, pl.Categorical, pl.Enum)


def _categories(X: pl.DataFrame) -> Iterator[str]:
    columns = [
        f"{column.name} ({count(column.drop_nulls().n_unique(), 'value')})"
        for column in X
        if is_text(column)
    ]
    if columns:
        yield f"Read as categories: {some(columns)}"


def _nearly_numbers(X: pl.DataFrame) -> Iterator[str]:
    import polars as pl

    for column in X:
        if column.dtype == pl.String and _mostly_numbers(column):
            yield f"Note: {column.name} would be numbers but for {odd_values(not_numbers(column))}"


def _mostly_numbers(series: pl.Series) -> bool:
    """Return whether a text column holds numbers save for a few values."""
    import polars as pl

    known = series.drop_nulls()
    share = known.cast(pl.Float64, strict=False).is_not_null().mean()
    return isinstance(share, float) and _LIMITS.mostly_numbers <= share < 1


def not_numbers(series: pl.Series) -> list[str]:
    """Return the distinct values of a text column that are no numbers."""
    import polars as pl

    known = series.drop_nulls().unique(maintain_order=True)
    texts: list[str] = known.filter(known.cast(pl.Float64, strict=False).is_null()).to_list()
    return texts


def odd_values(values: list[str]) -> str:
    """Return a few values that are no numbers, and what to do if they stand for missing ones."""
    shown = values[:_EXAMPLES]
    more = ", ..." if len(values) > _EXAMPLES else ""
    options = " ".join(f"--missing {shlex.quote(value)}" for value in shown)
    return f"{', '.join(map(repr, shown))}{more}. If that stands for a missing value, add {options}"


def unlikely_features(X: pl.DataFrame, keep: Collection[str]) -> dict[str, str]:
    """Return identifiers, dates and free text, and what each looks like; none of `keep`."""
    columns = (column for column in X if column.name not in keep)
    reasons = {column.name: next(_reasons(column), None) for column in columns}
    return {name: reason for name, reason in reasons.items() if reason is not None}


def note_left_out(columns: dict[str, str]) -> None:
    """Print which columns were left out, a line for each reason."""
    for reason, names in _by_reason(columns).items():
        note(f"Left out: {_listed(names)} ({reason}). --keep takes it as a feature after all.")


def note_to_leave_out(columns: dict[str, str]) -> None:
    """Print which columns had better be left out, a line for each reason."""
    for reason, names in _by_reason(columns).items():
        look, them = ("looks", "it") if len(names) == 1 else ("look", "them")
        drops = " ".join(f"--drop {shlex.quote(name)}" for name in names)
        note(f"Note: {_listed(names)} {look} like {reason}: leave {them} out with {drops}.")


def note_possible_identifiers(X: pl.DataFrame) -> None:
    """Print which columns of whole numbers differ in nearly every row."""
    names = [
        column.name
        for column in X
        if _share_distinct(column) > _LIMITS.nearly_all_differ and column.dtype.is_integer()
    ]
    if names and len(X) > _LIMITS.rows:
        note(
            f"Note: {_listed(names)} differ{'s' if len(names) == 1 else ''} in nearly every row "
            "and may number the rows; --drop leaves out what does."
        )


def _by_reason(columns: dict[str, str]) -> dict[str, list[str]]:
    return {
        reason: [name for name, other in columns.items() if other == reason]
        for reason in columns.values()
    }


def _listed(names: list[str]) -> str:
    return ", ".join(name or "''" for name in names)


def _reasons(column: pl.Series) -> Iterator[str]:
    """Yield what a column looks like that is no feature."""
    import polars as pl

    if column.dtype.is_temporal():
        yield "dates"
    if len(column) <= _LIMITS.rows:
        return
    known, share = column.drop_nulls(), _share_distinct(column)
    differs, text = share > _LIMITS.nearly_all_differ, is_text(column)
    if column.dtype == pl.String and _all_dates(known):
        yield "dates"
    whole = column.dtype.is_integer() or _is_whole(known)
    named = _IDENTIFIER.search(column.name.strip())
    if (text or whole) and share > _LIMITS.free_text and named:
        yield "an identifier by its name and its many values"
    if text and differs:
        yield "text that differs in nearly every row"
    if text and share > _LIMITS.free_text:
        yield f"free text with {count(known.n_unique(), 'value')}"
    if whole and differs and _numbers_rows(known):
        yield "row numbers"


def _all_dates(known: pl.Series) -> bool:
    dates = known.str.contains(_DATE).sum()
    return bool(dates > _LIMITS.nearly_all_differ * max(len(known), 1))


def _is_whole(known: pl.Series) -> bool:
    """Return whether fractions are possible and there are none, as in identifiers with gaps."""
    return known.dtype.is_float() and len(known) > 0 and bool((known.floor() == known).all())


def _share_distinct(column: pl.Series) -> float:
    return column.drop_nulls().n_unique() / max(len(column), 1)


def _numbers_rows(column: pl.Series) -> bool:
    """Return whether it goes up, or down, by one in each row."""
    steps = column.diff().drop_nulls()
    return len(steps) > 0 and bool(steps.abs().eq(1).all()) and steps.n_unique() == 1
