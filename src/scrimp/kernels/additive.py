"""Adding the votes of stumps to the scores of rows."""

from __future__ import annotations

from numba import njit


@njit(cache=True, nogil=True)
def add_stumps(sums, stumps, X, rows, column, low, high, inside, outside, missing):
    """Add votes row by row, stumps in their order; a row's values stay in the cache."""
    for i in range(rows.shape[0]):
        row = rows[i]
        for k in range(sums.shape[1]):
            total = sums[i, k]
            for stump in stumps:
                x = X[row, column[stump]]
                if x >= low[stump] and x <= high[stump]:
                    total += inside[stump, k]
                elif x == x:
                    total += outside[stump, k]
                else:
                    total += missing[stump, k]
            sums[i, k] = total
