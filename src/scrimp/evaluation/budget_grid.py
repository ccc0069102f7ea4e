"""Budgets worth looking at: those at which a plan buys something else."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..costs.ledger import Ledger
from ..plans.priced_plan import PricedPlan
from ..runtime.predictor import as_predictor
from ..types import Floats

#: Changes followed one by one; sums of prices can be exponentially many.
_EXACT = 200


def default_budgets(model: Any, n: int = 50) -> Floats:
    """The budgets at which a model's purchases change, from 0 to its full price.

    For plans with a fixed order these are exact: between two of them nothing changes on
    any row. For the others they are the totals of the plan's order, the price of each
    stage alone; for a menu, the prices of its entries and the budgets of the least.

    Parameters
    ----------
    model : fitted estimator or Predictor
        Whose purchases.
    n : int
        The most budgets to return. If there are more, some are left out evenly; 0 and the
        full price stay.

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
    """Budgets at which the purchases of a plan change."""
    ends = {0.0, priced.price}
    outline = priced.outline
    if outline.entries:
        entries = [PricedPlan(entry, priced.costs) for entry in outline.entries]
        return ends | {entry.price for entry in entries} | _changes(entries[0])
    if outline.order == "fixed":
        return ends | _walk(priced)
    alone = {priced.costs.price_of(needs) for needs in priced.needs}
    return ends | alone | {purchase.total for purchase in priced.summary()}


def _walk(priced: PricedPlan) -> set[float]:
    """From each change to the next, and with a least step once there are many."""
    # a stage with the needs of an earlier one changes nothing
    stages = dict.fromkeys(zip(priced.needs, priced.plan.stages.headroom, strict=True))
    found: set[float] = set()
    budget = 0.0
    while (change := _next_change(priced, list(stages), budget)) < math.inf:
        found.add(change)
        least_step = priced.price / _EXACT if len(found) > _EXACT else 0.0
        budget = max(change, budget + least_step)
    return found


def _next_change(
    priced: PricedPlan, stages: list[tuple[tuple[int, ...], float]], budget: float
) -> float:
    """The least larger budget that pays for a stage which this one does not, else infinity."""
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
