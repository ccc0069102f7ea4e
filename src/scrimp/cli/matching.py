"""A model's columns in a table that may lack some of them and have others."""

from __future__ import annotations

import math
import shlex
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from .errors import InputError

if TYPE_CHECKING:
    import polars as pl

    from ..runtime.predictor import Predictor

#: A text column counts as numbers with a few other values from this share of numbers on.
_MOSTLY = 0.8
_EXAMPLES = 3


def text_columns(model: Predictor) -> list[str]:
    """Columns that hold categories: 01 is one, and not the number 1."""
    columns = model.columns
    return [name for name, j in columns.positions.items() if columns.categories[j] is not None]


def within_reach(model: Predictor, budget: float = math.inf) -> list[str]:
    """Columns of stages that a budget could pay for; no others are ever looked at."""
    from ..costs.ledger import within

    priced = model.plan
    prices = {needs: priced.costs.price_of(needs) for needs in set(priced.needs)}
    stages = zip(priced.needs, priced.plan.reads, strict=True)
    read = {j for needs, own in stages if within(prices[needs], budget) for j in own}
    return [name for name, j in model.columns.positions.items() if j in read]


def features(
    frame: pl.DataFrame, model: Predictor, path: Path, budget: float = math.inf
) -> pl.DataFrame:
    """The model's columns in any order; those out of reach of the budget may be absent."""
    import polars as pl

    needed = set(within_reach(model, budget))
    if absent := [n for n in model.columns.positions if n in needed and n not in frame.columns]:
        raise InputError(f"{path} lacks columns that the model buys: {', '.join(absent)}.")
    _refuse_text_for_numbers(frame, needed - set(text_columns(model)))
    names = list(model.columns.positions)
    nothing = [pl.lit(None).alias(name) for name in names if name not in needed]
    return frame.with_columns(nothing).select(names)


def _refuse_text_for_numbers(frame: pl.DataFrame, names: Iterable[str]) -> None:
    import polars as pl

    for name in sorted(names):
        if frame[name].dtype == pl.String and frame[name].count():
            odd = not_numbers(frame[name])
            remedy = f": {examples(odd)}. {advice(odd)}" if odd else ". Save it as numbers."
            raise InputError(f"Column {name!r} held numbers in training and holds text now{remedy}")


def not_numbers(series: pl.Series) -> list[str]:
    """The distinct values of a text column that are no numbers."""
    import polars as pl

    known = series.drop_nulls().unique(maintain_order=True)
    texts: list[str] = known.filter(known.cast(pl.Float64, strict=False).is_null()).to_list()
    return texts


def mostly_numbers(series: pl.Series) -> bool:
    """Whether a text column holds numbers save for a few values."""
    import polars as pl

    known = series.drop_nulls()
    share = known.cast(pl.Float64, strict=False).is_not_null().mean()
    return isinstance(share, float) and _MOSTLY <= share < 1


def examples(values: list[str]) -> str:
    """A few of many values."""
    more = ", ..." if len(values) > _EXAMPLES else ""
    return ", ".join(map(repr, values[:_EXAMPLES])) + more


def advice(values: list[str]) -> str:
    """What to do about text among numbers."""
    options = " ".join(f"--missing {shlex.quote(value)}" for value in values[:_EXAMPLES])
    return f"If that stands for a missing value, add {options}"


def unseen(X: pl.DataFrame, model: Predictor) -> dict[str, int]:
    """For columns with categories that were not seen in training, the number of rows."""
    from ..data.columns import UNSEEN

    found = {}
    for name in text_columns(model):
        position = model.columns.positions[name]
        counts = X[name].drop_nulls().value_counts()
        found[name] = sum(
            rows for v, rows in counts.iter_rows()
            if model.columns.encode_value(position, v) == UNSEEN
        )  # fmt: skip
    return {name: rows for name, rows in found.items() if rows}
