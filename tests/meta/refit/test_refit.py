"""RefitClassifier and RefitRegressor."""

from __future__ import annotations

import warnings
from functools import partial
from typing import ClassVar

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin, clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import make_classification, make_regression
from sklearn.ensemble import (
    AdaBoostClassifier,
    ExtraTreesRegressor,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    StackingClassifier,
    VotingClassifier,
)
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import get_tags

import scrimp
from scrimp import (
    BudgetedBoostingClassifier,
    BudgetedTreeClassifier,
    CalibratedClassifier,
    Costs,
    SequencedClassifier,
    SequencedRegressor,
    check_budgeted_estimator,
    load,
    save,
)
from scrimp.costs.price_list import Item
from scrimp.plans import MenuPlan, PrefixPlan
from scrimp.plans.priced_plan import PricedPlan
from scrimp.runtime.events import listening
from scrimp.runtime.predictor import Predictor
from tests.naive import refits as naive

#: These tests are about the refits of all prefixes, of bad ones too.
RefitClassifier = partial(scrimp.RefitClassifier, validate=False)
RefitRegressor = partial(scrimp.RefitRegressor, validate=False)

#: Two items share a fee, one requires another, one is free, and one brings three columns.
COSTS = Costs.from_items(
    [
        Item("fee", 2.0, ()),
        Item("a", 1.0, ("a",), ("fee",)),
        Item("b", 0.0, ("b",), ("fee",)),
        Item("gift", 0.0, ("c",)),
        Item("group", 4.0, ("d", "e", "f")),
        Item("g", 3.0, ("g",), ("a",)),
        Item("h", 0.5, ("h",)),
    ]
).bind(8, list("abcdefgh"))
NUMBERS = Costs(COSTS.names, COSTS.prices, COSTS.columns, COSTS.requires)
ORDER = ["group", "g", "gift", "b", "h"]
BUDGETS = [0.0, 0.4, 3.9, 4.0, 9.9, 10.0, 10.5, 50.0]


@pytest.fixture(scope="module")
def rows():
    X, y = make_classification(260, 8, n_informative=6, n_redundant=0, n_classes=3, random_state=4)
    return X, np.array(["no", "perhaps", "yes"])[y]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(
    "estimator",
    [
        HistGradientBoostingClassifier(max_iter=8, random_state=0),
        RandomForestClassifier(8, random_state=0),
        LogisticRegression(max_iter=500),
        AdaBoostClassifier(n_estimators=6, random_state=0),
        KNeighborsClassifier(),
    ],
    ids=lambda e: type(e).__name__,
)
def test_each_budget_is_answered_by_a_refit_on_what_it_pays_for(rows, estimator, weighted):
    X, y = rows
    if weighted and isinstance(estimator, KNeighborsClassifier):
        pytest.skip("it takes no weights")
    weights = np.random.default_rng(0).uniform(0.5, 2.0, len(y)) if weighted else None
    weights = None if weights is None else weights[:200]
    model = RefitClassifier(estimator, ORDER, NUMBERS).fit(X[:200], y[:200], weights)
    assert model.sequence_ == ["gift", "group", "a", "b", "g", "h"]
    sweep = model.sweep(X[200:], BUDGETS)
    numbers = [NUMBERS.names.index(name) for name in model.sequence_]
    for position, budget in enumerate(BUDGETS):
        expected, price = naive.predict(
            estimator, X[:200], y[:200], X[200:], NUMBERS, numbers, budget, weights,
        )  # fmt: skip
        np.testing.assert_allclose(sweep.scores[:, position], expected, atol=1e-9)
        np.testing.assert_array_equal(sweep.spent[:, position], price)


