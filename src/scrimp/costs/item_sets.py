"""Baskets: sets of items that are bought together, under prices."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from .costs import Costs
from .ledger import limit, within

Items = tuple[int, ...]


@dataclass(frozen=True)
class Baskets:
    """Sets of items, with all that they require.

    Parameters
    ----------
    costs : Costs
        Prices and requirements.
    """

    costs: Costs

    @cached_property
    def free(self) -> Items:
        """All that costs nothing."""
        closures, prices = self.costs.closures, self.costs.prices
        return tuple(i for i, own in enumerate(closures) if not any(prices[j] for j in own))

    def with_(self, items: Sequence[int], item: int) -> Items:
        """A set with one more item and all that it requires."""
        return self.costs.closure([*items, item])

    def added_price(self, items: Sequence[int], item: int) -> float:
        """What an item costs beyond a set."""
        return self.costs.price_of([item], owned=items)

    def without(self, items: Sequence[int], item: int) -> Items:
        """A set without an item, without what requires it, and without fees for that alone."""
        kept = [
            own for own in items
            if own != item and self.costs.columns[own] and item not in self.costs.closures[own]
        ]  # fmt: skip
        return tuple(sorted({*self.free, *self.costs.closure(kept)} - {item}))

    def fill(
        self, order: Iterable[int], budget: float, items: Items | None = None,
        most: float = math.inf,
    ) -> Items:  # fmt: skip
        """Go through an order and buy what can still be paid, beside what is there.

        Parameters
        ----------
        order : iterable of int
            Items that are wanted, the first first; what they require is bought with them.
        budget : float
            For all of it.
        items : tuple of int, optional
            What is there; by default all that is free.
        most : float
            So many of the order are bought, at most.
        """
        prices, closures = self.costs.prices, self.costs.closures
        bought = dict.fromkeys(self.free if items is None else items)
        spent = math.fsum(prices[item] for item in bought)
        for item in order:
            if item in bought or prices[item] > limit(budget) - spent:
                continue
            new = [i for i in closures[item] if i not in bought]
            price = math.fsum(prices[i] for i in new)
            if within(spent + price, budget):
                bought.update(dict.fromkeys(new))
                spent, most = spent + price, most - 1
                if most < 1:
                    break
        return tuple(bought)
