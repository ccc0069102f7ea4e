"""Fitted estimators as arrays: their answers are their own."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import make_classification, make_regression
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import (
    AdaBoostClassifier,
    AdaBoostRegressor,
    BaggingClassifier,
    BaggingRegressor,
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
    VotingClassifier,
    VotingRegressor,
)
from sklearn.exceptions import NotFittedError
from sklearn.impute import SimpleImputer
from sklearn.linear_model import (
    ElasticNet,
    GammaRegressor,
    HuberRegressor,
    LinearRegression,
    LogisticRegression,
    PoissonRegressor,
    Ridge,
    RidgeClassifier,
    SGDClassifier,
    TweedieRegressor,
)
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures, RobustScaler, StandardScaler
from sklearn.svm import SVC, SVR, LinearSVC, NuSVC
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from scrimp.plans.components.models import Preparation
from scrimp.plans.from_sklearn import array_model

N = 7
#: Where the columns of the training are in the table that is answered on.
PLACES = [1, 2, 3, 5, 6, 7, 8]
STUMPS = DecisionTreeClassifier(max_depth=1)

#: Estimators and the kind of model that two classes, and three, become.
CLASSIFIERS = [
    (HistGradientBoostingClassifier(max_iter=15), "trees", "trees"),
    (RandomForestClassifier(12, random_state=0), "trees", "trees"),
    (ExtraTreesClassifier(12, random_state=0), "trees", "trees"),
    (DecisionTreeClassifier(random_state=0), "trees", "trees"),
    (GradientBoostingClassifier(n_estimators=12), "trees", "trees"),
    (GradientBoostingClassifier(n_estimators=12, init="zero"), "trees", "trees"),
    (GradientBoostingClassifier(n_estimators=5, init=LogisticRegression()), "opaque", "opaque"),
    (AdaBoostClassifier(n_estimators=12), "trees", "trees"),
    (AdaBoostClassifier(DecisionTreeClassifier(max_depth=3), n_estimators=8), "trees", "trees"),
    (AdaBoostClassifier(LogisticRegression(), n_estimators=4), "opaque", "opaque"),
    (BaggingClassifier(max_features=0.5, random_state=0), "trees", "trees"),
    (BaggingClassifier(LogisticRegression(), max_features=4), "average", "average"),
    (LogisticRegression(), "linear", "linear"),
    (SGDClassifier(loss="log_loss", random_state=0), "linear", "linear"),
    (SGDClassifier(random_state=0), "linear", "linear"),
    (LinearDiscriminantAnalysis(), "linear", "linear"),
    (LinearSVC(), "linear", "linear"),
    (RidgeClassifier(), "linear", "linear"),
    (SVC(), "kernel", "opaque"),
    (NuSVC(gamma=0.3), "kernel", "opaque"),
    (SVC(kernel="poly"), "opaque", "opaque"),
    (KNeighborsClassifier(), "opaque", "opaque"),
    (
        VotingClassifier(
            [("a", LogisticRegression()), ("b", STUMPS), ("c", KNeighborsClassifier())],
            voting="soft", weights=[1, 2, 3],
        ),
        "average", "average",
    ),
    (VotingClassifier([("a", LogisticRegression()), ("b", STUMPS)]), "opaque", "opaque"),
    (make_pipeline(StandardScaler(), LogisticRegression()), "linear", "linear"),
    (make_pipeline(StandardScaler(), DecisionTreeClassifier()), "trees", "trees"),
    (make_pipeline(SimpleImputer(), RobustScaler(), SVC()), "kernel", "opaque"),
    (make_pipeline(StandardScaler(), SimpleImputer(), LogisticRegression()), "linear", "linear"),
    (make_pipeline(PolynomialFeatures(), LogisticRegression()), "opaque", "opaque"),
    (GridSearchCV(DecisionTreeClassifier(), {"max_depth": [1, 3]}), "trees", "trees"),
]  # fmt: skip
REGRESSORS = [
    (HistGradientBoostingRegressor(max_iter=15), "trees"),
    (HistGradientBoostingRegressor(loss="poisson", max_iter=15), "trees"),
    (RandomForestRegressor(12), "trees"),
    (ExtraTreesRegressor(12), "trees"),
    (DecisionTreeRegressor(), "trees"),
    (GradientBoostingRegressor(loss="huber", n_estimators=12), "trees"),
    (BaggingRegressor(max_features=0.5), "trees"),
    (AdaBoostRegressor(n_estimators=5), "opaque"),
    (LinearRegression(), "linear"),
    (Ridge(), "linear"),
    (ElasticNet(), "linear"),
    (HuberRegressor(), "linear"),
    (PoissonRegressor(), "linear"),
    (GammaRegressor(), "linear"),
    (TweedieRegressor(power=1.5), "opaque"),
    (SVR(C=3.0), "kernel"),
    (VotingRegressor([("a", Ridge()), ("b", DecisionTreeRegressor())], weights=[1, 2]), "average"),
    (KNeighborsRegressor(), "opaque"),
]


def name(value):
    return type(value).__name__ if hasattr(value, "fit") else str(value)


def fresh(n=300):
    return np.random.default_rng(2).normal(size=(n, 9))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize(("estimator", "two", "three"), CLASSIFIERS, ids=name)
def test_classifiers_answer_as_they_do(estimator, two, three, n_classes):
    X, y = make_classification(
        200, N, n_informative=5, n_redundant=0, n_classes=n_classes, random_state=1
    )
    estimator.fit(X, np.array(["no", "perhaps", "yes"])[y])
    model = array_model(estimator, PLACES)
    assert model.kind == (two if n_classes == 2 else three)
    assert set(model.columns) == set(PLACES)
    table, rows = fresh(), np.arange(299, -1, -2)
    theirs = table[rows][:, PLACES]
    scores = model.scores(table, rows)
    np.testing.assert_array_equal(estimator.classes_[scores.argmax(1)], estimator.predict(theirs))
    np.testing.assert_allclose(scores.sum(axis=1), 1.0)
    if hasattr(estimator, "predict_proba"):
        np.testing.assert_allclose(scores, estimator.predict_proba(theirs), atol=1e-12)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("estimator", "kind"), REGRESSORS, ids=name)
def test_regressors_answer_as_they_do(estimator, kind):
    X, y = make_regression(200, N, noise=5, random_state=1)
    estimator.fit(X, np.abs(y) / 50 + 0.1)
    model = array_model(estimator, PLACES)
    assert model.kind == kind
    table = fresh()
    scores = model.scores(table, np.arange(len(table)))
    np.testing.assert_allclose(scores[:, 0], estimator.predict(table[:, PLACES]), rtol=1e-9)


@pytest.mark.parametrize(
    "estimator",
    [
        HistGradientBoostingClassifier(max_iter=15),
        RandomForestClassifier(12, random_state=0),
        ExtraTreesClassifier(12, random_state=0),
        DecisionTreeClassifier(random_state=0),
        make_pipeline(SimpleImputer(strategy="median"), StandardScaler(), LogisticRegression()),
    ],
    ids=name,
)
@pytest.mark.parametrize("in_training", [False, True])
def test_missing_values_go_where_the_estimator_sends_them(estimator, in_training):
    rng = np.random.default_rng(0)
    X, y = make_classification(300, N, random_state=3)
    if in_training:
        X[rng.random(X.shape) < 0.1] = np.nan
    model = array_model(estimator.fit(X, y), range(N))
    assert model.accepts_missing
    table = rng.normal(size=(300, N))
    table[rng.random(table.shape) < 0.2] = np.nan
    ours = model.scores(table, np.arange(300))
    np.testing.assert_allclose(ours, estimator.predict_proba(table), atol=1e-12)


def test_who_takes_no_missing_values_says_so():
    X, y = make_classification(100, N, random_state=3)
    for estimator in (GradientBoostingClassifier(n_estimators=2), AdaBoostClassifier(), SVC()):
        assert not array_model(estimator.fit(X, y), range(N)).accepts_missing


@pytest.mark.parametrize("classes", [2, 3])
def test_categories_of_histogram_boosting(classes):
    """Codes with holes, many codes, missing ones, and ones that were never seen."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(1500, 4))
    X[:, 1] = rng.choice([0, 1, 2, 5, 7, 40], 1500)
    X[:, 3] = rng.integers(0, 90, 1500)
    X[rng.random(X.shape) < 0.05] = np.nan
    signal = (
        np.nan_to_num(X[:, 0]) + 2 * np.isin(X[:, 1], [1, 7]) + 2 * np.isin(X[:, 3] % 7, [1, 5])
    )
    y = (signal + rng.normal(size=1500) > 1.5).astype(int)
    y = y + (np.nan_to_num(X[:, 2]) > 0) if classes == 3 else y
    estimator = HistGradientBoostingClassifier(categorical_features=[1, 3], max_iter=25).fit(X, y)
    assert any(t.nodes["is_categorical"].any() for trees in estimator._predictors for t in trees)
    table = X.copy()
    table[:600, 1], table[:600, 3] = rng.integers(-1, 50, 600), rng.integers(-1, 120, 600)
    ours = array_model(estimator, range(4)).scores(table, np.arange(1500))
    np.testing.assert_allclose(ours, estimator.predict_proba(table), atol=1e-12)


