import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import RandomForestClassifier

from scrimp import SampledBoostingClassifier
from scrimp.runtime.replay import replay, replay_rows
from tests.contract.handmade import (
    AGE,
    CERTAIN,
    CHOL,
    ECG,
    KINDS,
    NAMES,
    PULSE,
    additive,
    clinic,
    predictor,
    prefix,
    table,
    wrap,
)

pytestmark = pytest.mark.filterwarnings("ignore:The cheapest purchase")


def test_budgets_may_come_in_any_order_and_more_than_once():
    model = predictor("additive", clinic())
    X = table()
    sweep = model.sweep(X, [9.0, 0.0, 9.0, np.inf])
    assert sweep.budgets.tolist() == [9.0, 0.0, 9.0, np.inf]
    np.testing.assert_array_equal(sweep.scores[:, 0], sweep.scores[:, 2])
    np.testing.assert_array_equal(sweep.scores[:, 0], model.answer(X, 9.0)[0])
    assert sweep.labels().shape == (len(X), 4)
    assert sweep.probabilities().shape == (len(X), 4, 2)


@pytest.mark.parametrize("kind", KINDS)
def test_a_table_of_any_kind_of_float_and_order(kind):
    model = predictor(kind, clinic())
    X = table(missing=model.plan.plan.accepts_missing).astype(np.float32)
    expected = model.answer(X.astype(np.float64), 11.0)[0]
    for same in (X, np.asfortranarray(X), pd.DataFrame(X, columns=NAMES).iloc[:, ::-1]):
        np.testing.assert_allclose(model.answer(same, 11.0)[0], expected, rtol=1e-6)


def test_values_in_single_precision_fall_on_the_same_side_of_a_cut():
    costs = clinic()
    model = wrap(additive(costs, [AGE]), costs)
    cut = model.plan.plan.stumps.high[0] = (
        0.1  # above it in single precision, and just not in double
    )
    X = np.zeros((2, len(NAMES)), dtype=np.float32)
    X[:, AGE] = cut
    both = model.answer(X)[0]
    one = model.answer(X[:1])[0]
    assert both[0] == both[1] == one[0]


def test_missing_values_are_refused_only_in_columns_that_are_bought_and_read():
    costs = clinic()
    model = wrap(prefix(costs), costs)
    X = table(3, missing=False)
    expected = model.answer(X)[0]
    X[:, ECG] = np.nan  # comes with the pulse, and is never read
    np.testing.assert_array_equal(model.answer(X)[0], expected)
    np.testing.assert_array_equal(model.answer(pd.DataFrame(X, columns=NAMES))[0], expected)
    X[1, PULSE] = np.inf
    assert np.isfinite(model.answer(X, 5.2)[0]).all()
    with pytest.raises(ValueError, match=r"Column 'pulse' was bought and holds NaN or infinity"):
        model.answer(X)


@pytest.mark.parametrize("kind", KINDS)
def test_no_rows_no_answers(kind):
    model = predictor(kind, clinic())
    for stop in (None, "certain") if kind in CERTAIN else (None,):
        sweep = replay(
            model.plan, model.target, np.empty((0, len(NAMES))), np.array([1.0]), stop=stop
        )
        assert sweep.scores.shape == (0, 1, model.target.n_outputs)
        assert sweep.spent.shape == (0, 1)


