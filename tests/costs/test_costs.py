import math
import re
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone

from scrimp import BudgetedBoostingClassifier, Costs, Item
from scrimp.costs.costs import as_costs
from scrimp.costs.repricing import at_new_prices
from tests.contract.handmade import NAMES, clinic
from tests.contract.strategies import any_costs, quick


def named(costs, *names):
    return [costs.names.index(name) for name in names]


def test_the_price_of_a_set_is_that_of_all_it_requires_less_what_is_owned():
    costs = clinic()
    assert costs.price_of(named(costs, "chol", "sugar")) == pytest.approx(10.37)
    assert costs.price_of(named(costs, "scan")) == pytest.approx(48.27)
    assert costs.price_of(named(costs, "scan"), named(costs, "draw", "ward")) == pytest.approx(
        45.17
    )
    assert costs.price_of([]) == 0.0
    assert costs.total == pytest.approx(52.12)


def test_a_closure_has_ancestors_first_and_everything_once():
    costs = clinic()
    order = [costs.names[i] for i in costs.closure(named(costs, "scan", "sugar", "chol"))]
    assert order == ["ward", "draw", "chol", "scan", "sugar"]


@quick
@given(costs=any_costs(), data=st.data())
def test_closures_are_closed_and_ordered(costs, data):
    items = data.draw(st.sets(st.integers(0, costs.n_items - 1)))
    closure = costs.closure(items)
    assert set(items) <= set(closure)
    assert len(set(closure)) == len(closure)
    for position, item in enumerate(closure):
        assert set(costs.requires[item]) <= set(closure[:position])
    assert costs.price_of(items) == math.fsum(costs.prices[i] for i in closure)
    assert all(c in costs.columns[costs.item_of[c]] for c in range(costs.n_columns))


def test_a_long_chain_needs_no_recursion():
    n = 1_500  # beyond the depth of Python's stack
    chain = Costs(
        tuple(map(str, range(n))),
        (1.0,) * n,
        ((),) * n,
        tuple((i + 1,) if i + 1 < n else () for i in range(n)),
    )
    assert chain.price_of([0]) == n


@pytest.mark.parametrize("price", [-1.0, math.nan, math.inf, -math.inf])
def test_a_price_must_be_finite_and_not_negative(price):
    text = rf"Item 'x1' has the price {price}; expected a finite number >= 0"
    with pytest.raises(ValueError, match=text):
        Costs.per_feature([1.0, price])
    with pytest.raises(ValueError, match=r"Item 'mri' has the price"):
        Costs.per_feature({"age": 1.0, "mri": price})


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: Costs.per_feature({"a": "dear"}), "Item 'a' has the price 'dear'; expected a num"),
        (lambda: Costs.per_feature([[1.0, 2.0]]), "prices have 2 dimensions; expected one price"),
        (lambda: Costs.per_feature([1e308, 1e308]), "add up to more than a number can hold"),
        (lambda: Costs.per_group(["a", "b"], {"a": 1.0}), r"differ in the labels \['b'\]"),
        (lambda: Costs.per_group(["a"], {"a": 1.0, "z": 1}), r"differ in the labels \['z'\]"),
        (lambda: Costs.per_group(["a", "b"], [1.0, 2.0, 3.0]), "3 prices for 2 groups"),
        (lambda: Costs.per_group(["a", "b"], [1.0]), "1 prices for 2 groups"),
        (lambda: Costs(("a",), (1.0, 2.0), ((0,),), ((),)), "must have one entry an item"),
        (lambda: Costs(("a",), (1.0,), ((1,),), ((),)), "brought by exactly one item"),
        (lambda: Costs(("a", "b"), (1, 1), ((0,), (0,)), ((), ())), "exactly one item"),
        (lambda: Costs(("a",), (1.0,), ((0,),), ((3,),)), "requires must hold item positions"),
        (lambda: Costs(("a",), (1.0,), ((0,),), ((),), ("p", "q")), "one name a column"),
    ],
)
def test_what_makes_no_sense_is_refused(make, text):
    with pytest.raises(ValueError, match=text):
        make()


@pytest.mark.parametrize(
    ("items", "text"),
    [
        ([Item("a", 1, ("a",)), Item("a", 2, ("b",))], r"item names \['a'\] occur more than once"),
        (
            [Item("a", 1, ("x",)), Item("b", 2, ("x",))],
            "'a' and 'b' both bring the column 'x'",
        ),
        ([Item("a", 1, ("x", "x"))], r"column names \['x'\] occur more than once"),
        ([Item("a", 1, ("a",), ("lab",))], r"Item 'a' requires \['lab'\], which the price list"),
        ([Item("a", 1, (), ("a",))], "requires runs in a cycle: 'a' -> 'a'"),
        (
            [Item("a", 1, (), ("b",)), Item("b", 1, (), ("c",)), Item("c", 1, (), ("a",))],
            "cycle: 'a' -> 'b' -> 'c' -> 'a'. Remove one of these links",
        ),
    ],
)
def test_bad_items_are_refused(items, text):
    with pytest.raises(ValueError, match=text):
        Costs.from_items(items)


