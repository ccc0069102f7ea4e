"""The losses of boosted trees: where scores start, their gradients, and the values of leaves."""

from __future__ import annotations

from concurrent.futures import Executor
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from ...kernels import tree_losses as kernels
from ...kernels.threads import run_pieces
from ...types import Floats, Ints

#: Rows whose gradients a thread computes at a time.
_PIECE = 65_536
#: Shares of classes, and rates of counts, are at least this in the initial scores.
_LEAST = 1e-9
_NUMBERS = {
    "squared": kernels.SQUARED,
    "absolute": kernels.ABSOLUTE,
    "quantile": kernels.QUANTILE,
    "poisson": kernels.POISSON,
}
#: The largest step of a leaf on a logarithmic scale: where a row is surely wrong its Hessian
#: vanishes, and a Newton step would have no bounds.
MAX_LOG_STEP = 4.0
#: For two classes, and for more.
_CLASSES = {
    "logistic": (kernels.LOGISTIC, kernels.SOFTMAX),
    "exponential": (kernels.EXPONENTIAL, kernels.EXPONENTIAL_MH),
}


@dataclass(frozen=True, eq=False)
class TreeLoss:
    """A loss on the training rows.

    Parameters
    ----------
    name : {"squared", "absolute", "quantile", "poisson", "logistic", "exponential"}
        The loss. With several classes ``logistic`` is the softmax loss, and ``exponential`` the
        sum of the exponential losses of each class against the rest (AdaBoost.MH).
    y : float array (rows,)
        Numbers, or labels 0, 1, ...
    weights : float array (rows,)
        Weights of the rows; one number if they are all equal.
    n_classes : int
        The number of classes; 0 for numbers.
    level : float
        The level of the quantile.
    """

    name: str
    y: Floats
    weights: Floats
    n_classes: int = 0
    level: float = 0.5

    @property
    def kind(self) -> int:
        """The number of the loss in the kernels."""
        if self.n_classes:
            return _CLASSES[self.name][self.n_classes > 2]
        return _NUMBERS[self.name]

    @property
    def n_outputs(self) -> int:
        """The number of scores of a row."""
        return self.n_classes if self.n_classes > 2 else 1

    @property
    def scale(self) -> float:
        """What turns scores into log-odds (Friedman et al. 2000)."""
        return 2.0 if self.name == "exponential" else 1.0

    def initial_scores(self, rows: Ints) -> Floats:
        """Return the constant scores of least loss on some rows (outputs,)."""
        y = self.y[rows]
        weights = np.broadcast_to(self.weights, self.y.shape)[rows]
        if self.n_classes:
            shares = np.bincount(y.astype(np.int64), weights, minlength=self.n_classes)
            shares = np.maximum(shares / shares.sum(), _LEAST)
            if self.n_classes > 2 and self.name == "logistic":
                return np.asarray(np.log(shares) - np.log(shares).mean())
            odds = np.log(shares / np.maximum(1.0 - shares, _LEAST)) / self.scale
            return np.asarray(odds[1:] if self.n_classes == 2 else odds)
        if self.name in ("absolute", "quantile"):
            return np.array([weighted_quantile(y, weights, self._level)])
        mean = float(np.average(y, weights=weights))
        return np.array([np.log(max(mean, _LEAST)) if self.name == "poisson" else mean])

    def prior_scores(self) -> Floats:
        """Return the scores that are the answer without any item (outputs,).

        The probabilities of several classes are the softmax of scores times `scale`. The best
        constants of AdaBoost.MH are log-odds of each class against the rest, of which that would
        not be the shares.
        """
        scores = self.initial_scores(np.arange(len(self.y)))
        if self.n_outputs == 1 or self.name != "exponential":
            return scores
        shares = expit(self.scale * scores)
        logs = np.log(np.maximum(shares, _LEAST))
        return np.asarray((logs - logs.mean()) / self.scale)

    @property
    def _level(self) -> float:
        return self.level if self.name == "quantile" else 0.5

    def write_gradients(
        self, scores: Floats, gradient: Floats, hessian: Floats, pool: Executor | None
    ) -> None:
        """Write the negative gradients and the Hessians of all rows (rows, outputs)."""

        def write(start: int) -> None:
            kernels.write_gradients(
                self.kind, self.level, self.y, self.weights, scores, gradient, hessian, start,
                min(start + _PIECE, len(scores)),
            )  # fmt: skip

        run_pieces(pool, write, range(0, len(scores), _PIECE))

    def mean(self, scores: Floats, rows: Ints) -> float:
        """Return the mean loss of some rows."""
        return float(kernels.mean_loss(self.kind, self.level, self.y, self.weights, scores, rows))

    def leaf_value(
        self, scores: Floats, gradient: Floats, hessian: Floats, rows: NDArray[np.uint32],
        ridge: float,
    ) -> Floats:  # fmt: skip
        """Return the step of a leaf with some rows: a Newton step, or the quantile of residuals."""
        if self.name in ("absolute", "quantile"):
            residuals = self.y[rows] - scores[rows, 0]
            weights = np.broadcast_to(self.weights, self.y.shape)[rows]
            return np.array([weighted_quantile(residuals, weights, self._level)])
        sums = np.zeros((2, gradient.shape[1]))
        kernels.add_leaf_sums(gradient, hessian, rows, sums)
        step = np.asarray(sums[0] / (sums[1] + ridge))
        return step if self.name == "squared" else np.clip(step, -MAX_LOG_STEP, MAX_LOG_STEP)


def weighted_quantile(values: Floats, weights: Floats, level: float) -> float:
    """Return the smallest value at which the share of the weight reaches a level."""
    order = np.argsort(values, kind="stable")
    mass = np.cumsum(weights[order])
    at = np.searchsorted(mass, level * mass[-1] * (1.0 - 1e-12))
    return float(values[order[min(at, len(order) - 1)]])
