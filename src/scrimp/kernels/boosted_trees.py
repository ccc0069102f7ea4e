"""Gradient boosting of small trees on binned columns, for many small trainings in parallel.

A training uses some columns and some rows of one table of bins, grows each tree leaf by leaf
where the loss falls most (best first), and keeps the scores of held-out rows up to date. Trees
of several classes have one value per class in each leaf. All functions release Python's lock.

Kinds of loss: 0 squared error, 1 two classes (log loss), 2 several classes (log loss).
"""

from __future__ import annotations

import numpy as np

from .jit import njit

SQUARED, TWO_CLASSES, CLASSES = 0, 1, 2
#: The bin of a missing value.
MISSING = 255
#: Lower bound of a row's hessian, which keeps leaf values finite.
MIN_HESSIAN = 1e-6
#: A split must gain this part of the sum of squared gradients: less is rounding error.
MIN_GAIN = 1e-13


@njit(cache=True, nogil=True)
def build_histogram(sums, bins, columns, first, n_bins, rows, gradient, hessian):
    """Write sums of gradients, hessians and rows per bin of each column (bins, outputs + 2).

    Unsigned indices save the test whether they are negative.
    """
    sums[: first[-1]] = 0.0
    outputs = gradient.shape[1]
    for c in range(len(columns)):
        column, start = bins[columns[c]], np.uint64(first[c])
        missing = np.uint64(first[c] + n_bins[c])
        for row in rows:
            r = np.uint64(row)
            b = column[r]
            cell = sums[missing if b == MISSING else start + np.uint64(b)]
            if outputs == 1:
                cell[0] += gradient[r, 0]
                cell[1] += hessian[r]
                cell[2] += 1.0
            else:
                row_gradient = gradient[r]
                for k in range(outputs):
                    cell[k] += row_gradient[k]
                cell[outputs] += hessian[r]
                cell[outputs + 1] += 1.0


@njit(cache=True, nogil=True)
def best_cut(sums, missing, min_rows, ridge, total, base, left):
    """Return the best cut of one column: gain, last bin that goes left, whether missing does."""
    outputs = len(total) - 2
    hessian, rows = total[outputs], total[outputs + 1]
    gain, last_bin, missing_left = 0.0, -1, 0
    for side in range(2 if missing[outputs + 1] > 0 else 1):
        left[:] = side * missing
        for b in range(len(sums)):
            cell = sums[b]
            if cell[outputs + 1] == 0:
                continue
            for k in range(outputs + 2):
                left[k] += cell[k]
            if left[outputs + 1] < min_rows:
                continue
            if rows - left[outputs + 1] < min_rows:
                break
            left_square, right_square = 0.0, 0.0
            for k in range(outputs):
                left_square += left[k] * left[k]
                right = total[k] - left[k]
                right_square += right * right
            left_hessian = left[outputs]
            reduction = left_square / (left_hessian + ridge) + right_square / (
                hessian - left_hessian + ridge
            )
            if reduction - base > gain:
                gain, last_bin, missing_left = reduction - base, b, side
    return gain, last_bin, missing_left


@njit(cache=True, nogil=True)
def best_cut_of_one(sums, missing, min_rows, ridge, total, base):
    """Return the best cut as `best_cut` does, for one output."""
    gradient, hessian, rows = total[0], total[1], total[2]
    gain, last_bin, missing_left = 0.0, -1, 0
    for side in range(2 if missing[2] > 0 else 1):
        left, left_hessian, n = side * missing[0], side * missing[1], side * missing[2]
        for b in range(len(sums)):
            cell = sums[b]
            if cell[2] == 0:
                continue
            left, left_hessian, n = left + cell[0], left_hessian + cell[1], n + cell[2]
            if n < min_rows:
                continue
            if rows - n < min_rows:
                break
            right, right_hessian = gradient - left, hessian - left_hessian
            reduction = left * left / (left_hessian + ridge) + right * right / (
                right_hessian + ridge
            )
            if reduction - base > gain:
                gain, last_bin, missing_left = reduction - base, b, side
    return gain, last_bin, missing_left


