"""Stops by confidence: what held-out rows promise is kept, and money stays within its limits."""

import numpy as np
import pytest

from scrimp import (
    BudgetedBoostingClassifier,
    BudgetedTreeClassifier,
    FrontierClassifier,
    SequencedClassifier,
    SequencedRegressor,
    load,
    save,
)

COSTS = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]


def table(n, seed=0, n_classes=2):
    """Some rows are easy: one column tells. Others need all."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 6))
    z = 2.0 * X[:, 0] + X[:, 1:].sum(axis=1) / 2 + 0.5 * rng.normal(size=n)
    return X, np.digitize(z, np.linspace(-1.5, 1.5, n_classes + 1)[1:-1])


@pytest.fixture(scope="module")
def model():
    X, y = table(500)
    return SequencedClassifier(COSTS).fit(X, y)


def test_an_increase_is_kept_in_nearly_all_splits_and_money_saved(model):
    kept, saved = 0, []
    for split in range(40):
        X, y = table(3_000, seed=split + 1)
        model.calibrate_stop(X[:1_000], y[:1_000], max_increase=0.02)
        X, y = X[1_000:], y[1_000:]
        full, stopped = (model.predict(X, stop=stop) != y for stop in (None, "confident"))
        kept += stopped.mean() - full.mean() <= 0.02
        saved.append(1 - model.spend(X, stop="confident").mean() / model.spend(X).mean())
    assert kept >= 36  # delta is 0.05; 90% of the splits allow for chance
    assert np.mean(saved) > 0.3


def test_an_error_is_certified_or_refused(model):
    X, y = table(2_000, seed=1)
    error = float((model.predict(X) != y).mean())
    model.calibrate_stop(X, y, max_error=error + 0.05)
    assert (model.predict(X, stop="confident") != y).mean() <= error + 0.05
    with pytest.raises(ValueError, match=r"Without any stop \d+ of 2000 answers are wrong"):
        model.calibrate_stop(X, y, max_error=error)
    with pytest.raises(
        ValueError, match=r"20 rows cannot certify .* of 0.01 .*: it takes 299 rows"
    ):
        model.calibrate_stop(X[:20], y[:20], max_increase=0.01)


def test_an_average_is_kept_and_each_budget_too(model):
    X, y = table(2_000, seed=2)
    model.calibrate_stop(X[:1_000], y[:1_000], average_budget=6.0, budget=15.0)
    spend = model.spend(X[1_000:], 15.0, stop="confident")
    assert spend.mean() <= 6.2
    assert spend.max() <= 15.0
    assert spend.max() > 6.0  # hard rows go on
    with pytest.raises(ValueError, match=r"average_budget is 0.5, and no threshold that lets some"):
        model.calibrate_stop(X, y, average_budget=0.5)  # below the cheapest item


def test_cheap_errors_stop_earlier_than_dear_ones(model):
    X, y = table(2_000, seed=3)
    spent = []
    for error_cost in (1.0, 50.0, {0: 1000.0, 1: 1000.0}):
        model.calibrate_stop(X, y, error_cost=error_cost)
        spent.append(model.stop_calibration_.spend)
    assert spent[0] < spent[1] < spent[2]


@pytest.mark.parametrize(
    "estimator",
    [
        SequencedClassifier(COSTS),
        BudgetedBoostingClassifier(COSTS, n_rounds=20, random_state=0),
        BudgetedBoostingClassifier(COSTS, n_rounds=20, combine="vote"),
        BudgetedBoostingClassifier(COSTS, n_rounds=20, max_depth=3, random_state=0),
        BudgetedTreeClassifier(COSTS, random_state=0),
        FrontierClassifier(COSTS, budgets=[3.0, 21.0], candidates=["linear"], cv=2),
    ],
    ids=["linear", "stumps", "vote", "trees", "tree", "frontier"],
)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_sessions_files_and_batches_stop_alike(estimator, n_classes, tmp_path):
    X, y = table(400, n_classes=n_classes)
    fitted = estimator.fit(X[:250], y[:250])
    fitted.calibrate_stop(X[250:], y[250:], max_increase=0.1)
    labels = fitted.predict(X[:12], 15.0, stop="confident")
    spend = fitted.spend(X[:12], 15.0, stop="confident")
    assert (spend <= fitted.spend(X[:12], 15.0) + 1e-9).all()
    save(fitted, tmp_path / "model.scrimp")
    loaded = load(tmp_path / "model.scrimp")
    np.testing.assert_array_equal(loaded.predict(X[:12], 15.0, stop="confident"), labels)
    for row in range(12):
        session = loaded.session(15.0, key=row, stop="confident")
        while (request := session.ask()) is not None:
            session.tell({name: float(X[row, int(name[1:])]) for name in request.columns})
        assert session.read().label == labels[row]
        assert session.spent == pytest.approx(spend[row])
    sweep = fitted.sweep(X[:12], [3.0, 15.0], stop="confident")
    np.testing.assert_array_equal(sweep.labels()[:, 1], labels)


def test_what_has_no_threshold_is_refused():
    X, y = table(100)
    fitted = SequencedClassifier(COSTS).fit(X, y)
    with pytest.raises(TypeError, match="stop='confident' needs a threshold"):
        fitted.predict(X, stop="confident")
    with pytest.raises(TypeError, match="stop='confident' is about classes"):
        SequencedRegressor(COSTS).fit(X, y).predict(X, stop="confident")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "No goal given; expected one of max_increase, max_error"),
        ({"max_increase": 0.1, "max_error": 0.1}, "max_increase and max_error given"),
        ({"max_increase": 0.0}, "max_increase is 0.0; expected a number between 0 and 1"),
        ({"max_error": 0.1, "delta": 1.0}, "delta is 1.0; expected a number between 0 and 1"),
        ({"max_increase": "x"}, "max_increase is 'x'; expected a number between 0 and 1"),
        ({"average_budget": -1.0}, "average_budget is -1.0; expected a number >= 0"),
        ({"average_budget": "5"}, "average_budget is '5'; expected a number >= 0"),
        ({"average_budget": 1e-6}, r"The least that one of them keeps to is \d"),
        ({"max_increase": 0.01}, r"it takes 299 rows or more. So few rows certify 0\.03"),
    ],
)
def test_goals_that_make_no_sense_are_refused(model, options, message):
    X, y = table(100)
    with pytest.raises(ValueError, match=message):
        model.calibrate_stop(X, y, **options)


def test_strange_labels_are_named(model):
    X, y = table(100)
    with pytest.raises(ValueError, match=r"y holds .*7.*, which is no class of the model"):
        model.calibrate_stop(X, np.where(y == 1, 7, y), max_increase=0.1)
