"""Which columns the learners of a stream may read: sets that cost parts of the budget.

The first learners read what an eighth of the budget pays for, the next a quarter, and so on, so
that the sum is worth something after every part of it. The sets are prefixes of one order of
purchases: that of a budgeted booster, by its rule, on the most recent rows.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...costs.costs import Costs, as_costs
from ...costs.ledger import within
from ...data.columns import Columns
from ...types import Flags, Floats
from ..boosting import BudgetedBoostingClassifier, BudgetedBoostingRegressor

#: Parts of the budget, and the share of the learners that read what each part pays for.
PARTS = ((0.125, 0.125), (0.25, 0.125), (0.5, 0.25), (1.0, 0.5))
#: Rounds of the booster that is asked.
N_ROUNDS = 50


def bound_costs(given: Any, columns: Columns, all_known: bool) -> Costs:
    """Return the prices of the columns; if not `all_known`, others may have prices as well."""
    if all_known or given is None:
        return as_costs(given, len(columns), columns.names)
    costs = given if isinstance(given, Costs) else Costs.per_feature(given)
    return costs.bind_known(columns.names or ())


@dataclass(frozen=True, eq=False)
class Market:
    """What may be bought.

    Parameters
    ----------
    costs : Costs
        Items and prices, bound to the columns.
    budget : float
        The most that a row may spend.
    rule : str
        How the booster weighs what a column tells against its price.
    is_regression : bool
        Whether numbers are predicted.
    """

    costs: Costs
    budget: float
    rule: str
    is_regression: bool

    def sets(self, X: NDArray[np.float64], y: NDArray[np.float64], weights: Floats) -> list[Flags]:
        """Return the columns that each part of the budget pays for, by rows seen lately."""
        order, limit = self._order(X, y, weights), min(self.budget, self.costs.total)
        free = [item for item in range(self.costs.n_items) if self.costs.price_of([item]) == 0.0]
        sets, items = [], [item for item in free if self.costs.columns[item]]
        for part, _ in PARTS:
            for item in order:
                if item not in items and within(self.costs.price_of([*items, item]), part * limit):
                    items.append(item)
            sets.append(self._columns_of(items))
        return sets

    def _order(self, X: NDArray[np.float64], y: Floats, weights: Floats) -> list[int]:
        """Return items in the order in which a booster buys them."""
        if not X.shape[1] or (y == y[0]).all():
            return []
        booster = BudgetedBoostingRegressor if self.is_regression else BudgetedBoostingClassifier
        model = booster(
            self.costs, self.budget, rule=self.rule, n_rounds=N_ROUNDS, combine="vote", n_jobs=1
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            plan = model.fit(X, y, sample_weight=weights).plan_.plan
        return list(dict.fromkeys(item for items in plan.stages.items for item in items))

    def _columns_of(self, items: list[int]) -> Flags:
        columns = np.zeros(self.costs.n_columns, dtype=bool)
        for item in items:
            columns[list(self.costs.columns[item])] = True
        return columns


def part_of_learners(n_learners: int) -> list[int]:
    """Return the part of the budget that each learner belongs to."""
    ends = np.ceil(np.cumsum([share for _, share in PARTS]) * n_learners - 1e-9)
    parts: list[int] = np.searchsorted(ends, np.arange(n_learners), side="right").tolist()
    return parts
