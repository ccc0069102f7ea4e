"""The cost meter: prices with fees, scrimp's own models, and what it refuses."""

import doctest
import math
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import BaseEstimator
from sklearn.calibration import CalibratedClassifierCV
from sklearn.cluster import KMeans
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.ensemble import (
    HistGradientBoostingClassifier,
    RandomForestClassifier,
    VotingClassifier,
)
from sklearn.exceptions import NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import Lasso
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier

from scrimp import (
    BudgetedBoostingClassifier,
    BudgetedTreeClassifier,
    CostMeter,
    Costs,
    Item,
    SequencedRegressor,
    at_budget,
    evaluation,
)
from scrimp.datasets import load_heart
from scrimp.evaluation.metering import metered_model
from tests.evaluation.metering import table
from tests.naive import tree_reads


@pytest.fixture(scope="module")
def heart():
    return load_heart()


def encoded_tree(depth):
    """A tree after one-hot encoding."""
    encode = make_column_transformer(
        (OneHotEncoder(), make_column_selector(dtype_include=object)), remainder="passthrough"
    )
    return make_pipeline(encode, DecisionTreeClassifier(max_depth=depth, random_state=0))


def heart_frame(heart):
    frame = pd.DataFrame(heart.X.to_dict(as_series=False))
    return frame.astype({c: object for c in frame if not pd.api.types.is_numeric_dtype(frame[c])})


def test_rows_pay_shared_fees_once(heart):
    frame = heart_frame(heart)
    model = encoded_tree(6).fit(frame, heart.y)
    costs = heart.costs
    meter = CostMeter(costs)
    spent = meter.spend(model, frame)
    made_from = [
        next(
            c for c in frame if name.split("__")[1] == c or name.split("__")[1].startswith(c + "_")
        )
        for name in model[:-1].get_feature_names_out()
    ]
    item_of = {costs.column_name(c): item for c, item in enumerate(costs.item_of)}
    rows = model[:-1].transform(frame)
    fees = set()
    for row, own in zip(rows, spent, strict=True):
        columns, _ = tree_reads.scikit_walk(model[-1].tree_, row)
        items = costs.closure({item_of[made_from[c]] for c in columns})
        assert own == math.fsum(costs.prices[i] for i in items)
        fees |= {i for i in items if not costs.columns[i]}
    assert fees
    assert fees <= set(meter.items(model))
    assert spent.max() <= meter.price(model) == costs.price_of(meter.items(model))
    assert len(np.unique(spent)) > 5


def test_a_fee_without_its_tests_is_not_paid():
    costs = Costs.from_items(
        [Item("fee", 5.0, ()), Item("a", 1.0, ("a",)), Item("b", 2.0, ("b",), ("fee",)),
         Item("c", 3.0, ("c",), ("b",))]
    )  # fmt: skip
    frame = pd.DataFrame({"c": [0.0, 1.0] * 10, "a": [0.0, 0.0, 1.0, 1.0] * 5, "b": 0.0})
    tree = DecisionTreeClassifier().fit(frame, (frame["a"] > 0) & (frame["c"] > 0))
    meter = CostMeter(costs)
    root = frame.columns[tree.tree_.feature[0]]
    expected = {"a": {1.0: 11.0, 0.0: 1.0}, "c": {1.0: 11.0, 0.0: 10.0}}[root]
    np.testing.assert_array_equal(meter.spend(tree, frame), frame[root].map(expected))
    assert meter.items(tree) == (0, 1, 2, 3)
    assert meter.price(tree) == 11.0


def test_sums_of_prices_are_exact():
    X, y = table(d=9)
    forest = RandomForestClassifier(20, max_depth=2, random_state=0).fit(X, y > 1)
    costs = Costs.per_feature([0.1, 0.2, 0.3, 1e16, 1.0, 1e-9, 0.7, 3.3, 1e-3])
    paid = CostMeter(costs).spend(forest, X)
    bits = CostMeter(2.0 ** np.arange(9)).spend(forest, X).astype(int)
    for own, code in zip(paid, bits.tolist(), strict=True):
        assert own == costs.price_of([j for j in range(9) if code >> j & 1])


