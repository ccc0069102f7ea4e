"""Items as groups of a machine, and prices for the relaxation."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ...costs.costs import Costs
from ...costs.item_sets import Items, ItemSets
from ...costs.ledger import limit
from ...types import Floats, Ints

#: Up to so many cells an array is quicker than a sparse one.
_DENSE_CELLS = 100_000


@dataclass(frozen=True, eq=False)
class Groups:
    """The items that bring columns.

    Parameters
    ----------
    costs : Costs
        Prices and requirements.
    uniform : bool
        Whether all groups count as equally dear until they are paid for.
    """

    costs: Costs
    uniform: bool = False

    @cached_property
    def items(self) -> Ints:
        """The item of each group."""
        return np.array([i for i, own in enumerate(self.costs.columns) if own], dtype=np.intp)

    @cached_property
    def number(self) -> Ints:
        """The group of each item, or -1."""
        found = np.full(self.costs.n_items, -1, dtype=np.intp)
        found[self.items] = np.arange(len(self.items))
        return found

    @cached_property
    def of_columns(self) -> Ints:
        """The group of each column."""
        return self.number[self.costs.owners]

    @cached_property
    def prices(self) -> Floats:
        """What groups cost in the relaxation."""
        return np.ones(len(self.items)) if self.uniform else self.least_prices

    def money(self, budget: float) -> float:
        """A budget in the relaxation's prices."""
        if not self.uniform:
            return budget
        total = self.costs.total
        return len(self.items) * (min(budget / total, 1.0) if total > 0 else 1.0)

    @cached_property
    def least_prices(self) -> Floats:
        """What each group costs, at least."""
        return self._prices_beside_nothing[1]

    @cached_property
    def full_prices(self) -> Floats:
        """What each group costs alone, with all that it requires."""
        return self._prices_beside_nothing[0]

    @cached_property
    def _prices_beside_nothing(self) -> tuple[Floats, Floats]:
        none = np.zeros(len(self.items), dtype=bool)
        return self.prices_beside(none, none)[1:]

    def prices_beside(
        self, inside: NDArray[np.bool_], outside: NDArray[np.bool_]
    ) -> tuple[float, Floats, Floats]:
        """What some groups cost, and what each then costs: alone, and at least.

        What several groups require is shared between all that could be bought, which those
        `outside` cannot: whatever set is bought, the shares of its groups add up to no more than
        what is paid.
        """
        paid = self._needs[inside].sum(axis=0) > 0
        users = self._needs[~(inside | outside)].sum(axis=0)
        prices = np.array(self.costs.prices)
        unpaid = np.where(paid, 0.0, prices)
        shared = self._needs @ (unpaid / np.maximum(users, 1))
        return math.fsum(prices[paid]), self._needs @ unpaid, np.where(inside, 0.0, shared)

    @cached_property
    def _needs(self) -> Any:
        """Which items each group requires (groups, items), its own among them; 0 and 1."""
        closures = [self.costs.closures[item] for item in self.items]
        starts = np.cumsum([0, *map(len, closures)])
        items = np.array([item for own in closures for item in own], dtype=np.intp)
        shape = len(closures), self.costs.n_items
        needs = sparse.csr_array((np.ones(len(items)), items, starts), shape=shape)
        return needs.toarray() if shape[0] * shape[1] <= _DENSE_CELLS else needs

    @cached_property
    def baskets(self) -> ItemSets:
        """Sets of items."""
        return ItemSets(self.costs)

    @cached_property
    def cheapest(self) -> float:
        """The price of the cheapest group, with all that it requires."""
        return float(self.full_prices.min(initial=np.inf))

    def payable(self, budget: float) -> NDArray[np.bool_]:
        """Which groups a budget pays for, each alone."""
        return self.full_prices <= limit(budget)

    def bought(self, items: Items) -> NDArray[np.bool_]:
        """Which groups are in a set of items."""
        mask = np.zeros(len(self.items), dtype=bool)
        own = self.number[list(items)]
        mask[own[own >= 0]] = True
        return mask

    def filled(
        self, ranks: Floats, budget: float, items: Items | None = None, most: float = np.inf
    ) -> Items:
        """Buy groups in the order of their ranks, what can be paid; those of rank 0 never."""
        order = np.argsort(-ranks, kind="stable")
        order = self.items[order[ranks[order] > 0]]
        return tuple(sorted(self.baskets.fill(order.tolist(), budget, items, most)))


def per_price(values: Floats, prices: Floats) -> Floats:
    """Values per price; what is worth something and free comes first."""
    free = np.where(values > 0, np.inf, 0.0)
    return np.divide(values, prices, out=free, where=prices > 0)
