"""The maps against scikit-learn's, and against slow ones written from their definitions."""

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import expit, log_softmax, softmax
from sklearn.calibration import _SigmoidCalibration
from sklearn.isotonic import IsotonicRegression
from sklearn.metrics import log_loss

from scrimp.data.target import Target
from scrimp.meta.calibration.calibrators import (
    Labelled,
    constant_calibrator,
    fit_isotonic,
    fit_sigmoid,
    fit_temperature,
)
from scrimp.plans.components.calibrators import IsotonicCalibrators, PowerCalibrators, class_odds


def two_classes(n=400, slope=0.4, seed=0):
    """Scores that are too sure by a factor, and weights."""
    rng = np.random.default_rng(seed)
    scores = rng.normal(scale=3.0, size=n)
    codes = (rng.random(n) < expit(slope * scores + 0.5)).astype(int)
    logs = Target("binary", np.arange(2)).log_probabilities(scores[:, None])
    return scores, Labelled(logs, codes, rng.uniform(0.5, 1.5, n))


def four_classes(n=600, seed=1):
    rng = np.random.default_rng(seed)
    scores = rng.normal(scale=2.0, size=(n, 4))
    truth = softmax(scores * [0.3, 0.6, 0.9, 1.2] + [0.0, 0.5, -0.5, 0.0], axis=1)
    codes = (truth.cumsum(axis=1) < rng.random((n, 1))).sum(axis=1)
    return Labelled(log_softmax(scores, axis=1), codes, np.ones(n))


def answers(fitted, logs):
    slope, shift = fitted
    return softmax(PowerCalibrators([slope], [shift]).log_weights(0, logs), axis=1)


def test_the_sigmoid_of_two_classes_is_platts():
    scores, rows = two_classes()
    theirs = _SigmoidCalibration().fit(scores, rows.codes, rows.weight)
    slope, shift = fit_sigmoid(rows)
    assert slope[0] == slope[1]
    assert slope[1] == pytest.approx(-theirs.a_, rel=1e-4)
    assert shift[1] - shift[0] == pytest.approx(-theirs.b_, rel=1e-3)
    np.testing.assert_allclose(
        answers((slope, shift), rows.logs)[:, 1], theirs.predict(scores), atol=1e-4
    )


def test_the_sigmoid_of_two_classes_stays_finite_where_scores_divide_them():
    scores = np.r_[np.full(10, -2.0), np.full(10, 2.0)]
    logs = Target("binary", np.arange(2)).log_probabilities(scores[:, None])
    said = answers(fit_sigmoid(Labelled(logs, np.repeat([0, 1], 10), np.ones(20))), logs)
    assert said[-1, 1] == pytest.approx(11 / 12, abs=1e-4)  # Platt's smoothed targets
    assert said[0, 1] == pytest.approx(1 / 12, abs=1e-4)


def test_scores_that_tell_the_wrong_way_round_are_not_turned():
    rows = two_classes(slope=-0.4)[1]
    slope, shift = fit_sigmoid(rows)
    assert slope.tolist() == [0.0, 0.0]
    frequency = np.average(rows.codes, weights=rows.weight)
    assert expit(shift[1] - shift[0]) == pytest.approx(frequency, abs=0.01)


def test_vector_scaling_is_the_least_penalised_loss():
    rows = four_classes()

    def objective(free):
        said = log_softmax(rows.logs * free[:4] + free[4:], axis=1)
        own = sum(said[row, code] for row, code in enumerate(rows.codes))
        return -own + 0.5 * (((free[:4] - 1.0) ** 2).sum() + (free[4:] ** 2).sum())

    slow = minimize(objective, np.r_[np.ones(4), np.zeros(4)], method="BFGS", tol=1e-9)
    slope, shift = fit_sigmoid(rows)
    np.testing.assert_allclose(np.r_[slope, shift], slow.x, atol=2e-4)


@pytest.mark.parametrize("rows", [two_classes()[1], four_classes()], ids=["two", "four"])
def test_a_temperature_is_the_best_single_slope(rows):
    slope, shift = fit_temperature(rows)
    assert len(set(slope)) == 1
    assert not shift.any()

    def penalised(t):
        said = softmax(t * rows.logs, axis=1)
        k = rows.logs.shape[1]
        loss = log_loss(rows.codes, said, sample_weight=rows.weight, labels=range(k))
        return loss * rows.weight.sum() + 0.5 * k * (t - 1.0) ** 2

    grid = np.linspace(0.05, 2.0, 400)
    best = grid[np.argmin([penalised(t) for t in grid])]
    assert slope[0] == pytest.approx(best, abs=0.006)


def test_isotonic_maps_of_two_classes_are_scikit_learns():
    scores, rows = two_classes()
    least = 1.0 / (rows.weight.sum() + 2.0)
    theirs = IsotonicRegression(y_min=least, y_max=1 - least, out_of_bounds="clip")
    theirs.fit(scores, rows.codes, sample_weight=rows.weight)
    maps = IsotonicCalibrators([fit_isotonic(rows)])
    new = np.linspace(-12, 12, 301)
    logs = Target("binary", np.arange(2)).log_probabilities(new[:, None])
    said = softmax(maps.log_weights(0, maps.inputs(logs)), axis=1)
    np.testing.assert_allclose(said[:, 1], theirs.predict(new), atol=1e-9)


def test_isotonic_maps_of_more_classes_are_one_curve_a_class_normalised():
    rows = four_classes()
    maps = IsotonicCalibrators([fit_isotonic(rows)])
    said = softmax(maps.log_weights(0, maps.inputs(rows.logs)), axis=1)
    q = np.exp(rows.logs)
    least = 1.0 / (len(q) + 2.0)
    curves = [
        IsotonicRegression(y_min=least, y_max=1 - least).fit_transform(
            np.log(q[:, k] / (1 - q[:, k])), rows.codes == k
        )
        for k in range(4)
    ]
    expected = np.stack(curves, axis=1) / np.sum(curves, axis=0)[:, None]
    np.testing.assert_allclose(said, expected, atol=1e-9)


def test_class_odds_are_those_of_one_class_against_all_others():
    q = softmax(np.random.default_rng(0).normal(size=(5, 3)), axis=1)
    np.testing.assert_allclose(class_odds(np.log(q)), np.log(q / (1 - q)), rtol=1e-12)


def test_a_constant_calibrator_answers_with_the_prior():
    maps = constant_calibrator(np.array([0.2, 0.5, 0.3]))
    said = softmax(maps.log_weights(0, np.random.default_rng(0).normal(size=(4, 3))), axis=1)
    np.testing.assert_allclose(said, np.tile([0.2, 0.5, 0.3], (4, 1)))


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: PowerCalibrators([[1.0]], [[1.0, 2.0]]), "slope and shift must be"),
        (lambda: PowerCalibrators([[-1.0, 1.0]], [[0.0, 0.0]]), "slope >= 0"),
        (lambda: IsotonicCalibrators([]), "one curve per grid point and class"),
        (lambda: IsotonicCalibrators([[([0.0, 1.0], [0.5])]]), "as many finite odds as weights"),
        (lambda: IsotonicCalibrators([[([0.0, 1.0], [0.5, 0.4])]]), "weights must not fall"),
        (lambda: IsotonicCalibrators([[([1.0, 1.0], [0.4, 0.5])]]), "odds of a curve must rise"),
    ],
)
def test_maps_that_do_not_fit_are_refused(make, text):
    with pytest.raises(ValueError, match=text):
        make()