def test_rows_in_blocks_cost_what_they_cost_together(monkeypatch, heart):
    frame = heart_frame(heart)
    model = encoded_tree(4).fit(frame, heart.y)
    meter = CostMeter(heart.costs)
    whole = meter.spend(model, frame)
    monkeypatch.setattr(metered_model, "_CELLS", 2000)
    np.testing.assert_array_equal(meter.spend(model, frame), whole)
    assert meter.spend(model, frame.iloc[:1]).tolist() == whole[:1].tolist()


def test_polars_frames_and_native_categories(heart):
    frame = heart.X.with_columns(pl.col(pl.String).cast(pl.Categorical))
    model = HistGradientBoostingClassifier(max_iter=3, max_leaf_nodes=6).fit(frame, heart.y)
    meter = CostMeter(heart.costs)
    spent = meter.spend(model, frame)
    assert 0 < spent.min() < spent.max() <= meter.price(model) < heart.costs.total


def test_own_models_pay_by_their_ledger(heart):
    model = BudgetedBoostingClassifier(heart.costs, n_rounds=20).fit(heart.X, heart.y)
    meter = CostMeter(heart.costs)
    np.testing.assert_array_equal(meter.spend(model, heart.X), model.spend(heart.X))
    cut = at_budget(model, 20.0)
    np.testing.assert_array_equal(meter.spend(cut, heart.X), model.spend(heart.X, 20.0))
    np.testing.assert_array_equal(meter.spend(FrozenEstimator(cut), heart.X), cut.spend(heart.X))
    calibrated = CalibratedClassifierCV(FrozenEstimator(cut)).fit(heart.X, heart.y)
    np.testing.assert_array_equal(meter.spend(calibrated, heart.X), cut.spend(heart.X))
    assert meter.items(model) == tuple(sorted(model.plan_.items))
    assert meter.price(model) == model.plan_.price
    assert set(meter.items(cut)) < set(meter.items(model))
    assert meter.spend(cut, heart.X).max() <= meter.price(cut)
    np.testing.assert_array_equal(
        meter.spend(model.predictor_, heart.X), meter.spend(model, heart.X)
    )


def test_one_meter_for_the_same_tree():
    """A tree costs the same whether scrimp or scikit-learn holds it."""
    X, y = table(300)
    labels = y > 1
    costs = Costs.per_feature(np.arange(1.0, 9.0))
    ours = BudgetedTreeClassifier(costs, prune=0.01, random_state=0, rule="price-blind").fit(
        X, labels
    )
    theirs = DecisionTreeClassifier(ccp_alpha=0.01, random_state=0).fit(X, labels)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
    meter = CostMeter(costs)
    np.testing.assert_array_equal(meter.spend(ours, X), meter.spend(theirs, X))
    assert meter.items(ours) == meter.items(theirs)
    assert meter.price(ours) == meter.price(theirs)


def test_own_models_after_transformers():
    X, y = table()
    costs = Costs.per_feature(np.arange(1.0, 9.0))
    model = make_pipeline(StandardScaler(), SequencedRegressor(costs, budget=9.0)).fit(X, y)
    meter = CostMeter(costs)
    spent = meter.spend(model, X)
    np.testing.assert_array_equal(spent, model[-1].spend(model[0].transform(X)))
    assert 0 < spent.max() <= meter.price(model)
    with pytest.raises(ValueError, match=r"fitted with other prices \(8 items, 36 together\)"):
        CostMeter(np.ones(8)).spend(model, X)
    with pytest.raises(ValueError, match="SequencedRegressor has no rounds of boosting"):
        meter.price(model, num_iteration=3)


