"""Histograms of quantised gradients, and the best split of each column by them.

The gradients and the Hessian of a row are rounded to whole numbers at random, without bias, and
two of them share an integer of 64 bits. A histogram therefore takes one addition per value, and
its sums are exact: they do not depend on the order of the rows, on the number of threads or on
how rows are divided into blocks, and the histograms of blocks add up.

A column has 256 bins; the last one is that of missing values. The first word of a cell holds a
gradient in its upper and the Hessian in its lower half, which is not negative; further words hold
two gradients each.

References
----------
Ke et al. LightGBM. NeurIPS 2017, for histograms and the difference of siblings. Shi et al.
Quantized Training of Gradient Boosting Decision Trees. NeurIPS 2022.
"""

from __future__ import annotations

import numpy as np

from .copying import copy_multiple_to, copy_to
from .counter_rng import stream_of, uniform
from .jit import njit

#: Bins of a column, with the one of missing values, which is the last.
N_BINS = 256
MISSING = N_BINS - 1
#: The largest sum of one half of a word.
LARGEST = 2**31 - 1
_LOW = np.int64(0xFFFFFFFF)
_SIGN = np.int64(0x80000000)
_SHIFT = np.int64(32)
#: A gain is none below this part of the terms that it is the difference of: rounding makes some.
MIN_GAIN_SHARE = 1e-10
#: Added to the Hessian of a category where categories are ordered: rare ones stay in the middle.
CATEGORY_RIDGE = 10.0


def n_words(n_outputs: int) -> int:
    """Return the words of a cell with so many gradients and one Hessian."""
    return 1 + n_outputs // 2


