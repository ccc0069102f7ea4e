"""Linear models on rows: sums of terms in one order, so that all ways to an answer agree."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def add_terms(scores, X, rows, columns, weights, fill):
    """Add to each row's scores its values times their weights, one column after the other.

    Parameters
    ----------
    scores : float array (rows, outputs)
        Added to.
    X, rows : arrays
        The values of row i are in ``X[rows[i]]``.
    columns : int array (terms,)
        The columns of the terms.
    weights : float array (terms, outputs)
        Their weights.
    fill : float array (terms,), or of length 0
        What counts where a value is not finite; if there is none, the value itself.
    """
    for i in range(len(rows)):
        values, sums = X[rows[i]], scores[i]
        for t in range(len(columns)):
            x = np.float64(values[columns[t]])
            if len(fill) > 0 and not np.isfinite(x):
                x = fill[t]
            for k in range(weights.shape[1]):
                sums[k] += x * weights[t, k]