@njit(cache=True, nogil=True)
def best_split(sums, first, n_bins, min_rows, ridge, min_gain, total, left, split):
    """Write the best split: gain, column, last bin that goes left, whether missing does."""
    outputs = len(total) - 2
    base = (total[:outputs] ** 2).sum() / (total[outputs] + ridge)
    split[0], split[1], split[2], split[3] = min_gain, -1, -1, 0
    for c in range(len(n_bins)):
        at = first[c] + n_bins[c]
        cells, missing = sums[first[c] : at], sums[at]
        if outputs == 1:
            cut = best_cut_of_one(cells, missing, min_rows, ridge, total, base)
        else:
            cut = best_cut(cells, missing, min_rows, ridge, total, base, left)
        if cut[0] > split[0]:
            split[0], split[1], split[2], split[3] = cut[0], c, cut[1], cut[2]


@njit(cache=True, nogil=True)
def set_gradients(kind, y, weights, scores, rows, gradient, hessian):
    """Write negative gradients and upper bounds of the hessians of the weighted loss."""
    outputs = scores.shape[1]
    for r in rows:
        if kind == SQUARED:
            gradient[r, 0], hessian[r] = y[r] - scores[r, 0], 1.0
        elif kind == TWO_CLASSES:
            p = 1.0 / (1.0 + np.exp(-scores[r, 0]))
            gradient[r, 0], hessian[r] = y[r] - p, max(p * (1.0 - p), MIN_HESSIAN)
        else:
            highest, total, curvature = scores[r].max(), 0.0, MIN_HESSIAN
            for k in range(outputs):
                gradient[r, k] = np.exp(scores[r, k] - highest)
                total += gradient[r, k]
            for k in range(outputs):
                p = gradient[r, k] / total
                gradient[r, k] = (1.0 if k == y[r] else 0.0) - p
                curvature = max(curvature, p * (1.0 - p))
            hessian[r] = curvature
        for k in range(outputs):
            gradient[r, k] *= weights[r]
        hessian[r] *= weights[r]


@njit(cache=True, nogil=True)
def mean_loss(kind, y, weights, scores, rows):
    """Return the weighted mean of the loss."""
    total, weight = 0.0, 0.0
    for r in rows:
        if kind == SQUARED:
            loss = (y[r] - scores[r, 0]) ** 2
        elif kind == TWO_CLASSES:
            z = scores[r, 0] if y[r] > 0.5 else -scores[r, 0]
            loss = np.log1p(np.exp(-abs(z))) + max(-z, 0.0)
        else:
            highest = scores[r].max()
            loss = np.log(np.exp(scores[r] - highest).sum()) + highest - scores[r, int(y[r])]
        total += weights[r] * loss
        weight += weights[r]
    return total / weight if weight > 0 else 0.0


@njit(cache=True, nogil=True)
def partition_rows(rows, column, last_bin, missing_left, buffer):
    """Move the rows that go left to the front, in their order; return how many there are."""
    n_left, n_right = 0, 0
    for r in rows:
        b = column[r]
        if (missing_left == 1) if b == MISSING else b <= last_bin:
            rows[n_left] = r
            n_left += 1
        else:
            buffer[n_right] = r
            n_right += 1
    rows[n_left:] = buffer[:n_right]
    return n_left


@njit(cache=True, nogil=True)
def sum_of_squares(gradient, rows):
    """Return the sum of squared gradients of some rows."""
    total = 0.0
    for row in rows:
        row_gradient = gradient[np.uint64(row)]
        for k in range(len(row_gradient)):
            total += row_gradient[k] * row_gradient[k]
    return total


