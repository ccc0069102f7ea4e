"""The cost meter on models of scikit-learn."""

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_matrix
from sklearn import ensemble, linear_model, multiclass, multioutput, naive_bayes, neighbors, svm
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import TransformedTargetRegressor, make_column_transformer
from sklearn.cross_decomposition import PLSRegression
from sklearn.discriminant_analysis import (
    LinearDiscriminantAnalysis,
    QuadraticDiscriminantAnalysis,
)
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.feature_selection import RFE, SelectKBest
from sklearn.frozen import FrozenEstimator
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.impute import SimpleImputer
from sklearn.kernel_ridge import KernelRidge
from sklearn.model_selection import GridSearchCV, TunedThresholdClassifierCV
from sklearn.neural_network import MLPRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    Normalizer,
    OneHotEncoder,
    PolynomialFeatures,
    StandardScaler,
)
from sklearn.tree import (
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    ExtraTreeClassifier,
    ExtraTreeRegressor,
)

from scrimp import CostMeter
from tests.evaluation.metering import offered, paid_for, table, with_others
from tests.naive import tree_reads

CLASSIFIERS = [
    DecisionTreeClassifier(max_depth=4, random_state=0),
    ExtraTreeClassifier(max_depth=4, random_state=0),
    ensemble.RandomForestClassifier(5, max_depth=2, random_state=0),
    ensemble.ExtraTreesClassifier(5, max_depth=2, random_state=0),
    ensemble.GradientBoostingClassifier(n_estimators=4, max_depth=2, random_state=0),
    ensemble.GradientBoostingClassifier(
        init=DecisionTreeClassifier(max_depth=2), n_estimators=2, max_depth=1, random_state=0
    ),
    ensemble.HistGradientBoostingClassifier(max_iter=4, max_leaf_nodes=4),
    ensemble.AdaBoostClassifier(n_estimators=4, random_state=0),
    ensemble.AdaBoostClassifier(DecisionTreeClassifier(max_depth=2), n_estimators=3),
    ensemble.BaggingClassifier(
        DecisionTreeClassifier(max_depth=3), 4, max_features=3, random_state=0
    ),
    ensemble.BaggingClassifier(
        linear_model.SGDClassifier(penalty="l1", alpha=0.05, random_state=0),
        4, max_features=4, bootstrap_features=True, random_state=0,
    ),
    ensemble.VotingClassifier(
        [("a", DecisionTreeClassifier(max_depth=2)), ("b", linear_model.Perceptron(penalty="l1"))]
    ),
    ensemble.StackingClassifier(
        [("a", DecisionTreeClassifier(max_depth=2)), ("b", ExtraTreeClassifier(max_depth=1))],
        DecisionTreeClassifier(max_depth=2), passthrough=True, cv=3,
    ),
    ensemble.StackingClassifier([("a", DecisionTreeClassifier(max_depth=2))], cv=3),
    linear_model.LogisticRegression(C=0.03, l1_ratio=1, solver="saga", max_iter=500),
    linear_model.SGDClassifier(penalty="l1", alpha=0.05, random_state=0),
    linear_model.RidgeClassifier(),
    svm.LinearSVC(penalty="l1", C=0.01, dual=False),
    LinearDiscriminantAnalysis(),
    QuadraticDiscriminantAnalysis(),
    svm.SVC(),
    neighbors.KNeighborsClassifier(),
    naive_bayes.GaussianNB(),
    DummyClassifier(strategy="prior"),
    CalibratedClassifierCV(DecisionTreeClassifier(max_depth=2), cv=3),
    CalibratedClassifierCV(DecisionTreeClassifier(max_depth=2), cv=3, ensemble=False),
    TunedThresholdClassifierCV(DecisionTreeClassifier(max_depth=2), cv=3),
    multiclass.OneVsRestClassifier(DecisionTreeClassifier(max_depth=2)),
    multiclass.OneVsOneClassifier(DecisionTreeClassifier(max_depth=2)),
    multiclass.OutputCodeClassifier(DecisionTreeClassifier(max_depth=2), random_state=0),
    GridSearchCV(DecisionTreeClassifier(), {"max_depth": [2, 3]}, cv=3),
    RFE(DecisionTreeClassifier(max_depth=3), n_features_to_select=2),
    make_pipeline(StandardScaler(), SelectKBest(k=3), DecisionTreeClassifier(max_depth=3)),
    make_pipeline(PolynomialFeatures(2), DecisionTreeClassifier(max_depth=2)),
    make_pipeline(FunctionTransformer(np.tanh), DecisionTreeClassifier(max_depth=2)),
    make_pipeline(Normalizer(), DecisionTreeClassifier(max_depth=2)),
    make_pipeline(
        make_column_transformer((FunctionTransformer(np.tanh), [0, 4]), (StandardScaler(), [2, 7])),
        DecisionTreeClassifier(max_depth=2),
    ),
]  # fmt: skip
REGRESSORS = [
    DecisionTreeRegressor(max_depth=4, random_state=0),
    ExtraTreeRegressor(max_depth=4, random_state=0),
    ensemble.RandomForestRegressor(5, max_depth=2, random_state=0),
    ensemble.ExtraTreesRegressor(5, max_depth=2, random_state=0),
    ensemble.GradientBoostingRegressor(n_estimators=4, max_depth=2, random_state=0),
    ensemble.GradientBoostingRegressor(init="zero", n_estimators=2, max_depth=1, random_state=0),
    ensemble.HistGradientBoostingRegressor(max_iter=4, max_leaf_nodes=4),
    ensemble.AdaBoostRegressor(DecisionTreeRegressor(max_depth=2), n_estimators=3, random_state=0),
    ensemble.BaggingRegressor(
        DecisionTreeRegressor(max_depth=3), 4, max_features=3, random_state=0
    ),
    ensemble.VotingRegressor(
        [("a", DecisionTreeRegressor(max_depth=2)), ("b", linear_model.Lasso(alpha=0.2))]
    ),
    ensemble.StackingRegressor(
        [("a", DecisionTreeRegressor(max_depth=2))], linear_model.Lasso(alpha=0.05),
        passthrough=True, cv=3,
    ),
    linear_model.LinearRegression(),
    linear_model.Ridge(),
    linear_model.Lasso(alpha=0.1),
    linear_model.ElasticNetCV(cv=3),
    linear_model.OrthogonalMatchingPursuit(n_nonzero_coefs=2),
    linear_model.HuberRegressor(),
    linear_model.RANSACRegressor(
        DecisionTreeRegressor(max_depth=2), min_samples=60, random_state=0
    ),
    linear_model.TweedieRegressor(),
    PLSRegression(),
    svm.LinearSVR(),
    svm.SVR(),
    neighbors.KNeighborsRegressor(),
    MLPRegressor(hidden_layer_sizes=(3,), max_iter=20, random_state=0),
    GaussianProcessRegressor(),
    KernelRidge(),
    DummyRegressor(),
    TransformedTargetRegressor(
        DecisionTreeRegressor(max_depth=2), func=np.cbrt, inverse_func=lambda y: y**3
    ),
    multioutput.MultiOutputRegressor(linear_model.Lasso(alpha=0.2)),
]  # fmt: skip


