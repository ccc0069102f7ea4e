"""The fast sequences are those of refits from scratch."""

import numpy as np
import pytest

from scrimp import Costs, SequencedRegressor
from tests.naive import sequencing

CRITERIA = {"omp": "group", "no-whiten": "none", "single": "single"}


def problem(seed, n_groups=7, responses=1, duplicates=False):
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 4, n_groups)
    labels = rng.permutation(np.repeat(np.arange(n_groups), sizes))
    X = rng.normal(size=(60, len(labels))) @ rng.normal(size=(len(labels), len(labels)))
    X = X * rng.uniform(0.1, 100.0, len(labels)) + rng.normal(size=len(labels)) * 1e3
    if duplicates:
        X[:, 1], X[:, 2] = X[:, 0], 7.7
    Y = X @ (rng.normal(size=(len(labels), responses)) / X.std(axis=0).clip(1)[:, None])
    Y += rng.normal(size=Y.shape) * Y.std()
    prices = rng.choice([0.0, 0.5, 1.0, 2.0, 3.5], n_groups) + rng.uniform(0, 0.01, n_groups)
    prices[rng.random(n_groups) < 0.15] = 0.0
    groups = [np.flatnonzero(labels == g) for g in range(n_groups)]
    return X, Y, labels, groups, prices


def twin(criterion, X, Y, groups, prices, alpha, **options):
    if criterion == "forward":
        return sequencing.forward(X, Y, groups, prices, alpha, **options)
    return sequencing.pursue(X, Y, groups, prices, alpha, CRITERIA[criterion], **options)


@pytest.mark.parametrize("criterion", ["forward", *CRITERIA])
@pytest.mark.parametrize("doubling", [False, True])
@pytest.mark.parametrize("seed", range(6))
def test_sequences_agree(criterion, doubling, seed):
    X, Y, labels, groups, prices = problem(seed, responses=1 + seed % 2)
    budget = prices.sum() * (0.6 if seed % 3 == 0 else 2.0)
    alpha = [1e-5, 0.1, 0.0][seed % 3]
    costs = Costs.per_group(labels, dict(enumerate(prices)))
    model = SequencedRegressor(costs, criterion, doubling, alpha, budget).fit(X, Y)
    expected = twin(criterion, X, Y, groups, prices, alpha, budget=budget, doubling=doubling)
    assert model.sequence_ == [str(g) for g in expected]
    assert len(expected) > 2
    A, B = sequencing.normalise(X, Y)
    explained = [
        2 * sequencing.explained(A, B, sequencing.columns_of(groups, expected[:k]), alpha)
        for k in range(len(expected) + 1)
    ]
    np.testing.assert_allclose(model.explained_ * Y.shape[1], explained, atol=1e-9)


@pytest.mark.parametrize("seed", range(4))
def test_columns_that_repeat_others_or_nothing_do_no_harm(seed):
    X, Y, labels, groups, prices = problem(seed, duplicates=True)
    costs = Costs.per_group(labels, dict(enumerate(prices)))
    for alpha in (0.0, 1e-5):
        model = SequencedRegressor(costs, alpha=alpha).fit(X, Y)
        assert model.sequence_ == [str(g) for g in sequencing.forward(X, Y, groups, prices, alpha)]
        assert np.isfinite(model.predict(X)).all()


def test_columns_that_others_determine_are_named_and_have_no_weight():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(50, 3))
    X = np.column_stack([X, X[:, 0] - X[:, 1], np.full(50, 3.3)])
    y = X @ [1.0, 2.0, 3.0, 0.0, 0.0] + rng.normal(size=50)
    model = SequencedRegressor(Costs.per_group([0] * 5, [1.0]), alpha=0.0).fit(X, y)
    assert model.dependent_ == ["x3", "x4"]
    full = np.linalg.lstsq(np.column_stack([np.ones(50), X[:, :3]]), y, rcond=None)[0]
    np.testing.assert_allclose(model.plan_.plan.models.coefficients[:, 0], [*full[1:], 0.0, 0.0])
