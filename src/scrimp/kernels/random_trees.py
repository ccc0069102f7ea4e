"""Extremely randomised trees, grown without Python's lock.

Geurts, Ernst, Wehenkel. Extremely randomized trees. Machine Learning 63, 2006.
"""

from __future__ import annotations

import numpy as np

from .copying import copy_to
from .counter_rng import stream_of, uniform
from .jit import njit


@njit(cache=True, nogil=True)
def add_row(sums, y, weight, is_class):
    """Add a row to sums of weights per class, or of the response; the last is the weight."""
    sums[int(y) if is_class else 0] += weight if is_class else weight * y
    sums[-1] += weight


@njit(cache=True, nogil=True)
def purity(sums):
    """Return the sum of squares divided by the weight: it grows as impurity or variance falls."""
    total = 0.0
    for k in range(len(sums) - 1):
        total += sums[k] * sums[k]
    return total / sums[-1]


@njit(cache=True, nogil=True)
def span_of(values, rows):
    """Return the smallest and the largest value of some rows."""
    low = high = values[rows[0]]
    for r in rows:
        low, high = min(low, values[r]), max(high, values[r])
    return low, high


@njit(cache=True, nogil=True)
def split_rows(values, cut, rows, buffer):
    """Move the rows that go left to the front; return how many there are."""
    n_left, n_right = 0, 0
    for r in rows:
        if values[r] <= cut:
            rows[n_left] = r
            n_left += 1
        else:
            buffer[n_right] = r
            n_right += 1
    copy_to(rows[n_left:], buffer)
    return n_left


@njit(cache=True, nogil=True)
def random_split(X, y, weights, rows, total, order, n_tried, min_leaf, is_class, stream, count):
    """Return the best of one random cut of each of some columns: column, cut, numbers drawn.

    Columns are drawn until `n_tried` of them vary; the column is -1 if no cut leaves enough rows.
    """
    best, column, cut, tried = -np.inf, -1, 0.0, 0
    left, right = np.empty(len(total)), np.empty(len(total))
    for place in range(len(order)):
        if tried == n_tried:
            break
        other = place + int(uniform(stream, count) * (len(order) - place))
        count += 1
        order[place], order[other] = order[other], order[place]
        values = X[order[place]]
        low, high = span_of(values, rows)
        if not low < high:
            continue
        tried += 1
        trial = low + uniform(stream, count) * (high - low)
        count += 1
        if trial >= high:
            trial = low
        left[:] = 0.0
        n_left = 0
        for r in rows:
            if values[r] <= trial:
                add_row(left, y[r], weights[r], is_class)
                n_left += 1
        if n_left < min_leaf or len(rows) - n_left < min_leaf:
            continue
        copy_to(right, total - left)
        if right[-1] <= 0.0 or left[-1] <= 0.0:
            continue
        gain = purity(left) + purity(right)
        if gain > best:
            best, column, cut = gain, order[place], trial
    return column, cut, count


@njit(cache=True, nogil=True)
def grow_random_tree(
    X, y, weights, rows, n_tried, min_leaf, n_classes, seed, tree, nodes, cuts, values
):  # fmt: skip
    """Grow one tree until its leaves are pure or small; return the number of its nodes.

    Parameters
    ----------
    X : float array (columns, all rows)
        The columns, without missing values.
    y, weights : float arrays (all rows,)
        The number of the class, or the response; positive weights.
    rows : int array (rows,)
        The rows to grow on, which are sorted into leaves.
    n_tried : int
        Columns that are tried at each node.
    min_leaf : int
        Rows per leaf, at least.
    n_classes : int
        0 for a regression.
    seed, tree : uint64
        The seed of all trees, and the number of this one.
    nodes : int array (2 * rows - 1, 3)
        Written to: column or -1, left and right child.
    cuts, values : float arrays (2 * rows - 1,) and (2 * rows - 1, outputs)
        Written to: the cut, and the shares of classes or the mean.
    """
    stream, count = stream_of(seed, tree), 0
    is_class, order, buffer = n_classes > 0, np.arange(len(X)), np.empty_like(rows)
    spans = np.zeros((len(nodes), 2), np.int64)
    spans[0, 1] = len(rows)
    n_nodes, node = 1, 0
    total = np.empty(max(n_classes, 1) + 1)
    while node < n_nodes:
        here = rows[spans[node, 0] : spans[node, 1]]
        total[:] = 0.0
        for r in here:
            add_row(total, y[r], weights[r], is_class)
        values[node] = total[:-1] / total[-1]
        nodes[node] = -1
        is_pure = is_class and values[node].max() >= 1.0
        if len(here) >= 2 * min_leaf and not is_pure:
            column, cut, count = random_split(
                X, y, weights, here, total, order, n_tried, min_leaf, is_class, stream, count
            )
            if column >= 0:
                middle = spans[node, 0] + split_rows(X[column], cut, here, buffer)
                nodes[node, 0], nodes[node, 1], nodes[node, 2] = column, n_nodes, n_nodes + 1
                cuts[node] = cut
                spans[n_nodes, 0], spans[n_nodes, 1] = spans[node, 0], middle
                spans[n_nodes + 1, 0], spans[n_nodes + 1, 1] = middle, spans[node, 1]
                n_nodes += 2
        node += 1
    return n_nodes
