"""What columns bring into the hidden state of a network: rows of tables, interpolated."""

from __future__ import annotations

import numpy as np

from .jit import njit


@njit(cache=True, nogil=True)
def add_inputs(X, rows, columns, is_category, knots, first, values, out):
    """Add to `out` (rows, width) what each column brings.

    Parameters
    ----------
    X : float array (rows of the table, columns)
        Numbers and codes of categories; NaN where a value is missing.
    rows : int array
        The rows that are read.
    columns : int array (inputs,)
        The columns that are read.
    is_category : bool array (inputs,)
        Whether a column holds codes of categories.
    knots : float array (inputs, knots)
        Ascending, of numbers; padded by NaN at the end.
    first : int array (inputs + 1,)
        The first row of `values` of each column. The last row of a column is for missing values
        and for categories that are not known.
    values : float array (rows of all columns, width)
        At each knot, or for each category. Between two knots it is interpolated, beyond them
        constant.
    out : float array (rows, width)
        Added to.
    """
    width = out.shape[1]
    for i in range(len(rows)):
        for c in range(len(columns)):
            x = X[rows[i], columns[c]]
            begin, unknown = first[c], first[c + 1] - 1
            at, share = unknown, 0.0
            if not np.isnan(x):
                if is_category[c]:
                    if 0 <= x < unknown - begin:
                        at = begin + int(x)
                elif unknown > begin:
                    last = unknown - begin - 1
                    low, high = 0, last
                    while low < high:  # the last knot that is not above x
                        middle = (low + high + 1) // 2
                        if knots[c, middle] <= x:
                            low = middle
                        else:
                            high = middle - 1
                    at = begin + low
                    if low < last and x > knots[c, low]:
                        share = (x - knots[c, low]) / (knots[c, low + 1] - knots[c, low])
            if share == 0.0:
                for k in range(width):
                    out[i, k] += values[at, k]
            else:
                for k in range(width):
                    out[i, k] += (1.0 - share) * values[at, k] + share * values[at + 1, k]
