"""Bins of prices for histograms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from ...types import Floats
from .axes import price_texts

#: Up to this number of distinct prices each has its own bar; more are put into bins.
_MAX_PRICES = 12
#: About how many bins there are by default.
_BINS = 10
#: Bins become wider with the price if the largest is this many times the median.
_SKEWNESS = 5.0


def count_by_price(
    named: Mapping[str, Floats], all_prices: Floats, bins: int | Sequence[float] | None
) -> tuple[Any, list[str]]:
    """Return how many items each model buys (models, places), and the labels of the places."""
    distinct = np.unique(all_prices)
    if bins is None and len(distinct) <= _MAX_PRICES:
        counts = [[int((prices == price).sum()) for price in distinct] for prices in named.values()]
        places = price_texts(distinct.tolist()) if len(distinct) else []
        return np.array(counts, dtype=int).reshape(len(named), len(distinct)), places
    edges = _edges(all_prices, _BINS if bins is None else bins)
    ends = [f"{edge:,.0f}" if edge.is_integer() else f"{edge:g}" for edge in edges.tolist()]
    places = [f"{low}–{high}" for low, high in pairwise(ends)]
    return np.array([np.histogram(prices, edges)[0] for prices in named.values()]), places


def _edges(all_prices: Floats, bins: int | Sequence[float]) -> Floats:
    """Return the edges of bins: those given, or round numbers."""
    if not isinstance(bins, int | np.integer):
        edges = np.asarray(bins, dtype=np.float64)
        if edges.ndim != 1 or len(edges) < 2 or not (np.diff(edges) > 0).all():
            raise ValueError(f"bins are {bins!r}; expected a number >= 1, or ascending edges.")
        if all_prices.size and not edges[0] <= all_prices.min() <= all_prices.max() <= edges[-1]:
            raise ValueError(
                f"bins go from {edges[0]:g} to {edges[-1]:g}, but prices from "
                f"{all_prices.min():g} to {all_prices.max():g}; expected bins for all of them."
            )
        return edges
    if isinstance(bins, bool) or bins < 1:
        raise ValueError(f"bins is {bins!r}; expected a number >= 1, or ascending edges.")
    if not all_prices.any():
        return np.array([0.0, 1.0])
    positive = all_prices[all_prices > 0]
    if positive.max() > _SKEWNESS * np.median(positive):
        return _round_steps(all_prices)
    from matplotlib.ticker import MaxNLocator

    low, high = float(all_prices.min()), float(all_prices.max())
    return np.asarray(MaxNLocator(int(bins)).tick_values(low, high))


def _round_steps(all_prices: Floats) -> Floats:
    """Return edges 1, 2, 5, 10, ... or 1, 10, ...; with 0 if something is free."""
    positive = all_prices[all_prices > 0]
    low, high = np.floor(np.log10([positive.min(), positive.max()])).astype(int)
    within_ten = (1, 2, 5) if 3 * (high - low + 1) <= _MAX_PRICES else (1,)
    steps = np.array([float(f"{m}e{p}") for p in range(low, high + 2) for m in within_ten])
    first = np.searchsorted(steps, positive.min(), side="right") - 1
    last = np.searchsorted(steps, positive.max())
    edges = steps[first : last + 1]
    return edges if (all_prices > 0).all() else np.append(0.0, edges)
