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
    n_folds : int
        A fold of that many is held out to select them.
    few_rows, n_tested : int
        Rows up to which so many of the folds are held out in turn: one would have too few rows.
    gammas : tuple of float
        Inverse squared bandwidths that are tried, divided by the sum of squared scales.
    powers : tuple of float
        Powers of the relevance of columns that are tried as their scales; 0 leaves all alike.
    min_relevance : float
        Added to the relevance of each column, its share of the splits of boosted trees.
    penalties : tuple of float
        Ridge penalties that are tried.
    scales : tuple of float
        Factors of the scores before the softmax that are tried.
    """

    n_centers: int = 1000
    n_tuning_centers: int = 250
    n_tuning_rows: int = 2000
    n_folds: int = 5
    few_rows: int = 1000
    n_tested: int = 3
    gammas: tuple[float, ...] = (0.3, 1.0, 3.0)
    powers: tuple[float, ...] = (0.0, 0.25, 0.5)
    min_relevance: float = 1e-4
    penalties: tuple[float, ...] = (1e-3, 1e-2, 1e-1, 1.0)
    scales: tuple[float, ...] = (1.0, 2.0, 3.0, 4.0, 6.0, 8.0, 12.0, 16.0, 24.0)


OPTIONS = KernelRidgeOptions()


@dataclass(frozen=True)
class _Setting:
    """Hyperparameters: of columns, kernel, penalty and scores, as `KernelRidgeOptions` has them."""

    power: float
    gamma: float
    penalty: float
    scale: float


def kernel_ridge(rows: TrainingSet, items: Items) -> KernelModel:
    """Return kernel ridge regression on the columns of an item set.

    Hyperparameters are those with the smallest loss on held-out rows.
    """
    target, rng = rows.target, np.random.default_rng(rows.problem.seed)
    columns, (preparation, table) = rows.design.columns(items), rows.design.filled
    X, order = np.ascontiguousarray(table[:, columns]), rng.permutation(len(target.y))
    best = _tuned(rows, items, X, np.sort(order[: OPTIONS.n_tuning_rows]), rng)
    scales = np.ones(len(columns))
    if best.power:
        scales = _relevance(rows, items, np.arange(len(X))) ** best.power
    X, gamma = X * scales, best.gamma / float(scales @ scales)
    centers = X[np.sort(order[: OPTIONS.n_centers])]
    kernel = gaussian_kernel(X, centers, gamma)
    weights, base = solve(kernel, target.encoded, target.weights, (best.penalty,))[0]
    link = "softmax" if target.n_classes else "identity"
    prepared = preparation.taken(columns)
    return KernelModel(
        replace(prepared, scale=prepared.scale / scales), centers, weights * best.scale,
        np.array([gamma]), base * best.scale, link,
    )  # fmt: skip


def _relevance(rows: TrainingSet, items: Items, some: Ints) -> Floats:
    """Return the relevance of columns, at most 1, by boosted trees on some rows."""
    counts = split_counts(rows, items, some)
    relevance = counts / max(counts.sum(), 1) + OPTIONS.min_relevance
    return np.asarray(relevance / relevance.max())


def _tuned(
    rows: TrainingSet, items: Items, X: Floats, some: Ints, rng: np.random.Generator
) -> _Setting:
    """Return the hyperparameters with the smallest loss on folds of some rows."""
    target = rows.target.subset(some)
    fold_of = target.folds(OPTIONS.n_folds, rng)
    chosen = np.sort(rng.permutation(len(some))[: OPTIONS.n_tuning_centers])
    powers = OPTIONS.powers if X.shape[1] > 1 else (0.0,)
    scales = OPTIONS.scales if target.n_classes else (1.0,)
    grids = powers, OPTIONS.gammas, OPTIONS.penalties, scales
    losses = np.zeros([len(grid) for grid in grids])
    for fold in range(OPTIONS.n_tested if len(X) <= OPTIONS.few_rows else 1):
        test, relevance = fold_of == fold, np.ones(X.shape[1])
        if max(powers):
            others = np.setdiff1d(np.arange(len(X)), some[test])
            relevance = _relevance(rows, items, others)
        for place, power in enumerate(powers):
            losses[place] += _held_out(
                X[some] * relevance**power, chosen, target, test,
                np.array(OPTIONS.gammas) / np.sum(relevance ** (2 * power)), scales,
            )  # fmt: skip
    best = np.unravel_index(int(losses.argmin()), losses.shape)
    return _Setting(*(grid[place] for grid, place in zip(grids, best, strict=True)))


def _held_out(
    X: Floats, chosen: Ints, target: TrainingTarget, test: Flags, gammas: Floats,
    scales: tuple[float, ...],
) -> Floats:  # fmt: skip
    """Return the held-out loss at each bandwidth, penalty and scale of the scores."""
    held_out, losses = target.subset(np.flatnonzero(test)), []
    for gamma in gammas:
        kernel = gaussian_kernel(X, X[chosen], gamma)
        solutions = solve(
            kernel[~test], target.encoded[~test], target.weights[~test], OPTIONS.penalties
        )
        scores = [kernel[test] @ weights + base for weights, base in solutions]
        losses.append([_scaled_losses(each, held_out, scales) for each in scores])
    return np.array(losses)


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


def _scaled_losses(scores: Floats, target: TrainingTarget, scales: tuple[float, ...]) -> Floats:
    """Return the mean loss of the scores times each scale."""
    weights = target.weights / target.weights.sum()
    if not target.n_classes:
        return np.array([weights @ (scores[:, 0] - target.y) ** 2])
    scaled = np.array(scales)[:, None, None] * (scores - scores.max(axis=1, keepdims=True))
    of_class = scaled[:, np.arange(len(scores)), target.y.astype(np.intp)]
    return np.asarray((np.log(np.exp(scaled).sum(axis=2)) - of_class) @ weights)
