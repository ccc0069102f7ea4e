"""The budgeted regressor: its naive twin, its theorem, contracts, options and bad input."""

from __future__ import annotations

import warnings
from functools import partial

import numpy as np
import polars as pl
import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from scrimp import BudgetedBoostingRegressor, check_budgeted_estimator, load, save
from scrimp.runtime.events import listening
from tests.learners.boosting.test_naive_twin import costs_of
from tests.naive.budgeted_regression import naive_predict, naive_regress

#: The paper's own vote.
VoteRegressor = partial(BudgetedBoostingRegressor, combine="vote")
#: What a part of it cannot keep.
PARTS_OF_A_VOTE = ["check_no_worse_than_prior"]

LOSSES = ["squared", "absolute"]
RULES = ["edge", "greedy", "smoothed", "speedboost", "hybrid"]


@pytest.fixture
def table():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(300, 6))
    y = 3.0 * X[:, 0] + X[:, 1] ** 2 - X[:, 2] + rng.normal(size=300)
    return X, y, np.array([1.0, 4.0, 2.0, 0.5, 3.0, 8.0])


def make_problem(seed):
    """Numbers, few-valued numbers, missing values, fees, weights."""
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(20, 50)), int(rng.integers(2, 5))
    X = rng.normal(size=(n, d))
    X[:, 0] = np.round(X[:, 0])
    y = 1e3 * (X @ rng.normal(size=d) + rng.normal(size=n)) + 50.0
    if rng.random() < 0.5:
        X[rng.random(X.shape) < 0.15] = np.nan
    prices = rng.uniform(0.1, 2.0, size=d)
    if rng.random() < 0.3:
        prices[rng.integers(d)] = 0.0
    fees = {"fee": (float(rng.uniform(0.1, 2.0)), sorted({0, d - 1}))} if rng.random() < 0.5 else {}
    weight = rng.uniform(0.2, 2.0, size=n) if rng.random() < 0.5 else None
    if weight is not None:
        weight[rng.random(n) < 0.1] = 0.0
    return X, y, prices, fees, weight


def assert_same_rounds(fast, start, steps, X, rate):
    table = fast.plan_.plan.stumps
    assert table.column.tolist() == [step.column for step in steps]
    np.testing.assert_allclose(fast.explained_, [step.share for step in steps], rtol=1e-8)
    np.testing.assert_allclose(table.low, [step.low for step in steps])
    np.testing.assert_allclose(table.high, [step.high for step in steps])
    leaves = np.array([step.leaves for step in steps])
    for k, side in enumerate(("inside", "outside", "missing")):
        votes = getattr(table, side)[:, 0]
        np.testing.assert_allclose(votes, rate * leaves[:, k], rtol=1e-8, atol=1e-9)
    np.testing.assert_allclose(fast.predict(X), naive_predict(start, steps, X, rate), rtol=1e-8)
    assert fast.plan_.plan.base == pytest.approx([start])


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("seed", range(8))
def test_rounds_agree(loss, rule, seed):
    X, y, prices, fees, weight = make_problem(seed)
    costs = costs_of(prices, fees)
    rng = np.random.default_rng(seed)
    budget = float(rng.uniform(0.4, 1.2) * costs.total)
    options = {"rule": rule, "loss": loss, "n_rounds": 20, "learning_rate": [0.3, 1.0][seed % 2]}
    options["unaffordable"] = ["skip", "stop"][seed // 2 % 2]
    start, steps = naive_regress(
        X, y, prices, budget=budget, sample_weight=weight, requires=fees, **options
    )
    fast = VoteRegressor(costs, budget, **options)
    if not steps:
        with pytest.warns(UserWarning, match="every answer is the prior"):
            fast.fit(X, y, sample_weight=weight)
        np.testing.assert_allclose(fast.predict(X), start)
        return
    fast.fit(X, y, sample_weight=weight)
    assert_same_rounds(fast, start, steps, X, options["learning_rate"])
    assert fast.spend(X).max() == pytest.approx(steps[-1].spent, rel=1e-12)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("seed", range(4))
def test_rounds_agree_on_categories(loss, seed):
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, 4, size=60).astype(float)
    codes[rng.random(60) < 0.1] = np.nan
    number = rng.normal(size=60)
    y = 2.0 * (codes == 2) + number + rng.normal(size=60)
    names = [None if np.isnan(c) else "abcd"[int(c)] for c in codes]
    frame = pl.DataFrame({"c": names, "x": number})
    weight = rng.uniform(0.5, 1.5, size=60)
    X = np.column_stack([codes, number])
    start, steps = naive_regress(
        X, y, [1.0, 1.7], loss=loss, n_rounds=15, categorical=[0], sample_weight=weight
    )
    options = {"rule": "greedy", "loss": loss, "n_rounds": 15}
    fast = VoteRegressor({"x": 1.7, "c": 1.0}, **options)
    fast.fit(frame, y, sample_weight=weight)
    table = fast.plan_.plan.stumps
    assert table.column.tolist() == [step.column for step in steps]
    assert 0 in table.column
    np.testing.assert_allclose(fast.predict(frame), naive_predict(start, steps, X, 0.1), rtol=1e-8)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("rate", [0.5, 1.0])
