"""How the columns were read, and which of them look wrong."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from .matching import advice, examples, mostly_numbers, not_numbers
from .output import count, note
from .tables import some

if TYPE_CHECKING:
    import polars as pl


def remark_on_columns(X: pl.DataFrame) -> None:
    """Say which columns are categories, and what looks like a mistake."""
    for line in (*_categories(X), *_nearly_numbers(X)):
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


def _nearly_numbers(X: pl.DataFrame) -> Iterator[str]:
    import polars as pl

    for column in X:
        if column.dtype == pl.String and mostly_numbers(column):
            odd = not_numbers(column)
            yield f"Note: {column.name} would be numbers but for {examples(odd)}. {advice(odd)}"
