import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrimp import Costs, Ledger
from scrimp.costs.ledger import limit, within
from tests.contract.handmade import clinic
from tests.contract.strategies import any_costs, quick


def test_three_items_at_a_dime_fit_in_thirty_cents():
    ledger = Ledger(Costs.uniform(3, price=0.1), [0.3])
    for item in range(3):
        assert ledger.first_affording([item]) == 0
        ledger.buy([item])
    assert ledger.spent > 0.3  # by rounding alone
    assert within(ledger.spent, 0.3)


def test_a_price_above_the_budget_does_not_fit():
    ledger = Ledger(Costs.per_feature([0.3]), [0.299999])
    assert ledger.first_affording([0]) == 1
    assert not ledger.can_pay([0])


def test_nothing_has_a_price_of_nothing():
    ledger = Ledger(Costs.per_feature([0.0, 1e-300]), [0.0])
    assert ledger.can_pay([])
    assert ledger.can_pay([0])
    assert not ledger.can_pay([1])


@quick
@given(prices=st.lists(st.floats(0, 1e6), min_size=1, max_size=12), data=st.data())
def test_what_is_spent_is_the_exact_sum_in_any_order(prices, data):
    costs = Costs.per_feature(prices)
    order = data.draw(st.permutations(range(len(prices))))
    ledger = Ledger(costs, [math.inf])
    for item in order:
        ledger.buy([item, *order[:1]])
    assert ledger.spent == math.fsum(prices)


@quick
@given(costs=any_costs(), data=st.data())
def test_what_is_in_flight_never_exceeds_the_budget(costs, data):
    budget = data.draw(st.floats(0, 60))
    ledger = Ledger(costs, [budget])
    items = st.integers(0, costs.n_items - 1)
    for _ in range(15):
        needs = costs.closures[data.draw(items)]
        action = data.draw(st.sampled_from(["hold", "hold", "commit", "release", "fail"]))
        waiting = sorted(ledger.held)
        if action == "hold" and ledger.first_affording(needs) == 0:
            ledger.hold(ledger.missing(needs))
        elif waiting and action == "commit":
            ledger.commit(waiting[0])
        elif waiting:
            ledger.release(waiting[0], failed=action == "fail")
        assert within(math.fsum([ledger.spent, *ledger.held.values()]), budget)
        assert ledger.spent == math.fsum(costs.prices[item] for item in ledger.owned)
        assert not ledger.owned & ledger.failed


@quick
@given(costs=any_costs(), data=st.data())
def test_what_a_budget_affords_a_larger_one_affords(costs, data):
    budgets = sorted(data.draw(st.lists(st.floats(0, 60), min_size=2, max_size=6)))
    ledger = Ledger(costs, budgets)
    needs = costs.closures[data.draw(st.integers(0, costs.n_items - 1))]
    headroom = data.draw(st.floats(0, 30))
    first = ledger.first_affording(needs, headroom)
    for position, budget in enumerate(budgets):
        alone = Ledger(costs, [budget])
        assert (alone.first_affording(needs, headroom) == 0) == (position >= first)
    assert ledger.can_pay_each([needs, []]) == [ledger.first_affording(needs) == 0, True]


def test_an_item_is_paid_once():
    costs = clinic()
    ledger = Ledger(costs, [100.0])
    for _ in range(2):
        ledger.buy(costs.closure([costs.names.index("chol")]))
        ledger.commit(costs.names.index("chol"))
    assert ledger.spent == pytest.approx(7.27)
    assert ledger.missing(costs.closure([costs.names.index("sugar")])) == [4]


def test_what_is_owned_is_free_and_what_failed_cannot_be_had():
    costs = clinic()
    scan = costs.names.index("scan")
    ledger = Ledger(costs, [40.0], owned=costs.closure([3, 2]))
    assert ledger.can_pay([scan])
    ledger.release(costs.names.index("draw"), failed=True)  # too late: it is there
    assert ledger.can_pay([scan])
    ledger = Ledger(costs, [math.inf])
    ledger.release(costs.names.index("draw"), failed=True)
    assert not ledger.can_pay([scan])


def test_money_that_is_held_is_not_there_for_others():
    ledger = Ledger(Costs.per_feature([2.0, 2.0]), [3.0])
    ledger.hold([0])
    assert ledger.first_affording([0]) == 0
    assert ledger.first_affording([1]) == 1
    ledger.release(0)
    assert ledger.first_affording([1]) == 0


def test_headroom_must_fit_whatever_the_price():
    ledger = Ledger(Costs.per_feature([1.0, 1.0]), [3.0, 5.0])
    assert ledger.first_affording([0], headroom=4.0) == 1
    ledger.buy([0])
    assert ledger.first_affording([0], headroom=4.0) == 1
    assert ledger.first_affording([1], headroom=4.5) == 2


def test_a_part_of_a_ledger_goes_its_own_way():
    ledger = Ledger(Costs.uniform(3), [1.0, 2.0, 3.0])
    ledger.buy([0])
    part = ledger.at(1, 3)
    assert part.budgets == (2.0, 3.0)
    part.buy([1])
    part.hold([2])
    assert (ledger.spent, part.spent) == (1.0, 2.0)
    assert ledger.held == {}


@quick
@given(costs=any_costs(), power=st.integers(-40, 20), budget=st.floats(0, 60))
def test_money_has_no_unit(costs, power, budget):
    factor = 2.0**power
    scaled = replace(costs, prices=tuple(factor * price for price in costs.prices))
    for needs in costs.closures:
        ours = Ledger(costs, [budget]).first_affording(needs)
        assert Ledger(scaled, [factor * budget]).first_affording(needs) == ours
    assert limit(factor * budget) == factor * limit(budget)


def test_a_part_of_the_budgets_computes_no_limits_again(monkeypatch):
    ledger = Ledger(Costs.uniform(2, price=1.0), [0.5, 1.0, 2.0])
    monkeypatch.setattr("scrimp.costs.ledger.limit", None)
    part = ledger.at(1, 3)
    assert part.budgets == (1.0, 2.0)
    assert part.first_affording([0, 1]) == 1
    part.buy([0])
    assert part.at(0, 1).first_affording([1]) == 1
    assert ledger.first_affording([0]) == 1
