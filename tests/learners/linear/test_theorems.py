"""The theorems of Hu (2019), chapter 3, on problems small enough to know the best set."""

import math

import numpy as np
import pytest

from scrimp import Costs, SequencedRegressor
from tests.naive import sequencing

from .test_naive_twin import problem


@pytest.mark.parametrize("criterion", ["forward", "omp"])
@pytest.mark.parametrize("seed", range(100))
def test_no_set_beats_the_bound_of_theorem_3_3_2(criterion, seed):
    X, Y, labels, groups, prices = problem(seed, n_groups=4 + seed % 3)
    prices = prices + 0.05  # what is free needs no bound
    costs = Costs.per_group(labels, dict(enumerate(prices)))
    alpha = [1e-5, 0.1][seed % 2]
    bounds = SequencedRegressor(costs, criterion, alpha=alpha).fit(X, Y).sequence_bounds()
    assert bounds.gamma == pytest.approx(sequencing.whitened_gamma(X, groups, alpha), abs=1e-8)
    for price in (0.3 * prices.sum(), 0.6 * prices.sum()):
        best = 2 * sequencing.best_subset(X, Y, groups, prices, alpha, price)
        assert best <= bounds.at_most(price) + 1e-9
        for spent, explained in zip(bounds.spent[1:], bounds.explained[1:], strict=True):
            assert explained >= bounds.factor(spent, price) * best - 1e-9


def test_columns_that_are_white_in_their_groups_have_the_gamma_that_the_theorem_states():
    rng = np.random.default_rng(0)
    X = np.linalg.qr(rng.normal(size=(200, 6)) - 0.0)[0]
    X = X - X.mean(axis=0)
    for group in (slice(0, 3), slice(3, 6)):  # white within groups, correlated between them
        if group.start:
            X[:, group] += 0.4 * X[:, :3]
        part = X[:, group] - X[:, group].mean(axis=0)
        X[:, group] = part @ np.linalg.inv(np.linalg.cholesky(part.T @ part / 200)).T
    alpha = 0.2
    costs = Costs.per_group([0, 0, 0, 1, 1, 1], [1.0, 1.0])
    bounds = SequencedRegressor(costs, alpha=alpha).fit(X, X @ np.ones(6)).sequence_bounds()
    least = np.linalg.eigvalsh(X.T @ X / 200)[0]
    assert bounds.gamma == pytest.approx((least + alpha) / (1 + alpha))


@pytest.mark.parametrize("seed", range(100))
def test_doubling_is_near_the_best_set_of_a_quarter_of_the_budget(seed):
    X, Y, labels, groups, prices = problem(seed, n_groups=4 + seed % 3)
    prices = prices + 0.05
    costs = Costs.per_group(labels, dict(enumerate(prices)))
    bounds = SequencedRegressor(costs, doubling=True, alpha=1e-3).fit(X, Y).sequence_bounds()
    if bounds.doubling_factor is None:
        assert "more than doubled" in bounds.reason
        return
    for budget in np.linspace(prices.min() * 1.01, prices.sum(), 12):
        ours = bounds.explained[np.searchsorted(bounds.spent, budget * (1 + 1e-9)) - 1]
        best = 2 * sequencing.best_subset(X, Y, groups, prices, 1e-3, budget / 4)
        assert ours >= bounds.doubling_factor * best - 1e-9


