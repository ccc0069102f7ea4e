"""The relaxation against the paper's cutting planes, and its bounds."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import linprog

from scrimp.learners.svm import relaxation as relaxation_module
from scrimp.learners.svm.duality import Iterate, balance, dual_bound
from scrimp.learners.svm.problem import LOSSES, SVMProblem
from scrimp.learners.svm.proximal_newton import ProximalNewton
from scrimp.learners.svm.relaxation import Relaxation, warm_start, zero_iterate
from scrimp.learners.svm.training import train_on_groups
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


def problem(X, y, loss, C):
    group_of = np.repeat(np.arange(len(GROUPS)), [len(own) for own in GROUPS])
    return SVMProblem(X, y[None], np.full(len(y), C), group_of, len(GROUPS), LOSSES[loss], 0.1)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("part", [0.1, 0.4, 1.0])
@pytest.mark.parametrize("C", [0.1, 3.0])
def test_it_is_as_good_as_the_papers_cutting_planes(loss, part, C):
    X, y = data(loss)
    budget = part * PRICES.sum()
    found = Relaxation(problem(X, y, loss, C), PRICES, TOL[loss], 100_000).solve(budget)
    twin = naive.relaxed(X, y, GROUPS, PRICES, budget, C, loss, tol=max(TOL[loss] / 10, 1e-6))
    assert found.gap <= TOL[loss]
    assert found.lower_bound <= twin.upper * (1 + 1e-9)
    assert found.objective >= twin.lower * (1 - 1e-9)
    assert found.objective == pytest.approx(twin.upper, rel=2 * TOL[loss])
    assert found.selection @ PRICES <= budget * (1 + 1e-9)
    assert ((found.selection >= 0) & (found.selection <= 1)).all()


@pytest.mark.parametrize("loss", LOSSES)
def test_dual_variables_sum_to_zero_because_the_intercept_is_free(loss):
    X, y = data(loss, 4)
    own = problem(X, y, loss, 2.0)
    sums = 3.0 * X[:, :1].T - 1.0
    intercepts = own.best_intercepts(sums, np.zeros(1), 0.1)
    alpha = own.losses(sums, intercepts, 0.1).alpha
    assert abs(alpha.sum()) < 1e-9 * np.abs(alpha).sum()


def test_dual_variables_that_do_not_sum_to_zero_are_balanced():
    alpha = np.random.default_rng(0).normal(0.1, 1.0, size=(3, 50))
    even = balance(alpha)
    np.testing.assert_allclose(even.sum(axis=1), 0.0, atol=1e-12)
    assert (np.abs(even) <= np.abs(alpha)).all()
    assert (np.sign(even) == np.sign(alpha)).all()
    np.testing.assert_allclose(balance(even), even)
    assert not balance(np.zeros((2, 5))).any()


@pytest.mark.parametrize("loss", LOSSES)
def test_the_objective_falls_and_the_bound_rises(loss):
    X, y = data(loss, 1)
    found = Relaxation(problem(X, y, loss, 1.0), PRICES, 1e-4, 3000).solve(3.0)
    objectives, bounds = np.array(found.history).T
    assert (np.diff(objectives) <= 0).all()
    assert (np.diff(bounds) >= 0).all()
    assert (bounds[-1] <= objectives).all()


@pytest.mark.parametrize("loss", ["squared_hinge", "squared_epsilon_insensitive"])
def test_sparse_rows_and_a_warm_start_give_the_same(loss):
    X, y = data(loss, 2)
    X[np.abs(X) < 0.8] = 0.0
    dense = Relaxation(problem(X, y, loss, 1.0), PRICES, 1e-8, 100_000)
    thin = Relaxation(problem(sparse.csc_matrix(X), y, loss, 1.0), PRICES, 1e-8, 100_000)
    cold = dense.solve(4.0)
    assert thin.solve(4.0).objective == pytest.approx(cold.objective, rel=1e-7)
    warm = dense.solve(4.0, dense.solve(3.5))
    assert warm.objective == pytest.approx(cold.objective, rel=1e-7)
    rough = Relaxation(dense.problem, PRICES, 1e-5, 100_000)
    assert rough.solve(4.0, cold).n_steps < rough.solve(4.0).n_steps


def test_several_outputs_share_the_budget():
    """With a budget for everything they are as good as each alone."""
    X, _ = data("squared_hinge", 3)
    classes = np.argmax(X[:, [0, 2, 4]], axis=1)
    targets = np.where(classes == np.arange(3)[:, None], 1.0, -1.0)
    group_of = problem(X, targets[0], "squared_hinge", 1.0).group_of
    weights = np.ones(len(X))
    both = SVMProblem(X, targets, weights, group_of, len(GROUPS), LOSSES["squared_hinge"])
    found = Relaxation(both, PRICES, 1e-7, 50_000).solve(PRICES.sum())
    alone = [naive.svm(X, y, np.ones(8), 1.0, "squared_hinge").objective for y in targets]
    assert found.objective == pytest.approx(sum(alone), rel=1e-5)
    less = Relaxation(both, PRICES, 1e-5, 50_000).solve(3.0)
    assert less.gap <= 1e-5
    assert less.objective > found.objective


# Bounds


def dual_variables(rng, y, loss, C):
    """Any in their range that add up to 0: of either sign, or towards the label."""
    size = rng.uniform(0.0, C, len(y)) * (rng.random(len(y)) < 0.7)
    if loss.startswith("squared"):
        size = size * rng.choice([0.01, 1.0, 30.0])
    sides = np.sign(y - np.median(y)) if "epsilon" in loss else y
    return balance((size * sides)[None])[0]


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("C", [0.1, 3.0])
def test_a_bound_is_that_of_the_best_multiple_of_dual_variables(loss, C):
    X, y = data(loss, 5)
    own, rng = problem(X, y, loss, C), np.random.default_rng(6)
    most = 4.0 if loss.startswith("squared") else 0.0  # beyond 1 they could leave their domain
    multiples = np.append(0.0, 10 ** np.linspace(-4.0, most, 501))
    for budget in (0.4, 2.5):
        least = naive.relaxed(X, y, GROUPS, PRICES, budget, C, loss, tol=1e-5).upper
        for _ in range(3):
            alpha = dual_variables(rng, y, loss, C)
            gains = np.array([((alpha @ X[:, group]) ** 2).sum() for group in GROUPS])
            total_gain = -linprog(-gains, A_ub=[PRICES], b_ub=[budget], bounds=(0, 1)).fun
            proven = max(
                naive.dual_part(by * alpha, y, C, loss) - by**2 * total_gain / 2 for by in multiples
            )
            found = dual_bound(own, PRICES, budget, alpha[None])
            assert 0.0 <= found.value <= least * (1 + 1e-7)
            assert found.value == pytest.approx(proven, rel=1e-3)
            assert found.value >= proven * (1 - 1e-9)
            again = naive.dual_part(found.alpha[0], y, C, loss)
            assert again - found.gains @ found.selection / 2 == pytest.approx(found.value, rel=1e-9)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("max_iter", [1, 2])
@pytest.mark.parametrize("C", [1e-3, 1e3])
def test_a_gap_is_never_above_the_whole_objective(loss, max_iter, C):
    X, y = data(loss, 7)
    for budget in (0.0, 0.7, 4.0):
        found = Relaxation(problem(X, y, loss, C), PRICES, 1e-12, max_iter).solve(budget)
        least = naive.relaxed(X, y, GROUPS, PRICES, budget, C, loss, tol=1e-3, max_iter=30).upper
        assert 0.0 <= found.lower_bound <= least * (1 + 1e-7)
        assert -1e-12 <= found.gap <= 1.0
        assert all(0.0 <= low <= high * (1 + 1e-12) for high, low in found.history)


class _Unsteady(ProximalNewton):
    """Finds a descent of one rounding error at every step, as some problems allow for long."""

    def step(self, tol):
        moved = super().step(tol)
        self.n_steps += not moved
        return True


def test_steps_end_where_only_rounding_is_left_of_the_gap():
    loss = "squared_epsilon_insensitive"
    X, y = data(loss, n=600)
    own = problem(X, y, loss, 0.5)
    solver = _Unsteady(own, np.zeros(5), 1.0, zero_iterate(own))
    found = solver.solve(0.0, 10_000)
    assert found.gap <= 1e-12
    assert found.n_steps < 1_000


# Trainings


def by_gradient_steps(monkeypatch):
    limits = replace(relaxation_module.NEWTON_LIMITS, max_columns=-1)
    monkeypatch.setattr(relaxation_module, "NEWTON_LIMITS", limits)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("layout", [np.asarray, sparse.csc_matrix])
def test_gradient_steps_come_as_near_as_newtons(loss, layout, monkeypatch):
    X, y = data(loss, 13)
    newton = Relaxation(problem(X, y, loss, 1.0), PRICES, 1e-3, 20_000).solve(3.0)
    by_gradient_steps(monkeypatch)
    found = Relaxation(problem(layout(X), y, loss, 1.0), PRICES, 1e-3, 20_000).solve(3.0)
    assert found.gap <= 1e-3
    assert found.n_steps > newton.n_steps
    assert max(found.lower_bound, newton.lower_bound) <= min(found.objective, newton.objective)
    assert found.selection @ PRICES <= 3.0 * (1 + 1e-9)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("way", ["newton", "gradient", "sparse gradient"])
def test_a_training_ends_where_it_is_proven_to_be_useless(loss, way, monkeypatch):
    X, y = data(loss, 8)
    if way != "newton":
        by_gradient_steps(monkeypatch)
    own = problem(sparse.csc_matrix(X) if way.startswith("sparse") else X, y, loss, 1.0)
    groups, columns = np.array([0, 3, 4]), [0, 1, 6, 7]
    bought = np.isin(np.arange(8), columns).astype(float)
    least = naive.svm(X, y, bought, 1.0, loss).objective
    tol = TOL[loss]
    used, whole = train_on_groups(own, groups, zero_iterate(own), tol, 20_000)
    assert used.tolist() == columns
    assert least * (1 - 1e-9) <= whole.objective <= least * (1 + tol)
    assert least * (1 - 2 * tol) <= whole.lower_bound <= least * (1 + 1e-9)
    for part in (0.5, 0.9, 0.99):
        _, found = train_on_groups(own, groups, zero_iterate(own), tol, 20_000, cutoff=part * least)
        assert found.objective >= least * (1 - 1e-9)
        assert part * least <= found.lower_bound <= least * (1 + 1e-9)
        assert found.n_steps < whole.n_steps or part == 0.99
    _, useful = train_on_groups(own, groups, zero_iterate(own), tol, 20_000, cutoff=1.01 * least)
    assert useful.objective == whole.objective
    assert useful.n_steps == whole.n_steps


def value_of(own, X, y, point, prices, budget, loss):
    """Half the squared norm, at the best selection, and the loss at the best intercept."""
    norms = np.sqrt([(point.w[:, group] ** 2).sum() for group in GROUPS])
    sums = point.w @ X.T
    b = own.best_intercepts(sums, point.b, point.smoothing)
    loss_there = own.weights[0] * naive.total_loss(y, sums[0] + b[0], loss)
    if not prices.any():
        return (norms**2).sum() / 2 + loss_there
    rates = norms / np.sqrt(prices)
    low, high = 0.0, 1e12
    for _ in range(200):
        middle = (low + high) / 2
        spent = np.minimum(middle * rates, 1.0) @ prices
        low, high = (middle, high) if spent <= budget else (low, middle)
    selection = np.minimum(low * rates, 1.0)
    used = norms > 0
    return (norms[used] ** 2 / selection[used]).sum() / 2 + loss_there


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("is_free", [False, True])
@pytest.mark.parametrize("layout", [np.asarray, sparse.csc_matrix])
def test_a_start_is_never_worse_than_the_point_given(loss, is_free, layout):
    X, y = data(loss, 9)
    own = problem(layout(X), y, loss, 0.5)
    prices = np.zeros(5) if is_free else PRICES
    rng, better = np.random.default_rng(10), 0
    solved = Relaxation(own, PRICES, 1e-3, 20_000).solve(2.0)
    for trial in range(12):
        noise = rng.normal(size=(1, 8)) * rng.choice([0.0, 0.01, 0.3, 3.0])
        given = Iterate(solved.iterate.w + noise, solved.iterate.b, solved.iterate.smoothing)
        selections = rng.random((1 + trial % 2, 5))
        found = warm_start(own, prices, 2.0, given, solved.dual, *selections)
        before = value_of(own, X, y, given, prices, 2.0, loss)
        after = value_of(own, X, y, found, prices, 2.0, loss)
        assert after <= before * (1 + 1e-9)
        assert (found is given) == (after >= before * (1 - 1e-12))
        better += found is not given
    assert 0 < better < 12


@pytest.mark.parametrize("loss", LOSSES)
def test_a_solution_is_a_better_start_than_any_made_of_its_dual_variables(loss):
    X, y = data(loss, 11)
    own = problem(X, y, loss, 0.5)
    solved = Relaxation(own, PRICES, TOL[loss], 50_000).solve(3.0)
    rng = np.random.default_rng(12)
    for _ in range(5):
        found = warm_start(own, PRICES, 3.0, solved.iterate, solved.dual, *rng.random((2, 5)))
        assert found is solved.iterate
    nothing = Iterate(own.zeros(), solved.iterate.b, solved.iterate.smoothing)
    found = warm_start(own, PRICES, 3.0, nothing, solved.dual, solved.selection)
    assert value_of(own, X, y, found, PRICES, 3.0, loss) <= 1.05 * solved.objective


def test_a_path_does_not_keep_a_little_of_everything():
    """A start may be as good as asked for and yet buy some of each group."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 60))
    y = np.where(X[:, :10] @ np.ones(10) + 0.1 * rng.normal(size=300) > 0, 1.0, -1.0)
    own = SVMProblem(X, y[None], np.full(300, 0.01), np.arange(60), 60, LOSSES["squared_hinge"])
    relaxation = Relaxation(own, np.ones(60), 0.2, 1_000)
    before = relaxation.solve(5.0)
    for budget in (7.0, 9.0):
        found, alone = relaxation.solve(budget, before), relaxation.solve(budget)
        assert found.n_steps > 0
        assert (found.selection == 0).sum() >= (alone.selection == 0).sum() - 10
        before = found
