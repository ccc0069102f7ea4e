"""Gradient boosting of small trees on binned columns, for many small trainings side by side.

A training looks at some columns and some rows of one table of bins, grows each tree leaf by
leaf where the loss falls most, and keeps the scores of other rows up to date. Trees of several
classes have one number a class in each leaf. All functions release Python's lock.

Kinds of loss: 0 squared error, 1 two classes (log loss), 2 several classes (log loss).
"""

from __future__ import annotations

import numpy as np
from numba import njit

SQUARED, TWO_CLASSES, CLASSES = 0, 1, 2
#: The bin of a missing value.
MISSING = 255
_LEAST_HESSIAN = 1e-6


@njit(cache=True, nogil=True)
def add_rows(sums, bins, columns, first, n_bins, rows, gradient, hessian):
    """Sums of gradients, hessians and rows in each bin of each column (bins x outputs + 2)."""
    sums[:] = 0.0
    outputs = gradient.shape[1]
    for c in range(len(columns)):
        column, start, missing = bins[columns[c]], first[c], first[c] + n_bins[c]
        for r in rows:
            b = column[r]
            place = missing if b == MISSING else start + b
            sums[place, 0] += gradient[r, 0]
            for k in range(1, outputs):
                sums[place, k] += gradient[r, k]
            sums[place, outputs] += hessian[r]
            sums[place, outputs + 1] += 1.0


@njit(cache=True, nogil=True)
def best_split(sums, first, n_bins, least_rows, ridge, total, left, split):
    """Write the split that lowers the loss most: gain, column, last bin left, missing left."""
    outputs = len(total) - 2
    hessian, rows = total[outputs], total[outputs + 1]
    base = (total[:outputs] ** 2).sum() / (hessian + ridge)
    gain, column, last, missing_left = 1e-12, -1, -1, 0
    for c in range(len(n_bins)):
        missing = first[c] + n_bins[c]
        for way in range(2 if sums[missing, outputs + 1] > 0 else 1):
            left[:] = way * sums[missing]
            for b in range(n_bins[c]):
                if sums[first[c] + b, outputs + 1] == 0:
                    continue
                left += sums[first[c] + b]
                if left[outputs + 1] < least_rows:
                    continue
                if rows - left[outputs + 1] < least_rows:
                    break
                one, other = 0.0, 0.0
                for k in range(outputs):
                    one += left[k] * left[k]
                    rest = total[k] - left[k]
                    other += rest * rest
                lower = one / (left[outputs] + ridge) + other / (hessian - left[outputs] + ridge)
                if lower - base > gain:
                    gain, column, last, missing_left = lower - base, c, b, way
    split[0], split[1], split[2], split[3] = gain, column, last, missing_left


@njit(cache=True, nogil=True)
def set_gradients(kind, y, weights, scores, rows, gradient, hessian):
    """The direction in which the loss falls, and its curvature."""
    outputs = scores.shape[1]
    for r in rows:
        if kind == SQUARED:
            gradient[r, 0], hessian[r] = y[r] - scores[r, 0], 1.0
        elif kind == TWO_CLASSES:
            p = 1.0 / (1.0 + np.exp(-scores[r, 0]))
            gradient[r, 0], hessian[r] = y[r] - p, max(p * (1.0 - p), _LEAST_HESSIAN)
        else:
            top, total, curve = scores[r].max(), 0.0, _LEAST_HESSIAN
            for k in range(outputs):
                gradient[r, k] = np.exp(scores[r, k] - top)
                total += gradient[r, k]
            for k in range(outputs):
                p = gradient[r, k] / total
                gradient[r, k] = (1.0 if k == y[r] else 0.0) - p
                curve = max(curve, p * (1.0 - p))
            hessian[r] = curve
        for k in range(outputs):
            gradient[r, k] *= weights[r]
        hessian[r] *= weights[r]


