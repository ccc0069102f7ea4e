"""Naive twin of the tree on a budget: one row walks down scikit-learn's tree and pays.

Plain Python on the arrays that scikit-learn documents, and pruning by brute force: a tree
is grown anew for each fold and each strength. Slow on purpose.
"""

from __future__ import annotations

import math

import numpy as np
from sklearn.base import clone

BUDGET_SLACK = 1e-9  # relative


def features_of(row, n_categories):
    """A row of numbers and codes as float32 features; which column each belongs to.

    `n_categories` has the number of categories of each column, None for a number.
    """
    features, columns = [], []
    for column, (value, count) in enumerate(zip(row, n_categories, strict=True)):
        if count is None:
            features.append(np.float32(value))
            columns.append(column)
            continue
        for code in range(count):
            features.append(math.nan if math.isnan(value) else float(value == code))
            columns.append(column)
    return features, columns


def with_required(item, requires):
    """An item and all it needs, directly or not."""
    found = {item}
    for other in requires[item]:
        found |= with_required(other, requires)
    return found


def naive_walk(tree, row, costs, budget=math.inf, n_categories=None):
    """Class frequencies at the node where a row ends, and what it paid.

    `costs` is only read: `prices`, `columns` and `requires` of items.
    """
    features, columns = features_of(row, n_categories or [None] * len(row))
    owned, node = set(), 0
    while tree.children_left[node] != -1:
        feature = tree.feature[node]
        (item,) = (i for i, own in enumerate(costs.columns) if columns[feature] in own)
        wanted = owned | with_required(item, costs.requires)
        if math.fsum(costs.prices[i] for i in wanted) > budget * (1 + BUDGET_SLACK):
            break
        owned = wanted
        value = features[feature]
        if math.isnan(value):
            to_left = tree.missing_go_to_left[node]
        else:
            to_left = value <= tree.threshold[node]
        node = tree.children_left[node] if to_left else tree.children_right[node]
    return tree.value[node, 0], tree.weighted_n_node_samples[node], price_of(owned, costs)


def price_of(items, costs):
    return math.fsum(costs.prices[i] for i in items)


def naive_proba(frequencies, weight):
    """Frequencies with one row more of each class."""
    counts = [f * weight + 1.0 for f in frequencies]
    return [count / sum(counts) for count in counts]


def naive_right(tree, alphas, X, y, weight, folds):
    """The weight of the rows labelled rightly when left out, at each alpha."""
    right = []
    for alpha in alphas:
        total = 0.0
        for learn, left_out in folds.split(X, y):
            grown = clone(tree).set_params(ccp_alpha=alpha)
            grown.fit(X[learn], y[learn], sample_weight=weight[learn])
            hits = grown.predict(X[left_out]) == y[left_out]
            total += float(weight[left_out][hits].sum())
        right.append(total)
    return right
