"""Maps from log-probabilities to calibrated ones, fitted to rows with known classes.

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

#: What a departure from the identity costs, in rows: little where there are many.
_RIDGE = 1.0
#: A temperature keeps labels, so that it must not make all classes equal.
_LEAST_SLOPE = 1e-6
#: Log-probabilities closer than this do not tell rows apart.
_SAME = 1e-9


@dataclass(frozen=True, eq=False)
class Labelled:
    """Log-probabilities of rows that no label of their own has had a part in.

    Parameters
    ----------
    logs : float array (rows, classes)
        Log-probabilities.
    codes : int array (rows,)
        The true classes, as positions.
    weight : float array (rows,)
        With mean 1.
    """

    logs: Floats
    codes: Ints
    weight: Floats

    @property
    def counts(self) -> Floats:
        """The weight of each class."""
        return np.asarray(np.bincount(self.codes, self.weight, self.logs.shape[1]), np.float64)

    @property
    def is_flat(self) -> bool:
        """Whether all rows have the same probabilities, so that nothing can be fitted."""
        return bool(np.ptp(self.logs, axis=0).max(initial=0.0) < _SAME)


def prior_of(codes: Ints, weight: Floats, n_classes: int) -> Floats:
    """The frequencies of the classes."""
    counts = np.bincount(codes, weight, n_classes)
    return np.asarray(counts / counts.sum())


def fit_sigmoid(rows: Labelled) -> tuple[Floats, Floats]:
    """Slope and shift: Platt's sigmoid for two classes, vector scaling for more.

    Of two classes the log-odds are scaled and shifted, and the classes are smoothed as Platt
    has it. Of more, each class has its own slope and shift, and a ridge towards the identity.
    """
    k = rows.logs.shape[1]
    if k > 2:
        return _fit_power(rows, np.eye(k)[rows.codes], np.eye(2 * k), _RIDGE)
    first, second = rows.counts
    high, low = (second + 1.0) / (second + 2.0), 1.0 / (first + 2.0)
    truth = np.where(rows.codes == 1, high, low)
    # one slope for both classes, and a shift of the second
    ties = np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 0.0], [0.0, 1.0]])
    return _fit_power(rows, np.stack([1.0 - truth, truth], axis=1), ties, 0.0)


def fit_temperature(rows: Labelled) -> tuple[Floats, Floats]:
    """One slope for all classes and no shift: the labels stay."""
    k = rows.logs.shape[1]
    ties = np.repeat([[1.0], [0.0]], k, axis=0)
    return _fit_power(rows, np.eye(k)[rows.codes], ties, _RIDGE, _LEAST_SLOPE)


def _fit_power(
    rows: Labelled, truth: Floats, ties: Floats, ridge: float, least: float = 0.0
) -> tuple[Floats, Floats]:
    """The least cross entropy of softmax(slope * logs + shift) to the truth.

    `ties` (2 classes x parameters) says how slopes and shifts follow from the parameters.
    """
    n, k = rows.logs.shape
    size = np.abs(rows.logs).max()  # parameters of like size make a round valley
    logs, unit = rows.logs / size, np.repeat([1.0 / size, 1.0], k)
    identity = np.repeat([1.0, 0.0], k)

    def loss(free: Floats) -> tuple[float, Floats]:
        both = ties @ free
        predicted = log_softmax(logs * both[:k] + both[k:], axis=1)
        off = both * unit - identity
        value = -(rows.weight @ (truth * predicted).sum(axis=1)) + 0.5 * ridge * (off @ off)
        error = (np.exp(predicted) - truth) * rows.weight[:, None]
        slopes = (error * logs).sum(axis=0)
        gradient = np.concatenate([slopes, error.sum(axis=0)]) + ridge * off * unit
        return float(value / n), np.asarray(ties.T @ gradient / n)

    is_slope: list[bool] = [bool(column.any()) for column in ties[:k].T]
    found = minimize(
        loss, np.array(is_slope) * size, jac=True, method="L-BFGS-B",
        bounds=[(least * size, None) if slope else (None, None) for slope in is_slope],
        options={"maxiter": 500, "gtol": 1e-10, "ftol": 1e-15, "maxcor": 20},
    )  # fmt: skip
    both = (ties @ found.x) * unit
    return both[:k], both[k:]


def fit_isotonic(rows: Labelled) -> list[tuple[NDArray[Any], NDArray[Any]]]:
    """A curve a class, by isotonic regression on the log-odds.

    Weights stay a row's worth away from 0 and 1, so that no row is thought impossible.
    """
    odds, total = class_odds(rows.logs), rows.weight.sum()
    curves = []
    for k in range(odds.shape[1]):
        least = 1.0 / (total + 2.0)
        line = IsotonicRegression(y_min=least, y_max=1.0 - least, out_of_bounds="clip")
        line.fit(odds[:, k], (rows.codes == k).astype(np.float64), sample_weight=rows.weight)
        curves.append((line.X_thresholds_.astype(np.float64), line.y_thresholds_))
    return curves


def _power(fit: Callable[[Labelled], tuple[Floats, Floats]]) -> Callable[..., PowerCalibrators]:
    def maps(knots: list[Labelled]) -> PowerCalibrators:
        fitted = [fit(rows) for rows in knots]
        return PowerCalibrators([slope for slope, _ in fitted], [shift for _, shift in fitted])

    return maps


#: How the maps of all knots are fitted, by the name of the method.
METHODS: dict[str, Callable[[list[Labelled]], PowerCalibrators | IsotonicCalibrators]] = {
    "sigmoid": _power(fit_sigmoid),
    "isotonic": lambda knots: IsotonicCalibrators([fit_isotonic(rows) for rows in knots]),
    "temperature": _power(fit_temperature),
}


def constant_map(prior: Floats) -> PowerCalibrators:
    """The map for plans that say the same of all rows."""
    return PowerCalibrators(np.zeros((1, len(prior))), np.log(prior)[None])
