"""Kernels of AdaBoost: histograms of signed weights, best stumps per column, reweighting.

The signed weight of row i is s_i = D_i y_i, with D the distribution of AdaBoost and y = +-1.
The edge of a stump h is sum_i s_i h(x_i); the best votes make it a sum of absolute values.
"""

from __future__ import annotations

import numpy as np

from .jit import njit

#: Kinds of tests of a stump.
NOTHING, THRESHOLD, CODE, PRESENT = 0, 1, 2, 3
#: The best stump of a column: `at` is the bin of the cut or code.
BEST_STUMP = np.dtype(
    [
        ("edge", "f8"),
        ("at", "i8"),
        ("kind", "i8"),
        ("inside", "f8"),
        ("outside", "f8"),
        ("missing", "f8"),
    ]
)
#: Rows whose weights are summed sequentially; the sums of blocks are then added exactly.
BLOCK = 2048
#: Bound of the relative rounding error of a weight.
_ROUNDING = 1e-14


@njit(cache=True, nogil=True)
def add_histograms(bins, columns, signed, start, stop, hist):
    """Add the signed weights of rows from start to stop to one histogram per column.

    Four columns are done together: a weight is read once for them, and an addition need not
    wait for the one before it. The sums of a column do not depend on the columns beside it.
    """
    fours = len(columns) - len(columns) % 4
    for c in range(0, fours, 4):
        bins_0, hist_0 = bins[columns[c]], hist[c]
        bins_1, hist_1 = bins[columns[c + 1]], hist[c + 1]
        bins_2, hist_2 = bins[columns[c + 2]], hist[c + 2]
        bins_3, hist_3 = bins[columns[c + 3]], hist[c + 3]
        for i in range(start, stop):
            s = signed[i]
            hist_0[bins_0[i]] += s
            hist_1[bins_1[i]] += s
            hist_2[bins_2[i]] += s
            hist_3[bins_3[i]] += s
    for c in range(fours, len(columns)):
        bins_0, hist_0 = bins[columns[c]], hist[c]
        for i in range(start, stop):
            hist_0[bins_0[i]] += signed[i]


@njit(cache=True, nogil=True)
def add_rows_to_histograms(bins, columns, rows, signed, hist):
    """Add the signed weights of some rows to one histogram per column, four columns together."""
    fours = len(columns) - len(columns) % 4
    for c in range(0, fours, 4):
        bins_0, hist_0 = bins[columns[c]], hist[c]
        bins_1, hist_1 = bins[columns[c + 1]], hist[c + 1]
        bins_2, hist_2 = bins[columns[c + 2]], hist[c + 2]
        bins_3, hist_3 = bins[columns[c + 3]], hist[c + 3]
        for k in range(len(rows)):
            i, s = rows[k], signed[k]
            hist_0[bins_0[i]] += s
            hist_1[bins_1[i]] += s
            hist_2[bins_2[i]] += s
            hist_3[bins_3[i]] += s
    for c in range(fours, len(columns)):
        bins_0, hist_0 = bins[columns[c]], hist[c]
        for k in range(len(rows)):
            hist_0[bins_0[rows[k]]] += signed[k]


@njit(cache=True, nogil=True)
def rows_that_moved(old, new, ratio, rows, by):
    """Write the rows whose weight is not just ``ratio`` times the old one, and the difference.

    Return their number, which may exceed the room in ``rows``; the rest are not written.
    """
    count = 0
    for i in range(len(old)):
        change = new[i] - ratio * old[i]
        if abs(change) > _ROUNDING * abs(new[i]):
            if count < len(rows):
                rows[count], by[count] = i, change
            count += 1
    return count


@njit(cache=True, nogil=True)
def best_threshold(hist, n_cuts, present):
    """Return the margin left - right of largest size, and the lowest cut that has it."""
    best, at, left = 0.0, -1, 0.0
    for b in range(n_cuts):
        left += hist[b]
        margin = left - (present - left)
        if at < 0 or abs(margin) > abs(best):
            best, at = margin, b
    return best, at


