"""Losses of support vector machines: values, dual variables, curvatures and best intercepts.

Kinds: 0 hinge, 1 squared hinge (targets -1 and 1), 2 epsilon-insensitive, 3 squared
epsilon-insensitive. Kinds 0 and 2 are non-smooth: with a smoothing parameter mu > 0 they are
replaced by their Moreau envelope (Huber's smoothing), quadratic over a width of mu.

The dual variables are alpha_i = -C_i dl/df_i, as in Wang, Zhu and Chi (2018), where C_i is the
weight of row i: 2 C xi y for the squared hinge (below Eq. 17). Loops run over rows.
"""

from __future__ import annotations

import numpy as np

from .jit import njit

HINGE, SQUARED_HINGE, EPSILON, SQUARED_EPSILON = 0, 1, 2, 3
#: Newton and bisection steps for an intercept; bisection alone reaches rounding in about 100.
_MAX_STEPS = 200


@njit(cache=True, nogil=True, inline="always")
def slack(kind, y, score, epsilon):
    """Return the slack of a row, 0 or less without a loss, and the sign of its dual variable."""
    if kind <= SQUARED_HINGE:
        return 1.0 - y * score, y
    residual = y - score
    return abs(residual) - epsilon, 1.0 if residual > 0 else -1.0


@njit(cache=True, nogil=True)
def losses(kind, y, z, intercept, weights, epsilon, smoothing, alpha):
    """Write the dual variables at scores z + intercept; return the smoothed and the exact loss."""
    smoothed, exact = 0.0, 0.0
    squared = kind in (SQUARED_HINGE, SQUARED_EPSILON)
    for i in range(len(y)):
        xi, side = slack(kind, y[i], z[i] + intercept, epsilon)
        alpha[i] = 0.0
        if xi <= 0.0:
            continue
        if squared:
            smoothed += weights[i] * xi * xi
            alpha[i] = 2.0 * weights[i] * side * xi
            continue
        exact += weights[i] * xi
        if xi < smoothing:
            smoothed += weights[i] * xi * xi / (2.0 * smoothing)
            alpha[i] = weights[i] * side * xi / smoothing
        else:
            smoothed += weights[i] * (xi - smoothing / 2.0)
            alpha[i] = weights[i] * side
    return smoothed, smoothed if squared else exact


@njit(cache=True, nogil=True)
def curvatures(kind, y, z, intercept, weights, epsilon, smoothing, curvature):
    """Write the second derivatives of the smoothed losses."""
    squared = kind in (SQUARED_HINGE, SQUARED_EPSILON)
    for i in range(len(y)):
        xi, _ = slack(kind, y[i], z[i] + intercept, epsilon)
        curvature[i] = 0.0
        if xi > 0.0 and squared:
            curvature[i] = 2.0 * weights[i]
        elif 0.0 < xi < smoothing:
            curvature[i] = weights[i] / smoothing


@njit(cache=True, nogil=True)
def dual_sum(kind, y, z, intercept, weights, epsilon, smoothing):
    """Return the sum of the dual variables at an intercept, and minus its derivative there."""
    total, curvature = 0.0, 0.0
    squared = kind in (SQUARED_HINGE, SQUARED_EPSILON)
    for i in range(len(y)):
        xi, side = slack(kind, y[i], z[i] + intercept, epsilon)
        if xi <= 0.0:
            continue
        if squared:
            total += 2.0 * weights[i] * side * xi
            curvature += 2.0 * weights[i]
        elif xi < smoothing:
            total += weights[i] * side * xi / smoothing
            curvature += weights[i] / smoothing
        else:
            total += weights[i] * side
    return total, curvature


@njit(cache=True, nogil=True)
def best_intercept(kind, y, z, intercept, weights, epsilon, smoothing):
    """Return the intercept of the least smoothed loss, where the dual variables sum to 0 (Eq. 3).

    Newton steps from the given intercept, safeguarded by bisection.
    """
    low, high, reach = -np.inf, np.inf, 1.0
    tolerance = 1e-14 * weights.sum()
    for _ in range(_MAX_STEPS):
        total, curvature = dual_sum(kind, y, z, intercept, weights, epsilon, smoothing)
        if abs(total) <= tolerance:
            break
        if total > 0:
            low = intercept
        else:
            high = intercept
        guess = intercept + total / curvature if curvature > 0 else np.inf
        if not low < guess < high:
            if low > -np.inf and high < np.inf:
                guess = 0.5 * (low + high)
            else:
                guess = intercept + (reach if total > 0 else -reach)
                reach *= 2.0
        if guess == intercept:
            break
        intercept = guess
    return intercept


@njit(cache=True, nogil=True)
def dual_terms(kind, y, alpha, weights, epsilon):
    """Return the linear and the quadratic term of S(alpha), the minimum of Eq. (15).

    S(alpha) = linear - quadratic, for dual variables within their domain. The quadratic term is
    sum alpha^2 / (4C) for squared losses (Eqs. 16 and 18), else 0.
    """
    linear, quadratic = 0.0, 0.0
    for i in range(len(y)):
        linear += y[i] * alpha[i]
        if kind >= EPSILON:
            linear -= epsilon * abs(alpha[i])
        if kind in (SQUARED_HINGE, SQUARED_EPSILON) and weights[i] > 0:
            quadratic += alpha[i] * (alpha[i] / (4.0 * weights[i]))
    return linear, quadratic
