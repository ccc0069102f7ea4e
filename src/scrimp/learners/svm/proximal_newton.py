"""Proximal Newton method: for few columns, whose Gram matrix is kept.

Each step minimises the penalty plus the quadratic model of the loss, and is followed by a line
search. Where all groups are free the penalty is half the squared norm, and the step solves a
linear system.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse
from scipy.linalg import LinAlgError, solve

from ...kernels.proximal_newton import quadratic_step
from ...types import Floats
from .duality import Iterate, penalty
from .problem import SVMProblem
from .solver import Solver


@dataclass(frozen=True)
class _InnerSolver:
    """How exactly the quadratic models are minimised."""

    #: Relative accuracy of the first steps, whose models are poor anyway.
    first_accuracy: float = 0.1
    #: Factor of the accuracy per step; smaller spends more on inner steps and less on outer ones.
    factor: float = 0.3
    #: The smallest accuracy.
    last_accuracy: float = 1e-4
    #: Inner steps, at most.
    max_steps: int = 5_000


@dataclass(frozen=True)
class _LineSearch:
    """Armijo backtracking."""

    #: Part of the predicted decrease that a step must achieve.
    sufficient: float = 1e-4
    #: The number of times that a step is halved before the solver gives up.
    max_halvings: int = 30


_INNER, _LINE_SEARCH = _InnerSolver(), _LineSearch()


class ProximalNewton(Solver):
    """Proximal Newton steps with a line search."""

    def __init__(self, problem: SVMProblem, prices: Floats, budget: float, start: Iterate) -> None:
        super().__init__(problem, prices, budget, start)
        X = problem.X.toarray() if sparse.issparse(problem.X) else problem.X
        self._grams = [_Gram(X) for _ in range(problem.n_outputs)]
        self._accuracy = _INNER.first_accuracy

    def restart(self) -> None:
        """Solve models coarsely again."""
        self._accuracy = _INNER.first_accuracy

    def step(self, tol: float) -> bool:
        """Minimise the quadratic model, and search along the line to its minimum."""
        problem, current = self.problem, self.current_objective()
        gradients = problem.gradients(current.losses.alpha)  # the bound's are balanced: not these
        curvatures = problem.curvatures(self.z, self.b, self.smoothing)
        hessians = np.stack(
            [gram.weighted(row) for gram, row in zip(self._grams, curvatures, strict=True)]
        )
        v, n_inner = np.empty_like(self.w), 1
        if self.prices.any():
            n_inner = quadratic_step(
                hessians, gradients, self.w, problem.group_of, self.prices, self.budget,
                self._accuracy, _INNER.max_steps, v,
            )  # fmt: skip
        else:
            try:
                _ridge_step(hessians, gradients, self.w, v)
            except LinAlgError:  # columns on scales too different for double precision
                return False
        self.n_steps += 1
        self.work += 4.0 * problem.n_stored * problem.n_outputs + n_inner * hessians.size
        self._accuracy = max(self._accuracy * _INNER.factor, _INNER.last_accuracy)
        return self._search(v - self.w, gradients)

    def _search(self, direction: Floats, gradients: Floats) -> bool:
        """Go along a direction as far as the objective falls as predicted; False if it does not."""
        problem, current = self.problem, self.current_objective()
        full = penalty(self.norms(self.w + direction), self.prices, self.budget)
        predicted = -np.vdot(gradients, direction) + full - current.penalty
        if not predicted < -1e-15 * abs(current.smoothed):
            return False
        z_direction = problem.scores(direction)
        size = 1.0
        for _ in range(_LINE_SEARCH.max_halvings):
            w, z = self.w + size * direction, self.z + size * z_direction
            b = problem.best_intercepts(z, self.b, self.smoothing)
            new = self.objective_at(w, z, b)
            if new.smoothed <= current.smoothed + _LINE_SEARCH.sufficient * size * predicted:
                self.move_to(w, z, b, new)
                return True
            size /= 2.0
        return False


def _ridge_step(hessians: Floats, gradients: Floats, w: Floats, v: Floats) -> None:
    """Write the minimum of the quadratic model plus half the squared norm."""
    for k, (hessian, rhs) in enumerate(zip(hessians, gradients - w, strict=True)):
        hessian[np.diag_indices_from(hessian)] += 1.0
        v[k] = w[k] + solve(hessian, rhs, assume_a="pos", check_finite=False)


class _Gram:
    """The weighted Gram matrix of the columns, updated for the rows whose weight changes."""

    def __init__(self, X: Floats) -> None:
        self._X = X
        n, d = X.shape
        self._weights, self._products = np.zeros(n), np.zeros((d, d))
        self._sums, self._total = np.zeros(d), 0.0

    def weighted(self, weights: Floats) -> Floats:
        """Return the Gram matrix of the columns less their weighted mean: the intercept is free."""
        changed = np.flatnonzero(weights != self._weights)
        if 2 * len(changed) > np.count_nonzero(weights):  # as fast from scratch, and more exact
            self._products[:], self._sums[:], self._total = 0.0, 0.0, 0.0
            self._weights = np.zeros_like(weights)
            changed = np.flatnonzero(weights)
        if len(changed):
            difference = weights[changed] - self._weights[changed]
            rows = self._X[changed] if len(changed) < len(weights) else self._X
            weighted = rows * difference[:, None]
            self._products += rows.T @ weighted
            self._sums += weighted.sum(axis=0)
            self._total += difference.sum()
            self._weights = weights
        total = max(self._total, 1e-300)
        return np.asarray(self._products - np.outer(self._sums, self._sums / total))
