r"""Losses of streams: gradients at partial sums, and the constants that steps and bounds need.

All have a ridge: :math:`\ell(y) + \lambda\|y\|^2` for scores y. Scores are arrays (rows, outputs),
and so are targets: numbers, -1 and 1 for two classes, one column of 0 and 1 per class for more.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import softmax, xlogy

from ...types import Floats

#: Losses of each task; the first is the default.
CLASS_LOSSES = ("logistic", "hinge")
NUMBER_LOSSES = ("squared", "absolute", "quantile", "poisson")
#: Losses whose gradients jump; they are boosted with residual projection (Alg. 7).
NONSMOOTH = ("hinge", "absolute", "quantile")


@dataclass(frozen=True)
class StreamLoss:
    """A convex loss of the scores of a row, with a ridge.

    Parameters
    ----------
    name : str
        One of those above, or ``multinomial``, the logistic loss of several classes.
    ridge : float
        The factor of the squared norm of the scores.
    quantile : float
        Of the quantile loss.
    """

    name: str
    ridge: float = 0.0
    quantile: float = 0.5

    @property
    def is_smooth(self) -> bool:
        """Whether gradients are continuous, so that Alg. 6 applies."""
        return self.name not in NONSMOOTH

    def values(self, scores: Floats, targets: Floats) -> Floats:
        """Return the loss of each row."""
        with np.errstate(over="ignore"):  # of targets near the largest number
            plain: Floats = getattr(self, f"_{self.name}")(scores, targets).sum(axis=1)
            return plain + self.ridge * (scores**2).sum(axis=1) if self.ridge else plain

    def excess(self, scores: Floats, targets: Floats) -> Floats:
        """Return by how much the loss of each row is above the least one, ridge aside."""
        values = self.values(scores, targets)
        if self.name != "poisson":
            return values  # of all others it is 0
        return np.asarray(values - (targets - xlogy(targets, targets)).sum(axis=1))

    def gradients(self, scores: Floats, targets: Floats) -> Floats:
        """Return the gradient of each row; a subgradient where there are several."""
        slope: Floats = getattr(self, f"_{self.name}_slope")(scores, targets)
        return slope + 2.0 * self.ridge * scores if self.ridge else slope

    def best_constant(self, y: Floats, weights: Floats) -> Floats:
        """Return the scores (outputs,) that are best for all rows together, about.

        Probabilities are those of one more row of each class, as a few rows may lack one.
        """
        total = weights.sum()
        if self.name in ("absolute", "quantile"):
            order = np.argsort(y[:, 0], kind="stable")
            level = self.quantile if self.name == "quantile" else 0.5
            reached = np.searchsorted(np.cumsum(weights[order]), level * total)
            return np.asarray(y[order[min(int(reached), len(y) - 1)]])
        mean = weights @ y / total
        if self.name == "squared":
            return np.asarray(mean)
        if self.name == "poisson":
            return np.asarray(np.log((mean * total + 0.5) / (total + 0.5)))
        if self.name == "multinomial":
            logs = np.log((mean * total + 1.0) / (total + y.shape[1]))
            return np.asarray(logs - logs.mean())
        share = ((1.0 + mean) / 2.0 * total + 1.0) / (total + 2.0)
        log_odds = np.log(share) - np.log1p(-share)
        return np.asarray(np.clip(log_odds, -1.0, 1.0) if self.name == "hinge" else log_odds)

    def smoothness(self, bound: float) -> float:
        """Return the largest second derivative, of scores up to a bound; infinite if none."""
        curvature = {
            "squared": 1.0, "logistic": 0.25, "multinomial": 0.5, "poisson": float(np.exp(bound)),
        }.get(self.name, np.inf)  # fmt: skip
        return curvature + 2.0 * self.ridge

    def convexity(self, bound: float) -> float:
        """Return the least second derivative, of scores up to a bound."""
        curvature = {
            "squared": 1.0, "poisson": float(np.exp(-bound)),
            "logistic": float(0.25 / np.cosh(bound / 2.0) ** 2),
        }.get(self.name, 0.0)  # fmt: skip
        return curvature + 2.0 * self.ridge

    def _squared(self, scores: Floats, targets: Floats) -> Floats:
        return 0.5 * (scores - targets) ** 2

    def _squared_slope(self, scores: Floats, targets: Floats) -> Floats:
        return scores - targets

    def _logistic(self, scores: Floats, targets: Floats) -> Floats:
        return np.logaddexp(0.0, -targets * scores)

    def _logistic_slope(self, scores: Floats, targets: Floats) -> Floats:
        margins = np.clip(targets * scores, -700.0, 700.0)
        return -targets / (1.0 + np.exp(margins))

    def _multinomial(self, scores: Floats, targets: Floats) -> Floats:
        log_sums = np.logaddexp.reduce(scores, axis=1, keepdims=True)
        return targets * (log_sums - scores)

    def _multinomial_slope(self, scores: Floats, targets: Floats) -> Floats:
        return np.asarray(softmax(scores, axis=1) - targets)

    def _poisson(self, scores: Floats, targets: Floats) -> Floats:
        return np.exp(np.minimum(scores, 700.0)) - targets * scores

    def _poisson_slope(self, scores: Floats, targets: Floats) -> Floats:
        return np.exp(np.minimum(scores, 700.0)) - targets

    def _absolute(self, scores: Floats, targets: Floats) -> Floats:
        return np.abs(scores - targets)

    def _absolute_slope(self, scores: Floats, targets: Floats) -> Floats:
        return np.sign(scores - targets)

    def _quantile(self, scores: Floats, targets: Floats) -> Floats:
        short = targets - scores
        return np.maximum(self.quantile * short, (self.quantile - 1.0) * short)

    def _quantile_slope(self, scores: Floats, targets: Floats) -> Floats:
        return (scores > targets) * (1.0 - self.quantile) - (scores < targets) * self.quantile

    def _hinge(self, scores: Floats, targets: Floats) -> Floats:
        return np.maximum(0.0, 1.0 - targets * scores)

    def _hinge_slope(self, scores: Floats, targets: Floats) -> Floats:
        return np.where(targets * scores < 1.0, -targets, 0.0)
