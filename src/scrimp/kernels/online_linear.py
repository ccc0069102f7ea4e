"""Linear functions that learn squared losses row by row: FTRL-proximal, online Newton, RLS.

Inputs come as a matrix `Z` (rows, inputs) with the `positions` of those that are read. Parameters
have one row per input and one more, the last, for the constant 1.
"""

from __future__ import annotations

import numpy as np

from .jit import njit, njit_inline


@njit_inline
def _error(z, target, positions, weight, k):
    """Return the answer less the target of a row."""
    error = weight[-1, k] - target
    for j in positions:
        error += z[j] * weight[j, k]
    return error


@njit_inline
def _ftrl_step(j, k, g, alpha, beta, l1, l2, sums, squares, weight):
    """Take the gradient of one weight."""
    before = squares[j, k]
    squares[j, k] = before + g * g
    sums[j, k] += g - (np.sqrt(squares[j, k]) - np.sqrt(before)) / alpha * weight[j, k]
    total = sums[j, k]
    if abs(total) <= l1:
        weight[j, k] = 0.0
    else:
        shrunk = total - l1 if total > 0.0 else total + l1
        weight[j, k] = -shrunk / ((beta + np.sqrt(squares[j, k])) / alpha + l2)


@njit(cache=True, nogil=True)
def ftrl(Z, targets, row_weights, positions, alpha, beta, l1, l2, sums, squares, weight):
    """Learn rows by FTRL-proximal (McMahan et al. 2013, Alg. 1)."""
    constant = len(weight) - 1
    for i in range(len(Z)):
        for k in range(targets.shape[1]):
            error = row_weights[i] * _error(Z[i], targets[i, k], positions, weight, k)
            if error == 0.0:
                continue
            for j in positions:
                if Z[i, j] != 0.0:
                    g = error * Z[i, j]
                    _ftrl_step(j, k, g, alpha, beta, l1, l2, sums, squares, weight)
            _ftrl_step(constant, k, error, alpha, beta, 0.0, l2, sums, squares, weight)


@njit_inline
def _times(inverse, z, positions, u):
    """Write the product of a symmetric matrix and a row to u; return the row's product with it."""
    last = len(inverse) - 1
    for a in positions:
        u[a] = inverse[a, last]
        for b in positions:
            u[a] += inverse[a, b] * z[b]
    u[last] = inverse[last, last]
    for b in positions:
        u[last] += inverse[last, b] * z[b]
    product = u[last]
    for a in positions:
        product += z[a] * u[a]
    return product


@njit_inline
def _subtract(inverse, u, factor, positions):
    """Subtract factor * u u' from a matrix."""
    last = len(inverse) - 1
    for a in positions:
        step = factor * u[a]
        for b in positions:
            inverse[a, b] -= step * u[b]
        inverse[a, last] -= step * u[last]
        inverse[last, a] = inverse[a, last]
    inverse[last, last] -= factor * u[last] * u[last]


@njit(cache=True, nogil=True)
def newton(Z, targets, row_weights, positions, rate, inverse, weight):
    """Learn rows by online Newton steps (Hazan et al. 2007), one matrix per output.

    With the gradient g of a row, A grows by g g', and the weights move by -rate * A^-1 g.
    """
    last = len(weight) - 1
    u = np.zeros(len(weight))
    for i in range(len(Z)):
        for k in range(targets.shape[1]):
            error = row_weights[i] * _error(Z[i], targets[i, k], positions, weight, k)
            if error == 0.0:
                continue
            product = _times(inverse[k], Z[i], positions, u)
            factor = error * error / (1.0 + error * error * product)
            _subtract(inverse[k], u, factor, positions)
            step = rate * error / (1.0 + error * error * product)
            for a in positions:
                weight[a, k] -= step * u[a]
            weight[last, k] -= step * u[last]


@njit(cache=True, nogil=True)
def recursive_least_squares(Z, targets, row_weights, positions, forgetting, start, inverse, weight):
    """Learn rows by recursive least squares, one matrix for all outputs.

    Rows are forgotten only as long as the inverse is within `start`, that of the ridge alone:
    where inputs do not vary it would grow without bound.
    """
    last = len(weight) - 1
    u = np.zeros(len(weight))
    for i in range(len(Z)):
        if row_weights[i] <= 0.0:
            continue
        product = _times(inverse, Z[i], positions, u)
        gain = row_weights[i] / (1.0 + row_weights[i] * product)
        for k in range(targets.shape[1]):
            step = gain * _error(Z[i], targets[i, k], positions, weight, k)
            for a in positions:
                weight[a, k] -= step * u[a]
            weight[last, k] -= step * u[last]
        _subtract(inverse, u, gain, positions)
        if forgetting < 1.0:
            largest = inverse[last, last]
            for a in positions:
                largest = max(largest, inverse[a, a])
            if largest < forgetting * start:
                inverse /= forgetting
