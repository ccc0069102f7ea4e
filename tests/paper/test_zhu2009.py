"""Claims of Zhu, Zou, Rosset and Hastie, "Multi-class AdaBoost" (2009)."""

from __future__ import annotations

import math
from functools import partial

import numpy as np
import pytest
from sklearn.datasets import load_digits, load_wine
from sklearn.ensemble import AdaBoostClassifier

from scrimp import BudgetedBoostingClassifier
from scrimp.learners.boosting.budgeted import vote_weight
from scrimp.learners.boosting.class_search import ClassSearch

#: The paper's own vote.
VoteClassifier = partial(BudgetedBoostingClassifier, combine="vote")

RULES = ["edge", "greedy", "smoothed", "speedboost", "hybrid"]


def z_of(edges, K):
    """Z = K/(K-1) eps^((K-1)/K) ((K-1)(1-eps))^(1/K), in errors."""
    errors = (K - 1) / K * (1 - np.asarray(edges))
    return K / (K - 1) * errors ** ((K - 1) / K) * ((K - 1) * (1 - errors)) ** (1 / K)


@pytest.fixture
def problem():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 8))
    X[rng.random(X.shape) < 0.05] = np.nan
    value = np.nan_to_num(X[:, 0] * X[:, 1] + X[:, 2]) + 0.5 * rng.normal(size=400)
    return X, np.digitize(value, [-1.0, 0.0, 0.8, 1.5]), rng.uniform(0.1, 2, size=8)


@pytest.mark.parametrize("rule", RULES)
def test_the_exponential_loss_is_the_product_of_the_normalisers(problem, rule):
    X, y, prices = problem
    model = VoteClassifier(prices, rule=rule, n_rounds=120).fit(X, y)
    products = np.cumprod(z_of(model.edges_, 5))
    assert (np.diff(products) < 0).all()
    for rounds in (1, 10, 120):
        short = VoteClassifier(prices, rule=rule, n_rounds=rounds).fit(X, y)
        own = np.take_along_axis(short.decision_function(X), y[:, None], axis=1)
        assert np.exp(-own / 4).mean() == pytest.approx(products[rounds - 1], rel=1e-9)
        # scores sum to zero, so this is where a row's own class is not above the mean class
        assert (own <= 0).mean() <= products[rounds - 1]


def test_a_normaliser_is_z(problem):
    X, y, _ = problem
    search = ClassSearch(X, y)
    for _ in range(20):
        stump = search.best(lambda columns, edges: edges, np.ones(8, dtype=bool))
        alpha = vote_weight(stump.edge, 5)
        before, after = search._weights[search._current[0]].copy(), np.empty(400)
        sums = search._reweigh(stump, alpha, before, after)
        assert math.fsum(sums) == pytest.approx(z_of(stump.edge, 5), rel=1e-12)
        search.update(stump, alpha)
        assert math.fsum(search._weights[search._current[0]]) == pytest.approx(1.0, abs=1e-14)


def test_the_weight_of_a_vote_minimises_the_loss(problem):
    X, y, _ = problem
    search = ClassSearch(X, y)
    stump = search.best(lambda columns, edges: edges, np.ones(8, dtype=bool))
    alpha, now = vote_weight(stump.edge, 5), search._weights[0]
    least = math.fsum(search._reweigh(stump, alpha, now, np.empty(400)))
    for other in (0.99 * alpha, 1.01 * alpha):
        assert math.fsum(search._reweigh(stump, other, now, np.empty(400))) > least


def test_two_classes_are_adaboost():
    """Lemma 1 of the coding: for K = 2 all of it is AdaBoost's."""
    edges = np.linspace(0.01, 0.99, 50)
    np.testing.assert_allclose(z_of(edges, 2), np.sqrt(1 - edges**2))
    for edge in edges:
        assert vote_weight(edge, 2) == 0.5 * math.log((1 + edge) / (1 - edge))


def test_a_search_of_classes_on_two_is_adaboost():
    rng = np.random.default_rng(4)
    X = rng.normal(size=(300, 5))
    y = (X[:, 0] + X[:, 1] + rng.normal(size=300) > 0.4).astype(int)
    weight = rng.uniform(0.5, 2.0, size=300)
    model = VoteClassifier(rule="edge", n_rounds=30).fit(X, y, weight)
    search = ClassSearch(X, y, weight / weight.max())
    for column, high, edge in zip(
        model.plan_.plan.stumps.column, model.plan_.plan.stumps.high, model.edges_, strict=True
    ):
        stump = search.best(lambda columns, edges: edges, np.ones(5, dtype=bool))
        assert (stump.column, stump.high) == (column, high)
        assert stump.edge == pytest.approx(edge, rel=1e-9)
        search.update(stump, vote_weight(stump.edge, 2))


@pytest.mark.parametrize("load", [load_wine, load_digits])
def test_the_loss_falls_faster_than_with_impurity_stumps(load):
    """scikit-learn boosts the same way, but cuts by the Gini index instead of the error."""
    X, y = load(return_X_y=True)
    K, n_rounds = y.max() + 1, 20
    ours = VoteClassifier(rule="edge", n_rounds=n_rounds, max_bins=2000).fit(X, y)
    theirs = AdaBoostClassifier(n_estimators=n_rounds, random_state=0).fit(X, y)
    errors = theirs.estimator_errors_[: len(theirs.estimators_)]
    edges = (K * (1 - errors) - 1) / (K - 1)
    assert ours.edges_[0] >= edges[0] - 1e-12
    assert np.prod(z_of(ours.edges_, K)) < np.prod(z_of(edges, K))
