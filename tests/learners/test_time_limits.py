"""`max_seconds`: whatever was learnt by then is a valid model."""

import warnings
from itertools import count

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.linear_model import Ridge

from scrimp import (
    BudgetedBoostingClassifier,
    BudgetedBoostingRegressor,
    BudgetedSVC,
    BudgetedTreeClassifier,
    CalibratedClassifier,
    GroupLassoRegressor,
    RefitRegressor,
    SequencedClassifier,
    SequencedRegressor,
)
from scrimp.registry import installed
from scrimp.runtime import time_limit

PRICES = np.array([1.0, 2.0, 3.0, 1.0])
BUDGETS = [0.0, 1.0, 3.5, 7.0]
LEARNT = [
    (task, estimator)
    for spec in installed()
    for task, estimator in zip(spec.estimators, spec.checked().values(), strict=True)
]


def table(task, n=60):
    random = np.random.default_rng(0)
    X = random.normal(size=(n, 4))
    score = X[:, 0] + 0.7 * X[:, 1] + 0.5 * random.normal(size=n)
    y = {"classification": score > 0, "regression": score, "counts": random.poisson(np.exp(score))}
    return X, y[task].astype(float)


def fitted(estimator, task="classification", **params):
    if "random_state" in estimator.get_params(deep=False):
        params["random_state"] = 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return clone(estimator).set_params(costs=PRICES, **params).fit(*table(task))


@pytest.fixture
def ticking(monkeypatch):
    """A clock that advances by one second each time it is read."""
    clock = count()
    monkeypatch.setattr(time_limit, "monotonic", lambda: float(next(clock)))


@pytest.mark.parametrize(
    ("task", "estimator"), LEARNT, ids=[type(estimator).__name__ for _, estimator in LEARNT]
)
class TestEveryLearner:
    def test_no_time_gives_a_valid_model(self, task, estimator):
        model = fitted(estimator, task, max_seconds=1e-9)
        assert model.in_time_ is False
        sweep = model.sweep(table(task)[0], BUDGETS)
        assert np.isfinite(sweep.scores).all()
        assert (sweep.spent <= BUDGETS).all()

    def test_enough_time_changes_nothing(self, task, estimator):
        if isinstance(estimator, GroupLassoRegressor):
            pytest.skip("skglm compiles for long; its own tests have this one")
        X = table(task)[0]
        limited, free = (fitted(estimator, task, max_seconds=s) for s in (1e6, None))
        assert limited.in_time_ is free.in_time_ is True
        np.testing.assert_array_equal(
            limited.sweep(X, BUDGETS).scores, free.sweep(X, BUDGETS).scores
        )

    @pytest.mark.parametrize("seconds", [0, -1.0, np.nan, "10", True])
    def test_what_is_no_time_is_refused(self, task, estimator, seconds):
        with pytest.raises(ValueError, match=f"max_seconds is {seconds!r}; expected a number > 0"):
            fitted(estimator, task, max_seconds=seconds)


@pytest.mark.parametrize(
    "estimator", [BudgetedBoostingClassifier(), SequencedRegressor(), BudgetedSVC()]
)
def test_a_prior_for_want_of_time_is_warned_of(estimator):
    task = "regression" if isinstance(estimator, SequencedRegressor) else "classification"
    text = "max_seconds=1e-09 was over before anything was learnt"
    with pytest.warns(UserWarning, match=text) as caught:
        estimator.set_params(max_seconds=1e-9).fit(*table(task))
    assert all(each.filename == __file__ for each in caught)


