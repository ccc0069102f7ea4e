"""Base learners that are trained on item sets: boosted trees, linear and given models."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...costs.item_sets import Items
from ...data.training_rows import seeded
from ...kernels.boosted_trees import boost
from ...kernels.threads import run_pieces
from ...plans.components.models import AverageModel, Model, TreesModel
from ...plans.components.tree_table import TreeTable
from ...types import Floats, Ints
from .estimator_models import ROUNDS_FACTOR, fitted_model, histogram, lightgbm
from .kernel_ridge import kernel_ridge
from .logistic_ridge import OPTIONS as LOGISTIC
from .logistic_ridge import is_small, logistic_ridge
from .problem import TrainingSet
from .random_forest import forest
from .set_scorer import TreeOptions, projections, sampled_columns


@dataclass(frozen=True)
class BoostedOptions:
    """The boosted trees that are averaged.

    Parameters
    ----------
    sizes : tuple of TreeOptions
        Small and larger trees: their mean is better than either.
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
    many_classes: int = 5
    many_classes_sizes: tuple[TreeOptions, ...] = (
        TreeOptions(leaves=31, rate=0.1, rounds=200, patience=8),
    )
    very_many_classes: int = 11
    very_many_classes_sizes: tuple[TreeOptions, ...] = (
        TreeOptions(leaves=63, rate=0.2, rounds=400, patience=10),
    )
    one_fold_rows: int = 1_000

    def sizes_for(self, n_classes: int) -> tuple[TreeOptions, ...]:
        """Return the sizes that are averaged for a number of classes."""
        if n_classes >= self.very_many_classes:
            return self.very_many_classes_sizes
        return self.many_classes_sizes if n_classes >= self.many_classes else self.sizes


BOOSTED = BoostedOptions()


@dataclass(frozen=True)
class BaseLearner:
    """A function that trains a model on an item set.

    Parameters
    ----------
    fit : callable (training set, items) -> model
        The function.
    releases_gil : bool
        Whether it works without Python's lock, so that several sets are learnt in parallel.
    max_rows : float
        Rows up to which it takes part by default: more take too long. Below 0 it takes part
        where it is named.
    """

    fit: Callable[[TrainingSet, Items], Model]
    releases_gil: bool = False
    max_rows: float = np.inf

    def fit_sets(self, rows: TrainingSet, sets: Sequence[Items]) -> list[Model | None]:
        """Return a model for each set, trained once; None where a set has no columns."""
        wanted = [items for items in dict.fromkeys(sets) if len(rows.design.columns(items))]
        wanted.sort(key=len, reverse=True)  # what takes longest first
        models: dict[Items, Model] = {}

        def fit(items: Items) -> None:
            models[items] = self.fit(rows, items)

        run_pieces(rows.scorer.pool if self.releases_gil else None, fit, wanted)
        return [models.get(items) for items in sets]


def boosted(rows: TrainingSet, items: Items) -> Model:
    """Return the mean of boosted trees of two sizes, their numbers by cross-validation."""
    parts = []
    for options in BOOSTED.sizes_for(rows.target.n_classes):
        n_folds = 1 if len(rows.scorer.target.y) > BOOSTED.one_fold_rows else None
        rounds = rows.scorer.best_rounds(items, options, n_folds)
        parts.append(grow(rows, items, options, max(round(rounds * ROUNDS_FACTOR), 1)))
    return AverageModel(parts, np.ones(len(parts)))


def grow(rows: TrainingSet, items: Items, options: TreeOptions, n_rounds: int) -> TreesModel:
    """Return a given number of boosted trees, trained on all rows."""
    design, target, outputs = rows.design, rows.target, len(rows.target.initial_score)
    columns, leaves = design.columns(items), options.leaves
    trees = np.full((n_rounds, 2 * leaves - 1, 5), -1, dtype=np.int64)
    values = np.zeros((n_rounds, leaves, outputs))
    numbers = options.array()
    numbers[-1] = n_rounds
    _, _, done = boost(
        design.bins, design.n_bins, columns, sampled_columns(len(columns), n_rounds),
        projections(outputs, n_rounds), target.loss, target.y, target.weights,
        np.arange(len(target.y)), np.empty(0, np.int64), target.initial_score, numbers, n_rounds,
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


def linear(rows: TrainingSet, items: Items) -> Model:
    """Return logistic or ridge regression; on few rows the penalty is cross-validated."""
    from sklearn.linear_model import LogisticRegression, RidgeCV

    n_classes = rows.target.n_classes
    if not n_classes:
        return fitted_model(RidgeCV((0.1, 1, 10, 100)), rows, items)
    if is_small(rows, items):
        return logistic_ridge(rows, items)
    n_outputs = 1 if n_classes == 2 else n_classes
    newton = len(rows.design.columns(items)) * n_outputs <= LOGISTIC.max_newton_size
    options: dict[str, Any] = {
        "solver": "newton-cholesky" if newton else "lbfgs",
        "tol": LOGISTIC.tol,
        "max_iter": LOGISTIC.max_iter,
    }
    if len(rows.target.y) <= LOGISTIC.few_rows:
        options["C"] = _inverse_penalty(rows, items)
    return fitted_model(LogisticRegression(**options), rows, items)


def _inverse_penalty(rows: TrainingSet, items: Items) -> float:
    """Return the inverse penalty of logistic regression with the smallest held-out log loss."""
    from sklearn.linear_model import LogisticRegression

    X, target = rows.design.filled[1][:, rows.design.columns(items)], rows.target
    fold_of, y = target.folds(3, np.random.default_rng(rows.problem.seed)), target.y
    losses = np.zeros(len(LOGISTIC.inverse_penalties))
    for fold in range(3):
        train, test = fold_of != fold, fold_of == fold
        if len(np.unique(y[train])) < target.n_classes:
            return 1.0
        model = LogisticRegression(tol=LOGISTIC.tuning_tol, max_iter=LOGISTIC.max_iter)
        model.set_params(warm_start=True)
        for place, C in enumerate(LOGISTIC.inverse_penalties):
            model.set_params(C=C).fit(X[train], y[train], target.weights[train])
            of_class = model.predict_proba(X[test])[np.arange(test.sum()), y[test].astype(int)]
            losses[place] -= target.weights[test] @ np.log(np.maximum(of_class, 1e-12))
    return LOGISTIC.inverse_penalties[int(losses.argmin())]


def of_estimator(estimator: Any) -> BaseLearner:
    """Return the base learner of a scikit-learn estimator."""

    def fit(rows: TrainingSet, items: Items) -> Model:
        return fitted_model(seeded(estimator, rows.problem.seed), rows, items)

    return BaseLearner(fit)


#: Base learners by name, from simple to complex. `boosted` has the accuracy of `histogram` and of
#: `lightgbm` in less time, so that these take part where they are named.
BASE_LEARNERS = {
    "linear": BaseLearner(linear),
    "boosted": BaseLearner(boosted, releases_gil=True),
    "kernel": BaseLearner(kernel_ridge, releases_gil=True, max_rows=20_000),
    "forest": BaseLearner(forest, releases_gil=True),
    "histogram": BaseLearner(histogram, max_rows=-1.0),
    "lightgbm": BaseLearner(lightgbm, max_rows=-1.0),
}
