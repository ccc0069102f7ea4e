"""The budgeted booster: contracts, options and bad input."""

from __future__ import annotations

import warnings
from functools import partial

import numpy as np
import polars as pl
import pytest
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from scrimp import BudgetedBoostingClassifier, Costs, Item, at_budget, check_budgeted_estimator
from scrimp.runtime.events import listening

#: The paper's own vote.
VoteClassifier = partial(BudgetedBoostingClassifier, combine="vote")


@pytest.fixture
def table():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(300, 6))
    y = np.where(X[:, 0] + X[:, 1] ** 2 - X[:, 2] + rng.normal(size=300) > 0.5, "ill", "well")
    return X, y, np.array([1.0, 4.0, 2.0, 0.5, 3.0, 8.0])


@parametrize_with_checks(
    [
        VoteClassifier(rule="edge", budget=2.0, unaffordable="stop", n_rounds=20),
        VoteClassifier(budget=[1.0, 2.0], n_rounds=10),
    ],
    expected_failed_checks=lambda _: {"check_class_weight_classifiers": "stumps have two sides"},
)
def test_is_a_scikit_learn_estimator(estimator, check):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        check(estimator)


@pytest.mark.parametrize("rule", ["greedy", "edge", "smoothed", "hybrid"])
@pytest.mark.parametrize("unaffordable", ["skip", "stop"])
def test_keeps_the_budget_contract(rule, unaffordable):
    excluded = ["check_no_worse_than_prior"]  # of parts of a vote
    if unaffordable == "stop":  # a run that ends at the first stump too dear misses free ones
        excluded.append("check_free_items_are_used")
    model = VoteClassifier(rule=rule, unaffordable=unaffordable, n_rounds=15)
    check_budgeted_estimator(model, max_examples=5, exclude=excluded)


def test_candidate_thresholds_are_the_midpoints():
    values = np.array([0.0, 1.0, 1.0, 4.0, 10.0, 10.0])
    model = VoteClassifier(n_rounds=1)
    for label, expected in [([0, 1, 1, 1, 1, 1], 0.5), ([0, 0, 0, 1, 1, 1], 2.5),
                            ([0, 0, 0, 0, 1, 1], 7.0)]:  # fmt: skip
        fitted = model.fit(values[:, None], label)
        assert fitted.plan_.plan.stumps.high.tolist() == [expected]


@pytest.mark.filterwarnings("ignore:The cheapest purchase")
def test_no_row_spends_more_than_its_own_budget(table):
    X, y, prices = table
    model = VoteClassifier(prices, n_rounds=60).fit(X, y)
    budgets = np.random.default_rng(0).uniform(0, 20, size=len(X))
    spent = model.spend(X, budget=budgets)
    assert (spent <= budgets * (1 + 1e-9)).all()
    one_by_one = [model.predict(X[[i]], budget=budgets[i])[0] for i in range(40)]
    assert model.predict(X, budget=budgets)[:40].tolist() == one_by_one


def test_certain_keeps_the_labels_and_spends_less(table):
    X, y, prices = table
    budgets = [0.5, 2.0, 5.0, 12.0, 18.5]
    for unaffordable in ("skip", "stop"):
        model = VoteClassifier(prices, n_rounds=80, unaffordable=unaffordable)
        plain = model.fit(X, y).sweep(X, budgets)
        certain = model.sweep(X, budgets, stop="certain")
        assert (plain.labels() == certain.labels()).all()
        assert (certain.spent <= plain.spent).all()
        assert certain.spent.sum() < plain.spent.sum()


def test_a_list_of_budgets_is_one_training_each(table):
    X, y, prices = table
    menu = VoteClassifier(prices, budget=[7.0, 2.0], n_rounds=40).fit(X, y)
    for budget in (2.0, 7.0):
        alone = VoteClassifier(prices, budget=budget, n_rounds=40).fit(X, y)
        np.testing.assert_array_equal(
            menu.decision_function(X, budget=budget), alone.decision_function(X)
        )
    certain = menu.sweep(X, [2.0, 7.0], stop="certain")
    assert (certain.labels() == menu.sweep(X, [2.0, 7.0]).labels()).all()


def test_what_is_owned_is_free(table):
    X, y, prices = table
    model = VoteClassifier(prices, n_rounds=60).fit(X, y)
    owned = np.array([True, True, False, False, False, False])
    full = model.spend(X)
    assert model.spend(X, owned=owned) == pytest.approx(full - prices[owned].sum())
    assert (model.decision_function(X, owned=owned) == model.decision_function(X)).all()


