"""Which columns the learners of a stream may read."""

from __future__ import annotations

import numpy as np

from scrimp import Costs, StreamingBoostingRegressor
from scrimp.learners.streaming.purchases import Market, part_of_learners

RNG = np.random.default_rng(0)
X = RNG.normal(size=(1_000, 6))
Y = X @ np.ones(6)


def sets(prices, n_learners, budget=np.inf):
    market = Market(Costs.per_feature(prices), budget, "smoothed", True)
    return market.sets(X, Y, np.ones(len(X)), n_learners)


def prices_of(columns, prices):
    return [float(np.dot(prices, each)) for each in columns]


def test_learners_read_more_and_more_and_the_last_half_reads_most():
    prices = [0.01, 0.05, 0.1, 0.3, 0.54, 1.0]
    spent = prices_of(sets(prices, 20), prices)
    assert spent == sorted(spent)
    assert spent[0] <= sum(prices) / 128 + 1e-9
    assert len(set(spent)) >= 4
    assert len(set(spent[10:])) == 1
    assert spent[9] < spent[10]


def test_a_part_that_pays_for_nothing_has_no_learners():
    """Six columns of one price: parts up to an eighth of it pay for none of them."""
    assert all(columns.any() for columns in sets(np.ones(6), 20))


def test_few_learners_have_few_parts():
    one_part, two_parts = (prices_of(sets(np.ones(6), n), np.ones(6)) for n in (3, 4))
    assert len(set(one_part)) == 1
    assert len(set(two_parts)) == 2


def test_where_nothing_can_be_bought_no_learner_reads_anything():
    assert not np.any(sets(np.ones(6), 5, budget=0.5))


def test_free_columns_are_read_by_the_first_learners():
    columns = sets([0.0, 1.0, 1.0, 1.0, 1.0, 1.0], 20)
    assert columns[0].tolist() == [True] + [False] * 5
    assert all(each[0] for each in columns)


def test_shares_of_the_learners():
    assert part_of_learners([0.25, 0.25, 0.5], 4) == [0, 1, 2, 2]
    assert part_of_learners([0.0], 3) == [0, 0, 0]


def test_a_hundredth_of_the_prices_buys_an_answer_that_explains_something():
    prices = [0.01, 0.05, 0.1, 0.3, 0.54, 1.0]
    model = StreamingBoostingRegressor(Costs.per_feature(prices)).fit(X, Y)
    cheap = model.predict(X, budget=0.02)
    assert np.mean((Y - cheap) ** 2) < 0.95 * np.var(Y)
