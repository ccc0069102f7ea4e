"""Naive twins of the trees on a budget.

Of the price-blind tree: one row walks down scikit-learn's tree and pays. Plain Python on the
arrays that scikit-learn documents, and pruning by brute force: a tree is grown anew for each fold
and each strength. Of cost-aware growth: every test of every column is tried on lists of rows, by
the formulas of the papers. Slow on purpose.
"""

from __future__ import annotations

import math
from itertools import pairwise

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


def naive_impurity(targets, weights, has_classes):
    """Entropy in bits, or variance."""
    total = math.fsum(weights)
    n_targets = len(targets[0])
    means = [
        math.fsum(w * t[k] for t, w in zip(targets, weights, strict=True)) / total
        for k in range(n_targets)
    ]
    if has_classes:
        return -math.fsum(p * math.log2(p) for p in means if p > 0)
    return (
        math.fsum(w * (t[0] - means[0]) ** 2 for t, w in zip(targets, weights, strict=True)) / total
    )


def naive_information(inside, outside, has_classes):
    """Information gain in bits; of numbers that about a normal target."""
    rows = inside + outside

    def impurity(part):
        return naive_impurity([r[1] for r in part], [r[2] for r in part], has_classes)

    weights = [math.fsum(r[2] for r in part) for part in (inside, outside)]
    after = sum(
        w * impurity(part) for w, part in zip(weights, (inside, outside), strict=True)
    ) / sum(weights)
    if has_classes:
        return impurity(rows) - after
    return -0.5 * math.log2(max(after / impurity(rows), 1e-12))


NAIVE_RULES = {
    "eg2": lambda i, c, w: (2.0**i - 1.0) / (c + 1.0) ** w,
    "cs-id3": lambda i, c, w: i * i / max(c, 0.01),
    "idx": lambda i, c, w: i / max(c, 0.01),
}


def naive_tests(column, rows, values, is_code):
    """All tests of a column at a node: (low, high, whether missing values go inside)."""
    here = sorted({r[0][column] for r in rows if not math.isnan(r[0][column])})
    sides = (False, True) if any(math.isnan(r[0][column]) for r in rows) else (False,)
    intervals = []
    if is_code:
        intervals = [(v - 0.5, v + 0.5) for v in here]
    else:
        for below, above in pairwise(here):
            # cuts lie between all values of the table; of those in a gap the middle one is taken
            first, last = values.index(below), values.index(above)
            middle = (first + last - 1) // 2
            intervals.append((-math.inf, (values[middle] + values[middle + 1]) / 2))
    tests = [(low, high, side) for side in sides for low, high in intervals]
    return tests + ([(-math.inf, math.inf, False)] if len(sides) == 2 else [])


def goes_inside(x, test):
    low, high, with_missing = test
    return with_missing if math.isnan(x) else low <= x <= high


def naive_grow(rows, costs, budget, rule, economy, least, codes, has_classes, owned=frozenset()):
    """A tree as nested dictionaries; `rows` are (values, targets, weight), `codes` per column."""
    n_columns = len(codes)
    tables = [sorted({r[0][c] for r in rows if not math.isnan(r[0][c])}) for c in range(n_columns)]
    item_of = {c: i for i, brought in enumerate(costs.columns) for c in brought}
    full = [price_of(with_required(item_of[c], costs.requires), costs) for c in range(n_columns)]
    unit = sum(full) / n_columns or 1.0

    def grow(rows, owned):
        best, split = None, None
        for column in range(n_columns):
            wanted = owned | with_required(item_of[column], costs.requires)
            if price_of(wanted, costs) > budget * (1 + BUDGET_SLACK):
                continue
            price = price_of(wanted - owned, costs)
            for test in naive_tests(column, rows, tables[column], codes[column]):
                parts = [[r for r in rows if goes_inside(r[0][column], test) == side]
                         for side in (True, False)]  # fmt: skip
                if min(map(len, parts)) < least:
                    continue
                information = naive_information(*parts, has_classes)
                if information <= 1e-9:
                    continue
                quality = NAIVE_RULES[rule](information, price / unit, economy)
                if best is None or quality > best * (1 + 1e-12):
                    best, split = quality, (column, test, parts, wanted)
        node = {"rows": rows, "owned": owned}
        if split is not None:
            column, test, parts, wanted = split
            node |= {"column": column, "test": test}
            node |= {"inside": grow(parts[0], wanted), "outside": grow(parts[1], wanted)}
        return node

    return grow(rows, owned)


def naive_path(node, row, costs, budget=math.inf):
    """The rows of the node where a row ends, and what it paid."""
    owned = set()
    while "column" in node:
        column = node["column"]
        wanted = node["inside"]["owned"] | owned
        if price_of(wanted, costs) > budget * (1 + BUDGET_SLACK):
            break
        owned = wanted
        test = node["test"]
        if math.isnan(row[column]) and not any(math.isnan(r[0][column]) for r in node["rows"]):
            sides = [node[side]["rows"] for side in ("inside", "outside")]
            weights = [math.fsum(r[2] for r in part) for part in sides]
            node = node["inside"] if weights[0] > weights[1] else node["outside"]
        else:
            node = node["inside"] if goes_inside(row[column], test) else node["outside"]
    return node["rows"], price_of(owned, costs)


def naive_best_pruning(left, right, risk, complexity, strength, node=0):
    """The least risk + strength x complexity of all trees that pruning leaves."""
    if left[node] < 0:
        return risk[node]
    below = sum(
        naive_best_pruning(left, right, risk, complexity, strength, int(child[node]))
        for child in (left, right)
    )
    return min(risk[node], below + strength * complexity[node])


def naive_optimal(rows, tests, costs, budget, alpha, penalty, depth, least, owned=frozenset()):
    """The least squared error + alpha per test + penalty x spend of all trees, summed by weight.

    `tests` are (column, (low, high, whether missing values go inside)). Every tree is tried.
    """
    weight = math.fsum(r[2] for r in rows)
    best = math.inf
    if len(rows) >= least:
        targets = range(len(rows[0][1]))
        means = [math.fsum(r[2] * r[1][k] for r in rows) / weight for k in targets]
        best = math.fsum(r[2] * (r[1][k] - mean) ** 2 for r in rows for k, mean in enumerate(means))
    if depth == 0:
        return best
    for column, test in tests:
        (item,) = (i for i, brought in enumerate(costs.columns) if column in brought)
        wanted = owned | with_required(item, costs.requires)
        parts = [[r for r in rows if goes_inside(r[0][column], test) == side]
                 for side in (True, False)]  # fmt: skip
        too_dear = price_of(wanted, costs) > budget * (1 + BUDGET_SLACK)
        if too_dear or min(map(len, parts)) < least:
            continue
        cost = alpha + penalty * price_of(wanted - owned, costs) * weight
        for part in parts:
            cost += naive_optimal(
                part, tests, costs, budget, alpha, penalty, depth - 1, least, wanted
            )
        best = min(best, cost)
    return best
