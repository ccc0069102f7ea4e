"""In which order groups are bought: the best value per price among what may be had next."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...costs.costs import Costs
from ...costs.ledger import Ledger, limit
from ...types import Floats, Ints


class Buyer:
    """Chooses the next item by its value over what it costs now.

    What an item costs now is its own price and that of all it requires and is not owned.
    What costs nothing is taken at once, the most valuable first. Items that the rest of the
    budget cannot pay are passed over.

    Parameters
    ----------
    costs : Costs
        Prices and requirements.
    budget : float
        The most that may be spent.
    doubling : bool
        Whether an item may cost no more than all that was bought before it, and the first no
        more than the cheapest (Hu 2019, Alg. 4). Where nothing qualifies the cheapest is next.

    Attributes
    ----------
    items : int array
        Those that bring columns, by position in `costs`.
    groups : list of int arrays
        The columns of each.
    doubled : bool
        False once something had to be bought that more than doubled what was spent.
    """

    def __init__(self, costs: Costs, budget: float, doubling: bool = False) -> None:
        self._costs = costs
        self._ledger = Ledger(costs, [budget])
        self._doubling = doubling
        self.items = np.array([i for i, own in enumerate(costs.columns) if own], dtype=np.intp)
        self.groups = [np.array(costs.columns[i]) for i in self.items]
        self._left = np.ones(len(self.items), dtype=bool)
        self._prices = np.array([costs.price_of([i]) for i in self.items])
        self._dependent = [k for k, i in enumerate(self.items) if len(costs.closures[i]) > 1]
        self.doubled = True

    @property
    def spent(self) -> float:
        """What has been paid."""
        return self._ledger.spent

    def candidates(self, worthwhile: NDArray[np.bool_]) -> Ints:
        """Which of the items that are worth something may be next, by position in `items`."""
        allowed = worthwhile & self._left & self._ledger.affords(self._prices)
        free = allowed & (self._prices == 0.0)
        if free.any():
            return np.flatnonzero(free)
        if self._doubling and allowed.any():
            # the cheapest is next at first, and where nothing else qualifies
            allowed &= self._prices <= max(limit(self.spent), self._prices[allowed].min())
        return np.flatnonzero(allowed)

    def best(self, values: Floats, candidates: Ints) -> int:
        """The candidate of largest value per price, the first at a tie."""
        prices = self._prices[candidates]
        if not prices.any():
            prices = np.ones_like(prices)
        return int(candidates[np.argmax(values[candidates] / prices)])

    def buy(self, choice: int) -> None:
        """Pay for an item, with what it requires."""
        price = float(self._prices[choice])
        self.doubled &= not self.spent or price <= limit(self.spent)
        self._ledger.buy(self._costs.closures[self.items[choice]])
        self._left[choice] = False
        owned = self._ledger.owned
        for other in self._dependent:
            self._prices[other] = self._costs.price_of([int(self.items[other])], owned)
