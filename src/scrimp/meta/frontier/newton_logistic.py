"""Logistic and softmax regressions with ridge penalties, many at once by Newton's method.

Hastie, Tibshirani, Friedman. The Elements of Statistical Learning. 2009, sections 4.4.1 and 18.3.2.
"""

from __future__ import annotations

import numpy as np
from scipy.special import expit, softmax

from ...types import Floats, Ints

#: How often a Newton step is halved before its problem is left as it is.
MAX_HALVINGS = 20
#: A step that promises to reduce the loss by less than this share is the last one, and is taken
#: as it is: rounding errors of the loss could not tell it from a bad one.
LAST_REDUCTION = 1e-12


def fit_logistic(
    Z: Floats, y: Ints, weights: Floats, ridge: Floats, n_outputs: int, tol: float, max_iter: int
) -> Floats:
    """Return the coefficients (problems, inputs, outputs) that minimise penalised log losses.

    All problems have the same inputs and classes; each has weights and penalties of its own.

    Parameters
    ----------
    Z : float array (rows, inputs)
        Inputs, a constant among them if there is an intercept.
    y : int array (rows,)
        Numbers of classes.
    weights : float array (problems, rows)
        Weights of the rows; 0 leaves a row out.
    ridge : float array (problems, inputs)
        Positive penalties.
    n_outputs : int
        1 for two classes, else their number.
    tol : float
        The largest entry of a gradient to end with.
    max_iter : int
        Newton steps, at most.
    """
    coefficients = np.zeros((len(ridge), Z.shape[1], n_outputs))
    indicators = y[:, None] == (np.arange(n_outputs) if n_outputs > 1 else 1)
    active, P = np.arange(len(ridge)), probabilities(Z, coefficients)
    losses = _losses(P, y, weights, coefficients, ridge)
    for _ in range(max_iter):
        gradient = _gradients(Z, P[active], indicators, weights[active])
        gradient += ridge[active][:, :, None] * coefficients[active]
        open_ones = np.abs(gradient).max(axis=(1, 2)) >= tol
        active, gradient = active[open_ones], gradient[open_ones]
        if not len(active):
            break
        hessian = _hessians(Z, P[active], weights[active], ridge[active])
        flat = gradient.transpose(0, 2, 1).reshape(len(active), -1)
        flat_step = np.linalg.solve(hessian, flat[:, :, None])[:, :, 0]
        step = flat_step.reshape(len(active), n_outputs, -1).transpose(0, 2, 1)
        last = 0.5 * (flat * flat_step).sum(axis=1) <= LAST_REDUCTION * losses[active]
        coefficients[active[last]] -= step[last]
        active, step = active[~last], step[~last]
        halved = active
        for _ in range(MAX_HALVINGS):
            place = np.searchsorted(active, halved)
            trial = coefficients[halved] - step[place]
            P[halved] = probabilities(Z, trial)
            after = _losses(P[halved], y, weights[halved], trial, ridge[halved])
            good = after <= losses[halved]
            coefficients[halved[good]], losses[halved[good]] = trial[good], after[good]
            halved = halved[~good]
            if not len(halved):
                break
            step[np.searchsorted(active, halved)] *= 0.5
        if len(halved):
            P[halved] = probabilities(Z, coefficients[halved])
            active = np.setdiff1d(active, halved)
    return coefficients


def probabilities(Z: Floats, coefficients: Floats) -> Floats:
    """Return probabilities (problems, rows, outputs): of the second class, or of each class."""
    scores = Z @ coefficients
    return np.asarray(expit(scores) if scores.shape[-1] == 1 else softmax(scores, axis=-1))


def log_losses(P: Floats, y: Ints) -> Floats:
    """Return the log loss (problems, rows) of probabilities."""
    if P.shape[-1] == 1:
        of_class = np.where(y == 1, P[..., 0], 1.0 - P[..., 0])
    else:
        of_class = P[:, np.arange(len(y)), y]
    return np.asarray(-np.log(np.maximum(of_class, 1e-300)))


def _losses(P: Floats, y: Ints, weights: Floats, coefficients: Floats, ridge: Floats) -> Floats:
    penalty = 0.5 * (ridge[:, :, None] * coefficients**2).sum(axis=(1, 2))
    return np.asarray((weights * log_losses(P, y)).sum(axis=1) + penalty)


def _gradients(Z: Floats, P: Floats, indicators: Floats, weights: Floats) -> Floats:
    """Return the gradients (problems, inputs, outputs) of the weighted log losses."""
    return np.asarray(Z.T @ ((P - indicators) * weights[:, :, None]))


def _hessians(Z: Floats, P: Floats, weights: Floats, ridge: Floats) -> Floats:
    """Return the Hessians (problems, outputs * inputs, outputs * inputs)."""
    n_problems, _, n_outputs = P.shape
    d = Z.shape[1]
    hessian = np.zeros((n_problems, n_outputs * d, n_outputs * d))
    for problem in range(n_problems):
        for k in range(n_outputs):
            for m in range(k + 1):
                curvature = ((k == m) - P[problem, :, m]) * P[problem, :, k] * weights[problem]
                block = Z.T @ (curvature[:, None] * Z)
                hessian[problem, k * d : (k + 1) * d, m * d : (m + 1) * d] = block
                hessian[problem, m * d : (m + 1) * d, k * d : (k + 1) * d] = block
    diagonal = np.arange(n_outputs * d)
    hessian[:, diagonal, diagonal] += np.tile(ridge, n_outputs)
    return hessian
