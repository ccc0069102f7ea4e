"""Sampling weights: probabilities of a draw, and an order, from weights and prices."""

from __future__ import annotations

import numpy as np

from ...types import Floats, Ints

#: Probabilities in proportion to the weight, or to weight over price; or no draws, best first.
WEIGHTINGS = ("uniform", "cost-aware", "top")
#: The lowest probability of a paid member. A probability of 0 would mean that it always votes, so
#: members with extreme prices are drawn this rarely instead.
_MIN_PROBABILITY = 1e-300
#: The lowest positive price, as a fraction of the highest: lower ones count as this one, so that
#: quotients stay finite.
_MIN_PRICE_FRACTION = 1e-200


def draw_probabilities(alpha: Floats, prices: Floats, cost_aware: bool) -> Floats:
    """Return probabilities in proportion to alpha, or to alpha/c; 0 for free members."""
    paid = prices > 0
    # a fraction of the highest price, so that dividing by a tiny price does not overflow
    fraction = np.maximum(prices / (prices.max(initial=0.0) or 1.0), _MIN_PRICE_FRACTION)
    weight = np.where(paid, alpha / np.where(paid & cost_aware, fraction, 1.0), 0.0)
    highest = weight.max(initial=0.0)
    weight = weight / highest if highest > 0 else weight  # so that the sum is finite
    probability = np.maximum(weight / max(weight.sum(), 1.0), _MIN_PROBABILITY)
    probability = np.where(paid, probability, 0.0)
    return probability / probability.sum() if highest == 0 and paid.any() else probability


def best_first(alpha: Floats, prices: Floats) -> Ints:
    """Return the order of members: the free ones, then the others by descending alpha/c."""
    paid = prices > 0
    return np.lexsort((-alpha / np.where(paid, prices, 1.0), paid))
