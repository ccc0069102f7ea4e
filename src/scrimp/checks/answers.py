"""Checks of answers: what they depend on, and what they must not depend on."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..learners.at_budget import at_budget
from .cases import COLUMNS, Case
from .driving import feed
from .running import assert_same, on_cases, scores_of

GARBAGE = (np.nan, np.inf, -np.inf, 1e300)


@on_cases
def check_prior_without_money(estimator: Any, case: Case) -> None:
    """With no money and no free item, the answer is the same for all rows."""
    dear = case.with_prices(lambda price: max(price, 0.1))
    model = dear.fit(estimator)
    assert not model.spend(case.X, 0.0).any(), "spends with a budget of 0."
    scores = scores_of(model, case.X, 0.0)
    assert_same(scores, np.broadcast_to(scores[0], scores.shape), "rows differ without money")
    assert not model.session(0.0).bought, "buys with a budget of 0."


@on_cases
def check_free_items_are_used(estimator: Any, case: Case) -> None:
    """What costs nothing is bought without money."""
    model, costs = case.fit(estimator), case.costs
    stages = (needs for needs in model.plan_.needs if costs.price_of(needs) == 0)
    free = {costs.names[item] for needs in stages for item in needs}
    for key, row in enumerate(case.X[:3]):
        unused = free - set(feed(model.session(0.0, key=key), row, COLUMNS).bought)
        assert not unused, f"the free items {sorted(unused)} are not used."
    gifts = case.with_prices(lambda price: 0.0)
    model = gifts.fit(estimator)
    without = scores_of(model, case.X, 0.0)
    assert_same(without, scores_of(model, case.X), "where all is free, money changes the answer")


@on_cases
def check_no_budget_is_the_full_price(estimator: Any, case: Case) -> None:
    """No budget gives what any budget gives that pays for all the plan may buy."""
    model = case.fit(estimator)
    price = case.costs.price_of(model.plan_.items)
    for budget in (price, 2.0 * price):
        one, other = scores_of(model, case.X, budget), scores_of(model, case.X)
        assert_same(one, other, f"a budget of {budget} pays for all and changes the answer")
        assert_same(model.spend(case.X, budget), model.spend(case.X), "the spend differs")


@on_cases
def check_unbought_columns_are_ignored(estimator: Any, case: Case) -> None:
    """Columns that were not bought may hold anything."""
    model, costs = case.fit(estimator), case.costs
    X = case.X[:6]
    for budget in (*case.budgets, 0.0):
        for garbage in GARBAGE:
            hidden = np.full_like(X, garbage)
            for key, row in enumerate(X):
                session = feed(model.session(budget, key=key), row, COLUMNS)
                bought = [costs.names.index(name) for name in session.bought]
                seen = [column for item in bought for column in costs.columns[item]]
                hidden[key, seen] = row[seen]
            one, other = scores_of(model, X, budget), scores_of(model, hidden, budget)
            assert_same(one, other, f"columns that were not bought, full of {garbage}, matter")
            assert_same(model.spend(X, budget), model.spend(hidden, budget), "the spend differs")


@on_cases
def check_column_order(estimator: Any, case: Case) -> None:
    """Columns in another order, prices with them, change nothing but names."""
    order = case.rng.permutation(len(COLUMNS))
    other = case.permuted(order)
    ours, theirs = case.fit(estimator), other.fit(estimator)
    for budget in (*case.budgets, None):
        one, two = scores_of(ours, case.X, budget), scores_of(theirs, other.X, budget)
        assert_same(one, two, f"the order {order} of columns changes the answer", rtol=1e-9)
        assert_same(ours.spend(case.X, budget), theirs.spend(other.X, budget), "the spend differs")


@on_cases
def check_sweep_equals_predicts(estimator: Any, case: Case) -> None:
    """A sweep over budgets gives what one prediction after the other gives: numbers to rounding."""
    model = case.fit(estimator)
    budgets = [*case.budgets, 0.0, np.inf]
    sweep = model.sweep(case.X, budgets)
    for position, budget in enumerate([*case.budgets, 0.0, None]):
        one, other = sweep.labels()[:, position], model.predict(case.X, budget)
        if sweep.target.is_number:
            assert_same(one, other, f"the answers at a budget of {budget} differ", rtol=1e-9)
        else:
            np.testing.assert_array_equal(one, other, f"at a budget of {budget}")
        spent = model.spend(case.X, budget)
        assert_same(sweep.spent[:, position], spent, f"the spend at a budget of {budget} differs")


@on_cases
def check_at_budget(estimator: Any, case: Case) -> None:
    """The model at one budget, with a plain predict, does what the model does."""
    model = case.fit(estimator)
    for budget in (*case.budgets, None):
        plain = at_budget(model, budget)
        np.testing.assert_array_equal(
            plain.predict(case.X), model.predict(case.X, budget), f"at a budget of {budget}"
        )
        if hasattr(model, "predict_proba"):
            expected = model.predict_proba(case.X, budget)
            assert_same(plain.predict_proba(case.X), expected, f"at a budget of {budget}")