def test_the_hard_problem_where_only_doubling_is_near_the_best():
    """Eq. 3.16: item x costs x and is worth e^x; without doubling the dearest comes first."""
    n = 8
    rng = np.random.default_rng(0)
    X = np.linalg.qr(rng.normal(size=(400, n + 1)))[0]
    X = X - X.mean(axis=0)
    X = np.linalg.qr(X)[0][:, :n]
    y = X @ np.exp(np.arange(1, n + 1) / 2)  # e^x is the square of a coefficient
    prices = np.arange(1.0, n + 1)
    plain, doubled = (
        SequencedRegressor(prices, doubling=doubling, alpha=0.0).fit(X, y)
        for doubling in (False, True)
    )
    assert plain.sequence_[0] == "x7"
    assert doubled.sequence_[0] == "x0"
    assert plain.score(X, y, budget=4.0) == pytest.approx(0.0, abs=1e-9)
    assert doubled.score(X, y, budget=4.0) > 0.0
    worth = np.exp(prices) / np.exp(prices).sum()
    for budget in range(4, 37):
        best = worth[: budget // 4].max(initial=0.0)
        assert doubled.score(X, y, budget=budget) >= (1 - math.exp(-0.5)) * best


def test_bounds_say_what_they_are_not():
    X, Y, labels, _, prices = problem(0, n_groups=12)
    costs = Costs.per_group(labels, dict(enumerate(prices + 1.0)))
    with pytest.raises(ValueError, match="bounds hold for 'forward' and 'omp'"):
        SequencedRegressor(costs, "single").fit(X, Y).sequence_bounds()
    bounds = SequencedRegressor(costs).fit(X, Y).sequence_bounds()
    assert (bounds.doubling_factor, bounds.doubling_gamma) == (None, None)
    assert "doubling=True" in bounds.reason
    even = Costs.per_group(labels, dict.fromkeys(range(12), 1.0))
    bounds = SequencedRegressor(even, doubling=True).fit(X, Y).sequence_bounds()
    assert "all subsets of 12 groups; listed are those of 10" in bounds.reason


def test_bounds_of_theorem_3_3_2_are_for_orders_that_it_is_about():
    """They take the best group per price, whether it is cheap and whether there is room for it."""
    rng = np.random.default_rng(0)
    X = np.linalg.qr(rng.normal(size=(400, 4)))[0]
    X = np.linalg.qr(X - X.mean(axis=0))[0]
    y = X[:, :3] @ np.sqrt([1.0, 0.5, 1e-4])
    prices = [0.9, 0.3, 0.7]
    best = 1.0 / 1.5001  # of the first column alone, which costs 0.9
    plain = SequencedRegressor(prices).fit(X[:, :3], y).sequence_bounds()
    assert plain.gamma == pytest.approx(1.0, abs=1e-4)
    within = SequencedRegressor(prices, budget=1.0).fit(X[:, :3], y).sequence_bounds()
    assert within.spent[-1] == 1.0
    assert within.at_most(0.9) >= best
    assert "budget passes over" in within.reason
    doubled = SequencedRegressor([0.2, 0.1, 0.1], doubling=True).fit(X[:, :3], y).sequence_bounds()
    assert doubled.at_most(0.2) >= best
    assert doubled.doubling_factor is not None


def test_bounds_know_that_fees_are_shared():
    rng = np.random.default_rng(0)
    X = np.linalg.qr(rng.normal(size=(400, 6)))[0]
    X = np.linalg.qr(X - X.mean(axis=0))[0]
    y = X @ np.sqrt([1.0, 1.0, 1.0, 1.0, 0.3, 0.25])
    names = ("fee", "a", "b", "c", "d", "e", "f")
    prices = (5.0, 0.1, 0.1, 0.1, 0.1, 1.0, 1.0)
    requires = ((), (0,), (0,), (0,), (0,), (), ())
    costs = Costs(names, prices, ((), *((j,) for j in range(6))), requires)
    bounds = SequencedRegressor(costs).fit(X, y).sequence_bounds()
    assert bounds.at_most(5.4) >= 4.0 / 4.55  # the fee and the four that share it
    assert "add up" in bounds.reason


def test_what_is_free_explains_what_all_of_it_does():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3))
    bounds = SequencedRegressor([0.0, 0.0, 1.0]).fit(X, X.sum(axis=1)).sequence_bounds()
    assert bounds.at_most(0.0) >= bounds.explained[2]
