"""Answers of linear functions and of networks with one hidden layer, row by row.

Products of whole matrices would be faster, but round a row differently among other rows.
"""

from __future__ import annotations

import numpy as np

from .jit import njit

SIGMOID, LEAKY_RELU, COSINE = 0, 1, 2


@njit(cache=True, nogil=True)
def linear_answers(Z, weight, out):
    """Write the product of each row and the weights (inputs, outputs) to `out`."""
    for i in range(len(Z)):
        out[i] = 0.0
        for j in range(Z.shape[1]):
            z = Z[i, j]
            if z != 0.0:
                for k in range(out.shape[1]):
                    out[i, k] += z * weight[j, k]


@njit(cache=True, nogil=True)
def network_answers(Z, windows, first, bias, second, activation, leak, out):
    """Write the answers of a network to `out` (rows, outputs).

    Parameters
    ----------
    Z : float array (rows, inputs)
        What is answered.
    windows : int array (positions, inputs of a unit)
        The inputs that the hidden units see at each position; there is one for a dense layer.
    first, bias : float arrays (inputs of a unit, units), (units,)
        Of the hidden units.
    second : float array (positions * units, outputs)
        Of the linear layer.
    activation : int
        One of those above.
    leak : float
        The slope of the leaky rectifier below 0.
    """
    units = len(bias)
    hidden = np.empty(units)
    for i in range(len(Z)):
        out[i] = 0.0
        for p in range(len(windows)):
            hidden[:] = bias
            for j in range(windows.shape[1]):
                z = Z[i, windows[p, j]]
                if z != 0.0:
                    for u in range(units):
                        hidden[u] += z * first[j, u]
            for u in range(units):
                a = hidden[u]
                if activation == SIGMOID:
                    a = 0.5 + 0.5 * np.tanh(0.5 * a)
                elif activation == LEAKY_RELU:
                    a = max(a, leak * a)
                else:
                    a = np.cos(a)
                for k in range(out.shape[1]):
                    out[i, k] += a * second[p * units + u, k]
