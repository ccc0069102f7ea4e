"""Kernels of boosting for K classes: class histograms, best stumps per column, reweighting.

A stump votes for one class inside an interval, for another one outside, and for some class
where the value is missing. It maximises the weight of the rows that are right: the best
classes are the heaviest ones of each side, or the runner-up of one side if they are the same.
"""

from __future__ import annotations

import numpy as np

from .jit import njit
from .stumps import BLOCK, CODE, NOTHING, PRESENT, THRESHOLD, add_histograms

#: The best stump of a column: `at` is the bin of the cut or code, votes are class numbers or -1.
BEST_CLASS_STUMP = np.dtype(
    [
        ("edge", "f8"),
        ("at", "i8"),
        ("kind", "i8"),
        ("inside", "i8"),
        ("outside", "i8"),
        ("missing", "i8"),
    ]
)
#: Weights are equal up to this factor: rounding must not choose between them.
TIE = 1.0 + 1e-12
#: Classes whose weights on both sides of all tests are held at a time: what fits in a cache.
_CLASSES_AT_A_TIME = 32


@njit(cache=True, nogil=True)
def add_class_histograms(bins, columns, weights, starts, hist):
    """Add the weights of all rows to one histogram per class and column.

    Parameters
    ----------
    bins : int array (columns of X, rows)
        The rows in the order of their classes.
    columns : int array (k,)
        The columns to do.
    weights : float array (rows,)
        Not negative.
    starts : int array (classes + 1,)
        Where the rows of a class begin.
    hist : float array (classes, k, bins)
        Added to.
    """
    for label in range(len(starts) - 1):
        add_histograms(bins, columns, weights, starts[label], starts[label + 1], hist[label])


@njit(cache=True, nogil=True)
def threshold_sides(hist, inside, outside):
    """Write the weights of the classes up to each cut, and beyond it.

    Both are sums and none is a difference, so that an absent class weighs exactly 0.
    """
    n_classes, n = hist.shape
    for k in range(n_classes):
        total = 0.0
        for b in range(n - 1):
            total += hist[k, b]
            inside[k, b] = total
        total = 0.0
        for b in range(n - 1, 0, -1):
            total += hist[k, b]
            outside[k, b - 1] = total


@njit(cache=True, nogil=True)
def code_sides(hist, inside, outside):
    """Write the weights of the classes in each code, and in all others."""
    n_classes, n = hist.shape
    for k in range(n_classes):
        total = 0.0
        for b in range(n):
            inside[k, b] = hist[k, b]
            outside[k, b] = total
            total += hist[k, b]
        total = 0.0
        for b in range(n - 1, -1, -1):
            outside[k, b] += total
            total += hist[k, b]


@njit(cache=True, nogil=True)
def top_two(weights, start, top, second, first, next_one):
    """Update the two largest weights of each test and their classes, the lowest at ties.

    The weights are those of the classes from `start` on; the first update has a `start` of 0. The
    inner loop runs over tests without branches, so that the compiler can vectorise it.
    """
    n_classes, n = weights.shape
    if start == 0:
        top[:n], second[:n] = -1.0, -1.0
    for k in range(start, start + n_classes):
        class_weights = weights[k - start]
        for b in range(n):
            w = class_weights[b]
            wins, places = w > TIE * top[b], w > TIE * second[b]
            second[b] = top[b] if wins else (w if places else second[b])
            next_one[b] = first[b] if wins else (k if places else next_one[b])
            top[b] = w if wins else top[b]
            first[b] = k if wins else first[b]


@njit(cache=True, nogil=True)
def heaviest(weights):
    """Return the class of the largest weight, the lowest at a tie."""
    top = 0
    for k in range(1, len(weights)):
        if weights[k] > TIE * weights[top]:
            top = k
    return top


@njit(cache=True, nogil=True)
def best_pair(inside, outside, possible):
    """Return the first test with the largest weight of right votes, if its sides differ.

    Parameters
    ----------
    inside, outside : float arrays (classes, tests)
        Weights.
    possible : bool array (tests,)
        Which tests may be chosen.

    Returns
    -------
    right : float
        The weight that is right.
    at : int
        The test, or -1.
    a, b : int
        The classes inside and outside.
    """
    n = inside.shape[1]
    tops, classes = np.empty((4, n)), np.empty((4, n), np.int64)
    top_two(inside, 0, tops[0], tops[1], classes[0], classes[1])
    top_two(outside, 0, tops[2], tops[3], classes[2], classes[3])
    return best_votes(tops, classes, possible)


