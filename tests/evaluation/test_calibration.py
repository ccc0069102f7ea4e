"""Calibration error and reliability, against loops over their definition."""

import numpy as np
import pytest

from scrimp import BudgetedBoostingClassifier, Curve
from scrimp.datasets import load_heart
from scrimp.evaluation import calibration_error, reliability


def slow_error(y, said, right, n_bins):
    """Bin by bin, row by row."""
    total = 0.0
    for b in range(n_bins):
        inside = [
            i for i, p in enumerate(said)
            if b / n_bins <= p < (b + 1) / n_bins or (b == n_bins - 1 and p == 1.0)
        ]  # fmt: skip
        if inside:
            gap = np.mean([said[i] for i in inside]) - np.mean([right[i] for i in inside])
            total += len(inside) / len(said) * abs(gap)
    return total


@pytest.mark.parametrize("n_bins", [1, 7, 15])
def test_two_classes_are_judged_by_the_second(n_bins):
    rng = np.random.default_rng(0)
    second = np.r_[rng.random(300), 0.0, 1.0]
    y = (rng.random(302) < second**2).astype(int)
    table = np.stack([1 - second, second], axis=1)
    expected = slow_error(y, second, y, n_bins)
    assert calibration_error(y, table, [0, 1], n_bins) == pytest.approx(expected)
    assert expected > 0.05


def test_more_classes_are_judged_by_the_label():
    rng = np.random.default_rng(1)
    table = rng.dirichlet(np.ones(4), 400)
    y = rng.choice(["a", "b", "c", "d"], 400)
    right = np.array(["a", "b", "c", "d"])[table.argmax(axis=1)] == y
    expected = slow_error(y, table.max(axis=1), right, 15)
    assert calibration_error(y, table, ["a", "b", "c", "d"]) == pytest.approx(expected)


def test_weights_are_repetitions():
    rng = np.random.default_rng(2)
    second, y, times = rng.random(50), rng.integers(0, 2, 50), rng.integers(1, 4, 50)
    table = np.stack([1 - second, second], axis=1)
    weighted = calibration_error(y, table, [0, 1], sample_weight=times)
    repeated = calibration_error(np.repeat(y, times), np.repeat(table, times, axis=0), [0, 1])
    assert weighted == pytest.approx(repeated)


def test_reliability_leaves_out_empty_bins():
    said, true, weight = reliability([0, 1, 1, 1], [[0.9, 0.1]] * 2 + [[0.2, 0.8]] * 2, [0, 1])
    np.testing.assert_allclose(said, [0.1, 0.8])
    assert true.tolist() == [0.5, 1.0]
    assert weight.tolist() == [0.5, 0.5]


def test_a_table_of_another_shape_is_refused():
    with pytest.raises(ValueError, match=r"probabilities are \(2, 3\); expected rows x 2 classes"):
        calibration_error([0, 1], np.ones((2, 3)) / 3, [0, 1])


def test_a_curve_knows_the_scorer():
    heart = load_heart()
    model = BudgetedBoostingClassifier(heart.costs, n_rounds=20).fit(heart.X, heart.y)
    curve = Curve.from_estimator(
        model, heart.X, heart.y, budgets=[0.0, 30.0], scoring="neg_calibration_error"
    )
    said = model.predict_proba(heart.X, 30.0)
    assert curve.quality[1] == pytest.approx(-calibration_error(heart.y, said, [0, 1]))
    assert curve.best == 0.0
    with pytest.raises(ValueError, match="Did you mean 'neg_calibration_error'"):
        Curve.from_estimator(model, heart.X, heart.y, scoring="neg_calibration_eror")
