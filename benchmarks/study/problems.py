"""The problems of the study, and their tables as numbers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl

from scrimp import Costs


@dataclass(frozen=True, eq=False)
class Table:
    """Numbers made of the raw columns.

    Parameters
    ----------
    values : float array (rows, columns)
        NaN is missing.
    owner : int array (columns,)
        The raw column that each is made of.
    categorical : bool array (columns,)
        Whether a column holds the codes of categories.
    """

    values: np.ndarray
    owner: np.ndarray
    categorical: np.ndarray


@dataclass(frozen=True, eq=False)
class Problem:
    """Rows, what is predicted, and prices where there are real ones.

    Parameters
    ----------
    name : str
        As on the command line.
    about : str
        What it is, in a few words.
    X : polars.DataFrame
        The raw columns: numbers, or text for categories.
    y : array
        Classes from 0, or numbers.
    task : {"binary", "multiclass", "regression"}
        What is predicted.
    costs : Costs, optional
        Real prices; else they are drawn.
    n_train : int, optional
        Number of first rows that are the published training part.
    queries : array, optional
        Rows of one query are kept together.
    test_share : float
        The part of the rows that is tested, where one split is drawn.
    budgets : sequence of float, optional
        Budgets in place of the common grid; prices are then 1 each.
    """

    name: str
    about: str
    X: pl.DataFrame
    y: np.ndarray
    task: str
    costs: Costs | None = None
    n_train: int | None = None
    queries: np.ndarray | None = None
    test_share: float = 0.3
    budgets: Sequence[float] | None = None

    @property
    def n_classes(self) -> int:
        """Return the number of classes; 0 for a regression."""
        return 0 if self.task == "regression" else int(self.y.max()) + 1

    @cached_property
    def coded(self) -> Table:
        """Return one column per raw column, with categories as codes from 0."""
        text = np.array([dtype == pl.String for dtype in self.X.dtypes])
        parts = [_codes(column) if text[j] else _numbers(column) for j, column in enumerate(self.X)]
        return Table(np.column_stack(parts), np.arange(len(parts)), text)

    @cached_property
    def one_hot(self) -> Table:
        """Return one column per category, missing included; of two, only the last."""
        parts, owner = [], []
        for j, column in enumerate(self.X):
            made = _indicators(column) if column.dtype == pl.String else [_numbers(column)]
            parts += made
            owner += [j] * len(made)
        return Table(np.column_stack(parts), np.array(owner), np.zeros(len(owner), dtype=bool))

    @property
    def has_categories(self) -> bool:
        """Return whether the two tables differ."""
        return bool(self.coded.categorical.any())

    def losses(self, answers: np.ndarray, rows: np.ndarray) -> np.ndarray:
        """Return 1 for a wrong class, or the squared error."""
        targets = self.y[rows]
        if self.task == "regression":
            return np.asarray((answers - targets) ** 2, dtype=np.float64)
        return np.asarray(answers != targets, dtype=np.float64)

    def prior(self, rows: np.ndarray) -> float:
        """Return the answer without purchases: the most common class, or the mean."""
        y = self.y[rows]
        return float(y.mean()) if self.task == "regression" else float(np.bincount(y).argmax())


def costs_of_columns(costs: Costs, owner: Sequence[int] | np.ndarray) -> Costs:
    """Return the same items with the columns of a table made of raw columns.

    >>> costs_of_columns(Costs.per_feature([5.0, 2.0]), [1, 1]).columns
    ((), (0, 1))
    """
    brought: list[list[int]] = [[] for _ in costs.names]
    for position, column in enumerate(owner):
        brought[costs.item_of[column]].append(position)
    return Costs(costs.names, costs.prices, tuple(map(tuple, brought)), costs.requires)


def _numbers(column: pl.Series) -> np.ndarray:
    return column.cast(pl.Float64).to_numpy()


def _codes(column: pl.Series) -> np.ndarray:
    levels = column.drop_nulls().unique().sort().to_list()
    code = {level: float(k) for k, level in enumerate(levels)}
    return np.array([code.get(value, np.nan) for value in column.to_list()])


def _indicators(column: pl.Series) -> list[np.ndarray]:
    levels = column.unique().sort().to_list()
    indicators = [column.eq_missing(level).to_numpy().astype(np.float64) for level in levels]
    return indicators[1:] if len(indicators) == 2 else indicators


Loader = Callable[[], Problem]
Tell = Callable[[str], Any]