def classes(y):
    return np.digitize(y, np.quantile(y, [0.4, 0.75]))


def named(models):
    return [pytest.param(model, id=f"{k}-{type(model).__name__}") for k, model in enumerate(models)]


def check_unpaid_has_no_influence(model, X, answer):
    paid = paid_for(model, X)
    for seed in range(5):
        np.testing.assert_allclose(answer(with_others(X, paid, seed)), answer(X), rtol=1e-9)
    assert not (paid & ~offered(model, X.shape[1])).any()


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("model", named(CLASSIFIERS))
def test_columns_not_paid_for_have_no_influence_on_classes(model):
    X, y = table()
    y = classes(y) > 0 if isinstance(model, TunedThresholdClassifierCV) else classes(y)
    model = model.fit(X, y)
    check_unpaid_has_no_influence(model, X, getattr(model, "predict_proba", model.predict))
    check_unpaid_has_no_influence(model, X, model.predict)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("model", named(REGRESSORS))
def test_columns_not_paid_for_have_no_influence_on_numbers(model):
    X, y = table()
    several = isinstance(model, multioutput.MultiOutputRegressor)
    model = model.fit(X, np.column_stack([y, -(y**2)]) if several else y)
    check_unpaid_has_no_influence(model, X, model.predict)


def test_a_tree_reads_its_path_only():
    X, y = table(missing=0.1)
    tree = DecisionTreeRegressor(max_depth=4).fit(X, y)
    walks = [tree_reads.scikit_walk(tree.tree_, row) for row in X]
    np.testing.assert_allclose([value for _, value in walks], tree.predict(X))
    paid = paid_for(tree, X)
    assert [set(np.flatnonzero(row)) for row in paid] == [columns for columns, _ in walks]
    assert len({tuple(row) for row in paid.tolist()}) > 2


