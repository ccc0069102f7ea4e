"""A tree of scikit-learn as interval tests with prices."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...costs.costs import Costs
from ...costs.ledger import Ledger
from ...data.preparation import Preparation
from ...plans.components.tree_table import float64_cuts
from ...types import Floats, Ints
from .grown_tree import GrownTree


def priced_tree(tree: Any, preparation: Preparation, costs: Costs, budget: float) -> GrownTree:
    """Return a tree of scikit-learn as far as a budget pays for its tests.

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
    left, right = tree.children_left, tree.children_right
    feature = np.maximum(tree.feature, 0)  # scikit-learn has a negative one at leaves
    code = preparation.code[feature]
    # a threshold that is infinite divides the missing from all others
    is_code = ~np.isnan(code) & np.isfinite(tree.threshold)
    column = np.where(left >= 0, preparation.source[feature], -1)
    paid, price = _paid_for(left, right, column, costs, budget)
    whole = GrownTree(
        column=column,
        low=np.where(is_code, code - 0.5, -np.inf),
        high=np.where(is_code, code + 0.5, float64_cuts(tree.threshold)),
        inside=np.where(is_code, right, left),
        outside=np.where(is_code, left, right),
        missing=np.where(tree.missing_go_to_left, left, right),
        weight=tree.weighted_n_node_samples,
        mean=tree.value[:, 0, :],
        impurity=tree.impurity,
        price=price,
    )
    return whole.pruned(~paid)


def _paid_for(
    left: Ints, right: Ints, column: Ints, costs: Costs, budget: float
) -> tuple[np.ndarray, Floats]:
    """Return per node whether the budget pays for its test, and what a row then pays."""
    paid, price = np.zeros(len(left), dtype=bool), np.zeros(len(left))
    todo = [(0, Ledger(costs, [budget]))]
    while todo:
        node, ledger = todo.pop()
        if left[node] < 0:
            continue
        needs = costs.closures[costs.item_of[column[node]]]
        if ledger.first_affording(needs) == 0:
            paid[node], before = True, ledger.spent
            ledger.buy(needs)
            price[node] = ledger.spent - before
            todo.append((int(left[node]), ledger.at(0, 1)))
            todo.append((int(right[node]), ledger))
    return paid, price
