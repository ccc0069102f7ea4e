"""Hundreds of classes: the same answers in little memory."""

import tracemalloc

import numpy as np
import pytest
from scipy.optimize import check_grad
from scipy.special import log_softmax, softmax

from scrimp import BudgetedBoostingClassifier
from scrimp.kernels.softmax import add_sloped_loss
from scrimp.learners.boosting import outcomes
from scrimp.learners.boosting.outcomes import Classes
from scrimp.plans.components import step_functions
from scrimp.plans.components.step_functions import StepFunctions
from scrimp.plans.components.stumps import StumpTable


def problem(n_classes, n=120, n_functions=3):
    rng = np.random.default_rng(n_classes)
    Z = rng.normal(size=(n, n_functions, n_classes))
    weights = rng.uniform(0.5, 1.5, n)
    return Z, Classes(rng.integers(0, n_classes, n), weights / weights.mean(), n_classes)


def quadratic(Z, outcome, scores):
    """A Newton step with an indicator per output as one more function, row by row."""
    _, c, k = Z.shape
    hessian, gradient = np.zeros((c + k, c + k)), np.zeros(c + k)
    for z, score, label, weight in zip(Z, scores, outcome.labels, outcome.weights, strict=True):
        columns, p = np.vstack([z, np.eye(k)]), softmax(score)
        hessian += weight * columns @ (np.diag(p) - np.outer(p, p)) @ columns.T
        gradient += weight * columns @ (np.eye(k)[label] - p)
    cross = hessian[:c, c:] @ np.linalg.pinv(hessian[c:, c:], hermitian=True)
    return hessian[:c, :c] - cross @ hessian[c:, :c], gradient[:c] - cross @ gradient[c:]


@pytest.mark.parametrize("n_classes", [3, 40])
@pytest.mark.parametrize("many", [2, 256])
def test_the_quadratic_model_is_that_of_a_newton_step(n_classes, many, monkeypatch):
    monkeypatch.setattr(outcomes, "MANY_CLASSES", many)  # a linear system, or a pseudo-inverse
    Z, outcome = problem(n_classes)
    scores = 0.5 * Z[:, 0]
    for one, other in zip(outcome.quadratic(Z, scores), quadratic(Z, outcome, scores), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_the_quadratic_model_of_no_functions_is_empty(n_classes):
    outcome = Classes(np.arange(6) % n_classes, np.ones(6), n_classes)
    n_outputs = 1 if n_classes == 2 else n_classes
    hessian, gradient = outcome.quadratic(np.zeros((6, 0, n_outputs)), np.zeros((6, n_outputs)))
    assert (hessian.shape, gradient.shape) == ((0, 0), (0,))


def test_the_quadratic_model_needs_no_square_of_the_classes_per_row():
    Z, outcome = problem(300, n=1000)
    tracemalloc.start()
    outcome.quadratic(Z, Z[:, 0])
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 8 * Z.nbytes  # with a table of indicators more than 100 times as much


def test_the_sloped_loss_has_its_gradient():
    Z, outcome = problem(7)
    sums, weights = np.ascontiguousarray(Z[:, 0]), outcome.weights

    def loss(parameters):
        logs = log_softmax(parameters[:-1] + parameters[-1] * sums, axis=1)
        return -weights @ logs[np.arange(len(sums)), outcome.labels]

    def kernel(parameters):
        gradient = np.zeros(8)
        value = add_sloped_loss(
            sums, parameters[:-1], parameters[-1], outcome.labels, weights, gradient
        )
        return value, gradient

    parameters = np.append(np.linspace(-1.0, 1.0, 7), 0.7)
    assert kernel(parameters)[0] == pytest.approx(loss(parameters), rel=1e-12)
    assert check_grad(loss, lambda x: kernel(x)[1], parameters) < 1e-4


def test_rough_intercepts_are_nearly_the_best(monkeypatch):
    Z, outcome = problem(20, n=2000)
    intercept, scale = outcome.calibrate(Z[:, 0])
    monkeypatch.setattr(outcomes, "MANY_CLASSES", 2)
    rough, rough_scale = outcome.calibrate(Z[:, 0])
    best, near = (
        outcome.loss(a + b * Z[:, 0]) for a, b in ((intercept, scale), (rough, rough_scale))
    )
    assert best <= near * (1 + 1e-9)
    assert near < best * 1.001


def test_sums_of_many_stumps_are_a_product_of_matrices(monkeypatch):
    rng = np.random.default_rng(0)
    low, high = np.sort(rng.normal(size=(2, 30)), axis=0)
    low[::3] = -np.inf
    votes = rng.normal(size=(3, 30, 5))
    stumps = StumpTable(np.repeat([0, 2], 15), low, high, *votes)
    small = StepFunctions.from_stumps(stumps)
    monkeypatch.setattr(step_functions, "_MAX_CELLS", 0)
    large = StepFunctions.from_stumps(stumps)
    for name, array in small.arrays().items():
        np.testing.assert_allclose(large.arrays()[name], array, rtol=1e-12, atol=1e-12)


def test_three_hundred_classes_are_learnt():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1500, 2))
    y = np.argsort(np.argsort(X[:, 0])) // 5
    model = BudgetedBoostingClassifier(n_rounds=15).fit(X, y)
    p = model.predict_proba(X)
    np.testing.assert_allclose(p.sum(axis=1), 1.0)
    assert np.log(p[np.arange(1500), y]).mean() > np.log(1 / 300) + 0.1