def test_columns_are_prepared_first():
    """Flags of a category, a fill and a scale, against the same done by hand."""
    rng = np.random.default_rng(1)
    table = np.column_stack([rng.normal(size=50), rng.integers(-1, 3, 50), rng.normal(size=50)])
    table[:9, 0], table[5:15, 1] = np.nan, np.nan
    nan = np.nan
    preparation = Preparation(
        [2, 1, 1, 0], [nan, 0.0, 2.0, nan], [nan, nan, nan, 0.5], [1.0, 0, 0, -0.5], [2.0, 1, 1, 4]
    )
    filled = np.where(np.isnan(table[:, 0]), 0.5, table[:, 0])
    by_hand = np.column_stack(
        [(table[:, 2] - 1) / 2, table[:, 1] == 0, table[:, 1] == 2, (filled + 0.5) / 4]
    )
    np.testing.assert_array_equal(preparation.table(table, np.arange(50)), by_hand)
    assert preparation.columns.tolist() == [0, 1, 2]
    estimator = RandomForestClassifier(5, random_state=0).fit(by_hand, rng.integers(0, 2, 50))
    model = array_model(estimator, preparation=preparation)
    for dtype in (np.float64, np.float32):
        given = table.astype(dtype)
        expected = estimator.predict_proba(preparation.table(given, np.arange(50)))
        np.testing.assert_allclose(model.scores(given, np.arange(50)), expected, atol=1e-12)