def test_what_a_row_owns_is_free():
    costs = clinic()
    model = wrap(additive(costs, [CHOL, PULSE]), costs)
    X = table(3, missing=False)
    nothing = np.zeros((3, costs.n_items), dtype=bool)
    np.testing.assert_array_equal(model.spend(X, owned=nothing), model.spend(X))
    mask = nothing.copy()
    mask[0, costs.names.index("draw")] = True
    mask[1, costs.names.index("scan")] = True
    np.testing.assert_allclose(model.spend(X, owned=mask), [6.17, 0.0, 8.27])
    columns = np.zeros(len(NAMES), dtype=bool)
    columns[[PULSE, CHOL]] = True  # half of the ward is not the ward
    np.testing.assert_allclose(model.spend(X, owned=columns), [1.0] * 3)
    columns[ECG] = True
    np.testing.assert_array_equal(model.spend(X, owned=columns), [0.0] * 3)
    np.testing.assert_array_equal(model.answer(X, 0.0, owned=columns)[0], model.answer(X)[0])


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"budget": -1.0}, "budget is -1.0; expected a number >= 0, or None"),
        ({"budget": np.nan}, "budget is nan; expected a number >= 0"),
        (
            {"budget": [1.0, 2.0]},
            r"budget has the shape \(2,\); expected one number, or one for ea",
        ),
        ({"budget": "all"}, "budget is 'all'; expected a number >= 0 or None"),
        ({"keys": [1, 2]}, "keys must be 3 whole numbers, one a row"),
        ({"keys": [1.0, 2.0, 3.0]}, "keys must be 3 whole numbers"),
        ({"owned": np.ones((3, 2), dtype=bool)}, r"owned has the shape \(3, 2\); expected 3 rows"),
        ({"owned": np.ones((2, 6), dtype=bool)}, r"owned has the shape \(2, 6\)"),
        ({"owned": np.ones((3, 6))}, "owned must be a boolean mask"),
    ],
)
def test_bad_arguments_are_refused(options, text):
    with pytest.raises(ValueError, match=text):
        predictor("additive", clinic()).predict(table(3), **options)


@pytest.mark.parametrize(
    ("budgets", "text"),
    [
        ([], "budgets must be a list of at least one number"),
        ([[1.0]], "budgets must be a list of at least one number"),
        ([1.0, -2.0], "budgets hold -2.0; expected numbers >= 0"),
        (["a"], "expected a list of numbers >= 0"),
    ],
)
def test_bad_budgets_of_a_sweep_are_refused(budgets, text):
    with pytest.raises(ValueError, match=text):
        predictor("additive", clinic()).sweep(table(3), budgets)


def test_a_line_about_a_sweep():
    sweep = predictor("additive", clinic()).sweep(table(3), [5.0, 0.0])
    assert repr(sweep) == "Sweep(3 rows; 2 budgets from 0 to 5)"


@pytest.mark.parametrize(
    ("n", "words"),
    [
        (1, "'c0'"),
        (2, "'c0' and 'c1' together"),
        (3, "'c0', 'c1' and 'c2' together"),
        (5, "'c2', 'c3', 'c4' and 2 more together"),
    ],
)
def test_what_is_bought_at_once_is_named_together(n, words):
    X = np.random.default_rng(0).normal(size=(80, n))
    forest = RandomForestClassifier(1, random_state=0).fit(X, X.sum(axis=1) > 0)
    names = [f"c{j}" for j in range(n)]
    model = SampledBoostingClassifier.from_ensemble(forest, feature_names=names)
    with pytest.warns(UserWarning, match=f"The cheapest purchase, {words}, costs {n} but the"):
        model.predict(pd.DataFrame(X, columns=names), budget=0.5)


def test_a_budget_too_small_for_anything_is_remarked_upon():
    with pytest.warns(UserWarning, match=r"The cheapest purchase, 'age', costs 0.5 but the budget"):
        predictor("additive", clinic()).predict(table(3), budget=0.1)


@pytest.mark.parametrize("kind", [k for k in KINDS if KINDS[k](clinic()).outline.order == "fixed"])
def test_rows_with_a_shared_history_are_answered_as_if_driven_one_by_one(kind):
    model, X = predictor(kind, clinic()), table(30, missing=False)
    for budget in (0.0, 0.25, 3.6, 9.0, 12.0, 60.0, None):
        scores, spent = model.answer(X, budget)
        limit = np.full(len(X), np.inf if budget is None else budget)
        driven, paid = replay_rows(model.plan, model.target, X, limit)
        np.testing.assert_array_equal(scores, driven)
        np.testing.assert_array_equal(spent, paid)


def test_a_predictor_that_has_answered_can_be_pickled_and_forgets_old_budgets():
    model, X = predictor("additive", clinic()), table(5)
    before = model.predict(X, 9.0)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict(X, 9.0), before)
    for budget in np.linspace(1.0, 60.0, 600):
        model.predict(X, budget)
    assert len(model.plan.cache["histories"]) <= 256