@pytest.mark.usefixtures("ticking")
class TestWhatIsDoneByThen:
    @pytest.mark.parametrize("kind", [BudgetedBoostingClassifier, BudgetedBoostingRegressor])
    def test_rounds(self, kind):
        task = "regression" if kind is BudgetedBoostingRegressor else "classification"
        whole, part = (fitted(kind(combine="vote"), task, max_seconds=s) for s in (None, 12.0))
        name = "explained_" if task == "regression" else "edges_"
        done = len(getattr(part, name))
        assert 3 <= done < len(getattr(whole, name))
        assert getattr(part, name).tolist() == getattr(whole, name)[:done].tolist()

    def test_each_budget_has_its_share_of_rounds(self):
        model = fitted(BudgetedBoostingClassifier(budget=[2, 4, 7], combine="vote"), max_seconds=60)
        rounds = [len(entry.stages) for entry in model.plan_.plan.outline.entries]
        assert len(rounds) == 3
        assert min(rounds) >= 5

    @pytest.mark.parametrize("seconds", [30.0, 60.0, 200.0])
    def test_stacking_weighs_the_rounds_that_are_done(self, seconds):
        model = fitted(BudgetedBoostingClassifier(), max_seconds=seconds)
        assert not model.in_time_
        assert model.plan_.plan.kind == "gam"
        X, y = table("classification")
        assert model.score(X, y) > 0.7

    def test_purchases_of_a_sequence(self):
        whole, part = (
            fitted(SequencedRegressor(), "regression", max_seconds=s) for s in (None, 2.5)
        )
        assert 0 < len(part.sequence_) < len(whole.sequence_)
        assert part.sequence_ == whole.sequence_[: len(part.sequence_)]

    def test_a_long_refit_of_a_generalised_model_ends_within(self):
        part = fitted(SequencedClassifier(), max_seconds=4.0)
        assert len(part.sequence_) == 1

    def test_prefixes_of_a_refit(self):
        whole, part = (
            fitted(
                RefitRegressor(Ridge(), order=[0, 1, 2, 3], validate=False),
                "regression",
                max_seconds=s,
            )
            for s in (None, 5.5)
        )
        assert 0 < len(part.models_) < len(whole.models_)
        assert part.prefix_lengths_.tolist() == whole.prefix_lengths_[: len(part.models_)].tolist()

    def test_a_support_vector_machine_has_its_incumbent_and_a_true_bound(self):
        whole, part = (fitted(BudgetedSVC(budget=[2, 4]), max_seconds=s) for s in (None, 40.0))
        assert part.budgets_.tolist() == whole.budgets_.tolist()
        assert (part.least_objective_ <= whole.objective_ * (1 + 1e-9)).all()
        assert (part.objective_ >= whole.least_objective_ * (1 - 1e-9)).all()

    def test_c_by_the_folds_that_are_complete(self):
        part = fitted(BudgetedSVC(budget=4, C=[0.01, 1.0]), max_seconds=400.0)
        assert not part.in_time_
        assert part.cv_errors_.any()
        none = fitted(BudgetedSVC(budget=4, C=[0.01, 1.0]), max_seconds=5.0)
        assert not none.cv_errors_.any()
        assert none.C_.tolist() == [0.01]

    def test_the_first_fold_prunes_whatever_the_time(self):
        whole, part = (fitted(BudgetedTreeClassifier(), max_seconds=s) for s in (None, 0.5))
        assert part.ccp_alpha_ > 0
        assert part.tree_.node_count <= whole.tree_.node_count * 3

    def test_calibration_passes_on_what_is_left(self):
        booster = BudgetedBoostingClassifier(combine="vote", n_rounds=100)
        model = fitted(CalibratedClassifier(booster), max_seconds=200.0)
        assert not model.in_time_
        assert 0 < len(model.estimator_.edges_) < 100


def test_an_inner_limit_only_shortens():
    with time_limit.time_limit(1e-9) as outer, time_limit.time_limit(100.0):
        assert time_limit.is_time_over()
    assert outer.was_hit
    with time_limit.time_limit(100.0) as outer:
        with time_limit.no_time_limit():
            assert time_limit.current_limit().seconds_left() == np.inf
        assert time_limit.current_limit() is outer
    assert not outer.was_hit