@pytest.mark.parametrize("seed", range(4))
def test_rounds_agree_where_targets_tie(loss, rate, seed):
    X, y, prices, _, _ = make_problem(seed)
    y = np.round(y / 1e3)
    options = {"loss": loss, "n_rounds": 20, "learning_rate": rate}
    start, steps = naive_regress(X, y, prices, **options)
    fast = VoteRegressor(prices, rule="greedy", **options).fit(X, y)
    assert_same_rounds(fast, start, steps, X, rate)


def losses_by_round(model, X, y, measure):
    """The loss after 0, 1, ... rounds, from the plan's own stumps."""
    plan = model.plan_.plan
    scores = np.full(len(X), plan.base[0])
    losses = [measure(y - scores)]
    for t, column in enumerate(plan.stumps.column):
        scores += plan.stumps.votes(t, X[:, column])[:, 0]
        losses.append(measure(y - scores))
    return np.array(losses)


@pytest.mark.parametrize("rule", RULES)
def test_a_full_step_multiplies_the_squared_loss_by_what_is_not_explained(table, rule):
    X, y, prices = table
    X[::7, 0] = np.nan
    model = VoteRegressor(prices, rule=rule, n_rounds=60, learning_rate=1.0)
    model.fit(X, y)
    losses = losses_by_round(model, X, y, lambda r: np.mean(r**2))
    product = np.cumprod(1.0 - model.explained_)
    np.testing.assert_allclose(losses[1:] / losses[0], product, rtol=1e-9)


@pytest.mark.parametrize("rate", [0.1, 1.0])
@pytest.mark.parametrize("loss", LOSSES)
def test_the_training_loss_falls_monotonically(table, loss, rate):
    X, y, prices = table
    model = VoteRegressor(prices, loss=loss, n_rounds=100, learning_rate=rate)
    measure = np.square if loss == "squared" else np.abs
    losses = losses_by_round(model.fit(X, y), X, y, lambda r: measure(r).mean())
    if loss == "squared":
        assert (np.diff(losses) < 0).all()
        shrink = 1.0 - rate * (2.0 - rate) * model.explained_
        np.testing.assert_allclose(losses[1:] / losses[:-1], shrink, rtol=1e-9)
    assert (np.diff(losses) <= 1e-12).all()
    assert losses[-1] < 0.6 * losses[0]


@parametrize_with_checks(
    [
        VoteRegressor(loss="absolute", n_rounds=40, learning_rate=0.5),
        VoteRegressor(budget=[3.0, 20.0], n_rounds=20, learning_rate=0.5),
    ]
)
def test_is_a_scikit_learn_estimator(estimator, check):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        check(estimator)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("budget", [None, [1.0, 2.0]])
def test_keeps_the_budget_contract(loss, budget):
    model = VoteRegressor(budget=budget, loss=loss, n_rounds=15)
    check_budgeted_estimator(model, max_examples=8, exclude=PARTS_OF_A_VOTE)


def test_keeps_the_budget_contract_when_it_stops():
    model = VoteRegressor(unaffordable="stop", rule="edge", n_rounds=15)
    # a run that ends at the first stump too dear does not come to free ones after it
    excluded = ["check_free_items_are_used", *PARTS_OF_A_VOTE]
    check_budgeted_estimator(model, max_examples=8, exclude=excluded)


@pytest.mark.parametrize("loss", LOSSES)
def test_a_missing_value_votes_nothing_where_training_had_none(table, loss):
    X, y, prices = table
    model = VoteRegressor(prices, loss=loss, n_rounds=20).fit(X, y)
    start = np.mean(y) if loss == "squared" else np.median(y)
    assert model.predict(np.full((1, 6), np.nan)) == pytest.approx(start)
    assert not model.plan_.plan.stumps.missing.any()


def test_missing_values_are_a_leaf_of_their_own():
    x = np.array([np.nan] * 10 + [1.0] * 10 + [2.0] * 10)[:, None]
    y = np.repeat([5.0, -1.0, 9.0], 10)
    model = VoteRegressor(learning_rate=1.0).fit(x, y)
    np.testing.assert_allclose(model.predict(x), y)
    assert len(model.explained_) == 1  # nothing but rounding is left
    constant = np.where(np.isnan(x), np.nan, 1.0)
    model.fit(constant, y)
    np.testing.assert_allclose(model.predict(constant), np.repeat([5.0, 4.0, 4.0], 10))


def test_absolute_loss_is_not_moved_by_an_outlier(table):
    X, y, prices = table
    spoilt = y.copy()
    spoilt[0] = 1e6
    one, two = (
        VoteRegressor(prices, loss="absolute", n_rounds=100).fit(X, target)
        for target in (y, spoilt)
    )
    assert np.abs(one.predict(X[1:]) - two.predict(X[1:])).mean() < 0.5


