import math

import numpy as np
import pandas as pd
import pytest

from scrimp import BudgetedBoostingClassifier, at_budget
from scrimp.data.columns import Columns
from scrimp.data.target import Target
from scrimp.plans.priced_plan import PricedPlan
from scrimp.runtime.session import Request, Session
from tests.contract.handmade import (
    AGE,
    CHOL,
    ECG,
    NAMES,
    PULSE,
    SCAN,
    SUGAR,
    additive,
    blocks,
    clinic,
    predictor,
    prefix,
    wrap,
)


def session(columns, budget=None, **options):
    costs = clinic()
    return wrap(additive(costs, list(columns)), costs).session(budget, **options)


def test_a_request_names_items_columns_and_price():
    request = session([SCAN]).ask()
    assert request == Request(
        ("ward", "draw", "chol", "scan"),
        ("pulse", "ecg", "chol", "scan"),
        math.fsum([1.0, 2.1, 5.17, 40.0]),
    )


def test_asking_twice_asks_for_the_same():
    one = session([CHOL])
    assert one.ask() == one.ask()
    assert one.spent == 0.0
    assert one.budget == np.inf


def test_values_may_come_in_several_calls():
    one = session([SCAN])
    one.tell({"pulse": 1.0, "ecg": 2.0})
    assert one.spent == 1.0
    assert one.ask().items == ("draw", "chol", "scan")
    one.tell({"chol": 1.0})
    assert one.bought == ("draw", "ward", "chol")
    one.tell({"scan": None})
    assert one.ask() is None
    assert one.spent == pytest.approx(48.27)


def test_a_fee_is_paid_with_the_first_that_requires_it():
    one = session([CHOL, SUGAR])
    assert one.ask().items == ("draw", "chol")
    one.tell({"chol": 1.0})
    assert one.spent == pytest.approx(7.27)
    assert one.ask() == Request(("sugar",), ("sugar",), 3.1)


def test_items_without_columns_arrive_by_name_or_by_an_empty_tell():
    for options in ({"arrived": ["compute"]}, {}):
        costs = clinic()
        one = wrap(blocks(costs), costs).session()
        one.tell({"sugar": 1.0, "pulse": 0.0, "ecg": 1.0})
        one.tell({"chol": 1.0})
        assert one.ask().items == ("compute",)
        one.tell(**options)
        assert one.ask() is None
        assert "compute" in one.bought


def test_what_arrived_stays_paid_when_a_later_item_fails():
    one = session([SCAN, ECG, CHOL])
    one.tell({"pulse": 1.0, "ecg": 2.0})
    one.fail("scan")
    assert one.bought == ("ward",)
    assert one.spent == 1.0
    assert one.ask().items == ("draw", "chol")  # the ecg was there, so it was used


def test_a_failed_fee_fails_all_that_requires_it():
    one = session([CHOL, SUGAR, AGE])
    one.fail("draw")
    assert one.ask().items == ("age",)
    one.tell({"age": 1.0})
    assert one.ask() is None


def test_fail_without_a_name_means_what_the_stage_is_for():
    one = session([CHOL, SUGAR, CHOL])
    one.fail()
    assert one.ask().items == ("draw", "sugar")  # the blood can still be drawn
    one.tell({"sugar": 1.0})
    assert one.ask() is None


def test_late_news_of_a_failure_does_not_hurt_the_present_stage():
    one = session([SCAN, AGE, PULSE])
    one.fail("scan")
    assert one.ask().items == ("age",)
    one.fail("ward")  # was in flight with the scan
    assert one.ask().items == ("age",)
    one.tell({"age": 1.0})
    assert one.ask() is None
    assert one.bought == ("age",)
    one.fail("age")  # nobody waits for it
    assert one.bought == ("age",)


def test_after_an_error_the_session_goes_on():
    one = session([PULSE])
    before = one.ask()
    for values in ({"pulse": 1.0}, {"pulse": "fast", "ecg": 1.0}, {"age": 1.0}, {"blood": 1}):
        with pytest.raises(ValueError):  # noqa: PT011 the texts are tested below
            one.tell(values)
    assert one.ask() == before
    assert one.spent == 0.0
    one.tell({"pulse": 1.0, "ecg": 1.0})
    assert one.ask() is None


@pytest.mark.parametrize(
    ("values", "options", "text"),
    [
        ({"pulse": 1.0}, {}, r"Item 'ward' also brings \['ecg'\]: tell all columns of an item"),
        ({"age": 1.0}, {}, r"'age' was not asked for; expected \['pulse', 'ecg'\]"),
        ({"blood": 1.0}, {}, r"There is no column 'blood'; expected one of \['age', 'pulse'"),
        ({"pulse": "fast", "ecg": 1}, {}, "Column 'pulse' is 'fast'; expected a number, or None"),
        ({"pulse": "80", "ecg": 1}, {}, "Column 'pulse' is '80'; expected a number, or None"),
        ({}, {"arrived": ["mri"]}, r"There are no items \['mri'\]; expected some of"),
        ({}, {"arrived": ["ward"]}, r"Item 'ward' also brings \['pulse', 'ecg'\]"),
    ],
)
def test_what_was_not_asked_for_is_refused(values, options, text):
    with pytest.raises(ValueError, match=text):
        session([PULSE]).tell(values, **options)


def test_an_unknown_item_cannot_fail():
    with pytest.raises(ValueError, match=r"There are no items \['mri'\]"):
        session([PULSE]).fail("mri")


