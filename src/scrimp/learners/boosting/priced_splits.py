"""Splits that pay: which column a node of a tree tests, given prices and what is bought.

A split lowers the loss by a share of all that there is to explain, as a stump lowers it by its
edge, so that the rules of Huang et al. (2015) choose between splits as they choose between stumps.
GreedyMiser (Xu, Weinberger and Chapelle 2012) takes the price of what is not bought yet from the
gain instead.
"""

from __future__ import annotations

import numpy as np

from ...costs.shopper import Shopper
from ...types import Floats, Ints
from .rules import PricedRule, edges_of_shares


class PricedSplits:
    """Splits by the column that a selection rule of boosting chooses, and buys its item.

    Parameters
    ----------
    rule : PricedRule
        The rule, with prices and what is bought.
    total : float
        The largest possible gain: that of a leaf for each row.
    bought : list of int
        The items of splits are added, in the order of their purchase.
    stops : bool
        Whether a choice that the budget cannot pay for ends the training.

    Attributes
    ----------
    has_ended : bool
        Whether the training is at its end.
    """

    def __init__(
        self, rule: PricedRule, total: float, bought: list[int], stops: bool = False
    ) -> None:
        self._rule, self._total, self._stops = rule, max(total, 1e-300), stops
        self._bought = bought
        self.has_ended = False

    def choose(self, columns: Ints, gains: Floats) -> int:
        """Return the position of the best column by the rule that can be paid for, or -1."""
        edges = edges_of_shares(gains / self._total)
        while not self.has_ended:
            places = np.flatnonzero(self._rule.allowed[columns] & (gains > 0))
            if not len(places):
                break
            place = int(places[np.argmax(self._rule.quality(columns[places], edges[places]))])
            column = int(columns[place])
            self._rule.observe(column, float(edges[place]))
            if self._rule.buy(column):
                _note(self._bought, int(self._rule.items[column]))
                return place
            self.has_ended = self._stops
        return -1


class PenalisedSplits:
    """Splits by the largest gain less a penalty on the price of what is not bought yet.

    Parameters
    ----------
    shopper : Shopper
        Prices and what is bought; it never pays beyond its budget.
    penalty : float
        What one unit of price takes from the mean loss.
    mass : float
        The sum of the weights of the rows: gains are sums over rows.
    bought : list of int
        As in `PricedSplits`.
    """

    has_ended = False

    def __init__(self, shopper: Shopper, penalty: float, mass: float, bought: list[int]) -> None:
        self._bought = bought
        self._shopper, self._penalty, self._mass = shopper, penalty, mass
        self._item_of = shopper.costs.owners

    def choose(self, columns: Ints, gains: Floats) -> int:
        """Return the position of the largest gain less its penalty, or -1 if none is positive."""
        items = self._item_of[columns]
        prices = self._shopper.prices[items]
        worth = np.where(
            self._shopper.ledger.affords(self._shopper.prices)[items],
            gains / self._mass - self._penalty * prices,
            -np.inf,
        )
        place = int(np.argmax(worth))
        if not worth[place] > 0:
            return -1
        self._shopper.buy([int(items[place])])
        _note(self._bought, int(items[place]))
        return place


def _note(bought: list[int], item: int) -> None:
    """Add an item, once."""
    if item not in bought:
        bought.append(item)