@njit(cache=True, nogil=True)
def mean_loss(kind, y, weights, scores, rows):
    """The weighted mean of the loss."""
    total, weight = 0.0, 0.0
    for r in rows:
        if kind == SQUARED:
            loss = (y[r] - scores[r, 0]) ** 2
        elif kind == TWO_CLASSES:
            z = scores[r, 0] if y[r] > 0.5 else -scores[r, 0]
            loss = np.log1p(np.exp(-abs(z))) + max(-z, 0.0)
        else:
            top = scores[r].max()
            loss = np.log(np.exp(scores[r] - top).sum()) + top - scores[r, int(y[r])]
        total += weights[r] * loss
        weight += weights[r]
    return total / weight if weight > 0 else 0.0


@njit(cache=True, nogil=True)
def part_rows(rows, column, last, missing_left, buffer):
    """Rows that go left first, in their order; how many they are."""
    kept, moved = 0, 0
    for r in rows:
        b = column[r]
        if (missing_left == 1) if b == MISSING else b <= last:
            rows[kept] = r
            kept += 1
        else:
            buffer[moved] = r
            moved += 1
    rows[kept:] = buffer[:moved]
    return kept


@njit(cache=True, nogil=True)
def grow_tree(
    bins, columns, first, n_bins, gradient, hessian, rows, others, options, sums, total, spans,
    split, buffer, tree
):  # fmt: skip
    """Grow one tree; rows and others are put in the order of its leaves.

    Returns the number of leaves. `spans` (leaves x 4) says where the rows and others of each
    leaf begin and end, `total` (leaves x outputs + 2) their sums, and `tree`
    (2 leaves - 1 x 5) holds for each node column, last bin, missing left, left child (the
    right one is next to it), and leaf; column is -1 at a leaf.
    """
    most_leaves, least_rows, ridge = int(options[0]), options[1], options[2]
    node_of = np.zeros(most_leaves, np.int64)
    n_leaves, n_nodes = 1, 1
    spans[0] = np.array([0, len(rows), 0, len(others)])
    tree[:] = -1
    tree[0, 4] = 0
    add_rows(sums[0], bins, columns, first, n_bins, rows, gradient, hessian)
    total[0] = sums[0, : first[1]].sum(axis=0)
    left = np.empty(total.shape[1])
    best_split(sums[0], first, n_bins, least_rows, ridge, total[0], left, split[0])
    while n_leaves < most_leaves:
        leaf = split[:n_leaves, 0].argmax()
        if split[leaf, 1] < 0:
            break
        c, last, missing_left = int(split[leaf, 1]), int(split[leaf, 2]), int(split[leaf, 3])
        new = n_leaves
        n_leaves += 1
        spans[new] = spans[leaf]
        for side, order in ((0, rows), (2, others)):
            begin, end = spans[leaf, side], spans[leaf, side + 1]
            n = part_rows(order[begin:end], bins[columns[c]], last, missing_left, buffer)
            spans[leaf, side + 1] = spans[new, side] = begin + n
        tree[node_of[leaf]] = np.array([c, last, missing_left, n_nodes, -1])
        node_of[leaf], node_of[new] = n_nodes, n_nodes + 1
        tree[n_nodes, 4], tree[n_nodes + 1, 4] = leaf, new
        n_nodes += 2
        sizes = spans[:, 1] - spans[:, 0]
        small, large = (leaf, new) if sizes[leaf] <= sizes[new] else (new, leaf)
        if small == leaf:  # what was the leaf's own is then the larger part's
            sums[new] = sums[leaf]
        begin, end = spans[small, 0], spans[small, 1]
        add_rows(sums[small], bins, columns, first, n_bins, rows[begin:end], gradient, hessian)
        sums[large] -= sums[small]
        for part in (leaf, new):
            total[part] = sums[part, : first[1]].sum(axis=0)
            best_split(sums[part], first, n_bins, least_rows, ridge, total[part], left, split[part])
    return n_leaves


