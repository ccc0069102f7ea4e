"""The order in which items are bought: by a rule, a plan or a list."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import accumulate
from typing import Any

import numpy as np
from sklearn.base import clone

from ..costs.costs import Costs, as_costs
from ..costs.shopper import Shopper
from ..data.columns import Columns
from ..data.encoding import Encoder
from ..data.training_rows import TrainingRows, seeded
from ..plans.priced_plan import PricedPlan
from ..runtime.predictor import Predictor
from .boosting import BudgetedBoostingClassifier, BudgetedBoostingRegressor
from .boosting.rules import RULES
from .linear import SequencedClassifier, SequencedRegressor

#: Names of orders.
ORDERS = (*RULES, "linear")
#: Rounds of the boosting whose purchases are followed: enough for each useful column to come up.
_ROUNDS = 200


def check_order(order: Any) -> None:
    """Refuse what names no order."""
    if isinstance(order, str) and order not in ORDERS:
        raise ValueError(
            f"order is {order!r}; expected one of {', '.join(map(repr, ORDERS))}, a list of items, "
            "a scrimp estimator or None."
        )


def refit_costs(costs: Any, order: Any, columns: Columns) -> Costs:
    """Return the prices of a refit: its own, or those of its order where it has none.

    Raises
    ------
    ValueError
        If both have prices, and these differ.
    """
    of_order = _prices_of(order)
    bound = as_costs(of_order if costs is None else costs, len(columns), columns.names)
    is_estimator = hasattr(type(order), "predictor_")
    if costs is None or of_order is None or not is_estimator:
        return bound
    if price_table(as_costs(of_order, len(columns), columns.names)) != price_table(bound):
        raise ValueError(
            f"costs and the costs of order, a {type(order).__name__}, differ; expected one price "
            "list. Give costs to one of the two, or the same to both; order=[...], a list of "
            "items, has no prices of its own."
        )
    return bound


def _prices_of(order: Any) -> Any:
    """Return the prices that a plan, a model or an estimator comes with, or None."""
    if isinstance(order, Predictor | PricedPlan):
        return order.costs
    if not hasattr(type(order), "predictor_"):
        return None
    params = order.get_params(deep=False)
    within = (params.get("estimator"), params.get("order"))
    given = (params.get("costs"), *map(_prices_of, within))
    prices = next((costs for costs in given if costs is not None), None)
    return order.plan_.costs if prices is not None and "plan_" in vars(order) else prices


def price_table(costs: Costs) -> dict[str, Any]:
    """Return the price, the columns and the requirements of each item by its name."""
    return {
        name: (price, set(columns), {costs.names[item] for item in requires})
        for name, price, columns, requires in zip(
            costs.names, costs.prices, costs.columns, costs.requires, strict=True
        )
    }


def learn_order(
    order: Any, X: Any, rows: TrainingRows, costs: Costs, budget: float, seed: int,
    regression: bool,
) -> list[list[int]]:  # fmt: skip
    """Return purchases one after the other, each with what is then free.

    A named order has all items that the budget can pay for: those that its rule does not
    want come last, the cheapest first. Lists and plans are followed as they are.
    """
    order = "smoothed" if order is None else order
    if isinstance(order, str):
        chosen = (
            _linear(rows, costs, budget, regression)
            if order == "linear"
            else _boosted(order, X, rows, costs, budget, seed, regression)
        )
        return purchases(costs, chosen, budget, rest=True)
    return purchases(costs, _given(order, X, rows, costs, budget, seed), budget)


def _boosted(
    rule: str, X: Any, rows: TrainingRows, costs: Costs, budget: float, seed: int, regression: bool
) -> list[int]:
    learner = BudgetedBoostingRegressor if regression else BudgetedBoostingClassifier
    model = learner(costs, budget, rule=rule, n_rounds=_ROUNDS, random_state=seed, combine="vote")
    return list(model.fit(X, rows.y, rows.weights).plan_.items)


def _linear(rows: TrainingRows, costs: Costs, budget: float, regression: bool) -> list[int]:
    """Return the order of a linear model of standardised columns, and of indicators."""
    learner: Any = SequencedRegressor if regression else SequencedClassifier
    encoding = Encoder(fill=True, standardise=True).fit(rows.table, rows.columns)
    model = learner(costs.prepared(encoding.preparation.source), budget=budget)
    table = encoding.table(rows.table)
    return list(model.fit(table, rows.y, sample_weight=rows.weights).plan_.items)


def _given(
    order: Any, X: Any, rows: TrainingRows, costs: Costs, budget: float, seed: int
) -> list[int]:
    """Return the items of a list, of a fitted plan, or of an estimator that is fitted now."""
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
    """Return the position of an item given by its name or number."""
    if isinstance(entry, str) and entry in costs.names:
        return costs.names.index(entry)
    number = isinstance(entry, int | np.integer) and not isinstance(entry, bool)
    if number and 0 <= entry < costs.n_items:
        return int(entry)
    raise ValueError(
        f"order names {entry!r}, which is no item; expected a number below {costs.n_items} or one "
        f"of {list(costs.names[:20])}."
    )


def purchases(
    costs: Costs, order: Iterable[int], budget: float, rest: bool = False
) -> list[list[int]]:
    """Return items that bring columns in the order bought, in groups paid for at once.

    What an item requires comes before it. An item that costs nothing more is taken at once.

    Parameters
    ----------
    costs : Costs
        Prices and requirements.
    order : iterable of int
        Items that are wanted, the first first.
    budget : float
        The first item that is too dear ends the order.
    rest : bool
        Whether all other items follow, the cheapest first, and those too dear are passed over.
    """
    shopper = Shopper(costs, budget)
    groups = _bought(shopper, _with_required(costs, order), skip=False)
    if rest:
        left = (item for item in range(costs.n_items) if item not in shopper.ledger.owned)
        by_price = sorted(left, key=lambda item: costs.price_of([item]))
        groups += _bought(shopper, _with_required(costs, by_price), skip=True)
    return groups


def _with_required(costs: Costs, order: Iterable[int]) -> list[int]:
    """Return each item after those it requires, without fees, which come with what needs them."""
    return [item for item in costs.closure(order) if costs.columns[item]]


def _bought(shopper: Shopper, order: list[int], skip: bool) -> list[list[int]]:
    costs, ledger = shopper.costs, shopper.ledger
    todo = dict.fromkeys(item for item in order if item not in ledger.owned)
    requiring = [item for item in todo if len(costs.closures[item]) > 1]
    groups: list[list[int]] = []
    free = [item for item in todo if costs.price_of([item]) == 0]
    while todo:
        if free:
            groups += [] if groups else [[]]
            groups[-1] += free
            bought = free
        elif ledger.can_pay([item := next(iter(todo))]):
            groups.append([item])
            bought = [item]
        elif skip:
            del todo[item]
            continue
        else:
            break
        shopper.buy(bought)
        for item in bought:
            del todo[item]
        free = [i for i in requiring if i in todo and shopper.prices[i] == 0]
    return groups


def ends_of(groups: list[list[int]]) -> list[int]:
    """Return how many items have been bought after each purchase."""
    return list(accumulate(map(len, groups)))