@njit(cache=True, nogil=True)
def best_code(hist, occurs, present):
    """Return the margin inside - rest of largest size, and the lowest code that has it."""
    best, at = 0.0, -1
    if occurs.sum() < 2:  # a single code has no rest
        return best, at
    for b in range(len(occurs)):
        margin = hist[b] - (present - hist[b])
        if occurs[b] and (at < 0 or abs(margin) > abs(best)):
            best, at = margin, b
    return best, at


@njit(cache=True, nogil=True)
def best_stumps(hist, columns, n_cuts, has_missing, occurs, first_code, best):
    """Write the best stump of each column from its histogram.

    Parameters
    ----------
    hist : float array (k, bins)
        Histograms of k columns; the last bin is the missing one.
    columns : int array (k,)
        These columns.
    n_cuts, has_missing : arrays (columns of X,)
        Number of cuts of a column, and whether it has missing values.
    occurs : bool array
        Which codes occur, for all categorical columns one after the other.
    first_code : int array (columns of X + 1,)
        Where the codes of a column begin in ``occurs``; a numeric column has none.
    best : `BEST_STUMP` array (columns of X,)
        Written to.
    """
    for c in range(len(columns)):
        j = columns[c]
        present = hist[c, : n_cuts[j] + 1].sum()
        lost = hist[c, -1] if has_missing[j] else 0.0
        codes = occurs[first_code[j] : first_code[j + 1]]
        if len(codes) > 0:
            margin, at = best_code(hist[c], codes, present)
            kind = CODE
        else:
            margin, at = best_threshold(hist[c], n_cuts[j], present)
            kind = THRESHOLD
        if has_missing[j] and (at < 0 or abs(present) > abs(margin)):
            margin, at, kind = present, 0, PRESENT
        result = best[j]
        # Rounding must not take an edge above 1, where its logarithms end.
        result["edge"] = min(abs(margin) + abs(lost), 1.0) if at >= 0 else 0.0
        result["at"] = at
        result["kind"] = kind if at >= 0 else NOTHING
        result["inside"] = 1.0 if margin >= 0.0 else -1.0
        result["outside"] = -result["inside"]
        result["missing"] = (1.0 if lost >= 0.0 else -1.0) if has_missing[j] else 0.0


@njit(cache=True, nogil=True)
def reweigh(signed, bins, factors, out, sums, start, stop):
    """Multiply the weights of some rows, and write the sums of their sizes per block.

    Parameters
    ----------
    signed, out : float arrays (rows,)
        Signed weights before and after, not yet normalised.
    bins : int array (rows,)
        Bins of the chosen column.
    factors : float array (2, bins)
        Factors of positive and of negative weights.
    sums : float array (blocks,)
        Written to.
    start, stop : int
        Blocks to do.
    """
    for block in range(start, stop):
        total = 0.0
        for i in range(block * BLOCK, min((block + 1) * BLOCK, len(signed))):
            s = signed[i]
            # Both factors are loaded, so that the choice needs no branch: signs are random.
            if_positive, if_negative = factors[0, bins[i]], factors[1, bins[i]]
            s *= if_negative if s < 0.0 else if_positive
            out[i] = s
            total += abs(s)
        sums[block] = total


# The order of these sums is left to the compiler: they only bound edges, so rounding may differ.
@njit(cache=True, nogil=True, fastmath={"reassoc", "nsz"})
def normalise(weights, now, scale, distances, start, stop):
    """Scale some rows of weights[now], and write the L1 distance of all weights from them."""
    for block in range(start, stop):
        first, last = block * BLOCK, min((block + 1) * BLOCK, weights.shape[1])
        current = weights[now, first:last]
        for i in range(len(current)):
            current[i] *= scale
        for k in range(len(weights)):
            other = weights[k, first:last]
            total = 0.0
            for i in range(len(current)):
                total += abs(current[i] - other[i])
            distances[block, k] = total
