"""The budgets at which the purchases of a plan change."""

from __future__ import annotations

import math

from ..costs.ledger import Ledger
from ..plans.priced_plan import PricedPlan

#: Changes found one by one, before a minimum step bounds their number: sums of prices can be
#: exponentially many.
_EXACT = 200


def budget_changes(priced: PricedPlan) -> set[float]:
    """Return the budgets at which the purchases of a plan change."""
    ends = {0.0, priced.price}
    outline = priced.outline
    if outline.entries:
        entries = [PricedPlan(entry, priced.costs) for entry in outline.entries]
        return ends | {entry.price for entry in entries} | budget_changes(entries[0])
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
