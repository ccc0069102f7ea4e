"""Sums of step functions of single columns, for one or several sets of weights."""

from __future__ import annotations

from .jit import njit


@njit(cache=True, nogil=True)
def step_at(breaks, start, stop, x):
    """Return how many of the ascending breaks between two positions are below a number."""
    low, high = start, stop
    while low < high:
        middle = (low + high) // 2
        if breaks[middle] < x:
            low = middle + 1
        else:
            high = middle
    return low - start


@njit(cache=True, nogil=True)
def add_steps(X, rows, columns, starts, breaks, values, missing, weights, scores):
    """Add weighted values of functions to scores (rows x sets x outputs), one after the other.

    Function c has its breaks from ``starts[c]`` on and one value more than breaks from
    ``starts[c] + c`` on; `weights` is (sets x functions).
    """
    n_sets, n_outputs = scores.shape[1], scores.shape[2]
    for i in range(len(rows)):
        for c in range(len(columns)):
            x = X[rows[i], columns[c]]
            if x == x:
                value = values[starts[c] + c + step_at(breaks, starts[c], starts[c + 1], x)]
            else:
                value = missing[c]
            for s in range(n_sets):
                weight = weights[s, c]
                if weight != 0.0:
                    for k in range(n_outputs):
                        scores[i, s, k] += weight * value[k]


@njit(cache=True, nogil=True)
def step_values(X, rows, columns, starts, breaks, values, missing, out):
    """Write the values of functions (rows x functions x outputs)."""
    for i in range(len(rows)):
        for c in range(len(columns)):
            x = X[rows[i], columns[c]]
            if x == x:
                out[i, c] = values[starts[c] + c + step_at(breaks, starts[c], starts[c + 1], x)]
            else:
                out[i, c] = missing[c]
