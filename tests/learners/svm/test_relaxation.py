"""The relaxation against the paper's cutting planes, and its bounds."""

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import linprog

from scrimp.learners.svm import minimum
from scrimp.learners.svm.descent import Point, balanced, bound_of
from scrimp.learners.svm.machine import LOSSES, Machine
from scrimp.learners.svm.minimum import minimise_on
from scrimp.learners.svm.relaxation import Relaxation
from scrimp.learners.svm.starts import best_start
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


# Bounds


def slopes(rng, y, loss, C):
    """Any in their range that add up to 0: of either sign, or towards the label."""
    size = rng.uniform(0.0, C, len(y)) * (rng.random(len(y)) < 0.7)
    if loss.startswith("squared"):
        size = size * rng.choice([0.01, 1.0, 30.0])
    sides = np.sign(y - np.median(y)) if "epsilon" in loss else y
    return balanced((size * sides)[None])[0]


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("C", [0.1, 3.0])
def test_a_bound_is_that_of_the_best_multiple_of_slopes(loss, C):
    X, y = data(loss, 5)
    own, rng = machine(X, y, loss, C), np.random.default_rng(6)
    most = 4.0 if loss.startswith("squared") else 0.0  # beyond 1 slopes could leave their range
    multiples = np.append(0.0, 10 ** np.linspace(-4.0, most, 501))
    for budget in (0.4, 2.5):
        least = naive.relaxed(X, y, GROUPS, PRICES, budget, C, loss, tol=1e-5).upper
        for _ in range(3):
            alpha = slopes(rng, y, loss, C)
            values = [((alpha @ X[:, group]) ** 2).sum() for group in GROUPS]
            worth = -linprog(-np.array(values), A_ub=[PRICES], b_ub=[budget], bounds=(0, 1)).fun
            proven = max(
                naive.dual_part(by * alpha, y, C, loss) - by**2 * worth / 2 for by in multiples
            )
            found = bound_of(own, PRICES, budget, alpha[None])
            assert 0.0 <= found.least <= least * (1 + 1e-7)
            assert found.least == pytest.approx(proven, rel=1e-3)
            assert found.least >= proven * (1 - 1e-9)
            again = naive.dual_part(found.alpha[0], y, C, loss)
            assert again - found.values @ found.shares / 2 == pytest.approx(found.least, rel=1e-9)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("max_iter", [1, 2])
@pytest.mark.parametrize("C", [1e-3, 1e3])
def test_a_gap_is_never_above_the_whole_objective(loss, max_iter, C):
    X, y = data(loss, 7)
    for budget in (0.0, 0.7, 4.0):
        found = Relaxation(machine(X, y, loss, C), PRICES, 1e-12, max_iter).solve(budget)
        least = naive.relaxed(X, y, GROUPS, PRICES, budget, C, loss, tol=1e-3, max_iter=30).upper
        assert 0.0 <= found.bound <= least * (1 + 1e-7)
        assert -1e-12 <= found.gap <= 1.0
        assert all(0.0 <= low <= high * (1 + 1e-12) for high, low in found.history)


# Trainings


def by_gradient_steps(monkeypatch):
    monkeypatch.setattr(minimum, "NEWTON_COLUMNS", -1)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("layout", [np.asarray, sparse.csc_matrix])
def test_gradient_steps_come_as_near_as_newtons(loss, layout, monkeypatch):
    X, y = data(loss, 13)
    newton = Relaxation(machine(X, y, loss, 1.0), PRICES, 1e-3, 20_000).solve(3.0)
    by_gradient_steps(monkeypatch)
    found = Relaxation(machine(layout(X), y, loss, 1.0), PRICES, 1e-3, 20_000).solve(3.0)
    assert found.gap <= 1e-3
    assert found.steps > newton.steps
    assert max(found.bound, newton.bound) <= min(found.objective, newton.objective)
    assert found.shares @ PRICES <= 3.0 * (1 + 1e-9)


def nothing_yet(own):
    return Point(own.zeros(), np.zeros(1), 0.5 if own.is_kinked else 0.0)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("way", ["newton", "gradient", "sparse gradient"])
