"""What follows from weights and prices: the chances of a draw, and the best first."""

from __future__ import annotations

import numpy as np

from ...types import Floats, Ints

#: Chances in proportion to the weight, or to weight over price; or no draws, best first.
LAWS = ("uniform", "cost-aware", "top")
#: A chance of 0 would mean "always voted"; prices that far apart are drawn this rarely.
_RAREST = 1e-300
#: The least price that counts, as a part of the dearest.
_LEAST = 1e-200


def chances(alpha: Floats, prices: Floats, aware: bool) -> Floats:
    """Chances in proportion to alpha, or to alpha/c; 0 for what is free and always voted."""
    paid = prices > 0
    # so that dividing by a tiny price does not overflow
    part = np.maximum(prices / (prices.max(initial=0.0) or 1.0), _LEAST)
    worth = np.where(paid, alpha / np.where(paid & aware, part, 1.0), 0.0)
    most = worth.max(initial=0.0)
    worth = worth / most if most > 0 else worth  # so that the sum is finite
    chance = np.where(paid, np.maximum(worth / max(worth.sum(), 1.0), _RAREST), 0.0)
    return chance / chance.sum() if most == 0 and paid.any() else chance


def best_first(alpha: Floats, prices: Floats) -> Ints:
    """What is free, then by alpha/c."""
    paid = prices > 0
    return np.lexsort((-alpha / np.where(paid, prices, 1.0), paid))
