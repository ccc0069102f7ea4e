"""Accelerated proximal gradient steps of support vector machines under a budget."""

from __future__ import annotations

import numpy as np
from numba import njit

from .knapsacks import shrunk
from .margins import best_intercept, losses

#: The loss may rise by rounding.
_ROUNDING = 1e-10
#: How a step that was too long is shortened, and how the next one is tried longer again.
_SHORTER, _LONGER = 2.0, 0.9


@njit(cache=True, nogil=True)
def add_up(dense, values, rows, starts, w, z):
    """Write the sums of columns times coefficients: an array of columns, or CSC."""
    for k in range(w.shape[0]):
        if len(starts) == 0:
            z[k] = w[k] @ dense
            continue
        own = z[k]
        own[:] = 0.0
        for j in range(w.shape[1]):
            by = w[k, j]
            if by != 0.0:
                for p in range(starts[j], starts[j + 1]):
                    own[rows[p]] += by * values[p]


@njit(cache=True, nogil=True)
def pull_back(dense, values, rows, starts, alpha, pulls):
    """Write the sums of rows times slopes, for each column."""
    for k in range(alpha.shape[0]):
        if len(starts) == 0:
            pulls[k] = dense @ alpha[k]
            continue
        own = alpha[k]
        for j in range(pulls.shape[1]):
            total = 0.0
            for p in range(starts[j], starts[j + 1]):
                total += own[rows[p]] * values[p]
            pulls[k, j] = total


@njit(cache=True, nogil=True)
def total_loss(kind, targets, z, b, weights, epsilon, width, alpha):
    """Write the best intercepts and the slopes there; return the loss rounded off."""
    total = 0.0
    for k in range(len(b)):
        b[k] = best_intercept(kind, targets[k], z[k], b[k], weights, epsilon, width)
        total += losses(kind, targets[k], z[k], b[k], weights, epsilon, width, alpha[k])[0]
    return total


@njit(cache=True, nogil=True)
def gradient_steps(
    dense, values, rows, starts, kind, targets, weights, epsilon, width, group_of, prices,
    scales, budget, w, z, b, ahead, ahead_z, ahead_b, numbers, n_steps,
):  # fmt: skip
    """Take so many steps.

    Parameters
    ----------
    dense : float array (columns, rows)
        Empty if the table is sparse.
    values, rows, starts : arrays
        The table as CSC; empty if it is dense.
    scales : float array (groups,)
        Steps of a group are shorter by this.
    w, z, b, ahead, ahead_z, ahead_b : float arrays
        Coefficients, sums and intercepts, of the point and of the point ahead. Overwritten.
    numbers : float array (3,)
        Momentum, bound on the curvature, scale of the shares. Overwritten.
    """
    alpha, alpha_after = np.empty_like(z), np.empty_like(z)
    pulls, new, new_z, new_b = np.empty_like(w), np.empty_like(w), np.empty_like(z), b.copy()
    for _ in range(n_steps):
        loss = total_loss(kind, targets, ahead_z, ahead_b, weights, epsilon, width, alpha)
        pull_back(dense, values, rows, starts, alpha, pulls)
        while True:
            steps = 1.0 / (numbers[1] * scales)
            numbers[2], rise, turn = shrunk_step(
                ahead, pulls, w, group_of, prices, steps, budget, numbers[2], new
            )
            add_up(dense, values, rows, starts, new, new_z)
            new_b[:] = ahead_b
            after = total_loss(kind, targets, new_z, new_b, weights, epsilon, width, alpha_after)
            if after <= loss + rise + _ROUNDING * abs(loss):
                break
            numbers[1] *= _SHORTER
        numbers[1] *= _LONGER
        numbers[0] = look_ahead(w, z, ahead, ahead_z, new, new_z, turn, numbers[0])
        b[:] = new_b
        ahead_b[:] = new_b


@njit(cache=True, nogil=True)
def shrunk_step(ahead, pulls, w, group_of, prices, steps, budget, scale, new):
    """Write the point after a step along the pulls, shrunk.

    Returns the scale of the shares, by how much the loss may rise for the step to be short
    enough, and a number above 0 if the step turns back from the direction of the last one.
    """
    outputs, columns = ahead.shape
    norms, shares = np.zeros(len(prices)), np.empty(len(prices))
    for k in range(outputs):
        for j in range(columns):
            point = ahead[k, j] + pulls[k, j] * steps[group_of[j]]
            norms[group_of[j]] += point * point
    scale = shrunk(np.sqrt(norms), prices, steps, budget, scale, shares)
    parts = shares / (steps + shares)
    rise, turn = 0.0, 0.0
    for k in range(outputs):
        for j in range(columns):
            step = steps[group_of[j]]
            own = (ahead[k, j] + pulls[k, j] * step) * parts[group_of[j]]
            moved = own - ahead[k, j]
            rise += moved * (moved / (2.0 * step) - pulls[k, j])
            turn -= moved * (own - w[k, j]) / step
            new[k, j] = own
    return scale, rise, turn


@njit(cache=True, nogil=True)
def look_ahead(w, z, ahead, ahead_z, new, new_z, turn, momentum):
    """Move to the new point, look ahead in its direction; return the momentum.

    Where the direction turns back it starts anew.
    """
    after = (1.0 + np.sqrt(1.0 + 4.0 * momentum * momentum)) / 2.0
    part = (momentum - 1.0) / after
    if turn > 0.0:
        after, part = 1.0, 0.0
    for k in range(w.shape[0]):
        for j in range(w.shape[1]):
            ahead[k, j] = new[k, j] + part * (new[k, j] - w[k, j])
            w[k, j] = new[k, j]
        for i in range(z.shape[1]):
            ahead_z[k, i] = new_z[k, i] + part * (new_z[k, i] - z[k, i])
            z[k, i] = new_z[k, i]
    return after