def test_an_interrupted_fit_is_a_valid_model(table):
    X, y, prices = table

    def interrupt(event):
        if event.done == 7:
            raise KeyboardInterrupt

    model = VoteClassifier(prices, n_rounds=100)
    with listening(interrupt), pytest.raises(KeyboardInterrupt):
        model.fit(X, y)
    assert len(model.edges_) == 7
    short = VoteClassifier(prices, n_rounds=7).fit(X, y)
    np.testing.assert_array_equal(model.decision_function(X), short.decision_function(X))


def test_an_interrupted_list_of_budgets_keeps_what_is_done(table):
    X, y, prices = table

    def interrupt(event):
        if event.task == "fit 2/3" and event.done == 3:
            raise KeyboardInterrupt

    model = VoteClassifier(prices, budget=[1.0, 4.0, 9.0], n_rounds=10)
    with listening(interrupt), pytest.raises(KeyboardInterrupt):
        model.fit(X, y)
    assert len(model.plan_.plan.entries) == 2
    assert set(model.predict(X)) == {"ill", "well"}


def test_the_threads_do_not_matter(table):
    X, y, prices = table
    one, two = (VoteClassifier(prices, n_rounds=30, n_jobs=j).fit(X, y) for j in (1, 2))
    np.testing.assert_array_equal(one.decision_function(X), two.decision_function(X))


def test_works_in_pipelines_and_grid_search(table):
    X, y, prices = table
    pipe = make_pipeline(StandardScaler(), VoteClassifier(prices, n_rounds=20))
    grid = {"budgetedboostingclassifier__budget": [1.0, 10.0]}
    search = GridSearchCV(pipe, grid, cv=3).fit(X, y)
    assert search.best_params_["budgetedboostingclassifier__budget"] == 10.0
    model = VoteClassifier(prices, n_rounds=20).fit(X, y)
    plain = at_budget(model, 2.0)
    assert plain.predict(X).tolist() == model.predict(X, budget=2.0).tolist()
    assert plain.score(X, y) == model.score(X, y, budget=2.0)


def test_frames_are_matched_by_name():
    rng = np.random.default_rng(0)
    frame = pl.DataFrame({"a": rng.normal(size=80), "b": rng.choice(["x", "y", "z"], size=80)})
    y = (frame["b"] == "y").to_numpy().astype(int)
    model = VoteClassifier({"b": 2.0, "a": 1.0}, n_rounds=5).fit(frame, y)
    assert model.score(frame.select("b", "a"), y) == 1.0
    assert model.score(frame.to_pandas(), y) == 1.0
    assert model.plan_.costs.prices == (2.0, 1.0)
    with pytest.raises(ValueError, match=r"it lacks \['a'\]; it has \['c'\], unknown"):
        model.predict(frame.rename({"a": "c"}))


def test_missing_values_vote_by_themselves():
    x = np.array([np.nan] * 10 + [1.0] * 10 + [2.0] * 10)
    y = np.array([1] * 10 + [0] * 10 + [1] * 10)
    model = VoteClassifier(n_rounds=3).fit(x[:, None], y)
    assert (model.predict(x[:, None]) == y).all()


def test_a_missing_value_abstains_where_training_had_none():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(50, 2))
    y = (x[:, 0] + rng.normal(size=50) > -1).astype(int)
    model = VoteClassifier(n_rounds=5).fit(x, y)
    row = [[np.nan, np.nan]]
    assert model.predict_proba(row)[0, 1] == pytest.approx(y.mean())  # nobody votes: the prior
    assert model.predict_proba(row).tolist() == model.predict_proba(row, budget=0.0).tolist()
    sweep = model.sweep(np.array(row * 2), [0.0, 1.0, 2.0])
    assert (sweep.scores == sweep.scores[0, 0]).all()


def test_constant_columns_are_never_bought(table):
    X, y, _ = table
    X = np.column_stack([np.full(len(X), 7.0), X])
    model = VoteClassifier(n_rounds=30).fit(X, y)
    assert "x0" not in [purchase.item for purchase in model.plan_.summary()]


def test_only_constant_columns_give_the_prior():
    with pytest.warns(UserWarning, match="No column has an edge"):
        model = VoteClassifier().fit(np.ones((9, 2)), [0] * 6 + [1] * 3)
    np.testing.assert_allclose(model.predict_proba([[1.0, 1.0]]), [[2 / 3, 1 / 3]])