@pytest.mark.parametrize(
    "estimator", [ExtraTreesRegressor(8, random_state=0), Ridge()], ids=["trees", "ridge"]
)
def test_numbers_too(estimator):
    X, y = make_regression(200, 8, noise=3, random_state=0)
    model = RefitRegressor(estimator, ORDER, NUMBERS).fit(X[:150], y[:150])
    numbers = [NUMBERS.names.index(name) for name in model.sequence_]
    for budget in BUDGETS:
        expected, price = naive.predict(
            estimator, X[:150], y[:150], X[150:], NUMBERS, numbers, budget
        )
        np.testing.assert_allclose(model.predict(X[150:], budget), expected, rtol=1e-9)
        np.testing.assert_array_equal(model.spend(X[150:], budget), price)


@pytest.mark.parametrize("order", [None, "greedy", "edge", "linear"])
def test_without_a_limit_it_is_the_estimator_itself(rows, order):
    X, y = rows
    forest = RandomForestClassifier(10, random_state=3)
    model = RefitClassifier(forest, order, NUMBERS, random_state=0).fit(X, y)
    assert sorted(model.sequence_) == ["a", "b", "g", "gift", "group", "h"]
    assert model.prefix_prices_[-1] == NUMBERS.total
    np.testing.assert_allclose(model.predict_proba(X), forest.fit(X, y).predict_proba(X))
    assert model.models_[-1].n_features_in_ == 8
    assert len(model.models_) == len(model.prefix_lengths_) == len(model.prefix_prices_)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "learner",
    [
        SequencedClassifier(),
        BudgetedBoostingClassifier(n_rounds=15),
        BudgetedBoostingClassifier(budget=[1.0, 4.0, 9.0], n_rounds=15),
        BudgetedTreeClassifier(prune=None, max_depth=2, random_state=0),
    ],
)
def test_the_order_of_any_plan_can_be_followed(rows, learner):
    X, y = rows
    fitted = learner.set_params(costs=NUMBERS).fit(X, y)
    bought = [i for i in fitted.plan_.items if NUMBERS.columns[i]]
    tree = DecisionTreeClassifier(max_depth=3, random_state=0)
    for order in (fitted, fitted.predictor_, fitted.plan_, learner):
        model = RefitClassifier(tree, order, NUMBERS, random_state=0).fit(X, y)
        assert set(model.sequence_) == {NUMBERS.names[i] for i in bought}
        paid = [n for n in model.sequence_ if n not in ("gift", "b")]
        assert paid == [NUMBERS.names[i] for i in bought if NUMBERS.names[i] in paid]


def test_without_prices_of_its_own_it_has_those_of_the_order(rows):
    X, y = rows
    tree, learner = (
        DecisionTreeClassifier(max_depth=3, random_state=0),
        SequencedClassifier(NUMBERS),
    )
    fitted = SequencedClassifier(NUMBERS).fit(X, y)
    nested = CalibratedClassifier(SequencedClassifier(NUMBERS), cv=2)
    for order in (learner, fitted, fitted.predictor_, fitted.plan_, nested):
        model = RefitClassifier(tree, order, random_state=0).fit(X, y)
        assert model.plan_.costs == NUMBERS
    uniform = RefitClassifier(tree, SequencedClassifier(), random_state=0).fit(X, y)
    assert set(uniform.plan_.costs.prices) == {1.0}


def test_prices_that_contradict_those_of_the_order_are_refused(rows):
    X, y = rows
    learner = SequencedClassifier([1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0])
    for order in (learner, clone(learner).fit(X, y)):
        with pytest.raises(ValueError, match="costs of order, a SequencedClassifier, differ"):
            RefitClassifier(DecisionTreeClassifier(), order, NUMBERS).fit(X, y)


def test_an_unfitted_learner_is_fitted_with_the_same_prices_and_budget(rows):
    X, y = rows
    learner = BudgetedBoostingClassifier(n_rounds=15)
    model = RefitClassifier(DecisionTreeClassifier(), learner, NUMBERS, budget=3.6).fit(X, y)
    assert not hasattr(learner, "plan_")
    assert learner.costs is None
    assert model.prefix_prices_.max() <= 3.6


