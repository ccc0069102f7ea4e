"""Weakest-link pruning, with its strength chosen by cross-validation.

Breiman, Friedman, Olshen and Stone, "Classification and Regression Trees", 1984, chapters
3.3 and 3.4.
"""

from __future__ import annotations

import heapq
import math
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone, is_regressor

from ...data.folds import Splits
from ...runtime.events import Progress, emit
from ...runtime.time_limit import is_time_over
from ...types import Floats, Ints


def cross_validated_alpha(
    tree: Any, X: NDArray[Any], y: NDArray[Any], weight: Floats, splits: Splits
) -> float:
    """Return the ccp_alpha with the best cross-validated score, the largest of equals.

    The score is the accuracy, or of a regressor the squared error. One tree is grown per fold:
    where each of its nodes becomes a leaf tells its score at all alphas at once.

    Parameters
    ----------
    tree : DecisionTreeClassifier or DecisionTreeRegressor
        Unfitted and without pruning.
    X, y, weight : arrays
        Training rows.
    splits : list of (train, test)
        Positions of the rows to learn from and of those left out. The first is always tried;
        others are left out when the time is over.
    """
    path = clone(tree).cost_complexity_pruning_path(X, y, sample_weight=weight)
    alphas = np.unique(np.maximum(path.ccp_alphas, 0.0))
    # between two alphas the tree stays the same: their geometric mean stands for both
    candidates = np.append(np.sqrt(alphas[:-1] * alphas[1:]), alphas[-1])
    scores = np.zeros(len(candidates))
    for done, (learn, left_out) in enumerate(splits):
        if done and is_time_over():
            break
        emit(Progress("pruning", done, len(splits)))
        grown = clone(tree).fit(X[learn], y[learn], sample_weight=weight[learn])
        scores += scores_at(candidates, grown, X[left_out], y[left_out], weight[left_out])
    magnitude = np.abs(scores.max()) if is_regressor(tree) else weight.sum()
    best = scores >= scores.max() - 1e-9 * magnitude  # sums of weights are rounded
    return float(candidates[best][-1])


def scores_at(
    alphas: Floats, grown: Any, X: NDArray[Any], y: NDArray[Any], weight: Floats
) -> Floats:
    """Return the score of a tree on rows, by weight, if it is pruned at each alpha.

    It is the weight of the rows that are labelled correctly, or the squared error, negative.
    """
    tree = grown.tree_
    row, node = grown.decision_path(X).nonzero()
    if is_regressor(grown):
        gains = -weight[row] * (tree.value[node, 0, 0] - y[row]) ** 2
    else:
        label = grown.classes_[tree.value[:, 0, :].argmax(axis=1)]
        gains = weight[row] * (label[node] == y[row])
    totals = np.bincount(node, gains, tree.node_count).astype(np.float64)
    left, right = tree.children_left, tree.children_right
    return totals_at(alphas, left, right, leaf_alphas(tree), totals)


def leaf_alphas(tree: Any) -> Floats:
    """Return the alpha from which each node is a leaf or gone; -inf for leaves of the full tree.

    The complexity of a tree of scikit-learn is its number of leaves.
    """
    risk = tree.impurity * tree.weighted_n_node_samples / tree.weighted_n_node_samples[0]
    ones = np.ones(tree.node_count)
    return cut_strengths(tree.children_left, tree.children_right, risk, ones)


def cut_strengths(left: Ints, right: Ints, risk: Floats, complexity: Floats) -> Floats:
    """Return the strength of pruning from which each node is a leaf or gone; -inf for leaves.

    The link t is cut at g(t) = (R(t) - R(T_t)) / C(T_t), the weakest first, where R is the risk of
    a node or of the leaves T_t under it, and C the complexity of the tests that are cut. A link
    whose tests have none is cut at infinity, or at 0 if it lowers no risk. O(n log n) for n nodes,
    times the depth.

    Parameters
    ----------
    left, right : int arrays (nodes,)
        Children, which come after their parents; negative at leaves.
    risk : float array (nodes,)
        What each node as a leaf adds to the risk of the tree.
    complexity : float array (nodes,)
        What the test of each node adds to the complexity of the tree: 1 for the number of leaves
        (Breiman et al.), or its mean price. That of leaves does not count.
    """
    above_of = _parents(left, right).tolist()
    lefts, rights, risks = left.tolist(), right.tolist(), risk.tolist()
    inner = [node for node, child in enumerate(lefts) if child >= 0]
    under, tests = list(risks), [0.0] * len(risks)
    for node in reversed(inner):
        under[node] = under[lefts[node]] + under[rights[node]]
        tests[node] = float(complexity[node]) + tests[lefts[node]] + tests[rights[node]]
    is_leaf = np.asarray(left < 0).tolist()

    def link(node: int) -> float:
        gain = risks[node] - under[node]
        if tests[node] <= 0.0:  # rounding may leave less than nothing
            return math.inf if gain > 0.0 else 0.0
        return float(gain / tests[node])

    strengths, strength = np.full(len(risks), -np.inf), 0.0
    heap = [(link(node), node) for node in inner]
    heapq.heapify(heap)
    while heap:
        weakest, node = heapq.heappop(heap)
        if is_leaf[node] or weakest != link(node):
            continue  # cut already, or out of date
        strength = max(strength, weakest)
        gain, fewer = risks[node] - under[node], tests[node]
        above = above_of[node]
        while above >= 0:
            under[above] += gain
            tests[above] -= fewer
            heapq.heappush(heap, (link(above), above))
            above = above_of[above]
        todo = [node]
        while todo:  # all under the node are cut with it
            cut = todo.pop()
            if not is_leaf[cut]:
                strengths[cut], is_leaf[cut] = strength, True
                todo += (lefts[cut], rights[cut])
    return strengths


def strengths_between(strengths: Floats) -> Floats:
    """Return a strength for each tree of a sequence: from the first, which is cut nowhere.

    Between two strengths the tree stays the same: their geometric mean stands for both.
    """
    alphas = np.unique(np.maximum(np.append(strengths[strengths > -np.inf], 0.0), 0.0))
    return np.append(np.sqrt(alphas[:-1] * alphas[1:]), alphas[-1])


def totals_at(alphas: Floats, left: Ints, right: Ints, strengths: Floats, totals: Floats) -> Floats:
    """Return the sum over the leaves of the tree, pruned at each alpha, of totals per node."""
    parents = _parents(left, right)
    above = np.where(parents < 0, np.inf, strengths[parents])
    # a node answers from the alpha that makes it a leaf to the one that takes it away
    return np.array([totals[(strengths <= alpha) & (alpha < above)].sum() for alpha in alphas])


def _parents(left: Ints, right: Ints) -> Ints:
    """Return the parent of each node, -1 for the root."""
    parents = np.full(len(left), -1, dtype=np.int64)
    inner = np.flatnonzero(left >= 0)
    for children in (left, right):
        parents[children[inner]] = inner
    return parents
