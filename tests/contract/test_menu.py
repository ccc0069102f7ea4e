"""Menus: which entry runs, which answers, and what happens when an item cannot be had."""

import numpy as np
import pytest

from scrimp.checks.driving import feed, requests, values_of
from scrimp.plans import MenuPlan

from .handmade import AGE, CHOL, ECG, NAMES, PULSE, SCAN, SUGAR, additive, clinic, table, wrap

pytestmark = pytest.mark.filterwarnings("ignore:The cheapest purchase")

ROW = table(1, missing=False)[0]
SMALL, MIDDLE, LARGE = [AGE, PULSE], [CHOL, SUGAR], [SCAN, ECG]


def menu(*choices):
    costs = clinic()
    return wrap(MenuPlan([additive(costs, list(columns)) for columns in choices]), costs)


def single(columns):
    return wrap(additive(clinic(), list(columns)), clinic())


def alone(columns, budget=None):
    """The answer of one entry by itself."""
    return single(columns).answer(ROW[None], budget)[0][0]


@pytest.mark.parametrize(
    ("budget", "columns", "spent"),
    [(1.5, SMALL, 1.5), (10.36, SMALL, 1.5), (10.37, MIDDLE, 10.37), (48.27, LARGE, 48.27)],
)
def test_the_best_entry_that_can_be_paid_in_full_runs(budget, columns, spent):
    model = menu(SMALL, MIDDLE, LARGE)
    session = feed(model.session(budget), ROW, NAMES)
    assert session.spent == pytest.approx(spent)
    np.testing.assert_array_equal(session.read().scores, alone(columns))
    np.testing.assert_array_equal(model.answer(ROW[None], budget)[0][0], alone(columns))


def test_without_enough_for_any_entry_the_first_buys_what_it_can():
    model = menu(SMALL, MIDDLE)
    session = feed(model.session(0.7), ROW, NAMES)
    assert session.bought == ("age",)
    np.testing.assert_array_equal(session.read().scores, alone(SMALL, budget=0.7))


def test_a_failure_lets_the_next_best_entry_take_over():
    session = menu(SMALL, MIDDLE, LARGE).session()
    assert "scan" in session.ask().items
    session.fail("scan")
    assert session.ask().items == ("draw", "chol")
    session = feed(session, ROW, NAMES)
    assert "scan" not in session.bought
    np.testing.assert_array_equal(session.read().scores, alone(MIDDLE))


def test_what_was_paid_before_a_failure_counts_when_choosing_again():
    session = menu(SMALL, MIDDLE).session(10.37)
    session.tell(values_of(ROW, ["chol"], NAMES))
    session.fail("sugar")
    assert session.spent == pytest.approx(7.27)
    assert session.ask().items == ("age",)
    session = feed(session, ROW, NAMES)
    assert session.bought == ("age", "draw", "ward", "chol")
    np.testing.assert_array_equal(session.read().scores, alone(SMALL))


def test_when_no_entry_is_left_the_running_one_goes_on_without():
    answers = []
    for model in (menu([AGE, CHOL]), single([AGE, CHOL])):
        session = model.session()
        session.fail("age")
        session = feed(session, ROW, NAMES)
        assert session.bought == ("draw", "chol")
        answers.append(session.read().scores)
    np.testing.assert_array_equal(*answers)


def test_until_an_entry_is_complete_the_best_complete_one_answers():
    session = menu(SMALL, [*SMALL, CHOL, SUGAR]).session()
    answers = []
    for request in requests(session):
        answers.append(session.read().scores)
        session.tell(values_of(ROW, request.columns, NAMES))
    # age, ward: then the small entry is complete, and stays the answer until sugar is there
    np.testing.assert_array_equal(answers[2], alone(SMALL))
    np.testing.assert_array_equal(answers[3], alone(SMALL))
    np.testing.assert_array_equal(session.read().scores, alone([*SMALL, CHOL, SUGAR]))


def test_an_entry_is_complete_when_its_items_were_bought_as_requirements():
    session = menu([CHOL, PULSE], [SCAN, SUGAR]).session()
    session.tell(values_of(ROW, ["scan", "chol", "pulse", "ecg"], NAMES))
    assert "sugar" not in session.bought
    np.testing.assert_array_equal(session.read().scores, alone([CHOL, PULSE]))


def test_owned_items_can_make_a_better_entry_payable():
    model = menu(SMALL, LARGE)
    known = values_of(ROW, ["scan", "pulse", "ecg"], NAMES)
    session = feed(model.session(1.0, known=known), ROW, NAMES)
    np.testing.assert_array_equal(session.read().scores, alone(LARGE))
    assert session.spent == 0.0


def test_bad_menus_are_refused():
    with pytest.raises(ValueError, match="a menu needs at least one entry"):
        MenuPlan([])
    costs = clinic()
    with pytest.raises(ValueError, match="must have the same number of outputs"):
        MenuPlan([additive(costs), additive(costs, outputs=3)])


def test_entries_start_when_they_are_needed(monkeypatch):
    model = menu(SMALL, MIDDLE, LARGE)
    started = []
    for number, entry in enumerate(model.plan.plan.entries):
        start = entry.start

        def counted(*given, start=start, number=number):
            started.append(number)
            return start(*given)

        monkeypatch.setattr(entry, "start", counted)
    session = feed(model.session(), ROW, NAMES)
    session.read()
    assert started == [2]


def test_an_owned_entry_answers_until_the_running_one_is_complete():
    # the small entry is told for the answer alone: nothing waits for it
    model = menu(SMALL, [*SMALL, CHOL, SUGAR])
    session = model.session()
    for request in requests(session):
        if {"age", "ward"} <= set(session.bought):
            np.testing.assert_array_equal(session.read().scores, alone(SMALL))
        session.tell(values_of(ROW, request.columns, NAMES))
    np.testing.assert_array_equal(session.read().scores, alone([*SMALL, CHOL, SUGAR]))


def test_an_owned_entry_takes_over_where_the_running_one_cannot_be_completed():
    session = menu(SMALL, [*SMALL, CHOL]).session()
    for request in requests(session):
        if "chol" in request.items:
            session.fail("chol")
        else:
            session.tell(values_of(ROW, request.columns, NAMES))
    np.testing.assert_array_equal(session.read().scores, alone(SMALL))
