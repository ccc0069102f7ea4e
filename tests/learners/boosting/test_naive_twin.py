"""The fast booster makes the rounds of the naive one that was written from the paper."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

from scrimp import BudgetedBoostingClassifier, Costs, Item
from tests.naive.budgeted_boosting import naive_boost, naive_scores

#: The paper's own vote.
VoteClassifier = partial(BudgetedBoostingClassifier, combine="vote")

N_ROUNDS = 25


def make_problem(seed):
    """Rows with numbers, few-valued numbers, codes, missing values, fees and weights."""
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(20, 60)), int(rng.integers(2, 6))
    X = rng.normal(size=(n, d))
    X[:, 0] = np.round(X[:, 0])
    y = np.where(X @ rng.normal(size=d) + rng.normal(size=n) > 0, 1.0, -1.0)
    y[:2] = [-1.0, 1.0]
    if rng.random() < 0.5:
        X[rng.random(X.shape) < 0.15] = np.nan
    prices = rng.uniform(0.1, 2.0, size=d)
    if rng.random() < 0.3:
        prices[rng.integers(d)] = 0.0
    fees = {"fee": (float(rng.uniform(0.1, 2.0)), sorted({0, d - 1}))} if rng.random() < 0.5 else {}
    weight = rng.uniform(0.2, 2.0, size=n) if rng.random() < 0.5 else None
    return X, y, prices, fees, weight


def costs_of(prices, fees):
    items = [Item(name, price, ()) for name, (price, _) in fees.items()]
    for j, price in enumerate(prices):
        needed = tuple(name for name, (_, columns) in fees.items() if j in columns)
        items.append(Item(f"c{j}", float(price), (f"c{j}",), needed))
    costs = Costs.from_items(items)
    return Costs(costs.names, costs.prices, costs.columns, costs.requires)


@pytest.mark.parametrize("rule", ["edge", "greedy", "smoothed", "speedboost", "hybrid"])
@pytest.mark.parametrize("unaffordable", ["skip", "stop"])
@pytest.mark.parametrize("seed", range(12))
def test_rounds_agree(rule, unaffordable, seed):
    X, y, prices, fees, weight = make_problem(seed)
    costs = costs_of(prices, fees)
    budget = float(np.random.default_rng(seed).uniform(0.3, 1.2) * costs.total)
    options = {"rule": rule, "n_rounds": N_ROUNDS, "unaffordable": unaffordable, "tau": 0.7}
    options["switch"] = 0.5
    slow = naive_boost(
        X, y, prices, budget=budget, sample_weight=weight, requires=fees or None, **options
    )
    fast = VoteClassifier(costs, budget, **options)
    if not slow:
        with pytest.warns(UserWarning, match="every answer is the prior"):
            fast.fit(X, y, sample_weight=weight)
        assert len(fast.edges_) == 0
        return
    fast.fit(X, y, sample_weight=weight)
    table = fast.plan_.plan.stumps

    assert table.column.tolist() == [r.stump.column for r in slow]
    np.testing.assert_allclose(fast.edges_, [r.edge for r in slow], rtol=1e-9)
    np.testing.assert_allclose(table.high, [r.stump.high for r in slow])
    for side in ("inside", "outside", "missing"):
        votes = [r.alpha * getattr(r.stump, side) for r in slow]
        used = np.isfinite(table.high) if side == "outside" else slice(None)
        np.testing.assert_allclose(
            getattr(table, side)[:, 0][used], np.array(votes)[used], rtol=1e-9
        )
    np.testing.assert_allclose(
        fast.decision_function(X), naive_scores(slow, X), rtol=1e-8, atol=1e-9
    )
    assert fast.spend(X).max() == pytest.approx(slow[-1].spent, rel=1e-12)


@pytest.mark.parametrize("seed", range(8))
def test_rounds_agree_on_categories(seed):
    import polars as pl

    rng = np.random.default_rng(seed)
    n = 60
    codes = rng.integers(0, 4, size=n).astype(float)
    codes[rng.random(n) < 0.1] = np.nan
    number = rng.normal(size=n)
    y = np.where((codes == 2) ^ (number + rng.normal(size=n) > 0), 1.0, -1.0)
    frame = pl.DataFrame(
        {"c": [None if np.isnan(c) else "abcd"[int(c)] for c in codes], "x": number}
    )
    slow = naive_boost(
        np.column_stack([codes, number]), y, [1.0, 1.7], n_rounds=15, categorical=[0]
    )
    fast = VoteClassifier({"x": 1.7, "c": 1.0}, rule="greedy", n_rounds=15)
    fast.fit(frame, y)
    np.testing.assert_allclose(fast.edges_, [r.edge for r in slow], rtol=1e-9)
    assert fast.plan_.plan.stumps.column.tolist() == [r.stump.column for r in slow]
    np.testing.assert_allclose(
        fast.decision_function(frame),
        naive_scores(slow, np.column_stack([codes, number])),
        rtol=1e-8,
    )
