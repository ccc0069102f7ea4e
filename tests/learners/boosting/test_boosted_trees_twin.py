"""Boosted trees make the trees of the naive twin, and buy what it buys."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest

from scrimp import BudgetedBoostingClassifier, BudgetedBoostingRegressor, Costs, Item
from tests.naive.priced_trees import Boosting, Options, Shop

#: Losses and numbers of classes; 0 for numbers.
LOSSES = [
    ("squared", 0), ("absolute", 0), ("quantile", 0), ("poisson", 0),
    ("logistic", 2), ("exponential", 2), ("logistic", 3), ("exponential", 3),
]  # fmt: skip
IDS = [f"{loss}{K or ''}" for loss, K in LOSSES]
#: (Share of missing values, categories of the second column, which may be numbers.)
TABLES = {"numbers": (0.0, 0), "missing": (0.15, 0), "few": (0.0, 3), "many": (0.1, 8)}
N, D, LEVEL = 80, 5, 0.37
#: Without a ridge the gain of a pure node is 0 in the formulas; see `test_pure_nodes_buy_nothing`.
RIDGE = 0.5


def make_table(rng, n, n_categories):
    X = rng.normal(size=(n, D))
    if n_categories:
        X[:, 1] = rng.integers(0, n_categories, n)
        X[:n_categories, 1] = np.arange(n_categories)
    return X


def with_holes(rng, X, share, first):
    X[first:][rng.random(X[first:].shape) < share] = np.nan
    return X


def as_frame(X, is_categorical):
    """Return numbers, or a frame in which the second column is text."""
    if not is_categorical:
        return X
    frame = pd.DataFrame(X, columns=[f"x{j}" for j in range(D)])
    text = [None if math.isnan(v) else f"k{int(v):02d}" for v in X[:, 1]]
    frame["x1"] = pd.Series(text, dtype=object)
    return frame


def make_problem(seed, loss, K, table):
    """Return training rows, labels, weights (which break ties) and other rows with holes."""
    share, n_categories = TABLES[table]
    rng = np.random.default_rng(seed)
    X = make_table(rng, N, n_categories)
    effect = np.sin(2.0 * X[:, 1])
    if n_categories:
        effect = 2.0 * rng.normal(size=n_categories)[X[:, 1].astype(int)]
    y = X[:, 0] + X[:, 2] * X[:, 3] + effect + 0.3 * rng.normal(size=N)
    if K:
        y = np.searchsorted(np.quantile(y, np.arange(1, K) / K), y)
    elif loss == "poisson":
        y = rng.poisson(np.exp(y / 2.0)).astype(float)
    X = with_holes(rng, X, share, n_categories)
    others = with_holes(rng, make_table(rng, 60, n_categories), 0.2, 0)
    return X, y, rng.uniform(0.3, 2.0, size=N), others


def make_learner(loss, K, costs=None, budget=None, **options):
    options = {"rule": "edge", "combine": "vote", "early_stopping": False, **options}
    if loss == "quantile":
        options["quantile"] = LEVEL
    make = BudgetedBoostingClassifier if K else BudgetedBoostingRegressor
    return make(costs, budget, loss=loss, random_state=0, **options)


def twin_options(loss, K, l2_regularization=0.0, **options):
    level = LEVEL if loss == "quantile" else 0.5
    return Options(loss, n_classes=K, level=level, l2=l2_regularization, **options)


def scores_of(fast, X):
    return fast.sweep(X, [1e9]).scores[:, 0, :]


def assert_same(seed, loss, K, table, *, prices=(1.0,) * D, budget=None, weighted=True, **options):
    """Train both, and compare their scores and purchases."""
    X, y, weights, others = make_problem(seed, loss, K, table)
    weights = weights if weighted else None
    is_categorical = TABLES[table][1] > 0
    options = {"max_depth": 3, "n_rounds": 4, "min_samples_leaf": 5, **options}
    fast = make_learner(loss, K, list(prices), budget, **options)
    fast.fit(as_frame(X, is_categorical), y, sample_weight=weights)
    shop = Shop(list(prices), list(range(D)), budget=math.inf if budget is None else budget)
    categorical = (1,) if is_categorical else ()
    slow = Boosting(X, y, weights, shop, twin_options(loss, K, categorical=categorical, **options))
    assert fast.n_trees_ == len(slow.trees) > 0
    for rows, scores in ((X, slow.scores), (others, slow.score(others))):
        ours = scores_of(fast, as_frame(rows, is_categorical))
        np.testing.assert_allclose(ours, scores, rtol=1e-6, atol=1e-9)
    assert {int(p.item[1:]) for p in fast.plan_.summary()} == shop.owned
    assert fast.spend(as_frame(others, is_categorical)).max() == pytest.approx(shop.spent)


@pytest.mark.parametrize(("loss", "K"), LOSSES, ids=IDS)
@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("seed", range(2))
def test_trees_agree(loss, K, table, seed):
    assert_same(seed, loss, K, table, l2_regularization=RIDGE)


@pytest.mark.parametrize("loss", ["squared", "poisson"])
@pytest.mark.parametrize("table", ["missing", "many"])
def test_without_a_ridge_and_weights(loss, table):
    assert_same(5, loss, 0, table, weighted=False)


@pytest.mark.parametrize("K", [2, 3])
@pytest.mark.parametrize("depth", [1, 2, 4])
def test_other_depths(K, depth):
    options = {"max_depth": depth, "n_rounds": 6, "l2_regularization": 2.0}
    assert_same(3, "logistic", K, "missing", learning_rate=0.1, **options)


@pytest.mark.parametrize("rule", ["edge", "smoothed", "greedy", "speedboost", "penalty"])
@pytest.mark.parametrize(("loss", "K"), [("squared", 0), ("logistic", 2), ("exponential", 3)])
@pytest.mark.parametrize("seed", range(2))
def test_priced_splits_agree(rule, loss, K, seed):
    prices = np.random.default_rng(100 + seed).uniform(0.3, 3.0, size=D)
    prices[seed] *= seed == 0  # one of the two problems has a free item
    options = {"prices": prices.tolist(), "budget": 0.6 * prices.sum(), "tau": 0.7, "rule": rule}
    if rule == "penalty":
        options["penalty"] = 0.02 if K else 0.05
    assert_same(seed, loss, K, "many", l2_regularization=RIDGE, **options)


@pytest.mark.parametrize("rule", ["smoothed", "greedy", "penalty"])
@pytest.mark.parametrize("seed", range(3))
def test_requirements_and_items_of_several_columns(rule, seed):
    """A fee for three of the columns, two of which come together; the budget lacks a part."""
    X, y, weights, _ = make_problem(seed, "squared", 0, "missing")
    prices = [0.7, 1.0, 0.4, 0.9, 1.2]
    items = [
        Item("fee", prices[0], ()),
        Item("a", prices[1], (0, 1), ("fee",)),
        Item("b", prices[2], (2,), ("fee",)),
        Item("c", prices[3], (3,)),
        Item("d", prices[4], (4,)),
    ]
    shop = Shop(prices, [1, 1, 2, 3, 4], {1: (0,), 2: (0,)}, budget=3.2)
    options = {"max_depth": 3, "n_rounds": 4, "min_samples_leaf": 5, "rule": rule, "tau": 0.7}
    options |= {"penalty": 0.05 if rule == "penalty" else 0.0, "l2_regularization": RIDGE}
    fast = make_learner("squared", 0, Costs.from_items(items), shop.budget, **options)
    fast.fit(X, y, sample_weight=weights)
    slow = Boosting(X, y, weights, shop, twin_options("squared", 0, **options))
    np.testing.assert_allclose(scores_of(fast, X), slow.scores, rtol=1e-6, atol=1e-9)
    assert fast.spend(X).max() == pytest.approx(shop.spent)


@pytest.mark.parametrize(
    ("loss", "K"), [("squared", 0), ("absolute", 0), ("logistic", 2), ("exponential", 2)]
)
def test_pure_nodes_buy_nothing(loss, K):
    """One cheap column says all; within its two halves no split has a gain by the formula."""
    rng = np.random.default_rng(0)
    X, weights = rng.normal(size=(N, 4)), rng.uniform(0.3, 2.0, size=N)
    y = (X[:, 0] > 0).astype(int) if K else np.where(X[:, 0] > 0, 1 / 3, 0.1)
    options = {"max_depth": 3, "n_rounds": 3, "min_samples_leaf": 3}
    prices = [1.0, 5.0, 5.0, 5.0]
    fast = make_learner(loss, K, prices, **options).fit(X, y, sample_weight=weights)
    shop = Shop(prices, [0, 1, 2, 3])
    slow = Boosting(X, y, weights, shop, twin_options(loss, K, **options))
    assert shop.owned == {0}
    np.testing.assert_allclose(scores_of(fast, X), slow.scores, rtol=1e-6, atol=1e-9)
    assert fast.spend(X).max() == shop.spent


@pytest.mark.parametrize(("loss", "K"), [("poisson", 0), ("logistic", 2)])
def test_steps_on_a_logarithmic_scale_are_bounded(loss, K):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(100, 2))
    is_rare = X[:, 0] > np.sort(X[:, 0])[-9]
    y = is_rare.astype(int) if K else 200.0 * is_rare + rng.poisson(1.0, 100)
    options = {"max_depth": 1, "n_rounds": 1, "min_samples_leaf": 3}
    fast = make_learner(loss, K, **options).fit(X, y)
    slow = Boosting(X, y, None, Shop([1.0] * 2, [0, 1]), twin_options(loss, K, **options))
    np.testing.assert_allclose(scores_of(fast, X), slow.scores, rtol=1e-6)


def constrained(loss, K, scale=1.0):
    """Return a learner that may only rise with the first and fall with the second column."""
    rng = np.random.default_rng(2)
    X = rng.uniform(-1.0, 1.0, size=(150, 3))
    y = 2.0 * X[:, 0] + np.sin(6.0 * X[:, 0]) - X[:, 1] + X[:, 2] ** 2 + 0.3 * rng.normal(size=150)
    y = (y > 0.0).astype(int) if K else np.floor(np.exp(y)) if loss == "poisson" else scale * y
    options = {"max_depth": 3, "n_rounds": 20, "min_samples_leaf": 5}
    return make_learner(loss, K, monotonic_cst=[1, -1, 0], **options).fit(X, y), X


@pytest.mark.parametrize(
    ("loss", "K"), [("squared", 0), ("poisson", 0), ("logistic", 2), ("exponential", 2)]
)
def test_constrained_answers_are_monotone(loss, K):
    fast, X = constrained(loss, K)
    grid = np.linspace(-1.2, 1.2, 60)
    for column, sign in ((0, 1.0), (1, -1.0)):
        rows = np.repeat(X[:15], len(grid), axis=0)
        rows[:, column] = np.tile(grid, 15)
        curves = sign * scores_of(fast, rows).reshape(15, len(grid))
        assert np.diff(curves, axis=1).min() >= -1e-12
        assert np.ptp(curves) > 0.0


def test_constrained_answers_follow_the_unit_of_y():
    """Thousandths of y are answered by thousandths."""
    fast, X = constrained("squared", 0)
    small, _ = constrained("squared", 0, scale=1e-3)
    np.testing.assert_allclose(1e3 * small.predict(X), fast.predict(X), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("loss", ["absolute", "quantile"])
def test_quantiles_take_no_constraints(loss):
    with pytest.raises(ValueError, match=f"monotonic_cst is not for the loss '{loss}'"):
        constrained(loss, 0)
