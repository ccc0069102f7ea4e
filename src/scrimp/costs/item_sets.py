"""Sets of items that are bought together, closed under requirements."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from .costs import Costs
from .ledger import limit, within

Items = tuple[int, ...]


@dataclass(frozen=True)
class ItemSets:
    """Operations on sets of items and everything that they require.

    Parameters
    ----------
    costs : Costs
        Prices and requirements.
    """

    costs: Costs

    @cached_property
    def free(self) -> Items:
        """All items that cost nothing, including what they require."""
        closures, prices = self.costs.closures, self.costs.prices
        return tuple(i for i, closure in enumerate(closures) if not any(prices[j] for j in closure))

    def with_(self, items: Sequence[int], item: int) -> Items:
        """Return a set with one more item and everything that it requires."""
        return self.costs.closure([*items, item])

    def added_price(self, items: Sequence[int], item: int) -> float:
        """Return the price of an item and its requirements beyond a set that is already bought."""
        return self.costs.price_of([item], owned=items)

    def without(self, items: Sequence[int], item: int) -> Items:
        """Return a set without an item, the items that require it, and fees that only they need."""
        kept = [
            other for other in items
            if other != item
            and self.costs.columns[other] and item not in self.costs.closures[other]
        ]  # fmt: skip
        return tuple(sorted({*self.free, *self.costs.closure(kept)} - {item}))

    def fill(
        self, order: Iterable[int], budget: float, items: Items | None = None,
        max_items: float = math.inf,
    ) -> Items:  # fmt: skip
        """Extend a set greedily by the items of an order that the budget still pays for.

        Parameters
        ----------
        order : iterable of int
            Items by priority, highest first; each is bought together with what it requires.
        budget : float
            For the whole set.
        items : tuple of int, optional
            The set to extend; by default all free items.
        max_items : float
            The largest number of items of the order to buy.
        """
        prices, closures = self.costs.prices, self.costs.closures
        bought = dict.fromkeys(self.free if items is None else items)
        spent = math.fsum(prices[item] for item in bought)
        for item in order:
            if item in bought or prices[item] > limit(budget) - spent:
                continue
            if not self.costs.columns[item]:  # a fee is paid together with an item that needs it
                continue
            new = [i for i in closures[item] if i not in bought]
            price = math.fsum(prices[i] for i in new)
            if within(spent + price, budget):
                bought.update(dict.fromkeys(new))
                spent, max_items = spent + price, max_items - 1
                if max_items < 1:
                    break
        return tuple(bought)
