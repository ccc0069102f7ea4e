"""What models of scikit-learn read."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
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

from . import composed, scikit_trees
from .asking import refuse, refuse_rounds
from .composed import Lookup
from .readers import Reader, SameForAll, everything, nothing

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
#: Their members are given X as it is ...
COMMITTEES = (
    ensemble.VotingClassifier, ensemble.VotingRegressor, multiclass.OneVsRestClassifier,
    multioutput.MultiOutputClassifier, multioutput.MultiOutputRegressor,
)  # fmt: skip
#: ... or as an array.
ARRAY_COMMITTEES = (multiclass.OneVsOneClassifier, multiclass.OutputCodeClassifier)
DUMMIES = (DummyClassifier, DummyRegressor)
#: Linear models outside sklearn.linear_model.
LINEAR = (
    svm.LinearSVC, svm.LinearSVR, LinearDiscriminantAnalysis, PLSRegression, PLSCanonical, CCA,
)  # fmt: skip
#: Distances, densities and layers, into which every column goes.
WHOLE = (
    svm.SVC, svm.SVR, svm.NuSVC, svm.NuSVR, neighbors.KNeighborsClassifier,
    neighbors.KNeighborsRegressor, neighbors.RadiusNeighborsClassifier,
    neighbors.RadiusNeighborsRegressor, neighbors.NearestCentroid, MLPClassifier, MLPRegressor,
    naive_bayes.GaussianNB, naive_bayes.BernoulliNB, naive_bayes.MultinomialNB,
    naive_bayes.ComplementNB, naive_bayes.CategoricalNB, QuadraticDiscriminantAnalysis,
    GaussianProcessClassifier, GaussianProcessRegressor, KernelRidge,
)  # fmt: skip

_KINDS: tuple[tuple[Any, Callable[[Any, Lookup], Reader]], ...] = (
    (TREES, lambda model, _: scikit_trees.decision_tree(model)),
    (FORESTS, lambda model, _: scikit_trees.forest(model)),
    (BAGGING, composed.bagged),
    (STACKING, composed.stacked),
    (COMMITTEES, composed.committee),
    (ARRAY_COMMITTEES, composed.array_committee),
    (CalibratedClassifierCV, composed.calibrated),
    (RFE, composed.selected),
    (Pipeline, composed.piped),
    (DUMMIES, lambda model, _: nothing(model.n_features_in_)),
    (WHOLE, lambda model, _: everything(model.n_features_in_)),
)


def reader_of(model: Any, num_iteration: int | None, lookup: Lookup) -> Reader:
    """The reader of a fitted model of scikit-learn.

    Parameters
    ----------
    model : estimator
        Fitted.
    num_iteration : int, optional
        Rounds of boosting that are charged.
    lookup : callable
        From the models within this one, which may be of other libraries, to their readers.
    """
    check_is_fitted(model)
    if isinstance(model, HISTOGRAMS):
        return scikit_trees.histogram_trees(model, num_iteration)
    if isinstance(model, BOOSTED):
        start = nothing(model.n_features_in_) if model.init_ == "zero" else lookup(model.init_)
        return scikit_trees.boosted_trees(model, num_iteration, start)
    if isinstance(model, ADABOOST):
        return composed.array_committee(model, lookup, num_iteration)
    refuse_rounds(model, num_iteration)
    if _is_linear(model):
        return _linear(model)
    for kinds, read in _KINDS:
        if isinstance(model, kinds):
            return read(model, lookup)
    refuse(model)


def _is_linear(model: Any) -> bool:
    """Whether a model's answer depends on X through ``X @ coef_`` alone."""
    homes = (own.__module__ for own in type(model).__mro__)
    known = isinstance(model, LINEAR) or any(h.startswith("sklearn.linear_model.") for h in homes)
    return known and hasattr(model, "coef_")


def _linear(model: Any) -> Reader:
    """The columns with a weight that is not 0."""
    weights = model.coef_.toarray() if hasattr(model.coef_, "toarray") else model.coef_
    return SameForAll((np.atleast_2d(weights) != 0).any(axis=0))
