"""SequencedClassifier and SequencedPoissonRegressor."""

import warnings
from typing import Any

import numpy as np
import polars as pl
import pytest
from scipy import sparse
from sklearn.linear_model import LogisticRegression, PoissonRegressor

from scrimp import (
    Costs,
    SequencedClassifier,
    SequencedPoissonRegressor,
    check_budgeted_estimator,
    load,
    save,
)
from tests.naive import sequencing

COSTS = Costs.per_group([0, 0, 1, 1, 2, 2, 3, 3, 3], [4.0, 3.0, 2.0, 1.0])
GROUPS = [np.array(own) for own in COSTS.columns]


@pytest.fixture
def rows():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 9)) @ rng.normal(size=(9, 9)) + 5.0
    signal = (X - X.mean(axis=0)) @ rng.normal(size=(9, 3)) / 4.0
    return X, (signal + rng.gumbel(size=signal.shape)).argmax(axis=1), signal


@pytest.mark.parametrize("criterion", ["omp", "forward"])
def test_they_keep_the_promises_of_every_estimator(criterion):
    model = SequencedClassifier(criterion=criterion, doubling=True)
    check_budgeted_estimator(model, max_examples=5)


@pytest.mark.parametrize("family", ["logistic", "multinomial", "poisson"])
@pytest.mark.parametrize("seed", range(3))
def test_the_order_is_that_of_refits_from_scratch(family, seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(80, 9)) @ rng.normal(size=(9, 9))
    eta = X @ rng.normal(size=(9, 3)) / 6.0
    prices = rng.uniform(0.5, 2.0, 4)
    costs = Costs.per_group(np.repeat([0, 1, 2, 3], [2, 2, 2, 3]), prices)
    if family == "poisson":
        y = rng.poisson(np.exp(np.clip(eta[:, 0], -3, 2)))
        model, Y = SequencedPoissonRegressor(costs, alpha=0.01), y[:, None].astype(float)
    else:
        y = (eta + rng.gumbel(size=eta.shape)).argmax(axis=1)
        y = y == 1 if family == "logistic" else y
        model = SequencedClassifier(costs, alpha=0.01)
        Y = y[:, None].astype(float) if family == "logistic" else np.eye(3)[y]
    expected = sequencing.pursue_glm(X, Y, GROUPS, prices, 0.01, family)
    assert model.fit(X, y).sequence_ == [str(g) for g in expected]


def test_the_last_model_is_scikit_learns(rows):
    X, y, _ = rows
    model = SequencedClassifier(COSTS, criterion="no-whiten", alpha=1e-9, tol=1e-9).fit(X, y)
    own = LogisticRegression(C=1e6, tol=1e-9, max_iter=5000).fit((X - X.mean(0)) / X.std(0), y)
    theirs = own.predict_proba((X - X.mean(0)) / X.std(0))
    np.testing.assert_allclose(model.predict_proba(X), theirs, atol=1e-3)
    counts = np.random.default_rng(0).poisson(np.exp(np.clip(rows[2][:, 0], -3, 2)))
    ours = SequencedPoissonRegressor(COSTS, alpha=0.0).fit(X, counts)
    other = PoissonRegressor(alpha=0.0, tol=1e-10, max_iter=10_000).fit(X, counts)
    np.testing.assert_allclose(ours.predict(X), other.predict(X), rtol=1e-3)


@pytest.mark.parametrize("criterion", ["omp", "forward", "single", "no-whiten"])
def test_what_is_explained_rises_along_the_order(rows, criterion):
    X, y, _ = rows
    for labels in (y, y == 1):
        model = SequencedClassifier(COSTS, criterion=criterion).fit(X, labels)
        assert len(model.sequence_) == 4
        assert (np.diff(model.explained_) > 0).all()
        shares = np.mean(np.asarray(labels)[:, None] == model.classes_, axis=0)
        np.testing.assert_allclose(model.predict_proba(X[:1], 0.0)[0], shares)