@njit(cache=True, nogil=True)
def grow_tree(
    bins, columns, first, n_bins, gradient, hessian, rows, held_out, options, sums, total, spans,
    split, buffer, tree
):  # fmt: skip
    """Grow one tree, best first; return the number of leaves.

    Rows and held-out rows are put in the order of the leaves. `spans` (leaves, 4) receives
    where the rows and held-out rows of each leaf begin and end, and `total` (leaves,
    outputs + 2) their sums. `tree` (2 leaves - 1, 5) receives for each node the column, the
    last bin that goes left, whether missing values do, the left child (the right one is next
    to it), and the leaf; the column is -1 at a leaf.
    """
    max_leaves, min_rows, ridge = int(options[0]), options[1], options[2]
    node_of = np.zeros(max_leaves, np.int64)
    n_leaves, n_nodes = 1, 1
    spans[0] = np.array([0, len(rows), 0, len(held_out)])
    tree[:] = -1
    tree[0, 4] = 0
    build_histogram(sums[0], bins, columns, first, n_bins, rows, gradient, hessian)
    total[0] = sums[0, : first[1]].sum(axis=0)
    left = np.empty(total.shape[1])
    min_gain = MIN_GAIN * sum_of_squares(gradient, rows)
    best_split(sums[0], first, n_bins, min_rows, ridge, min_gain, total[0], left, split[0])
    while n_leaves < max_leaves:
        leaf = split[:n_leaves, 0].argmax()
        if split[leaf, 1] < 0:
            break
        c, last_bin, missing_left = int(split[leaf, 1]), int(split[leaf, 2]), int(split[leaf, 3])
        new = n_leaves
        n_leaves += 1
        spans[new] = spans[leaf]
        for side, order in ((0, rows), (2, held_out)):
            begin, end = spans[leaf, side], spans[leaf, side + 1]
            n = partition_rows(order[begin:end], bins[columns[c]], last_bin, missing_left, buffer)
            spans[leaf, side + 1] = spans[new, side] = begin + n
        tree[node_of[leaf]] = np.array([c, last_bin, missing_left, n_nodes, -1])
        node_of[leaf], node_of[new] = n_nodes, n_nodes + 1
        tree[n_nodes, 4], tree[n_nodes + 1, 4] = leaf, new
        n_nodes += 2
        sizes = spans[:, 1] - spans[:, 0]
        small, large = (leaf, new) if sizes[leaf] <= sizes[new] else (new, leaf)
        if small == leaf:  # the sums of the parent move to the larger child
            sums[new, : first[-1]] = sums[leaf, : first[-1]]
        begin, end = spans[small, 0], spans[small, 1]
        build_histogram(
            sums[small], bins, columns, first, n_bins, rows[begin:end], gradient, hessian
        )
        for place in range(first[-1]):
            for k in range(sums.shape[2]):
                sums[large, place, k] -= sums[small, place, k]
        for part in (leaf, new):
            total[part] = sums[part, : first[1]].sum(axis=0)
            best_split(
                sums[part], first, n_bins, min_rows, ridge, min_gain, total[part], left,
                split[part],
            )  # fmt: skip
    return n_leaves


@njit(cache=True, nogil=True)
def add_step(scores, rows, step):
    """Add one step to the scores of some rows."""
    for row in rows:
        row_scores = scores[np.uint64(row)]
        for k in range(len(step)):
            row_scores[k] += step[k]


