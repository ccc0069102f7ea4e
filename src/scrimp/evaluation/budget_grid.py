"""Grids of budgets: where the purchases of a plan change, or from a price list alone."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..costs.costs import Costs
from ..costs.ledger import Ledger
from ..plans.priced_plan import PricedPlan
from ..runtime.predictor import as_predictor
from ..types import Floats

#: Changes found one by one, before a minimum step bounds their number: sums of prices can be
#: exponentially many.
_EXACT = 200


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
    changes = sorted(_changes(as_predictor(model).plan))
    kept = range(len(changes))
    if len(changes) > n:
        kept = np.linspace(0, len(changes) - 1, n).round().astype(int).tolist()
    return np.array([changes[i] for i in kept])


def _changes(priced: PricedPlan) -> set[float]:
    """Return the budgets at which the purchases of a plan change."""
    ends = {0.0, priced.price}
    outline = priced.outline
    if outline.entries:
        entries = [PricedPlan(entry, priced.costs) for entry in outline.entries]
        return ends | {entry.price for entry in entries} | _changes(entries[0])
    if outline.order == "fixed":
        return ends | _exact_changes(priced)
    alone = {priced.costs.price_of(needs) for needs in priced.needs}
    return ends | alone | {purchase.total for purchase in priced.summary()}


def _exact_changes(priced: PricedPlan) -> set[float]:
    """Return the changes of a plan with a fixed order, at a minimum step once there are many."""
    # a stage with the needs of an earlier one changes nothing
    stages = dict.fromkeys(zip(priced.needs, priced.plan.stages.headroom, strict=True))
    changes: set[float] = set()
    budget = 0.0
    while (change := _next_change(priced, list(stages), budget)) < math.inf:
        changes.add(change)
        min_step = priced.price / _EXACT if len(changes) > _EXACT else 0.0
        budget = max(change, budget + min_step)
    return changes


def _next_change(
    priced: PricedPlan, stages: list[tuple[tuple[int, ...], float]], budget: float
) -> float:
    """Return the smallest larger budget that pays for another stage, else infinity."""
    ledger = Ledger(priced.costs, [budget])
    change = math.inf
    for needs, headroom in stages:
        if ledger.first_affording(needs, headroom) == 0:
            ledger.buy(needs)
            continue
        price = priced.costs.price_of({*ledger.owned, *needs})
        change = min(change, max(price, ledger.spent + headroom))
        if priced.plan.refusal == "stop":
            break
    return change


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
