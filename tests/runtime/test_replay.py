import pickle
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.ensemble import RandomForestClassifier

from scrimp import (
    BudgetedTreeClassifier,
    Costs,
    Item,
    SampledBoostingClassifier,
    SequencedRegressor,
)
from scrimp.checks.driving import feed
from scrimp.data.columns import Columns
from scrimp.data.target import Target
from scrimp.plans.priced_plan import PricedPlan
from scrimp.runtime.predictor import Predictor
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
    np.testing.assert_allclose(sweep.scores[:, 0], model.answer(X, 9.0)[0], atol=1e-12)
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


@pytest.mark.parametrize("mask", ["owned", "failed"])
def test_names_are_masks_of_all_rows(mask):
    model, X = predictor("additive", clinic()), table(3)
    for name in model.costs.names:
        flags = np.array([each == name for each in model.costs.names])
        for answers in (model.answer(X, 9.0, **{mask: [name]}),
                        model.answer(X, 9.0, **{mask: (name,)})):  # fmt: skip
            for one, other in zip(answers, model.answer(X, 9.0, **{mask: flags}), strict=True):
                np.testing.assert_array_equal(one, other)


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
        ({"budget": "10"}, "budget is '10'; expected a number >= 0 or None"),
        ({"budget": True}, "budget is True; expected a number >= 0 or None"),
        ({"budget": np.array([True, False, True])}, r"budget is array.*; expected a number >= 0"),
        ({"budget": [True, 2.0, 3.0]}, r"budget is \[True, 2.0, 3.0\]; expected a number >= 0"),
        ({"budget": ["1", "2", "3"]}, r"budget is \['1', '2', '3'\]; expected a number >= 0"),
        ({"budget": np.array([1.0, "2", 3.0], dtype=object)}, "budget is array.*; expected a num"),
        ({"keys": [1, 2]}, "keys must be 3 whole numbers, one per row"),
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


@pytest.mark.parametrize("budgets", ["10", ["1", "2"], [b"1"]])
def test_budgets_as_text_are_refused(budgets):
    with pytest.raises(ValueError, match=r"budgets are .*; expected a list of numbers >= 0"):
        predictor("additive", clinic()).sweep(table(3), budgets)


#: The item `lab` brings the columns `lab` and `ecg`; the fee has the name of a column.
NAMED_ALIKE = Costs.from_items(
    [
        Item("pulse", 0.5, ()),
        Item("lab", 4.0, ("lab", "ecg"), ("pulse",)),
        Item("ward", 2.0, ("pulse",)),
    ]
)


@pytest.mark.parametrize(
    ("owned", "spent"),
    [
        ({"lab": True}, 6.5),
        ({"ecg": True}, 6.5),
        ({"lab": True, "ecg": True}, 2.0),
        ({"pulse": True}, 4.5),
        ({"pulse": True, "lab": True, "ecg": True}, 0.0),
    ],
)
@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_an_owned_frame_means_columns_as_a_session_does(frame, owned, spent):
    columns = Columns(NAMED_ALIKE.column_names, (None,) * 3)
    plan = additive(NAMED_ALIKE, [0, 2])
    model = Predictor(PricedPlan(plan, NAMED_ALIKE), columns, Target("binary", np.arange(2)), {})
    X = np.zeros((1, 3))
    one = feed(model.session(known=dict.fromkeys(owned, 0.0)), X[0], columns.names)
    assert one.spent == spent
    assert model.spend(X, owned=frame({name: [flag] for name, flag in owned.items()})) == [spent]


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_a_missing_flag_of_an_owned_frame_means_not_owned(frame):
    costs = clinic()
    model = wrap(additive(costs, [CHOL, PULSE]), costs)
    X = table(3, missing=False)
    owned = frame({"chol": [True, None, False], "draw": [None, True, None]})
    np.testing.assert_allclose(model.spend(X, owned=owned), [1.0, 6.17, 8.27])
    with pytest.raises(ValueError, match=r"owned holds .* in 'chol'; expected booleans"):
        model.spend(X, owned=frame({"chol": [1, 0, 1]}))


SPARSE_FORMATS = ["coo", "csc", "csr", "dia", "lil", "dok", "bsr"]


@pytest.mark.parametrize("container", [sparse.csr_array, sparse.csr_matrix])
@pytest.mark.parametrize("kind", ["additive", "prefix"])  # the second takes sparse tables
def test_sparse_tables_of_all_formats_give_the_same_answers(kind, container):
    model = predictor(kind, clinic())
    X = np.where(np.abs(table(9, missing=False)) > 0.7, table(9, missing=False), 0.0)
    expected, spent = model.answer(X, 9.0)
    for name in SPARSE_FORMATS:
        scores, paid = model.answer(container(X).asformat(name), 9.0)
        np.testing.assert_allclose(scores, expected)
        np.testing.assert_array_equal(paid, spent)
        sweep = model.sweep(container(X).asformat(name), [1.0, 9.0])
        np.testing.assert_allclose(sweep.scores[:, 1], expected)


@pytest.mark.parametrize("kind", KINDS)
def test_a_table_without_rows_has_no_answers(kind):
    model, X = predictor(kind, clinic()), np.empty((0, len(NAMES)))
    tables = [X, X.astype(int), pd.DataFrame(X, columns=NAMES)]
    tables += [sparse.csr_array(X).asformat(name) for name in ("coo", "csr", "lil")]
    for empty in tables:
        assert len(model.predict(empty, 9.0)) == 0
        assert model.sweep(empty, [1.0, 9.0]).spent.shape == (0, 2)


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_a_frame_for_a_model_of_an_array_is_matched_by_position_with_a_warning(frame):
    X = table(20, missing=False)
    model = BudgetedTreeClassifier(prune=None).fit(X, X[:, 0] > 0)
    turned = frame({name: X[:, j] for j, name in enumerate(NAMES)})[[*NAMES[::-1]]]
    for asked in (model, model.predictor_):
        with pytest.warns(UserWarning, match="X has feature names, but .* fitted without feature"):
            labels = asked.predict(turned)
        np.testing.assert_array_equal(labels, asked.predict(X[:, ::-1]))
    named = frame({f"x{j}": X[:, j] for j in range(X.shape[1])})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        np.testing.assert_array_equal(model.predict(named), model.predict(X))


def test_many_columns_are_checked_together_and_only_where_they_are_bought():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 12))
    model = SequencedRegressor().fit(X, X @ rng.uniform(1.0, 2.0, 12))
    dearest = int(model.sequence_[-1][1:])
    expected = model.sweep(X, np.arange(12.0)).scores
    X[7, dearest] = np.inf
    np.testing.assert_array_equal(model.sweep(X, np.arange(12.0)).scores, expected)
    with pytest.raises(ValueError, match=f"Column 'x{dearest}' was bought and holds NaN"):
        model.sweep(X, np.arange(13.0))
    with pytest.raises(ValueError, match=f"Column 'x{dearest}' was bought and holds NaN"):
        model.predict(X)
    budgets = np.full(300, 12.0)
    budgets[7] = 11.0
    assert np.isfinite(model.predict(X, budget=budgets)).all()


def test_numbers_whose_sums_overflow_are_finite():
    X = np.random.default_rng(0).normal(size=(50, 6))
    model = SequencedRegressor().fit(X, X.sum(axis=1))
    assert np.isfinite(model.predict(np.full((3, 6), 1e307))).all()
    assert np.isfinite(model.sweep(np.full((3, 6), 1e307), [0.0, 6.0]).scores).all()
