"""A generalised linear model that grows by one group of inputs at a time, refitted each time."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations_with_replacement
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from ...runtime.time_limit import is_time_over
from ...types import Floats
from .families import Family

#: Coefficients up to which L-BFGS is followed by Newton steps: each forms a whole Hessian.
_NEWTON_SIZE = 200
#: The most Newton steps; near the optimum a few are enough.
_NEWTON_STEPS = 50


#: Cells of a block of rows: its predictors, means and responses fit in a cache together.
_BLOCK_CELLS = 1 << 16
#: Second derivatives of a block of rows: fewer make more, smaller matrix products.
_HESSIAN_CELLS = 1 << 20


def _row_blocks(n_rows: int, width: int, cells: int = _BLOCK_CELLS) -> list[slice]:
    """Return slices of rows that hold about so many numbers each."""
    step = max(cells // width, 1)
    return [slice(start, start + step) for start in range(0, n_rows, step)]


def _end_in_time(x: Floats) -> None:
    """End a minimisation, which keeps the best point so far, when the time is over."""
    if is_time_over():
        raise StopIteration


@dataclass(frozen=True, eq=False)
class Sample:
    """Rows with their responses (rows x outputs) and weights that sum to 1."""

    X: Any
    Y: Floats
    weight: Floats


class GlmPath:
    """A model that grows by one group at a time.

    Parameters
    ----------
    sample : Sample
        The rows.
    family : Family
        The loss.
    alpha : float
        The ridge on the coefficients of the inputs; the intercept has none.
    max_iter, tol : int, float
        When a refit ends.

    Attributes
    ----------
    alpha : float
        The ridge of the next refit.
    """

    def __init__(
        self, sample: Sample, family: Family, alpha: float, max_iter: int, tol: float
    ) -> None:
        self._sample, self._family, self.alpha = sample, family, alpha
        self._max_iter, self._tol = max_iter, tol
        n, k = sample.Y.shape
        self._inputs = np.empty((n, 0), dtype=sample.X.dtype)
        middle = family.link(sample.weight @ sample.Y)
        #: The intercept, then one row per column of the inputs.
        self.model = np.asarray(middle, dtype=np.float64).reshape(1, k)
        self.unfinished = self.n_iter = 0

    def grow(self, new: NDArray[Any]) -> float:
        """Add inputs, refit with a warm start, and return the loss."""
        self._inputs = np.hstack([self._inputs, new])
        start = np.vstack([self.model, np.zeros((new.shape[1], self.model.shape[1]))])
        solution = minimize(
            self._objective, start.ravel(), jac=True, method="L-BFGS-B", callback=_end_in_time,
            options={"maxiter": self._max_iter, "gtol": self._tol, "ftol": 1e-12, "maxcor": 20},
        )  # fmt: skip
        self.n_iter = max(self.n_iter, int(solution.nit))
        self.unfinished += solution.nit >= self._max_iter
        self.model = solution.x.reshape(start.shape)
        if self.model.size <= _NEWTON_SIZE:
            self._polish()
        if self.model.shape[1] > 1:  # a shift of all classes changes nothing: take the least
            self.model -= self.model.mean(axis=1, keepdims=True)
        return self.loss

    def _polish(self) -> None:
        """Take Newton steps from near the optimum until rounding ends them."""
        loss, gradient = self._objective(self.model.ravel())
        for _ in range(_NEWTON_STEPS):
            if is_time_over():
                return
            step = np.linalg.lstsq(self._hessian(self.model), gradient, rcond=None)[0]
            for part in (1.0, 0.5, 0.25, 0.125):
                better = self.model.ravel() - part * step
                lower, after = self._objective(better)
                # near the optimum the loss is flat: only its gradient still tells points apart
                flat = abs(lower - loss) <= 1e-12 * abs(loss)
                shorter = np.linalg.norm(after) < np.linalg.norm(gradient)
                if shorter if flat else lower < loss:
                    break
            else:
                return
            self.model, loss, gradient = better.reshape(self.model.shape), lower, after

    def _hessian(self, model: Floats) -> Floats:
        """Return the Hessian of the loss by a model's entries, row by row."""
        d, k = model.shape
        hessian = np.zeros((d, k, d, k))
        for rows in _row_blocks(len(self._inputs), max(k * k, d), _HESSIAN_CELLS):
            part = self._inputs[rows]
            inputs = np.column_stack([np.ones(len(part)), part]).astype(np.float64)
            eta = self._predictors(model, rows)
            curvature = self._family.curvature(eta, self._sample.weight[rows])
            for one, other in combinations_with_replacement(range(k), 2):
                products = (inputs * curvature[:, one, other, None]).T @ inputs
                hessian[:, one, :, other] += products
                if one != other:
                    hessian[:, other, :, one] += products
        ridge = np.full(d * k, self.alpha)
        ridge[:k] = 0.0
        return np.asarray(hessian.reshape(d * k, d * k) + np.diag(ridge))

    def quadratic(self, model: Floats) -> tuple[Floats, Floats]:
        """Return the quadratic model of the loss at some model: its Hessian and linear term."""
        hessian, gradient = self._hessian(model), self._objective(model.ravel())[1]
        return hessian, hessian @ model.ravel() - gradient

    @property
    def loss(self) -> float:
        """The loss, penalty included."""
        return float(self._objective(self.model.ravel())[0])

    def residual(self) -> Floats:
        """Return weighted residuals of the responses (rows x outputs)."""
        sample = self._sample
        residual: Floats = np.empty(sample.Y.shape)
        for rows in _row_blocks(len(residual), residual.shape[1]):
            expected = self._family.value_and_mean(self._predictors(self.model, rows))[1]
            residual[rows] = (sample.Y[rows] - expected) * sample.weight[rows, None]
        return residual

    def _predictors(self, model: Floats, rows: slice) -> Floats:
        inputs = self._inputs[rows]
        weights = model[1:].astype(inputs.dtype)
        eta = np.asarray(inputs @ weights, dtype=np.float64)
        eta += model[0]
        return eta

    def _objective(self, flat: Floats) -> tuple[float, Floats]:
        model = flat.reshape(-1, self._sample.Y.shape[1])
        gradient, loss = np.zeros_like(model), 0.0
        for rows in _row_blocks(*self._sample.Y.shape):
            inputs, Y, weight = self._inputs[rows], self._sample.Y[rows], self._sample.weight[rows]
            eta = self._predictors(model, rows)
            phi, error = self._family.value_and_mean(eta)
            loss += float(weight @ (phi - (Y * eta).sum(axis=1)))
            error -= Y
            error *= weight[:, None]
            gradient[0] += error.sum(axis=0)
            gradient[1:] += inputs.T @ error.astype(inputs.dtype, copy=False)
        loss += 0.5 * self.alpha * float((model[1:] ** 2).sum())
        gradient[1:] += self.alpha * model[1:]
        return loss, gradient.ravel()
