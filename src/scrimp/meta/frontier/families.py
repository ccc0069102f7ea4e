"""Families of models that a set of items is given to."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...costs.item_sets import Items
from ...kernels.boosted_trees import boost
from ...plans.components.models import AverageModel, Model, Preparation, TreesModel
from ...plans.components.tree_table import TreeTable
from ...types import Floats, Ints
from ..refit.prefix_models import seeded, weights_for
from .bells import kernel
from .rows import Rows
from .scorer import TreeOptions, shown_columns

#: Trees of a forest, and rows that each of them is shown, at most.
FOREST, FOREST_ROWS = 100, 60_000
#: Cells from which on a forest is grown in several processes.
_CELLS = 100_000
#: Cells from which on it has half as many trees.
_MANY_CELLS = 1_000_000
#: The boosted trees that are averaged; trees of many classes take longer.
BOOSTED = (
    TreeOptions(leaves=6, rate=0.1, rounds=300, patience=10),
    TreeOptions(leaves=20, rate=0.1, rounds=200, patience=10),
)
MANY_ROWS = 1_000
BOOSTED_MANY = (TreeOptions(leaves=12, rate=0.2, rounds=100, patience=5),)


@dataclass(frozen=True)
class Family:
    """A way to learn from a set of items.

    Parameters
    ----------
    fit : callable
        Makes a model of rows and items.
    side_by_side : bool
        Whether it works without Python's lock, so that several sets are learnt at a time.
    most_rows : float
        With more it would be too slow.
    """

    fit: Callable[[Rows, Items], Model]
    side_by_side: bool = False
    most_rows: float = np.inf

    def __call__(self, rows: Rows, items: Items) -> Model:
        """The model."""
        return self.fit(rows, items)


def boosted(rows: Rows, items: Items) -> Model:
    """The mean of boosted trees of two sizes, their numbers by cross-validation."""
    parts = []
    for options in BOOSTED if rows.truth.n_classes <= 4 else BOOSTED_MANY:
        # one fold of many rows tells how many trees are enough
        folds = 1 if len(rows.scorer.truth.y) > MANY_ROWS else None
        rounds = rows.scorer.rounds(items, options, folds)
        parts.append(grow(rows, items, options, max(round(rounds * 1.1), 1)))
    return AverageModel(parts, np.ones(len(parts)))


def grow(rows: Rows, items: Items, options: TreeOptions, n_rounds: int) -> TreesModel:
    """So many boosted trees on all rows."""
    design, truth, outputs = rows.design, rows.truth, len(rows.truth.start)
    columns, leaves = design.columns(items), options.leaves
    trees = np.full((n_rounds, 2 * leaves - 1, 5), -1, dtype=np.int64)
    values = np.zeros((n_rounds, leaves, outputs))
    numbers = options.array()
    numbers[-1] = n_rounds
    _, _, done = boost(
        design.bins, design.n_bins, columns, shown_columns(len(columns), n_rounds), truth.loss,
        truth.y, truth.weights, np.arange(len(truth.y)), np.empty(0, np.int64), truth.start,
        numbers, n_rounds, np.empty((0, outputs)), trees, values,
    )  # fmt: skip
    cuts = [design.cuts[column] for column in columns]
    table = _tree_table(trees[:done], values[:done], cuts)
    link = "identity" if not truth.n_classes else "logistic" if outputs == 1 else "softmax"
    return TreesModel(design.preparation.taken(columns), table, truth.start, link)


def _tree_table(trees: Ints, values: Floats, cuts: list[Floats]) -> TreeTable:
    """Trees as the kernel writes them, their bins as values."""
    kept = (trees[:, :, 0] >= 0) | (trees[:, :, 4] >= 0)
    sizes = kept.sum(axis=1)
    roots = np.cumsum(sizes) - sizes
    shift = np.repeat(roots, sizes)
    column, last, missing_left, child, leaf = trees[kept].T
    inner = column >= 0
    left = np.where(inner, child + shift, -1)
    right = np.where(inner, child + 1 + shift, -1)
    cut = np.zeros(len(column))
    for node in np.flatnonzero(inner):
        own = cuts[column[node]]
        cut[node] = own[last[node]] if last[node] < len(own) else np.inf
    value = np.zeros((len(column), values.shape[2]))
    value[~inner] = values[np.repeat(np.arange(len(trees)), sizes)[~inner], leaf[~inner]]
    missing = np.where(missing_left == 1, left, right)
    return TreeTable(roots, column, cut, left, right, missing, value)


def forest(rows: Rows, items: Items) -> Model:
    """Extremely randomised trees."""
    from sklearn.ensemble import ExtraTreesClassifier, ExtraTreesRegressor

    truth = rows.truth
    columns, (preparation, table) = rows.design.columns(items), rows.design.filled
    kind = ExtraTreesClassifier if truth.n_classes else ExtraTreesRegressor
    cells = len(truth.y) * len(columns)
    options: dict[str, Any] = {"random_state": rows.seed}
    if cells > _CELLS:
        options["n_jobs"] = rows.n_jobs
    if not truth.n_classes:
        options |= {"min_samples_leaf": 5 if cells <= _MANY_CELLS else 10, "max_features": 1.0}
    if len(truth.y) > FOREST_ROWS:  # a tree is shown so many, drawn anew
        options |= {"bootstrap": True, "max_samples": FOREST_ROWS}
    trees = FOREST if cells <= _MANY_CELLS else FOREST // 2
    return _fitted(kind(trees, **options), table[:, columns], preparation.taken(columns), rows)


def linear(rows: Rows, items: Items) -> Model:
    """Logistic or ridge regression."""
    from sklearn.linear_model import LogisticRegression, RidgeCV

    truth = rows.truth
    columns, (preparation, table) = rows.design.columns(items), rows.design.filled
    model = LogisticRegression(max_iter=200) if truth.n_classes else RidgeCV((0.1, 1, 10, 100))
    return _fitted(model, table[:, columns], preparation.taken(columns), rows)


def given(estimator: Any) -> Family:
    """The family of an estimator of somebody's own."""

    def fit(rows: Rows, items: Items) -> Model:
        columns, (preparation, table) = rows.design.columns(items), rows.design.filled
        own = preparation.taken(columns)
        return _fitted(seeded(estimator, rows.seed), table[:, columns], own, rows)

    return Family(fit)


