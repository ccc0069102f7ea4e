"""A tree of scikit-learn as a routed plan."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...costs.costs import Costs
from ...costs.ledger import Ledger
from ...data.preparation import Preparation
from ...plans import Nodes, RoutedPlan
from ...plans.components.tree_table import float64_cuts
from ...plans.contract import StageTable
from ...types import Floats, Ints


def routed_plan(tree: Any, preparation: Preparation, costs: Costs, budget: float) -> RoutedPlan:
    """Return the plan that follows a tree as far as a budget pays.

    Parameters
    ----------
    tree : sklearn.tree.Tree
        Fitted on the prepared columns.
    preparation : Preparation
        Says which column and category each feature of the tree is made from.
    costs : Costs
        Prices.
    budget : float
        A node whose test would cost a row more than this, with all it bought on its path,
        becomes a leaf.
    """
    paid = _paid_for(tree, preparation, costs, budget)
    kept = np.flatnonzero(paid >= 0)
    inner = paid[kept] == 1
    number = np.full(tree.node_count, -1)
    number[kept] = np.arange(len(kept))

    def follow(target: Ints) -> Ints:
        return np.where(inner, number[target[kept]], -1)

    left, right = tree.children_left, tree.children_right
    feature = np.maximum(tree.feature, 0)  # scikit-learn has a negative one at leaves
    code = preparation.code[feature]
    # a threshold that is infinite divides the missing from all others
    is_code = ~np.isnan(code) & np.isfinite(tree.threshold)
    column = np.where(inner, preparation.source[feature[kept]], -1)
    low = np.where(is_code, code - 0.5, -np.inf)
    high = np.where(is_code, code + 0.5, float64_cuts(tree.threshold))
    nodes = Nodes(
        column=column,
        low=np.where(inner, low[kept], 0.0),
        high=np.where(inner, high[kept], 0.0),
        inside=follow(np.where(is_code, right, left)),
        outside=follow(np.where(is_code, left, right)),
        missing=follow(np.where(tree.missing_go_to_left, left, right)),
        refused=np.full(len(kept), -1),
        value=scores_of(tree)[kept],
    )
    items = tuple((costs.item_of[c],) if c >= 0 else () for c in column.tolist())
    return RoutedPlan(StageTable(items), nodes)


def scores_of(tree: Any) -> Floats:
    """Return log-probabilities per node, or log-odds of two classes, one row added per class.

    `log1p` tells even tiny weights apart, so that labels are those of the frequencies.
    """
    weights = tree.value[:, 0, :] * tree.weighted_n_node_samples[:, None]
    logs = np.log1p(weights)
    if logs.shape[1] == 2:
        return np.asarray(logs[:, 1:] - logs[:, :1])
    return np.asarray(logs - np.log((weights + 1.0).sum(axis=1, keepdims=True)))


def _paid_for(tree: Any, preparation: Preparation, costs: Costs, budget: float) -> Ints:
    """Return per node 1 if the budget pays for its test, 0 if it is a leaf, -1 if unreachable."""
    paid = np.full(tree.node_count, -1, dtype=np.int64)
    todo = [(0, Ledger(costs, [budget]))]
    while todo:
        node, ledger = todo.pop()
        paid[node] = 0
        if tree.children_left[node] < 0:
            continue
        needs = costs.closure([costs.item_of[preparation.source[tree.feature[node]]]])
        if ledger.first_affording(needs) == 0:
            paid[node] = 1
            ledger.buy(needs)
            todo.append((int(tree.children_left[node]), ledger.at(0, 1)))
            todo.append((int(tree.children_right[node]), ledger))
    return paid
