"""Regression trees that grow while rows arrive, in bounded memory.

Each leaf that may still split has a histogram per column: for every bin the weight of its rows and
the sums of their targets; the last bin is that of missing values. A node's own numbers are kept in
one table each; `links` has the column (-1 at a leaf), the left, the right and the missing child.
"""

from __future__ import annotations

import numpy as np

from .copying import copy_multiple_to
from .jit import njit, njit_inline

#: Columns of `links`.
COLUMN, LEFT, RIGHT, MISSING = 0, 1, 2, 3
#: Columns of `leaves`: weight of the running mean, histogram (-1 for none), depth.
WEIGHT, SLOT, DEPTH = 0, 1, 2


@njit_inline
def leaf_of(x, links, cut):
    """Return the leaf of a row."""
    node = 0
    while links[node, COLUMN] >= 0:
        value = x[links[node, COLUMN]]
        if value != value:
            node = links[node, MISSING]
        elif value <= cut[node]:
            node = links[node, LEFT]
        else:
            node = links[node, RIGHT]
    return node


@njit(cache=True, nogil=True)
def add_answers(X, links, cut, value, out):
    """Add the answer of a tree to each row of `out`."""
    for i in range(len(X)):
        node = leaf_of(X[i], links, cut)
        for k in range(value.shape[1]):
            out[i, k] += value[node, k]


@njit(cache=True, nogil=True)
def learn(
    X, bins, targets, weights, allowed, cuts, n_cuts, memory, grace, evidence, max_depth,
    confidence, links, cut, value, leaves, histograms, moments, counts,
):  # fmt: skip
    """Teach a tree rows with their targets, one after the other.

    Parameters
    ----------
    X, bins : arrays (rows, columns)
        Values, and their bins.
    targets, weights : float arrays (rows, outputs), (rows,)
        What is to be learnt.
    allowed : bool array (columns,)
        Columns that may be tested.
    cuts, n_cuts : float array (columns, bins), int array (columns,)
        The cut points of each column.
    memory : float
        The largest weight of a running mean.
    grace : float
        Weight of the rows of a leaf between two attempts to split it.
    evidence : float
        How many rows a weight of 1 counts for in the test of a split: less than 1 where rows
        are seen several times.
    max_depth : int
        The most tests on a path.
    confidence : float
        The logarithm of one over the probability of a split that is due to chance.
    links, cut, value, leaves
        The nodes.
    histograms : float array (histograms, columns, bins + 1, outputs + 1)
        Of leaves: sums of targets, and weights.
    moments : float array (histograms, outputs + 3)
        Of the same leaves: sums of targets, weight, sum of squared targets, and the weight since
        the last attempt to split.
    counts : int array (2,)
        Nodes and histograms in use.
    """
    d, outputs = X.shape[1], targets.shape[1]
    for i in range(len(X)):
        weight = weights[i]
        if weight <= 0.0:
            continue
        node = leaf_of(X[i], links, cut)
        held = min(leaves[node, WEIGHT], memory - weight) + weight
        leaves[node, WEIGHT] = held
        for k in range(outputs):
            value[node, k] += weight / held * (targets[i, k] - value[node, k])
        slot = int(leaves[node, SLOT])
        if slot < 0:
            continue
        for j in range(d):
            cell = histograms[slot, j, bins[i, j]]
            cell[outputs] += weight
            for k in range(outputs):
                cell[k] += weight * targets[i, k]
        for k in range(outputs):
            moments[slot, k] += weight * targets[i, k]
            moments[slot, outputs + 1] += weight * targets[i, k] ** 2
        moments[slot, outputs] += weight
        moments[slot, outputs + 2] += weight
        if moments[slot, outputs + 2] >= grace:
            moments[slot, outputs + 2] = 0.0
            _try_to_split(
                node, slot, allowed, cuts, n_cuts, evidence, max_depth, confidence, links, cut,
                value, leaves, histograms, moments, counts,
            )  # fmt: skip


