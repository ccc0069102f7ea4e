"""Logistic regression on item sets, with a ridge penalty selected by cross-validation."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...costs.item_sets import Items
from ...plans.components.models import LinearModel
from ...types import Floats, Ints
from .newton_logistic import fit_logistic, log_losses, probabilities
from .problem import TrainingSet


@dataclass(frozen=True)
class LogisticOptions:
    """The solver of logistic regression and its penalties.

    Parameters
    ----------
    max_newton_size : int
        Coefficients up to which Newton's method, which converges to rounding error, is as fast
        as L-BFGS; its time per iteration grows with their square.
    tol : float
        Bound of the gradient. A loose one ends the iterations at a point that depends on the
        order of the columns.
    tuning_tol : float
        The same while penalties are compared.
    max_iter : int
        Iterations, at most, of badly conditioned problems.
    few_rows : int
        Rows up to which the penalty is selected by cross-validation; with more it matters less.
    inverse_penalties : tuple of float
        Inverse penalties that are tried, strong penalties first.
    n_folds : int
        Folds that they are compared on.
    intercept_ridge : float
        A penalty of the intercept that is too small to matter, but for a class without rows.
    """

    max_newton_size: int = 128
    tol: float = 1e-10
    tuning_tol: float = 1e-5
    max_iter: int = 1_000
    few_rows: int = 1_000
    inverse_penalties: tuple[float, ...] = (0.003, 0.01, 0.03, 0.1, 0.3, 1.0)
    n_folds: int = 5
    intercept_ridge: float = 1e-4


OPTIONS = LogisticOptions()


def is_small(rows: TrainingSet, items: Items) -> bool:
    """Return whether Newton's method is quick for the columns of an item set."""
    size = (1 + len(rows.design.columns(items))) * _n_outputs(rows)
    return size <= OPTIONS.max_newton_size and len(rows.target.y) <= OPTIONS.few_rows


def logistic_ridge(rows: TrainingSet, items: Items) -> LinearModel:
    """Return logistic regression with the penalty that has the smallest held-out log loss."""
    target, columns, n_outputs = rows.target, rows.design.columns(items), _n_outputs(rows)
    preparation, table = rows.design.filled
    Z, y = np.column_stack([np.ones(len(table)), table[:, columns]]), target.y.astype(np.intp)
    ridges = np.array([_ridge(C, Z.shape[1]) for C in OPTIONS.inverse_penalties])
    best = ridges[[_best_penalty(rows, Z, y, ridges)]]
    weights = target.weights[None]
    fitted = fit_logistic(Z, y, weights, best, n_outputs, OPTIONS.tol, OPTIONS.max_iter)[0]
    link = "logistic" if n_outputs == 1 else "softmax"
    return LinearModel(preparation.taken(columns), fitted[1:], fitted[0], link)


def _best_penalty(rows: TrainingSet, Z: Floats, y: Ints, ridges: Floats) -> int:
    """Return the position of the penalties with the smallest log loss on held-out rows."""
    target, n_folds = rows.target, OPTIONS.n_folds
    fold_of = target.folds(n_folds, np.random.default_rng(rows.problem.seed))
    held_out = np.repeat(np.arange(n_folds)[:, None] == fold_of, len(ridges), axis=0)
    coefficients = fit_logistic(
        Z, y, np.where(held_out, 0.0, target.weights), np.tile(ridges, (n_folds, 1)),
        _n_outputs(rows), OPTIONS.tuning_tol, OPTIONS.max_iter,
    )  # fmt: skip
    losses = held_out * target.weights * log_losses(probabilities(Z, coefficients), y)
    return int(losses.sum(axis=1).reshape(n_folds, -1).sum(axis=0).argmin())


def _n_outputs(rows: TrainingSet) -> int:
    return 1 if rows.target.n_classes == 2 else rows.target.n_classes


def _ridge(inverse_penalty: float, n_inputs: int) -> Floats:
    """Return the penalty of the intercept and of each column."""
    return np.append(OPTIONS.intercept_ridge, np.full(n_inputs - 1, 1.0 / inverse_penalty))
