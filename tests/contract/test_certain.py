"""stop="certain" keeps every label and never spends more."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrimp.checks.driving import feed
from scrimp.plans import AdditivePlan, MenuPlan, StumpTable
from scrimp.plans.contract import StageTable

from .handmade import AGE, CERTAIN, CHOL, KINDS, NAMES, additive, clinic, predictor, table, wrap
from .strategies import problems, quick


@pytest.mark.parametrize("kind", CERTAIN)
@quick
@given(problem=problems())
def test_labels_stay_and_money_is_saved(kind, problem):
    costs, budgets = problem
    model = predictor(kind, costs)
    X = table(30)
    all_bought = model.sweep(X, [*budgets, np.inf])
    early = model.sweep(X, [*budgets, np.inf], stop="certain")
    np.testing.assert_array_equal(all_bought.labels(), early.labels())
    assert (early.spent <= all_bought.spent).all()


def with_error_costs(model, seed):
    """The model with costs of errors that move its decisions."""
    n = len(model.classes_)
    matrix = np.random.default_rng(seed).integers(0, 9, (n, n)).astype(float)
    np.fill_diagonal(matrix, 0.0)
    matrix[0, 1] += 10.0
    return replace(model, target=replace(model.target, error_costs=matrix))


@pytest.mark.parametrize("kind", CERTAIN)
@quick
@given(problem=problems(), seed=st.integers(0, 10_000))
def test_labels_by_the_costs_of_errors_stay_too(kind, problem, seed):
    costs, budgets = problem
    model = with_error_costs(predictor(kind, costs), seed)
    X = table(30)
    all_bought = model.sweep(X, [*budgets, np.inf])
    early = model.sweep(X, [*budgets, np.inf], stop="certain")
    np.testing.assert_array_equal(all_bought.labels(), early.labels())
    assert (early.spent <= all_bought.spent).all()
    session = feed(model.session(stop="certain"), X[0], NAMES)
    assert session.read().label == all_bought.labels()[0, -1]
    assert session.spent == early.spent[0, -1]


@pytest.mark.parametrize("kind", [kind for kind in CERTAIN if kind != "gam-stop"])
def test_money_is_saved_under_the_costs_of_errors(kind):
    model = with_error_costs(predictor(kind, clinic()), 1)
    X = table(200)
    assert (model.predict(X) != predictor(kind, clinic()).predict(X)).any()
    assert model.spend(X, stop="certain").sum() < model.spend(X).sum()


@pytest.mark.parametrize("kind", CERTAIN)
def test_money_is_in_fact_saved(kind):
    model = predictor(kind, clinic())
    X = table(200)
    assert model.spend(X, stop="certain").sum() < model.spend(X).sum()
    assert (model.predict(X, stop="certain") == model.predict(X)).all()


def stump(column, vote):
    """A stump that votes the same for all rows."""
    votes = np.full((1, 1), vote)
    return StumpTable(np.array([column]), np.array([-np.inf]), np.array([0.0]), *[votes] * 3)


@pytest.mark.parametrize(("prior", "spent"), [(0.5, 0.5), (-0.5, 0.0)])
def test_a_prior_that_says_otherwise_than_the_sums_is_reckoned_with(prior, spent):
    """Who stops before the first vote answers with the prior, so its label must be right too."""
    costs = clinic()
    stages = StageTable(((costs.item_of[AGE],),))
    plan = AdditivePlan(stages, stump(AGE, 1.0), prior=[prior], base=[-10.0])
    for model in (wrap(plan, costs), wrap(MenuPlan([plan]), costs)):
        assert model.predict(table(2)).tolist() == [0, 0]
        assert model.predict(table(2), stop="certain").tolist() == [0, 0]
        assert model.spend(table(2), stop="certain").tolist() == [spent, spent]
        session = feed(model.session(stop="certain"), table(2)[0], NAMES)
        assert session.read().label == 0
        assert session.spent == spent


def test_what_is_owned_still_counts_after_an_early_stop():
    costs = clinic()
    columns = [CHOL, AGE, CHOL]
    votes = np.array([[5.0], [1.0], [2.0]])
    stumps = StumpTable(np.array(columns), np.full(3, -np.inf), np.full(3, np.inf), *[votes] * 3)
    stages = StageTable(tuple((costs.item_of[column],) for column in columns))
    model = wrap(AdditivePlan(stages, stumps, [0.0]), costs)
    session = model.session(stop="certain")
    session.tell({"chol": 0.3})
    assert session.ask() is None
    assert session.read().scores == 7.0
    assert model.answer(table(2), stop="certain")[0].tolist() == [[7.0], [7.0]]


@pytest.mark.parametrize("kind", sorted(set(KINDS) - set(CERTAIN)))
def test_kinds_that_cannot_bound_themselves_say_so(kind):
    model = predictor(kind, clinic())
    text = r"plan cannot bound what is still to come, so stop='certain' is not possible"
    with pytest.raises(TypeError, match=text):
        model.predict(table(3, missing=False), stop="certain")
    with pytest.raises(TypeError, match=text):
        model.session(stop="certain")


def test_a_menu_with_headroom_cannot_bound_itself():
    costs = clinic()
    entry = additive(costs)
    entry.stages = StageTable(entry.stages.items, (1.0,) * len(entry.stages))
    with pytest.raises(TypeError, match="A menu plan cannot bound"):
        wrap(MenuPlan([entry]), costs).predict(table(3), stop="certain")


def test_an_unknown_rule_is_refused():
    model = predictor("additive", clinic())
    with pytest.raises(
        ValueError, match=r"stop is 'soon'; expected one of None, 'none', 'certain'"
    ):
        model.predict(table(2), stop="soon")
