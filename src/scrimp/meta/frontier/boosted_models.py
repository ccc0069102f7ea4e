"""Boosted trees on item sets, their number selected by cross-validation."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...costs.item_sets import Items
from ...kernels.boosted_trees import boost
from ...plans.components.models import AverageModel, Model, TreesModel
from ...plans.components.tree_table import TreeTable
from ...types import Floats, Ints
from .estimator_models import ROUNDS_FACTOR
from .problem import TrainingSet
from .set_scorer import TreeOptions, projections, sampled_columns


@dataclass(frozen=True)
class BoostedOptions:
    """The boosted trees that are averaged.

    Parameters
    ----------
    sizes : tuple of TreeOptions
        Small and larger trees: their mean is better than either.
    many_rows : int
        Rows from which on there are large trees too, of two classes up to a few.
    many_rows_sizes : tuple of TreeOptions
        The sizes on so many rows.
    max_excess : float
        A size takes part in the mean if its held-out loss exceeds the least by this part of it,
        at most. Less leaves out sizes by chance; more keeps trees that are too small.
    many_classes : int
        Classes from which on one size is used, because trees of many classes take longer.
    many_classes_sizes : tuple of TreeOptions
        That size.
    very_many_classes : int
        Classes from which on trees are larger and take larger steps: one tree serves all classes,
        and learns little of each.
    very_many_classes_sizes : tuple of TreeOptions
        That size.
    one_fold_rows : int
        Rows from which on one fold is enough to select the number of trees.
    """

    sizes: tuple[TreeOptions, ...] = (
        TreeOptions(leaves=6, rate=0.1, rounds=300, patience=10),
        TreeOptions(leaves=20, rate=0.1, rounds=200, patience=10),
    )
    many_rows: int = 10_000
    many_rows_sizes: tuple[TreeOptions, ...] = (
        *sizes,
        TreeOptions(leaves=63, rate=0.1, rounds=200, patience=10),
    )
    max_excess: float = 0.02
    many_classes: int = 5
    many_classes_sizes: tuple[TreeOptions, ...] = (
        TreeOptions(leaves=31, rate=0.1, rounds=200, patience=8),
    )
    very_many_classes: int = 11
    very_many_classes_sizes: tuple[TreeOptions, ...] = (
        TreeOptions(leaves=63, rate=0.2, rounds=400, patience=10),
    )
    one_fold_rows: int = 1_000

    def sizes_for(self, n_classes: int, n_rows: int) -> tuple[TreeOptions, ...]:
        """Return the sizes that are tried for a number of classes, 0 for a regression, and rows."""
        if n_classes >= self.very_many_classes:
            return self.very_many_classes_sizes
        if n_classes >= self.many_classes:
            return self.many_classes_sizes
        return self.many_rows_sizes if n_rows > self.many_rows else self.sizes


BOOSTED = BoostedOptions()
#: The trees whose splits tell how relevant a column is.
RELEVANCE = TreeOptions(leaves=15, rate=0.1, rounds=60)


def boosted(rows: TrainingSet, items: Items) -> Model:
    """Return the mean of boosted trees of the sizes with about the least held-out loss."""
    sizes = BOOSTED.sizes_for(rows.target.n_classes, len(rows.target.y))
    n_folds = 1 if len(rows.scorer.target.y) > BOOSTED.one_fold_rows else None
    tuned = [rows.scorer.best_rounds(items, options, n_folds) for options in sizes]
    most = min(loss for _, loss in tuned) * (1.0 + BOOSTED.max_excess)
    parts = [
        grow(rows, items, options, max(round(rounds * ROUNDS_FACTOR), 1))
        for options, (rounds, loss) in zip(sizes, tuned, strict=True)
        if loss <= most
    ]
    return AverageModel(parts, np.ones(len(parts)))


def grow(
    rows: TrainingSet, items: Items, options: TreeOptions, n_rounds: int, some: Ints | None = None
) -> TreesModel:
    """Return a given number of boosted trees, trained on all rows or on some of them."""
    design, target, outputs = rows.design, rows.target, len(rows.target.initial_score)
    columns, leaves = design.columns(items), options.leaves
    some = np.arange(len(target.y)) if some is None else some
    trees = np.full((n_rounds, 2 * leaves - 1, 5), -1, dtype=np.int64)
    values = np.zeros((n_rounds, leaves, outputs))
    numbers = options.array()
    numbers[-1] = n_rounds
    _, _, done = boost(
        design.bins, design.n_bins, columns, sampled_columns(len(columns), n_rounds),
        projections(outputs, n_rounds), target.loss, target.y, target.weights,
        some, np.empty(0, np.int64), target.initial_score, numbers, n_rounds,
        np.empty((0, outputs)), trees, values,
    )  # fmt: skip
    cuts = [design.cuts[column] for column in columns]
    table = _tree_table(trees[:done], values[:done], cuts)
    link = "identity" if not target.n_classes else "logistic" if outputs == 1 else "softmax"
    return TreesModel(design.preparation.taken(columns), table, target.initial_score, link)


def _tree_table(trees: Ints, values: Floats, cuts: list[Floats]) -> TreeTable:
    """Return trees as the kernel writes them with cut points instead of bins."""
    is_used = (trees[:, :, 0] >= 0) | (trees[:, :, 4] >= 0)
    sizes = is_used.sum(axis=1)
    roots = np.cumsum(sizes) - sizes
    shift = np.repeat(roots, sizes)
    column, last_bin, missing_left, child, leaf = trees[is_used].T
    inner = column >= 0
    left = np.where(inner, child + shift, -1)
    right = np.where(inner, child + 1 + shift, -1)
    cut = np.zeros(len(column))
    for node in np.flatnonzero(inner):
        column_cuts = cuts[column[node]]
        cut[node] = column_cuts[last_bin[node]] if last_bin[node] < len(column_cuts) else np.inf
    value = np.zeros((len(column), values.shape[2]))
    value[~inner] = values[np.repeat(np.arange(len(trees)), sizes)[~inner], leaf[~inner]]
    missing = np.where(missing_left == 1, left, right)
    return TreeTable(roots, column, cut, left, right, missing, value)


def split_counts(rows: TrainingSet, items: Items, some: Ints) -> Ints:
    """Return how many splits of boosted trees, trained on some rows, use each prepared column."""
    column = grow(rows, items, RELEVANCE, RELEVANCE.rounds, some).trees.column
    return np.bincount(column[column >= 0], minlength=len(rows.design.columns(items)))