def test_a_budget_that_nothing_fits_warns_and_gives_the_prior(table):
    X, y, prices = table
    with pytest.warns(UserWarning, match=r"'x3' costs 0.5 but the budget is 0.25"):
        model = VoteClassifier(prices, budget=0.25).fit(X, y)
    share = (y == "well").mean()
    np.testing.assert_allclose(model.predict_proba(X)[:, 1], share)
    model = VoteClassifier(prices, n_rounds=30).fit(X, y)
    with pytest.warns(UserWarning, match="so nothing is bought and the answer is the prior"):
        np.testing.assert_allclose(model.predict_proba(X, budget=0.25)[:, 1], share)


def test_fees_are_paid_once_and_count_in_the_choice():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(400, 3))
    y = (X.sum(axis=1) + 0.5 * rng.normal(size=400) > 0).astype(int)
    costs = Costs.from_items(
        [
            Item("visit", 10.0, ()),
            Item("a", 1.0, ("a",), ("visit",)),
            Item("b", 1.0, ("b",), ("visit",)),
            Item("c", 5.0, ("c",)),
        ]
    )
    frame = pl.DataFrame(X, schema=["a", "b", "c"])
    model = VoteClassifier(costs, n_rounds=20).fit(frame, y)
    assert [p.item for p in model.plan_.summary()] == ["c", "visit", "a", "b"] or [
        p.item for p in model.plan_.summary()
    ] == ["c", "visit", "b", "a"]
    assert model.spend(frame).max() == 17.0
    assert model.spend(frame, budget=16.0).max() == 16.0


@pytest.mark.parametrize(
    ("params", "text"),
    [
        ({"rule": "best"}, "rule is 'best'; expected one of 'edge', 'greedy'"),
        ({"tau": -1.0}, "tau is -1.0; expected a finite number >= 0"),
        ({"switch": np.nan}, "switch is nan; expected a finite number >= 0"),
        ({"unaffordable": "ignore"}, "unaffordable is 'ignore'"),
        ({"n_rounds": 0}, "n_rounds is 0; expected a whole number >= 1"),
        ({"max_bins": 1}, "max_bins is 1; expected a whole number >= 2 and <= 65535"),
        ({"budget": -1.0}, "budget is -1.0; expected a number >= 0"),
        ({"budget": float("nan")}, "budget is nan; expected a number >= 0"),
        ({"budget": [1.0, -2.0]}, r"budgets hold -2.0; expected numbers >= 0"),
        ({"budget": "much"}, "budget is 'much'; expected a number"),
        ({"costs": [1.0, 2.0]}, "The prices cover 2 columns but X has 6"),
        ({"costs": [1, 1, 1, 1, 1, -3]}, "Item 'x5' has the price -3.0; expected a finite"),
        ({"costs": [1, 1, 1, 1, 1, np.nan]}, "Item 'x5' has the price nan"),
        ({"costs": [1, 1, 1, 1, 1, np.inf]}, "Item 'x5' has the price inf"),
        ({"costs": {"a": 1.0}}, "The prices name columns but X has no column names"),
    ],
)
def test_bad_parameters_are_refused(table, params, text):
    X, y, _ = table
    with pytest.raises(ValueError, match=text):
        VoteClassifier(**params).fit(X, y)


def test_bad_labels_are_refused(table):
    X, _, _ = table
    with pytest.raises(ValueError, match="one class only"):
        VoteClassifier().fit(X, np.zeros(len(X)))
    with pytest.raises(ValueError, match="Unknown label type: continuous"):
        VoteClassifier().fit(X, X[:, 0])


def test_bad_predictions_are_refused(table):
    X, y, prices = table
    model = VoteClassifier(prices, n_rounds=5).fit(X, y)
    with pytest.raises(ValueError, match=r"budget is -1.0; expected a number >= 0"):
        model.predict(X, budget=-1)
    with pytest.raises(ValueError, match="budget is nan"):
        model.predict(X, budget=np.nan)
    with pytest.raises(ValueError, match=r"budget has the shape \(2,\)"):
        model.predict(X, budget=[1.0, 2.0])
    with pytest.raises(ValueError, match="X has 5 features"):
        model.predict(X[:, :5])
    with pytest.raises(ValueError, match="stop is 'soon'; expected one of None, 'none', 'certain'"):
        model.predict(X, stop="soon")
    with pytest.raises(ValueError, match=r"owned names \['x99'\], which are neither columns nor"):
        model.predict(X, owned=["x1", "x99"])
    with pytest.raises(ValueError, match=r"owned is 'x1'; expected a list of names: \['x1'\]"):
        model.predict(X, owned="x1")


