"""Which columns the learners of a stream may read: sets that cost parts of the budget.

The first learners read what a hundred and twenty-eighth of the budget pays for, the next a
sixty-fourth, and so on, so that the sum is worth something after every part of it. A part that pays
for nothing more than the one before it has no learners of its own, and few learners have few parts.
The sets are prefixes of one order of purchases: that of a budgeted booster, by its rule, on the
most recent rows.
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

#: Parts of the budget, and the share of the learners that read what each part pays for. More
#: learners of small parts are better answers for little money, and fewer that read everything.
PARTS = (*((2.0**-halvings, 1 / 14) for halvings in range(7, 0, -1)), (1.0, 0.5))
#: The least mean number of learners per part; with fewer, the smallest parts are left out.
LEARNERS_PER_PART = 2
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

    def sets(
        self, X: NDArray[np.float64], y: NDArray[np.float64], weights: Floats, n_learners: int
    ) -> list[Flags]:
        """Return the columns that each learner may read, by rows seen lately."""
        order, limit = self._order(X, y, weights), min(self.budget, self.costs.total)
        free = [item for item in range(self.costs.n_items) if self.costs.price_of([item]) == 0.0]
        items = [item for item in free if self.costs.columns[item]]
        sets, shares = [self._columns_of(items)], [0.0]
        for part, share in PARTS[-max(n_learners // LEARNERS_PER_PART, 1) :]:
            for item in order:
                if item not in items and within(self.costs.price_of([*items, item]), part * limit):
                    items.append(item)
            columns = self._columns_of(items)
            if (columns != sets[-1]).any():
                sets.append(columns)
                shares.append(share)
            elif sets[-1].any():
                shares[-1] += share
        return [sets[part] for part in part_of_learners(shares, n_learners)]

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


def part_of_learners(shares: list[float], n_learners: int) -> list[int]:
    """Return the part of the budget that each learner belongs to, given the share of each part.

    The last part has all learners where no part has a share, since nothing can be bought.
    """
    total = sum(shares)
    if total == 0.0:
        return [len(shares) - 1] * n_learners
    ends = np.ceil(np.cumsum(shares) / total * n_learners - 1e-9)
    parts: list[int] = np.searchsorted(ends, np.arange(n_learners), side="right").tolist()
    return parts
