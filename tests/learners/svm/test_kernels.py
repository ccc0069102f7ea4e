"""Steps of the solvers against plain numpy, written from the formulas."""

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import brentq

from scrimp.kernels.proximal_gradient import (
    linear_scores,
    proximal_gradient_steps,
    squared_gradient_norms,
    squared_group_norms,
)
from scrimp.kernels.proximal_newton import quadratic_step

GROUP_OF = np.array([0, 0, 1, 2, 2, 2, 3])
GROUP_STARTS = np.array([0, 2, 3, 6, 7])
PRICES = np.array([1.0, 2.0, 0.0, 3.0])
KINDS = {"hinge": 0, "squared_hinge": 1, "epsilon_insensitive": 2, "squared_epsilon_insensitive": 3}
SMOOTHING, EPSILON = 0.3, 0.1


def dual_variables(kind, y, f, weights):
    """Losses and minus their derivatives, with breakpoints smoothed by a parabola."""
    rest = y - f
    over, side = (1 - y * f, y) if kind <= 1 else (np.abs(rest) - EPSILON, np.sign(rest))
    over = np.maximum(over, 0.0)
    if kind in (1, 3):
        return weights @ over**2, 2 * weights * over * side
    near = over < SMOOTHING
    loss = np.where(near, over**2 / (2 * SMOOTHING), over - SMOOTHING / 2)
    return weights @ loss, weights * side * np.where(near, over / SMOOTHING, 1.0)


def at_best_intercept(kind, Y, Z, weights):
    """Losses, dual variables and intercepts of several outputs, each at its best intercept."""
    total, alphas, intercepts = 0.0, [], []
    for y, z in zip(Y, Z, strict=True):
        b = brentq(lambda b: dual_variables(kind, y, z + b, weights)[1].sum(), -50, 50, xtol=1e-14)  # noqa: B023
        loss, alpha = dual_variables(kind, y, z + b, weights)
        total += loss
        alphas.append(alpha)
        intercepts.append(b)
    return total, np.array(alphas), np.array(intercepts)


def proximal(P, steps, budget):
    """The least of sum_m |w_m - p_m|^2 / (2 t_m) + 1/2 min_d sum_m |w_m|^2 / d_m, by bisection.

    For given d it is at w_m = p_m d_m / (d_m + t_m), with the value 1/2 sum |p_m|^2 / (d_m + t_m).
    """
    norms = np.sqrt(np.array([(P[:, m == GROUP_OF] ** 2).sum() for m in range(len(PRICES))]))
    paid = np.where(PRICES > 0, PRICES, 1.0)

    def selection(rate):
        d = np.clip(norms / np.sqrt(rate * paid) - steps, 0.0, 1.0)
        return np.where(PRICES > 0, d, 1.0)

    low, high = 1e-30, 1e30
    if selection(low) @ PRICES > budget:
        for _ in range(100):
            rate = np.sqrt(low * high)
            low, high = (rate, high) if selection(rate) @ PRICES > budget else (low, rate)
    d = selection(high if selection(low) @ PRICES > budget else low)
    return P * (d / (d + steps))[GROUP_OF]


def accelerated(X, offsets, kind, Y, weights, scales, budget, n_steps):
    """Proximal gradient steps with momentum; w, intercepts and the bound on the curvature."""
    w = np.zeros((len(Y), X.shape[1]))
    ahead, momentum, curvature = w.copy(), 1.0, 1.0
    for _ in range(n_steps):
        loss, alpha, _ = at_best_intercept(kind, Y, ahead @ X.T + offsets, weights)
        gradients = alpha @ X
        while True:
            steps = 1 / (curvature * scales)
            new = proximal(ahead + gradients * steps[GROUP_OF], steps, budget)
            moved = new - ahead
            after, _, b = at_best_intercept(kind, Y, new @ X.T + offsets, weights)
            model = loss - (gradients * moved).sum() + (moved**2 / (2 * steps[GROUP_OF])).sum()
            if after <= model + 1e-10 * loss:
                break
            curvature *= 2.0
        curvature *= 0.9
        turned = ((ahead - new) * (new - w) * scales[GROUP_OF]).sum() > 0
        following = (1 + np.sqrt(1 + 4 * momentum**2)) / 2
        part, momentum = (0.0, 1.0) if turned else ((momentum - 1) / following, following)
        ahead, w = new + part * (new - w), new
    return w, b, curvature