def test_a_failed_fit_leaves_the_model_as_it_was(table):
    X, y, prices = table
    model = VoteClassifier(prices, n_rounds=5)
    with pytest.raises(ValueError, match="one class"):
        model.fit(X, np.zeros(len(X)))
    assert not hasattr(model, "plan_")
    before = model.fit(X, y).decision_function(X)
    for params in ({"random_state": "x"}, {"n_jobs": 0}, {"costs": [1.0]}):
        with pytest.raises(ValueError, match=r"."):
            model.set_params(**params).fit(X, y)
        model.set_params(random_state=None, n_jobs=None, costs=prices)
    np.testing.assert_array_equal(model.decision_function(X), before)


def test_names_of_a_frame_are_kept():
    frame = pl.DataFrame({"a": [1.0, 2.0, 3.0, 4.0], "b": ["x", "y", "x", "y"]})
    model = VoteClassifier(n_rounds=2).fit(frame, [0, 1, 0, 1])
    assert model.feature_names_in_.tolist() == ["a", "b"]
    assert model.n_features_in_ == 2
    with pytest.raises(ValueError, match="fitted on a data frame with categories, and X is an"):
        model.predict(np.array([[1.0, "x"]], dtype=object))


def test_prices_of_a_series_go_by_its_labels():
    import pandas as pd

    frame = pd.DataFrame({"a": [1.0, 2, 3, 4], "b": [4.0, 1, 3, 2]})
    prices = pd.Series({"b": 5.0, "a": 1.0})
    model = VoteClassifier(prices, n_rounds=1).fit(frame, [0, 0, 1, 1])
    assert dict(zip(model.plan_.costs.names, model.plan_.costs.prices, strict=True)) == {
        "a": 1.0,
        "b": 5.0,
    }


def test_owned_may_be_a_frame_with_names():
    import pandas as pd

    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(60, 3)), columns=list("abc"))
    y = (frame.sum(axis=1) > 0).to_numpy().astype(int)
    model = VoteClassifier({"a": 5.0, "b": 3.0, "c": 1.0}, n_rounds=20).fit(frame, y)
    owned = pd.DataFrame({"c": np.zeros(60, bool), "a": np.ones(60, bool)})
    assert model.spend(frame, owned=owned).max() == 4.0
    with pytest.raises(ValueError, match=r"owned names \['d'\]"):
        model.spend(frame, owned=owned.rename(columns={"c": "d"}))


def test_a_mask_that_may_mean_items_or_columns_is_refused():
    costs = Costs(("fee", "pair"), (2.0, 5.0), ((), (0, 1)), ((), (0,)))
    X = np.random.default_rng(0).normal(size=(50, 2))
    model = VoteClassifier(costs, n_rounds=5).fit(X, X[:, 0] > 0)
    with pytest.raises(ValueError, match="may mean either"):
        model.spend(X, owned=np.array([True, False]))


def test_huge_weights_are_only_relative(table):
    X, y, prices = table
    model = VoteClassifier(prices, n_rounds=5)
    plain = model.fit(X, y).decision_function(X)
    huge = model.fit(X, y, sample_weight=np.full(len(X), 1e308)).decision_function(X)
    np.testing.assert_allclose(huge, plain)


def test_at_budget_is_an_estimator(table, tmp_path):
    from sklearn.base import is_classifier
    from sklearn.calibration import CalibratedClassifierCV

    from scrimp import load, save

    X, y, prices = table
    plain = at_budget(VoteClassifier(prices, n_rounds=10), 3.0)
    calibrated = CalibratedClassifierCV(plain, cv=3).fit(X, y)
    assert calibrated.score(X, y) > 0.5
    plain.fit(X, y, sample_weight=np.ones(len(X)))
    assert plain.n_features_in_ == 6
    assert plain.spend(X).max() <= 3.0
    save(plain.model_, tmp_path / "m.scrimp")
    loaded = at_budget(load(tmp_path / "m.scrimp"), 3.0)
    assert is_classifier(loaded)
    assert loaded.score(X, y) == plain.score(X, y)