@pytest.mark.parametrize(
    ("grid", "lengths"),
    [
        ("auto", [1, 2, 4, 5, 6]),
        (1, [6]),
        (2, [1, 6]),
        (99, [1, 2, 4, 5, 6]),
        ([2, 6], [2, 6]),
        ([3], [4]),  # what follows free of charge is bought at once
        ([0, 50], [6]),
        ([0.0, 9.9, 10.0], [1, 4, 5]),
    ],
)
def test_which_prefixes_get_a_model(rows, grid, lengths):
    model = RefitClassifier(DecisionTreeClassifier(max_depth=2), ORDER, NUMBERS, grid=grid)
    model.fit(*rows)
    assert model.prefix_lengths_.tolist() == lengths
    assert len(model.plan_.plan.stages) == len(lengths)


def test_a_long_order_has_about_as_many_models():
    X, y = make_classification(80, 120, random_state=0)
    model = RefitClassifier(DecisionTreeClassifier(max_depth=2), range(120)).fit(X, y)
    lengths = model.prefix_lengths_.tolist()
    assert 12 <= len(lengths) <= 16
    assert lengths[:3] == [1, 2, 3]
    assert lengths[-1] == 120
    assert len(RefitClassifier(DecisionTreeClassifier(), range(120), grid=9).fit(X, y).models_) == 9


def test_no_money_is_spent_without_a_model(rows):
    X, y = rows
    model = RefitClassifier(DecisionTreeClassifier(), ORDER, NUMBERS, grid=[2, 6]).fit(X, y)
    assert model.spend(X[:1], 10.0) == 4.0
    assert model.spend(X[:1], 10.5) == 10.5


def test_a_budget_ends_the_order(rows):
    X, y = rows
    model = RefitClassifier(DecisionTreeClassifier(), ORDER, NUMBERS, budget=9.0).fit(X, y)
    assert model.sequence_ == ["gift", "group", "a", "b"]
    named = RefitClassifier(DecisionTreeClassifier(), "edge", NUMBERS, budget=3.6).fit(X, y)
    assert set(named.sequence_) == {"gift", "a", "b", "h"}  # too dear ones are passed over
    only = Costs.per_feature([5.0] * 8)
    with pytest.warns(UserWarning, match="cheapest item 'x0' costs 5 but the budget is 4, so not"):
        none = RefitClassifier(DecisionTreeClassifier(), range(8), only, budget=4.0).fit(X, y)
    shares = np.unique(y, return_counts=True)[1] / len(y)
    np.testing.assert_allclose(none.predict_proba(X), np.tile(shares, (len(y), 1)))
    with pytest.warns(UserWarning, match="Budget and grid leave no prefix of the order, so not"):
        RefitClassifier(DecisionTreeClassifier(), range(8), only, grid=[4.0]).fit(X, y)


class Picky(ClassifierMixin, BaseEstimator):
    """Refuses some numbers of columns."""

    def __init__(self, refused=(), interrupted=99):
        self.refused = refused
        self.interrupted = interrupted

    def fit(self, X, y):
        if X.shape[1] >= self.interrupted:
            raise KeyboardInterrupt
        if X.shape[1] in self.refused:
            raise ArithmeticError(f"{X.shape[1]} columns are too many")
        self.inner_ = DecisionTreeClassifier(max_depth=2).fit(X, y)
        self.classes_ = self.inner_.classes_
        return self

    def predict(self, X):
        return self.inner_.predict(X)


def test_a_fit_that_fails_is_named_and_left_out(rows):
    X, y = rows
    two, four = (
        rf"the first {n} items \(price {n}\): ArithmeticError: {n} columns are too" for n in (2, 4)
    )
    with pytest.warns(UserWarning, match=two), pytest.warns(UserWarning, match=four):
        model = RefitClassifier(Picky((2, 4)), range(8)).fit(X, y)
    assert model.prefix_lengths_.tolist() == [1, 3, 5, 6, 7, 8]
    assert model.spend(X[:1], 2.0) == 1.0
    assert set(model.predict(X, 3.0)) <= set(y)
    with pytest.raises(ValueError, match=r"(?s)any of 8 prefixes:.*first 1 items.*first 8 items"):
        RefitClassifier(Picky(range(9)), range(8)).fit(X, y)


