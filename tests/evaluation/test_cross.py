import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.model_selection import RepeatedStratifiedKFold, ShuffleSplit, StratifiedKFold

from scrimp import BudgetedBoostingClassifier, Curve
from scrimp.evaluation.cross import cross_curve, cross_sweep
from scrimp.runtime.events import listening

BUDGETS = [0.0, 1.0, 3.0]
random = np.random.default_rng(0)
X = random.normal(size=(60, 3))
y = (X @ [1.0, 2.0, 0.5] + random.normal(size=60) > 0).astype(int)
MODEL = BudgetedBoostingClassifier(n_rounds=5, rule="edge")


def test_answers_are_those_of_models_that_did_not_see_the_row():
    sweep, truth = cross_sweep(MODEL, X, y, BUDGETS, cv=3, random_state=1)
    scores = np.empty((60, 3, 1))
    folds = RepeatedStratifiedKFold(n_splits=3, n_repeats=1, random_state=1)
    for train, test in folds.split(X, y):
        scores[test] = MODEL.fit(X[train], y[train]).sweep(X[test], BUDGETS).scores
    np.testing.assert_array_equal(sweep.scores, scores)
    np.testing.assert_array_equal(truth, y)


def test_repeats_follow_each_other_in_the_order_of_the_rows():
    sweep, truth = cross_sweep(MODEL, X, y, BUDGETS, cv=3, n_repeats=2)
    assert sweep.spent.shape == (120, 3)
    np.testing.assert_array_equal(truth, np.tile(y, 2))
    assert (sweep.spent <= sweep.budgets).all()


@pytest.mark.parametrize("frame", [pl.DataFrame, pd.DataFrame])
def test_frames_and_arrays_give_the_same(frame):
    names = ["a", "b", "c"]
    table = frame({name: X[:, j] for j, name in enumerate(names)})
    framed, _ = cross_sweep(MODEL, table, y, BUDGETS, cv=3)
    plain, _ = cross_sweep(MODEL, X, y, BUDGETS, cv=3)
    np.testing.assert_array_equal(framed.scores, plain.scores)


def test_the_estimator_is_not_fitted():
    model = BudgetedBoostingClassifier(n_rounds=2)
    cross_sweep(model, X, y, BUDGETS, cv=2)
    assert not hasattr(model, "plan_")


def test_splitters_and_lists_of_folds():
    splitter = ShuffleSplit(3, test_size=10, random_state=0)
    sweep, truth = cross_sweep(MODEL, X, y, BUDGETS, cv=splitter)
    assert len(sweep.spent) == len(truth) == 30
    again, _ = cross_sweep(MODEL, X, y, BUDGETS, cv=list(splitter.split(X)))
    np.testing.assert_array_equal(sweep.scores, again.scores)


def test_progress():
    seen = []
    with listening(seen.append):
        cross_sweep(MODEL, X, y, BUDGETS, cv=3, n_repeats=2)
    steps = [(event.done, event.total) for event in seen if event.task == "cross-validation"]
    assert steps == [(done, 6) for done in range(7)]


def test_stop_certain_keeps_the_labels():
    full, _ = cross_sweep(MODEL, X, y, BUDGETS, cv=3)
    early, _ = cross_sweep(MODEL, X, y, BUDGETS, cv=3, stop="certain")
    np.testing.assert_array_equal(full.labels(), early.labels())
    assert early.spent.sum() < full.spent.sum()


def test_refuses_repeats_of_a_splitter():
    with pytest.raises(ValueError, match="n_repeats is 2, but cv is a StratifiedKFold"):
        cross_sweep(MODEL, X, y, BUDGETS, cv=StratifiedKFold(3), n_repeats=2)


def test_refuses_no_folds():
    with pytest.raises(ValueError, match="cv gives no folds"):
        cross_sweep(MODEL, X, y, BUDGETS, cv=[])


def test_refuses_folds_with_other_classes():
    labels = np.array(["a", "b"] * 30)
    odd = np.where(np.arange(60) % 4 == 3, "c", labels)
    folds = [(np.flatnonzero(odd != "c"), [3]), (np.flatnonzero(odd != "b"), [0])]
    with pytest.raises(ValueError, match="folds differ in the classes"):
        cross_sweep(MODEL, X, odd, BUDGETS, cv=folds)


def test_a_curve_is_the_mean_of_its_repeats():
    curve = cross_curve(MODEL, X, y, BUDGETS, cv=3, n_repeats=3)
    sweep, truth = cross_sweep(MODEL, X, y, BUDGETS, cv=3, n_repeats=3)
    naive = Curve.from_sweep(sweep, truth)
    np.testing.assert_allclose(curve.quality, naive.quality)
    np.testing.assert_allclose(curve.spent, naive.spent)
    # three repeats of the same rows are not three times the rows
    assert ((curve.high - curve.low) > 1.2 * (naive.high - naive.low)).all()


def test_a_curve_needs_a_number_of_folds():
    with pytest.raises(TypeError, match="expected a number of folds"):
        cross_curve(MODEL, X, y, BUDGETS, cv=StratifiedKFold(3))