def test_sparse_frames_and_files_agree(rows, tmp_path):
    X, y, _ = rows
    X = np.where(np.abs(X) > 5.0, X, 0.0)
    plain = SequencedClassifier(COSTS).fit(X, y)
    frame = pl.DataFrame(X)
    for other, given in (
        (SequencedClassifier(COSTS).fit(sparse.csr_array(X), y), sparse.csr_array(X)),
        (SequencedClassifier(COSTS).fit(frame, y), frame),
    ):
        assert other.sequence_ == plain.sequence_
        np.testing.assert_allclose(
            other.predict_proba(given, 5.0), plain.predict_proba(X, 5.0), atol=1e-6
        )
    save(plain, tmp_path / "m.scrimp")
    np.testing.assert_array_equal(
        load(tmp_path / "m.scrimp").predict(X, 5.0), plain.predict(X, 5.0)
    )


def test_counts_survive_saving(rows, tmp_path):
    X, _, signal = rows
    y = np.random.default_rng(0).poisson(np.exp(np.clip(signal[:, 0], -3, 2)))
    model = SequencedPoissonRegressor(COSTS).fit(X, y)
    assert (model.predict(X, 4.0) > 0).all()
    assert model.predict(X, 0.0) == pytest.approx(y.mean())
    save(model, tmp_path / "m.scrimp")
    np.testing.assert_array_equal(
        load(tmp_path / "m.scrimp").predict(X, 4.0), model.predict(X, 4.0)
    )


@pytest.mark.parametrize(
    ("learner", "settings", "y", "text"),
    [
        (SequencedClassifier, {}, [1] * 300, "y holds one class only"),
        (SequencedClassifier, {"criterion": "best"}, None, "criterion is 'best'"),
        (SequencedClassifier, {"max_iter": 0}, None, "max_iter is 0; expected"),
        (SequencedClassifier, {"tol": 0.0}, None, "tol is 0.0; expected"),
        (SequencedPoissonRegressor, {}, [-1.0] * 300, "must hold counts or rates"),
        (SequencedPoissonRegressor, {}, [0.0] * 300, "must hold counts or rates"),
    ],
)
def test_bad_input_is_refused(rows, learner, settings, y, text):
    with pytest.raises(ValueError, match=text):
        learner(COSTS, **settings).fit(rows[0], rows[1] if y is None else y)


def test_a_refit_that_does_not_end_says_so(rows):
    from sklearn.exceptions import ConvergenceWarning

    with pytest.warns(ConvergenceWarning, match=r"4 of 4 refits ended after max_iter=1 steps"):
        SequencedClassifier(COSTS, max_iter=1, tol=1e-12).fit(*rows[:2])


@pytest.mark.parametrize("learner", [SequencedClassifier, SequencedPoissonRegressor])
@pytest.mark.parametrize("constant", [0.1, 7.3, 1e6])
def test_a_constant_is_not_bought(learner: Any, constant: float) -> None:
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(size=(1001, 2)), np.full(1001, constant)])
    y = (X[:, 0] + rng.normal(size=1001) > 0).astype(int)
    assert learner().fit(X, y).sequence_ == ["x0", "x1"]


def test_counts_far_outside_the_training_are_finite():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 2))
    y = rng.poisson(np.exp(X[:, 0]))
    model = SequencedPoissonRegressor().fit(X, y)
    far = np.array([[1e3, 0.0], [1e300, 0.0], [-1e300, 0.0], [700.0, 0.0]])
    counts = model.predict(far)
    assert counts[:2] == pytest.approx(1000 * y.max())
    assert np.isfinite(counts.sum())
    near = X + np.array([2.0, 0.0])  # a little beyond the training nothing is changed
    np.testing.assert_allclose(
        model.predict(near), np.exp(model.sweep(near, [2.0]).scores[:, 0, 0])
    )
    assert counts[2] == 0.0
    session = model.session(known={"x0": 1e300, "x1": 0.0})
    assert session.read().label == counts[1]


@pytest.mark.parametrize("largest", [1e-320, 1e-300, 1e300])
def test_extreme_rates_have_a_limit(largest):
    X = np.linspace(-1, 1, 30)[:, None]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = SequencedPoissonRegressor().fit(X, np.where(X[:, 0] > 0, largest, 0.0))
    assert np.isfinite(model.predict([[1e9]])).all()
