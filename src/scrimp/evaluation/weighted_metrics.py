"""Metrics computed from weighted sums over rows, so that a resample is a weighting of the rows."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ..data.target import Target
from ..types import Floats, Ints


class Measure(Protocol):
    """The quality of answers on given rows, repeats included."""

    def __call__(self, rows: Ints, *, strict: bool = False) -> Floats:
        """Return one value per answer; undefined ones are NaN or, if strict, an error."""


def weighted_metric(
    name: str, target: Target, scores: Floats, y: NDArray[Any], weight: Floats | None
) -> Measure | None:
    """Return the measure of a scorer by its name, or None where the scorer must be called.

    Parameters
    ----------
    name : str
        Of a scikit-learn scorer.
    target : Target
        The kind of target of the scores.
    scores : float array (rows, answers, outputs)
        The answers.
    y : array (rows,)
        The truth.
    weight : float array (rows,), optional
        Weights of the rows.
    """
    weights = np.ones(len(y)) if weight is None else weight
    if name == "accuracy" and not target.is_number:
        right = target.labels(scores) == y[:, None]
        return weighted_mean(right.astype(np.float64), weights)
    if name == "r2" and target.is_number and np.ptp(y) > 0:
        return _r2(scores[..., 0], y, weights)
    has_all_classes = set(y.tolist()) == set(target.classes.tolist())
    if name == "roc_auc" and target.kind == "binary" and has_all_classes:
        return _roc_auc(scores[..., 0], y == target.classes[1], weights)
    if name == "neg_log_loss" and not target.is_number and has_all_classes:
        return weighted_mean(_log_likelihoods(target, scores, y), weights)
    return None


def _log_likelihoods(target: Target, scores: Floats, y: NDArray[Any]) -> Floats:
    """Return the logarithm of the probability of each row's own class (rows, answers).

    As in scikit-learn, no probability counts as less than the precision of a number.
    """
    class_numbers = np.searchsorted(target.classes, y)[:, None, None]
    probabilities = target.probabilities(scores)
    of_class = np.take_along_axis(probabilities, class_numbers, axis=-1)[..., 0]
    return np.asarray(np.log(np.maximum(of_class, np.finfo(np.float64).eps)))


def weighted_mean(values: Floats, weights: Floats) -> Measure:
    """Return the mean of values (rows, answers), such as whether an answer is right."""

    def measure(rows: Ints, *, strict: bool = False) -> Floats:
        w = np.bincount(rows, minlength=len(values)) * weights
        return np.asarray(w @ values / w.sum()) if w.any() else np.full(values.shape[1], np.nan)

    return measure


def _r2(predicted: Floats, y: Floats, weights: Floats) -> Measure:
    errors = (y[:, None] - predicted) ** 2
    centred = y - np.average(y, weights=weights)
    squares = centred**2

    def measure(rows: Ints, *, strict: bool = False) -> Floats:
        w = np.bincount(rows, minlength=len(y)) * weights
        moment = w @ squares
        variance = moment - (w @ centred) ** 2 / w.sum() if w.any() else 0.0
        if not variance > 1e-12 * moment:  # all resampled rows have the same y
            return np.full(errors.shape[1], np.nan)
        return np.asarray(1.0 - w @ errors / variance)

    return measure


def _roc_auc(decisions: Floats, positive: NDArray[np.bool_], weights: Floats) -> Measure:
    """Return the area under the ROC curve: ties between classes count half."""
    ranked = []
    for decision in decisions.T:
        order = decision.argsort()
        ties = np.flatnonzero(np.diff(decision[order], prepend=-np.inf) > 0)
        ranked.append((order, ties))

    def measure(rows: Ints, *, strict: bool = False) -> Floats:
        w = np.bincount(rows, minlength=len(positive)) * weights
        above, below = w * positive, w * ~positive
        pairs = above.sum() * below.sum()
        values = np.full(len(ranked), np.nan)
        for answer, (order, ties) in enumerate(ranked if pairs > 0 else ()):
            ups, downs = np.add.reduceat(above[order], ties), np.add.reduceat(below[order], ties)
            values[answer] = ups @ (np.cumsum(downs) - 0.5 * downs) / pairs
        return values

    return measure
