"""The relaxation against the paper's cutting planes, and its bounds."""

import numpy as np
import pytest
from scipy import sparse

from scrimp.svm.descent import balanced
from scrimp.svm.machine import LOSSES, Machine
from scrimp.svm.relaxation import Relaxation
from tests.naive import ltb as naive

GROUPS = [[0, 1], [2], [3, 4, 5], [6], [7]]
PRICES = np.array([2.0, 1.0, 3.0, 0.5, 1.5])
TOL = {"squared_hinge": 1e-6, "squared_epsilon_insensitive": 1e-6, "hinge": 1e-3,
       "epsilon_insensitive": 1e-3}  # fmt: skip


def data(loss, seed=0, n=40):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 8))
    signal = X @ [1.0, -1.0, 0.5, 0.0, 1.0, 0.0, 0.3, 0.0] + 0.5 + 0.3 * rng.normal(size=n)
    return X, signal if "epsilon" in loss else np.where(signal > 0, 1.0, -1.0)


def machine(X, y, loss, C):
    group_of = np.repeat(np.arange(len(GROUPS)), [len(own) for own in GROUPS])
    return Machine(X, y[None], np.full(len(y), C), group_of, len(GROUPS), LOSSES[loss], 0.1)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("part", [0.1, 0.4, 1.0])
@pytest.mark.parametrize("C", [0.1, 3.0])
def test_it_is_as_good_as_the_papers_cutting_planes(loss, part, C):
    X, y = data(loss)
    budget = part * PRICES.sum()
    found = Relaxation(machine(X, y, loss, C), PRICES, TOL[loss], 100_000).solve(budget)
    twin = naive.relaxed(X, y, GROUPS, PRICES, budget, C, loss, tol=max(TOL[loss] / 10, 1e-6))
    assert found.gap <= TOL[loss]
    assert found.bound <= twin.upper * (1 + 1e-9)
    assert found.objective >= twin.lower * (1 - 1e-9)
    assert found.objective == pytest.approx(twin.upper, rel=2 * TOL[loss])
    assert found.shares @ PRICES <= budget * (1 + 1e-9)
    assert ((found.shares >= 0) & (found.shares <= 1)).all()


@pytest.mark.parametrize("loss", LOSSES)
def test_slopes_add_up_to_nothing_because_the_intercept_is_free(loss):
    X, y = data(loss, 4)
    own = machine(X, y, loss, 2.0)
    sums = 3.0 * X[:, :1].T - 1.0
    intercepts = own.intercepts(sums, np.zeros(1), 0.1)
    alpha = own.losses(sums, intercepts, 0.1)[2]
    assert abs(alpha.sum()) < 1e-9 * np.abs(alpha).sum()


def test_slopes_that_do_not_add_up_to_nothing_are_made_to():
    alpha = np.random.default_rng(0).normal(0.1, 1.0, size=(3, 50))
    even = balanced(alpha)
    np.testing.assert_allclose(even.sum(axis=1), 0.0, atol=1e-12)
    assert (np.abs(even) <= np.abs(alpha)).all()
    assert (np.sign(even) == np.sign(alpha)).all()
    np.testing.assert_allclose(balanced(even), even)
    assert not balanced(np.zeros((2, 5))).any()


@pytest.mark.parametrize("loss", LOSSES)
def test_the_objective_falls_and_the_bound_rises(loss):
    X, y = data(loss, 1)
    found = Relaxation(machine(X, y, loss, 1.0), PRICES, 1e-4, 3000).solve(3.0)
    objectives, bounds = np.array(found.history).T
    assert (np.diff(objectives) <= 0).all()
    assert (np.diff(bounds) >= 0).all()
    assert (bounds[-1] <= objectives).all()


@pytest.mark.parametrize("loss", ["squared_hinge", "squared_epsilon_insensitive"])
def test_sparse_rows_and_a_warm_start_give_the_same(loss):
    X, y = data(loss, 2)
    X[np.abs(X) < 0.8] = 0.0
    dense = Relaxation(machine(X, y, loss, 1.0), PRICES, 1e-8, 100_000)
    thin = Relaxation(machine(sparse.csc_matrix(X), y, loss, 1.0), PRICES, 1e-8, 100_000)
    cold = dense.solve(4.0)
    assert thin.solve(4.0).objective == pytest.approx(cold.objective, rel=1e-7)
    warm = dense.solve(4.0, dense.solve(3.5))
    assert warm.objective == pytest.approx(cold.objective, rel=1e-7)
    rough = Relaxation(dense.machine, PRICES, 1e-5, 100_000)
    assert rough.solve(4.0, cold).steps < rough.solve(4.0).steps


def test_machines_side_by_side_share_the_budget():
    """With a budget for everything they are as good as each alone."""
    X, _ = data("squared_hinge", 3)
    classes = np.argmax(X[:, [0, 2, 4]], axis=1)
    targets = np.where(classes == np.arange(3)[:, None], 1.0, -1.0)
    group_of = machine(X, targets[0], "squared_hinge", 1.0).group_of
    weights = np.ones(len(X))
    both = Machine(X, targets, weights, group_of, len(GROUPS), LOSSES["squared_hinge"])
    found = Relaxation(both, PRICES, 1e-7, 50_000).solve(PRICES.sum())
    alone = [naive.svm(X, y, np.ones(8), 1.0, "squared_hinge").objective for y in targets]
    assert found.objective == pytest.approx(sum(alone), rel=1e-5)
    less = Relaxation(both, PRICES, 1e-5, 50_000).solve(3.0)
    assert less.gap <= 1e-5
    assert less.objective > found.objective