def test_a_training_ends_where_it_is_proven_to_be_useless(loss, way, monkeypatch):
    X, y = data(loss, 8)
    if way != "newton":
        by_gradient_steps(monkeypatch)
    own = machine(sparse.csc_matrix(X) if way.startswith("sparse") else X, y, loss, 1.0)
    groups, columns = np.array([0, 3, 4]), [0, 1, 6, 7]
    bought = np.isin(np.arange(8), columns).astype(float)
    least = naive.svm(X, y, bought, 1.0, loss).objective
    tol = TOL[loss]
    used, whole = minimise_on(own, groups, nothing_yet(own), tol, 20_000)
    assert used.tolist() == columns
    assert least * (1 - 1e-9) <= whole.objective <= least * (1 + tol)
    assert least * (1 - 2 * tol) <= whole.bound <= least * (1 + 1e-9)
    for part in (0.5, 0.9, 0.99):
        _, found = minimise_on(own, groups, nothing_yet(own), tol, 20_000, useless=part * least)
        assert found.objective >= least * (1 - 1e-9)
        assert part * least <= found.bound <= least * (1 + 1e-9)
        assert found.steps < whole.steps or part == 0.99
    _, useful = minimise_on(own, groups, nothing_yet(own), tol, 20_000, useless=1.01 * least)
    assert useful.objective == whole.objective
    assert useful.steps == whole.steps


def value_of(own, X, y, point, prices, budget, loss):
    """Half the squared norm, at the best shares, and the loss at the best intercept."""
    norms = np.sqrt([(point.w[:, group] ** 2).sum() for group in GROUPS])
    sums = point.w @ X.T
    b = own.intercepts(sums, point.b, point.width)
    loss_there = own.weights[0] * naive.total_loss(y, sums[0] + b[0], loss)
    if not prices.any():
        return (norms**2).sum() / 2 + loss_there
    rates = norms / np.sqrt(prices)
    low, high = 0.0, 1e12
    for _ in range(200):
        middle = (low + high) / 2
        spent = np.minimum(middle * rates, 1.0) @ prices
        low, high = (middle, high) if spent <= budget else (low, middle)
    shares = np.minimum(low * rates, 1.0)
    used = norms > 0
    return (norms[used] ** 2 / shares[used]).sum() / 2 + loss_there


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("is_free", [False, True])
@pytest.mark.parametrize("layout", [np.asarray, sparse.csc_matrix])
def test_a_start_is_never_worse_than_the_point_given(loss, is_free, layout):
    X, y = data(loss, 9)
    own = machine(layout(X), y, loss, 0.5)
    prices = np.zeros(5) if is_free else PRICES
    rng, better = np.random.default_rng(10), 0
    solved = Relaxation(own, PRICES, 1e-3, 20_000).solve(2.0)
    for trial in range(12):
        noise = rng.normal(size=(1, 8)) * rng.choice([0.0, 0.01, 0.3, 3.0])
        given = Point(solved.point.w + noise, solved.point.b, solved.point.width)
        shares = rng.random((1 + trial % 2, 5))
        found = best_start(own, prices, 2.0, given, solved.proof, *shares)
        before = value_of(own, X, y, given, prices, 2.0, loss)
        after = value_of(own, X, y, found, prices, 2.0, loss)
        assert after <= before * (1 + 1e-9)
        assert (found is given) == (after >= before * (1 - 1e-12))
        better += found is not given
    assert 0 < better < 12


@pytest.mark.parametrize("loss", LOSSES)
def test_a_solution_is_a_better_start_than_any_made_of_its_slopes(loss):
    X, y = data(loss, 11)
    own = machine(X, y, loss, 0.5)
    solved = Relaxation(own, PRICES, TOL[loss], 50_000).solve(3.0)
    rng = np.random.default_rng(12)
    for _ in range(5):
        found = best_start(own, PRICES, 3.0, solved.point, solved.proof, *rng.random((2, 5)))
        assert found is solved.point
    nothing = Point(own.zeros(), solved.point.b, solved.point.width)
    found = best_start(own, PRICES, 3.0, nothing, solved.proof, solved.shares)
    assert value_of(own, X, y, found, PRICES, 3.0, loss) <= 1.05 * solved.objective


def test_a_path_does_not_keep_a_little_of_everything():
    """A start may be as good as asked for and yet buy some of each group."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 60))
    y = np.where(X[:, :10] @ np.ones(10) + 0.1 * rng.normal(size=300) > 0, 1.0, -1.0)
    own = Machine(X, y[None], np.full(300, 0.01), np.arange(60), 60, LOSSES["squared_hinge"])
    relaxation = Relaxation(own, np.ones(60), 0.2, 1_000)
    before = relaxation.solve(5.0)
    for budget in (7.0, 9.0):
        found, alone = relaxation.solve(budget, before), relaxation.solve(budget)
        assert found.steps > 0
        assert (found.shares == 0).sum() >= (alone.shares == 0).sum() - 10
        before = found
