"""CalibratedClassifier: contracts, cross-fitting, and whether probabilities get better."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss
from sklearn.model_selection import KFold, PredefinedSplit
from sklearn.utils.estimator_checks import parametrize_with_checks

from scrimp import (
    BudgetedBoostingClassifier,
    BudgetedTreeClassifier,
    CalibratedClassifier,
    Costs,
    Item,
    SampledBoostingClassifier,
    check_budgeted_estimator,
)
from scrimp.checks.driving import feed
from scrimp.datasets import load_heart
from scrimp.meta.calibration.budget_fractions import price_fractions, same_for_all

STUMPS = BudgetedBoostingClassifier(n_rounds=8, combine="vote")


class OfThreeClasses(CalibratedClassifier):
    """Makes a third class of every third row."""

    def fit(self, X, y, sample_weight=None):
        return super().fit(X, np.where(np.arange(len(y)) % 3 == 0, 2, y), sample_weight)


def expected_failures(estimator):
    why = "folds are made of rows: a row given twice may be in two of them, a weight of 2 not"
    return {"check_sample_weight_equivalence_on_dense_data": why}


@parametrize_with_checks(
    [CalibratedClassifier(STUMPS, "isotonic", cv=2)],
    expected_failed_checks=expected_failures,
)
@pytest.mark.filterwarnings("ignore")
def test_is_a_scikit_learn_estimator(estimator, check):
    check(estimator)


@pytest.mark.parametrize(
    ("model", "excluded"),
    [
        (OfThreeClasses(STUMPS, "isotonic", cv=2), ()),
        (CalibratedClassifier(STUMPS, "temperature", cv=2), ()),
        (
            CalibratedClassifier(BudgetedTreeClassifier(prune=None, random_state=0), cv=2),
            ("check_column_order", "check_free_items_are_used"),  # as for the tree itself
        ),
        (
            CalibratedClassifier(
                SampledBoostingClassifier(n_rounds=8, max_draws=40, random_state=0), cv=2
            ),
            (),
        ),
    ],
    ids=["three classes", "temperature", "tree", "sampled"],
)
def test_keeps_the_budget_contract(model, excluded):
    # the votes that are calibrated here do not keep the last
    excluded = [*excluded, "check_no_worse_than_prior"]
    check_budgeted_estimator(model, max_examples=3, exclude=excluded)


def overconfident(n, seed):
    """Noisy labels: many rounds make a booster far too sure of them."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 6))
    odds = X @ [1.0, 0.8, 0.6, 0.0, 0.0, 0.0]
    return X, (rng.random(n) < 1.0 / (1.0 + np.exp(-odds))).astype(int)


def mostly_noise(n, seed):
    """A quarter of the labels is turned round: many rounds learn that by heart."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 8))
    y = X[:, 0] + 0.5 * X[:, 1] > 0
    return X, np.where(rng.random(n) < 0.25, ~y, y).astype(int)


@pytest.mark.parametrize("method", ["sigmoid", "isotonic", "temperature"])
def test_log_loss_on_new_rows_falls_at_every_budget(method):
    (X, y), (new, truth) = mostly_noise(500, 0), mostly_noise(3000, 1)
    booster = BudgetedBoostingClassifier(np.ones(8), n_rounds=800, combine="vote")
    plain = booster.fit(X, y)
    model = CalibratedClassifier(booster, method, random_state=0).fit(X, y)
    for budget in (2.0, 4.0, 6.0, None):
        before, after = (log_loss(truth, m.predict_proba(new, budget)) for m in (plain, model))
        assert after < before - 0.02, f"at a budget of {budget}"


def of_four_classes(n, seed):
    """The class is the largest of four columns, under noise."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 5))
    return X, (X[:, :4] + rng.gumbel(size=(n, 4))).argmax(axis=1)


@pytest.mark.parametrize("method", ["sigmoid", "isotonic", "temperature"])
def test_with_many_classes_too(method):
    (X, y), (new, truth) = of_four_classes(800, 0), of_four_classes(2000, 1)
    booster = BudgetedBoostingClassifier(n_rounds=100, combine="vote")
    model = CalibratedClassifier(booster, method, random_state=0).fit(X, y)
    plain = booster.fit(X, y)
    for budget in (2.0, None):
        before, after = (log_loss(truth, m.predict_proba(new, budget)) for m in (plain, model))
        assert after < before, f"at a budget of {budget}"


def test_a_temperature_leaves_labels_as_they_are():
    X, y = load_breast_cancer(return_X_y=True)
    booster = BudgetedBoostingClassifier(n_rounds=60, combine="vote")
    model = CalibratedClassifier(booster, "temperature", random_state=0).fit(X, y)
    for budget in (0.0, 1.0, 3.0, None):
        np.testing.assert_array_equal(model.predict(X, budget), model.estimator_.predict(X, budget))
        np.testing.assert_array_equal(model.spend(X, budget), model.estimator_.spend(X, budget))