def test_names_are_matched_or_asked_for(heart):
    X, y = table(d=3 + 5)
    tree = DecisionTreeClassifier(max_depth=2).fit(X, y > 1)
    named = Costs.per_feature({f"c{j}": float(j) for j in reversed(range(8))})
    with pytest.raises(ValueError, match="DecisionTreeClassifier was fitted on 8 columns without"):
        CostMeter(named).price(tree)
    names = [f"c{j}" for j in range(8)]
    expected = CostMeter(np.arange(8.0)).spend(tree, X)
    np.testing.assert_array_equal(CostMeter(named, columns=names).spend(tree, X), expected)
    with pytest.warns(UserWarning, match="X has feature names"):
        spent = CostMeter(named).spend(tree, pd.DataFrame(X, columns=names))
    np.testing.assert_array_equal(spent, expected)
    with pytest.raises(ValueError, match="2 names for the 8 columns of the DecisionTree"):
        CostMeter(named, columns=["a", "b"]).price(tree)
    framed = DecisionTreeClassifier(max_depth=2).fit(pd.DataFrame(X, columns=names), y > 1)
    assert CostMeter(named).price(framed) == CostMeter(np.arange(8.0)).price(tree)
    with pytest.raises(ValueError, match=r"no price for the columns \['c0', .*prices for \['age'"):
        CostMeter(heart.costs).price(framed)


def test_prices_that_do_not_fit_are_refused():
    X, y = table()
    tree = DecisionTreeClassifier().fit(X, y > 1)
    message = "prices cover 3 columns, but the DecisionTreeClassifier was fitted on 8"
    with pytest.raises(ValueError, match=message):
        CostMeter([1.0, 2.0, 3.0]).spend(tree, X)
    assert CostMeter(None).price(tree) == float((np.bincount(tree.tree_.feature + 2)[2:] > 0).sum())


class Strange(BaseEstimator):
    """A model of one's own."""

    def fit(self, X, y):
        self.n_features_in_ = 8
        return self


def test_models_that_cannot_be_read_are_refused():
    X, y = table()
    supported = "reads. CostMeter reads fitted models of LightGBM, XGBoost and CatBoost; scikit"
    for model in (Strange().fit(X, y), KMeans(2).fit(X), "tree", object()):
        with pytest.raises(TypeError, match=f"which columns a {type(model).__name__} {supported}"):
            CostMeter(None).price(model)
    booster = BudgetedBoostingClassifier(n_rounds=3)
    together = VotingClassifier([("a", booster), ("b", DecisionTreeClassifier())]).fit(X, y > 1)
    with pytest.raises(TypeError, match="which columns a BudgetedBoostingClassifier reads"):
        CostMeter(None).price(together)


@pytest.mark.parametrize(
    "model",
    [DecisionTreeClassifier(), Lasso(), make_pipeline(StandardScaler(), Lasso()),
     BudgetedBoostingClassifier(), GridSearchCV(Lasso(), {"alpha": [1.0]})],
)  # fmt: skip
def test_models_that_are_not_fitted_are_refused(model):
    with pytest.raises(NotFittedError, match="not fitted"):
        CostMeter(None).price(model)


def test_a_search_without_a_refit_is_not_fitted():
    X, y = table()
    search = GridSearchCV(Lasso(), {"alpha": [0.1, 1.0]}, refit=False).fit(X, y)
    with pytest.raises(NotFittedError, match="GridSearchCV is not fitted"):
        CostMeter(None).price(search)


@pytest.mark.parametrize("rounds", [0, -1, 2.5, "all", True])
def test_rounds_must_be_a_number_of_rounds(rounds):
    X, y = table()
    model = HistGradientBoostingClassifier(max_iter=2).fit(X, y > 1)
    with pytest.raises(ValueError, match=r"num_iteration is .*; expected a whole number >= 1"):
        CostMeter(None).price(model, num_iteration=rounds)


def test_models_without_rounds_refuse_them():
    X, y = table()
    with pytest.raises(ValueError, match="num_iteration is 2, but a Lasso has no rounds"):
        CostMeter(None).price(Lasso().fit(X, y), num_iteration=2)


def test_it_can_be_had_from_both_places():
    assert evaluation.CostMeter is CostMeter


def test_the_page_shows_what_is_printed():
    page = Path(__file__).parents[2] / "docs" / "cost_meter.md"
    results = doctest.testfile(str(page), False, optionflags=doctest.NORMALIZE_WHITESPACE)
    assert results.failed == 0
    assert results.attempted > 10