def problem(kind, outputs, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(30, len(GROUP_OF))) * (rng.random((30, len(GROUP_OF))) < 0.7)
    Y = X @ rng.normal(size=(len(GROUP_OF), outputs)) + rng.normal(size=(30, outputs))
    Y = Y.T if kind > 1 else np.where(Y.T > 0, 1.0, -1.0)
    return X, np.ascontiguousarray(Y), rng.uniform(0.2, 2.0, 30)


def cells_of(X, layout):
    """A table as kernels take it."""
    if layout == "dense":
        none = np.empty(0, dtype=np.uint32)
        return np.ascontiguousarray(X.T), np.empty(0), none, none
    csc = sparse.csc_matrix(X)
    return np.empty((0, 0)), csc.data, csc.indices.view("u4"), csc.indptr.view("u4")


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
@pytest.mark.parametrize("outputs", [1, 3])
@pytest.mark.parametrize("layout", ["dense", "sparse"])
def test_gradient_steps_are_those_of_the_formulas(kind, outputs, layout):
    X, Y, weights = problem(kind, outputs)
    scales, n_steps = np.array([1.0, 0.5, 2.0, 1.5]), 12
    cells = cells_of(X, layout)
    for budget, offset in ((1.5, 0.0), (6.0, 0.0), (3.0, 0.2)):
        offsets = offset * np.random.default_rng(1).normal(size=Y.shape)
        w, z, b = np.zeros((outputs, len(GROUP_OF))), offsets.copy(), np.zeros(outputs)
        ahead, ahead_z, ahead_b, state = w.copy(), z.copy(), b.copy(), np.ones(3)
        proximal_gradient_steps(
            *cells, kind, Y, weights, EPSILON, SMOOTHING, np.arange(4), GROUP_STARTS, PRICES,
            scales, budget, offsets, w, z, b, ahead, ahead_z, ahead_b, np.empty_like(w),
            np.empty_like(w), state, n_steps,
        )  # fmt: skip
        expected, intercepts, curvature = accelerated(
            X, offsets, kind, Y, weights, scales, budget, n_steps
        )
        np.testing.assert_allclose(w, expected, atol=1e-7)
        np.testing.assert_allclose(b, intercepts, atol=1e-7)
        np.testing.assert_allclose(z, w @ X.T + offsets, atol=1e-9)
        assert state[1] == pytest.approx(curvature)
        assert np.abs(w).max() > 0.01


def stepped(cells, kind, Y, weights, groups, group_starts, prices, scales, start, n_steps=8):
    """All that steps from a start write, with state that are none where they should not."""
    w, ahead = start.copy(), start.copy()
    z, b = np.zeros_like(Y), np.zeros(len(Y))
    ahead_z, ahead_b, state = z.copy(), b.copy(), np.ones(3)
    gradients, new = np.full_like(w, np.nan), np.full_like(w, np.nan)
    proximal_gradient_steps(
        *cells, kind, Y, weights, EPSILON, SMOOTHING, groups, group_starts, prices, scales, 2.0,
        np.zeros_like(z), w, z, b, ahead, ahead_z, ahead_b, gradients, new, state, n_steps,
    )  # fmt: skip
    return w, ahead, gradients, new, z, b, state


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
@pytest.mark.parametrize("layout", ["dense", "sparse"])
@pytest.mark.parametrize("groups", [[0, 2], [3], [1, 2, 3]])
def test_groups_that_do_not_take_part_are_neither_read_nor_written(kind, layout, groups):
    X, Y, weights = problem(kind, 2, seed=1)
    scales, groups = np.array([1.0, 0.5, 2.0, 1.5]), np.array(groups)
    own = np.flatnonzero(np.isin(GROUP_OF, groups))
    others = np.setdiff1d(np.arange(len(GROUP_OF)), own)
    start = np.zeros((2, len(GROUP_OF)))
    start[:, others] = 7.0
    paid = PRICES[groups], scales[groups]
    *arrays, z, b, state = stepped(
        cells_of(X, layout), kind, Y, weights, groups, GROUP_STARTS, *paid, start
    )
    group_starts = np.concatenate([[0], np.cumsum(np.diff(GROUP_STARTS)[groups])])
    alone = cells_of(X[:, own], layout)
    *expected, other_z, other_b, other_state = stepped(
        alone, kind, Y, weights, np.arange(len(groups)), group_starts, *paid, start[:, own]
    )
    for found, other, kept in zip(arrays, expected, [7.0, 7.0, np.nan, np.nan], strict=True):
        np.testing.assert_array_equal(found[:, others], kept)
        np.testing.assert_allclose(found[:, own], other, atol=1e-12)
    np.testing.assert_allclose(z, other_z, atol=1e-12)
    np.testing.assert_allclose(z, arrays[0][:, own] @ X[:, own].T, atol=1e-10)
    np.testing.assert_allclose(b, other_b, atol=1e-12)
    np.testing.assert_allclose(state, other_state)
    assert np.abs(arrays[0][:, own]).max() > 0.01