@njit(cache=True, nogil=True)
def boost(
    bins, all_bins, columns, sampled, kind, y, weights, rows, held_out, initial_score, options,
    patience, best, trees, values
):  # fmt: skip
    """Boost trees on `rows`, and find the number of rounds with the smallest held-out loss.

    Parameters
    ----------
    bins : uint8 array (columns, rows)
        Bins; 255 is missing.
    all_bins : int array
        The number of bins of each column without the missing one.
    columns : int array
        The columns that may be used.
    sampled : int array (rounds, sampled columns)
        The columns that each tree is offered, by their positions among `columns`, ascending;
        all if it has no columns.
    kind, y, weights
        The loss, the response and the weights of all rows.
    rows, held_out : int arrays
        Training rows and held-out rows, none in both; without the latter all rounds are run.
    initial_score : float array (outputs,)
        The score before the first tree.
    options : (leaves, rows per leaf at least, ridge, learning rate, rounds)
        Options of the trees and of boosting.
    patience : int
        Rounds without improvement after which boosting ends.
    best : float array (rows, outputs)
        Receives the scores of `held_out` at their smallest loss.
    trees : int array (rounds, 2 leaves - 1, 5), values : float array (rounds, leaves, outputs)
        Receive the trees, see `grow_tree`, and the values of their leaves; both may have no
        rounds.

    Returns
    -------
    (rounds with the smallest loss, that loss, rounds run)
    """
    n, outputs, max_leaves = len(y), len(initial_score), int(options[0])
    offered, n_bins = columns, all_bins[columns]
    first = np.zeros(len(columns) + 1, np.int64)
    first[1:] = np.cumsum(n_bins + 1)
    scores = np.empty((n, outputs))
    scores[:] = initial_score
    gradient, hessian = np.zeros((n, outputs)), np.zeros(n)
    rows, held_out = rows.copy(), held_out.copy()
    width = first[-1]
    if sampled.shape[1]:
        width = np.sort(n_bins + 1)[-sampled.shape[1] :].sum()
    sums, total = np.zeros((max_leaves, width, outputs + 2)), np.zeros((max_leaves, outputs + 2))
    spans, split = np.zeros((max_leaves, 4), np.int64), np.zeros((max_leaves, 4))
    tree, buffer = np.zeros((2 * max_leaves - 1, 5), np.int64), np.empty(n, np.int64)
    best_loss, best_round, done = np.inf, -1, 0
    while True:
        if len(held_out):
            loss = mean_loss(kind, y, weights, scores, held_out)
            if loss < best_loss * (1.0 - 1e-12) or best_round < 0:
                best_loss, best_round = loss, done
                for r in held_out:
                    for k in range(outputs):
                        best[r, k] = scores[r, k]
            elif done - best_round >= patience:
                break
        if done == options[4] or not len(columns):
            break
        set_gradients(kind, y, weights, scores, rows, gradient, hessian)
        if sampled.shape[1]:
            offered = columns[sampled[done]]
            n_bins = all_bins[offered]
            first = np.zeros(len(offered) + 1, np.int64)
            first[1:] = np.cumsum(n_bins + 1)
        n_leaves = grow_tree(
            bins, offered, first, n_bins, gradient, hessian, rows, held_out, options, sums, total,
            spans, split, buffer, tree
        )  # fmt: skip
        if n_leaves == 1:
            break
        for leaf in range(n_leaves):
            step = options[3] * total[leaf, :outputs] / (total[leaf, outputs] + options[2])
            add_step(scores, rows[spans[leaf, 0] : spans[leaf, 1]], step)
            add_step(scores, held_out[spans[leaf, 2] : spans[leaf, 3]], step)
            if len(trees):
                values[done, leaf] = step
        if len(trees):
            trees[done] = tree
            if sampled.shape[1]:
                for node in range(2 * n_leaves - 1):
                    if tree[node, 0] >= 0:
                        trees[done, node, 0] = sampled[done, tree[node, 0]]
        done += 1
    return best_round if len(held_out) else done, best_loss, done


@njit(cache=True, nogil=True)
def column_gains(bins, n_bins, columns, kind, y, weights, scores, min_rows, ridge, gains):
    """Write how much one split of each column would lower the loss of given scores."""
    n, outputs = scores.shape
    gradient, hessian, rows = np.zeros((n, outputs)), np.zeros(n), np.arange(n)
    set_gradients(kind, y, weights, scores, rows, gradient, hessian)
    left, split = np.empty(outputs + 2), np.empty(4)
    for j in range(len(columns)):
        column = columns[j : j + 1]
        first = np.array([0, n_bins[column[0]] + 1])
        sums = np.zeros((first[1], outputs + 2))
        build_histogram(sums, bins, column, first, n_bins[column], rows, gradient, hessian)
        total = sums.sum(axis=0)
        best_split(sums, first, n_bins[column], min_rows, ridge, 0.0, total, left, split)
        gains[j] = split[0]
