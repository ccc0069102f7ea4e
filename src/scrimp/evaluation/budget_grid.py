"""Grids of budgets: where the purchases of a plan change, or from a price list alone."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..costs.costs import Costs
from ..runtime.budget_changes import budget_changes
from ..runtime.predictor import as_predictor
from ..types import Floats


def default_budgets(model: Any, n: int = 50) -> Floats:
    """Return the budgets at which a model's purchases change, from 0 to its full price.

    For plans with a fixed order these are exact: between two of them nothing changes on
    any row. For the others they are the totals of the plan's order, the price of each
    stage alone; for a menu, the prices of its entries and the budgets of the least.

    Parameters
    ----------
    model : fitted estimator or Predictor
        The model whose purchases change.
    n : int
        Maximum number of budgets. If there are more, some are left out evenly; 0 and the full
        price stay.

    Returns
    -------
    float array
        Ascending and distinct.

    Examples
    --------
    >>> from scrimp import BudgetedBoostingClassifier
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]] * 5, [0, 0, 1, 1] * 5
    >>> model = BudgetedBoostingClassifier([3.0, 5.0], n_rounds=3).fit(X, y)
    >>> default_budgets(model)[-1].item()
    3.0
    """
    if not isinstance(n, int | np.integer) or n < 2:
        raise ValueError(f"n is {n!r}; expected a whole number >= 2.")
    changes = sorted(budget_changes(as_predictor(model).plan))
    kept = range(len(changes))
    if len(changes) > n:
        kept = np.linspace(0, len(changes) - 1, n).round().astype(int).tolist()
    return np.array([changes[i] for i in kept])


def price_steps(costs: Costs, n: int = 10) -> Floats:
    """Return budgets to compare methods at: 0, the price of everything, and steps between them.

    Candidates are the price of each item alone, with all it requires, and those of the cheapest
    items together; those nearest to a geometric grid are taken.

    Parameters
    ----------
    costs : Costs
        Prices.
    n : int
        Maximum number of budgets.

    Examples
    --------
    >>> from scrimp import Costs
    >>> price_steps(Costs.per_feature([1.0, 2.5, 40.0])).tolist()
    [0.0, 1.0, 2.5, 3.5, 40.0, 43.5]
    """
    alone = sorted((costs.price_of([item]), item) for item in set(costs.item_of))
    cheapest = [item for _, item in alone]
    totals = [costs.price_of(cheapest[:k]) for k in range(1, len(cheapest) + 1)]
    steps = np.unique([*(price for price, _ in alone), *totals])
    steps = steps[steps > 0]
    if len(steps) >= n:
        even = np.geomspace(steps[0], steps[-1], n - 1)
        nearest = np.abs(np.log(steps) - np.log(even)[:, None]).argmin(axis=1)
        steps = steps[np.unique(nearest)]
    return np.array([0.0, *(float(step) for step in steps if math.isfinite(step))])


def has_free_columns(costs: Costs) -> bool:
    """Return whether a budget of 0 buys anything."""
    return any(costs.price_of([item]) == 0 for item in set(costs.item_of))
