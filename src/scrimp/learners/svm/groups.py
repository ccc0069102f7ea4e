"""Feature groups: the items that bring columns, and their prices in the relaxation."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse

from ...costs.costs import Costs
from ...costs.item_sets import Items, ItemSets
from ...costs.ledger import limit
from ...types import Flags, Floats, Ints

#: Requirements are a dense array up to this many cells, as small sparse products are slower.
_DENSE_CELLS = 100_000


@dataclass(frozen=True, eq=False)
class Groups:
    """The items that bring columns, numbered as groups.

    Parameters
    ----------
    costs : Costs
        Prices and requirements.
    uniform : bool
        Whether the relaxation takes all prices as equal (LTB-unif).
    """

    costs: Costs
    uniform: bool = False

    @cached_property
    def items(self) -> Ints:
        """The item of each group."""
        return np.array([i for i, columns in enumerate(self.costs.columns) if columns], np.intp)

    @cached_property
    def of_items(self) -> Ints:
        """The group of each item, -1 for items without columns."""
        group_of = np.full(self.costs.n_items, -1, dtype=np.intp)
        group_of[self.items] = np.arange(len(self.items))
        return group_of

    @cached_property
    def of_columns(self) -> Ints:
        """The group of each column."""
        return self.of_items[self.costs.owners]

    @cached_property
    def prices(self) -> Floats:
        """Prices in the relaxation."""
        return np.ones(len(self.items)) if self.uniform else self.shared_prices

    def relaxed_budget(self, budget: float) -> float:
        """Return a budget in terms of the relaxation's prices."""
        if not self.uniform:
            return budget
        total = self.costs.total
        return len(self.items) * (min(budget / total, 1.0) if total > 0 else 1.0)

    @cached_property
    def shared_prices(self) -> Floats:
        """Price per group with its part of shared requirements: a lower bound on what it adds."""
        return self._prices_of_empty_set[1]

    @cached_property
    def full_prices(self) -> Floats:
        """Price per group with everything that it requires."""
        return self._prices_of_empty_set[0]

    @cached_property
    def _prices_of_empty_set(self) -> tuple[Floats, Floats]:
        none = np.zeros(len(self.items), dtype=bool)
        return self.prices_given(none, none)[1:]

    def prices_given(self, included: Flags, excluded: Flags) -> tuple[float, Floats, Floats]:
        """Return the price of the included groups, and full and shared prices of all beside them.

        The price of an item that several groups require is divided equally among the groups that
        can still be bought, which excluded ones cannot. For any set that may be bought, the shared
        prices of its groups then sum to at most its true price, so that bounds stay valid.
        """
        paid = self._requirements[included].sum(axis=0) > 0
        users = self._requirements[~(included | excluded)].sum(axis=0)
        prices = np.array(self.costs.prices)
        unpaid = np.where(paid, 0.0, prices)
        shared = self._requirements @ (unpaid / np.maximum(users, 1))
        full = self._requirements @ unpaid
        return math.fsum(prices[paid]), full, np.where(included, 0.0, shared)

    @cached_property
    def _requirements(self) -> Any:
        """Which items each group requires (groups, items), including its own; 0 and 1."""
        closures = [self.costs.closures[item] for item in self.items]
        starts = np.cumsum([0, *map(len, closures)])
        items = np.array([item for closure in closures for item in closure], dtype=np.intp)
        shape = len(closures), self.costs.n_items
        requirements = sparse.csr_array((np.ones(len(items)), items, starts), shape=shape)
        return requirements.toarray() if shape[0] * shape[1] <= _DENSE_CELLS else requirements

    @cached_property
    def item_sets(self) -> ItemSets:
        """Operations on sets of items."""
        return ItemSets(self.costs)

    def affordable(self, budget: float) -> Flags:
        """Return which groups a budget pays for, each by itself."""
        return self.full_prices <= limit(budget)

    def mask(self, items: Items) -> Flags:
        """Return which groups are in a set of items."""
        mask = np.zeros(len(self.items), dtype=bool)
        groups = self.of_items[list(items)]
        mask[groups[groups >= 0]] = True
        return mask

    def fill(
        self, scores: Floats, budget: float, items: Items | None = None, max_items: float = np.inf
    ) -> Items:
        """Extend a set greedily by groups of positive score, highest first, within a budget."""
        order = np.argsort(-scores, kind="stable")
        order = self.items[order[scores[order] > 0]]
        return tuple(sorted(self.item_sets.fill(order.tolist(), budget, items, max_items)))


def per_price(values: Floats, prices: Floats) -> Floats:
    """Return values per price; a free group of positive value has an infinite ratio."""
    free = np.where(values > 0, np.inf, 0.0)
    return np.divide(values, prices, out=free, where=prices > 0)
