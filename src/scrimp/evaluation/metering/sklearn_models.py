"""The columns that models of scikit-learn read."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn import ensemble, multiclass, multioutput, naive_bayes, neighbors, svm
from sklearn.calibration import CalibratedClassifierCV
from sklearn.cross_decomposition import CCA, PLSCanonical, PLSRegression
from sklearn.discriminant_analysis import (
    LinearDiscriminantAnalysis,
    QuadraticDiscriminantAnalysis,
)
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.feature_selection import RFE
from sklearn.gaussian_process import GaussianProcessClassifier, GaussianProcessRegressor
from sklearn.kernel_ridge import KernelRidge
from sklearn.neural_network import MLPClassifier, MLPRegressor
from sklearn.pipeline import Pipeline
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from sklearn.utils.validation import check_is_fitted

from . import sklearn_compositions as compositions
from .column_use import (
    ColumnUse,
    FixedColumns,
    UnionOfColumns,
    all_columns,
    as_member,
    no_columns,
    refuse,
    refuse_rounds,
    rounds_charged,
)
from .decision_paths import DecisionPaths, Tree, tree_from_children
from .sklearn_compositions import Lookup

BOOSTED = (ensemble.GradientBoostingClassifier, ensemble.GradientBoostingRegressor)
HISTOGRAMS = (ensemble.HistGradientBoostingClassifier, ensemble.HistGradientBoostingRegressor)
ADABOOST = (ensemble.AdaBoostClassifier, ensemble.AdaBoostRegressor)
TREES = (DecisionTreeClassifier, DecisionTreeRegressor)
FORESTS = (
    ensemble.RandomForestClassifier, ensemble.RandomForestRegressor,
    ensemble.ExtraTreesClassifier, ensemble.ExtraTreesRegressor,
)  # fmt: skip
BAGGING = (ensemble.BaggingClassifier, ensemble.BaggingRegressor)
STACKING = (ensemble.StackingClassifier, ensemble.StackingRegressor)
#: Ensembles whose members are given X as it is.
COMMITTEES = (
    ensemble.VotingClassifier, ensemble.VotingRegressor, multiclass.OneVsRestClassifier,
    multioutput.MultiOutputClassifier, multioutput.MultiOutputRegressor,
)  # fmt: skip
#: Ensembles whose members are given X as an array.
ARRAY_COMMITTEES = (multiclass.OneVsOneClassifier, multiclass.OutputCodeClassifier)
DUMMIES = (DummyClassifier, DummyRegressor)
#: Linear models outside sklearn.linear_model.
LINEAR = (
    svm.LinearSVC, svm.LinearSVR, LinearDiscriminantAnalysis, PLSRegression, PLSCanonical, CCA,
)  # fmt: skip
#: Models that read every column: distances, densities and layers.
ALL_COLUMNS = (
    svm.SVC, svm.SVR, svm.NuSVC, svm.NuSVR, neighbors.KNeighborsClassifier,
    neighbors.KNeighborsRegressor, neighbors.RadiusNeighborsClassifier,
    neighbors.RadiusNeighborsRegressor, neighbors.NearestCentroid, MLPClassifier, MLPRegressor,
    naive_bayes.GaussianNB, naive_bayes.BernoulliNB, naive_bayes.MultinomialNB,
    naive_bayes.ComplementNB, naive_bayes.CategoricalNB, QuadraticDiscriminantAnalysis,
    GaussianProcessClassifier, GaussianProcessRegressor, KernelRidge,
)  # fmt: skip

_KINDS: tuple[tuple[Any, Callable[[Any, Lookup], ColumnUse]], ...] = (
    (TREES, lambda model, _: decision_tree(model)),
    (FORESTS, lambda model, _: forest(model)),
    (BAGGING, compositions.bagged),
    (STACKING, compositions.stacked),
    (COMMITTEES, compositions.committee),
    (ARRAY_COMMITTEES, compositions.array_committee),
    (CalibratedClassifierCV, compositions.calibrated),
    (RFE, compositions.selected),
    (Pipeline, compositions.piped),
    (DUMMIES, lambda model, _: no_columns(model.n_features_in_)),
    (ALL_COLUMNS, lambda model, _: all_columns(model.n_features_in_)),
)


def column_use_of(model: Any, num_iteration: int | None, lookup: Lookup) -> ColumnUse:
    """Return the column use of a fitted model of scikit-learn.

    Parameters
    ----------
    model : estimator
        Fitted.
    num_iteration : int, optional
        Rounds of boosting that are charged.
    lookup : callable
        From a model within this one, which may be of another library, to its column use.
    """
    check_is_fitted(model)
    if isinstance(model, HISTOGRAMS):
        return histogram_trees(model, num_iteration)
    if isinstance(model, BOOSTED):
        start = no_columns(model.n_features_in_) if model.init_ == "zero" else lookup(model.init_)
        return boosted_trees(model, num_iteration, start)
    if isinstance(model, ADABOOST):
        return compositions.array_committee(model, lookup, num_iteration)
    refuse_rounds(model, num_iteration)
    if _is_linear(model):
        return _linear(model)
    for kinds, read in _KINDS:
        if isinstance(model, kinds):
            return read(model, lookup)
    refuse(model)


def _is_linear(model: Any) -> bool:
    """Return whether a model depends on X through ``X @ coef_`` alone."""
    modules = (base.__module__ for base in type(model).__mro__)
    known = isinstance(model, LINEAR) or any(
        name.startswith("sklearn.linear_model.") for name in modules
    )
    return known and hasattr(model, "coef_")


def _linear(model: Any) -> ColumnUse:
    """Return the columns with a nonzero coefficient."""
    coefficients = model.coef_.toarray() if hasattr(model.coef_, "toarray") else model.coef_
    return FixedColumns((np.atleast_2d(coefficients) != 0).any(axis=0))


def decision_tree(model: Any) -> ColumnUse:
    """Return the decision paths of one tree."""
    return DecisionPaths.of_trees([_tree(model)], model.apply, model.n_features_in_)


def forest(model: Any) -> ColumnUse:
    """Return the decision paths of a forest."""
    trees = [_tree(member) for member in model.estimators_]
    return DecisionPaths.of_trees(trees, model.apply, model.n_features_in_)


def boosted_trees(model: Any, num_iteration: int | None, start: ColumnUse) -> ColumnUse:
    """Return the columns read by gradient boosting and by the model that it starts from."""
    fitted = len(model.estimators_)
    rounds = rounds_charged(num_iteration, fitted, fitted)

    def leaves(X: Any) -> NDArray[Any]:
        leaf_numbers = model.apply(X)
        return np.asarray(leaf_numbers[:, :rounds].reshape(len(leaf_numbers), -1))

    trees = [_tree(member) for member in model.estimators_[:rounds].ravel()]
    paths = DecisionPaths.of_trees(trees, leaves, model.n_features_in_)
    return UnionOfColumns([paths, as_member(start, model.n_features_in_, np.float32)])


def _tree(member: Any) -> Tree:
    tree = member.tree_
    return tree_from_children(tree.feature, tree.children_left, tree.children_right)


def histogram_trees(model: Any, num_iteration: int | None) -> ColumnUse:
    """Return the decision paths of histogram gradient boosting.

    It has no ``apply``, so its predictors are run on copies of the trees whose leaves predict
    their own number.
    """
    fitted = len(model._predictors)
    rounds = model._predictors[: rounds_charged(num_iteration, fitted, fitted)]
    trees = [tree for trees_of_round in rounds for tree in trees_of_round]
    numbered = [_with_numbered_leaves(tree) for tree in trees]

    def leaves(X: Any) -> NDArray[Any]:
        table = model._preprocess_X(X, reset=False)
        bitsets = model._bin_mapper.make_known_categories_bitsets()
        # one thread: starting many short tasks costs more than they take
        return np.column_stack([tree.predict(table, *bitsets, 1) for tree in numbered])

    columns = _columns_in_order(model)
    nodes = [_histogram_tree(tree.nodes, columns) for tree in trees]
    return DecisionPaths.of_trees(nodes, leaves, model.n_features_in_)


def _with_numbered_leaves(tree: Any) -> Any:
    copied = copy.copy(tree)
    copied.nodes = tree.nodes.copy()
    copied.nodes["value"] = np.arange(len(copied.nodes))
    return copied


def _histogram_tree(nodes: Any, columns: NDArray[np.intp]) -> Tree:
    leaf = nodes["is_leaf"].astype(bool)
    left, right = (np.where(leaf, -1, nodes[side].astype(np.int64)) for side in ("left", "right"))
    return tree_from_children(columns[np.where(leaf, 0, nodes["feature_idx"])], left, right)


def _columns_in_order(model: Any) -> NDArray[np.intp]:
    """Return the columns in the order of its trees, which put categorical ones first."""
    if model._preprocessor is None:
        return np.arange(model.n_features_in_)
    return np.argsort(~np.asarray(model.is_categorical_), kind="stable")
