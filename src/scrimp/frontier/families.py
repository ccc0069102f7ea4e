"""Families of models that a set of items is given to."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.special import logsumexp
from sklearn.base import clone

from ..kernels.boosted_trees import boost
from ..plan import Floats, Ints
from ..plans.forest import TreeTable
from ..plans.models import AverageModel, KernelModel, Model, Preparation, TreesModel
from .design import Design
from .problem import Truth, folds_of
from .scorer import Items, SetScorer, TreeOptions

#: Trees of a forest.
FOREST = 100
FEW_COLUMNS = 4
#: Points around which a kernel model has its bells, at most.
CENTERS = 800
#: What a family is shown; with more rows than that it would be too slow.
MOST_ROWS = {"kernel": 20_000}
#: The settings of boosted trees that are tried on each set.
BOOSTED = (
    TreeOptions(leaves=6, rate=0.1, rounds=300, patience=10),
    TreeOptions(leaves=20, rate=0.1, rounds=200, patience=10),
)


@dataclass(frozen=True, eq=False)
class Rows:
    """Training rows, as all families take them.

    Parameters
    ----------
    design : Design
        The rows.
    truth : Truth
        What to predict.
    scorer : SetScorer
        Cross-validates on these rows, or on some of them.
    seed : int
        Of all that is random.
    """

    design: Design
    truth: Truth
    scorer: SetScorer
    seed: int


Fit = Callable[[Rows, Items], Model]


def boosted(rows: Rows, items: Items) -> Model:
    """The mean of boosted trees of two sizes, their numbers by cross-validation."""
    parts = []
    for options in BOOSTED:
        rounds = rows.scorer.score([items], options)[0].rounds
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
        design.bins, design.n_bins, columns, truth.loss, truth.y, truth.weights,
        np.arange(len(truth.y)), np.empty(0, np.int64), truth.start, numbers, n_rounds,
        np.empty((0, outputs)), trees, values,
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
    options: dict[str, Any] = {"n_jobs": -1, "random_state": rows.seed}
    # few columns leave many rows that hardly differ: a leaf must then hold some of them
    options["min_samples_leaf"] = 5 if len(columns) <= FEW_COLUMNS or not truth.n_classes else 1
    if not truth.n_classes:
        options["max_features"] = 1.0
    return _fitted(kind(FOREST, **options), table[:, columns], preparation.taken(columns), truth)


def linear(rows: Rows, items: Items) -> Model:
    """Logistic or ridge regression."""
    from sklearn.linear_model import LogisticRegression, RidgeCV

    truth = rows.truth
    columns, (preparation, table) = rows.design.columns(items), rows.design.filled
    model = LogisticRegression(max_iter=200) if truth.n_classes else RidgeCV((0.1, 1, 10, 100))
    return _fitted(model, table[:, columns], preparation.taken(columns), truth)


def given(estimator: Any) -> Fit:
    """The family of an estimator of somebody's own."""

    def fit(rows: Rows, items: Items) -> Model:
        columns, (preparation, table) = rows.design.columns(items), rows.design.filled
        own = preparation.taken(columns)
        return _fitted(clone(estimator), table[:, columns], own, rows.truth)

    return fit


def _fitted(model: Any, table: Floats, preparation: Preparation, truth: Truth) -> Model:
    """An estimator, fitted on prepared rows, as a model of all classes."""
    from ..foreign import array_model

    y, weights = truth.y, truth.weights
    lost = np.setdiff1d(np.arange(truth.n_classes), y)
    if len(lost):  # a class without rows here: a row in the middle, of hardly any weight
        table = np.vstack([table, np.zeros((len(lost), table.shape[1]))])
        y, weights = np.append(y, lost), np.append(weights, np.full(len(lost), 1e-6))
    even = (weights == weights[0]).all()
    model.fit(table, y, **({} if even else {"sample_weight": weights}))
    return array_model(model, preparation=preparation, n_classes=truth.n_classes)


