"""Selection rules: how a booster weighs an edge against a price (Huang et al. 2015).

A rule is a gain, which rises with the edge, over a price that depends on what has been
spent. Within a column the price is the same for all stumps, so a rule only has to choose
between the best stumps of the columns.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

#: An edge of 1 would make the logarithm infinite and all perfect columns equal.
_EDGE_LIMIT = 1.0 - 1e-12


def _log_gain(edges: Floats) -> Floats:
    """-ln(1 - gamma^2): how much the logarithm of the error bound falls, twice."""
    gain: Floats = -np.log1p(-(np.minimum(edges, _EDGE_LIMIT) ** 2))
    return gain


def _loss_gain(edges: Floats) -> Floats:
    """1 - sqrt(1 - gamma^2): how much the exponential loss falls, without cancellation."""
    squares = np.minimum(edges, 1.0) ** 2
    gain: Floats = squares / (1.0 + np.sqrt(1.0 - squares))
    return gain


@dataclass(frozen=True)
class Rule:
    """A gain over a price.

    Parameters
    ----------
    gain : function of edges
        Rises with the edge.
    price : function of (prices, spent)
        What a choice counts as, given what has been spent, scaled by tau.
    """

    gain: Callable[[Floats], Floats]
    price: Callable[[Floats, float], Floats]

    def quality(self, edges: Floats, prices: Floats, spent: float) -> Floats:
        """What the booster maximises."""
        return self.gain(edges) / self.price(prices, spent)


#: AdaBoostBT: the largest edge, whatever it costs.
EDGE = Rule(lambda edges: edges, lambda prices, spent: np.ones_like(prices))
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