class Faulty(ClassifierMixin, BaseEstimator):
    """Does one thing wrong when it sees two columns or more."""

    def __init__(self, fault=""):
        self.fault = fault

    def fit(self, X, y):
        self.inner_ = DecisionTreeClassifier(max_depth=2).fit(X, y)
        self.wrong_ = self.fault if X.shape[1] > 1 else ""
        if self.wrong_ != "classes":
            self.classes_ = self.inner_.classes_[int(self.wrong_ == "fewer") :]
        return None if self.wrong_ == "None" else self

    def predict_proba(self, X):
        said = self.inner_.predict_proba(X)
        wrong = {"NaN": said * np.nan, "width": said[:, :1], "length": said[:2]}
        return wrong.get(self.wrong_, said)

    def predict(self, X):
        return self.inner_.predict(X)


class Labels(Faulty):
    """Has no probabilities."""

    predict_proba = property()

    def predict(self, X):
        return super().predict(X) if self.wrong_ != "label" else ["nonsense"] * len(X)


class FaultyRegressor(RegressorMixin, BaseEstimator):
    """Answers with infinity, or twice, when it sees two columns or more."""

    def __init__(self, fault=""):
        self.fault = fault

    def fit(self, X, y):
        self.wrong_ = self.fault if X.shape[1] > 1 else ""
        return self

    def predict(self, X):
        said = X[:, 0]
        return {"inf": said + np.inf, "twice": np.stack([said, said])}.get(self.wrong_, said)


@pytest.mark.parametrize(
    ("estimator", "text"),
    [
        (Faulty("None"), "TypeError: fit returned None; expected the fitted estimator: let fit"),
        (Faulty("NaN"), "ValueError: predict_proba gives nan for rows of the training"),
        (Faulty("width"), r"predict_proba gives an array of shape \(10, 1\); expected \(10, 3\)"),
        (Faulty("length"), r"predict_proba gives an array of shape \(2, 3\); expected \(10, 3\)"),
        (Faulty("classes"), "there is no classes_ after fit"),
        (Faulty("fewer"), r"classes_ is \[.*\]; expected the sorted classes of y, \[.*\]"),
        (Labels("label"), "predict gives 'nonsense', which is no class of y"),
        (FaultyRegressor("inf"), "ValueError: predict gives inf for rows of the training"),
        (FaultyRegressor("twice"), r"predict gives an array of shape \(2, 10\); expected \(10,\)"),
    ],
    ids=lambda own: own.fault if isinstance(own, BaseEstimator) else "",
)
def test_an_estimator_that_answers_wrongly_is_found_right_after_its_fit(rows, estimator, text):
    X, y = rows
    kind = RefitClassifier
    if isinstance(estimator, FaultyRegressor):
        kind, y = RefitRegressor, X[:, 0]
    with pytest.warns(UserWarning, match=r"first 2 items \(price 2\): .*" + text):
        model = kind(estimator, range(2)).fit(X, y)
    assert model.prefix_lengths_.tolist() == [1]
    assert model.spend(X[:1]) == 1.0
    assert kind(clone(estimator).set_params(fault=""), range(2)).fit(X, y).spend(X[:1]) == 2.0


def test_interrupted_it_keeps_what_is_done(rows):
    X, y = rows
    model = RefitClassifier(Picky(interrupted=5), range(8))
    with pytest.raises(KeyboardInterrupt):
        model.fit(X, y)
    assert model.sequence_ == ["x0", "x1", "x2", "x3"]
    assert model.spend(X[:1]) == 4.0
    untouched = RefitClassifier(Picky(interrupted=1), range(8))
    with pytest.raises(KeyboardInterrupt):
        untouched.fit(X, y)
    assert not hasattr(untouched, "plan_")


