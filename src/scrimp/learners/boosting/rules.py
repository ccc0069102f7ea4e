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

from ...types import Floats

#: An edge of 1 would make the logarithm infinite and all perfect columns equal.
_EDGE_LIMIT = 1.0 - 1e-12
#: Up to here x - log(1 + x) is a difference of numbers too close to each other.
_SMALL = 0.1
#: Of the series of atanh(r) / r in r^2, from the second term on; enough for `_SMALL`.
_ATANH = [1.0 / k for k in (3, 5, 7, 9, 11, 13, 15)]


def _edge(edges: Floats, n_classes: int) -> Floats:
    return edges


def _log_gain(edges: Floats, n_classes: int) -> Floats:
    """-2 ln Z: how much the logarithm of the loss falls, twice; -ln(1 - g^2) for two classes."""
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
    """What x is above ln(1 + x) = 2 atanh(x / (2 + x)), without cancellation."""
    r = x / (2.0 + x)
    series = x * r - 2.0 * r**3 * np.polynomial.polynomial.polyval(r * r, _ATANH)
    excess: Floats = np.where(np.abs(x) < _SMALL, series, x - np.log1p(x))
    return excess


def _loss_gain(edges: Floats, n_classes: int) -> Floats:
    """1 - Z: how much the exponential loss falls, without cancellation."""
    if n_classes > 2:
        return np.asarray(-np.expm1(-0.5 * _log_gain(edges, n_classes)))
    squares = np.minimum(edges, 1.0) ** 2
    gain: Floats = squares / (1.0 + np.sqrt(1.0 - squares))
    return gain


@dataclass(frozen=True)
class Rule:
    """A gain over a price.

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
        """What the booster maximises."""
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
