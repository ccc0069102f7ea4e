"""Prices drawn as those of Yahoo's features, which the papers cannot share."""

from __future__ import annotations

import numpy as np

from scrimp.types import Floats

#: L. Wang et al. (2018): the prices of Yahoo's 519 features, and how many have each.
YAHOO_PRICES = {1: 123, 5: 31, 20: 191, 50: 125, 100: 16, 150: 32, 200: 1}


def draw_prices(n: int, rng: np.random.Generator) -> Floats:
    """Return n prices, each as frequent as among Yahoo's features."""
    counts = np.array(list(YAHOO_PRICES.values()))
    return rng.choice(np.array(list(YAHOO_PRICES), dtype=np.float64), n, p=counts / counts.sum())


def price_counts() -> str:
    """Return the prices with their counts, as the reports state them."""
    return ", ".join(f"{price}: {count}" for price, count in YAHOO_PRICES.items())