def test_what_is_known_is_free():
    one = session([CHOL, SUGAR], known={"chol": 1.0})
    assert one.bought == ("draw", "chol")
    assert one.ask() == Request(("sugar",), ("sugar",), 3.1)
    assert one.spent == 0.0


def test_a_fee_that_was_paid_is_free():
    one = session([CHOL], 5.17, owned=["draw"])
    assert one.ask().items == ("chol",)


def test_half_an_item_is_not_owned():
    one = session([PULSE], known={"pulse": 1.0})
    assert one.bought == ()
    assert one.ask().items == ("ward",)


def test_an_item_with_columns_is_known_and_not_owned():
    with pytest.raises(
        ValueError, match="Item 'chol' brings columns: give their values in `known`"
    ):
        session([CHOL], owned=["chol"])


def test_without_missing_values_what_is_known_must_be_complete():
    costs = clinic()
    model = wrap(prefix(costs), costs)
    text = r"What is known requires items that bring \['pulse', 'chol'\]"
    with pytest.raises(ValueError, match=text):
        model.session(known={"scan": 1.0})
    known = {"scan": 1.0, "pulse": 1.0, "chol": 1.0}
    assert np.isfinite(model.session(known=known).read().scores).all()
    # where missing values are accepted, what is not given is missing
    lenient = session([CHOL], known={"scan": 1.0})
    assert lenient.ask() is None
    assert np.isfinite(lenient.read().scores).all()


@pytest.mark.parametrize("value", [None, math.nan, math.inf])
def test_without_missing_values_a_gap_is_refused_and_can_then_fail(value):
    costs = clinic()
    one = wrap(prefix(costs), costs).session()
    with pytest.raises(ValueError, match=r"Column 'sugar' is .* cannot use. Call fail\(\)"):
        one.tell({"sugar": value})
    one.fail()
    assert one.spent == 0.0
    one = wrap(prefix(costs), costs).session()
    one.tell({"sugar": 1.0})
    one.tell({"age": 1.0, "pulse": 1.0, "ecg": value})  # bought with the pulse, but never read
    assert one.ask().items == ("chol",)


def test_the_answer_of_a_regression_has_no_probabilities():
    costs = clinic()
    columns = Columns(NAMES, (None,) * len(NAMES))
    target = Target("regression", np.array([]))
    one = Session(PricedPlan(additive(costs), costs), columns, target)
    answer = one.read()
    assert answer.label == answer.scores[0] == 0.3
    assert answer.probabilities is None
    with pytest.raises(TypeError, match="stop='certain' keeps a label, and a regression has none"):
        Session(PricedPlan(additive(costs), costs), columns, target, stop="certain")


def test_an_answer_can_be_kept():
    one = session([AGE, CHOL])
    before = one.read()
    scores = before.scores.copy()
    one.tell({"age": 1.0})
    one.tell({"chol": 1.0})
    assert (before.scores == scores).all()
    assert before.spent == 0.0


def test_keys_may_be_any_whole_number():
    model = predictor("sampled", clinic())
    for key in (-1, 2**64 - 1, 2**70, 0):
        assert model.session(9.0, key=key).ask() is not None


@pytest.mark.parametrize("budget", [-1.0, math.nan, "much", [1.0, 2.0]])
def test_a_budget_is_one_number_that_is_not_negative(budget):
    with pytest.raises(ValueError, match="budget"):
        session([AGE], budget)


def test_an_answer_counts_all_that_is_owned():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 2))
    y = (X[:, 0] + 0.6 * X[:, 1] > 0).astype(int)
    model = BudgetedBoostingClassifier([1.0, 1.0], rule="edge", n_rounds=20).fit(X, y)
    session = model.session(known={"x1": 2.0})
    assert session.ask().items == ("x0",)
    row = [[np.nan, 2.0]]
    expected = model.decision_function(row, budget=0.0, owned=np.array([False, True]))
    assert session.read().scores == expected  # as if it were cut off now
    session.tell({"x0": -1.0})
    assert session.read().scores == model.decision_function([[-1.0, 2.0]])


def test_telling_nothing_is_refused():
    X = np.arange(8.0).reshape(8, 1)
    model = BudgetedBoostingClassifier(n_rounds=2).fit(X, [0, 0, 1, 0, 1, 1, 1, 1])
    session = model.session()
    with pytest.raises(ValueError, match=r"Nothing was told; expected \['x0'\]"):
        session.tell({})
    assert session.spent == 0.0


def test_at_budget_of_a_pipeline():
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    X = np.random.default_rng(0).normal(size=(50, 3))
    pipe = make_pipeline(StandardScaler(), BudgetedBoostingClassifier(n_rounds=5))
    plain = at_budget(pipe, 1.0).fit(X, X[:, 1] > 0)
    assert plain.score(X, X[:, 1] > 0) > 0.9


@pytest.mark.parametrize("value", [True, False, math.inf, -math.inf, None])
def test_a_value_is_read_as_in_a_table(value):
    X = pd.DataFrame({"a": np.linspace(-1, 1, 40), "b": np.arange(40) % 2})
    model = BudgetedBoostingClassifier(n_rounds=5).fit(X, X["a"] > 0.3)
    row = pd.DataFrame({"a": [value], "b": [1.0]}, dtype=object)
    told = model.session(known={"a": value, "b": 1.0}).read()
    np.testing.assert_array_equal(told.probabilities, model.predict_proba(row)[0])