def kernel(rows: Rows, items: Items) -> Model:
    """Gaussian bells around points of the training, by regularised least squares.

    Width and regularisation are those of the least held-out loss; for classes the sums are
    scaled so that their softmax fits held-out rows best.
    """
    truth, rng = rows.truth, np.random.default_rng(rows.seed)
    columns, (preparation, table) = rows.design.columns(items), rows.design.filled
    own = np.ascontiguousarray(table[:, columns])
    centers = own[np.sort(rng.permutation(len(own))[:CENTERS])]
    test = folds_of(truth, 5, rng) == 0
    best = min(
        (
            held
            for gamma in (0.3, 1.0, 3.0)
            for held in _held_out(own, centers, truth, test, gamma / max(len(columns), 1))
        ),
        key=lambda held: held.loss,
    )
    bells = _bells(own, centers, best.gamma)
    weights, base = _solve(bells, _coded(truth), truth.weights, [best.ridge])[0]
    link = "softmax" if truth.n_classes else "identity"
    scale = best.scale
    return KernelModel(
        preparation.taken(columns), centers, weights * scale, np.array([best.gamma]),
        base * scale, link,
    )  # fmt: skip


@dataclass(frozen=True)
class _Held:
    """A setting of a kernel model, and its loss on rows held out."""

    gamma: float
    ridge: float
    scale: float
    loss: float


def _held_out(own: Floats, centers: Floats, truth: Truth, test: Any, gamma: float) -> list[_Held]:
    bells, coded = _bells(own, centers, gamma), _coded(truth)
    ridges = [1e-3, 1e-2, 1e-1, 1.0]
    found = []
    for ridge, (weights, base) in zip(
        ridges, _solve(bells[~test], coded[~test], truth.weights[~test], ridges), strict=True
    ):
        sums = bells[test] @ weights + base
        scale, loss = _scaled(sums, truth.taken(np.flatnonzero(test)))
        found.append(_Held(gamma, ridge, scale, loss))
    return found


def _bells(own: Floats, centers: Floats, gamma: float) -> Floats:
    squares = (own**2).sum(axis=1)[:, None] + (centers**2).sum(axis=1) - 2.0 * own @ centers.T
    bells: Floats = np.exp(-gamma * np.maximum(squares, 0.0))
    return bells


def _coded(truth: Truth) -> Floats:
    """The response, or 1 for the own class and 0 for the others."""
    return np.eye(truth.n_classes)[truth.y.astype(np.intp)] if truth.n_classes else truth.y[:, None]


def _solve(
    bells: Floats, coded: Floats, weights: Floats, ridges: list[float]
) -> list[tuple[Floats, Floats]]:
    """Weights of the bells and intercepts, for each regularisation."""
    total = weights.sum()
    mean = weights @ coded / total
    middle = weights @ bells / total
    gram = (bells * weights[:, None]).T @ bells - total * np.outer(middle, middle)
    right = (bells * weights[:, None]).T @ (coded - mean)
    found = []
    for ridge in ridges:
        own = gram.copy()
        own[np.diag_indices(len(own))] += ridge + 1e-9 * np.trace(gram) / len(gram)
        solved = cho_solve(cho_factor(own, overwrite_a=True), right)
        found.append((solved, mean - middle @ solved))
    return found


def _scaled(sums: Floats, truth: Truth) -> tuple[float, float]:
    """By how much to stretch sums before the softmax, and the loss that is left."""
    if not truth.n_classes:
        return 1.0, float(np.average((sums[:, 0] - truth.y) ** 2, weights=truth.weights))
    own = sums[np.arange(len(sums)), truth.y.astype(np.intp)]
    scales = np.array([1.0, 2.0, 3.0, 4.0, 6.0, 8.0, 12.0, 16.0, 24.0])
    losses = [
        np.average(logsumexp(s * sums, axis=1) - s * own, weights=truth.weights) for s in scales
    ]
    best = int(np.argmin(losses))
    return float(scales[best]), float(losses[best])


FAMILIES: dict[str, Fit] = {
    "boosted": boosted, "forest": forest, "kernel": kernel, "linear": linear
}  # fmt: skip
