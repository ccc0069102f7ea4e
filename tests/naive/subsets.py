"""Naive twins of the linear models of any set of columns, from the definition of each.

Every penalty is that of a column by itself: ``alpha / 2 * variance * w ** 2``.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def ridge(X: Floats, Y: Floats, columns: list[int], alpha: float) -> tuple[Floats, Floats]:
    """Intercept and coefficients of the ridge regression on some columns, by least squares."""
    centred = X[:, columns] - X[:, columns].mean(axis=0)
    penalty = np.diag(np.sqrt(len(X) * alpha) * centred.std(axis=0))
    middle = Y.mean(axis=0)
    rows = np.vstack([centred, penalty])
    responses = np.vstack([Y - middle, np.zeros((len(columns), Y.shape[1]))])
    w = np.linalg.lstsq(rows, responses, rcond=None)[0]
    return middle - X[:, columns].mean(axis=0) @ w, w


def quadratic(
    X: Floats, error: Floats, curvature: Floats, model: Floats, columns: list[int], alpha: float
) -> Floats:
    """The model of some columns (intercept first) at the minimum of the loss's quadratic model.

    Parameters
    ----------
    error : array (rows, outputs)
        The derivative of the loss of each row by its predictors, at the model of all columns.
    curvature : array (rows, outputs, outputs)
        The second derivatives.
    model : array (1 + all columns, outputs)
        The model of all columns, intercept first.
    """
    n, k = error.shape
    ones = np.column_stack([np.ones(n), X])
    ridge = np.concatenate([[0.0], alpha * X.var(axis=0)])
    hessian = sum(np.kron(np.outer(x, x), c) for x, c in zip(ones, curvature, strict=True)) / n
    hessian = hessian + np.kron(np.diag(ridge), np.eye(k))
    gradient = (ones.T @ error / n + ridge[:, None] * model).ravel()
    chosen = [k * row + output for row in [0, *(1 + c for c in columns)] for output in range(k)]
    linear = hessian @ model.ravel() - gradient
    part = np.linalg.lstsq(hessian[np.ix_(chosen, chosen)], linear[chosen], rcond=1e-12)[0]
    return part.reshape(-1, k)
