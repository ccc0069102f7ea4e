"""Accelerated proximal gradient steps of support vector machines under a budget.

The columns of a group are side by side: `firsts` says where each group begins, and `groups` which
of them take part. A table is an array of columns, or CSC; the other one is empty.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from .knapsacks import shrunk
from .margins import best_intercept, losses

#: The loss may rise by rounding.
_ROUNDING = 1e-10
#: How a step that was too long is shortened, and how the next one is tried longer again.
_SHORTER, _LONGER = 2.0, 0.9


@njit(cache=True, nogil=True, inline="always")
def add_column(dense, values, rows, starts, j, by, z):
    """Add a column times a number."""
    if len(starts) == 0:
        line = dense[j]
        for i in range(len(z)):
            z[i] += by * line[i]
    else:
        for p in range(starts[j], starts[j + 1]):
            z[rows[p]] += by * values[p]


@njit(cache=True, nogil=True, inline="always")
def times_column(dense, values, rows, starts, j, alpha):
    """The sum of a column times slopes."""
    if len(starts) == 0:
        return np.dot(dense[j], alpha)
    total = 0.0
    for p in range(starts[j], starts[j + 1]):
        total += alpha[rows[p]] * values[p]
    return total


@njit(cache=True, nogil=True)
def add_up(dense, values, rows, starts, groups, firsts, w, z):
    """Write the sums of columns times coefficients."""
    z[:] = 0.0
    for m in groups:
        for k in range(w.shape[0]):
            for j in range(firsts[m], firsts[m + 1]):
                if w[k, j] != 0.0:
                    add_column(dense, values, rows, starts, j, w[k, j], z[k])


@njit(cache=True, nogil=True)
def group_squares(groups, firsts, w, squares):
    """Write the squared length of each group of coefficients; of others nothing."""
    for m in groups:
        total = 0.0
        for k in range(w.shape[0]):
            for j in range(firsts[m], firsts[m + 1]):
                total += w[k, j] * w[k, j]
        squares[m] = total


@njit(cache=True, nogil=True)
def pull_squares(dense, values, rows, starts, groups, firsts, alpha, squares):
    """Write the squared length of each group of sums of rows times slopes; of others nothing."""
    for m in groups:
        total = 0.0
        for k in range(alpha.shape[0]):
            for j in range(firsts[m], firsts[m + 1]):
                total += times_column(dense, values, rows, starts, j, alpha[k]) ** 2
        squares[m] = total


@njit(cache=True, nogil=True)
def pull_back(dense, values, rows, starts, groups, firsts, alpha, ahead, pulls, products):
    """Write the sums of rows times slopes, for each column.

    Also, for each group, the products of the point ahead with itself, with them, and of them with
    themselves: from these follows the length of the point after a step of any length.
    """
    products[:] = 0.0
    for place, m in enumerate(groups):
        for k in range(alpha.shape[0]):
            for j in range(firsts[m], firsts[m + 1]):
                own, now = times_column(dense, values, rows, starts, j, alpha[k]), ahead[k, j]
                pulls[k, j] = own
                products[0, place] += now * now
                products[1, place] += now * own
                products[2, place] += own * own


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
    dense, values, rows, starts, kind, targets, weights, epsilon, width, groups, firsts, prices,
    scales, budget, offsets, w, z, b, ahead, ahead_z, ahead_b, pulls, new, numbers, n_steps,
):  # fmt: skip
    """Take so many steps.

    Parameters
    ----------
    prices, scales : float arrays (groups that take part,)
        Prices, and by how much steps of a group are shorter.
    offsets : float array (outputs, rows)
        What is added to the sums of columns times coefficients.
    w, z, b, ahead, ahead_z, ahead_b : float arrays
        Coefficients, sums and intercepts, of the point and of the point ahead. Overwritten.
    pulls, new : float arrays like w
        To work in; only what belongs to groups that take part is touched.
    numbers : float array (3,)
        Momentum, bound on the curvature, scale of the shares. Overwritten.
    """
    alpha, alpha_after = np.empty_like(z), np.empty_like(z)
    new_z, new_b, products = np.empty_like(z), b.copy(), np.empty((3, len(groups)))
    for _ in range(n_steps):
        loss = total_loss(kind, targets, ahead_z, ahead_b, weights, epsilon, width, alpha)
        pull_back(
            dense, values, rows, starts, groups, firsts, alpha, ahead, pulls, products
        )  # fmt: skip
        while True:
            steps = 1.0 / (numbers[1] * scales)
            parts, numbers[2] = kept_parts(products, prices, steps, budget, numbers[2])
            rise, turn = shrunk_step(
                dense, values, rows, starts, groups, firsts, ahead, pulls, w, steps, parts, new,
                offsets, new_z,
            )  # fmt: skip
            new_b[:] = ahead_b
            after = total_loss(kind, targets, new_z, new_b, weights, epsilon, width, alpha_after)
            if after <= loss + rise + _ROUNDING * abs(loss):
                break
            numbers[1] *= _SHORTER
        numbers[1] *= _LONGER
        numbers[0] = look_ahead(
            groups, firsts, w, z, ahead, ahead_z, new, new_z, turn, numbers[0]
        )  # fmt: skip
        b[:] = new_b
        ahead_b[:] = new_b


@njit(cache=True, nogil=True)
def kept_parts(products, prices, steps, budget, scale):
    """What is left of each group when it is shrunk, and the scale of the shares."""
    norms, shares = np.empty(len(prices)), np.empty(len(prices))
    for m in range(len(prices)):
        square = products[0, m] + steps[m] * (2.0 * products[1, m] + steps[m] * products[2, m])
        norms[m] = np.sqrt(max(square, 0.0))
    scale = shrunk(norms, prices, steps, budget, scale, shares)
    return shares / (steps + shares), scale


@njit(cache=True, nogil=True)
def shrunk_step(
    dense,
    values,
    rows,
    starts,
    groups,
    firsts,
    ahead,
    pulls,
    w,
    steps,
    parts,
    new,
    offsets,
    new_z,
):
    """Write the point after a step along the pulls, shrunk, and its sums.

    Returns by how much the loss may rise for the step to be short enough, and a number above 0 if
    the step turns back from the direction of the last one.
    """
    rise, turn = 0.0, 0.0
    new_z[:] = offsets
    for place, m in enumerate(groups):
        step, inverse, part = steps[place], 1.0 / steps[place], parts[place]
        for k in range(w.shape[0]):
            for j in range(firsts[m], firsts[m + 1]):
                now, pull = ahead[k, j], pulls[k, j]
                own = (now + pull * step) * part
                moved = own - now
                rise += moved * (0.5 * inverse * moved - pull)
                turn -= moved * inverse * (own - w[k, j])
                new[k, j] = own
                if own != 0.0:
                    add_column(dense, values, rows, starts, j, own, new_z[k])
    return rise, turn


@njit(cache=True, nogil=True)
def look_ahead(groups, firsts, w, z, ahead, ahead_z, new, new_z, turn, momentum):
    """Move to the new point, look ahead in its direction; return the momentum.

    Where the direction turns back it starts anew.
    """
    after = (1.0 + np.sqrt(1.0 + 4.0 * momentum * momentum)) / 2.0
    part = (momentum - 1.0) / after
    if turn > 0.0:
        after, part = 1.0, 0.0
    for k in range(w.shape[0]):
        for m in groups:
            for j in range(firsts[m], firsts[m + 1]):
                ahead[k, j] = new[k, j] + part * (new[k, j] - w[k, j])
                w[k, j] = new[k, j]
        for i in range(z.shape[1]):
            ahead_z[k, i] = new_z[k, i] + part * (new_z[k, i] - z[k, i])
            z[k, i] = new_z[k, i]
    return after
