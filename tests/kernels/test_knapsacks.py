"""Fractional selections of groups under a budget, against linear programs and plain searches."""

from fractions import Fraction

import numpy as np
import pytest
from scipy.optimize import linprog, minimize

from scrimp.kernels.knapsacks import fractional_knapsack, norm_selection, proximal_selection


def problem(seed, n=7):
    rng = np.random.default_rng(seed)
    prices = rng.choice([0.0, 1.0, 2.5, 4.0], n)
    values = rng.exponential(size=n) * (rng.random(n) > 0.2)
    return values, prices, rng.uniform(0.0, prices.sum() + 0.5)


@pytest.mark.parametrize("seed", range(20))
def test_the_most_valuable_shares_are_those_of_the_linear_program(seed):
    values, prices, budget = problem(seed)
    selection = np.empty(len(values))
    total = fractional_knapsack(values, prices, budget, selection)
    best = linprog(-values, A_ub=[prices], b_ub=[budget], bounds=(0, 1))
    assert total == pytest.approx(-best.fun, rel=1e-9, abs=1e-12)
    assert selection @ values == pytest.approx(total)
    assert selection @ prices <= budget * (1 + 1e-12)
    assert ((selection >= 0) & (selection <= 1)).all()


@pytest.mark.parametrize("n", [1, 2, 10, 60, 500])
def test_of_many_groups_of_equal_density_some_are_bought_in_full_and_one_in_part(n):
    for seed in range(60):
        rng = np.random.default_rng([seed, n])
        prices = rng.choice([0.0, 0.1, 0.3, 0.7, 2.5], n)
        density = rng.choice([0.0, 1 / 3, 1.0, 7.7], n)
        values = density * np.where(prices > 0, prices, 1.0)
        budget = rng.choice([0.0, rng.uniform(0.0, prices.sum()), 0.1 * rng.integers(0, n + 1)])
        selection, expected, left = np.empty(n), 0.0, budget
        for m in np.lexsort((-density, prices > 0)):
            part = min(left / prices[m], 1.0) if prices[m] > 0 else 1.0
            expected, left = expected + part * values[m], max(left - part * prices[m], 0.0)
        total = fractional_knapsack(values, prices, budget, selection)
        assert total == pytest.approx(expected, rel=1e-9)
        assert selection @ prices <= budget * (1 + 1e-12)
        assert ((selection >= 0) & (selection <= 1)).all()
        assert (selection[prices == 0] == 1).all()
        assert ((selection > 1e-12) & (selection < 1 - 1e-12)).sum() <= 1


def least(norms, prices, budget, step):
    """Of sum norms**2 / (step + selection), by a general method."""
    n = len(norms)
    found = minimize(
        lambda d: (norms**2 / (step + d)).sum(), np.full(n, min(1.0, budget / prices.sum())),
        bounds=[(0.0, 1.0)] * n, method="SLSQP", options={"maxiter": 500, "ftol": 1e-14},
        constraints={"type": "ineq", "fun": lambda d: budget - prices @ d},
    )  # fmt: skip
    return found.fun


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("step", [0.05, 0.7])
def test_proximal_selections_are_of_the_least_sum(seed, step):
    norms, prices, budget = problem(seed)
    norms, prices, budget = norms + 0.01, prices + 0.3, budget + 0.2
    selection = np.empty(len(norms))
    for scale in (1e-6, 1.0, 1e6):
        proximal_selection(norms, prices, np.full(len(norms), step), budget, scale, selection)
        assert selection @ prices <= budget * (1 + 1e-9)
        own = (norms**2 / (step + selection)).sum()
        assert own <= least(norms, prices, budget, step) * (1 + 1e-6)


@pytest.mark.parametrize("seed", range(12))
def test_norm_selections_are_of_the_least_sum(seed):
    norms, prices, budget = problem(seed)
    norms, prices, budget = norms + 0.05, prices + 0.3, budget + 0.2
    selection = np.empty(len(norms))
    total = norm_selection(norms, prices, budget, selection)
    assert total == pytest.approx((norms**2 / selection).sum(), rel=1e-12)
    assert selection @ prices <= budget * (1 + 1e-12)
    assert total <= least(norms, prices, budget, 1e-12) * (1 + 1e-6)


def test_what_is_free_is_bought_and_what_is_not_used_is_not():
    norms, prices = np.array([0.0, 2.0, 0.0, 3.0]), np.array([0.0, 0.0, 1.0, 1.0])
    selection = np.empty(4)
    assert norm_selection(norms, prices, 0.5, selection) == pytest.approx(4.0 + 9.0 / 0.5)
    assert selection.tolist() == [1.0, 1.0, 0.0, 0.5]
    proximal_selection(norms, prices, np.full(4, 0.1), 0.5, 1.0, selection)
    np.testing.assert_allclose(selection, [1.0, 1.0, 0.0, 0.5])
    proximal_selection(norms, prices, np.full(4, 0.1), 5.0, 1.0, selection)
    np.testing.assert_allclose(selection, [1.0, 1.0, 0.0, 1.0])


def exact_selection(norms, roots, budget):
    """The selection of the least sum, and that sum, in whole fractions; roots are of prices.

    They are scale * norm / root, cut off at 1, and cost the budget: so many of the largest rates
    are at 1, and the scale follows from what is left for the others.
    """
    norms, roots = [Fraction(own) for own in norms], [Fraction(own) for own in roots]
    rates = [norm / root for norm, root in zip(norms, roots, strict=True)]
    order = sorted(range(len(norms)), key=lambda m: -rates[m])
    selection = [Fraction(1)] * len(norms)
    for full in range(len(norms)):
        rest = order[full:]
        left = Fraction(budget) - sum(roots[m] ** 2 for m in order[:full])
        scale = left / sum(roots[m] ** 2 * rates[m] for m in rest)
        if all(scale * rates[m] < 1 for m in rest):
            for m in rest:
                selection[m] = scale * rates[m]
            break
    total = sum(norm**2 / share for norm, share in zip(norms, selection, strict=True))
    return np.array(selection, dtype=float), float(total)


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("orders", [1, 30])
def test_norm_selections_of_very_different_norms_are_those_of_whole_fractions(seed, orders):
    rng = np.random.default_rng(seed)
    norms = 10 ** rng.uniform(-orders / 2, orders / 2, 12)
    roots = rng.choice([0.5, 1.0, 1.5, 2.0], 12)
    for budget in (0.125, 3.0, 0.5 * (roots**2).sum(), 0.9 * (roots**2).sum()):
        selection = np.empty(12)
        total = norm_selection(norms, roots**2, budget, selection)
        expected, least_total = exact_selection(norms, roots, budget)
        np.testing.assert_allclose(selection, expected, rtol=1e-12)
        assert total == pytest.approx(least_total, rel=1e-12)
        assert selection @ roots**2 == pytest.approx(budget, rel=1e-12)
        assert selection.min() > 0


def test_norm_selections_of_nothing_to_spend_are_nothing():
    selection, prices = np.empty(3), np.array([1.0, 2.0, 0.0])
    assert norm_selection(np.array([1e-15, 1e15, 0.0]), prices, 0.0, selection) == np.inf
    assert selection.tolist() == [0.0, 0.0, 1.0]
    assert norm_selection(np.array([0.0, 0.0, 2.0]), prices, 0.0, selection) == 4.0