@njit(cache=True, nogil=True)
def boost(
    bins, all_bins, columns, kind, y, weights, rows, others, start, options, patience, best, trees,
    values
):  # fmt: skip
    """Boost trees on `rows`; returns the rounds after which the loss of `others` was least.

    Parameters
    ----------
    bins : uint8 array (columns x rows)
        Bins; 255 is missing.
    all_bins : int array
        Bins of each column without the missing one.
    columns : int array
        What may be looked at.
    rows, others : int arrays
        Rows to learn from, and rows to be tested on, no row twice; without the latter all rounds
        are run.
    start : float array (outputs,)
        The first score.
    options : (leaves, least rows of a leaf, ridge, rate, rounds)
        Of the trees and the steps.
    patience : int
        Rounds without a gain after which it ends.
    best : float array (rows x outputs)
        Receives the scores of `others` at their least loss.
    trees : int array (rounds x 2 leaves - 1 x 5), values : float array (rounds x leaves x outputs)
        Receive the trees, see `grow_tree`, and what their leaves add; both may have no rounds.

    Returns
    -------
    (rounds, loss, rounds run)
    """
    n, outputs, most = len(y), len(start), int(options[0])
    n_bins = all_bins[columns]
    first = np.zeros(len(columns) + 1, np.int64)
    first[1:] = np.cumsum(n_bins + 1)
    scores = np.empty((n, outputs))
    scores[:] = start
    gradient, hessian = np.zeros((n, outputs)), np.zeros(n)
    rows, others = rows.copy(), others.copy()
    sums, total = np.zeros((most, first[-1], outputs + 2)), np.zeros((most, outputs + 2))
    spans, split = np.zeros((most, 4), np.int64), np.zeros((most, 4))
    tree, buffer = np.zeros((2 * most - 1, 5), np.int64), np.empty(n, np.int64)
    least, when, done = np.inf, 0, 0
    while True:
        if len(others):
            loss = mean_loss(kind, y, weights, scores, others)
            if loss < least - 1e-12:
                least, when = loss, done
                for r in others:
                    best[r] = scores[r]
            elif done - when >= patience:
                break
        if done == options[4] or not len(columns):
            break
        set_gradients(kind, y, weights, scores, rows, gradient, hessian)
        n_leaves = grow_tree(
            bins, columns, first, n_bins, gradient, hessian, rows, others, options, sums, total,
            spans, split, buffer, tree
        )  # fmt: skip
        if n_leaves == 1:
            break
        for leaf in range(n_leaves):
            step = options[3] * total[leaf, :outputs] / (total[leaf, outputs] + options[2])
            for r in rows[spans[leaf, 0] : spans[leaf, 1]]:
                scores[r] += step
            for r in others[spans[leaf, 2] : spans[leaf, 3]]:
                scores[r] += step
            if len(trees):
                values[done, leaf] = step
        if len(trees):
            trees[done] = tree
        done += 1
    return when if len(others) else done, least, done


@njit(cache=True, nogil=True)
def column_gains(bins, n_bins, columns, kind, y, weights, scores, least_rows, ridge, gains):
    """How much one split of each column would lower the loss of given scores."""
    n, outputs = scores.shape
    gradient, hessian, rows = np.zeros((n, outputs)), np.zeros(n), np.arange(n)
    set_gradients(kind, y, weights, scores, rows, gradient, hessian)
    left, split = np.empty(outputs + 2), np.empty(4)
    for j in range(len(columns)):
        own = columns[j : j + 1]
        first = np.array([0, n_bins[own[0]] + 1])
        sums = np.zeros((first[1], outputs + 2))
        add_rows(sums, bins, own, first, n_bins[own], rows, gradient, hessian)
        total = sums.sum(axis=0)
        best_split(sums, first, n_bins[own], least_rows, ridge, total, left, split)
        gains[j] = split[0]
