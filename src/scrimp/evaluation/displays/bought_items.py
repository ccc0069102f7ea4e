"""The items that models buy at a budget."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...costs.ledger import within
from ...data.columns import Columns
from ...plans import MenuPlan
from ...plans.contract import Plan
from ...plans.priced_plan import PricedPlan
from ...runtime.predictor import Predictor
from ...runtime.session import Session
from ...types import Floats

#: Kinds of plans whose purchases differ between rows.
_BY_ROW = ("routed", "sampled")


def bought_prices(model: Predictor, budget: float) -> Floats:
    """Return the prices of all items, fees included, that a model buys within a budget, ascending.

    Where rows differ in what they buy, these are all items that the budget could buy for a row.
    """
    priced = _chosen(model.plan, budget)
    costs = priced.costs
    if _differs(priced.plan):
        affordable = [needs for needs in set(priced.needs) if within(costs.price_of(needs), budget)]
        items = {item for needs in affordable for item in needs}
        return np.sort([costs.prices[item] for item in items])
    # all rows buy the same, whatever they hold
    numbers = Columns(None, (None,) * costs.n_columns)
    session = Session(priced, numbers, model.target, budget=budget)
    while request := session.ask():
        session.tell(dict.fromkeys(request.columns, 0.0))
    price = dict(zip(costs.names, costs.prices, strict=True))
    return np.sort([price[name] for name in session.bought])


def _chosen(priced: PricedPlan, budget: float) -> PricedPlan:
    """Return the entry that a budget pays for if rows may differ within it, else the plan."""
    plan, costs = priced.plan, priced.costs
    if not _differs(plan) or not plan.within:
        return priced
    paid = [
        entry for entry, items in zip(plan.within, plan.extents(), strict=False)
        if within(costs.price_of(items), budget)
    ] if isinstance(plan, MenuPlan) else []  # fmt: skip
    return _chosen(PricedPlan(paid[-1] if paid else plan.within[0], costs), budget)


def _differs(plan: Plan[Any]) -> bool:
    """Return whether rows differ in what they buy."""
    return plan.kind in _BY_ROW or any(map(_differs, plan.within))
