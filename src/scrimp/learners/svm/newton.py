"""Proximal Newton steps: for few columns, whose products with each other are at hand."""

from __future__ import annotations

import numpy as np
from scipy import sparse
from scipy.linalg import LinAlgError, solve

from ...kernels.proximal import quadratic_step
from ...types import Floats
from .descent import Descent, Point
from .machine import Machine

#: How exactly the first steps are found, how it becomes finer, and steps for that, at most.
_FIRST, _FINER, _LEAST, _INNER = 0.1, 0.3, 1e-4, 5_000
#: A step must bring this part of what it promises, or it is halved, so often at most.
_PROMISED, _HALVED = 1e-4, 30


class NewtonDescent(Descent):
    """Each step is to the least of the norm and the loss's quadratic approximation."""

    def __init__(self, machine: Machine, prices: Floats, budget: float, start: Point) -> None:
        super().__init__(machine, prices, budget, start)
        X = machine.X.toarray() if sparse.issparse(machine.X) else machine.X
        self._grams = [_Gram(X) for _ in range(machine.n_outputs)]
        self._accuracy = _FIRST

    def start_anew(self) -> None:
        """Coarse steps at first."""
        self._accuracy = _FIRST

    def step(self, tol: float) -> bool:
        """To the least of the approximation, or halfway, or less."""
        machine = self.machine
        loss, _, alpha = machine.losses(self.z, self.b, self.width)
        curves = machine.curvatures(self.z, self.b, self.width)
        pulls, v, taken = machine.pulls(alpha), np.empty_like(self.w), 1
        hessians = np.stack(
            [gram.weighted(own) for gram, own in zip(self._grams, curves, strict=True)]
        )
        if self.prices.any():
            taken = quadratic_step(
                hessians, pulls, self.w, machine.group_of, self.prices, self.budget,
                self._accuracy, _INNER, v,
            )  # fmt: skip
        else:  # all is bought: half the plain squared norm
            for k, (hessian, pull) in enumerate(zip(hessians, pulls - self.w, strict=True)):
                hessian[np.diag_indices_from(hessian)] += 1.0
                try:
                    v[k] = self.w[k] + solve(hessian, pull, assume_a="pos", check_finite=False)
                except LinAlgError:  # values too different for the precision of numbers
                    return False
        self.steps += 1
        self.work += 4.0 * machine.n_cells * machine.n_outputs + taken * hessians.size
        self._accuracy = max(self._accuracy * _FINER, _LEAST)
        return self._walk(v - self.w, loss, pulls)

    def _walk(self, move: Floats, loss: float, pulls: Floats) -> bool:
        """As far as it goes down as it promises."""
        machine, norm = self.machine, self.norm(self.w) / 2
        now = loss + norm
        promised = -np.vdot(pulls, move) + self.norm(self.w + move) / 2 - norm
        if not promised < -1e-15 * abs(now):
            return False
        moved = machine.sums(move)
        part = 1.0
        for _ in range(_HALVED):
            w, z = self.w + part * move, self.z + part * moved
            b = machine.intercepts(z, self.b, self.width)
            after = machine.losses(z, b, self.width)[0] + self.norm(w) / 2
            if after <= now + _PROMISED * part * promised:
                self.w, self.z, self.b = w, z, b
                return True
            part /= 2.0
        return False


class _Gram:
    """Products of columns with each other, by weights of rows that change little."""

    def __init__(self, X: Floats) -> None:
        self._X = X
        n, d = X.shape
        self._curve, self._products = np.zeros(n), np.zeros((d, d))
        self._sums, self._total = np.zeros(d), 0.0

    def weighted(self, curve: Floats) -> Floats:
        """Of the columns less their mean: the intercept is free."""
        changed = np.flatnonzero(curve != self._curve)
        if 2 * len(changed) > np.count_nonzero(curve):  # anew is as quick, and more exact
            self._products[:], self._sums[:], self._total = 0.0, 0.0, 0.0
            self._curve = np.zeros_like(curve)
            changed = np.flatnonzero(curve)
        if len(changed):
            by = curve[changed] - self._curve[changed]
            rows = self._X[changed] if len(changed) < len(curve) else self._X
            weighted = rows * by[:, None]
            self._products += rows.T @ weighted
            self._sums += weighted.sum(axis=0)
            self._total += by.sum()
            self._curve = curve
        total = max(self._total, 1e-300)
        return np.asarray(self._products - np.outer(self._sums, self._sums / total))