def test_a_median_that_moves_nothing_is_passed_over():
    x = np.array([[0.0, 0.0]] * 5 + [[0.0, 1.0]] * 4 + [[1.0, 1.0]] * 6)
    y = np.array([0.0, 0.0, 0.0, 0.0, 3.0] + [0.0, 0.0, 0.0, 3.0] + [0.0] * 4 + [3.0] * 2)
    with pytest.warns(UserWarning, match="every answer is the prior"):
        model = VoteRegressor(loss="absolute").fit(x, y)
    assert len(model.explained_) == 0
    assert (model.predict(x) == 0.0).all()


@pytest.mark.parametrize("loss", LOSSES)
def test_a_constant_target_is_learnt_without_a_purchase(table, loss):
    X, _, prices = table
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = VoteRegressor(prices, loss=loss).fit(X, np.full(len(X), 0.1))
    assert model.spend(X).max() == 0.0
    np.testing.assert_allclose(model.predict(X), 0.1)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("factor", [2.0**900, 2.0**-900])
def test_the_unit_of_the_target_does_not_matter(table, loss, factor):
    X, y, prices = table
    model = VoteRegressor(prices, loss=loss, n_rounds=30)
    expected = model.fit(X, y).predict(X)
    np.testing.assert_array_equal(model.fit(X, factor * y).predict(X), factor * expected)


@pytest.mark.parametrize("loss", LOSSES)
def test_weights_count_as_repeated_rows(table, loss):
    X, y, prices = table
    times = np.random.default_rng(0).integers(0, 4, size=len(y))
    model = VoteRegressor(prices, loss=loss, n_rounds=30)
    expected = model.fit(np.repeat(X, times, axis=0), np.repeat(y, times)).predict(X)
    np.testing.assert_allclose(model.fit(X, y, sample_weight=times).predict(X), expected)


def test_the_threads_do_not_matter():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60_000, 20)).astype(np.float32)
    y = X[:, 0] + X[:, 1] * X[:, 2] + rng.normal(size=len(X))
    for loss in LOSSES:
        one, two = (
            VoteRegressor(loss=loss, n_rounds=8, n_jobs=j, random_state=0).fit(X, y) for j in (1, 2)
        )
        np.testing.assert_array_equal(one.predict(X), two.predict(X))


def test_many_bins_are_exact():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2000, 2))
    y = np.where(X[:, 0] > 2.2, 4.0, 1.0)
    model = VoteRegressor(max_bins=65_535, learning_rate=1.0).fit(X, y)
    np.testing.assert_allclose(model.predict(X), y)
    assert len(model.explained_) == 1


def test_an_interrupted_fit_is_a_valid_model(table):
    X, y, prices = table

    def interrupt(event):
        if event.done == 7:
            raise KeyboardInterrupt

    model = VoteRegressor(prices, n_rounds=100)
    with listening(interrupt), pytest.raises(KeyboardInterrupt):
        model.fit(X, y)
    short = VoteRegressor(prices, n_rounds=7).fit(X, y)
    np.testing.assert_array_equal(model.predict(X), short.predict(X))


def test_a_list_of_budgets_is_one_training_each(table, tmp_path):
    X, y, prices = table
    menu = VoteRegressor(prices, budget=[7.0, 2.0], n_rounds=40).fit(X, y)
    save(menu, tmp_path / "m.scrimp")
    for budget in (2.0, 7.0):
        alone = VoteRegressor(prices, budget=budget, n_rounds=40).fit(X, y)
        for model in (menu, load(tmp_path / "m.scrimp")):
            np.testing.assert_array_equal(model.predict(X, budget=budget), alone.predict(X))


@pytest.mark.parametrize(
    ("params", "text"),
    [
        ({"rule": "best"}, "rule is 'best'; expected one of 'edge', 'greedy'"),
        ({"loss": "huber"}, "loss is 'huber'; expected one of 'squared', 'absolute'"),
        ({"learning_rate": 0.0}, "learning_rate is 0.0; expected a number > 0 and <= 1"),
        ({"learning_rate": "fast"}, "learning_rate is 'fast'; expected a number"),
        ({"unaffordable": "ignore"}, "unaffordable is 'ignore'"),
        ({"n_rounds": 0}, "n_rounds is 0; expected a whole number >= 1"),
        ({"max_bins": 1}, "max_bins is 1; expected a whole number >= 2 and <= 65535"),
        ({"budget": -1.0}, "budget is -1.0; expected a number >= 0"),
    ],
)
def test_bad_parameters_are_refused(table, params, text):
    X, y, _ = table
    with pytest.raises(ValueError, match=text):
        VoteRegressor(**params).fit(X, y)


def test_bad_targets_and_weights_are_refused(table):
    X, y, _ = table
    with pytest.raises(ValueError, match="expected numbers"):
        VoteRegressor().fit(X, np.where(y > 0, "ill", "well"))
    with pytest.raises(ValueError, match=r"(?i)sample.weight"):
        VoteRegressor().fit(X, y, sample_weight=np.zeros(len(y)))
