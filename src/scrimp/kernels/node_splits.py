"""The best split of each column at a node of a single tree, by exact sums over bins.

A cell holds the number of rows, their weight, and their weighted targets: one per class, or the
number to be predicted. Sums are in double precision, as one tree, unlike a boosted one, does not
correct the errors of another; histograms are summed anew at each node.

A numeric column is cut between two bins that hold rows; a column of codes is tested for one of
them. Missing values go to the side where they serve best; present values may be divided from
missing ones as well.
"""

from __future__ import annotations

import numpy as np

from .copying import copy_multiple_to, copy_to
from .jit import njit

#: Criteria: how much is known of the rows of a node.
SQUARED_ERROR, ENTROPY = 0, 1
#: A gain is none below this part of the terms that it is the difference of: rounding makes some.
MIN_GAIN_SHARE = 1e-10
#: Statistics of a cell before its targets: the number of rows and their weight.
N_COUNTS = 2


@njit(cache=True, nogil=True)
def sum_bins(bins, columns, rows, statistics, missing, out):
    """Add the statistics of rows to the bins of some columns.

    Parameters
    ----------
    bins : int array (columns of the table, rows)
        Bins of all values.
    columns, rows : int arrays
        What is summed.
    statistics : float array (rows, 2 + targets)
        1, the weight, and the weight times each target of a row.
    missing : int
        The bin of missing values; they are summed in the last cell.
    out : float array (columns, cells, 2 + targets)
        Added to.
    """
    last = out.shape[1] - 1
    for c in range(len(columns)):
        column, cells = bins[columns[c]], out[c]
        for i in range(len(rows)):
            r = rows[i]
            b = np.int64(column[r])
            cell = cells[last if b == missing else b]
            for k in range(statistics.shape[1]):
                cell[k] += statistics[r, k]


@njit(cache=True, nogil=True)
def certainty(sums, sign, total, criterion):
    """Return how much is known of rows: of those summed, or of the others if sign is -1.

    By the squared error it is the part of the sum of squares that the mean explains, by the
    entropy the number of bits, negative, of the labels of all rows together.
    """
    weight = sums[1] if sign > 0 else total[1] - sums[1]
    known = 0.0
    for k in range(N_COUNTS, len(sums)):
        part = sums[k] if sign > 0 else total[k] - sums[k]
        if criterion == SQUARED_ERROR:
            known += part * part
        elif part > 0.0:
            known += part * np.log2(part / weight)
    return known / weight if criterion == SQUARED_ERROR else known


@njit(cache=True, nogil=True)
def divided(sums, total, least, criterion):
    """Return what is known of both sides of a split, -inf if a side has too few rows."""
    if sums[0] < least or total[0] - sums[0] < least:
        return -np.inf
    if not (sums[1] > 0.0 and total[1] - sums[1] > 0.0):
        return -np.inf
    return certainty(sums, 1, total, criterion) + certainty(sums, -1, total, criterion)


@njit(cache=True, nogil=True)
def best_threshold(cells, n_bins, total, least, criterion, sums):
    """Return what is known after the best cut, the last bin below it, and the side of missing.

    Among empty bins the cut is in the middle. If it divides present values from missing ones,
    the bin is `n_bins`. `sums` is room for the sums of one side.
    """
    missing = cells[len(cells) - 1]
    best, place, missing_inside = -np.inf, -1, 0
    for side in range(2 if missing[0] > 0 else 1):
        copy_multiple_to(sums, side, missing)
        last = -1
        for b in range(n_bins):
            if cells[b, 0] == 0.0:
                continue
            if last >= 0:
                known = divided(sums, total, least, criterion)
                if known > best:
                    best, place, missing_inside = known, (last + b - 1) // 2, side
            sums += cells[b]
            last = b
    known = apart_from_missing(cells, total, least, criterion, sums)
    if known > best:
        best, place, missing_inside = known, n_bins, 0
    return best, place, missing_inside


