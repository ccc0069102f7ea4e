"""The columns of a model in a table that may lack some of them and have others."""

from __future__ import annotations

import math
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .errors import InputError
from .training_columns import not_numbers, odd_values

if TYPE_CHECKING:
    import polars as pl

    from ..runtime.predictor import Predictor


def text_columns(model: Predictor) -> list[str]:
    """Return the columns that hold categories: 01 is one, and not the number 1."""
    columns = model.columns
    return [name for name, j in columns.positions.items() if columns.categories[j] is not None]


def features(
    frame: pl.DataFrame, model: Predictor, path: Path, budgets: Any = math.inf
) -> pl.DataFrame:
    """Return the model's columns in its order, and say which of those it would buy are absent.

    Columns that no budget buys may always be absent. Others may if the model answers without
    them; they are then absent from the result too, and count as not to be had.
    """
    import polars as pl

    from ..data.validation import check_budgets
    from ..runtime.absent_columns import needed_columns, refuse_absent

    limits, positions = check_budgets(budgets), model.columns.positions
    absent = [column for name, column in positions.items() if name not in frame.columns]
    bought = needed_columns(model.plan, limits)
    if not bought.isdisjoint(absent):
        if model.columns.names is None or not model.plan.plan.answers_without:
            refuse_absent(model.plan, absent, limits, str(path))
        # without some of its purchases a model may buy others: all that it reads matter
        read = set(model.plan.columns_read.tolist())
        _note_absent(path, [model.columns.name(j) for j in absent if j in read])
        bought = read.difference(absent)
    else:
        absent = []
    needed = {name for name, column in positions.items() if column in bought}
    _refuse_text_for_numbers(frame, needed - set(text_columns(model)))
    names = [name for name, column in positions.items() if column not in absent]
    nothing = [pl.lit(None).alias(name) for name in names if name not in needed]
    return frame.with_columns(nothing).select(names)


def _note_absent(path: Path, names: list[str]) -> None:
    from .output import note
    from .tables import some

    what = "it counts" if len(names) == 1 else "they count"
    note(f"Note: {path} lacks {some(names, 12)}; {what} as not to be had, in every row")


def _refuse_text_for_numbers(frame: pl.DataFrame, names: Iterable[str]) -> None:
    import polars as pl

    for name in sorted(names):
        if frame[name].dtype == pl.String and frame[name].count():
            odd = not_numbers(frame[name])
            remedy = f": {odd_values(odd)}" if odd else ". Save it as numbers."
            raise InputError(f"Column {name!r} held numbers in training and holds text now{remedy}")


def rows_with_unseen_categories(X: pl.DataFrame, model: Predictor) -> dict[str, int]:
    """Return the number of rows with categories that training did not have, by column."""
    from ..data.columns import UNSEEN

    rows_by_column = {}
    for name in text_columns(model):
        if name not in X.columns:
            continue
        position = model.columns.positions[name]
        counts = X[name].drop_nulls().value_counts()
        rows_by_column[name] = sum(
            rows for value, rows in counts.iter_rows()
            if model.columns.encode_value(position, value) == UNSEEN
        )  # fmt: skip
    return {name: rows for name, rows in rows_by_column.items() if rows}
