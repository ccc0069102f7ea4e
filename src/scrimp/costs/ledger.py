"""The Ledger: what has been bought and spent, and the one place where money is compared."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from .costs import Costs

#: Sums of prices are exact, but prices themselves are rounded: three items at 0.1 fit in 0.3.
SLACK = 1e-9


def limit(budget: float) -> float:
    """The largest sum that counts as within a budget."""
    return budget * (1.0 + SLACK)


def within(spent: float, budget: float) -> bool:
    """Whether a sum of prices is within a budget."""
    return spent <= limit(budget)


class Ledger:
    """What rows with one common history own and have spent, at one or several budgets.

    A session's ledger has one budget. In a batch, rows that have bought the same items so
    far share one ledger, for as long as each budget affords the same next item; then it is
    divided with `at`.

    Money is held while a purchase is under way, and then committed or released, so that
    what is in flight never exceeds the budget. What is spent is the exact sum of the prices
    paid, whatever their order.

    Parameters
    ----------
    costs : Costs
        Prices and requirements.
    budgets : sequence of float
        Ascending.
    owned : iterable of int, optional
        Items the rows have already, free of charge.

    Examples
    --------
    >>> ledger = Ledger(Costs.uniform(3, price=0.1), [0.3])
    >>> for item in range(3):
    ...     ledger.buy([item])
    >>> round(ledger.spent, 9)
    0.3
    """

    __slots__ = ("_limits", "_paid", "budgets", "costs", "failed", "held", "owned", "spent")

    def __init__(self, costs: Costs, budgets: Sequence[float], owned: Iterable[int] = ()) -> None:
        self.costs = costs
        self.budgets = tuple(budgets)
        self._limits = tuple([limit(budget) for budget in self.budgets])
        self.owned = set(owned)
        self.failed: set[int] = set()
        self.held: dict[int, float] = {}
        self._paid: list[float] = []
        self.spent = 0.0

    def missing(self, needs: Iterable[int]) -> list[int]:
        """Which of these items are not owned yet."""
        owned = self.owned
        return [item for item in needs if item not in owned]

    def first_affording(self, needs: Sequence[int], headroom: float = 0.0) -> int:
        """Position of the least budget that can pay for items and has headroom left.

        Parameters
        ----------
        needs : sequence of int
            Items with all they require.
        headroom : float
            A purchase may start only if this much fits too, whatever its own price.

        Returns
        -------
        int
            0 if every budget can, ``len(budgets)`` if none can.
        """
        if not self.failed.isdisjoint(needs):
            return len(self.budgets)
        prices = self.costs.prices
        new = [prices[i] for i in needs if i not in self.owned and i not in self.held]
        if not new and not headroom:
            return 0
        taken = self._paid + list(self.held.values())
        total = math.fsum(taken + new)
        if headroom:
            total = max(total, math.fsum([*taken, headroom]))
        return bisect_left(self._limits, total)

    def can_pay_each(self, sets: Iterable[Sequence[int]]) -> list[bool]:
        """Whether even the least of the budgets pays for each set of items, given with all needs.

        It is `first_affording` of many sets, which share what they have in common.
        """
        prices, failed, least = self.costs.prices, self.failed, self._limits[0]
        taken, known = [*self._paid, *self.held.values()], self.owned.union(self.held)
        return [
            failed.isdisjoint(needs)
            and (
                known.issuperset(needs)
                or math.fsum(taken + [prices[i] for i in needs if i not in known]) <= least
            )
            for needs in sets
        ]

    def affords(self, sums: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Which of many sums even the least budget can pay, each by itself, to rounding."""
        return np.asarray(self.spent + sums <= self._limits[0])

    def can_pay(self, items: Iterable[int]) -> bool:
        """Whether even the least of the budgets pays for items and all they require."""
        return self.first_affording(self.costs.closure(items)) == 0

    def obtainable(self, items: Iterable[int]) -> tuple[int, ...]:
        """Return items with all they require, without those that need something that failed."""
        closures, failed = self.costs.closures, self.failed
        return self.costs.closure(i for i in items if failed.isdisjoint(closures[i]))

    def hold(self, items: Iterable[int]) -> None:
        """Set aside the prices of items about to be fetched."""
        for item in items:
            self.held[item] = self.costs.prices[item]

    def commit(self, item: int) -> None:
        """Pay for an item: it arrived."""
        self.held.pop(item, None)
        if item not in self.owned:
            self.owned.add(item)
            self._paid.append(self.costs.prices[item])
            self.spent = math.fsum(self._paid)

    def release(self, item: int, *, failed: bool = False) -> None:
        """Give back what was held for an item; a failed one is not to be tried again."""
        self.held.pop(item, None)
        if failed and item not in self.owned:
            self.failed.add(item)

    def buy(self, needs: Iterable[int]) -> None:
        """Commit all items not owned yet."""
        new = dict.fromkeys(item for item in needs if item not in self.owned)
        if new:
            self.owned.update(new)
            self._paid.extend(self.costs.prices[item] for item in new)
            self.spent = math.fsum(self._paid)

    def at(self, start: int, stop: int) -> Ledger:
        """A ledger with the same history for a part of the budgets."""
        part = Ledger(self.costs, (), self.owned)
        # of many budgets the limits are not worth computing again; all of them are shared
        part.budgets, part._limits = self.budgets[start:stop], self._limits[start:stop]
        part.failed = set(self.failed)
        part.held = dict(self.held)
        part._paid = list(self._paid)
        part.spent = self.spent
        return part
