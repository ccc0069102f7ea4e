"""Invariants 4, 5, 6 and 8: what answers depend on, and what they do not depend on."""

import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrimp.checks.driving import feed
from scrimp.costs.ledger import Ledger
from scrimp.plans import plan_from_parts

from .handmade import KINDS, NAMES, clinic, predictor, wrap
from .strategies import any_costs, problems, quick, rows_for

kinds = pytest.mark.parametrize("kind", KINDS)
pytestmark = pytest.mark.filterwarnings("ignore:The cheapest purchase")


def same(one, other):
    np.testing.assert_array_equal(one.scores, other.scores)
    np.testing.assert_array_equal(one.spent, other.spent)


@kinds
@quick
@given(costs=any_costs())
def test_without_money_or_free_items_the_answer_is_the_prior(kind, costs):
    costs = replace(costs, prices=tuple(max(price, 0.1) for price in costs.prices))
    model = predictor(kind, costs)
    plan = model.plan.plan
    scores, spent = model.answer(rows_for(model), 0.0)
    prior = plan.read(plan.start(np.zeros(1, np.uint64), Ledger(costs, [0.0])))
    np.testing.assert_array_equal(scores, np.repeat(prior, len(scores), axis=0))
    assert not spent.any()


@kinds
@quick
@given(costs=any_costs())
def test_where_all_is_free_no_money_is_needed(kind, costs):
    model = predictor(kind, replace(costs, prices=(0.0,) * costs.n_items))
    sweep = model.sweep(rows_for(model), [0.0, np.inf])
    np.testing.assert_array_equal(sweep.scores[:, 0], sweep.scores[:, 1])
    assert not sweep.spent.any()


@pytest.mark.parametrize("kind", ["additive", "sampled", "routed", "menu", "additive-mean"])
def test_a_free_item_is_used_without_money(kind):
    model = predictor(kind, clinic(age=0.0))
    for row in rows_for(model):
        assert feed(model.session(0.0), row, NAMES).bought == ("age",)


@kinds
@quick
@given(costs=any_costs())
def test_no_budget_is_any_budget_that_pays_for_all(kind, costs):
    model = predictor(kind, costs)
    price = model.plan.price
    sweep = model.sweep(rows_for(model), [price, 2 * price, np.inf])
    for position in (0, 1):
        np.testing.assert_array_equal(sweep.scores[:, position], sweep.scores[:, 2])
        np.testing.assert_array_equal(sweep.spent[:, position], sweep.spent[:, 2])


@kinds
@quick
@given(problem=problems(), garbage=st.sampled_from([np.nan, np.inf, -np.inf, 1e300]))
def test_columns_that_were_not_bought_have_no_influence(kind, problem, garbage):
    costs, budgets = problem
    model = predictor(kind, costs)
    X = rows_for(model)
    hidden = np.full_like(X, garbage)
    for key, row in enumerate(X):
        session = feed(model.session(budgets[0], key=key), row, NAMES)
        bought = [costs.names.index(name) for name in session.bought]
        seen = [column for item in bought for column in costs.columns[item]]
        hidden[key, seen] = row[seen]
    same(model.sweep(X, [budgets[0]]), model.sweep(hidden, [budgets[0]]))


def permuted(model, order, items):
    """The same plan on columns and items in another order."""
    place, item_place = np.argsort(order), np.argsort(items)
    header, arrays = model.plan.plan.parts()
    moved = dict(arrays)
    for name, values in arrays.items():
        folder, _, own = name.rpartition("/")
        prepared = f"{folder}/prepare/source" in arrays  # then a column is one of these
        if own in ("columns", "source", "step_column") or (own == "column" and not prepared):
            moved[name] = np.where(values >= 0, place[values], values)
        if name.split("/")[-1] == "stage_items":
            moved[name] = item_place[values].astype(np.int64)
    costs = model.costs
    columns = tuple(tuple(int(place[c]) for c in costs.columns[i]) for i in items)
    requires = tuple(tuple(int(item_place[r]) for r in costs.requires[i]) for i in items)
    names, prices = (tuple(part[i] for i in items) for part in (costs.names, costs.prices))
    costs = type(costs)(names, prices, columns, requires)
    return wrap(plan_from_parts(model.plan.plan.kind, header, moved), costs)


@kinds
@quick
@given(problem=problems(), seed=st.integers(0, 99))
def test_the_order_of_columns_and_items_does_not_matter(kind, problem, seed):
    costs, budgets = problem
    model = predictor(kind, costs)
    rng = np.random.default_rng(seed)
    order, items = rng.permutation(len(NAMES)), rng.permutation(costs.n_items)
    X = rows_for(model)
    other = permuted(model, order, items)
    same(model.sweep(X, budgets), other.sweep(X[:, order], budgets))


@kinds
def test_a_plan_is_its_parts(kind):
    model = predictor(kind, clinic())
    header, arrays = model.plan.plan.parts()
    header = json.loads(json.dumps(header))
    arrays = {name: np.array(values) for name, values in arrays.items()}
    again = wrap(plan_from_parts(model.plan.plan.kind, header, arrays), clinic())
    X = rows_for(model)
    same(model.sweep(X, np.linspace(0, 60, 13)), again.sweep(X, np.linspace(0, 60, 13)))


@kinds
def test_a_row_does_not_depend_on_the_rows_beside_it(kind):
    model = predictor(kind, clinic())
    X = rows_for(model)
    for dtype in (np.float64, np.float32):
        table = X.astype(dtype)
        whole = model.answer(table, 9.0)
        for key, row in enumerate(table):
            alone = model.answer(row[None], 9.0, keys=[key])
            np.testing.assert_array_equal(alone[0][0], whole[0][key])
            assert alone[1][0] == whole[1][key]


def test_an_unknown_kind_of_plan_is_refused():
    with pytest.raises(ValueError, match=r"unknown kind of plan 'magic'; expected one of \['addit"):
        plan_from_parts("magic", {}, {})
