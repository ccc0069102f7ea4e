"""Rows to learn from, what to buy for each budget, and models on that."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..costs import Costs
from ..plan import Ints
from ..plans.models import Model
from .design import Design
from .families import Fit, Rows
from .problem import Truth, folds_of
from .scorer import Items, SetScorer
from .search import best_sets, forward_order

#: Rows that purchases are chosen by; more say little more.
SEARCHED = 12_000
#: The powers of prices that orders are searched with.
BETAS = (1.0, 0.5)
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
    X : float array (rows, columns)
        Numbers and codes of categories; NaN where a value is missing.
    categorical : bool array (columns,)
        Which columns hold codes.
    truth : Truth
        What to predict.
    costs : Costs
        Prices.
    budgets : tuple of float
        Ascending.
    seed : int
        Of all that is random.
    """

    source: Any
    labels: NDArray[Any]
    classes: NDArray[Any]
    X: NDArray[Any]
    categorical: NDArray[np.bool_]
    truth: Truth
    costs: Costs
    budgets: tuple[float, ...]
    seed: int

    def rows(self, index: Ints, pool: Executor | None) -> Rows:
        """Some rows, ready to be learnt from."""
        truth = self.truth.taken(index)
        design = Design.of(self.X[index], self.categorical, self.costs)
        rng = np.random.default_rng([self.seed, len(index)])
        some, said = design, truth
        if len(index) > SEARCHED:
            few = np.flatnonzero(folds_of(truth, -(-len(index) // SEARCHED), rng) == 0)
            some = Design.of(self.X[index[few]], self.categorical, self.costs)
            said = truth.taken(few)
        return Rows(design, truth, SetScorer(some, said, INNER_FOLDS, rng, pool), self.seed)

    def sets(self, rows: Rows, others: Sequence[Sequence[int]] = ()) -> list[Items]:
        """What to buy at each budget, also by orders of others."""
        cap = self.budgets[-1]
        orders = [forward_order(rows.scorer, self.costs, cap, beta) for beta in BETAS]
        return best_sets(rows.scorer, self.costs, [*orders, *others], self.budgets)


def fitted(
    rows: Rows, sets: Sequence[Items], fit: Fit, known: dict[Items, Model]
) -> Iterator[Model | None]:
    """A model for each set, fitted once; None where there is nothing to learn from."""
    for items in sets:
        if not len(rows.design.columns(items)):
            yield None
            continue
        if items not in known:
            known[items] = fit(rows, items)
        yield known[items]
