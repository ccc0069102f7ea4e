r"""Probabilities from the scores of support vector machines.

The squared hinge loss is least in expectation for a score of :math:`2p - 1`, where p is the
probability of the class (Zhang 2004), so that log-odds are about twice the score, and more where
p is near 0 or 1. Scores are multiplied by the number that makes this right for the frequencies of
the classes, which are the probabilities before any purchase.

Zhang. Statistical behavior and consistency of classification methods based on convex risk
minimization. Annals of Statistics 2004.
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import log_softmax

from ...types import Floats

#: The range of the scale for more than two classes: many classes that are about equally frequent
#: say little about it.
_RANGE = (1.0, 4.0)
#: Below this, the score of the frequencies of two classes is so near 0 that the limit is taken.
_NEAR_ZERO = 1e-4


def log_odds_scale(frequencies: Floats) -> float:
    """Return what scores are multiplied by to be log-odds.

    >>> round(log_odds_scale(np.array([0.9, 0.1])), 3)
    2.747
    """
    scores = 2.0 * frequencies - 1.0
    if len(frequencies) > 2:
        loss = minimize_scalar(
            lambda scale: -float(frequencies @ log_softmax(scale * scores)),
            bounds=_RANGE, method="bounded",
        )  # fmt: skip
        return float(loss.x)
    score = float(scores[1])
    return float(2.0 * np.arctanh(score) / score) if abs(score) > _NEAR_ZERO else 2.0


def prior_scores(frequencies: Floats, scale: float) -> Floats:
    """Return the scores whose probabilities are the frequencies: one for two classes."""
    logs = np.log(frequencies) / scale
    if len(frequencies) == 2:
        return np.array([logs[1] - logs[0]])
    return np.asarray(logs - logs.mean() + 2.0 / len(frequencies) - 1.0)


def class_frequencies(targets: Floats, weights: Floats) -> Floats:
    """Return the frequencies by weight of classes that are coded as 1 against -1 for the rest."""
    shares = 0.5 * (targets @ weights / weights.sum() + 1.0)
    return np.array([1.0 - shares[0], shares[0]]) if len(shares) == 1 else shares
