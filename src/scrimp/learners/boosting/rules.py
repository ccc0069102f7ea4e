"""Selection rules: how a booster weighs an edge against a price (Huang et al. 2015).

A rule is a gain, which rises with the edge, over a price that depends on what has been
spent. Within a column the price is the same for all stumps, so a rule only has to choose
between the best stumps of the columns.

A round multiplies the exponential loss by Z. With K classes and an edge g (0 at chance, 1 if
all is right) Z = (1 - g)^((K-1)/K) (1 + (K-1) g)^(1/K), which is sqrt(1 - g^2) for two.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ...costs.shopper import Shopper
from ...types import Floats, Ints

#: An edge of 1 would make the logarithm infinite and all perfect columns equal.
_EDGE_LIMIT = 1.0 - 1e-12
#: Up to here x - log(1 + x) is a difference of numbers too close to each other.
_SMALL = 0.1
#: Of the series of atanh(r) / r in r^2, from the second term on; enough for `_SMALL`.
_ATANH = [1.0 / k for k in (3, 5, 7, 9, 11, 13, 15)]


def _edge(edges: Floats, n_classes: int) -> Floats:
    return edges


def _log_gain(edges: Floats, n_classes: int) -> Floats:
    """Return -2 ln Z, twice the fall of the log-loss; -ln(1 - g^2) for two classes."""
    edges = np.minimum(edges, _EDGE_LIMIT)
    others = n_classes - 1
    gain: Floats
    if n_classes == 2:
        gain = -np.log1p(-(edges**2))
    else:  # the parts of ln Z that are linear in g cancel out
        excess = others * _excess(-edges) + _excess(others * edges)
        gain = 2.0 / n_classes * excess
    return gain


def _excess(x: Floats) -> Floats:
    """Return x - ln(1 + x) without cancellation, where ln(1 + x) = 2 atanh(x / (2 + x))."""
    r = x / (2.0 + x)
    series = x * r - 2.0 * r**3 * np.polynomial.polynomial.polyval(r * r, _ATANH)
    excess: Floats = np.where(np.abs(x) < _SMALL, series, x - np.log1p(x))
    return excess


def _loss_gain(edges: Floats, n_classes: int) -> Floats:
    """Return 1 - Z, the fall of the exponential loss, without cancellation."""
    if n_classes > 2:
        return np.asarray(-np.expm1(-0.5 * _log_gain(edges, n_classes)))
    squares = np.minimum(edges, 1.0) ** 2
    gain: Floats = squares / (1.0 + np.sqrt(1.0 - squares))
    return gain


def edges_of_shares(shares: Floats) -> Floats:
    """Return the edges whose rules fit a loss that falls by given shares.

    The rules speak of sqrt(1 - edge^2), the part of the loss that is left, which is 1 - share.
    """
    shares = np.clip(shares, 0.0, 1.0)
    edges: Floats = np.sqrt(shares * (2.0 - shares))  # 1 - (1 - share)^2, without cancellation
    return edges


@dataclass(frozen=True)
class Rule:
    """What a booster maximises: a gain over a price.

    Parameters
    ----------
    gain : function of (edges, number of classes)
        Rises with the edge.
    price : function of (prices, spent)
        What a choice counts as, given what has been spent, scaled by tau.
    """

    gain: Callable[[Floats, int], Floats]
    price: Callable[[Floats, float], Floats]

    def quality(self, edges: Floats, prices: Floats, spent: float, n_classes: int = 2) -> Floats:
        """Return the gain over the price."""
        return self.gain(edges, n_classes) / self.price(prices, spent)


#: AdaBoostBT: the largest edge, whatever it costs.
EDGE = Rule(_edge, lambda prices, spent: np.ones_like(prices))
#: AdaBoostBT_Greedy, Eq. (1) in logarithms.
GREEDY = Rule(_log_gain, lambda prices, spent: prices)
#: AdaBoostBT_Smoothed, Eq. (2) in logarithms: B - B_t is what has been spent.
SMOOTHED = Rule(_log_gain, lambda prices, spent: spent + prices)
#: SpeedBoost (Grubb and Bagnell 2012) on the exponential loss: its fall per price.
SPEEDBOOST = Rule(_loss_gain, lambda prices, spent: prices)

RULES: dict[str, tuple[Rule, Rule]] = {
    "edge": (EDGE, EDGE),
    "greedy": (GREEDY, GREEDY),
    "smoothed": (SMOOTHED, SMOOTHED),
    "speedboost": (SPEEDBOOST, SPEEDBOOST),
    "hybrid": (GREEDY, SMOOTHED),
}


class PricedRule:
    """A selection rule at the prices of one training, and the columns that it may select.

    In a choice an item counts with its own price, even when it is paid for, plus what it
    requires and is not owned. An item that is free counts as the cheapest one that is not.

    Parameters
    ----------
    shopper : Shopper
        What has been bought, and what the rest costs.
    rule : str
        A name of `RULES`.
    only_affordable : bool
        Whether columns that the rest of the budget cannot pay may not be selected.
    tau : float
        How much what is spent counts in ``smoothed``.
    switch : float
        ``hybrid`` goes over from greedy to smoothed when the quality of its choice falls
        below this part of the first one's. No unused column is better than the choice, so
        then all of these are below it too.
    n_classes : int
        Classes to tell apart: what an edge is worth depends on their number.

    Attributes
    ----------
    allowed : bool array (columns,)
        The columns that may be selected.
    """

    def __init__(
        self,
        shopper: Shopper,
        rule: str,
        only_affordable: bool,
        tau: float = 1.0,
        switch: float = 0.1,
        n_classes: int = 2,
    ) -> None:
        self._shopper = shopper
        self._rule, self._next_rule = RULES[rule]
        self._tau, self._switch = tau, switch
        self._n_classes = n_classes
        self._first_quality: float | None = None
        self._only_affordable = only_affordable
        self._item_of = shopper.costs.owners
        self._item_prices = np.array(shopper.costs.prices)
        self._free_counts_as = min((p for p in shopper.costs.prices if p > 0), default=1.0)
        self._refresh()

    @property
    def items(self) -> Ints:
        """The item of each column."""
        return self._item_of

    def quality(self, columns: Ints, edges: Floats) -> Floats:
        """Return the rule's value of columns with given edges."""
        spent = self._tau * self._shopper.ledger.spent
        return self._rule.quality(edges, self._prices[columns], spent, self._n_classes)

    def observe(self, column: int, edge: float) -> None:
        """Take note of a choice: it may be time for the next rule."""
        if self._rule is self._next_rule:
            return
        quality = float(self.quality(np.array([column]), np.array([edge]))[0])
        if self._first_quality is None:
            self._first_quality = quality
        elif quality < self._switch * self._first_quality:
            self._rule = self._next_rule

    def buy(self, column: int) -> bool:
        """Pay for a column unless it is owned; if the budget does not allow it, exclude it."""
        item, ledger = int(self._item_of[column]), self._shopper.ledger
        if ledger.first_affording(ledger.costs.closures[item]):
            self.allowed[self._item_of == item] = False
            return False
        if self._shopper.buy([item]):
            self._refresh()
        return True

    def _refresh(self) -> None:
        """Update the prices: what was bought makes other things cheaper."""
        counts = self._item_prices + self._shopper.fees
        counts[counts == 0] = self._free_counts_as
        self._prices = counts[self._item_of]
        if self._only_affordable:
            self.allowed = self._shopper.ledger.affords(self._shopper.prices)[self._item_of]
        else:
            self.allowed = np.ones(len(self._item_of), dtype=bool)