def test_progress_is_told(rows):
    seen = []
    with listening(seen.append):
        RefitClassifier(DecisionTreeClassifier(), ORDER, NUMBERS).fit(*rows)
    own = [event for event in seen if event.task == "refit"]
    assert [event.done for event in own] == [1, 2, 3, 4, 5]
    assert {event.total for event in own} == {5}
    assert own[-1].note == "the first 6 items (price 10.5)"


def test_fits_in_parallel_and_from_a_cache_are_the_same(rows, tmp_path):
    X, y = rows
    forest = RandomForestClassifier(5, random_state=0)
    plain = RefitClassifier(forest, ORDER, NUMBERS).fit(X, y).sweep(X, BUDGETS)
    for options in ({"n_jobs": 2}, {"memory": str(tmp_path)}, {"memory": str(tmp_path)}):
        other = RefitClassifier(forest, ORDER, NUMBERS, **options).fit(X, y)
        np.testing.assert_array_equal(other.sweep(X, BUDGETS).scores, plain.scores)
    assert any(tmp_path.rglob("output.pkl"))


def test_random_state_reaches_estimators_that_have_none(rows):
    X, y = rows
    first, same, other = (
        RefitClassifier(RandomForestClassifier(5), ORDER, NUMBERS, random_state=s).fit(X, y)
        for s in (0, 0, 1)
    )
    np.testing.assert_array_equal(first.predict_proba(X), same.predict_proba(X))
    assert (first.predict_proba(X) != other.predict_proba(X)).any()
    fixed = RefitClassifier(RandomForestClassifier(5, random_state=7), ORDER, random_state=1)
    assert fixed.set_params(costs=NUMBERS).fit(X, y).models_[0].random_state == 7


def frame(n=300, gaps=0.1):
    """Text and numbers with gaps; the text decides."""
    rng = np.random.default_rng(1)
    town = rng.choice(["Aachen", "Bonn", "Ulm", "Trier"], n)
    age, pulse = rng.normal(size=n), rng.normal(size=n)
    y = np.isin(town, ["Bonn", "Trier"]) ^ (age > 1.0)
    town = np.where(rng.random(n) < gaps, None, town)
    age[rng.random(n) < gaps] = np.nan
    return pd.DataFrame({"town": town, "age": age, "pulse": pulse}), np.where(y, "ill", "well")


@pytest.mark.parametrize(
    "estimator",
    [
        HistGradientBoostingClassifier(max_iter=20),
        DecisionTreeClassifier(),
        LogisticRegression(),
        SVC(),
        make_pipeline(StandardScaler(), LogisticRegression()),
    ],
    ids=lambda e: type(e).__name__,
)
@pytest.mark.parametrize("order", ["smoothed", "linear"])
def test_text_and_gaps_in_frames(estimator, order, tmp_path):
    X, y = frame()
    costs = {"town": 2.0, "age": 1.0, "pulse": 1.5}
    model = RefitClassifier(estimator, order, costs, random_state=0).fit(X, y)
    assert model.score(X, y) > 0.85
    assert model.score(X, y) > model.score(X, y, budget=0.0)
    mixed = pl.from_pandas(X[["pulse", "town", "age"]])
    np.testing.assert_array_equal(model.predict(mixed, 3.0), model.predict(X, 3.0))
    strange = X.assign(town="Paris")
    assert set(model.predict(strange)) <= {"ill", "well"}
    save(model, tmp_path / "m.scrimp")
    same = load(tmp_path / "m.scrimp")
    np.testing.assert_array_equal(same.predict_proba(X, 3.0), model.predict_proba(X, 3.0))


def gappy(n=400, seed=0):
    """The second class lacks its first column, mostly: a median would hide that."""
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(n, 2)), rng.integers(0, 2, n)
    X[(y == 1) & (rng.random(n) < 0.9), 0] = np.nan
    return X, np.array(["no", "yes"])[y]


FAR = make_pipeline(
    SimpleImputer(strategy="constant", fill_value=-9.0),
    DecisionTreeClassifier(max_depth=3, random_state=0),
)
INDICATOR = make_pipeline(SimpleImputer(add_indicator=True), LogisticRegression())


