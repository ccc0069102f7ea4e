"""A kernel model: Gaussian bells around points of the training."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.special import logsumexp

from ...costs.item_sets import Items
from ...plans.components.models import KernelModel
from ...types import Floats, Ints
from .problem import Truth, folds_of
from .rows import Rows

#: Points around which there are bells, at most; and how many, on how many rows, when their
#: width and regularisation are chosen.
CENTERS, FEW_CENTERS, FEW_ROWS = 800, 250, 2000


def kernel(rows: Rows, items: Items) -> KernelModel:
    """Gaussian bells around points of the training, by regularised least squares.

    Width and regularisation are those of the least held-out loss; for classes the sums are
    scaled so that their softmax fits held-out rows best.
    """
    truth, rng = rows.truth, np.random.default_rng(rows.seed)
    columns, (preparation, table) = rows.design.columns(items), rows.design.filled
    own = np.ascontiguousarray(table[:, columns])
    order = rng.permutation(len(own))
    best = _best_bells(own, truth, np.sort(order[:FEW_ROWS]), rng)
    centers = own[np.sort(order[:CENTERS])]
    bells = _bells(own, centers, best.gamma)
    weights, base = _solve(bells, truth.coded, truth.weights, [best.ridge])[0]
    link = "softmax" if truth.n_classes else "identity"
    scale = best.scale
    return KernelModel(
        preparation.taken(columns), centers, weights * scale, np.array([best.gamma]),
        base * scale, link,
    )  # fmt: skip


def _best_bells(own: Floats, truth: Truth, some: Ints, rng: np.random.Generator) -> _Held:
    """Width, regularisation and scale of the least loss on some rows held out."""
    few, said = own[some], truth.taken(some)
    centers = few[np.sort(rng.permutation(len(few))[:FEW_CENTERS])]
    test = folds_of(said, 5, rng) == 0
    widths = [gamma / max(own.shape[1], 1) for gamma in (0.3, 1.0, 3.0)]
    held = [own for gamma in widths for own in _held_out(few, centers, said, test, gamma)]
    return min(held, key=lambda own: own.loss)


@dataclass(frozen=True)
class _Held:
    """A setting of a kernel model, and its loss on rows held out."""

    gamma: float
    ridge: float
    scale: float
    loss: float


def _held_out(own: Floats, centers: Floats, truth: Truth, test: Any, gamma: float) -> list[_Held]:
    bells, coded = _bells(own, centers, gamma), truth.coded
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
    bells[bells < 1e-30] = 0.0  # products of tinier numbers are slow, and say nothing
    return bells


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
