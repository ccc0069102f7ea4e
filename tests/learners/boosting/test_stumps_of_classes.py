"""Stumps of three classes or more: which algorithm boosts them, and what they promise."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_digits, load_iris
from sklearn.metrics import log_loss

from scrimp import BudgetedBoostingClassifier, SampledBoostingClassifier, load, save
from scrimp.kernels.tree_losses import project
from scrimp.learners.boosting.rules import RULES
from scrimp.runtime.events import listening

PRICES = np.array([1.0, 4.0, 2.0, 0.5])
X, Y = load_iris(return_X_y=True)
BUDGETS = [0.0, 0.5, 1.5, 4.0, 7.5]


def stumps(**options):
    return BudgetedBoostingClassifier(PRICES, **{"n_rounds": 30, "random_state": 0} | options)


@pytest.fixture(scope="module")
def model():
    return stumps().fit(X, Y)


@pytest.mark.parametrize(
    ("options", "n_classes", "kind"),
    [
        ({}, 3, "menu"),
        ({"loss": "exponential"}, 3, "menu"),
        ({"loss": "samme"}, 3, "gam"),
        ({"combine": "vote"}, 3, "additive"),
        ({"loss": "samme", "combine": "vote"}, 3, "additive"),
        ({"loss": "exponential", "combine": "vote"}, 3, "menu"),
        ({}, 2, "gam"),
        ({"loss": "exponential"}, 2, "gam"),
    ],
)
def test_loss_and_combine_choose_the_algorithm(options, n_classes, kind):
    some = n_classes > Y
    fitted = stumps(n_rounds=8, **options).fit(X[some], Y[some])
    assert fitted.plan_.plan.kind == kind
    assert hasattr(fitted, "edges_") == (kind != "menu")


def test_samme_of_two_classes_is_adaboost():
    some = Y > 0
    one, other = (stumps(loss=loss).fit(X[some], Y[some]) for loss in ("auto", "samme"))
    np.testing.assert_array_equal(one.sweep(X, BUDGETS).scores, other.sweep(X, BUDGETS).scores)


def test_samme_has_no_trees():
    with pytest.raises(ValueError, match="loss is 'samme', which boosts stumps"):
        stumps(loss="samme", max_depth=2).fit(X, Y)


def test_a_column_of_many_categories_is_left_to_samme():
    names = np.array([f"c{k}" for k in range(300)])
    frame = pd.DataFrame({"kind": pd.Categorical(names[np.arange(600) % 300])})
    y = np.arange(600) % 3
    fitted = BudgetedBoostingClassifier(n_rounds=5).fit(frame, y)
    assert fitted.plan_.plan.kind == "gam"
    with pytest.raises(ValueError, match="has 300 categories; trees take at most 255"):
        BudgetedBoostingClassifier(n_rounds=5, loss="logistic").fit(frame, y)


def test_digits_are_told_apart_with_few_pixels():
    pixels, digits = load_digits(n_class=6, return_X_y=True)
    errors = {}
    for loss in ("auto", "samme"):
        fitted = BudgetedBoostingClassifier(budget=6.0, loss=loss, n_rounds=30, random_state=0)
        labels = fitted.fit(pixels[:400], digits[:400]).predict(pixels[400:])
        errors[loss] = (labels != digits[400:]).mean()
    assert errors["auto"] < 0.8 * errors["samme"]


@pytest.mark.parametrize("loss", ["auto", "exponential", "samme"])
def test_without_an_item_the_answer_is_the_shares(loss):
    rows = np.r_[0:50, 50:70, 100:110]
    fitted = stumps(loss=loss, n_rounds=8).fit(X[rows], Y[rows])
    np.testing.assert_allclose(fitted.predict_proba(X[:1], 0.0), [[0.625, 0.25, 0.125]])


@pytest.mark.parametrize("rule", list(RULES))
def test_rules_keep_the_budget_and_choose_by_price(rule):
    fitted = stumps(rule=rule, budget=3.0).fit(X, Y)
    assert 0.0 < fitted.spend(X).max() <= 3.0
    assert fitted.score(X, Y) > 0.9


def test_budgets_have_an_ensemble_each():
    fitted = stumps(budget=[0.5, 3.5]).fit(X, Y)
    assert fitted.spend(X, 2.0).max() == 0.5  # the dearer one is not affordable in full
    assert 0.5 < fitted.spend(X, 3.5).max() <= 3.5


def test_certain_keeps_the_labels():
    rng = np.random.default_rng(3)
    table = rng.normal(size=(300, 4))
    y = np.digitize(2.0 * table[:, 3] + table[:, 0] - table[:, 2], [-1.5, 0.0, 1.5])
    fitted = stumps().fit(table, y)
    plain, certain = (fitted.sweep(table, BUDGETS, stop=stop) for stop in (None, "certain"))
    np.testing.assert_array_equal(plain.labels(), certain.labels())
    assert certain.spent.sum() < plain.spent.sum()


def test_sessions_with_a_failure_are_the_rows_of_a_batch(model):
    failed = np.array([False, False, False, True])
    batch = model.predict_proba(X, failed=np.tile(failed, (len(X), 1)))
    for row in (0, 70, 140):
        session = model.session()
        while (request := session.ask()) is not None:
            if request.columns == ("x3",):
                session.fail()
            else:
                session.tell({name: X[row, int(name[1:])] for name in request.columns})
        assert session.read().probabilities == pytest.approx(batch[row], abs=1e-12)
    assert log_loss(Y, batch) < 0.5 * log_loss(Y, model.predict_proba(X, 0.0))


def test_weights_and_costs_of_errors_move_answers():
    weighted = stumps(class_weight={0: 1.0, 1: 1.0, 2: 8.0}).fit(X, Y)
    np.testing.assert_allclose(weighted.predict_proba(X[:1], 0.0), [[0.1, 0.1, 0.8]])
    costly = stumps(error_cost={"0": 1.0, "1": 50.0, "2": 1.0}).fit(X, Y)
    assert (costly.predict(X, 0.0) == 1).all()
    assert (costly.predict(X) == 1).sum() >= (stumps().fit(X, Y).predict(X) == 1).sum()


def test_interruptions_and_limits_leave_a_model():
    def interrupt(event):
        if event.task == "entries" and event.done == 2:
            raise KeyboardInterrupt

    fitted = stumps()
    with listening(interrupt), pytest.raises(KeyboardInterrupt):
        fitted.fit(X, Y)
    assert fitted.score(X, Y) > 0.6
    with pytest.warns(UserWarning, match="was over before anything was learnt"):
        nothing = stumps(max_seconds=1e-9).fit(X, Y)
    assert not nothing.in_time_


def test_small_tables_are_learnt():
    rows = np.arange(0, 150, 6)
    assert stumps().fit(X[rows], Y[rows]).score(X, Y) > 0.85


def test_threads_do_not_matter_and_files_answer_the_same(model, tmp_path):
    other = stumps(n_jobs=2).fit(X, Y)
    save(model, tmp_path / "m.scrimp")
    loaded = load(tmp_path / "m.scrimp")
    for again in (other, loaded):
        np.testing.assert_array_equal(
            again.sweep(X, BUDGETS).scores, model.sweep(X, BUDGETS).scores
        )


def test_a_sampled_vote_is_that_of_samme():
    sampled = SampledBoostingClassifier(PRICES, n_rounds=15, random_state=0, combine="vote")
    full = stumps(rule="edge", n_rounds=15, combine="vote").fit(X, Y)
    np.testing.assert_array_equal(sampled.fit(X, Y).predict(X), full.predict(X))


def test_projections_are_products_of_matrices():
    rng = np.random.default_rng(0)
    gradient, hessian = rng.normal(size=(50, 7)), rng.random((50, 7))
    directions = rng.normal(size=(7, 5))
    targets, total = np.empty((50, 5)), np.empty(50)
    project(gradient, hessian, directions, targets, total)
    np.testing.assert_allclose(targets, gradient @ directions, rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(total, hessian.sum(axis=1), rtol=1e-14)
