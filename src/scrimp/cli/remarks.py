"""How the columns were read, and which of them look wrong."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from .matching import advice, examples, mostly_numbers, not_numbers
from .output import count, note
from .tables import some

if TYPE_CHECKING:
    import polars as pl

#: With fewer rows any column may happen to differ in all of them.
ROWS, SHARE = 20, 0.95


def remark_on_columns(X: pl.DataFrame, identifiers: bool = True) -> None:
    """Say which columns are categories, and what looks like a mistake."""
    doubtful = _identifiers(X) if identifiers else ()
    for line in (*_categories(X), *doubtful, *_nearly_numbers(X)):
        note(line)


def is_text(series: pl.Series) -> bool:
    """Whether a column is read as categories."""
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


def _identifiers(X: pl.DataFrame) -> Iterator[str]:
    names = [column.name or "''" for column in X if _is_identifier(column)]
    if names:
        yield (
            f"Note: nearly every row has its own value of {some(names)}, as identifiers do. "
            "Leave out what tells nothing of new rows with --drop."
        )


def _is_identifier(column: pl.Series) -> bool:
    kind = is_text(column) or column.dtype.is_integer()
    return kind and len(column) > ROWS and column.drop_nulls().n_unique() > SHARE * len(column)


def _nearly_numbers(X: pl.DataFrame) -> Iterator[str]:
    import polars as pl

    for column in X:
        if column.dtype == pl.String and mostly_numbers(column):
            odd = not_numbers(column)
            yield f"Note: {column.name} would be numbers but for {examples(odd)}. {advice(odd)}"
