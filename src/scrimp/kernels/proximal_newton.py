"""The subproblem of a proximal Newton step: a quadratic model plus the budgeted penalty.

The penalty is 1/2 min_d sum_m ||w_m||^2 / d_m over the fractional selections d that a budget pays
for (Wang, Zhu and Chi 2018, Eq. 1); its proximal point has a closed form up to one multiplier.
"""

from __future__ import annotations

import numpy as np

from .copying import copy_rows_to, copy_to
from .jit import njit
from .knapsacks import proximal_selection

#: Power iterations for the largest eigenvalue: backtracking mends an estimate that is too small.
_POWER_STEPS = 20


@njit(cache=True, nogil=True)
def penalty_prox(point, group_of, prices, steps, budget, scale, out):
    """Write the proximal point of the penalty; return the scale of the selection.

    Parameters
    ----------
    point, out : float arrays (outputs, columns)
        Where it is taken, and where it is written to.
    steps : float array (groups,)
        Step size per group.
    scale : float
        First guess of the scale of the selection.
    """
    n = len(prices)
    norms, factors = np.zeros(n), np.empty(n)
    for k in range(point.shape[0]):
        for j in range(point.shape[1]):
            norms[group_of[j]] += point[k, j] * point[k, j]
    for m in range(n):
        norms[m] = np.sqrt(norms[m])
    scale = proximal_selection(norms, prices, steps, budget, scale, factors)
    for m in range(n):
        factors[m] = factors[m] / (steps[m] + factors[m])
    for k in range(point.shape[0]):
        for j in range(point.shape[1]):
            out[k, j] = point[k, j] * factors[group_of[j]]
    return scale


@njit(cache=True, nogil=True)
def largest_eigenvalue(hessians):
    """Return an estimate of the largest eigenvalue of all matrices, by power iteration."""
    largest = 0.0
    for k in range(hessians.shape[0]):
        vector = np.ones(hessians.shape[1])
        estimate = 0.0
        for _ in range(_POWER_STEPS):
            vector = hessians[k] @ vector
            estimate = np.sqrt((vector * vector).sum())
            if estimate == 0.0:
                break
            vector /= estimate
        largest = max(largest, estimate)
    return largest


@njit(cache=True, nogil=True)
def quadratic_step(hessians, gradients, w, group_of, prices, budget, tol, max_steps, v):
    """Write the v that minimises -g'(v - w) + (v - w)'H(v - w) / 2 + penalty(v).

    Accelerated proximal gradient steps with adaptive restart, until a step is at most `tol` times
    as long as the first. `gradients` are the negative gradients of the loss. Returns the steps.
    """
    outputs = w.shape[0]
    lipschitz = max(1.1 * largest_eigenvalue(hessians), 1e-12)
    scale, momentum, first_length = 1.0, 1.0, -1.0
    copy_rows_to(v, w)
    hv = np.zeros_like(w)  # H (v - w)
    ahead, h_ahead = v.copy(), hv.copy()  # the extrapolated point
    new, h_new = np.empty_like(w), np.empty_like(w)
    for step in range(max_steps):
        while True:
            point = ahead + (gradients - h_ahead) / lipschitz
            steps = np.full(len(prices), 1.0 / lipschitz)
            scale = penalty_prox(point, group_of, prices, steps, budget, scale, new)
            for k in range(outputs):
                copy_to(h_new[k], hessians[k] @ (new[k] - w[k]))
            move = new - ahead
            length = (move * move).sum()
            if (move * (h_new - h_ahead)).sum() <= lipschitz * length * (1.0 + 1e-10):
                break
            lipschitz *= 1.5
        length = lipschitz * np.sqrt(length)
        if first_length < 0.0:
            first_length = length
        restart = ((ahead - new) * (new - v)).sum() > 0
        next_momentum = (1.0 + np.sqrt(1.0 + 4.0 * momentum * momentum)) / 2.0
        weight = 0.0 if restart else (momentum - 1.0) / next_momentum
        momentum = 1.0 if restart else next_momentum
        ahead, h_ahead = new + weight * (new - v), h_new + weight * (h_new - hv)
        copy_rows_to(v, new)
        copy_rows_to(hv, h_new)
        if length <= tol * first_length:
            return step + 1
    return max_steps
