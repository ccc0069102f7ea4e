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
#: A split must gain this part of the squares of all gradients.
_LEAST_GAIN = 1e-13


@njit(cache=True, nogil=True)
def add_rows(sums, bins, columns, first, n_bins, rows, gradient, hessian):
    """Sums of gradients, hessians and rows in each bin of each column (bins x outputs + 2).

    Indices without a sign spare the test whether they are negative.
    """
    sums[: first[-1]] = 0.0
    outputs = gradient.shape[1]
    for c in range(len(columns)):
        column, start = bins[columns[c]], np.uint64(first[c])
        missing = np.uint64(first[c] + n_bins[c])
        for row in rows:
            r = np.uint64(row)
            b = column[r]
            own = sums[missing if b == MISSING else start + np.uint64(b)]
            if outputs == 1:
                own[0] += gradient[r, 0]
                own[1] += hessian[r]
                own[2] += 1.0
            else:
                more = gradient[r]
                for k in range(outputs):
                    own[k] += more[k]
                own[outputs] += hessian[r]
                own[outputs + 1] += 1.0


@njit(cache=True, nogil=True)
def best_cut(sums, missing, least_rows, ridge, total, base, left):
    """The cut of one column that lowers the loss most: gain, last bin left, missing left."""
    outputs = len(total) - 2
    hessian, rows = total[outputs], total[outputs + 1]
    gain, last, missing_left = 0.0, -1, 0
    for way in range(2 if missing[outputs + 1] > 0 else 1):
        left[:] = way * missing
        for b in range(len(sums)):
            own = sums[b]
            if own[outputs + 1] == 0:
                continue
            for k in range(outputs + 2):
                left[k] += own[k]
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
                gain, last, missing_left = lower - base, b, way
    return gain, last, missing_left


@njit(cache=True, nogil=True)
def best_cut_of_one(sums, missing, least_rows, ridge, total, base):
    """The same where there is one output."""
    everything, hessian, rows = total[0], total[1], total[2]
    gain, last, missing_left = 0.0, -1, 0
    for way in range(2 if missing[2] > 0 else 1):
        left, curve, n = way * missing[0], way * missing[1], way * missing[2]
        for b in range(len(sums)):
            own = sums[b]
            if own[2] == 0:
                continue
            left, curve, n = left + own[0], curve + own[1], n + own[2]
            if n < least_rows:
                continue
            if rows - n < least_rows:
                break
            rest = everything - left
            lower = left * left / (curve + ridge) + rest * rest / (hessian - curve + ridge)
            if lower - base > gain:
                gain, last, missing_left = lower - base, b, way
    return gain, last, missing_left


@njit(cache=True, nogil=True)
def best_split(sums, first, n_bins, least_rows, ridge, least_gain, total, left, split):
    """Write the split that lowers the loss most: gain, column, last bin left, missing left."""
    outputs = len(total) - 2
    base = (total[:outputs] ** 2).sum() / (total[outputs] + ridge)
    split[0], split[1], split[2], split[3] = least_gain, -1, -1, 0
    for c in range(len(n_bins)):
        at = first[c] + n_bins[c]
        own, missing = sums[first[c] : at], sums[at]
        if outputs == 1:
            found = best_cut_of_one(own, missing, least_rows, ridge, total, base)
        else:
            found = best_cut(own, missing, least_rows, ridge, total, base, left)
        if found[0] > split[0]:
            split[0], split[1], split[2], split[3] = found[0], c, found[1], found[2]


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
def sum_of_squares(gradient, rows):
    """Of the gradients of some rows."""
    total = 0.0
    for row in rows:
        own = gradient[np.uint64(row)]
        for k in range(len(own)):
            total += own[k] * own[k]
    return total


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
    least_gain = _LEAST_GAIN * sum_of_squares(gradient, rows)
    best_split(sums[0], first, n_bins, least_rows, ridge, least_gain, total[0], left, split[0])
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
            sums[new, : first[-1]] = sums[leaf, : first[-1]]
        begin, end = spans[small, 0], spans[small, 1]
        add_rows(sums[small], bins, columns, first, n_bins, rows[begin:end], gradient, hessian)
        for place in range(first[-1]):
            for k in range(sums.shape[2]):
                sums[large, place, k] -= sums[small, place, k]
        for part in (leaf, new):
            total[part] = sums[part, : first[1]].sum(axis=0)
            best_split(
                sums[part], first, n_bins, least_rows, ridge, least_gain, total[part], left,
                split[part],
            )  # fmt: skip
    return n_leaves


@njit(cache=True, nogil=True)
def add_step(scores, rows, step):
    """Add the same to the scores of some rows."""
    for row in rows:
        own = scores[np.uint64(row)]
        for k in range(len(step)):
            own[k] += step[k]


@njit(cache=True, nogil=True)
def boost(
    bins, all_bins, columns, shown, kind, y, weights, rows, others, start, options, patience, best,
    trees, values
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
    shown : int array (rounds x some)
        The columns that each tree is shown, by their positions among `columns`, ascending; all
        where there are none.
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
    seen, n_bins = columns, all_bins[columns]
    first = np.zeros(len(columns) + 1, np.int64)
    first[1:] = np.cumsum(n_bins + 1)
    scores = np.empty((n, outputs))
    scores[:] = start
    gradient, hessian = np.zeros((n, outputs)), np.zeros(n)
    rows, others = rows.copy(), others.copy()
    width = first[-1]
    if shown.shape[1]:
        width = np.sort(n_bins + 1)[-shown.shape[1] :].sum()
    sums, total = np.zeros((most, width, outputs + 2)), np.zeros((most, outputs + 2))
    spans, split = np.zeros((most, 4), np.int64), np.zeros((most, 4))
    tree, buffer = np.zeros((2 * most - 1, 5), np.int64), np.empty(n, np.int64)
    least, when, done = np.inf, -1, 0
    while True:
        if len(others):
            loss = mean_loss(kind, y, weights, scores, others)
            if loss < least * (1.0 - 1e-12) or when < 0:
                least, when = loss, done
                for r in others:
                    for k in range(outputs):
                        best[r, k] = scores[r, k]
            elif done - when >= patience:
                break
        if done == options[4] or not len(columns):
            break
        set_gradients(kind, y, weights, scores, rows, gradient, hessian)
        if shown.shape[1]:
            seen = columns[shown[done]]
            n_bins = all_bins[seen]
            first = np.zeros(len(seen) + 1, np.int64)
            first[1:] = np.cumsum(n_bins + 1)
        n_leaves = grow_tree(
            bins, seen, first, n_bins, gradient, hessian, rows, others, options, sums, total,
            spans, split, buffer, tree
        )  # fmt: skip
        if n_leaves == 1:
            break
        for leaf in range(n_leaves):
            step = options[3] * total[leaf, :outputs] / (total[leaf, outputs] + options[2])
            add_step(scores, rows[spans[leaf, 0] : spans[leaf, 1]], step)
            add_step(scores, others[spans[leaf, 2] : spans[leaf, 3]], step)
            if len(trees):
                values[done, leaf] = step
        if len(trees):
            trees[done] = tree
            if shown.shape[1]:
                for node in range(2 * n_leaves - 1):
                    if tree[node, 0] >= 0:
                        trees[done, node, 0] = shown[done, tree[node, 0]]
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
        best_split(sums, first, n_bins[own], least_rows, ridge, 0.0, total, left, split)
        gains[j] = split[0]
