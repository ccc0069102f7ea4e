"""The ridge of linear models with few rows."""

import numpy as np
import pytest
from sklearn.linear_model import Ridge

from scrimp import SequencedClassifier, SequencedPoissonRegressor, SequencedRegressor
from scrimp.learners.linear.families import FAMILIES
from scrimp.learners.linear.glm_path import Sample
from scrimp.learners.linear.moments import Moments
from scrimp.learners.linear.ridge_penalty import (
    ALPHAS,
    LEAST_ALPHA,
    chosen_penalty,
    least_squares_alpha,
)


def noisy(n, d, seed=0):
    """Rows of which one column tells something, and 500 more to test on."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n + 500, d))
    z = X[:, 0] + 1.5 * rng.normal(size=n + 500)
    return X[:n], z[:n], X[n:], z[n:]


@pytest.mark.parametrize(("n", "d"), [(60, 40), (60, 90)])
def test_numbers_of_few_rows_are_no_worse_than_the_mean(n, d):
    ratios = []
    for seed in range(5):
        X, y, X_test, y_test = noisy(n, d, seed)
        errors = [
            ((SequencedRegressor(alpha=alpha).fit(X, y).predict(X_test) - y_test) ** 2).mean()
            for alpha in ("auto", 1e-5)
        ]
        ratios.append(np.array(errors) / y_test.var())
    auto, least = np.mean(ratios, axis=0)
    assert auto < 1.05
    assert least > 1.5


def test_classes_of_few_rows_have_a_smaller_log_loss_than_their_shares():
    losses = []
    for seed in range(3):
        X, z, X_test, z_test = noisy(80, 50, seed)
        for alpha in ("auto", 1e-5):
            model = SequencedClassifier(alpha=alpha, max_iter=2000).fit(X, z > 0)
            p = model.predict_proba(X_test)[np.arange(500), (z_test > 0).astype(int)]
            losses.append(-np.log(np.maximum(p, 1e-9)).mean())
    auto, least = np.reshape(losses, (3, 2)).mean(axis=0)
    assert auto < np.log(2)
    assert least > 2 * np.log(2)


def test_counts_of_few_rows_too():
    X, z, _, _ = noisy(60, 30)
    y = np.random.default_rng(0).poisson(np.exp(0.3 * z))
    assert SequencedPoissonRegressor().fit(X, y).alpha_ > LEAST_ALPHA


def test_of_many_rows_the_ridge_is_that_of_the_thesis():
    X, z, _, _ = noisy(2_000, 3)
    assert SequencedRegressor().fit(X, z).alpha_ == LEAST_ALPHA
    assert SequencedClassifier().fit(X, z > 0).alpha_ == LEAST_ALPHA


def test_a_prefix_has_its_part_of_the_ridge():
    X, z, _, _ = noisy(80, 20)
    weight = np.full(80, 1 / 80)
    sample = Sample(X, (z > 0)[:, None].astype(float), weight)
    penalty = chosen_penalty("auto", sample, FAMILIES["logistic"])
    assert penalty.alpha > LEAST_ALPHA
    assert penalty.of(10) == pytest.approx(max(penalty.alpha / 2, LEAST_ALPHA))
    assert chosen_penalty(0.5, sample, FAMILIES["logistic"]).of(3) == 0.5


def test_generalised_cross_validation_is_that_of_the_hat_matrix():
    X, y, _, _ = noisy(70, 8)
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    t = (y - y.mean()) / y.std()
    criteria = []
    for alpha in ALPHAS:
        hat = Z @ np.linalg.solve(Z.T @ Z + 70 * alpha * np.eye(8), Z.T)
        residual = ((t - hat @ t) ** 2).sum()
        criteria.append(residual / (1 - (1 + np.trace(hat)) / 70) ** 2)
        fitted = Ridge(alpha=70 * alpha, fit_intercept=False).fit(Z, t).predict(Z)
        np.testing.assert_allclose(hat @ t, fitted, atol=1e-8)
    moments = Moments(8, 1).add(X, y[:, None])
    assert least_squares_alpha("auto", moments) == ALPHAS[int(np.argmin(criteria))]


def test_other_words_are_refused():
    X, y, _, _ = noisy(30, 3)
    for model in (SequencedRegressor(alpha="cv"), SequencedClassifier(alpha="cv")):
        with pytest.raises(ValueError, match=r"alpha is 'cv'; expected a finite number >= 0, or"):
            model.fit(X, y > 0)