@njit(cache=True, nogil=True)
def best_split(histogram, total, allowed, n_cuts):
    """Return the gain, column, cut and missing side of the best split of a leaf.

    `total` has the sums of its targets, and its weight. The gain is the fall of the sum of
    squares; missing values go to the side where it is larger, 1 for left.
    """
    d, last, width = histogram.shape
    outputs, missing = width - 1, last - 1
    best, best_column, best_cut, best_side = 0.0, -1, -1, 0
    left = np.empty(width)
    for j in range(d):
        if not allowed[j]:
            continue
        lacking = histogram[j, missing]
        for side in range(2):
            if side == 1 and lacking[outputs] == 0.0:
                break
            copy_multiple_to(left, side, lacking)
            for b in range(n_cuts[j]):
                left += histogram[j, b]
                if left[outputs] < 2.0 or total[outputs] - left[outputs] < 2.0:
                    continue
                gain = 0.0
                for k in range(outputs):
                    gain += left[k] ** 2 / left[outputs]
                    gain += (total[k] - left[k]) ** 2 / (total[outputs] - left[outputs])
                    gain -= total[k] ** 2 / total[outputs]
                if gain > best:
                    best, best_column, best_cut, best_side = gain, j, b, side
    return best, best_column, best_cut, best_side


@njit(cache=True, nogil=True)
def _try_to_split(
    node, slot, allowed, cuts, n_cuts, evidence, max_depth, confidence, links, cut, value,
    leaves, histograms, moments, counts,
):  # fmt: skip
    """Split a leaf if its best split is not due to chance, and there is room for it."""
    outputs = value.shape[1]
    total = moments[slot, : outputs + 1].copy()
    gain, column, position, side = best_split(histograms[slot], total, allowed, n_cuts)
    if column < 0 or counts[0] + 2 > len(links):
        return
    spread = moments[slot, outputs + 1]
    for k in range(outputs):
        spread -= total[k] ** 2 / total[outputs]
    # the likelihood ratio of a split by chance is about the mean of a chi-square variable per
    # output; its tail is bounded as by Laurent and Massart (2000), at one of all cuts
    explained = min(gain / max(spread, 1e-300), 1.0 - 1e-12)
    n_tests = 0
    for j in range(len(allowed)):
        n_tests += n_cuts[j] if allowed[j] else 0
    tail = confidence + np.log(max(n_tests, 1))
    ratio = -evidence * total[outputs] * np.log1p(-explained)
    if ratio < 1.0 + 2.0 * np.sqrt(tail / outputs) + 2.0 * tail / outputs:
        return
    _split(
        node, slot, column, position, side, total, cuts, max_depth, links, cut, value, leaves,
        histograms, moments, counts,
    )  # fmt: skip


@njit(cache=True, nogil=True)
def _split(
    node, slot, column, position, side, total, cuts, max_depth, links, cut, value, leaves,
    histograms, moments, counts,
):  # fmt: skip
    """Make two leaves of one; they begin with the means of their rows so far."""
    outputs, missing = value.shape[1], histograms.shape[2] - 1
    sums = np.zeros(outputs + 1)
    for b in range(position + 1):
        sums += histograms[slot, column, b]
    if histograms[slot, column, missing, outputs] == 0.0:
        side = 1 if 2.0 * sums[outputs] > total[outputs] else 0  # as most rows do
    elif side == 1:
        sums += histograms[slot, column, missing]
    left, right = counts[0], counts[0] + 1
    counts[0] += 2
    links[node, COLUMN], cut[node] = column, cuts[column, position]
    links[node, LEFT], links[node, RIGHT] = left, right
    links[node, MISSING] = left if side == 1 else right
    depth = leaves[node, DEPTH] + 1
    for child, part in ((left, sums), (right, total - sums)):
        links[child, COLUMN] = -1
        leaves[child, DEPTH], leaves[child, WEIGHT] = depth, part[outputs]
        leaves[child, SLOT] = -1
        for k in range(outputs):
            value[child, k] = part[k] / part[outputs]
    leaves[node, SLOT] = -1
    histograms[slot] = 0.0
    moments[slot] = 0.0
    if depth < max_depth:
        leaves[left, SLOT] = slot
        if counts[1] < len(histograms):
            leaves[right, SLOT] = counts[1]
            counts[1] += 1


@njit(cache=True, nogil=True)
def bin_values(X, cuts, n_cuts, out):
    """Write the bin of each value; missing values have the last one."""
    missing = cuts.shape[1]
    for i in range(X.shape[0]):
        for j in range(X.shape[1]):
            value = X[i, j]
            if value != value:
                out[i, j] = missing
                continue
            low, high = 0, n_cuts[j]
            while low < high:
                middle = (low + high) // 2
                if value <= cuts[j, middle]:
                    high = middle
                else:
                    low = middle + 1
            out[i, j] = low