def test_a_forest_reads_what_its_trees_read():
    X, y = table(missing=0.1)
    forest = ensemble.RandomForestRegressor(6, max_depth=3, random_state=0).fit(X, y)
    for row, paid in zip(X, paid_for(forest, X), strict=True):
        walks = [tree_reads.scikit_walk(member.tree_, row) for member in forest.estimators_]
        assert set(np.flatnonzero(paid)) == tree_reads.reads_and_sum(walks)[0]


def test_bagging_reads_the_columns_its_members_were_given():
    X, y = table()
    bag = ensemble.BaggingRegressor(
        DecisionTreeRegressor(max_depth=2), 3, max_features=3, random_state=1
    ).fit(X, y)
    for row, paid in zip(X, paid_for(bag, X), strict=True):
        expected = set()
        for member, own in zip(bag.estimators_, bag.estimators_features_, strict=True):
            columns, _ = tree_reads.scikit_walk(member.tree_, row[own])
            expected |= {int(own[column]) for column in columns}
        assert set(np.flatnonzero(paid)) == expected


@pytest.fixture
def mixed():
    """Numbers and categories with missing values; the categories are not the first columns."""
    X, y = table(missing=0.1)
    rng = np.random.default_rng(1)
    codes = rng.integers(0, 40, len(X))
    frame = pd.DataFrame(X, columns=[f"c{j}" for j in range(X.shape[1])])
    frame["c2"] = pd.Categorical(np.char.add("v", codes.astype(str)))
    frame.loc[frame.index % 9 == 0, "c2"] = None
    return frame, y + 6 * np.isin(codes, [1, 5, 33, 38, 20, 21])


def test_histogram_boosting_walks_as_it_predicts(mixed):
    frame, y = mixed
    model = ensemble.HistGradientBoostingRegressor(
        max_iter=6, max_leaf_nodes=5, min_samples_leaf=5, categorical_features="from_dtype"
    ).fit(frame, y)
    new = frame.copy()
    new["c2"] = new["c2"].cat.add_categories(["new"])
    new.loc[::5, "c2"] = "new"
    table_ = model._preprocess_X(new, reset=False)  # categories as codes, first
    order = [2, 0, 1, 3, 4, 5, 6, 7]
    known = [frame["c2"].nunique()] + [None] * 7
    paid = paid_for(model, new)
    predicted = model.predict(new)
    used = set()
    for row, own, answer in zip(table_, paid, predicted, strict=True):
        walks = [tree_reads.histogram_walk(t, row, known) for (t,) in model._predictors]
        columns, total = tree_reads.reads_and_sum(walks)
        assert answer == pytest.approx(total + float(model._baseline_prediction[0, 0]))
        assert set(np.flatnonzero(own)) == {order[column] for column in columns}
        used |= columns
    assert 0 in used


