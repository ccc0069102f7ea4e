"""How good an order is if it may be cut off anywhere."""

import numpy as np
import pytest
from sklearn.metrics import ndcg_score

from scrimp import Curve, SequencedRegressor
from scrimp.evaluation import ndcg_scorer, oracle_order, stopping_cost, timeliness

SPENT, EXPLAINED = [0.0, 2.0, 3.0, 10.0], [0.0, 0.1, 0.7, 0.8]


@pytest.mark.parametrize(("alpha", "cost"), [(0.0, 0.0), (0.5, 3.0), (0.9, 10.0), (1.0, 10.0)])
def test_the_stopping_cost_is_the_first_prefix_that_is_good_enough(alpha, cost):
    assert stopping_cost(SPENT, EXPLAINED, alpha) == cost


def test_timeliness_is_the_mean_over_moments():
    moments = (np.arange(100_000) + 0.5) * 12.0 / 100_000
    owned = np.searchsorted(SPENT, moments, side="right") - 1
    mean = np.array(EXPLAINED)[owned].mean()
    assert timeliness(SPENT, EXPLAINED, until=12.0) == pytest.approx(mean, abs=1e-4)
    assert timeliness(SPENT, EXPLAINED, until=2.0) == 0.0


def test_the_oracle_has_the_steepest_steps_first():
    spent, explained = oracle_order(SPENT, EXPLAINED)
    assert spent.tolist() == [0.0, 1.0, 3.0, 10.0]
    assert explained == pytest.approx([0.0, 0.6, 0.7, 0.8])
    best = timeliness(spent, explained, 10.0)
    assert best == pytest.approx(0.61)
    assert best > timeliness(SPENT, EXPLAINED, 10.0)


def test_the_oracle_takes_what_is_free_at_once():
    spent, explained = oracle_order([0.0, 1.0, 1.0], [0.0, 0.5, 0.6])
    assert spent.tolist() == [0.0, 0.0, 1.0]
    assert explained == pytest.approx([0.0, 0.1, 0.6])


def test_ndcg_is_the_mean_over_queries():
    random = np.random.default_rng(0)
    X, queries = random.normal(size=(60, 2)), np.repeat(range(6), 10)
    relevance = (X[:, 0] + random.normal(size=60) > 0).astype(int)
    relevance[queries == 2] = 1  # says nothing of an order
    model = SequencedRegressor().fit(X, relevance)
    curve = Curve.from_estimator(model, X, relevance, [2.0], scoring=ndcg_scorer(queries, k=3))
    scores = model.predict(X, budget=2.0)
    each = [
        ndcg_score([relevance[queries == q]], [scores[queries == q]], k=3) for q in (0, 1, 3, 4, 5)
    ]
    assert curve.name == "ndcg@3"
    assert curve.at(2.0).quality == pytest.approx(np.mean(each))


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: stopping_cost(SPENT, EXPLAINED, 1.5), "alpha is 1.5; expected a number from 0"),
        (lambda: stopping_cost([0.0, 1.0], [0.0], 0.5), "as many costs as values"),
        (lambda: stopping_cost([0.0, 1.0], [0.0, np.nan], 0.5), "must be finite"),
        (lambda: oracle_order([1.0, 0.0], [0.0, 1.0]), "spent must ascend"),
        (lambda: timeliness(SPENT, EXPLAINED, np.inf), "until is inf; expected a finite cost"),
        (lambda: timeliness(SPENT, EXPLAINED, 0.0), "until is 0.0; expected a finite cost > 0"),
    ],
)
def test_refuses(call, text):
    with pytest.raises(ValueError, match=text):
        call()


def test_intervals_of_a_ranking_are_over_queries():
    rng = np.random.default_rng(1)
    queries = np.repeat(np.arange(8), 25)
    X = rng.normal(size=(200, 2))
    relevance = rng.integers(0, 3, 200)
    model = SequencedRegressor().fit(X, relevance)
    scorer = ndcg_scorer(queries, k=5)
    curve = Curve.from_estimator(model, X, relevance, [2.0], scoring=scorer)
    scores = model.predict(X)
    each = np.array(
        [ndcg_score([relevance[queries == q]], [scores[queries == q]], k=5) for q in range(8)]
    )
    draws = np.random.RandomState(0).randint(8, size=(200, 8))
    low, high = np.quantile(each[draws].mean(axis=1), [0.025, 0.975])
    assert curve.at(2.0).low == pytest.approx(low)
    assert curve.at(2.0).high == pytest.approx(high)
    with pytest.raises(ValueError, match="groups has the shape"):
        Curve.from_estimator(model, X, relevance, [2.0], groups=queries[:5])


def test_an_interval_of_a_ranking_includes_its_estimate():
    rng = np.random.default_rng(1)
    queries = np.repeat(np.arange(20), 10)
    X = rng.normal(size=(200, 2))
    relevance = (X[:, 0] + rng.normal(size=200) > 0).astype(int)
    model = SequencedRegressor().fit(X, relevance)
    ndcg = ndcg_scorer(queries, k=5)
    point = Curve.from_estimator(model, X, relevance, [2.0], scoring=ndcg).at(2.0)
    assert point.low < point.quality < point.high

    def gain_without_groups(answers, rows, y):
        return ndcg(answers, rows, y) - 0.5 * (len(np.unique(rows)) < len(rows))

    with pytest.warns(UserWarning, match="excludes its estimate at 1 of 1 budgets.*as groups"):
        curve = Curve.from_estimator(model, X, relevance, [2.0], scoring=gain_without_groups)
    assert curve.low[0] <= curve.quality[0] <= curve.high[0]


def test_no_k_counts_all_ranks():
    rng = np.random.default_rng(2)
    queries = np.repeat([0, 1], 10)
    X = rng.normal(size=(20, 1))
    relevance = rng.integers(0, 3, 20)
    model = SequencedRegressor().fit(X, relevance)
    scores = model.predict(X)
    each = [ndcg_score([relevance[queries == q]], [scores[queries == q]]) for q in (0, 1)]
    curve = Curve.from_estimator(model, X, relevance, [1.0], scoring=ndcg_scorer(queries, None))
    assert curve.quality[0] == pytest.approx(np.mean(each))
    assert curve.name == "ndcg"


@pytest.mark.parametrize("k", [0, -1, 2.5, True, "5"])
def test_refuses_ranks_that_are_no_number(k):
    with pytest.raises(ValueError, match="expected a whole number >= 1, or None for all ranks"):
        ndcg_scorer([0, 0, 1], k)
