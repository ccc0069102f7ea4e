"""Pruning of grown trees by cross-validation, and by what rows pay on average.

The risk of a tree is the mean squared error of its answers, which is the Brier score of classes.
Its complexity is its number of leaves, and what the training rows pay on average; both are sums
over tests, because what a test costs depends on the tests above it only. So the weakest-link
sequence of Breiman et al. (1984, ch. 3.3) prunes by either.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from ...costs.ledger import within
from ...data.folds import Splits
from ...runtime.events import Progress, emit
from ...runtime.time_limit import is_time_over
from ...types import Floats, Ints
from .grown_tree import GrownTree
from .priced_grower import PricedGrower, TreeTable
from .pruning import cut_strengths, strengths_between, totals_at


def leaf_strengths(tree: GrownTree) -> Floats:
    """Return the alpha from which each node is a leaf, where complexity is the leaves."""
    return cut_strengths(tree.inside, tree.outside, tree.risk, np.ones(tree.node_count))


def cross_validated_strength(grower: PricedGrower, tree: GrownTree, splits: Splits) -> float:
    """Return the alpha whose trees have the least held-out risk, the largest of equals.

    Parameters
    ----------
    grower : PricedGrower
        Grows a tree per fold.
    tree : GrownTree
        The tree of all rows: its sequence of alphas is tried.
    splits : list of (train, test)
        The first is always tried; others are left out when the time is over.
    """
    candidates = strengths_between(leaf_strengths(tree))
    losses = np.zeros(len(candidates))
    for done, (learn, left_out) in enumerate(splits):
        if done and is_time_over():
            break
        emit(Progress("pruning", done, len(splits)))
        grown = grower.grow(learn)
        totals = node_losses(grown, grower.data, left_out)
        strengths = leaf_strengths(grown)
        losses += totals_at(candidates, grown.inside, grown.outside, strengths, totals)
    best = losses <= losses.min() * (1.0 + 1e-9)
    return float(candidates[best][-1])


def node_losses(tree: GrownTree, data: TreeTable, rows: np.ndarray) -> Floats:
    """Return the squared error, by weight, of the answer of each node on rows that come to it."""
    table, targets, weight = data.table[rows], data.targets[rows], data.weight[rows]
    answers = smoothed(tree) if data.has_classes else tree.mean
    losses = np.zeros(tree.node_count)
    for node, part in tree.visits(table):
        errors = ((targets[part] - answers[node]) ** 2).sum(axis=1)
        losses[node] = float(weight[part] @ errors)
    return losses


def row_losses(tree: GrownTree, data: TreeTable, rows: Ints) -> Floats:
    """Return the squared error, by weight, of the answer of a tree for each of some rows."""
    answers = smoothed(tree) if data.has_classes else tree.mean
    losses = np.zeros(len(rows))
    for node, part in tree.visits(data.table[rows]):
        if tree.column[node] < 0:
            errors = ((data.targets[rows[part]] - answers[node]) ** 2).sum(axis=1)
            losses[part] = data.weight[rows[part]] * errors
    return losses


def smoothed(tree: GrownTree) -> Floats:
    """Return class frequencies per node with one row more of each class."""
    counts = tree.mean * tree.weight[:, None] + 1.0
    return np.asarray(counts / counts.sum(axis=1, keepdims=True))


def tree_of_average(
    growers: Iterable[PricedGrower], rows: Ints, alpha: float, average_budget: float
) -> GrownTree:
    """Return the best of several trees whose mean spend is within a limit.

    Each is grown within a limit per path of its own and pruned to the average. The best has the
    least risk + alpha x leaves; of equals the one with the least mean spend.
    """
    trees = [pruned_to_average(grower.grow(rows), alpha, average_budget) for grower in growers]
    return min(trees, key=lambda tree: (penalised_risk(tree, alpha), tree.spend.sum()))


def penalised_risk(tree: GrownTree, alpha: float) -> float:
    """Return the risk of a tree plus alpha times its number of leaves."""
    leaves = tree.column < 0
    return float(tree.risk[leaves].sum() + alpha * leaves.sum())


def pruned_to_average(tree: GrownTree, alpha: float, average_budget: float) -> GrownTree:
    """Return the first tree of the weakest-link sequence whose mean spend is within a limit.

    The sequence minimises risk + alpha x leaves + lambda x mean spend for a rising lambda. The
    mean is over the training rows.
    """
    penalised = tree.risk + alpha  # a test more is a leaf more
    strengths = cut_strengths(tree.inside, tree.outside, penalised, tree.spend)
    for strength in np.unique(np.maximum(strengths, 0.0)):
        pruned = tree.pruned(strengths <= strength)
        if within(float(pruned.spend.sum()), average_budget):
            return pruned
    return tree.pruned(np.ones(tree.node_count, dtype=bool))
