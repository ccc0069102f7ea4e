"""All classifiers of the registry decide by the costs of errors, wherever they are asked."""

import numpy as np
import pytest
from sklearn.base import clone, is_classifier
from sklearn.datasets import make_classification
from sklearn.ensemble import RandomForestClassifier

from scrimp import (
    BudgetedBoostingClassifier,
    BudgetedTreeClassifier,
    CalibratedClassifier,
    SampledBoostingClassifier,
    SequencedClassifier,
    load,
    save,
)
from scrimp.checks.driving import feed
from scrimp.registry import installed

CLASSIFIERS = {
    name: estimator
    for spec in installed()
    for name, estimator in spec.checked().items()
    if is_classifier(estimator)
}
COSTS = {"a->b": 20, "a->c": 9, "b": 1, "c->a": 2, "c->b": 0.5}
MATRIX = np.array([[0, 20, 9], [1, 0, 1], [2, 0.5, 0]])
BUDGETS = [0.0, 1.0, 2.0, 4.0]


def table(n=150, classes="abc"):
    X, y = make_classification(
        n, 4, n_informative=3, n_redundant=0, n_classes=len(classes), flip_y=0.2, random_state=0
    )
    return X, np.array(list(classes))[y]


@pytest.fixture(scope="module", params=CLASSIFIERS)
def fitted(request):
    """A classifier without and one with costs of errors."""
    X, y = table()
    plain = clone(CLASSIFIERS[request.param])
    costly = clone(plain).set_params(error_cost=COSTS)
    for model in (plain, costly):
        if "random_state" in model.get_params():
            model.set_params(random_state=0)
    return plain.fit(X, y), costly.fit(X, y)


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_the_label_has_the_least_expected_cost_and_probabilities_stay(fitted):
    plain, costly = fitted
    X, _ = table()
    for budget in BUDGETS:
        probabilities = costly.predict_proba(X, budget=budget)
        np.testing.assert_array_equal(probabilities, plain.predict_proba(X, budget=budget))
        least = costly.classes_[(probabilities @ MATRIX).argmin(axis=1)]
        np.testing.assert_array_equal(costly.predict(X, budget=budget), least)
    assert (costly.sweep(X, BUDGETS).labels() != plain.sweep(X, BUDGETS).labels()).any()


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_sweeps_sessions_and_files_decide_alike(fitted, tmp_path):
    _, costly = fitted
    X, _ = table()
    labels = np.stack([costly.predict(X, budget=budget) for budget in BUDGETS], axis=1)
    np.testing.assert_array_equal(costly.sweep(X, BUDGETS).labels(), labels)
    save(costly, tmp_path / "m.scrimp")
    loaded = load(tmp_path / "m.scrimp")
    np.testing.assert_array_equal(loaded.target.error_costs, MATRIX)
    np.testing.assert_array_equal(loaded.sweep(X, BUDGETS).labels(), labels)
    for model in (costly, loaded):
        for row in range(5):
            names = [f"x{column}" for column in range(4)]
            answer = feed(model.session(4.0, key=row), X[row], names).read()
            assert answer.label == labels[row, -1]
            least = (answer.probabilities @ MATRIX).min()
            assert answer.expected_cost == pytest.approx(least)


def test_without_costs_a_session_knows_no_expected_cost(fitted):
    plain, _ = fitted
    assert plain.session().read().expected_cost is None


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_costs_that_do_not_fit_are_refused_before_the_training(name):
    X, y = table()
    model = clone(CLASSIFIERS[name]).set_params(error_cost={"a->d": 5})
    with pytest.raises(ValueError, match="error_cost names the class 'd', which there is not"):
        model.fit(X, y)
    assert not hasattr(model, "plan_")


