"""Kernel ridge regression with a Gaussian kernel on a subset of the training rows.

For classes it is fitted to one-hot targets, and its scores are scaled before a softmax.
Rifkin, Yeo, Poggio. Regularized least-squares classification. 2003.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.special import logsumexp

from ...costs.item_sets import Items
from ...plans.components.models import KernelModel
from ...types import Flags, Floats, Ints
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
        Centers and rows, at most, that bandwidth and penalty are selected with.
    gammas : tuple of float
        Inverse squared bandwidths that are tried, divided by the number of columns.
    penalties : tuple of float
        Ridge penalties that are tried.
    scales : tuple of float
        Factors of the scores before the softmax that are tried.
    """

    n_centers: int = 800
    n_tuning_centers: int = 250
    n_tuning_rows: int = 2000
    gammas: tuple[float, ...] = (0.3, 1.0, 3.0)
    penalties: tuple[float, ...] = (1e-3, 1e-2, 1e-1, 1.0)
    scales: tuple[float, ...] = (1.0, 2.0, 3.0, 4.0, 6.0, 8.0, 12.0, 16.0, 24.0)


OPTIONS = KernelRidgeOptions()


@dataclass(frozen=True)
class _Setting:
    """Hyperparameters, and their loss on held-out rows."""

    gamma: float
    penalty: float
    scale: float
    loss: float


def kernel_ridge(rows: TrainingSet, items: Items) -> KernelModel:
    """Return kernel ridge regression on the columns of an item set.

    Bandwidth, penalty and scale are those with the smallest loss on held-out rows.
    """
    target, rng = rows.target, np.random.default_rng(rows.problem.seed)
    columns, (preparation, table) = rows.design.columns(items), rows.design.filled
    X = np.ascontiguousarray(table[:, columns])
    order = rng.permutation(len(X))
    best = _tuned(X, target, np.sort(order[: OPTIONS.n_tuning_rows]), rng)
    centers = X[np.sort(order[: OPTIONS.n_centers])]
    kernel = gaussian_kernel(X, centers, best.gamma)
    weights, base = solve(kernel, target.encoded, target.weights, (best.penalty,))[0]
    link = "softmax" if target.n_classes else "identity"
    return KernelModel(
        preparation.taken(columns), centers, weights * best.scale, np.array([best.gamma]),
        base * best.scale, link,
    )  # fmt: skip


def _tuned(X: Floats, target: TrainingTarget, some: Ints, rng: np.random.Generator) -> _Setting:
    """Return the hyperparameters with the smallest loss on a fifth of some rows."""
    X, target = X[some], target.subset(some)
    centers = X[np.sort(rng.permutation(len(X))[: OPTIONS.n_tuning_centers])]
    test = target.folds(5, rng) == 0
    gammas = [gamma / max(X.shape[1], 1) for gamma in OPTIONS.gammas]
    settings = [s for gamma in gammas for s in _held_out(X, centers, target, test, gamma)]
    return min(settings, key=lambda setting: setting.loss)


def _held_out(
    X: Floats, centers: Floats, target: TrainingTarget, test: Flags, gamma: float
) -> list[_Setting]:
    """Return the held-out loss of each penalty at one bandwidth."""
    kernel, held_out = gaussian_kernel(X, centers, gamma), target.subset(np.flatnonzero(test))
    solutions = solve(
        kernel[~test], target.encoded[~test], target.weights[~test], OPTIONS.penalties
    )
    settings = []
    for penalty, (weights, base) in zip(OPTIONS.penalties, solutions, strict=True):
        scale, loss = _best_scale(kernel[test] @ weights + base, held_out)
        settings.append(_Setting(gamma, penalty, scale, loss))
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
    gram = (kernel * weights[:, None]).T @ kernel - total * np.outer(center, center)
    right = (kernel * weights[:, None]).T @ (encoded - mean)
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
