"""More than two classes: the same promises, one score a class."""

from __future__ import annotations

from decimal import Decimal, localcontext
from functools import partial

import numpy as np
import polars as pl
import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from scrimp import (
    BudgetedBoostingClassifier,
    SampledBoostingClassifier,
    at_budget,
    load,
    save,
)
from scrimp.learners.boosting.rules import RULES
from scrimp.runtime.events import listening

#: The paper's own vote.
VoteClassifier = partial(BudgetedBoostingClassifier, combine="vote")

PRICES = np.array([1.0, 4.0, 2.0, 0.5, 3.0, 8.0])
BUDGETS = [0.5, 2.0, 5.0, 12.0, 18.5]


@pytest.fixture
def table():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(400, 6))
    value = X[:, 0] + X[:, 1] - X[:, 2] + 0.3 * rng.normal(size=400)
    return X, np.array(["ill", "none", "some", "well"])[np.digitize(value, [-1.5, 0.0, 1.5])]


@parametrize_with_checks(
    [VoteClassifier(rule="speedboost", n_rounds=15)],
    expected_failed_checks=lambda _: {"check_class_weight_classifiers": "stumps have two sides"},
)
def test_is_a_scikit_learn_estimator(estimator, check):
    assert estimator.__sklearn_tags__().classifier_tags.multi_class
    check(estimator)


def test_there_is_a_score_a_class_and_they_sum_to_zero(table):
    X, y = table
    model = VoteClassifier(PRICES, rule="edge", n_rounds=100).fit(X, y)
    scores = model.decision_function(X)
    assert scores.shape == (400, 4)
    np.testing.assert_allclose(scores.sum(axis=1), 0.0, atol=1e-9)
    assert (model.predict(X) == model.classes_[scores.argmax(axis=1)]).all()
    odds = np.log(model.predict_proba(X))
    np.testing.assert_allclose(
        3.0 * (odds - odds.mean(axis=1, keepdims=True)), scores, rtol=1e-9, atol=1e-9
    )
    assert model.score(X, y) > 1.5 * max((y == label).mean() for label in model.classes_)


def test_without_money_the_answer_is_the_shares_of_the_classes(table):
    X, y = table
    weight = np.random.default_rng(0).uniform(size=400)
    model = VoteClassifier(PRICES, n_rounds=5).fit(X, y, weight)
    shares = [weight[y == label].sum() / weight.sum() for label in model.classes_]
    with pytest.warns(UserWarning, match="so nothing is bought and the answer is the prior"):
        np.testing.assert_allclose(model.predict_proba(X[:1], budget=0.1)[0], shares)
    with pytest.warns(UserWarning, match="No column has an edge"):
        nothing = VoteClassifier().fit(np.ones((6, 2)), [0, 0, 0, 1, 1, 2])
    np.testing.assert_allclose(nothing.predict_proba([[1.0, 1.0]]), [[1 / 2, 1 / 3, 1 / 6]])


def test_no_row_spends_more_and_sessions_say_the_same(table):
    X, y = table
    model = VoteClassifier(PRICES, n_rounds=60).fit(X, y)
    sweep = model.sweep(X, BUDGETS)
    assert (sweep.spent <= np.array(BUDGETS) * (1 + 1e-9)).all()
    for row in range(20):
        for at, budget in enumerate(BUDGETS):
            session = model.session(budget)
            while (request := session.ask()) is not None:
                session.tell({name: X[row, int(name[1:])] for name in request.columns})
            answer = session.read()
            assert answer.label == sweep.labels()[row, at]
            assert answer.spent == sweep.spent[row, at]


@pytest.mark.parametrize("unaffordable", ["skip", "stop"])
@pytest.mark.parametrize("budget", [None, [3.0, 10.5]])
def test_certain_keeps_the_labels_and_spends_less(table, unaffordable, budget):
    X, y = table
    model = VoteClassifier(PRICES, budget, rule="edge", n_rounds=40, unaffordable=unaffordable)
    plain = model.fit(X, y).sweep(X, BUDGETS)
    certain = model.sweep(X, BUDGETS, stop="certain")
    assert (plain.labels() == certain.labels()).all()
    assert (certain.spent <= plain.spent).all()
    assert certain.spent.sum() < plain.spent.sum()


def test_a_list_of_budgets_is_one_training_each(table):
    X, y = table
    menu = VoteClassifier(PRICES, budget=[7.0, 2.0], n_rounds=40).fit(X, y)
    for budget in (2.0, 7.0):
        alone = VoteClassifier(PRICES, budget=budget, n_rounds=40).fit(X, y)
        np.testing.assert_array_equal(
            menu.decision_function(X, budget=budget), alone.decision_function(X)
        )


@pytest.mark.parametrize("rule", list(RULES))
def test_a_run_that_stops_is_a_prefix_of_the_run_with_more_money(table, rule):
    X, y = table
    options = {"rule": rule, "unaffordable": "stop", "n_rounds": 60}
    rich = VoteClassifier(PRICES, budget=15.0, **options).fit(X, y)
    poor = VoteClassifier(PRICES, budget=5.0, **options).fit(X, y)
    assert 0 < len(poor.edges_) < 60
    np.testing.assert_array_equal(poor.edges_, rich.edges_[: len(poor.edges_)])
    np.testing.assert_array_equal(poor.decision_function(X), rich.decision_function(X, budget=5.0))


def test_a_model_file_answers_the_same(table, tmp_path):
    X, y = table
    X = X.copy()
    X[::7, 1] = np.nan
    model = VoteClassifier(PRICES, budget=[2.0, 9.0], n_rounds=20).fit(X, y)
    save(model, tmp_path / "m.scrimp")
    loaded = load(tmp_path / "m.scrimp")
    for budget in (*BUDGETS, None):
        np.testing.assert_array_equal(
            loaded.predict_proba(X, budget), model.predict_proba(X, budget)
        )
    assert (at_budget(loaded, 2.0).predict(X) == model.predict(X, budget=2.0)).all()


