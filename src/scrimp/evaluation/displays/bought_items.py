"""The items that models buy at a budget."""

from __future__ import annotations

import numpy as np

from ...costs.ledger import within
from ...data.columns import Columns
from ...plans.priced_plan import PricedPlan
from ...runtime.predictor import Predictor
from ...runtime.session import Session
from ...types import Floats


def bought_prices(model: Predictor, budget: float) -> Floats:
    """Return the prices of all items, fees included, that a model buys within a budget, ascending.

    Where rows differ in what they buy, these are all items that the budget could buy for a row.
    """
    priced = chosen_entry(model.plan, budget)
    costs = priced.costs
    if priced.outline.order != "fixed":
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


def chosen_entry(priced: PricedPlan, budget: float) -> PricedPlan:
    """Return the entry that a budget pays for, if rows differ within it; else the plan itself."""
    outline, costs = priced.outline, priced.costs
    if outline.buyer is not None:
        return chosen_entry(PricedPlan(outline.buyer, costs), budget)
    if outline.order == "fixed" or not outline.entries:
        return priced
    entries = [PricedPlan(entry, costs) for entry in outline.entries]
    paid = [entry for entry in entries if within(entry.price, budget)]
    return chosen_entry(paid[-1] if paid else entries[0], budget)
