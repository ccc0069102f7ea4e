"""The fast booster of many classes makes the rounds of the naive one."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

from scrimp import BudgetedBoostingClassifier
from tests.naive import samme

#: The paper's own vote.
VoteClassifier = partial(BudgetedBoostingClassifier, combine="vote")

RULES = ["edge", "greedy", "smoothed", "speedboost", "hybrid"]
NAMES = np.array(["ant", "bee", "cat", "dog", "eel", "fox"])


def make_problem(seed, K):
    """Rows with numbers, few-valued numbers, missing values and, half the time, equal weights."""
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(25, 60)), int(rng.integers(2, 6))
    X = rng.normal(size=(n, d))
    X[:, 0] = np.round(X[:, 0])
    value = X @ rng.normal(size=d) + rng.normal(size=n)
    y = np.searchsorted(np.quantile(value, np.arange(1, K) / K), value)
    y[:K] = np.arange(K)
    if rng.random() < 0.5:
        X[rng.random(X.shape) < 0.15] = np.nan
    prices = rng.uniform(0.1, 2.0, size=d)
    if rng.random() < 0.3:
        prices[rng.integers(d)] = 0.0
    weight = rng.uniform(0.2, 2.0, size=n)
    weight[K + rng.integers(n - K)] = 0.0
    return X, y, prices, weight


def assert_same_rounds(fast, slow, K):
    """The columns, cuts, edges and votes are those of the naive rounds."""
    table = fast.plan_.plan.stumps
    assert table.column.tolist() == [r.column for r in slow]
    np.testing.assert_allclose(table.low, [r.low for r in slow])
    np.testing.assert_allclose(table.high, [r.high for r in slow])
    edges = [samme.edge_of(r.error, K) for r in slow]
    np.testing.assert_allclose(fast.edges_, edges, rtol=1e-9, atol=1e-12)
    for stump, r in enumerate(slow):
        used = ("inside", "outside", "missing") if np.isfinite(r.high) else ("inside", "missing")
        for side in used:
            votes = coded(getattr(r, side), r.alpha, K)
            np.testing.assert_allclose(getattr(table, side)[stump], votes, rtol=1e-8)


def coded(label, log_odds, K):
    beta = (K - 1) ** 2 / K * log_odds
    if label is None:
        return np.zeros(K)
    return np.where(np.arange(K) == label, beta, -beta / (K - 1))


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("unaffordable", ["skip", "stop"])
@pytest.mark.parametrize("seed", range(10))
def test_rounds_agree(rule, unaffordable, seed):
    K = 3 + seed % 4
    X, y, prices, weight = make_problem(seed, K)
    budget = float(np.random.default_rng(seed).uniform(0.4, 1.2) * prices.sum())
    options = {"n_rounds": 20, "unaffordable": unaffordable, "tau": 0.7, "switch": 0.5}
    slow = samme.boost(X, y, prices, rule, budget, sample_weight=weight, **options)
    fast = VoteClassifier(prices, budget, rule=rule, **options)
    if not slow:
        with pytest.warns(UserWarning, match="every answer is the prior"):
            fast.fit(X, NAMES[y], sample_weight=weight)
        assert len(fast.edges_) == 0
        return
    fast.fit(X, NAMES[y], sample_weight=weight)
    assert_same_rounds(fast, slow, K)
    np.testing.assert_allclose(
        fast.decision_function(X), samme.scores(slow, X, K), rtol=1e-7, atol=1e-9
    )
    assert fast.spend(X).max() == pytest.approx(slow[-1].spent, rel=1e-12)


@pytest.mark.parametrize("seed", range(6))
def test_rounds_agree_on_categories(seed):
    import polars as pl

    rng = np.random.default_rng(seed)
    n, K = 70, 4
    codes = rng.integers(0, 5, size=n).astype(float)
    codes[rng.random(n) < 0.1] = np.nan
    number = rng.normal(size=n)
    y = np.where(rng.random(n) < 0.6, np.nan_to_num(codes) % K, number > 0).astype(int)
    y[:K] = np.arange(K)
    frame = pl.DataFrame(
        {"c": [None if np.isnan(c) else "abcde"[int(c)] for c in codes], "x": number}
    )
    weight = rng.uniform(0.5, 1.5, size=n)
    table = np.column_stack([codes, number])
    slow = samme.boost(
        table, y, [1.0, 1.7], "greedy", np.inf, 15, sample_weight=weight, categorical=[True, False]
    )
    fast = VoteClassifier({"x": 1.7, "c": 1.0}, rule="greedy", n_rounds=15)
    assert_same_rounds(fast.fit(frame, y, sample_weight=weight), slow, K)
    np.testing.assert_allclose(
        fast.decision_function(frame), samme.scores(slow, table, K), rtol=1e-7, atol=1e-9
    )