@pytest.mark.parametrize("layout", ["dense", "sparse"])
@pytest.mark.parametrize("outputs", [1, 3])
@pytest.mark.parametrize("groups", [[], [2], [0, 3], [3, 1, 0, 2]])
def test_sums_and_squares_of_some_groups_are_those_of_numpy(layout, outputs, groups):
    X, Y, _ = problem(2, outputs, seed=2)
    rng, cells, groups = np.random.default_rng(3), cells_of(X, layout), np.array(groups, np.intp)
    own, part = np.isin(GROUP_OF, groups), np.isin(np.arange(4), groups)
    w, alpha = rng.normal(size=(outputs, len(GROUP_OF))), rng.normal(size=Y.shape)
    w[0, 4] = 0.0
    z = np.full_like(Y, np.nan)
    linear_scores(*cells, groups, GROUP_STARTS, w, z)
    np.testing.assert_allclose(z, w[:, own] @ X[:, own].T, atol=1e-12)

    def squares(values):
        sums = [(values[:, m == GROUP_OF] ** 2).sum() for m in range(4)]
        return np.where(part, sums, -1.0)

    found = np.full(4, -1.0)
    squared_group_norms(groups, GROUP_STARTS, w, found)
    np.testing.assert_allclose(found, squares(w))
    found = np.full(4, -1.0)
    squared_gradient_norms(*cells, groups, GROUP_STARTS, alpha, found)
    np.testing.assert_allclose(found, squares(alpha @ X))


@pytest.mark.parametrize("outputs", [1, 2])
@pytest.mark.parametrize("budget", [0.7, 3.0, 10.0])
@pytest.mark.parametrize("seed", range(2))
def test_a_quadratic_step_ends_where_many_plain_ones_do(outputs, budget, seed):
    rng = np.random.default_rng(seed)
    d = len(GROUP_OF)
    roots = rng.normal(size=(outputs, d, 10))
    hessians = roots @ roots.transpose(0, 2, 1) + np.eye(d)
    gradients, w = 5 * rng.normal(size=(outputs, d)), rng.normal(size=(outputs, d))
    v = np.empty_like(w)
    taken = quadratic_step(hessians, gradients, w, GROUP_OF, PRICES, budget, 1e-10, 5_000, v)
    assert taken < 5_000
    expected = w.copy()
    step = 1 / max(np.linalg.norm(own, 2) for own in hessians)
    for _ in range(3_000):
        bent = np.einsum("kij,kj->ki", hessians, expected - w)
        new = proximal(expected + step * (gradients - bent), np.full(len(PRICES), step), budget)
        still = np.abs(new - expected).max() < 1e-12
        expected = new
        if still:
            break
    np.testing.assert_allclose(v, expected, atol=1e-6)
    assert np.abs(v - w).max() > 0.01
