"""Kernel ridge regression with a Gaussian kernel on a subset of the training rows.

For classes it is fitted to one-hot targets, and its scores are scaled before a softmax. Columns
are scaled by their relevance, the share of the splits of boosted trees that use them, to a power
that held-out rows select: distances between rows then depend little on columns that do not matter.
Rifkin, Yeo, Poggio. Regularized least-squares classification. 2003.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.special import logsumexp

from ...costs.item_sets import Items
from ...plans.components.models import KernelModel
from ...types import Flags, Floats, Ints
from .boosted_models import split_counts
from .problem import TrainingSet
from .training_target import TrainingTarget


@dataclass(frozen=True)
class KernelRidgeOptions:
    """Sizes and grids of kernel ridge regression.

    Parameters
    ----------
    n_centers : int
        Kernel centers, at most; the time grows with their square.
    n_tuning_centers, n_tuning_rows : int
        Centers and rows, at most, that the hyperparameters are selected with.
    gammas : tuple of float
        Inverse squared bandwidths that are tried, divided by the sum of squared scales.
    powers : tuple of float
        Powers of the relevance of columns that are tried as their scales; 0 scales all alike.
    min_relevance : float
        Added to the relevance of each column, its share of the splits of boosted trees.
    penalties : tuple of float
        Ridge penalties that are tried.
    scales : tuple of float
        Factors of the scores before the softmax that are tried.
    """

    n_centers: int = 1500
    n_tuning_centers: int = 250
    n_tuning_rows: int = 2000
    gammas: tuple[float, ...] = (0.3, 1.0, 3.0)
    powers: tuple[float, ...] = (0.0, 0.25, 0.5)
    min_relevance: float = 1e-4
    penalties: tuple[float, ...] = (1e-3, 1e-2, 1e-1, 1.0)
    scales: tuple[float, ...] = (1.0, 2.0, 3.0, 4.0, 6.0, 8.0, 12.0, 16.0, 24.0)


OPTIONS = KernelRidgeOptions()


@dataclass(frozen=True, eq=False)
class _Setting:
    """Hyperparameters, and their loss on held-out rows."""

    column_scales: Floats
    gamma: float
    penalty: float
    scale: float
    loss: float


def kernel_ridge(rows: TrainingSet, items: Items) -> KernelModel:
    """Return kernel ridge regression on the columns of an item set.

    Scales of columns, bandwidth, penalty and scale of the scores are those with the smallest
    loss on held-out rows.
    """
    target, rng = rows.target, np.random.default_rng(rows.problem.seed)
    columns, (preparation, table) = rows.design.columns(items), rows.design.filled
    X = np.ascontiguousarray(table[:, columns])
    order = rng.permutation(len(X))
    best = _tuned(rows, items, X, np.sort(order[: OPTIONS.n_tuning_rows]), rng)
    X *= best.column_scales
    centers = X[np.sort(order[: OPTIONS.n_centers])]
    kernel = gaussian_kernel(X, centers, best.gamma)
    weights, base = solve(kernel, target.encoded, target.weights, (best.penalty,))[0]
    link = "softmax" if target.n_classes else "identity"
    prepared = preparation.taken(columns)
    return KernelModel(
        replace(prepared, scale=prepared.scale / best.column_scales), centers,
        weights * best.scale, np.array([best.gamma]), base * best.scale, link,
    )  # fmt: skip


def _tuned(
    rows: TrainingSet, items: Items, X: Floats, some: Ints, rng: np.random.Generator
) -> _Setting:
    """Return the hyperparameters with the smallest loss on a fifth of some rows."""
    target = rows.target.subset(some)
    chosen = np.sort(rng.permutation(len(some))[: OPTIONS.n_tuning_centers])
    test = target.folds(5, rng) == 0
    settings = []
    for scales in _column_scales(rows, items, some[test]):
        scaled, total = X[some] * scales, max(float(scales @ scales), 1e-300)
        for gamma in OPTIONS.gammas:
            settings += _held_out(scaled, scaled[chosen], target, test, scales, gamma / total)
    return min(settings, key=lambda setting: setting.loss)


def _column_scales(rows: TrainingSet, items: Items, held_out: Ints) -> list[Floats]:
    """Return the scales of columns that are tried, by their relevance on all other rows."""
    n_columns = len(rows.design.columns(items))
    if n_columns == 1:
        return [np.ones(1)]
    others = np.setdiff1d(np.arange(len(rows.target.y)), held_out)
    counts = split_counts(rows, items, others)
    relevance = counts / max(counts.sum(), 1) + OPTIONS.min_relevance
    return [(relevance / relevance.max()) ** power for power in OPTIONS.powers]


def _held_out(
    X: Floats, centers: Floats, target: TrainingTarget, test: Flags, column_scales: Floats,
    gamma: float,
) -> list[_Setting]:  # fmt: skip
    """Return the held-out loss of each penalty at one bandwidth."""
    kernel, held_out = gaussian_kernel(X, centers, gamma), target.subset(np.flatnonzero(test))
    solutions = solve(
        kernel[~test], target.encoded[~test], target.weights[~test], OPTIONS.penalties
    )
    settings = []
    for penalty, (weights, base) in zip(OPTIONS.penalties, solutions, strict=True):
        scale, loss = _best_scale(kernel[test] @ weights + base, held_out)
        settings.append(_Setting(column_scales, gamma, penalty, scale, loss))
    return settings


def gaussian_kernel(X: Floats, centers: Floats, gamma: float) -> Floats:
    """Return exp(-gamma * squared distance) of each row to each center."""
    squares = (X**2).sum(axis=1)[:, None] + (centers**2).sum(axis=1) - 2.0 * X @ centers.T
    kernel: Floats = np.exp(-gamma * np.maximum(squares, 0.0))
    kernel[kernel < 1e-30] = 0.0  # products of denormal numbers are slow
    return kernel


def solve(
    kernel: Floats, encoded: Floats, weights: Floats, penalties: tuple[float, ...]
) -> list[tuple[Floats, Floats]]:
    """Return coefficients of the centers and intercepts, for each penalty."""
    total = weights.sum()
    mean = weights @ encoded / total
    center = weights @ kernel / total
    roots = np.sqrt(weights)[:, None]
    weighted = kernel * roots
    gram = weighted.T @ weighted - total * np.outer(center, center)
    right = weighted.T @ (roots * (encoded - mean))
    solutions = []
    for penalty in penalties:
        system = gram.copy()
        system[np.diag_indices(len(system))] += penalty + 1e-9 * np.trace(gram) / len(gram)
        coefficients = cho_solve(cho_factor(system, overwrite_a=True), right)
        solutions.append((coefficients, mean - center @ coefficients))
    return solutions


def _best_scale(scores: Floats, target: TrainingTarget) -> tuple[float, float]:
    """Return the factor of the scores with the smallest loss, and that loss."""
    if not target.n_classes:
        return 1.0, float(np.average((scores[:, 0] - target.y) ** 2, weights=target.weights))
    of_class = scores[np.arange(len(scores)), target.y.astype(np.intp)]
    losses = [
        np.average(logsumexp(s * scores, axis=1) - s * of_class, weights=target.weights)
        for s in OPTIONS.scales
    ]
    best = int(np.argmin(losses))
    return OPTIONS.scales[best], float(losses[best])
