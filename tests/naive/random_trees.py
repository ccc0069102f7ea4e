"""A slow twin of extremely randomised trees, from Geurts, Ernst and Wehenkel (2006).

Numbers are drawn node by node, level by level, as the kernel draws them.
"""

from __future__ import annotations

from itertools import count

import numpy as np

from scrimp.plans.components.counter_rng import uniforms


def predict(X, y, weights, n_tried, min_leaf, n_classes, seed, tree, asked):
    """Grow one tree on all rows; return its answers for other rows."""
    numbers = count()

    def draw():
        key, counter = (np.array([n], dtype=np.uint64) for n in (tree, next(numbers)))
        return float(uniforms(seed, key, counter)[0])

    answers = np.zeros((len(asked), n_classes or 1))
    columns = list(range(X.shape[1]))
    waiting = [(np.arange(len(X)), np.arange(len(asked)))]
    while waiting:
        rows, of_asked = waiting.pop(0)
        answers[of_asked] = _value(y[rows], weights[rows], n_classes)
        is_pure = n_classes and len(set(y[rows])) == 1
        if len(rows) < 2 * min_leaf or is_pure:
            continue
        best = None
        tried = 0
        for place in range(len(columns)):
            if tried == n_tried:
                break
            other = place + int(draw() * (len(columns) - place))
            columns[place], columns[other] = columns[other], columns[place]
            values = X[rows, columns[place]]
            if values.min() == values.max():
                continue
            tried += 1
            cut = values.min() + draw() * (values.max() - values.min())
            left = rows[values <= cut]
            right = rows[values > cut]
            if min(len(left), len(right)) >= min_leaf:
                impurity = sum(_impurity(y[r], weights[r], n_classes) for r in (left, right))
                if best is None or impurity < best[0] - 1e-12:
                    best = impurity, columns[place], cut, left, right
        if best is not None:
            _, column, cut, left, right = best
            goes_left = asked[of_asked, column] <= cut
            waiting += [(left, of_asked[goes_left]), (right, of_asked[~goes_left])]
    return answers


def _value(y, weights, n_classes):
    if not n_classes:
        return np.average(y, weights=weights)
    return np.bincount(y.astype(int), weights, n_classes) / weights.sum()


def _impurity(y, weights, n_classes):
    """The Gini impurity, or the variance, times the weight."""
    if not n_classes:
        return float(weights @ (y - np.average(y, weights=weights)) ** 2)
    shares = _value(y, weights, n_classes)
    return float(weights.sum() * (1 - (shares**2).sum()))