def test_an_interrupted_fit_is_a_valid_model(table):
    X, y = table

    def interrupt(event):
        if event.done == 7:
            raise KeyboardInterrupt

    model = VoteClassifier(PRICES, n_rounds=100)
    with listening(interrupt), pytest.raises(KeyboardInterrupt):
        model.fit(X, y)
    short = VoteClassifier(PRICES, n_rounds=7).fit(X, y)
    np.testing.assert_array_equal(model.decision_function(X), short.decision_function(X))


def test_the_threads_do_not_matter():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60_000, 9))  # enough cells and blocks for two threads
    y = np.digitize(X[:, 0] + X[:, 1] * X[:, 2], [-1.0, 0.0, 1.0])
    one, two = (
        VoteClassifier(n_rounds=12, n_jobs=jobs, random_state=0).fit(X, y) for jobs in (1, 2)
    )
    np.testing.assert_array_equal(one.decision_function(X), two.decision_function(X))


def test_weights_count_as_copies_of_rows(table):
    X, y = table
    copies = np.random.default_rng(0).integers(0, 4, size=400)
    model = VoteClassifier(PRICES, n_rounds=30)
    weighted = model.fit(X, y, sample_weight=copies).decision_function(X)
    repeated = model.fit(np.repeat(X, copies, axis=0), np.repeat(y, copies)).decision_function(X)
    np.testing.assert_allclose(weighted, repeated, rtol=1e-8, atol=1e-8)


def test_classes_without_weight_are_not_there(table):
    X, y = table
    two = np.isin(y, ["ill", "well"])
    model = VoteClassifier(PRICES, n_rounds=20).fit(X, y, sample_weight=two)
    alone = VoteClassifier(PRICES, n_rounds=20).fit(X[two], y[two])
    assert model.classes_.tolist() == ["ill", "well"]
    np.testing.assert_array_equal(model.decision_function(X), alone.decision_function(X))
    with pytest.raises(
        ValueError, match=r"one class only, \['ill'\].*expected two classes or more"
    ):
        model.fit(X, y, sample_weight=y == "ill")


def test_missing_values_and_categories_vote_for_classes():
    kind = ["a", "b", None, "c"] * 10
    y = ["one", "two", "three", "three"] * 10
    frame = pl.DataFrame({"kind": kind, "noise": np.arange(40) % 3 * 1.0})
    model = VoteClassifier(n_rounds=5).fit(frame, y)
    assert model.predict(frame).tolist() == y
    assert {purchase.item for purchase in model.plan_.summary()} == {"kind"}


def test_a_missing_value_abstains_where_training_had_none(table):
    X, y = table
    model = VoteClassifier(PRICES, n_rounds=20).fit(X, y)
    row = np.full((1, 6), np.nan)
    shares = [(y == label).mean() for label in model.classes_]
    np.testing.assert_allclose(model.predict_proba(row)[0], shares)


def test_presence_tells_classes_apart():
    x = np.array([np.nan] * 10 + [5.0] * 12 + [np.nan] * 3)
    y = np.array([2] * 10 + [0] * 12 + [1] * 3)
    model = VoteClassifier(n_rounds=1).fit(x[:, None], y)
    assert model.predict([[np.nan], [5.0]]).tolist() == [2, 0]
    assert model.edges_ == pytest.approx([(3 * 22 / 25 - 1) / 2])


def test_many_bins_and_many_classes():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(3000, 4))
    y = np.digitize(X[:, 0], np.linspace(-2, 2, 39))
    model = VoteClassifier(n_rounds=40, max_bins=1000, rule="edge").fit(X, y)
    assert model.decision_function(X).shape == (3000, 40)
    assert set(model.plan_.plan.stumps.column[:10]) == {0}


def test_its_vote_can_be_sampled(table):
    X, y = table
    model = SampledBoostingClassifier(PRICES, n_rounds=20, random_state=0, combine="vote").fit(X, y)
    full = VoteClassifier(PRICES, rule="edge", n_rounds=20).fit(X, y)
    np.testing.assert_array_equal(model.predict(X), full.predict(X))
    assert model.spend(X, budget=5.0).max() <= 5.0


def log_z(edge, n_classes):
    """ln Z to fifty digits."""
    g, K = Decimal(edge), Decimal(n_classes)
    return ((K - 1) * (1 - g).ln() + (1 + (K - 1) * g).ln()) / K


@pytest.mark.parametrize("n_classes", [2, 3, 26, 1000])
def test_gains_are_right_to_rounding(n_classes):
    edges = np.append(np.geomspace(1e-11, 0.9, 300), 1.0 - np.geomspace(1e-9, 0.09, 50))
    prices, ones = np.ones_like(edges), {}
    for name in ("edge", "greedy", "speedboost"):
        ones[name] = RULES[name][0].quality(edges, prices, 0.0, n_classes)
        assert (np.diff(ones[name][np.argsort(edges)]) > 0).all()
    with localcontext() as context:
        context.prec = 50
        logs = [log_z(edge, n_classes) for edge in edges.tolist()]
        falls = [float(-2 * log) for log in logs]
        losses = [float(1 - log.exp()) for log in logs]
    # for two classes they speak of edges squared, which are rounded where they are near 1
    rtol = 1e-9 if n_classes == 2 else 1e-12
    np.testing.assert_allclose(ones["greedy"], falls, rtol=rtol)
    np.testing.assert_allclose(ones["speedboost"], losses, rtol=rtol)
    np.testing.assert_array_equal(ones["edge"], edges)
