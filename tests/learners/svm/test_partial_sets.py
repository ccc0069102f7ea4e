"""A support vector machine answers from any part of what it buys, and begins at the prior."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.metrics import log_loss, r2_score

from scrimp import BudgetedSVC, BudgetedSVR, Costs, load, save
from scrimp.learners.svm import plan_making

COSTS = Costs.per_feature([1.0, 4.0, 2.0, 8.0])


def least_squares(X, Y, weights, columns, C):
    """Minimise |w|^2 / 2 + C sum of weighted squared errors, by its normal equations."""
    design = np.column_stack([np.ones(len(X)), X[:, columns]])
    penalty = np.diag([0.0, *np.ones(len(columns))])
    heavy = 2.0 * C * design * weights[:, None]
    return design @ np.linalg.solve(design.T @ heavy + penalty, heavy.T @ Y)


@pytest.mark.parametrize("scale", [False, True])
def test_a_part_answers_with_the_least_squares_machine(scale):
    X, y = load_iris(return_X_y=True)
    weights = np.random.default_rng(0).integers(1, 4, len(X)).astype(float)
    model = BudgetedSVC(COSTS, C=0.7, scale=scale).fit(X, y, sample_weight=weights)
    mean = np.average(X, axis=0, weights=weights)
    spread = np.sqrt(np.average((X - mean) ** 2, axis=0, weights=weights))
    Y = np.where(y[:, None] == np.arange(3), 1.0, -1.0)
    table = (X - mean) / spread if scale else X

    def answers(columns):
        return model.decision_function(X, budget=0.0, owned=np.isin(np.arange(4), columns))

    assert model.plan_.plan.stages.items == ((0,), (2,), (1,), (3,))
    for columns in ([1], [2, 3], [1, 3]):
        expected = least_squares(table, Y, weights, columns, 0.7)
        np.testing.assert_allclose(answers(columns), expected, atol=1e-8)
    # the machine of the first items, and what least squares gain beyond them
    for first, columns in (([0], [0, 1, 3]), ([0, 2], [0, 2, 3])):
        gain = least_squares(table, Y, weights, columns, 0.7)
        gain -= least_squares(table, Y, weights, first, 0.7)
        np.testing.assert_allclose(answers(columns), answers(first) + gain, atol=1e-8)


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
@pytest.mark.parametrize("scale", [False, True])
def test_the_first_items_answer_with_a_machine_trained_on_them(loss, scale):
    X, y = load_iris(return_X_y=True)
    model = BudgetedSVC(COSTS, C=0.7, loss=loss, scale=scale).fit(X, y)
    order = [item for items in model.plan_.plan.stages.items for item in items]
    for length in (1, 2, 3):
        columns = sorted(order[:length])
        alone = BudgetedSVC(C=0.7, loss=loss, scale=scale).fit(X[:, columns], y)
        found = model.decision_function(X, budget=0.0, owned=np.isin(np.arange(4), columns))
        expected = alone.decision_function(X[:, columns])
        np.testing.assert_allclose(found, expected, atol=0.3 if loss == "hinge" else 0.03)
        assert (found.argmax(axis=1) == expected.argmax(axis=1)).mean() > 0.95


@pytest.mark.parametrize("n_trained", [0, 5])
def test_between_machines_answers_change_as_least_squares_do(n_trained, monkeypatch):
    X, y = load_breast_cancer(return_X_y=True)
    work = 6.0 * len(X) * sum(4**k for k in range(n_trained))  # 1, 2, 4, 8 and 16 columns
    monkeypatch.setattr(plan_making, "MAX_WORK", work)
    plan = BudgetedSVC(scale=True).fit(X, y).plan_.plan

    def beyond_least_squares(length):
        base, weights = plan.models.coefficients_of(length)
        expected = plan.subsets.solve(np.arange(length))
        more = np.zeros(30)
        more[:length] = (weights - expected[1])[:, 0]
        return np.append(more, base - expected[0])

    first = beyond_least_squares(4)
    assert (np.abs(first).max() > 1e-3) == (n_trained > 0)
    np.testing.assert_allclose(beyond_least_squares(7), first, atol=1e-8)
    is_new = np.abs(beyond_least_squares(8) - first).max() > 1e-3
    assert is_new == (n_trained > 0)


def test_the_whole_answers_as_it_was_trained():
    X, y = load_iris(return_X_y=True)
    model = BudgetedSVC(COSTS).fit(X, y)
    expected = X @ model.coef_.T + model.intercept_
    np.testing.assert_allclose(model.decision_function(X), expected, atol=1e-9)


def test_a_model_of_one_budget_answers_for_less_money_and_after_a_failure():
    X, y = load_breast_cancer(return_X_y=True)
    model = BudgetedSVC(budget=30.0, scale=True).fit(X[::2], y[::2])
    scores = [model.score(X[1::2], y[1::2], budget=budget) for budget in (0.0, 1.0, 5.0, 30.0)]
    assert scores[0] == pytest.approx(0.63, abs=0.02)
    assert min(scores[1:]) > 0.85
    assert model.spend(X[:1], budget=5.0)[0] == 5.0
    failed = np.arange(30) == model.plan_.plan.stages.items[0][0]
    right = model.predict(X[1::2], failed=failed) == y[1::2]
    assert right.mean() > 0.9


def test_prefixes_are_those_of_the_sets():
    """Elimination along the order and the closed form of a set give the same coefficients."""
    X, y = load_diabetes(return_X_y=True)
    plan = BudgetedSVR(C=0.5, scale=True).fit(X, y).plan_.plan
    for length in range(1, len(plan.stages)):
        base, weights = plan.models.coefficients_of(length)
        expected = plan.subsets.solve(np.arange(length))
        np.testing.assert_allclose(base, expected[0], rtol=1e-8)
        np.testing.assert_allclose(weights, expected[1], rtol=1e-7)


def test_a_regression_gains_with_each_purchase():
    X, y = load_diabetes(return_X_y=True)
    model = BudgetedSVR(C=10.0, scale=True).fit(X, y)
    gained = [r2_score(y, model.predict(X, budget=float(b))) for b in range(10)]
    assert np.all(np.diff(gained) > -1e-3)
    assert gained[3] > 0.45


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_without_money_probabilities_are_the_class_frequencies(loss, n_classes):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 3))
    y = np.digitize(X[:, 0] + rng.normal(size=400), [1.8, 2.4][: n_classes - 1])
    model = BudgetedSVC(loss=loss).fit(X, y)
    shares = np.bincount(y) / len(y)
    np.testing.assert_allclose(model.predict_proba(X[:2], budget=0.0), [shares, shares])
    worst = log_loss(y, np.tile(shares, (len(y), 1)))
    losses = [log_loss(y, model.predict_proba(X, budget=budget)) for budget in (1.0, 2.0, 3.0)]
    # the hinge loss of so rare a class is least with no column at all
    assert max(losses) < worst if loss == "squared_hinge" else max(losses) <= worst + 1e-12


def test_categories_and_files(tmp_path):
    import polars as pl

    rng = np.random.default_rng(0)
    letters, numbers = rng.choice(list("abc"), 200), rng.normal(size=200)
    y = (letters == "b") * 2.0 + numbers + 0.1 * rng.normal(size=200)
    frame = pl.DataFrame({"letter": letters, "number": numbers})
    model = BudgetedSVR({"letter": 2.0, "number": 1.0}, C=10.0).fit(frame, y)
    path = tmp_path / "svm.scrimp"
    save(model, path)
    for budget in (0.0, 1.0, 2.0, 3.0):
        answers = model.predict(frame, budget=budget)
        np.testing.assert_array_equal(load(path).predict(frame, budget=budget), answers)
    assert r2_score(y, model.predict(frame, budget=0.0, owned=[True, False])) > 0.3