@pytest.mark.parametrize(
    ("estimator", "kept_as"),
    [
        (FAR, "trees"),
        (INDICATOR, "opaque"),
        (make_pipeline(StandardScaler(), HistGradientBoostingClassifier(max_iter=5)), "trees"),
        (GridSearchCV(INDICATOR, {"logisticregression__C": [0.5, 2.0]}, cv=10), "opaque"),
        (VotingClassifier([("far", FAR), ("indicator", INDICATOR)], voting="soft"), "opaque"),
        (StackingClassifier([("far", FAR), ("indicator", INDICATOR)]), "opaque"),
        (CalibratedClassifierCV(FAR), "opaque"),
    ],
    ids=["imputer", "indicator", "scaler", "search", "voting", "stacking", "calibrated"],
)
def test_what_takes_missing_values_within_gets_them(estimator, kept_as):
    assert not get_tags(estimator).input_tags.allow_nan  # it does not say so
    (X, y), (new, truth) = gappy(), gappy(seed=1)
    model = RefitClassifier(estimator, [0, 1], random_state=0).fit(X, y)
    assert model.plan_.plan.models.models[-1].kind == kept_as
    assert model.score(new, truth) > 0.9
    own = clone(estimator).fit(X, y)
    np.testing.assert_allclose(model.predict_proba(new), own.predict_proba(new), atol=1e-9)


def test_a_regressor_gets_them_too():
    X, y = gappy()
    estimator = make_pipeline(SimpleImputer(add_indicator=True), Ridge())
    y = (y == "yes").astype(float)
    model = RefitRegressor(estimator, [0, 1]).fit(X, y)
    np.testing.assert_allclose(model.predict(X), estimator.fit(X, y).predict(X))


class Noted(ClassifierMixin, BaseEstimator):
    """Warns, and refuses gaps when it is asked; or says nothing of use about them."""

    tables: ClassVar[list] = []

    def __init__(self, silent=False):
        self.silent = silent

    def fit(self, X, y):
        self.tables.append((X, y))
        warnings.warn("seen", UserWarning, stacklevel=2)
        self.classes_ = np.unique(y)
        return self

    def predict_proba(self, X):
        if not self.silent and np.isnan(X).any():
            raise ArithmeticError("a gap")
        share = 0.0 * X.sum(axis=1) + 1.0 / len(self.classes_)
        return np.stack([share] * len(self.classes_), axis=1)


@pytest.mark.parametrize("silent", [False, True])
def test_the_trial_is_small_and_the_same_again(monkeypatch, silent):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(900, 2)), np.repeat([0, 1, 2], [880, 15, 5])
    X[777, 1] = np.nan  # the only one
    monkeypatch.setattr(Noted, "tables", [])
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        for _ in range(2):
            RefitClassifier(Noted(silent), [0, 1], grid=1).fit(X, y)
    (trial, labels), (filled, _), (again, _), _ = Noted.tables
    np.testing.assert_array_equal(trial, again)
    assert len(trial) <= 61
    assert np.isnan(trial).sum() == 1
    assert np.bincount(labels).min() == 5
    assert len(filled) == 900
    assert not np.isnan(filled).any()
    assert filled[777, 1] == np.nanmedian(X[:, 1])
    assert len(heard) == 2  # of the fits, not of the trials


def test_nothing_is_tried_without_a_missing_number(monkeypatch):
    monkeypatch.setattr(Noted, "tables", [])
    X, y = frame()
    with pytest.warns(UserWarning, match="seen"):
        RefitClassifier(Noted(), ["town", "pulse"], grid=1).fit(X.assign(age=0.0), y)
    assert [len(table) for table, _ in Noted.tables] == [300]


