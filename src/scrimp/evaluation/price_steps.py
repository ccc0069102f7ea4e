"""Budgets to compare methods at, from the price list alone."""

from __future__ import annotations

import math

import numpy as np

from ..costs.costs import Costs
from ..types import Floats


def price_steps(costs: Costs, n: int = 10) -> Floats:
    """0, the price of everything, and steps between them.

    Steps are what each item costs alone, with all it requires, and what the cheapest so many
    cost together; those nearest to an even division of the logarithm are taken.

    Parameters
    ----------
    costs : Costs
        Prices.
    n : int
        The most budgets.

    Examples
    --------
    >>> from scrimp import Costs
    >>> price_steps(Costs.per_feature([1.0, 2.5, 40.0])).tolist()
    [0.0, 1.0, 2.5, 3.5, 40.0, 43.5]
    """
    alone = sorted((costs.price_of([item]), item) for item in set(costs.item_of))
    owned = [item for _, item in alone]
    totals = [costs.price_of(owned[:k]) for k in range(1, len(owned) + 1)]
    steps = np.unique([*(price for price, _ in alone), *totals])
    steps = steps[steps > 0]
    if len(steps) >= n:
        even = np.geomspace(steps[0], steps[-1], n - 1)
        nearest = np.abs(np.log(steps) - np.log(even)[:, None]).argmin(axis=1)
        steps = steps[np.unique(nearest)]
    return np.array([0.0, *(float(step) for step in steps if math.isfinite(step))])


def has_free_columns(costs: Costs) -> bool:
    """Whether a budget of 0 buys anything."""
    return any(costs.price_of([item]) == 0 for item in set(costs.item_of))
