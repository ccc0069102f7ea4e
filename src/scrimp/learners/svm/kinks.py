"""The exact solution of a loss with kinks, from one whose kinks were rounded off."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy import sparse

from ...types import Floats
from .descent import Point
from .machine import Machine

#: A row counts as at its kink if it is so near, in parts of the largest score.
_NEAR = 1e-5
#: Rows at their kinks, at most.
_MOST = 500


def sharpened(machine: Machine, point: Point) -> Point:
    """With all that is bought in full: rows at their kink are put exactly there.

    Which rows those are is read off the solution. If the result is worse, it is not taken.
    """
    w, b = point.w.copy(), point.b.copy()
    X = machine.X.toarray() if sparse.issparse(machine.X) else machine.X
    for output in range(machine.n_outputs):
        found = _solved(machine, X, output, w[output], float(b[output]))
        if found is not None:
            w[output], b[output] = found
    sharp = replace(point, w=w, b=b)
    better = _objective(machine, sharp) <= _objective(machine, point) * (1 + 1e-9)
    return sharp if better and np.isfinite(w).all() else point


def _objective(machine: Machine, point: Point) -> float:
    exact = machine.losses(machine.sums(point.w), point.b, 0.0)[1]
    return float((point.w**2).sum() / 2 + exact)


def _solved(
    machine: Machine, X: Floats, output: int, w: Floats, b: float
) -> tuple[Floats, float] | None:
    """Coefficients and intercept where the rows at kinks are known; None if none or too many."""
    scores, y = X @ w + b, machine.targets[output]
    if machine.loss == 0:
        side, kink = y, y
    else:
        side = np.where(y > scores, 1.0, -1.0)
        kink = y - machine.epsilon * side
    over = (kink - scores) * side
    near = np.abs(over) <= _NEAR * max(1.0, float(np.abs(scores).max()))
    near &= machine.weights > 0
    if not 0 < near.sum() <= _MOST:
        return None
    slopes = np.where((over > 0) & ~near, machine.weights * side, 0.0)
    at, d = X[near], len(w)
    # w + at' beta = X' slopes, sum(beta) = sum(slopes), at w + b = kink
    system = np.zeros((d + len(at) + 1, d + len(at) + 1))
    system[:d, :d] = np.eye(d)
    system[:d, d:-1], system[d:-1, :d] = -at.T, at
    system[d:-1, -1], system[-1, d:-1] = 1.0, 1.0
    right = np.concatenate([X.T @ slopes, kink[near], [-slopes.sum()]])
    found = np.linalg.lstsq(system, right, rcond=1e-12)[0]
    return found[:d], float(found[-1])