def _fitted(model: Any, table: Floats, preparation: Preparation, rows: Rows) -> Model:
    """An estimator, fitted on prepared rows, as a model of all classes."""
    from ...plans.from_sklearn import array_model

    truth, y, weights = rows.truth, rows.labels, rows.truth.weights
    even = bool((weights == weights[0]).all())
    lost = np.setdiff1d(np.arange(truth.n_classes), truth.y)
    if len(lost):  # a class without rows here: a row in the middle, of hardly any weight
        table = np.vstack([table, np.zeros((len(lost), table.shape[1]))])
        names = rows.classes[lost] if len(rows.classes) else lost
        y, weights = np.append(y, names), np.append(weights, np.full(len(lost), 1e-6))
    model.fit(table, y, **_weights(model, weights, even))
    return array_model(model, preparation=preparation, n_classes=truth.n_classes)


def _weights(model: Any, weights: Floats, even: bool) -> dict[str, Any]:
    """Weights as a fit takes them; none where none were given and it takes none."""
    if (weights == weights[0]).all():
        return {}
    try:
        return weights_for(model, weights)
    except ValueError:
        if even:
            return {}
        raise


#: From simple to less so.
FAMILIES = {
    "linear": Family(linear),
    "boosted": Family(boosted, side_by_side=True),
    "kernel": Family(kernel, side_by_side=True, most_rows=20_000),
    "forest": Family(forest),
}
