"""Calibration of probabilities: reliability diagram and expected calibration error."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..types import Floats

#: The name of the scorer, beside those of scikit-learn.
CALIBRATION = "neg_calibration_error"


def reliability(
    y: Any, probabilities: ArrayLike, classes: Any, n_bins: int = 15, sample_weight: Any = None
) -> tuple[Floats, Floats, Floats]:
    """Return mean probability, observed frequency and weight in bins of equal width.

    Parameters
    ----------
    y : array (rows,)
        The truth.
    probabilities : float array (rows, classes)
        Of two classes the probability of the second is binned; of more, that of the label.
    classes : array (classes,)
        Labels.
    n_bins : int
        Number of bins from 0 to 1; empty ones are left out.
    sample_weight : array (rows,), optional
        Weights of the rows.

    Returns
    -------
    predicted, observed, weight : float arrays (bins,)
        The mean probability, the frequency of the class, and the share of all rows.
    """
    table, labels = np.asarray(probabilities, dtype=np.float64), np.asarray(classes)
    if table.ndim != 2 or table.shape[1] != len(labels):
        raise ValueError(f"probabilities are {table.shape}; expected rows x {len(labels)} classes.")
    top = np.ones(len(table), dtype=np.intp) if len(labels) == 2 else table.argmax(axis=1)
    predicted = table[np.arange(len(table)), top]
    observed = (labels[top] == np.asarray(y)).astype(np.float64)
    weight = np.ones(len(table)) if sample_weight is None else np.asarray(sample_weight, float)
    bins = np.minimum((predicted * n_bins).astype(np.intp), n_bins - 1)
    mass = np.bincount(bins, weight, n_bins)
    filled = mass > 0
    mean_predicted, mean_observed = (
        np.bincount(bins, weight * values, n_bins)[filled] / mass[filled]
        for values in (predicted, observed)
    )
    return mean_predicted, mean_observed, mass[filled] / mass.sum()


def calibration_error(
    y: Any, probabilities: ArrayLike, classes: Any, n_bins: int = 15, sample_weight: Any = None
) -> float:
    """Return the expected calibration error: the mean gap between probability and frequency.

    Parameters
    ----------
    y, probabilities, classes, n_bins, sample_weight
        As in `reliability`.

    References
    ----------
    Guo, Pleiss, Sun, Weinberger. On Calibration of Modern Neural Networks. ICML 2017.

    Examples
    --------
    >>> round(calibration_error([0, 1, 1, 1], [[0.1, 0.9]] * 4, [0, 1]), 2)
    0.15
    """
    predicted, observed, weight = reliability(y, probabilities, classes, n_bins, sample_weight)
    return float(weight @ np.abs(predicted - observed))


def make_calibration_scorer() -> Callable[..., float]:
    """Return a scorer (estimator, X, y) of the negative calibration error."""

    def score(estimator: Any, X: Any, y: NDArray[Any], sample_weight: Any = None) -> float:
        probabilities = estimator.predict_proba(X)
        return -calibration_error(y, probabilities, estimator.classes_, sample_weight=sample_weight)

    return score
