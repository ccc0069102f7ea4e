"""Calibrators: functions of log-probabilities, fitted to rows with known classes.

Platt, "Probabilistic outputs for support vector machines", 1999; Zadrozny and Elkan,
"Transforming classifier scores into accurate multiclass probability estimates", 2002; Guo,
Pleiss, Sun and Weinberger, "On Calibration of Modern Neural Networks", 2017.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import log_softmax
from sklearn.isotonic import IsotonicRegression

from ...plans.components.calibrators import IsotonicCalibrators, PowerCalibrators, class_odds
from ...types import Floats, Ints

#: Ridge penalty towards the identity, in rows: it fades where there are many rows.
RIDGE = 1.0
#: Lower bound of a temperature's slope, which must not make all classes equal.
MIN_SLOPE = 1e-6
#: A range of log-probabilities below this is no difference between rows.
MIN_RANGE = 1e-9


@dataclass(frozen=True, eq=False)
class Labelled:
    """Out-of-fold log-probabilities and the true classes.

    Parameters
    ----------
    logs : float array (rows, classes)
        Log-probabilities.
    codes : int array (rows,)
        The true class of each row, as a position.
    weight : float array (rows,)
        Weights with mean 1.
    """

    logs: Floats
    codes: Ints
    weight: Floats

    @property
    def counts(self) -> Floats:
        """The total weight of each class."""
        return np.asarray(np.bincount(self.codes, self.weight, self.logs.shape[1]), np.float64)

    @property
    def is_flat(self) -> bool:
        """Whether all rows have the same probabilities, so that nothing can be fitted."""
        return bool(np.ptp(self.logs, axis=0).max(initial=0.0) < MIN_RANGE)


def prior_of(codes: Ints, weight: Floats, n_classes: int) -> Floats:
    """Return the weighted frequency of each class."""
    counts = np.bincount(codes, weight, n_classes)
    return np.asarray(counts / counts.sum())


def fit_sigmoid(rows: Labelled) -> tuple[Floats, Floats]:
    """Return slopes and shifts: Platt's sigmoid for two classes, vector scaling for more.

    For two classes the log-odds are scaled and shifted, with Platt's smoothed targets. For
    more, each class has a slope and a shift, with a ridge penalty towards the identity.
    """
    k = rows.logs.shape[1]
    if k > 2:
        return _fit_power(rows, np.eye(k)[rows.codes], np.eye(2 * k), RIDGE)
    first, second = rows.counts
    high, low = (second + 1.0) / (second + 2.0), 1.0 / (first + 2.0)
    smoothed = np.where(rows.codes == 1, high, low)
    # one slope for both classes, and a shift of the second
    ties = np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 0.0], [0.0, 1.0]])
    return _fit_power(rows, np.stack([1.0 - smoothed, smoothed], axis=1), ties, 0.0)


def fit_temperature(rows: Labelled) -> tuple[Floats, Floats]:
    """Return one slope for all classes and no shift, which keeps the labels."""
    k = rows.logs.shape[1]
    ties = np.repeat([[1.0], [0.0]], k, axis=0)
    return _fit_power(rows, np.eye(k)[rows.codes], ties, RIDGE, MIN_SLOPE)


def _fit_power(
    rows: Labelled, targets: Floats, ties: Floats, ridge: float, min_slope: float = 0.0
) -> tuple[Floats, Floats]:
    """Minimise the cross entropy of softmax(slope * logs + shift) to the targets.

    `ties` (2 classes, parameters) maps the free parameters to slopes and shifts.
    """
    n, k = rows.logs.shape
    size = np.abs(rows.logs).max()  # parameters of like size condition the problem
    logs, unit = rows.logs / size, np.repeat([1.0 / size, 1.0], k)
    identity = np.repeat([1.0, 0.0], k)

    def loss(free: Floats) -> tuple[float, Floats]:
        both = ties @ free
        predicted = log_softmax(logs * both[:k] + both[k:], axis=1)
        offset = both * unit - identity
        value = -(rows.weight @ (targets * predicted).sum(axis=1)) + 0.5 * ridge * (offset @ offset)
        error = (np.exp(predicted) - targets) * rows.weight[:, None]
        both_sums = [(error * logs).sum(axis=0), error.sum(axis=0)]
        gradient = np.concatenate(both_sums) + ridge * offset * unit
        return float(value / n), np.asarray(ties.T @ gradient / n)

    is_slope: list[bool] = [bool(column.any()) for column in ties[:k].T]
    solution = minimize(
        loss, np.array(is_slope) * size, jac=True, method="L-BFGS-B",
        bounds=[(min_slope * size, None) if slope else (None, None) for slope in is_slope],
        options={"maxiter": 500, "gtol": 1e-10, "ftol": 1e-15, "maxcor": 20},
    )  # fmt: skip
    both = (ties @ solution.x) * unit
    return both[:k], both[k:]


def fit_isotonic(rows: Labelled) -> list[tuple[NDArray[Any], NDArray[Any]]]:
    """Return one curve per class, by isotonic regression on the log-odds.

    Weights stay one row away from 0 and 1, so that no probability is 0.
    """
    odds, total = class_odds(rows.logs), rows.weight.sum()
    curves = []
    for k in range(odds.shape[1]):
        lowest = 1.0 / (total + 2.0)
        line = IsotonicRegression(y_min=lowest, y_max=1.0 - lowest, out_of_bounds="clip")
        line.fit(odds[:, k], (rows.codes == k).astype(np.float64), sample_weight=rows.weight)
        curves.append((line.X_thresholds_.astype(np.float64), line.y_thresholds_))
    return curves


def _power(fit: Callable[[Labelled], tuple[Floats, Floats]]) -> Callable[..., PowerCalibrators]:
    def fit_grid(grid: list[Labelled]) -> PowerCalibrators:
        fitted = [fit(rows) for rows in grid]
        return PowerCalibrators([slope for slope, _ in fitted], [shift for _, shift in fitted])

    return fit_grid


#: Functions that fit the calibrators of a grid of budgets, by the name of the method.
METHODS: dict[str, Callable[[list[Labelled]], PowerCalibrators | IsotonicCalibrators]] = {
    "sigmoid": _power(fit_sigmoid),
    "isotonic": lambda grid: IsotonicCalibrators([fit_isotonic(rows) for rows in grid]),
    "temperature": _power(fit_temperature),
}


def constant_calibrator(prior: Floats) -> PowerCalibrators:
    """Return the calibrator of plans that predict the same for all rows."""
    return PowerCalibrators(np.zeros((1, len(prior))), np.log(prior)[None])
