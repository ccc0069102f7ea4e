"""Accelerated proximal gradient steps (FISTA) for linear SVMs under a budget.

The columns of a group are adjacent: group m has those from `group_starts[m]` to
`group_starts[m + 1]`, and `groups` lists the active groups; no others are read or written. The
table is given by columns, dense or CSC: `columns` (columns, rows), or `data`, `indices` and
`indptr`; the other representation is empty. "Gradient" is short for the negative gradient of the
loss in the coefficients, X' alpha, where alpha are the dual variables.
"""

from __future__ import annotations

import numpy as np

from .copying import copy_rows_to, copy_to
from .jit import njit
from .knapsacks import proximal_selection
from .svm_losses import best_intercept, losses

#: Relative slack of the test for sufficient decrease, as losses carry rounding errors.
_ROUNDING = 1e-10
#: Backtracking: factor of the curvature estimate after a step that was too long. A larger factor
#: needs fewer trials, and ends with shorter steps.
_INCREASE = 2.0
#: Factor of the curvature estimate after each step, so that steps can become longer again.
_DECREASE = 0.9


@njit(cache=True, nogil=True, inline="always")
def add_column(columns, data, indices, indptr, j, coefficient, z):
    """Add a column times a coefficient to z."""
    if len(indptr) == 0:
        column = columns[j]
        for i in range(len(z)):
            z[i] += coefficient * column[i]
    else:
        for p in range(indptr[j], indptr[j + 1]):
            z[indices[p]] += coefficient * data[p]


@njit(cache=True, nogil=True, inline="always")
def column_dot(columns, data, indices, indptr, j, alpha):
    """Return the dot product of a column and the dual variables."""
    if len(indptr) == 0:
        return np.dot(columns[j], alpha)
    total = 0.0
    for p in range(indptr[j], indptr[j + 1]):
        total += alpha[indices[p]] * data[p]
    return total


@njit(cache=True, nogil=True)
def linear_scores(columns, data, indices, indptr, groups, group_starts, w, z):
    """Write X w, over the active groups."""
    z[:] = 0.0
    for m in groups:
        for k in range(w.shape[0]):
            for j in range(group_starts[m], group_starts[m + 1]):
                if w[k, j] != 0.0:
                    add_column(columns, data, indices, indptr, j, w[k, j], z[k])


@njit(cache=True, nogil=True)
def squared_group_norms(groups, group_starts, w, squares):
    """Write the squared norm of the coefficients of each active group."""
    for m in groups:
        total = 0.0
        for k in range(w.shape[0]):
            for j in range(group_starts[m], group_starts[m + 1]):
                total += w[k, j] * w[k, j]
        squares[m] = total


@njit(cache=True, nogil=True)
def squared_gradient_norms(columns, data, indices, indptr, groups, group_starts, alpha, squares):
    """Write the squared norm of the gradient of each active group, ||X_m' alpha||^2."""
    for m in groups:
        total = 0.0
        for k in range(alpha.shape[0]):
            for j in range(group_starts[m], group_starts[m + 1]):
                total += column_dot(columns, data, indices, indptr, j, alpha[k]) ** 2
        squares[m] = total


@njit(cache=True, nogil=True)
def group_gradients(
    columns, data, indices, indptr, groups, group_starts, alpha, w, gradients, products
):
    """Write the gradients, and per active group the products w'w, w'g and g'g.

    From these products follows the norm of w + step * g for a step of any size.
    """
    products[:] = 0.0
    for place, m in enumerate(groups):
        for k in range(alpha.shape[0]):
            for j in range(group_starts[m], group_starts[m + 1]):
                g, value = column_dot(columns, data, indices, indptr, j, alpha[k]), w[k, j]
                gradients[k, j] = g
                products[0, place] += value * value
                products[1, place] += value * g
                products[2, place] += g * g


@njit(cache=True, nogil=True)
def loss_at_best_intercepts(kind, targets, z, b, weights, epsilon, smoothing, alpha):
    """Write the best intercepts and the dual variables there; return the smoothed loss."""
    total = 0.0
    for k in range(len(b)):
        b[k] = best_intercept(kind, targets[k], z[k], b[k], weights, epsilon, smoothing)
        total += losses(kind, targets[k], z[k], b[k], weights, epsilon, smoothing, alpha[k])[0]
    return total