@njit(cache=True, nogil=True)
def quantise(gradient, hessian, rows, gradient_scale, hessian_scale, seed, packed):
    """Write the quantised gradients and Hessians of some rows, in their order (rows, words).

    A number x becomes ``floor(x * scale + u)`` with u uniform in [0, 1), drawn by the row.
    """
    for i in range(len(rows)):
        r = np.int64(rows[i])
        stream = stream_of(np.uint64(seed), np.uint64(r))
        packed[i, 0] = np.int64(np.floor(hessian[r] * hessian_scale + uniform(stream, 0)))
        for k in range(gradient.shape[1]):
            whole = np.int64(np.floor(gradient[r, k] * gradient_scale + uniform(stream, k + 1)))
            if k == 0:
                packed[i, 0] += whole << _SHIFT
            elif k % 2 == 1:
                packed[i, (k + 1) // 2] = whole << _SHIFT
            else:
                packed[i, k // 2] += whole


@njit(cache=True, nogil=True)
def add_histograms(bins, columns, rows, packed, out):
    """Add the words of rows to the bins of some columns: `out` is (columns, 256, words).

    Four columns at a time share what is read of a row.
    """
    n, words = packed.shape
    whole = len(columns) - len(columns) % 4 if words == 1 else 0
    for c in range(0, whole, 4):
        a, b = bins[columns[c]], bins[columns[c + 1]]
        d, e = bins[columns[c + 2]], bins[columns[c + 3]]
        out_a, out_b, out_d, out_e = out[c], out[c + 1], out[c + 2], out[c + 3]
        for i in range(n):
            r, word = rows[i], packed[i, 0]
            out_a[a[r], 0] += word
            out_b[b[r], 0] += word
            out_d[d[r], 0] += word
            out_e[e[r], 0] += word
    for c in range(whole, len(columns)):
        column, cells = bins[columns[c]], out[c]
        for i in range(n):
            cell = cells[column[rows[i]]]
            for w in range(words):
                cell[w] += packed[i, w]


@njit(cache=True, nogil=True)
def unpack(words, sums):
    """Write the whole numbers of a cell: the Hessian, then the gradients."""
    sums[0] = words[0] & _LOW
    sums[1] = words[0] >> _SHIFT
    for w in range(1, len(words)):
        low = ((words[w] & _LOW) ^ _SIGN) - _SIGN
        sums[2 * w] = (words[w] - low) >> _SHIFT
        if 2 * w + 1 < len(sums):
            sums[2 * w + 1] = low


@njit(cache=True, nogil=True)
def clipped_gain(gradient, hessian, lower, upper):
    """Return the fall of the loss by the best step within bounds; the Hessian has its ridge."""
    step = min(max(gradient / hessian, lower), upper)
    return step * (2.0 * gradient - hessian * step)


@njit(cache=True, nogil=True)
def best_numeric_cut(cells, n_bins, total, options, sign, lower, upper):
    """Return the gain of the best cut, the last bin that goes left, and whether missing does.

    Parameters
    ----------
    cells : int array (256, 1)
        The histogram of a column.
    n_bins : int
        Bins of values that are present.
    total : int
        The word of all rows.
    options : (gradient unit, Hessian unit, ridge, least Hessian of a side)
        The first two turn whole numbers into gradients and Hessians.
    sign : int
        Whether answers may only rise (1) or fall (-1) with the column; 0 for both.
    lower, upper : float
        Bounds of the steps.
    """
    unit, hessian_unit, ridge, least = options[0], options[1], options[2], options[3]
    all_g, all_h = unit * (total >> _SHIFT), hessian_unit * (total & _LOW)
    gain, last_bin, missing_left = -np.inf, -1, 0
    missing = cells[MISSING, 0]
    bounded = sign != 0 or lower > -np.inf or upper < np.inf
    for side in range(2 if missing != 0 else 1):
        left = missing if side == 1 else np.int64(0)
        last = n_bins if missing != 0 else n_bins - 1
        for b in range(last):
            if cells[b, 0] == 0 and b < n_bins - 1:
                continue
            left += cells[b, 0]
            h = hessian_unit * (left & _LOW)
            if h < least:
                continue
            rest = all_h - h
            if rest < least:
                break
            g = unit * (left >> _SHIFT)
            h, rest = h + ridge, rest + ridge
            other = all_g - g
            if bounded:
                if sign * min(max(g / h, lower), upper) > sign * min(
                    max(other / rest, lower), upper
                ):
                    continue
                fall = clipped_gain(g, h, lower, upper) + clipped_gain(other, rest, lower, upper)
            else:
                fall = g * g / h + other * other / rest
            if fall > gain:
                gain, last_bin, missing_left = fall, b, side
    return gain, last_bin, missing_left


@njit(cache=True, nogil=True)
def squared_norm(sums, sign, total):
    """Return the sum of squares of gradients, or of what they lack of the total if sign is -1."""
    square = 0.0
    for k in range(1, len(sums)):
        part = sums[k] if sign > 0 else total[k] - sums[k]
        square += part * part
    return square


@njit(cache=True, nogil=True)
def best_ordered_cut(cells, order, n_ordered, total, options, ridge, words, sums):
    """Return the best cut as `best_numeric_cut` does, of bins in any order, for any outputs.

    Parameters
    ----------
    cells : int array (256, words)
        The histogram of a column.
    order : int array
        The bins in order, of which `n_ordered` count.
    total : float array (1 + outputs,)
        The Hessian and the gradients of all rows, as whole numbers.
    options, ridge
        As in `best_numeric_cut`; the ridge is given apart.
    words, sums : arrays
        Room for the sums on the left: an int array (words,) and a float array as `total`.

    Returns
    -------
    (gain, place of the last bin that goes left, whether missing values do)
    """
    unit, hessian_unit, least = options[0], options[1], options[3]
    gain, place, missing_left = -np.inf, -1, 0
    missing = cells[MISSING]
    has_missing = missing.any()
    for side in range(2 if has_missing else 1):
        copy_multiple_to(words, side, missing)
        for i in range(n_ordered if has_missing else n_ordered - 1):
            for w in range(len(words)):
                words[w] += cells[order[i], w]
            unpack(words, sums)
            h = hessian_unit * sums[0]
            rest = hessian_unit * (total[0] - sums[0])
            if h < least:
                continue
            if rest < least:
                break
            fall = (
                unit
                * unit
                * (
                    squared_norm(sums, 1, total) / (h + ridge)
                    + squared_norm(sums, -1, total) / (rest + ridge)
                )
            )
            if fall > gain:
                gain, place, missing_left = fall, i, side
    return gain, place, missing_left


@njit(cache=True, nogil=True)
def order_categories(cells, n_bins, output, options, order, key, sums):
    """Write the categories that occur, by their gradient over Hessian; return how many."""
    count = 0
    for b in range(n_bins):
        unpack(cells[b], sums)
        if sums[0] == 0 and not cells[b].any():
            continue
        hessian = options[1] * sums[0] + CATEGORY_RIDGE
        value = options[0] * sums[output + 1] / hessian
        at = count
        while at > 0 and key[at - 1] > value:
            key[at], order[at] = key[at - 1], order[at - 1]
            at -= 1
        key[at], order[at] = value, b
        count += 1
    return count


@njit(cache=True, nogil=True)
def best_cuts(
    hist, n_bins, categorical, signs, lower, upper, options, total_words, gains, cuts, sides
):
    """Write the gain of the best split of each column, where it cuts, and the side of missing.

    Parameters
    ----------
    hist : int array (columns, 256, words)
        Histograms.
    n_bins : int array (columns,)
        Bins of values that are present.
    categorical : bool array (columns,)
        Columns of codes, which are cut in the order of their gradients. Their cut is ``place +
        256 * output``: the output by which they are ordered, and the last place that goes left.
    signs : int8 array (columns,)
        Monotonic constraints; for one output.
    lower, upper : float
        Bounds of the steps.
    options : (gradient unit, Hessian unit, ridge, least Hessian of a side, outputs)
        As in `best_numeric_cut`, and the number of gradients.
    total_words : int array (words,)
        The sums of all rows.
    gains : float array (columns,), cuts : int array (columns,), sides : int8 array (columns,)
        Written to; a gain is -inf where there is no split.
    """
    words = np.zeros(hist.shape[2], np.int64)
    outputs = int(options[4])
    total, sums = np.zeros(1 + outputs), np.zeros(1 + outputs)
    order, key = np.arange(N_BINS), np.zeros(N_BINS)
    unpack(total_words, total)
    square, hessian, ridge = 0.0, options[1] * total[0] + options[2], options[2]
    for k in range(1, 1 + outputs):
        square += (options[0] * total[k]) ** 2
    base = square / hessian
    if outputs == 1 and (lower > -np.inf or upper < np.inf):
        base = clipped_gain(options[0] * total[1], hessian, lower, upper)
    for c in range(len(hist)):
        cells = hist[c]
        if categorical[c]:
            gains[c], cuts[c], sides[c] = -np.inf, -1, 0
            more = ridge + (CATEGORY_RIDGE if n_bins[c] > 4 else 0.0)
            for output in range(outputs):
                count = order_categories(cells, n_bins[c], output, options, order, key, sums)
                cut = best_ordered_cut(cells, order, count, total, options, more, words, sums)
                if cut[0] > gains[c]:
                    gains[c], cuts[c], sides[c] = cut[0], cut[1] + N_BINS * output, cut[2]
        elif outputs == 1:
            gains[c], cuts[c], sides[c] = best_numeric_cut(
                cells, n_bins[c], total_words[0], options, signs[c], lower, upper
            )
        else:
            for b in range(n_bins[c]):
                order[b] = b
            gains[c], cuts[c], sides[c] = best_ordered_cut(
                cells, order, n_bins[c], total, options, ridge, words, sums
            )
        fall = gains[c]
        gains[c] = fall - base
        if not gains[c] > MIN_GAIN_SHARE * fall:
            gains[c] = -np.inf


@njit(cache=True, nogil=True)
def bins_of_cut(cells, n_bins, is_categorical, cut, missing_left, options, goes_left):
    """Write which bins of a column go left; categories that do not occur go with missing ones."""
    goes_left[:] = missing_left == 1
    if not is_categorical:
        goes_left[: cut + 1] = True
        goes_left[cut + 1 : MISSING] = False
        return
    order, key = np.zeros(N_BINS, np.int64), np.zeros(N_BINS)
    sums = np.zeros(1 + int(options[4]))
    count = order_categories(cells, n_bins, cut // N_BINS, options, order, key, sums)
    for i in range(count):
        goes_left[order[i]] = i <= cut % N_BINS


@njit(cache=True, nogil=True)
def partition_rows(rows, column, goes_left, buffer):
    """Move the rows that go left to the front, in their order; return how many there are."""
    n_left, n_right = 0, 0
    for i in range(len(rows)):
        r = rows[i]
        side = goes_left[column[r]]
        rows[n_left] = r
        buffer[n_right] = r
        n_left += side
        n_right += 1 - side
    copy_to(rows[n_left:], buffer)
    return n_left


@njit(cache=True, nogil=True)
def difference(hist, part):
    """Take a part from a histogram, in place."""
    for c in range(hist.shape[0]):
        for b in range(hist.shape[1]):
            for w in range(hist.shape[2]):
                hist[c, b, w] -= part[c, b, w]