def test_histogram_boosting_is_told_of_categories():
    X, y = frame()
    model = RefitClassifier(order=["town", "age"], grid=[1]).fit(X, y)
    assert model.models_[0].is_categorical_.tolist() == [True]
    flags = RefitClassifier(DecisionTreeClassifier(), ["town"]).fit(X, y)
    assert flags.models_[0].n_features_in_ == 4
    coded = RefitClassifier(DecisionTreeClassifier(), ["town"], encode="ordinal").fit(X, y)
    assert coded.models_[0].n_features_in_ == 1
    own = HistGradientBoostingClassifier(categorical_features=["town"])
    with pytest.raises(ValueError, match=r"is fitted on parts of the columns\. Leave it out"):
        RefitClassifier(own).fit(X, y)


def test_standardised_columns(rows):
    X, y = rows
    scale = 10.0 ** np.arange(8)
    one = RefitClassifier(SVC(), ORDER, NUMBERS, encode="standard").fit(X, y)
    other = RefitClassifier(SVC(), ORDER, NUMBERS, encode="standard").fit(X * scale, y)
    by_hand = SVC().fit((X - X.mean(axis=0)) / X.std(axis=0), y)
    for budget in (4.0, 50.0):
        assert (one.predict(X, budget) == other.predict(X * scale, budget)).mean() > 0.99
    np.testing.assert_array_equal(
        one.predict(X), by_hand.predict((X - X.mean(axis=0)) / X.std(axis=0))
    )


def test_rows_of_weight_0_are_left_out(rows):
    X, y = rows
    weights = (np.arange(len(y)) % 3 > 0).astype(float)
    tree = DecisionTreeClassifier(random_state=0)
    one = RefitClassifier(tree, costs=NUMBERS, random_state=0).fit(X, y, weights)
    two = RefitClassifier(tree, costs=NUMBERS, random_state=0).fit(X[weights > 0], y[weights > 0])
    np.testing.assert_array_equal(one.sweep(X, BUDGETS).scores, two.sweep(X, BUDGETS).scores)
    table, labels = frame()
    weights = np.arange(300) % 2.0
    model = RefitClassifier(tree, random_state=0).fit(table, labels, weights)
    half = RefitClassifier(tree, random_state=0).fit(table[1::2], labels[1::2])
    np.testing.assert_array_equal(model.predict(table, 2.0), half.predict(table, 2.0))


@pytest.mark.parametrize(
    "estimator",
    [LogisticRegression(), make_pipeline(make_pipeline(StandardScaler(), LogisticRegression()))],
    ids=["plain", "pipeline in a pipeline"],
)
def test_equal_weights_count_where_they_make_a_difference(rows, estimator):
    X, y = rows
    model = RefitClassifier(estimator, range(8)).fit(X, y, np.full(len(y), 0.01))
    name = "" if isinstance(estimator, LogisticRegression) else "pipeline__logisticregression__"
    own = clone(estimator).fit(X, y, **{f"{name}sample_weight": np.full(len(y), 0.01)})
    np.testing.assert_allclose(model.predict_proba(X), own.predict_proba(X), atol=1e-9)
    plain = RefitClassifier(estimator, range(8)).fit(X, y)
    assert np.abs(plain.predict_proba(X) - model.predict_proba(X)).max() > 0.1


def test_equal_weights_are_none_to_an_estimator_that_takes_none(rows):
    X, y = rows
    for estimator in (
        KNeighborsClassifier(), make_pipeline(StandardScaler(), KNeighborsClassifier())
    ):  # fmt: skip
        model = RefitClassifier(estimator, range(8))
        weighted = model.fit(X, y, np.full(len(y), 0.3)).predict_proba(X, 4.0)
        np.testing.assert_array_equal(weighted, model.fit(X, y).predict_proba(X, 4.0))


def test_prices_of_prefixes_follow_new_prices(rows):
    X, y = rows
    model = RefitClassifier(DecisionTreeClassifier(max_depth=2), ORDER, NUMBERS).fit(X, y)
    before = model.prefix_prices_.copy()
    other = model.reprice([2.0 * price for price in NUMBERS.prices])
    np.testing.assert_array_equal(other.prefix_prices_, 2.0 * before)
    np.testing.assert_array_equal(model.prefix_prices_, before)
    for price in other.prefix_prices_:
        assert other.spend(X[:1], price) == price
    numbers = RefitRegressor(Ridge(), range(8), grid=[1, 8]).fit(X, X[:, 0])
    assert numbers.reprice(np.arange(1.0, 9.0)).prefix_prices_.tolist() == [1.0, 36.0]


