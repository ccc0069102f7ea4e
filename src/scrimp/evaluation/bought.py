"""What models buy at a budget."""

from __future__ import annotations

import numpy as np

from ..costs.ledger import within
from ..data.columns import Columns
from ..plans.priced_plan import PricedPlan
from ..runtime.predictor import Predictor
from ..runtime.session import Session
from ..types import Floats


def bought_prices(model: Predictor, budget: float) -> Floats:
    """The prices of all items that a model buys within a budget, ascending.

    Fees are among them. Where rows differ in what they buy, each item of the plan that the budget
    pays for is.
    """
    priced = _chosen(model.plan, budget)
    costs = priced.costs
    if priced.outline.order != "fixed":
        paid = [own for own in set(priced.needs) if within(costs.price_of(own), budget)]
        return np.sort([costs.prices[item] for item in {i for own in paid for i in own}])
    # all rows buy the same, whatever they hold
    numbers = Columns(None, (None,) * costs.n_columns)
    session = Session(priced, numbers, model.target, budget=budget)
    while request := session.ask():
        session.tell(dict.fromkeys(request.columns, 0.0))
    price = dict(zip(costs.names, costs.prices, strict=True))
    return np.sort([price[name] for name in session.bought])


def _chosen(priced: PricedPlan, budget: float) -> PricedPlan:
    """Return the entry that a budget pays for, if rows differ within it; else the plan itself."""
    outline, costs = priced.outline, priced.costs
    if outline.buyer is not None:
        return _chosen(PricedPlan(outline.buyer, costs), budget)
    if outline.order == "fixed" or not outline.entries:
        return priced
    entries = [PricedPlan(entry, costs) for entry in outline.entries]
    paid = [entry for entry in entries if within(entry.price, budget)]
    return _chosen(paid[-1] if paid else entries[0], budget)
