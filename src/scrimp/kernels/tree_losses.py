"""Losses of boosted trees: their negative gradients and Hessians by the scores.

A loss has a number. Those of classes are about the labels 0, 1, ...; the others about numbers.
"""

from __future__ import annotations

import numpy as np

from .jit import njit

SQUARED, ABSOLUTE, QUANTILE, POISSON, LOGISTIC, EXPONENTIAL, SOFTMAX, EXPONENTIAL_MH = range(8)
#: Lower bound of a Hessian, which keeps steps finite.
MIN_HESSIAN = 1e-12
#: The most that a score of counts rises in a step, as in LightGBM (``poisson_max_delta_step``):
#: the Hessian is that at the end of such a step.
POISSON_STEP = 0.7
#: Margins beyond this count as this in the exponential loss.
MAX_MARGIN = 30.0


@njit(cache=True, nogil=True)
def _of_number(loss, level, y, score):
    """Return the negative gradient and the Hessian of a loss with one output."""
    if loss == SQUARED:
        return y - score, 1.0
    if loss == ABSOLUTE:
        return np.sign(y - score), 1.0
    if loss == QUANTILE:
        return (level if y > score else level - 1.0), 1.0
    if loss == POISSON:
        rate = np.exp(min(score, 700.0))
        return y - rate, rate * np.exp(POISSON_STEP)
    if loss == LOGISTIC:
        p = 1.0 / (1.0 + np.exp(-score))
        return y - p, p * (1.0 - p)
    sign = 2.0 * y - 1.0
    weight = np.exp(-max(min(sign * score, MAX_MARGIN), -MAX_MARGIN))
    return sign * weight, weight


@njit(cache=True, nogil=True)
def _of_classes(loss, y, scores, gradient, hessian):
    """Write the negative gradients and Hessians of a row by the scores of the classes."""
    if loss == EXPONENTIAL_MH:
        for k in range(len(scores)):
            gradient[k], hessian[k] = _of_number(
                EXPONENTIAL, 0.0, (1.0 if k == y else 0.0), scores[k]
            )
        return
    highest, total = scores.max(), 0.0
    for k in range(len(scores)):
        gradient[k] = np.exp(scores[k] - highest)
        total += gradient[k]
    for k in range(len(scores)):
        p = gradient[k] / total
        gradient[k], hessian[k] = (1.0 if k == y else 0.0) - p, p * (1.0 - p)


@njit(cache=True, nogil=True)
def write_gradients(loss, level, y, weights, scores, gradient, hessian, start, stop):
    """Write weighted negative gradients and Hessians (rows, outputs) of the rows start to stop.

    `level` is that of the quantile. `weights` may have one number that holds for all rows.
    """
    for r in range(start, stop):
        weight = weights[r] if len(weights) > 1 else weights[0]
        if loss >= SOFTMAX:
            _of_classes(loss, y[r], scores[r], gradient[r], hessian[r])
        else:
            gradient[r, 0], hessian[r, 0] = _of_number(loss, level, y[r], scores[r, 0])
        for k in range(scores.shape[1]):
            gradient[r, k] *= weight
            hessian[r, k] = max(hessian[r, k] * weight, MIN_HESSIAN)


@njit(cache=True, nogil=True)
def project(gradient, hessian, directions, targets, total):
    """Write projections of the gradients (rows, directions), and the sums of the Hessians (rows,).

    One pass over the rows, where products of matrices and sums would take several.
    """
    n_outputs, n_directions = directions.shape
    for r in range(len(gradient)):
        mass = 0.0
        for d in range(n_directions):
            targets[r, d] = 0.0
        for k in range(n_outputs):
            mass += hessian[r, k]
            for d in range(n_directions):
                targets[r, d] += gradient[r, k] * directions[k, d]
        total[r] = mass


@njit(cache=True, nogil=True)
def mean_loss(loss, level, y, weights, scores, rows):
    """Return the weighted mean of a loss on some rows."""
    total, mass = 0.0, 0.0
    for r in rows:
        weight = weights[r] if len(weights) > 1 else weights[0]
        score = scores[r, 0]
        if loss == SQUARED:
            value = (y[r] - score) ** 2
        elif loss == ABSOLUTE:
            value = abs(y[r] - score)
        elif loss == QUANTILE:
            value = max(level * (y[r] - score), (level - 1.0) * (y[r] - score))
        elif loss == POISSON:
            value = np.exp(min(score, 700.0)) - y[r] * score
        elif loss == LOGISTIC:
            margin = score if y[r] > 0.5 else -score
            value = np.log1p(np.exp(-abs(margin))) + max(-margin, 0.0)
        elif loss == EXPONENTIAL:
            value = np.exp(-min((2.0 * y[r] - 1.0) * score, MAX_MARGIN))
        elif loss == SOFTMAX:
            highest = scores[r].max()
            value = np.log(np.exp(scores[r] - highest).sum()) + highest - scores[r, int(y[r])]
        else:
            value = 0.0
            for k in range(scores.shape[1]):
                sign = 1.0 if k == y[r] else -1.0
                value += np.exp(-min(sign * scores[r, k], MAX_MARGIN))
        total += weight * value
        mass += weight
    return total / mass if mass > 0 else 0.0


@njit(cache=True, nogil=True)
def add_leaf_sums(gradient, hessian, rows, sums):
    """Add the gradients and the Hessians of rows (2, outputs)."""
    for row in rows:
        r = np.int64(row)
        for k in range(gradient.shape[1]):
            sums[0, k] += gradient[r, k]
            sums[1, k] += hessian[r, k]


@njit(cache=True, nogil=True)
def add_step(scores, rows, step):
    """Add a step to the scores of some rows."""
    for row in rows:
        r = np.int64(row)
        for k in range(len(step)):
            scores[r, k] += step[k]


@njit(cache=True, nogil=True)
def add_votes_by_bins(scores, bins, rows, column, left, right, goes_left, value):
    """Add the values of a tree's leaves to the scores of rows, which are found by their bins."""
    for row in rows:
        r = np.int64(row)
        node = 0
        while column[node] >= 0:
            node = left[node] if goes_left[node, bins[column[node], r]] else right[node]
        for k in range(value.shape[1]):
            scores[r, k] += value[node, k]
