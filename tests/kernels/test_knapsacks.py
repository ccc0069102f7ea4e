"""Shares of groups under a budget, against linear programs and plain searches."""

import numpy as np
import pytest
from scipy.optimize import linprog, minimize

from scrimp.kernels.knapsacks import knapsack, shrunk, spread


def problem(seed, n=7):
    rng = np.random.default_rng(seed)
    prices = rng.choice([0.0, 1.0, 2.5, 4.0], n)
    values = rng.exponential(size=n) * (rng.random(n) > 0.2)
    return values, prices, rng.uniform(0.0, prices.sum() + 0.5)


@pytest.mark.parametrize("seed", range(20))
def test_the_most_valuable_shares_are_those_of_the_linear_program(seed):
    values, prices, budget = problem(seed)
    shares = np.empty(len(values))
    total = knapsack(values, prices, budget, shares)
    best = linprog(-values, A_ub=[prices], b_ub=[budget], bounds=(0, 1))
    assert total == pytest.approx(-best.fun, rel=1e-9, abs=1e-12)
    assert shares @ values == pytest.approx(total)
    assert shares @ prices <= budget * (1 + 1e-12)
    assert ((shares >= 0) & (shares <= 1)).all()


def least(norms, prices, budget, step):
    """Of sum norms**2 / (step + shares), by a general method."""
    n = len(norms)
    found = minimize(
        lambda d: (norms**2 / (step + d)).sum(), np.full(n, min(1.0, budget / prices.sum())),
        bounds=[(0.0, 1.0)] * n, method="SLSQP", options={"maxiter": 500, "ftol": 1e-14},
        constraints={"type": "ineq", "fun": lambda d: budget - prices @ d},
    )  # fmt: skip
    return found.fun


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("step", [0.05, 0.7])
def test_shrunk_shares_are_of_the_least_sum(seed, step):
    norms, prices, budget = problem(seed)
    norms, prices, budget = norms + 0.01, prices + 0.3, budget + 0.2
    shares = np.empty(len(norms))
    for scale in (1e-6, 1.0, 1e6):
        shrunk(norms, prices, np.full(len(norms), step), budget, scale, shares)
        assert shares @ prices <= budget * (1 + 1e-9)
        own = (norms**2 / (step + shares)).sum()
        assert own <= least(norms, prices, budget, step) * (1 + 1e-6)


@pytest.mark.parametrize("seed", range(12))
def test_spread_shares_are_of_the_least_sum(seed):
    norms, prices, budget = problem(seed)
    norms, prices, budget = norms + 0.05, prices + 0.3, budget + 0.2
    shares = np.empty(len(norms))
    total = spread(norms, prices, budget, shares)
    assert total == pytest.approx((norms**2 / shares).sum(), rel=1e-12)
    assert shares @ prices <= budget * (1 + 1e-12)
    assert total <= least(norms, prices, budget, 1e-12) * (1 + 1e-6)


def test_what_is_free_is_bought_and_what_is_not_used_is_not():
    norms, prices = np.array([0.0, 2.0, 0.0, 3.0]), np.array([0.0, 0.0, 1.0, 1.0])
    shares = np.empty(4)
    assert spread(norms, prices, 0.5, shares) == pytest.approx(4.0 + 9.0 / 0.5)
    assert shares.tolist() == [1.0, 1.0, 0.0, 0.5]
    shrunk(norms, prices, np.full(4, 0.1), 0.5, 1.0, shares)
    np.testing.assert_allclose(shares, [1.0, 1.0, 0.0, 0.5])
    shrunk(norms, prices, np.full(4, 0.1), 5.0, 1.0, shares)
    np.testing.assert_allclose(shares, [1.0, 1.0, 0.0, 1.0])
