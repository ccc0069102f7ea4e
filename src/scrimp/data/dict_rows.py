"""Rows that are dicts of values by column name, whose columns may come and go."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from scipy import sparse

from ..types import Floats
from .columns import Category, Columns, NumberRanges, as_frame, as_text
from .validation import is_missing

#: Categories of a column at most; later ones all count as one that was never seen.
MAX_CATEGORIES = 1_000


def is_dict_rows(X: Any) -> bool:
    """Return whether X is a dict, or a list of dicts."""
    if isinstance(X, Mapping):
        return not sparse.issparse(X)  # one kind of sparse matrix is a dict
    return isinstance(X, list | tuple) and len(X) > 0 and isinstance(X[0], Mapping)


def encode_dicts(X: Any, known: Columns | None) -> tuple[Columns, Floats]:
    """Return the columns of earlier rows with those that are new, and the rows as numbers.

    A column begins with its first value that is not missing, and holds categories if that is text.

    Parameters
    ----------
    X : dict or list of dicts
        Values by column name.
    known : Columns or None
        The columns of earlier rows, which have names; None if there are none.

    Examples
    --------
    >>> rows = [{"age": 50, "sex": "f"}, {"age": None, "weight": 61.5}]
    >>> columns, table = encode_dicts(rows, None)
    >>> columns.names
    ('age', 'sex', 'weight')
    >>> table.tolist()
    [[50.0, 0.0, nan], [nan, nan, 61.5]]
    """
    if known is not None and known.names is None:
        raise ValueError(
            "X is a dict, and the columns of earlier rows have no names. Give dicts from the "
            "first row on, or data frames."
        )
    rows = _rows(X)
    columns = _grown(rows, known)
    table = np.full((len(rows), len(columns)), np.nan)
    positions = columns.positions
    for i, row in enumerate(rows):
        for key, value in row.items():
            column = positions.get(str(key))
            if column is not None:
                table[i, column] = columns.encode_value(column, value)
    return columns if known is not None else columns.with_ranges(table), table


def frame_of_dicts(X: Any, columns: Columns) -> Any:
    """Return rows as a table with these columns; others are left out, what is not there missing."""
    import polars as pl

    rows = _rows(X)
    if columns.names is None:
        columns.refuse_arrays_for_categories()
        raise ValueError(
            "X is a dict, and the model was fitted on arrays, whose columns have no names. Give "
            "an array."
        )
    if not len(columns):
        return np.empty((len(rows), 0))
    series = []
    for column, name in enumerate(columns.names):
        values = [row.get(name) for row in rows]
        if columns.categories[column] is None:
            numbers = [columns.encode_value(column, value) for value in values]
            series.append(pl.Series(name, numbers, pl.Float64))
        else:
            texts = [None if is_missing(value) else as_text(value) for value in values]
            series.append(pl.Series(name, texts, pl.String))
    return pl.DataFrame(series)


def with_new_categories(columns: Columns, X: Any) -> Columns:
    """Return columns whose categories are those of earlier tables and of one more.

    Columns that the table lacks, or that are unknown, are for others to refuse.
    """
    frame = as_frame(X)
    if frame is None or columns.names is None or not columns.is_categorical().any():
        return columns
    keys = {str(name): name for name in frame.columns}
    added = {
        column: frame.get_column(keys[name]).unique(maintain_order=True).to_list()
        for column, name in enumerate(columns.names)
        if columns.categories[column] is not None and name in keys
    }
    return _with_categories(columns, added)


def _rows(X: Any) -> Sequence[Mapping[Any, Any]]:
    rows = [X] if isinstance(X, Mapping) else X
    for number, row in enumerate(rows):
        if not isinstance(row, Mapping):
            raise ValueError(
                f"Row {number} of X is a {type(row).__name__}; expected dicts, as the first is one."
            )
    return rows


def _grown(rows: Sequence[Mapping[Any, Any]], known: Columns | None) -> Columns:
    """Return the columns of earlier rows and of these, in the order of their first values."""
    columns = Columns((), ()) if known is None else known
    new: dict[str, bool] = {}
    texts: dict[str, list[Any]] = {}
    for name, value in _values(rows):
        column = columns.positions.get(name)
        if column is None and name not in new:
            new[name] = isinstance(value, str | bytes)
        if new.get(name) or (column is not None and columns.categories[column] is not None):
            texts.setdefault(name, []).append(value)
    if new:
        categories: list[tuple[Category, ...] | None] = [
            () if has_categories else None for has_categories in new.values()
        ]
        columns = Columns(
            (*(columns.names or ()), *new), (*columns.categories, *categories),
            None if columns.ranges is None else _widened(columns.ranges, len(new)),
        )  # fmt: skip
    return _with_categories(
        columns, {columns.positions[name]: values for name, values in texts.items()}
    )


def _values(rows: Sequence[Mapping[Any, Any]]) -> Iterator[tuple[str, Any]]:
    for row in rows:
        for key, value in row.items():
            if not is_missing(value):
                yield str(key), value


def _with_categories(columns: Columns, added: Mapping[int, Sequence[Any]]) -> Columns:
    """Return columns with more categories, after those that they have."""
    categories = list(columns.categories)
    for column, values in added.items():
        known = {as_text(category): category for category in categories[column] or ()}
        for value in values:
            if not is_missing(value) and len(known) < MAX_CATEGORIES:
                known.setdefault(as_text(value), as_text(value))
        categories[column] = tuple(known.values())
    if tuple(categories) == columns.categories:
        return columns
    return replace(columns, categories=tuple(categories))


def _widened(ranges: NumberRanges, n_new: int) -> NumberRanges:
    """Return ranges of more columns, without a value so far."""
    return NumberRanges(
        np.append(ranges.low, np.full(n_new, np.inf)),
        np.append(ranges.high, np.full(n_new, -np.inf)),
        np.append(ranges.binary, np.ones(n_new, dtype=bool)),
    )
