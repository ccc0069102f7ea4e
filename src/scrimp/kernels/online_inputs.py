"""Inputs of weak learners that are no trees: standardised numbers, and one input per category."""

from __future__ import annotations

from .jit import njit


@njit(cache=True, nogil=True)
def encode(X, rows, column, code, center, scale, limit, out):
    """Write the inputs of ``X[rows]`` to `out` (rows, inputs).

    Input j is the number in ``column[j]``, or, where ``code[j]`` is not negative, whether the value
    is this code; less its center, over its scale, within +-limit. A missing value is 0, the mean.
    """
    for i in range(len(rows)):
        for j in range(len(column)):
            value = X[rows[i], column[j]]
            if value != value:
                out[i, j] = 0.0
                continue
            if code[j] >= 0:
                value = 1.0 if value == code[j] else 0.0
            z = (value - center[j]) / scale[j]
            out[i, j] = min(max(z, -limit), limit)


@njit(cache=True, nogil=True)
def add_moments(X, column, code, memory, count, mean, spread):
    """Update count, mean and mean square about the mean of each input by the rows of X.

    Missing values do not count, nor do infinite ones. A mean counts `memory` rows at most.
    """
    for j in range(len(column)):
        for i in range(len(X)):
            value = float(X[i, column[j]])
            if not abs(value) < 1e150:
                continue
            if code[j] >= 0:
                value = 1.0 if value == code[j] else 0.0
            count[j] = min(count[j] + 1.0, memory)
            share = 1.0 / count[j]
            off = value - mean[j]
            mean[j] += share * off
            spread[j] += share * ((1.0 - share) * off * off - spread[j])
