"""What stacking predicts: classes or numbers, with their losses and quadratic models."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import expit, log_softmax, softmax

from ...types import Floats

#: Results must not depend on rounding, as another order of columns has it.
_PRECISE = {"gtol": 1e-10, "ftol": 1e-15, "maxiter": 500}
#: The range of scales: the loss is never so far from its quadratic model.
_SCALES = (0.0, 5.0)


class Outcome(Protocol):
    """What is predicted for some rows, and its loss."""

    #: Weights of the rows, 1 in the mean.
    weights: Floats

    @property
    def prior(self) -> Floats:
        """The scores without any column (outputs,)."""

    @property
    def total(self) -> float:
        """The loss that there is to explain."""

    def quadratic(self, Z: Floats, scores: Floats) -> tuple[Floats, Floats]:
        """Return the Hessian and the negative gradient by the weights of functions.

        Parameters
        ----------
        Z : float array (rows, functions, outputs)
            The values of the functions.
        scores : float array (rows, outputs)
            Where the loss is developed; the intercept is at its best.
        """

    def calibrate(self, sums: Floats) -> tuple[Floats, float]:
        """Return the intercept and the scale of sums (rows x outputs) of least loss."""


@dataclass(frozen=True, eq=False)
class Classes:
    """Two or more classes, under the log loss.

    Parameters
    ----------
    labels : int array (rows,)
        Class numbers.
    weights : float array (rows,)
        Weights of the rows, 1 in the mean.
    n_classes : int
        The number of classes; two have one output, the log-odds of the second.
    """

    labels: NDArray[Any]
    weights: Floats
    n_classes: int

    @cached_property
    def prior(self) -> Floats:
        """The logits of the classes' shares; of two classes their difference.

        A share is above 0 also where some rows of many have none of its class.
        """
        masses = np.bincount(self.labels, self.weights, minlength=self.n_classes)
        masses = np.maximum(masses, 0.5)
        logs = np.log(masses / masses.sum())
        return np.asarray(logs[1:] - logs[0] if self.n_classes == 2 else logs - logs.mean())

    @property
    def total(self) -> float:
        """The number of rows, times that of classes less one: shares are then those of squares."""
        return float(self.weights.sum() * (self.n_classes - 1))

    @cached_property
    def _indicators(self) -> Floats:
        classes = np.arange(self.n_classes)[int(self.n_classes == 2) :]
        return np.asarray(self.labels[:, None] == classes, dtype=np.float64)

    def _probabilities(self, scores: Floats) -> Floats:
        return np.asarray(expit(scores) if self.n_classes == 2 else softmax(scores, axis=1))

    def quadratic(self, Z: Floats, scores: Floats) -> tuple[Floats, Floats]:
        """Return the terms of a Newton step, those of the intercept eliminated."""
        p, weights = self._probabilities(scores), self.weights[:, None]
        residuals = weights * (self._indicators - p)
        constants = np.broadcast_to(np.eye(p.shape[1]), (len(Z), p.shape[1], p.shape[1]))
        columns = np.concatenate([Z, constants], axis=1)  # rows x functions and constants x outputs
        hessian = np.zeros((columns.shape[1], columns.shape[1]))
        for k in range(p.shape[1]):
            part = np.sqrt(weights * p[:, k : k + 1]) * columns[:, :, k]
            hessian += part.T @ part
        mean = np.sqrt(weights) * np.einsum("ick,ik->ic", columns, p)
        hessian -= mean.T @ mean
        gradient, n = np.einsum("ick,ik->c", columns, residuals), Z.shape[1]
        cross = hessian[:n, n:] @ np.linalg.pinv(hessian[n:, n:])
        return hessian[:n, :n] - cross @ hessian[n:, :n], gradient[:n] - cross @ gradient[n:]

    def calibrate(self, sums: Floats) -> tuple[Floats, float]:
        """Fit a logistic regression of one slope, slightly held to the prior and to 1."""
        prior, y, weights = self.prior, self._indicators, self.weights[:, None]

        def penalised_loss(parameters: Floats) -> tuple[float, Floats]:
            scores = parameters[:-1] + parameters[-1] * sums
            residuals = weights * (self._probabilities(scores) - y)
            away = parameters - np.append(prior, 1.0)
            slopes = np.append(residuals.sum(axis=0), (residuals * sums).sum())
            return self.loss(scores) + 0.5 * float(away @ away), slopes + away

        result = minimize(
            penalised_loss, np.append(prior, 1.0), jac=True, method="L-BFGS-B", options=_PRECISE,
            bounds=[(None, None)] * len(prior) + [_SCALES],
        )  # fmt: skip
        return result.x[:-1], float(result.x[-1])

    def loss(self, scores: Floats) -> float:
        """Return the log loss of scores (rows x outputs), summed over the rows."""
        if self.n_classes == 2:
            losses = np.logaddexp(0.0, scores) - self._indicators * scores
        else:
            losses = -self._indicators * log_softmax(scores, axis=1)
        return float((self.weights[:, None] * losses).sum())

    def taken(self, rows: slice) -> Self:
        """Return some of the rows."""
        return replace(self, labels=self.labels[rows], weights=self.weights[rows])


@dataclass(frozen=True, eq=False)
class Numbers:
    """Numbers, under the squared loss over the variance of the residuals from the start.

    Parameters
    ----------
    residuals : float array (rows,)
        What is left to explain after the start.
    weights : float array (rows,)
        Weights of the rows, 1 in the mean.
    start : float
        The answer without any column.
    """

    residuals: Floats
    weights: Floats
    start: float

    @property
    def prior(self) -> Floats:
        """The start."""
        return np.array([self.start])

    @property
    def total(self) -> float:
        """The number of rows: residuals are in units of their spread."""
        return float(self.weights.sum())

    def quadratic(self, Z: Floats, scores: Floats) -> tuple[Floats, Floats]:
        """Return the squared loss, which is the same wherever it is developed."""
        variance = float(self.weights @ self.residuals**2) / self.total or 1.0
        weighted = self.weights[:, None] * Z[:, :, 0] / variance
        residuals = self.residuals - (scores[:, 0] - self.start)
        return weighted.T @ Z[:, :, 0], weighted.T @ residuals

    def calibrate(self, sums: Floats) -> tuple[Floats, float]:
        """Return the start and 1: the squared loss is its own quadratic model."""
        return self.prior, 1.0