@njit(cache=True, nogil=True)
def best_code(cells, n_bins, total, least, criterion, sums):
    """Return as `best_threshold` does, the place being the code that is tested for."""
    missing = cells[len(cells) - 1]
    best, place, missing_inside = -np.inf, -1, 0
    for side in range(2 if missing[0] > 0 else 1):
        for b in range(n_bins):
            if cells[b, 0] == 0.0:
                continue
            copy_multiple_to(sums, side, missing)
            sums += cells[b]
            known = divided(sums, total, least, criterion)
            if known > best:
                best, place, missing_inside = known, b, side
    known = apart_from_missing(cells, total, least, criterion, sums)
    if known > best:
        best, place, missing_inside = known, n_bins, 0
    return best, place, missing_inside


@njit(cache=True, nogil=True)
def apart_from_missing(cells, total, least, criterion, sums):
    """Return what is known if missing values are divided from all others."""
    copy_to(sums, cells[len(cells) - 1])
    return divided(sums, total, least, criterion)


@njit(cache=True, nogil=True)
def node_sums(statistics, rows):
    """Return the sums of the statistics of some rows."""
    sums = np.zeros(statistics.shape[1])
    for i in range(len(rows)):
        for k in range(len(sums)):
            sums[k] += statistics[rows[i], k]
    return sums


@njit(cache=True, nogil=True)
def best_splits(
    bins, missing, n_bins, categorical, columns, rows, statistics, total, least, criterion
):
    """Return the gain of the best split of each column, its place, and the side of missing.

    Parameters
    ----------
    bins, missing, columns, rows, statistics
        As in `sum_bins`.
    n_bins : int array (columns of the table,)
        Bins of present values.
    categorical : bool array (columns of the table,)
        Columns of codes.
    total : float array (2 + targets,)
        The sums over the rows.
    least : float
        The fewest rows on a side.
    criterion : int
        `SQUARED_ERROR` or `ENTROPY`.

    Returns
    -------
    gains : float array, places : int array, sides : bool array (columns,)
        A gain is -inf where there is no split. A side is true where missing values go with what
        is inside.
    """
    most = 0
    for c in range(len(columns)):
        most = max(most, n_bins[columns[c]])
    hist = np.zeros((len(columns), most + 1, len(total)))
    sum_bins(bins, columns, rows, statistics, missing, hist)
    gains = np.empty(len(columns))
    places = np.empty(len(columns), np.int64)
    sides = np.zeros(len(columns), np.bool_)
    sums = np.zeros(len(total))
    base = certainty(total, 1, total, criterion)
    for c in range(len(columns)):
        j = columns[c]
        if categorical[j]:
            known, place, side = best_code(hist[c], n_bins[j], total, least, criterion, sums)
        else:
            known, place, side = best_threshold(hist[c], n_bins[j], total, least, criterion, sums)
        gains[c], places[c], sides[c] = known - base, place, side == 1
        if not gains[c] > MIN_GAIN_SHARE * max(abs(base), abs(known)):
            gains[c] = -np.inf
    return gains, places, sides


@njit(cache=True, nogil=True)
def divide_rows(rows, column, place, n_bins, is_code, missing, missing_inside):
    """Return the rows inside a split, those outside, and whether some lack the value."""
    inside, outside = np.empty_like(rows), np.empty_like(rows)
    n_in, n_out, lacks = 0, 0, False
    for i in range(len(rows)):
        b = np.int64(column[rows[i]])
        if b == missing:
            lacks = True
            is_inside = missing_inside
        elif place == n_bins:
            is_inside = True
        else:
            is_inside = b == place if is_code else b <= place
        if is_inside:
            inside[n_in] = rows[i]
            n_in += 1
        else:
            outside[n_out] = rows[i]
            n_out += 1
    return inside[:n_in].copy(), outside[:n_out].copy(), lacks
