"""Which prefixes of an order get a model of their own."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...costs.ledger import limit

#: Models of an order: each costs a fit; longer orders have as many, ever further apart.
MAX_MODELS = 16


def chosen_prefixes(grid: Any, ends: Sequence[int], prices: Sequence[float]) -> list[int]:
    """Return the positions of purchases after which there is a model, ascending.

    Parameters
    ----------
    grid : {"auto"}, int, or list
        As in `scrimp.RefitClassifier`.
    ends, prices : sequences
        How many items are bought after each purchase, and what they cost together.
    """
    if not ends:
        return []
    if isinstance(grid, str) and grid == "auto":
        return _spaced(len(ends), MAX_MODELS)
    if isinstance(grid, int | np.integer) and not isinstance(grid, bool):
        return _exactly(len(ends), int(grid))
    values = np.asarray(grid).tolist()
    if all(isinstance(value, int) for value in values):
        longest = max(ends)
        chosen = {bisect_left(ends, min(max(value, 1), longest)) for value in values if value > 0}
    else:
        chosen = {bisect_right(prices, limit(value)) - 1 for value in values}
    return sorted(chosen - {-1})


def check_grid(grid: Any) -> None:
    """Refuse what names no prefixes."""
    if isinstance(grid, str):
        good = grid == "auto"
    elif isinstance(grid, int | np.integer):
        good = not isinstance(grid, bool) and int(grid) >= 1
    else:
        values = np.asarray(grid)
        good = values.ndim == 1 and values.size > 0 and values.dtype.kind in "iuf"
        good = good and bool((values >= 0).all())
    if not good:
        raise ValueError(
            f"grid is {grid!r}; expected 'auto', a whole number >= 1, a list of numbers of items "
            "(whole) or a list of budgets (with a decimal point)."
        )


def _spaced(n: int, steps: int) -> list[int]:
    """Return the first positions and the last, ever further apart between."""
    if n <= steps:
        return list(range(n))
    places: list[int] = (np.unique(np.geomspace(1, n, steps).round().astype(int)) - 1).tolist()
    return places


def _exactly(n: int, count: int) -> list[int]:
    """Return as `_spaced` does, exactly `count` positions if there are as many."""
    count = min(count, n)
    if count == 1:
        return [n - 1]
    steps = count
    while len(places := _spaced(n, steps)) < count:
        steps += 1
    return [*places[: count - 1], places[-1]]
