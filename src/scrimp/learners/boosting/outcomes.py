"""What stacking predicts: classes or numbers, with their losses and quadratic models."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import expit

from ...kernels.softmax import add_sloped_loss, softmax_rows
from ...types import Floats

#: Results must not depend on rounding, as another order of columns has it.
_PRECISE = {"gtol": 1e-10, "ftol": 1e-15, "maxiter": 500}
#: Of more classes than these, whose rows are few, less precise intercepts will do.
MANY_CLASSES = 256
_ROUGH = {"gtol": 1e-3, "ftol": 1e-7, "maxiter": 20}
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

    def quadratic(self, Z: Floats, scores: Floats) -> tuple[Floats, Floats]:
        """Return the terms of a Newton step, those of the intercept eliminated.

        The intercept has one indicator per output; its terms are written out, as a table of
        them would have the square of the outputs for each row.
        """
        p, _ = self._softmax(scores)
        weighted, n = self.weights[:, None] * p, Z.shape[1]
        of_functions = np.moveaxis(Z, 1, 0).reshape(n, p.size)  # functions x (rows and outputs)
        spread = of_functions * weighted.reshape(-1)
        mean = np.einsum("ick,ik->ic", Z, p)  # rows x functions
        weighted_mean = self.weights[:, None] * mean
        hessian = spread @ of_functions.T - weighted_mean.T @ mean
        cross = spread.reshape(n, *p.shape).sum(axis=1) - weighted_mean.T @ p
        of_intercept = np.diag(weighted.sum(axis=0)) - weighted.T @ p
        residuals = self.weights[:, None] * self._indicators - weighted
        step = self._solved(of_intercept, cross)
        gradient = np.einsum("ick,ik->c", Z, residuals) - step @ residuals.sum(axis=0)
        return hessian - step @ cross.T, gradient

    def _solved(self, of_intercept: Floats, cross: Floats) -> Floats:
        """Return the rows of `cross` times the pseudo-inverse.

        Of many classes it is found by a linear system: a constant that all outputs share
        changes no probability, and is the one direction in which the Hessian is singular.
        """
        if self.n_classes > MANY_CLASSES:
            whole = of_intercept + of_intercept.diagonal().mean() / self.n_classes
            with suppress(np.linalg.LinAlgError):  # a class that no row may have
                return np.linalg.solve(whole, cross.T).T
        return np.asarray(cross @ np.linalg.pinv(of_intercept, hermitian=True))

    def _softmax(self, scores: Floats) -> tuple[Floats, Floats]:
        """Return the probabilities (rows x outputs), and the log loss of each row."""
        if self.n_classes == 2:
            losses = np.logaddexp(0.0, scores) - self._indicators * scores
            return np.asarray(expit(scores)), losses[:, 0]
        p, log_totals = np.empty(scores.shape), np.empty(len(scores))
        softmax_rows(np.ascontiguousarray(scores), p, log_totals)
        return p, log_totals - scores[np.arange(len(scores)), self.labels]

    def calibrate(self, sums: Floats) -> tuple[Floats, float]:
        """Fit a logistic regression of one slope, slightly held to the prior and to 1."""
        held_to, sums = np.append(self.prior, 1.0), np.ascontiguousarray(sums)

        def penalised_loss(parameters: Floats) -> tuple[float, Floats]:
            loss, slopes = self._sloped_loss(sums, parameters)
            away = parameters - held_to
            return loss + 0.5 * float(away @ away), slopes + away

        result = minimize(
            penalised_loss, held_to, jac=True, method="L-BFGS-B",
            options=_PRECISE if self.n_classes <= MANY_CLASSES else _ROUGH,
            bounds=[(None, None)] * len(self.prior) + [_SCALES],
        )  # fmt: skip
        return result.x[:-1], float(result.x[-1])

    def _sloped_loss(self, sums: Floats, parameters: Floats) -> tuple[float, Floats]:
        """Return the log loss of scaled sums and an intercept, and its gradient."""
        intercept, scale = parameters[:-1], float(parameters[-1])
        if self.n_classes == 2:
            p, losses = self._softmax(intercept + scale * sums)
            residuals = self.weights[:, None] * (p - self._indicators)
            slopes = np.append(residuals.sum(axis=0), (residuals * sums).sum())
            return float(self.weights @ losses), slopes
        gradient = np.zeros(len(parameters))
        loss = add_sloped_loss(sums, intercept, scale, self.labels, self.weights, gradient)
        return float(loss), gradient

    def loss(self, scores: Floats) -> float:
        """Return the log loss of scores (rows x outputs), summed over the rows."""
        return float(self.weights @ self._softmax(scores)[1])

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
