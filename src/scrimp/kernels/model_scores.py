"""Scores of linear and RBF models per row, and the preparation of their columns.

Terms are added in one order, so that all ways to an answer agree to the bit.
"""

from __future__ import annotations

import numpy as np

from .jit import njit


@njit(cache=True, nogil=True)
def mark_not_finite(X, rows, columns, finite):
    """Set the flags of columns that hold NaN or infinity in some rows to False.

    Parameters
    ----------
    X, rows : arrays
        The values of row i are in ``X[rows[i]]``.
    columns : int array (columns,)
        The columns.
    finite : bool array (columns,)
        True on entry.
    """
    for i in range(len(rows)):
        values = X[rows[i]]
        total = 0.0
        for column in columns:
            # 0 unless x is not finite
            total += np.float64(values[column]) * 0.0
        if total != 0.0:
            for c in range(len(columns)):
                if not np.isfinite(values[columns[c]]):
                    finite[c] = False


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
def write_nested_linear_scores(scores, X, rows, columns, weights, counts, bases, fill):
    """Write the scores of several linear models, each on the first of the same columns.

    Sums are formed in the order of `add_linear_terms`, so that both agree to the bit, and a
    model never reads a column that is not its own. Eight rows are summed side by side, as
    additions of one row must wait for each other.

    Parameters
    ----------
    scores : float array (rows, models, outputs)
        Written to.
    X, rows : arrays
        The values of row i are in ``X[rows[i]]``.
    columns : int array (terms,)
        The column of each term of the longest model.
    weights : float array (models, outputs, terms)
        The weights of each model.
    counts : int array (models,)
        The number of terms of each model.
    bases : float array (models, outputs)
        The intercepts.
    fill : float array (terms,)
        Replaces values that are not finite; if NaN, there are none.
    """
    values = np.zeros((len(columns), 8))
    sums = np.empty(8)
    for first in range(0, len(rows), 8):
        n = min(8, len(rows) - first)
        for r in range(n):
            row = X[rows[first + r]]
            for t in range(len(columns)):
                x = np.float64(row[columns[t]])
                if not np.isfinite(x):
                    x = fill[t]
                values[t, r] = x
        for m in range(len(counts)):
            for k in range(bases.shape[1]):
                a = b = c = d = e = f = g = h = bases[m, k]
                for t in range(counts[m]):
                    w = weights[m, k, t]
                    a += values[t, 0] * w
                    b += values[t, 1] * w
                    c += values[t, 2] * w
                    d += values[t, 3] * w
                    e += values[t, 4] * w
                    f += values[t, 5] * w
                    g += values[t, 6] * w
                    h += values[t, 7] * w
                sums[0], sums[1], sums[2], sums[3] = a, b, c, d
                sums[4], sums[5], sums[6], sums[7] = e, f, g, h
                for r in range(n):
                    scores[first + r, m, k] = sums[r]


@njit(cache=True, nogil=True)
def add_rbf_terms(
    scores, numbers, centers, X, rows, sources, first_code, codes, squares, weights, gamma
):  # fmt: skip
    """Add ``weight * exp(-gamma * distance**2)`` of every center to the scores of each row.

    Parameters
    ----------
    scores : float array (rows, outputs)
        Added to.
    numbers : float array (rows, dimensions)
        The coordinates of the rows but for those of categories.
    centers : float array (dimensions, centers)
        The same of the centers, such as support vectors.
    X, rows : arrays
        The categories of row i are in ``X[rows[i]]``.
    sources : int array (categorical columns,)
        The columns with categories.
    first_code, codes : arrays
        The categories of such a column are ``codes[first_code[c] : first_code[c + 1]]``, the
        last two of which stand for any other and for a missing value.
    squares : float array (codes, centers)
        The squared distance of each category to each center, in the coordinates of its column.
    weights : float array (outputs, centers)
        The weights of the centers.
    gamma : float
        The inverse squared width of the kernel.
    """
    kernel = np.empty(centers.shape[1])
    for i in range(len(rows)):
        kernel[:] = 0.0
        for j in range(len(centers)):
            x, of_centers = numbers[i, j], centers[j]
            for s in range(len(kernel)):
                kernel[s] += (x - of_centers[s]) * (x - of_centers[s])
        for c in range(len(sources)):
            x, other = np.float64(X[rows[i], sources[c]]), first_code[c + 1] - 2
            place = other + 1 if x != x else first_code[c]
            while place < other and codes[place] != x:
                place += 1
            of_centers = squares[place]
            for s in range(len(kernel)):
                kernel[s] += of_centers[s]
        for s in range(len(kernel)):
            kernel[s] = np.exp(-gamma * kernel[s])
        for k in range(len(weights)):
            of_centers, total = weights[k], scores[i, k]
            for s in range(len(kernel)):
                total += of_centers[s] * kernel[s]
            scores[i, k] = total


@njit(cache=True, nogil=True)
def prepare_columns(X, rows, source, code, fill, knee, center, scale, out):
    """Write the encoded, filled and scaled columns of rows; see `scrimp.data.preparation`.

    Parameters
    ----------
    X, rows : arrays
        The values of row i are in ``X[rows[i]]``.
    source, code, fill, knee, center, scale : arrays (prepared columns,)
        The column of X, the category that it is compared with (NaN for none), the value that
        replaces missing ones (NaN for none), the value from which on it grows as the logarithm
        (NaN for none), and the centre and scale that standardise it.
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
            if knee[j] == knee[j]:
                x = np.arcsinh((x - fill[j]) / knee[j])
            out[i, j] = (x - center[j]) / scale[j]
