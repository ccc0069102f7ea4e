"""Rows to learn from, what to buy for each budget, and models on that."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ...costs.costs import Costs
from ...costs.item_sets import Items, ItemSets
from ...data.columns import Columns
from ...kernels import run_pieces
from ...plans.components.models import Model
from ...types import Ints
from .design import ROWS_A_BIN, Design
from .families import Family
from .problem import Truth, folds_of
from .rows import Rows
from .scorer import SetScorer
from .search import best_sets, forward_order, linear_order, swapped

#: Rows that purchases are chosen by; more say little more.
SEARCHED, LEAST_SEARCHED = 12_000, 3_000
#: Bins of a column in the search, at most: coarse ones tell as well what is worth its price.
BINS_SEARCHED = 48
#: The powers of prices that orders are searched with, and one more where rows are few.
BETAS, FEW, BETAS_OF_FEW = (1.0, 0.5), 4_000, (0.0,)
#: Columns up to which least squares has an order too.
MOST_COLUMNS = 3_000
INNER_FOLDS = 3


@dataclass(frozen=True, eq=False)
class Problem:
    """A table with prices, before any division of its rows.

    Parameters
    ----------
    source : array or data frame
        The table as it was given.
    labels : array (rows,)
        The responses as they were given.
    classes : array
        Class labels, sorted; empty for a regression.
    columns : Columns
        Names and codes of the columns.
    X : float array or CSR matrix (rows, columns)
        Numbers and codes of categories; NaN where a value is missing.
    truth : Truth
        What to predict.
    costs : Costs
        Prices.
    budgets : tuple of float
        Ascending.
    seed : int
        Of all that is random.
    n_jobs : int
        Threads.
    """

    source: Any
    labels: NDArray[Any]
    classes: NDArray[Any]
    columns: Columns
    X: Any
    truth: Truth
    costs: Costs
    budgets: tuple[float, ...]
    seed: int
    n_jobs: int = 1

    @property
    def is_sparse(self) -> bool:
        """Whether the table is."""
        return bool(sparse.issparse(self.X))

    def rows(self, index: Ints, pool: Executor | None) -> Rows:
        """Some rows, ready to be learnt from."""
        truth = self.truth.taken(index)
        several = max(self.truth.n_classes / 4, 1)  # sums for each class: fewer rows and bins
        a_bin = ROWS_A_BIN * (2 if several > 1 else 1)
        categorical = self.columns.is_categorical()
        design = Design.of(self.X[index], categorical, self.costs, a_bin)
        rng = np.random.default_rng([self.seed, len(index)])
        most = max(int(SEARCHED / several), LEAST_SEARCHED)
        few = np.flatnonzero(folds_of(truth, -(-len(index) // most), rng) == 0)
        some = design.taken(few, BINS_SEARCHED)
        scorer = SetScorer(some, truth.taken(few), INNER_FOLDS, rng, pool)
        return Rows(design, truth, scorer, self.seed, self.classes, self.n_jobs)

    def sets(self, rows: Rows, deadline: float = np.inf) -> dict[str, list[Items]]:
        """What to buy at each budget, as trees see it and as linear models do."""
        cap, scorer = self.budgets[-1], rows.scorer
        betas = BETAS + (BETAS_OF_FEW if len(rows.truth.y) <= FEW else ())
        orders = [forward_order(scorer, self.costs, cap, beta, deadline) for beta in betas]
        found = {}
        if rows.design.table.shape[1] <= MOST_COLUMNS:
            linear = linear_order(rows.design, rows.truth, self.costs, cap)
            orders.append(linear)
            goods = ItemSets(self.costs)
            found["linear"] = [tuple(sorted(goods.fill(linear, b))) for b in self.budgets]
        sets = best_sets(scorer, self.costs, orders, self.budgets)
        found["trees"] = swapped(scorer, self.costs, orders, sets, self.budgets, deadline)
        return found


def fitted(rows: Rows, sets: Sequence[Items], family: Family) -> list[Model | None]:
    """A model for each set, fitted once; None where there is nothing to learn from."""
    wanted = [items for items in dict.fromkeys(sets) if len(rows.design.columns(items))]
    wanted.sort(key=len, reverse=True)  # what takes longest first
    known: dict[Items, Model] = {}

    def fit(items: Items) -> None:
        known[items] = family(rows, items)

    run_pieces(rows.scorer.pool if family.side_by_side else None, fit, wanted)
    return [known.get(items) for items in sets]
