"""Tables that models were trained on, made again: categories as flags, gaps filled, scaled."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def prepare(X, rows, source, code, fill, center, scale, out):
    """Write the prepared columns of rows; see `scrimp.plans.components.models.Preparation`.

    Parameters
    ----------
    X, rows : arrays
        The values of row i are in ``X[rows[i]]``.
    source, code, fill, center, scale : arrays (prepared columns,)
        Where a column comes from, and what is done to it.
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
