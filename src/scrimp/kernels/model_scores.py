"""Scores of linear and RBF models per row, and the preparation of their columns.

Terms are added in one order, so that all ways to an answer agree to the bit.
"""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def add_linear_terms(scores, X, rows, columns, weights, fill):
    """Add the products of values and weights to the scores of each row, column by column.

    Parameters
    ----------
    scores : float array (rows, outputs)
        Added to.
    X, rows : arrays
        The values of row i are in ``X[rows[i]]``.
    columns : int array (terms,)
        The column of each term.
    weights : float array (terms, outputs)
        Their weights.
    fill : float array (terms,), or of length 0
        Replaces values that are not finite; if empty, these are kept.
    """
    for i in range(len(rows)):
        values, sums = X[rows[i]], scores[i]
        for t in range(len(columns)):
            x = np.float64(values[columns[t]])
            if len(fill) > 0 and not np.isfinite(x):
                x = fill[t]
            for k in range(weights.shape[1]):
                sums[k] += x * weights[t, k]


@njit(cache=True, nogil=True)
def add_rbf_terms(scores, X, rows, columns, centers, weights, gamma):
    """Add ``weight * exp(-gamma * distance**2)`` of every center to the scores of each row.

    Parameters
    ----------
    scores : float array (rows, outputs)
        Added to.
    X, rows : arrays
        The values of row i are in ``X[rows[i]]``.
    columns : int array (dimensions,)
        The columns of the dimensions of the centers.
    centers : float array (centers, dimensions)
        Centers, such as support vectors.
    weights : float array (centers, outputs)
        Their weights.
    gamma : float
        The inverse squared width of the kernel.
    """
    point = np.empty(len(columns))
    for i in range(len(rows)):
        for j in range(len(columns)):
            point[j] = X[rows[i], columns[j]]
        for s in range(len(centers)):
            distance = 0.0
            for j in range(len(columns)):
                difference = point[j] - centers[s, j]
                distance += difference * difference
            kernel = np.exp(-gamma * distance)
            for k in range(weights.shape[1]):
                scores[i, k] += weights[s, k] * kernel


@njit(cache=True, nogil=True)
def prepare_columns(X, rows, source, code, fill, center, scale, out):
    """Write the encoded, filled and scaled columns of rows; see `scrimp.data.preparation`.

    Parameters
    ----------
    X, rows : arrays
        The values of row i are in ``X[rows[i]]``.
    source, code, fill, center, scale : arrays (prepared columns,)
        The column of X, the category that it is compared with (NaN for none), the value that
        replaces missing ones (NaN for none), and the centre and scale that standardise it.
    out : float array (rows, prepared columns)
        Written to.
    """
    for i in range(len(rows)):
        values = X[rows[i]]
        for j in range(len(source)):
            x = np.float64(values[source[j]])
            if code[j] == code[j] and (x == x or fill[j] != fill[j]):
                x = np.float64(x == code[j])
            elif fill[j] == fill[j] and not np.isfinite(x):
                x = fill[j]
            out[i, j] = (x - center[j]) / scale[j]
