"""Weakest-link pruning, with its strength chosen by cross-validation.

Breiman, Friedman, Olshen and Stone, "Classification and Regression Trees", 1984, chapters
3.3 and 3.4.
"""

from __future__ import annotations

import heapq
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from ...data.folds import Splits
from ...runtime.events import Progress, emit
from ...runtime.time_limit import is_time_over
from ...types import Floats, Ints


def cross_validated_alpha(
    tree: Any, X: NDArray[Any], y: Ints, weight: Floats, splits: Splits
) -> float:
    """Return the ccp_alpha with the best cross-validated accuracy, the largest of equals.

    One tree is grown per fold: where each of its nodes becomes a leaf tells its accuracy at
    all alphas at once.

    Parameters
    ----------
    tree : DecisionTreeClassifier
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
    right = np.zeros(len(candidates))
    for done, (learn, left_out) in enumerate(splits):
        if done and is_time_over():
            break
        emit(Progress("pruning", done, len(splits)))
        grown = clone(tree).fit(X[learn], y[learn], sample_weight=weight[learn])
        right += right_at(candidates, grown, X[left_out], y[left_out], weight[left_out])
    best = right >= right.max() - 1e-9 * weight.sum()  # sums of weights are rounded
    return float(candidates[best][-1])


def right_at(alphas: Floats, grown: Any, X: NDArray[Any], y: Ints, weight: Floats) -> Floats:
    """Return the weight of the rows that a tree, pruned at each alpha, labels correctly."""
    tree = grown.tree_
    label = grown.classes_[tree.value[:, 0, :].argmax(axis=1)]
    row, node = grown.decision_path(X).nonzero()
    hits = weight[row] * (label[node] == y[row])
    right = np.bincount(node, weights=hits, minlength=tree.node_count)
    cut_alphas = leaf_alphas(tree)
    parents = parents_of(tree)
    above = np.where(parents < 0, np.inf, cut_alphas[parents])
    # a node answers from the alpha that makes it a leaf to the one that takes it away
    return np.array([right[(cut_alphas <= alpha) & (alpha < above)].sum() for alpha in alphas])


def leaf_alphas(tree: Any) -> Floats:
    """Return the alpha from which each node is a leaf or gone; -inf for leaves of the full tree.

    The link t is cut at g(t) = (R(t) - R(T_t)) / (|T_t| - 1), the weakest first, where R is
    the impurity by weight of a node or of the leaves T_t under it. O(n log n) for n nodes,
    times the depth.
    """
    parents = parents_of(tree).tolist()
    left, right = tree.children_left.tolist(), tree.children_right.tolist()
    total = tree.weighted_n_node_samples[0]
    risk = (tree.impurity * tree.weighted_n_node_samples / total).tolist()
    inner = [node for node, child in enumerate(left) if child >= 0]
    under, leaves = list(risk), [1] * len(risk)
    for node in reversed(inner):  # children come after their parents
        under[node] = under[left[node]] + under[right[node]]
        leaves[node] = leaves[left[node]] + leaves[right[node]]

    def link(node: int) -> float:
        return float((risk[node] - under[node]) / (leaves[node] - 1))

    alphas, alpha = np.full(len(risk), -np.inf), 0.0
    heap = [(link(node), node) for node in inner]
    heapq.heapify(heap)
    while heap:
        strength, node = heapq.heappop(heap)
        if leaves[node] == 1 or strength != link(node):
            continue  # cut already, or out of date
        alpha = max(alpha, strength)
        gain, fewer = risk[node] - under[node], leaves[node] - 1
        above = parents[node]
        while above >= 0:
            under[above] += gain
            leaves[above] -= fewer
            heapq.heappush(heap, (link(above), above))
            above = parents[above]
        todo = [node]
        while todo:  # all under the node are cut with it
            cut = todo.pop()
            if leaves[cut] > 1:
                alphas[cut], leaves[cut] = alpha, 1
                todo += (left[cut], right[cut])
    return alphas


def parents_of(tree: Any) -> Ints:
    """Return the parent of each node, -1 for the root."""
    parents = np.full(tree.node_count, -1, dtype=np.int64)
    inner = np.flatnonzero(tree.children_left >= 0)
    for children in (tree.children_left, tree.children_right):
        parents[children[inner]] = inner
    return parents