def test_histogram_boosting_of_several_classes_and_fewer_rounds():
    X, y = table(missing=0.2)
    model = ensemble.HistGradientBoostingClassifier(max_iter=5, max_leaf_nodes=3).fit(X, classes(y))
    for rounds in (1, 3, 5):
        for row, paid in zip(X[::7], paid_for(model, X[::7], num_iteration=rounds), strict=True):
            trees = [tree for own in model._predictors[:rounds] for tree in own]
            walks = [tree_reads.histogram_walk(tree, row, None) for tree in trees]
            assert set(np.flatnonzero(paid)) == tree_reads.reads_and_sum(walks)[0]


@pytest.mark.parametrize(
    "model",
    [
        ensemble.GradientBoostingClassifier(n_estimators=40, max_depth=1, random_state=0),
        ensemble.AdaBoostClassifier(n_estimators=40, random_state=0),
        ensemble.HistGradientBoostingClassifier(max_iter=40, max_leaf_nodes=2),
    ],
)
def test_fewer_rounds_are_those_of_staged_predict(model):
    X, y = table()
    model = model.fit(X, classes(y) > 0)
    paid = paid_for(model, X, num_iteration=1)
    staged = next(model.staged_predict(X))
    other = next(model.staged_predict(with_others(X, paid)))
    np.testing.assert_array_equal(staged, other)
    assert paid.sum() < paid_for(model, X).sum()
    np.testing.assert_array_equal(paid_for(model, X, num_iteration=99), paid_for(model, X))


def test_linear_models_read_columns_with_a_weight():
    X, y = table()
    lasso = linear_model.Lasso(alpha=0.1).fit(X, y)
    np.testing.assert_array_equal(offered(lasso, 8), lasso.coef_ != 0)
    assert 0 < (lasso.coef_ != 0).sum() < 8
    several = svm.LinearSVC(penalty="l1", C=0.01, dual=False).fit(X, classes(y))
    np.testing.assert_array_equal(offered(several, 8), (several.coef_ != 0).any(axis=0))
    sparse = linear_model.SGDClassifier(penalty="l1", alpha=0.1, random_state=0).fit(X, y > 1)
    dense = offered(sparse, 8)
    np.testing.assert_array_equal(offered(sparse.sparsify(), 8), dense)


def test_prices_follow_columns_through_a_pipeline():
    frame = pd.DataFrame(
        {"age": [1.0, np.nan, 3.0] * 12, "city": list("abcd") * 9, "size": range(36)}
    )
    y = (frame["city"] == "b").to_numpy()
    encode = make_column_transformer(
        (SimpleImputer(add_indicator=True), ["age"]), (OneHotEncoder(), ["city"]),
        remainder="passthrough",
    )  # fmt: skip
    model = make_pipeline(encode, DecisionTreeClassifier(max_depth=1)).fit(frame, y)
    meter = CostMeter({"city": 4.0, "size": 1.0, "age": 2.0})
    assert meter.items(model) == (0,)
    assert meter.price(model) == 4.0
    np.testing.assert_array_equal(meter.spend(model, frame), 4.0)
    search = GridSearchCV(model, {"decisiontreeclassifier__max_depth": [1]}, cv=2).fit(frame, y)
    assert meter.price(search) == 4.0
    assert meter.price(FrozenEstimator(search)) == 4.0


def test_sparse_tables_and_lists_cost_the_same():
    X, y = table()
    X[np.abs(X) < 0.5] = 0.0
    forest = ensemble.RandomForestClassifier(4, max_depth=2, random_state=0).fit(X, classes(y))
    meter = CostMeter(np.arange(8.0))
    expected = meter.spend(forest, X)
    np.testing.assert_array_equal(meter.spend(forest, csr_matrix(X)), expected)
    np.testing.assert_array_equal(meter.spend(forest, X.tolist()), expected)


def test_a_class_that_all_rows_have_reads_nothing():
    X, y = table(40)
    labels = np.column_stack([np.ones(40), y > 1]).astype(int)
    model = multiclass.OneVsRestClassifier(DecisionTreeClassifier(max_depth=1))
    with pytest.warns(UserWarning, match="present in all training examples"):
        model.fit(X, labels)
    assert offered(model, 8).sum() == 1