@njit(cache=True, nogil=True)
def best_votes(tops, classes, possible):
    """Return the same as `best_pair`, from the two heaviest classes inside and outside."""
    n = tops.shape[1]
    right, at, a, b = 0.0, -1, 0, 0
    for t in range(n):
        if not possible[t]:
            continue
        i, o = 0, 2
        if classes[0, t] == classes[2, t]:
            one, other = tops[0, t] + tops[3, t], tops[1, t] + tops[2, t]
            if one > TIE * other or (TIE * one >= other and classes[0, t] < classes[1, t]):
                o = 3
            else:
                i = 1
        if at < 0 or tops[i, t] + tops[o, t] > TIE * right:
            right, at, a, b = tops[i, t] + tops[o, t], t, classes[i, t], classes[o, t]
    return right, at, a, b


@njit(cache=True, nogil=True)
def best_class_stumps(hist, columns, n_cuts, has_missing, occurs, first_code, best):
    """Write the best stump of each column from its class histograms.

    Parameters
    ----------
    hist : float array (classes, k, bins)
        Histograms of k columns; the last bin is the missing one. All weights sum to 1.
    columns, n_cuts, has_missing, occurs, first_code
        As in `best_stumps`.
    best : `BEST_CLASS_STUMP` array (columns of X,)
        Written to.
    """
    n_classes = hist.shape[0]
    for c in range(len(columns)):
        j = columns[c]
        present_hist = hist[:, c, : n_cuts[j] + 1]
        lost = np.ascontiguousarray(hist[:, c, -1])
        codes = occurs[first_code[j] : first_code[j + 1]]
        kind = CODE if len(codes) > 0 else THRESHOLD
        if kind == CODE:
            # a single code has no rest
            possible = codes if codes.sum() > 1 else np.zeros(len(codes), np.bool_)
        else:
            possible = np.ones(n_cuts[j], np.bool_)
        n = n_cuts[j] + 1 if kind == CODE else n_cuts[j]
        tops, classes = np.empty((4, n)), np.empty((4, n), np.int64)
        inside, outside = np.empty((2, min(n_classes, _CLASSES_AT_A_TIME), n))
        for start in range(0, n_classes, _CLASSES_AT_A_TIME):
            some = present_hist[start : start + _CLASSES_AT_A_TIME]
            low, high = inside[: len(some)], outside[: len(some)]
            if kind == CODE:
                code_sides(some, low, high)
            else:
                threshold_sides(some, low, high)
            top_two(low, start, tops[0], tops[1], classes[0], classes[1])
            top_two(high, start, tops[2], tops[3], classes[2], classes[3])
        right, at, a, b = best_votes(tops, classes, possible)
        missing = -1
        if has_missing[j]:
            missing = heaviest(lost)
            right += lost[missing]
            present = np.empty((n_classes, 1))
            for k in range(n_classes):
                present[k, 0] = present_hist[k].sum()
            whole, _, p, m = best_pair(present, lost.reshape(-1, 1), np.ones(1, np.bool_))
            if at < 0 or whole > TIE * right:
                right, at, kind, a, b, missing = whole, 0, PRESENT, p, m, m
        result = best[j]
        edge = (n_classes * right - 1.0) / (n_classes - 1)
        # Rounding must not take an edge above 1, where its logarithms end.
        result["edge"] = min(max(edge, 0.0), 1.0) if at >= 0 else 0.0
        result["at"] = at
        result["kind"] = kind if at >= 0 else NOTHING
        result["inside"], result["outside"], result["missing"] = a, b, missing


@njit(cache=True, nogil=True)
def reweigh_classes(weights, labels, bins, voted, right, wrong, out, sums, start, stop):
    """Multiply the weights of some rows, and write their sums per block.

    Parameters
    ----------
    weights, out : float arrays (rows,)
        Weights before and after, not yet normalised.
    labels, bins : int arrays (rows,)
        Classes, and bins of the chosen column.
    voted : int array (bins,)
        The class that each bin votes for, -1 if it abstains.
    right, wrong : float
        Factors of the weight where the vote is right, and where it is wrong.
    sums : float array (blocks,)
        Written to.
    start, stop : int
        Blocks to do.
    """
    for block in range(start, stop):
        total = 0.0
        for i in range(block * BLOCK, min((block + 1) * BLOCK, len(weights))):
            vote = voted[bins[i]]
            factor = right if vote == labels[i] else wrong
            w = weights[i] * (factor if vote >= 0 else 1.0)
            out[i] = w
            total += w
        sums[block] = total