def test_a_subclass_is_not_taken_for_its_parent():
    class Contrary(LogisticRegression):
        def predict_proba(self, X):
            return super().predict_proba(X)[:, ::-1]

    X, y = make_classification(60, N, random_state=3)
    estimator = Contrary().fit(X, y)
    model = array_model(estimator, range(N))
    assert model.kind == "opaque"
    np.testing.assert_array_equal(model.scores(X, np.arange(60)), estimator.predict_proba(X))


def test_bad_input_is_refused():
    X, y = make_classification(60, N, random_state=3)
    estimator = DummyClassifier().fit(X, y)
    with pytest.raises(NotFittedError):
        array_model(LogisticRegression(), range(N))
    with pytest.raises(ValueError, match="Give either columns or a preparation"):
        array_model(estimator)
    with pytest.raises(ValueError, match="was fitted on 7 columns, but 2 are given"):
        array_model(LogisticRegression().fit(X, y), [0, 1])
    with pytest.raises(ValueError, match="predicts 2 classes; expected 3 classes"):
        array_model(LogisticRegression().fit(X, y), range(N), n_classes=3)
    with pytest.raises(ValueError, match="predicts numbers; expected 2 classes"):
        array_model(Ridge().fit(X, y), range(N), n_classes=2)
    several = DecisionTreeClassifier().fit(X, np.column_stack([y, y]))
    with pytest.raises(ValueError, match="predicts several targets; expected one"):
        array_model(several, range(N))


@pytest.mark.parametrize("task", ["two classes", "three classes", "numbers", "counts"])
@pytest.mark.parametrize("missing", [False, True])
def test_lightgbm_becomes_arrays_with_the_same_answers(task, missing):
    lightgbm = pytest.importorskip("lightgbm")
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 5))
    signal = X[:, 1] + X[:, 3]
    y = {"two classes": signal > 0, "three classes": np.digitize(signal, [-1, 1])}.get(
        task, np.exp(signal).round()
    )
    train = X.copy()
    if missing:
        train[rng.random(X.shape) < 0.1] = np.nan
    kind = lightgbm.LGBMClassifier if "classes" in task else lightgbm.LGBMRegressor
    options = {"objective": "poisson"} if task == "counts" else {}
    theirs = kind(n_estimators=20, verbosity=-1, n_jobs=1, **options).fit(train, y)
    model = array_model(theirs, [0, 1, 2, 3, 4])
    assert model.kind == "trees"
    asked = X.copy()
    asked[rng.random(X.shape) < 0.1] = np.nan  # also where none was missing in training
    expected = theirs.predict_proba(asked) if "classes" in task else theirs.predict(asked)[:, None]
    np.testing.assert_allclose(model.scores(asked, np.arange(300)), expected, atol=1e-9)
