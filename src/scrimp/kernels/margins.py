"""Losses of support vector machines, their slopes and the intercepts that suit them best.

Kinds: 0 hinge, 1 squared hinge (targets -1 and 1), 2 epsilon-insensitive, 3 its square. The
first and the third have a kink; it is rounded off over a width.
"""

from __future__ import annotations

import numpy as np
from numba import njit

HINGE, SQUARED_HINGE, EPSILON, SQUARED_EPSILON = 0, 1, 2, 3
_MOST_STEPS = 200


@njit(cache=True, nogil=True, inline="always")
def excess(kind, y, score, epsilon):
    """How far a score is on the wrong side, and in which direction it should move."""
    if kind <= SQUARED_HINGE:
        return 1.0 - y * score, y
    rest = y - score
    return abs(rest) - epsilon, 1.0 if rest > 0 else -1.0


@njit(cache=True, nogil=True)
def losses(kind, y, sums, intercept, weights, epsilon, width, alpha):
    """Write the slopes: minus the derivative of the losses; their sums, rounded off and exact."""
    smooth, exact = 0.0, 0.0
    squared = kind in (SQUARED_HINGE, SQUARED_EPSILON)
    for i in range(len(y)):
        over, side = excess(kind, y[i], sums[i] + intercept, epsilon)
        alpha[i] = 0.0
        if over <= 0.0:
            continue
        if squared:
            smooth += weights[i] * over * over
            alpha[i] = 2.0 * weights[i] * side * over
            continue
        exact += weights[i] * over
        if over < width:
            smooth += weights[i] * over * over / (2.0 * width)
            alpha[i] = weights[i] * side * over / width
        else:
            smooth += weights[i] * (over - width / 2.0)
            alpha[i] = weights[i] * side
    return smooth, smooth if squared else exact


@njit(cache=True, nogil=True)
def curvatures(kind, y, sums, intercept, weights, epsilon, width, curve):
    """Write the second derivatives of the losses rounded off."""
    squared = kind in (SQUARED_HINGE, SQUARED_EPSILON)
    for i in range(len(y)):
        over, _ = excess(kind, y[i], sums[i] + intercept, epsilon)
        curve[i] = 0.0
        if over > 0.0 and squared:
            curve[i] = 2.0 * weights[i]
        elif 0.0 < over < width:
            curve[i] = weights[i] / width


@njit(cache=True, nogil=True)
def pull(kind, y, sums, intercept, weights, epsilon, width):
    """The sum of slopes at an intercept, and how fast it falls with it."""
    total, curve = 0.0, 0.0
    squared = kind in (SQUARED_HINGE, SQUARED_EPSILON)
    for i in range(len(y)):
        over, side = excess(kind, y[i], sums[i] + intercept, epsilon)
        if over <= 0.0:
            continue
        if squared:
            total += 2.0 * weights[i] * side * over
            curve += 2.0 * weights[i]
        elif over < width:
            total += weights[i] * side * over / width
            curve += weights[i] / width
        else:
            total += weights[i] * side
    return total, curve


@njit(cache=True, nogil=True)
def best_intercept(kind, y, sums, intercept, weights, epsilon, width):
    """The intercept of the least loss: there the slopes add up to 0."""
    low, high, reach = -np.inf, np.inf, 1.0
    least = 1e-14 * weights.sum()
    for _ in range(_MOST_STEPS):
        total, curve = pull(kind, y, sums, intercept, weights, epsilon, width)
        if abs(total) <= least:
            break
        if total > 0:
            low = intercept
        else:
            high = intercept
        guess = intercept + total / curve if curve > 0 else np.inf
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
def dual_value(kind, y, alpha, weights, epsilon):
    """What slopes that add up to 0 prove about the least loss, before a norm is taken off."""
    gain, loss = 0.0, 0.0
    for i in range(len(y)):
        gain += y[i] * alpha[i]
        if kind >= EPSILON:
            gain -= epsilon * abs(alpha[i])
        if kind in (SQUARED_HINGE, SQUARED_EPSILON) and weights[i] > 0:
            loss += alpha[i] * (alpha[i] / (4.0 * weights[i]))
    return gain, loss