class Memory(BudgetedTreeClassifier):
    """Knows every row it has seen by heart: on these, and only these, it is always right."""

    def __init__(self, costs=None, random_state=0):
        super().__init__(costs, prune=None, random_state=random_state, rule="price-blind")


def test_no_row_is_calibrated_with_an_answer_that_its_own_label_had_a_part_in():
    """Labels are coin tosses: an answer that knew them would be right far too often."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(600, 3)), rng.integers(0, 2, 600)
    model = CalibratedClassifier(Memory(), "isotonic", random_state=0).fit(X, y)
    assert (model.estimator_.predict(X) == y).all()
    said = model.predict_proba(X)
    assert np.abs(said - 0.5).max() < 0.12


def test_every_row_is_tested_by_a_clone_that_did_not_see_it(monkeypatch):
    seen = []
    fit, sweep = STUMPS.__class__.fit, STUMPS.__class__.sweep

    def noted_fit(self, X, y, sample_weight=None):
        seen.append(("fit", set(X[:, 0])))
        return fit(self, X, y, sample_weight)

    def noted_sweep(self, X, budgets, **options):
        if seen[-1] != ("sweep", set(X[:, 0])):
            seen.append(("sweep", set(X[:, 0])))
        return sweep(self, X, budgets, **options)

    monkeypatch.setattr(BudgetedBoostingClassifier, "fit", noted_fit)
    monkeypatch.setattr(BudgetedBoostingClassifier, "sweep", noted_sweep)
    X, y = overconfident(100, 0)
    CalibratedClassifier(STUMPS, cv=4, random_state=0).fit(X, y)
    whole, *folds = seen
    assert whole == ("fit", set(X[:, 0]))
    assert [what for what, _ in folds] == ["fit", "sweep"] * 4
    for (_, train), (_, test) in zip(folds[::2], folds[1::2], strict=True):
        assert not train & test
        assert train | test == set(X[:, 0])


def test_without_money_the_answer_is_the_frequency_of_the_classes():
    heart = load_heart()
    weight = np.where(heart.y == 1, 3.0, 1.0)
    booster = BudgetedBoostingClassifier(heart.costs, n_rounds=20)
    model = CalibratedClassifier(booster, random_state=0).fit(heart.X, heart.y, weight)
    share = weight[heart.y == 1].sum() / weight.sum()
    np.testing.assert_allclose(model.predict_proba(heart.X[:3], 0.0), [[1 - share, share]] * 3)


def test_weights_count_and_rows_without_weight_do_not():
    X, y = overconfident(300, 0)
    weight = np.ones(300)
    weight[::3] = 0.0
    model = CalibratedClassifier(STUMPS, random_state=0)
    few = model.fit(X[weight > 0], y[weight > 0]).predict_proba(X)
    np.testing.assert_array_equal(model.fit(X, y, weight).predict_proba(X), few)
    weight[y == 1] *= 5.0
    assert model.fit(X, y, weight).predict_proba(X)[:, 1].mean() > few[:, 1].mean() + 0.1


def folds(n):
    """Three folds that do not test the last rows, as positions; a mask among them."""
    at = np.arange(n)
    parts = [at[:100], at[100:150], at[150:280]]
    splits = [(np.setdiff1d(at, part), part) for part in parts]
    splits[1] = (np.isin(at, splits[1][0]), list(parts[1]))
    return splits


@pytest.mark.parametrize("unweighted", [slice(0, 40), slice(250, 300), slice(0, 300, 3)])
def test_folds_of_the_rows_as_given_stay_those_rows_beside_weights_of_0(unweighted):
    X, y = overconfident(300, 0)
    weight = np.ones(300)
    weight[unweighted] = 0.0
    kept = np.flatnonzero(weight)
    place = {row: number for number, row in enumerate(kept)}
    same = [
        tuple([place[row] for row in np.arange(300)[part] if row in place] for part in split)
        for split in folds(300)
    ]
    alone = CalibratedClassifier(STUMPS, cv=same).fit(X[kept], y[kept])
    model = CalibratedClassifier(STUMPS, cv=folds(300)).fit(X, y, weight)
    np.testing.assert_array_equal(model.predict_proba(X, 2.0), alone.predict_proba(X, 2.0))
    fold_of = np.full(300, -1)
    for fold, (_, test) in enumerate(folds(300)):
        fold_of[test] = fold
    splitter = CalibratedClassifier(STUMPS, cv=PredefinedSplit(fold_of)).fit(X, y, weight)
    np.testing.assert_array_equal(splitter.predict_proba(X, 2.0), alone.predict_proba(X, 2.0))


def test_a_fold_that_tests_only_rows_of_weight_0_is_left_out():
    X, y = overconfident(300, 0)
    weight = np.ones(300)
    weight[100:150] = 0.0
    whole = CalibratedClassifier(STUMPS, cv=folds(300)).fit(X, y, weight)
    fewer = CalibratedClassifier(STUMPS, cv=folds(300)[::2]).fit(X, y, weight)
    np.testing.assert_array_equal(whole.predict_proba(X), fewer.predict_proba(X))
    with pytest.raises(ValueError, match="cv has no folds with rows of positive weight"):
        CalibratedClassifier(STUMPS, cv=folds(300)[1:2]).fit(X, y, weight)


@pytest.mark.parametrize(
    ("test", "text"),
    [
        ([5, 300], "cv names the row 300; expected positions >= 0 and < 300"),
        ([-1, 5], "cv names the row -1; expected positions >= 0"),
        ([0.5], "cv holds float64; expected whole numbers"),
    ],
)
def test_folds_of_rows_that_are_not_there_are_refused(test, text):
    X, y = overconfident(300, 0)
    with pytest.raises(ValueError, match=text):
        CalibratedClassifier(STUMPS, cv=[(np.arange(200), test)]).fit(X, y)


def test_knots_are_where_they_are_asked_for():
    X, y = overconfident(300, 0)
    model = CalibratedClassifier(STUMPS, fractions=[0.5, 1.0], random_state=0).fit(X, y)
    assert len(model.knots_) == 2
    assert model.knots_[0] <= 0.5
    assert model.knots_[1] == 1.0
    most = 0.5 * model.plan_.price
    assert model.knots_[0] == pytest.approx(model.spend(X[:1], most)[0] / model.plan_.price)


def test_clones_are_asked_with_what_the_final_model_would_have():
    X, y = overconfident(200, 0)
    costs = Costs.from_items(
        [
            Item("visit", 2.0, ()),
            *(Item(f"i{j}", j + 0.5, (f"x{j}",), ("visit",)) for j in range(6)),
        ]
    )
    model = BudgetedBoostingClassifier(replace(costs, column_names=None), n_rounds=30).fit(X, y)
    fractions = np.array([0.0, 0.2, 0.6, 1.0])
    same = same_for_all(model.plan_, fractions)
    for fraction, items, part in zip(fractions, same.items, same.fractions, strict=True):
        session = feed(
            model.session(fraction * model.plan_.price), X[0], [f"x{j}" for j in range(6)]
        )
        assert {costs.names[item] for item in items} == set(session.bought)
        assert part == session.spent / model.plan_.price
    stop = BudgetedBoostingClassifier(unaffordable="stop", n_rounds=5).fit(X, y)
    assert same_for_all(stop.plan_, fractions) is None


def test_free_columns_and_plans_that_buy_nothing():
    X, y = overconfident(200, 0)
    free = CalibratedClassifier(STUMPS, costs=np.zeros(6), random_state=0).fit(X, y)
    assert len(np.unique(free.predict_proba(X, 0.0)[:, 1])) > 2
    poor = BudgetedBoostingClassifier(np.ones(6), budget=0.5, n_rounds=3)
    with pytest.warns(UserWarning, match="budget is 0.5"):
        none = CalibratedClassifier(poor, random_state=0).fit(X, y)
    np.testing.assert_allclose(none.predict_proba(X)[:, 1], y.mean())


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"method": "platt"}, "method is 'platt'; expected one of 'sigmoid'"),
        ({"cv": 1}, "cv is 1; expected a number of folds >= 2"),
        ({"cv": KFold(2)}, "cv leaves a fold without a class"),
        ({"fractions": [0.5, 1.5]}, "expected numbers from 0 to 1"),
        ({"fractions": []}, "expected numbers from 0 to 1, one at least"),
    ],
)
def test_bad_options_are_refused(options, text):
    X, y = overconfident(60, 0)
    with pytest.raises(ValueError, match=text):
        CalibratedClassifier(STUMPS, **options).fit(X, np.sort(y))


def test_other_estimators_and_classes_of_one_row_are_refused():
    X, y = overconfident(60, 0)
    with pytest.raises(TypeError, match="estimator is a LogisticRegression; expected a scrimp"):
        CalibratedClassifier(LogisticRegression()).fit(X, y)
    y = np.zeros(60, dtype=int)
    y[5] = 1
    with pytest.raises(ValueError, match="has one row only"):
        CalibratedClassifier(STUMPS).fit(X, y)


def test_frames_and_prices_by_name():
    heart = load_heart()
    model = CalibratedClassifier(
        BudgetedBoostingClassifier(n_rounds=20), costs=heart.costs, random_state=0
    ).fit(heart.X, heart.y)
    assert isinstance(model.plan_.costs, Costs)
    answer = model.session(budget=5.0, known={"age": 61}).read()
    assert answer.probabilities.sum() == pytest.approx(1.0)


def test_there_are_calibrators_for_what_is_bought_past_an_item_that_is_too_expensive():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 8))
    y = (X[:, 0] + 0.3 * X[:, 1:].sum(axis=1) + rng.normal(size=len(X)) > 1.0).astype(int)
    costs = Costs.per_feature([20.0, *[1.0] * 7])
    booster = BudgetedBoostingClassifier(costs, n_rounds=40, rule="edge", combine="vote").fit(X, y)
    assert booster.plan_.summary()[1].price == 20.0
    steps = price_fractions(booster.plan_)
    for budget in range(1, 28):
        spent = booster.spend(X[:1], float(budget))[0] / booster.plan_.price
        assert np.isclose(steps, spent).any()
