"""Invariants 1, 2 and 7: nobody overspends, nothing is paid twice, currencies do not matter."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrimp.checks.driving import feed, price_of
from scrimp.costs.ledger import within

from .handmade import CERTAIN, KINDS, NAMES, clinic, predictor
from .strategies import problems, quick, rows_for

#: Sums of many histories are formed in another order than those of one.
ROUNDING = 1e-12
kinds = pytest.mark.parametrize("kind", KINDS)
pytestmark = pytest.mark.filterwarnings("ignore:The cheapest purchase")


@kinds
@quick
@given(problem=problems())
def test_no_row_spends_more_than_its_budget(kind, problem):
    costs, budgets = problem
    model = predictor(kind, costs)
    sweep = model.sweep(rows_for(model), budgets)
    assert sweep.spent.shape == (6, len(budgets))
    for budget, spent in zip(budgets, sweep.spent.T, strict=True):
        assert all(within(row, budget) for row in spent)


@kinds
@quick
@given(problem=problems(), stop=st.sampled_from([None, "certain"]))
def test_an_item_is_paid_at_most_once(kind, problem, stop):
    costs, budgets = problem
    model = predictor(kind, costs)
    stop = stop if kind in CERTAIN else None
    for key, row in enumerate(rows_for(model)):
        session = feed(model.session(budgets[0], key=key, stop=stop), row, NAMES)
        assert len(set(session.bought)) == len(session.bought)
        assert session.spent == price_of(costs, session.bought)
        assert within(session.spent, budgets[0])
        bought = {costs.names.index(name) for name in session.bought}
        assert bought == set(costs.closure(bought))


@kinds
@quick
@given(problem=problems(), power=st.integers(-40, 20))
def test_another_currency_changes_nothing(kind, problem, power):
    costs, budgets = problem
    factor = 2.0**power
    scaled = replace(costs, prices=tuple(factor * price for price in costs.prices))
    one, other = predictor(kind, costs), predictor(kind, scaled)
    X = rows_for(one)
    mine = one.sweep(X, budgets)
    theirs = other.sweep(X, [factor * budget for budget in budgets])
    np.testing.assert_array_equal(mine.scores, theirs.scores)
    np.testing.assert_array_equal(factor * mine.spent, theirs.spent)


@kinds
@quick
@given(problem=problems())
def test_a_sweep_equals_one_predict_after_the_other(kind, problem):
    costs, budgets = problem
    model = predictor(kind, costs)
    X = rows_for(model)
    sweep = model.sweep(X, [*budgets, np.inf])
    for position, budget in enumerate([*budgets, np.inf]):
        scores, spent = model.answer(X, budget)
        np.testing.assert_allclose(scores, sweep.scores[:, position], rtol=0, atol=ROUNDING)
        np.testing.assert_array_equal(model.target.labels(scores), sweep.labels()[:, position])
        np.testing.assert_array_equal(spent, sweep.spent[:, position])


@kinds
@quick
@given(problem=problems(), data=st.data())
def test_each_row_may_have_its_own_budget(kind, problem, data):
    costs, budgets = problem
    model = predictor(kind, costs)
    X = rows_for(model)
    choice = st.integers(0, len(budgets) - 1)
    which = data.draw(st.lists(choice, min_size=len(X), max_size=len(X)))
    scores, spent = model.answer(X, np.array(budgets)[which])
    sweep = model.sweep(X, budgets)
    np.testing.assert_allclose(
        scores, sweep.scores[np.arange(len(X)), which], rtol=0, atol=ROUNDING
    )
    np.testing.assert_array_equal(spent, sweep.spent[np.arange(len(X)), which])


@kinds
def test_more_money_is_not_spent_on_nothing(kind):
    model = predictor(kind, clinic())
    spent = model.sweep(rows_for(model), np.linspace(0, 60, 61)).spent
    assert spent.max() <= model.plan.price
    assert (spent[:, -1] > 0).all()