def test_sessions_and_menus_of_refits(rows):
    X, y = rows
    prior = np.unique(y, return_counts=True)[1] / len(y)
    model = RefitClassifier(DecisionTreeClassifier(max_depth=4), ORDER, NUMBERS).fit(X, y)
    session = model.session(10.0)
    while (request := session.ask()) is not None:
        if "x6" in request.columns:
            session.fail()
        else:
            session.tell({name: X[0, int(name[1:])] for name in request.columns})
    np.testing.assert_array_equal(session.read().probabilities, model.predict_proba(X[:1], 7.0)[0])
    entries = []
    for own, items in zip(
        model.plan_.plan.models.models[:3], ([3], [3, 4], [3, 4, 1, 2]), strict=True
    ):
        entries.append(PrefixPlan.single(items, own, prior))
    menu = Predictor(PricedPlan(MenuPlan(entries), NUMBERS), model.columns_, model.target_, {})
    np.testing.assert_array_equal(menu.predict_proba(X, 0.0), model.predict_proba(X, 0.0))
    assert menu.spend(X[:1], 7.0) == 7.0
    np.testing.assert_array_equal(menu.predict_proba(X, 7.0), model.predict_proba(X, 7.0))


@pytest.mark.parametrize(
    ("settings", "error", "text"),
    [
        ({"estimator": Ridge()}, TypeError, "estimator is a Ridge; expected a classifier"),
        ({"order": "best"}, ValueError, "order is 'best'; expected one of 'edge', 'greedy'"),
        ({"order": ["nothing"]}, ValueError, "order names 'nothing', which is no item"),
        ({"order": [8]}, ValueError, "order names 8, which is no item; expected a number below 8"),
        ({"order": Ridge()}, TypeError, "order is a Ridge, which buys nothing"),
        ({"grid": 0}, ValueError, "grid is 0; expected 'auto'"),
        ({"grid": "all"}, ValueError, "grid is 'all'; expected 'auto'"),
        ({"grid": [-1]}, ValueError, "grid is"),
        ({"encode": "none"}, ValueError, "encode is 'none'; expected one of 'auto'"),
        ({"budget": -1.0}, ValueError, "budget is -1.0; expected a number >= 0"),
    ],
)
def test_bad_parameters_are_refused(rows, settings, error, text):
    with pytest.raises(error, match=text):
        RefitClassifier(**settings).fit(*rows)


def test_bad_data_is_refused(rows):
    X, y = rows
    with pytest.raises(ValueError, match="y holds one class only"):
        RefitClassifier().fit(X, np.ones(len(y)))
    with pytest.raises(ValueError, match="The KNeighborsClassifier takes no sample_weight"):
        RefitClassifier(KNeighborsClassifier(), range(8)).fit(X, y, np.arange(1.0, len(y) + 1))
    with pytest.raises(TypeError, match=r"expected a regressor\. Use RefitClassifier"):
        RefitRegressor(LogisticRegression()).fit(X, X[:, 0])
    with pytest.raises(ValueError, match=r"y holds '\w+'; expected numbers. Use RefitC"):
        RefitRegressor().fit(X, y)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "estimator",
    [
        RefitClassifier(LogisticRegression()),
        RefitClassifier(DecisionTreeClassifier(max_depth=3), SequencedClassifier(missing="mean")),
        RefitRegressor(Ridge(), "linear", encode="standard", grid=2),
        RefitRegressor(HistGradientBoostingRegressor(max_iter=3), "greedy"),
        RefitRegressor(Ridge(), SequencedRegressor(missing="mean")),
    ],
)
def test_they_keep_the_promises_of_every_estimator(estimator):
    check_budgeted_estimator(estimator, max_examples=3)
