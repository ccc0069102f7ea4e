"""What can be bought next within a budget, and for how much."""

import numpy as np
import pytest

from scrimp import Costs, Item, SequencedRegressor
from scrimp.costs.shopper import Shopper, cheapest_item, warn_of_prior


@pytest.fixture
def costs():
    return Costs.from_items(
        [
            Item("visit", 2.0, ()),
            Item("chol", 5.0, ("chol",), ("visit",)),
            Item("ratio", 0.0, ("ratio",), ("chol",)),
            Item("age", 1.0, ("age",)),
        ]
    )


def test_prices_are_those_of_what_is_not_owned(costs):
    shopper = Shopper(costs, 10.0)
    assert shopper.prices.tolist() == [2.0, 7.0, 7.0, 1.0]
    assert shopper.fees.tolist() == [0.0, 2.0, 7.0, 0.0]
    shopper.buy([1])
    assert shopper.prices.tolist() == [0.0, 0.0, 0.0, 1.0]
    assert shopper.fees.tolist() == [0.0, 0.0, 0.0, 0.0]
    assert shopper.spent == 7.0
    shopper.buy([1, 0])
    assert shopper.spent == 7.0


def test_what_the_rest_of_the_budget_pays_for(costs):
    shopper = Shopper(costs, 7.5)
    assert shopper.ledger.affords(shopper.prices).tolist() == [True, True, True, True]
    shopper.buy([3])
    assert shopper.ledger.affords(shopper.prices).tolist() == [True, False, False, True]


@pytest.mark.parametrize("seed", range(5))
def test_prices_agree_with_the_costs(seed):
    rng = np.random.default_rng(seed)
    n = 8
    requires = tuple(tuple(np.flatnonzero(rng.random(i) < 0.3).tolist()) for i in range(n))
    prices = tuple(rng.integers(0, 4, n).astype(float).tolist())
    costs = Costs(tuple(map(str, range(n))), prices, tuple((i,) for i in range(n)), requires)
    shopper = Shopper(costs, np.inf)
    for item in rng.permutation(n).tolist():
        shopper.buy([item])
        owned = shopper.ledger.owned
        assert shopper.prices.tolist() == [costs.price_of([i], owned) for i in range(n)]


def test_a_sequence_takes_what_it_owns_through_another_item_at_once():
    """An item with columns that another one requires is paid for with that one."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3))
    y = 3.0 * X[:, 1] + 1.0 * X[:, 2] + 0.1 * X[:, 0]
    costs = Costs.from_items(
        [Item("base", 5.0, (0,)), Item("extra", 0.5, (1,), ("base",)), Item("other", 3.0, (2,))]
    )
    assert SequencedRegressor(costs).fit(X, y).sequence_ == ["extra", "base", "other"]


def test_prepared_columns_belong_to_the_item_of_their_column(costs):
    wide = costs.prepared(np.array([0, 0, 1, 2, 2, 2]))
    assert wide.columns == ((), (0, 1), (2,), (3, 4, 5))
    assert (wide.names, wide.prices, wide.requires) == (costs.names, costs.prices, costs.requires)
    assert costs.prepared(np.arange(3)).column_names is None
    assert costs.prepared(np.arange(3)).columns == costs.columns
    assert costs.prepared(np.array([0, 2])).columns == ((), (0,), (), (1,))


def test_the_warning_names_the_cheapest_item_or_the_reason(costs):
    assert cheapest_item(costs) == (1.0, "age")
    with pytest.warns(UserWarning, match="cheapest item 'age' costs 1 but the budget is 0.5, so"):
        warn_of_prior(costs, 0.5)
    with pytest.warns(UserWarning, match="^Because, so nothing is bought there and every answer"):
        warn_of_prior(costs, 3.0, otherwise="Because", where=" there")
    with pytest.warns(UserWarning, match="tree's first item, 'chol', costs 7 but the budget is 3"):
        warn_of_prior(costs, 3.0, first_item=1)
