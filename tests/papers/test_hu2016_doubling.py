"""Sequences that may be cut off at any budget, on generated problems."""

from itertools import combinations

import numpy as np
import pytest

from papers.hu2016.doubling import (
    RIDGE,
    SHARES,
    Problem,
    Sets,
    draw_problem,
    reach,
    smallest_factor,
    trial,
    verdicts,
)
from scrimp import Costs, SequencedRegressor
from tests.naive import sequencing


@pytest.mark.parametrize("seed", range(5))
def test_the_best_sets_are_those_of_the_naive_twin(seed):
    problem = draw_problem(np.random.default_rng(seed))
    groups = [np.flatnonzero(problem.labels == g) for g in range(len(problem.prices))]
    sets = Sets(problem)
    for price in (1.0, 2.5, 0.4 * problem.prices.sum(), problem.prices.sum()):
        best = 2 * sequencing.best_subset(
            problem.X, problem.y[:, None], groups, problem.prices, RIDGE, price
        )
        assert sets.best(price) == pytest.approx(best)


@pytest.mark.parametrize("seed", range(20))
def test_no_purchase_has_to_more_than_double_the_cost(seed):
    problem = draw_problem(np.random.default_rng(seed))
    costs = Costs.per_group(problem.labels, problem.prices.tolist())
    model = SequencedRegressor(costs, doubling=True, alpha=RIDGE).fit(problem.X, problem.y)
    assert model.doubled_
    assert model.sequence_bounds().doubling_factor is not None


@pytest.mark.parametrize("share", SHARES)
def test_no_budget_is_worse_than_the_worst_one_found(share):
    problem = draw_problem(np.random.default_rng(3))
    sets = Sets(problem)
    spent = np.array([0.0, *np.cumsum(np.sort(problem.prices))])
    explained = np.linspace(0.0, 0.3, len(spent))
    worst = sets.worst_fraction(spent, explained, share)
    budgets = np.linspace(share, share * problem.prices.sum(), 20_000)
    parts = [explained[np.searchsorted(spent, b + 1e-9, side="right") - 1]
             / sets.best(b / share) for b in budgets]  # fmt: skip
    assert worst <= min(parts) + 1e-12
    assert worst == pytest.approx(min(parts), abs=1e-3)


def test_what_is_dear_and_good_comes_too_late_without_the_right_order():
    X = np.linalg.qr(np.random.default_rng(0).normal(size=(100, 2)))[0]
    problem = Problem(X, X @ [0.1, 1.0], np.arange(2), np.array([1.0, 8.0]))
    part = Sets(problem).worst_fraction(np.array([0.0, 8.0, 9.0]), np.array([0.0, 0.9, 1.0]), 4.0)
    assert part == 0.0  # at a budget of 4 nothing is bought, and the best set of 1 is something


def test_reach_is_that_of_the_best_of_all_sequences():
    """Whole prices from 1 to n: all increasing sequences that end at n, by enumeration."""
    for n in range(2, 13):
        factors = []
        for k in range(n):
            for first in combinations(range(1, n), k):
                items = [*first, n]
                spent = np.cumsum(items)
                before = np.array([1, *items[:-1]])
                factors.append(float((spent / before).max()))
        assert smallest_factor(n) <= min(factors) + 1e-9
        assert min(factors) < 4.0
    assert min(factors) - smallest_factor(12) < 0.5  # whole prices cost a little more
    assert reach(2.0) == 2.0
    assert reach(3.0) == pytest.approx(9.0)


def test_only_a_factor_of_four_goes_on_for_ever():
    assert np.isinf(reach(4.0))
    ends = [reach(factor) for factor in (3.0, 3.5, 3.9, 3.99)]
    assert np.isfinite(ends).all()
    assert sorted(ends) == ends
    for n in (10.0, 1e6):
        assert reach(smallest_factor(n)) >= n > reach(smallest_factor(n) - 1e-6)


def records(part, n=6):
    return [{"bound": 0.3, "doubling": [part, 0.2, 0.1], "greedy": [0.0, 0.0, 0.0]}] * n


def test_verdicts_follow_the_figures():
    assert [v.outcome for v in verdicts(records(0.9))] == ["confirmed", "confirmed"]
    broken = verdicts([*records(0.9), *records(0.2, n=1)])
    assert [v.outcome for v in broken] == ["refuted", "confirmed"]
    assert "in 6 of 7 generated problems" in broken[0].evidence
    few = verdicts(records(0.9, n=2))
    assert [v.outcome for v in few] == ["not decided", "confirmed"]  # the second is computed


def test_a_trial_draws_its_own_problem():
    one, same, other = (trial(None, None, np.random.default_rng(seed)) for seed in (0, 0, 1))
    assert one == same != other
    assert one["doubling"][0] >= one["bound"]