def test_groups_follow_sorted_labels_or_names():
    by_place = Costs.per_group([2, 1, 2], [10.0, 20.0])
    by_name = Costs.per_group([2, 1, 2], {2: 20.0, 1: 10.0})
    assert by_place == by_name
    assert by_place.columns == ((1,), (0, 2))
    assert by_place.prices == (10.0, 20.0)


def test_prices_by_name_follow_the_columns_of_the_table():
    costs = as_costs({"b": 2.0, "a": 1.0}, 2, ["a", "b"])
    assert [costs.prices[costs.item_of[column]] for column in range(2)] == [1.0, 2.0]
    assert costs.column_names == ("a", "b")
    assert as_costs([1.0, 2.0], 2, ["a", "b"]).names == ("a", "b")
    assert as_costs(None, 3).prices == (1.0, 1.0, 1.0)
    assert as_costs(pd.Series([1.0, 2.0]), 2).prices == (1.0, 2.0)


@pytest.mark.parametrize(
    ("costs", "n", "names", "text"),
    [
        ({"a": 1.0}, 2, ["a", "b"], r"no price for the columns \['b'\]: add them, with price 0"),
        ({"a": 1.0, "b": 1.0, "c": 1.0}, 2, ["a", "b"], r"prices for \['c'\], which X does not"),
        ({"a": 1.0, "z": 1.0}, 2, ["a", "b"], r"\['b'\].*; prices for \['z'\]"),
        ([1.0], 2, None, "The prices cover 1 columns but X has 2"),
        ({"a": 1.0}, 1, None, "The prices name columns but X has no column names"),
    ],
)
def test_prices_must_fit_the_table(costs, n, names, text):
    with pytest.raises(ValueError, match=text):
        as_costs(costs, n, names)


def test_binding_keeps_items_and_moves_columns():
    order = tuple(reversed(NAMES))
    bound = clinic().bind(len(NAMES), order)
    assert bound.names == clinic().names
    scan = bound.names.index("scan")
    assert [bound.column_name(c) for c in bound.columns[scan]] == ["scan"]
    assert bound.columns[scan] == (0,)
    assert bound.bind(len(NAMES), NAMES) == clinic()


def test_costs_are_a_parameter_like_any_other():
    model = BudgetedBoostingClassifier(costs=clinic())
    assert clone(model).get_params()["costs"] == clinic()
    assert Costs.uniform(2, price=3.0).prices == (3.0, 3.0)
    assert np.isclose(Costs.uniform(4, 0.1).total, 0.4)


def test_items_may_give_their_columns_by_position():
    fee, b, a = Item("fee", 2.0, ()), Item("b", 3.0, (2, 0), ("fee",)), Item("a", 1.0, (1,))
    costs = Costs.from_items([fee, b, a])
    assert costs.columns == ((), (2, 0), (1,))
    assert costs.column_names is None
    assert costs.price_of([1]) == 5.0
    with pytest.raises(ValueError, match=r"by position, others by name \('age'\)"):
        Costs.from_items([Item("a", 1.0, (0,)), Item("b", 1.0, ("age",))])
    with pytest.raises(ValueError, match="by none"):
        Costs.from_items([Item("a", 1.0, (0,)), Item("b", 1.0, (3,))])


def test_a_text_is_one_name():
    costs = Costs.from_items([Item("draw", 1.0, ()), Item("a", 1.0, "xy", "draw")])
    assert costs.column_names == ("xy",)
    assert costs.requires == ((), (0,))


@pytest.mark.parametrize("price", ["10", b"10", "1_0", True, np.True_, None])
def test_a_price_is_a_number_and_no_text(price):
    text = re.escape(f"has the price {price!r}; expected a number")
    for make in (
        lambda: Costs.per_feature({"a": price}),
        lambda: Costs.per_feature(np.array([price], dtype=object)),
        lambda: Costs.per_group(["a"], [price]),
        lambda: Costs.from_items([Item("a", price, ("a",))]),
        lambda: at_new_prices(Costs.per_feature({"a": 1.0}), {"a": price}),
    ):
        with pytest.raises(ValueError, match=text):
            make()


def test_prices_may_be_any_kind_of_number():
    prices = {"a": 1, "b": np.float32(0.5), "c": Decimal("2.5"), "d": np.int8(3)}
    assert Costs.per_feature(prices).prices == (1.0, 0.5, 2.5, 3.0)