@pytest.mark.parametrize("name", [n for n in CLASSIFIERS if n != "CalibratedClassifier"])
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_class_weights_multiply_the_weights_of_rows(name):
    X, y = table(classes="ab")
    rows = np.random.default_rng(0).uniform(0.5, 1.5, len(y))
    model = clone(CLASSIFIERS[name])
    if "random_state" in model.get_params():
        model.set_params(random_state=0)
    by_class = clone(model).set_params(class_weight={"a": 3.0, "b": 0.5}).fit(X, y, rows)
    by_row = clone(model).fit(X, y, rows * np.where(y == "a", 3.0, 0.5))
    np.testing.assert_allclose(by_class.predict_proba(X), by_row.predict_proba(X), rtol=1e-9)
    with pytest.raises(ValueError, match=r"class_weight is .*; expected numbers > 0"):
        clone(model).set_params(class_weight={"a": 0.0}).fit(X, y)


def test_balanced_weights_move_the_prior():
    X, y = make_classification(300, weights=[0.9], random_state=0)
    plain, balanced = SequencedClassifier(), SequencedClassifier(class_weight="balanced")
    assert plain.fit(X, y).predict_proba(X[:1], budget=0.0)[0, 1] == pytest.approx(y.mean())
    assert balanced.fit(X, y).predict_proba(X[:1], budget=0.0)[0, 1] == pytest.approx(0.5)


def test_a_calibrated_classifier_keeps_the_costs_of_its_estimator():
    X, y = table()
    inner = BudgetedTreeClassifier(error_cost=COSTS, random_state=0)
    own = {"a": 1, "b": 2, "c": 3}
    kept = CalibratedClassifier(inner, cv=2, random_state=0).fit(X, y)
    replaced = CalibratedClassifier(inner, cv=2, random_state=0, error_cost=own).fit(X, y)
    np.testing.assert_array_equal(kept.target_.error_costs, MATRIX)
    assert replaced.target_.error_costs.tolist() == [[0, 1, 1], [2, 0, 2], [3, 3, 0]]


def test_a_vote_of_a_given_ensemble_decides_by_costs():
    X, y = table()
    forest = RandomForestClassifier(10, max_depth=3, random_state=0).fit(X, y)
    model = SampledBoostingClassifier.from_ensemble(forest, error_cost=COSTS, random_state=0)
    least = forest.classes_[(forest.predict_proba(X) @ MATRIX).argmin(axis=1)]
    np.testing.assert_array_equal(model.predict(X), least)


def test_draws_are_counted_for_the_likeliest_class_only():
    X, y = table()
    model = SampledBoostingClassifier(
        n_rounds=5, error_cost=COSTS, random_state=0, combine="vote"
    ).fit(X, y)
    with pytest.raises(ValueError, match="error_cost moves the decision"):
        model.draws_for(0.9, X)


def test_costs_of_errors_and_a_reprice():
    X, y = table()
    model = BudgetedBoostingClassifier(n_rounds=10, error_cost=COSTS).fit(X, y)
    repriced = model.reprice([2.0] * 4)
    np.testing.assert_array_equal(repriced.predict(X), model.predict(X))


@pytest.mark.parametrize("classes", ["ab", "abc"])
@pytest.mark.parametrize("calibrated", [False, True])
def test_a_certain_stop_changes_no_decision(classes, calibrated):
    X, y = table(classes=classes)
    for seed in range(6):
        random = np.random.default_rng(seed)
        costs = random.exponential(1.0, (len(classes),) * 2) ** 3
        np.fill_diagonal(costs, 0.0)
        model = BudgetedBoostingClassifier(n_rounds=15, error_cost=costs, random_state=0)
        if calibrated:
            model = CalibratedClassifier(model, cv=2, random_state=0)
        model.fit(X, y)
        whole, early = model.sweep(X, BUDGETS), model.sweep(X, BUDGETS, stop="certain")
        np.testing.assert_array_equal(whole.labels(), early.labels())
        assert (early.spent <= whole.spent).all()


def test_one_class_is_named_before_its_costs():
    X, _ = table()
    with pytest.raises(ValueError, match="y holds one class only"):
        BudgetedBoostingClassifier(error_cost=COSTS).fit(X, ["a"] * len(X))
