"""In which order items are bought: as a rule, a plan or a list has it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.base import clone

from ...costs.costs import Costs
from ...data.encoding import learn_encoding
from ...learners.boosting import BudgetedBoostingClassifier, BudgetedBoostingRegressor
from ...learners.boosting.rules import RULES
from ...learners.linear import SequencedClassifier, SequencedRegressor
from ...plans.priced_plan import PricedPlan
from ...runtime.predictor import Predictor
from .fitting import Rows, seeded
from .purchases import purchases

#: What an order may be called.
NAMED = (*RULES, "linear")
#: Rounds of the boosting whose purchases are followed: enough for a column to come up.
_ROUNDS = 200


def check_order(order: Any) -> None:
    """Refuse what names no order."""
    if isinstance(order, str) and order not in NAMED:
        raise ValueError(
            f"order is {order!r}; expected one of {', '.join(map(repr, NAMED))}, a list of items, "
            "a scrimp estimator or None."
        )


def learn_order(
    order: Any, X: Any, rows: Rows, columns: Any, costs: Costs, budget: float, seed: int,
    regression: bool,
) -> list[list[int]]:  # fmt: skip
    """Purchases one after the other, each with what is then free.

    A named order has all items that the budget can pay for: those that its rule does not
    want come last, the cheapest first. Lists and plans are followed as they are.
    """
    order = "smoothed" if order is None else order
    if isinstance(order, str):
        chosen = (
            _linear(rows, columns, costs, budget, regression)
            if order == "linear"
            else _boosted(order, X, rows, costs, budget, seed, regression)
        )
        return purchases(costs, chosen, budget, rest=True)
    return purchases(costs, _given(order, X, rows, costs, budget, seed), budget)


def _boosted(
    rule: str, X: Any, rows: Rows, costs: Costs, budget: float, seed: int, regression: bool
) -> list[int]:
    learner = BudgetedBoostingRegressor if regression else BudgetedBoostingClassifier
    model = learner(costs, budget, rule=rule, n_rounds=_ROUNDS, random_state=seed)
    return list(model.fit(X, rows.y, rows.weights).plan_.items)


def _linear(rows: Rows, columns: Any, costs: Costs, budget: float, regression: bool) -> list[int]:
    """The order of a linear model, to which a category is a group of flags."""
    learner: Any = SequencedRegressor if regression else SequencedClassifier
    preparation = learn_encoding(rows.table, columns, learner(), "standard", fill=True).preparation
    table = preparation.table(rows.table, np.arange(len(rows.table)))
    of = [np.flatnonzero(preparation.source == c).tolist() for c in range(len(columns))]
    wide = tuple(tuple(flag for c in own for flag in of[c]) for own in costs.columns)
    model = learner(replace(costs, columns=wide, column_names=None), budget=budget)
    return list(model.fit(table, rows.y, sample_weight=rows.weights).plan_.items)


def _given(order: Any, X: Any, rows: Rows, costs: Costs, budget: float, seed: int) -> list[int]:
    """The items of a list, of a plan, or of a plan that is made now."""
    if isinstance(order, Predictor):
        return _by_name(order.plan, costs)
    if isinstance(order, PricedPlan):
        return _by_name(order, costs)
    if hasattr(type(order), "predictor_"):
        if "plan_" in vars(order):
            return _by_name(order.plan_, costs)
        model = clone(order).set_params(costs=costs)
        if "budget" in model.get_params(deep=False) and model.budget is None:
            model.set_params(budget=budget)
        weights = {} if rows.weights is None else {"sample_weight": rows.weights}
        return list(seeded(model, seed).fit(X, rows.y, **weights).plan_.items)
    if hasattr(order, "fit"):
        raise TypeError(
            f"order is a {type(order).__name__}, which buys nothing; expected an estimator of "
            "scrimp, a list of items or the name of a rule."
        )
    return [_item(entry, costs) for entry in order]


def _by_name(plan: PricedPlan, costs: Costs) -> list[int]:
    return [_item(plan.costs.names[item], costs) for item in plan.items]


def _item(entry: Any, costs: Costs) -> int:
    """An item by its name or its number."""
    if isinstance(entry, str) and entry in costs.names:
        return costs.names.index(entry)
    number = isinstance(entry, int | np.integer) and not isinstance(entry, bool)
    if number and 0 <= entry < costs.n_items:
        return int(entry)
    raise ValueError(
        f"order names {entry!r}, which is no item; expected a number below {costs.n_items} or one "
        f"of {list(costs.names[:20])}."
    )