@njit(cache=True, nogil=True)
def proximal_gradient_steps(
    columns, data, indices, indptr, kind, targets, weights, epsilon, smoothing, groups,
    group_starts, prices, scales, budget, offsets, w, z, b, w_ahead, z_ahead, b_ahead, gradients,
    new, state, n_steps,
):  # fmt: skip
    """Take accelerated proximal gradient steps with backtracking and adaptive restart.

    Parameters
    ----------
    prices, scales : float arrays (active groups,)
        Prices, and the relative curvature per group, by which its steps are divided.
    offsets : float array (outputs, rows)
        Added to the scores: the shift of the augmented Lagrangian.
    w, z, b, w_ahead, z_ahead, b_ahead : float arrays
        Coefficients, scores without intercepts, and intercepts, of the iterate and of the
        extrapolated point. Overwritten.
    gradients, new : float arrays like w
        Work space.
    state : float array (3,)
        Momentum, curvature estimate, scale of the selection. Overwritten.
    """
    alpha, new_alpha = np.empty_like(z), np.empty_like(z)
    new_z, new_b, products = np.empty_like(z), b.copy(), np.empty((3, len(groups)))
    for _ in range(n_steps):
        loss = loss_at_best_intercepts(
            kind, targets, z_ahead, b_ahead, weights, epsilon, smoothing, alpha
        )  # fmt: skip
        group_gradients(
            columns, data, indices, indptr, groups, group_starts, alpha, w_ahead, gradients,
            products,
        )  # fmt: skip
        while True:
            steps = 1.0 / (state[1] * scales)
            factors, state[2] = shrinkage_factors(products, prices, steps, budget, state[2])
            model_change, turn = proximal_step(
                columns, data, indices, indptr, groups, group_starts, w_ahead, gradients, w, steps,
                factors, new, offsets, new_z,
            )  # fmt: skip
            copy_to(new_b, b_ahead)
            new_loss = loss_at_best_intercepts(
                kind, targets, new_z, new_b, weights, epsilon, smoothing, new_alpha
            )  # fmt: skip
            if new_loss <= loss + model_change + _ROUNDING * abs(loss):
                break
            state[1] *= _INCREASE
        state[1] *= _DECREASE
        state[0] = extrapolate(
            groups, group_starts, w, z, w_ahead, z_ahead, new, new_z, turn, state[0]
        )  # fmt: skip
        copy_to(b, new_b)
        copy_to(b_ahead, new_b)


@njit(cache=True, nogil=True)
def shrinkage_factors(products, prices, steps, budget, scale):
    """Return the factor by which the proximal operator shrinks each group, and the scale."""
    norms, selection = np.empty(len(prices)), np.empty(len(prices))
    for m in range(len(prices)):
        square = products[0, m] + steps[m] * (2.0 * products[1, m] + steps[m] * products[2, m])
        norms[m] = np.sqrt(max(square, 0.0))
    scale = proximal_selection(norms, prices, steps, budget, scale, selection)
    return selection / (steps + selection), scale


@njit(cache=True, nogil=True)
def proximal_step(
    columns, data, indices, indptr, groups, group_starts, w_ahead, gradients, w, steps, factors,
    new, offsets, new_z,
):  # fmt: skip
    """Write the point after a proximal gradient step from the extrapolated point, and its scores.

    Returns the change of the quadratic model of the loss, and a number above 0 if the step turns
    back from the direction of the last one.
    """
    model_change, turn = 0.0, 0.0
    copy_rows_to(new_z, offsets)
    for place, m in enumerate(groups):
        step, inverse, factor = steps[place], 1.0 / steps[place], factors[place]
        for k in range(w.shape[0]):
            for j in range(group_starts[m], group_starts[m + 1]):
                ahead, g = w_ahead[k, j], gradients[k, j]
                value = (ahead + g * step) * factor
                move = value - ahead
                model_change += move * (0.5 * inverse * move - g)
                turn -= move * inverse * (value - w[k, j])
                new[k, j] = value
                if value != 0.0:
                    add_column(columns, data, indices, indptr, j, value, new_z[k])
    return model_change, turn


@njit(cache=True, nogil=True)
def extrapolate(groups, group_starts, w, z, w_ahead, z_ahead, new, new_z, turn, momentum):
    """Move to the new point and extrapolate beyond it; return the momentum.

    Adaptive restart (O'Donoghue and Candes 2015): no momentum where the direction turned back.
    """
    next_momentum = (1.0 + np.sqrt(1.0 + 4.0 * momentum * momentum)) / 2.0
    weight = (momentum - 1.0) / next_momentum
    if turn > 0.0:
        next_momentum, weight = 1.0, 0.0
    for k in range(w.shape[0]):
        for m in groups:
            for j in range(group_starts[m], group_starts[m + 1]):
                w_ahead[k, j] = new[k, j] + weight * (new[k, j] - w[k, j])
                w[k, j] = new[k, j]
        for i in range(z.shape[1]):
            z_ahead[k, i] = new_z[k, i] + weight * (new_z[k, i] - z[k, i])
            z[k, i] = new_z[k, i]
    return next_momentum
