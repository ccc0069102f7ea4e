"""Conversion of scikit-learn's trees, alone and in ensembles."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_classifier
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.ensemble import (
    AdaBoostClassifier,
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.tree import (
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    ExtraTreeClassifier,
    ExtraTreeRegressor,
)
from sklearn.utils import get_tags

from ...types import Floats
from ..components.models import Model, Preparation, TreesModel
from ..components.tree_table import TreeTable, float64_cuts
from .histograms import convert_histograms


def tree_table(members: Sequence[Any], subsets: Any, values: list[Floats], nan: bool) -> TreeTable:
    """Return fitted trees as one table; they abstain on missing values they do not accept.

    Parameters
    ----------
    members : sequence of decision trees
        The fitted trees.
    subsets : sequence of int arrays, or None
        The columns that each tree was fitted on, if not all.
    values : list of float arrays (nodes, outputs)
        The votes of the nodes of each tree.
    nan : bool
        Whether they accept missing values.
    """
    trees = [member.tree_ for member in members]
    sizes = np.array([tree.node_count for tree in trees])
    roots = np.cumsum(sizes) - sizes
    shift = np.repeat(roots, sizes)

    def joined(name: str) -> NDArray[Any]:
        return np.concatenate([getattr(tree, name) for tree in trees])

    column = joined("feature")
    if subsets is not None:
        column = np.concatenate(
            [np.asarray(columns)[np.maximum(tree.feature, 0)]
             for columns, tree in zip(subsets, trees, strict=True)]
        )  # fmt: skip
    inner = joined("children_left") >= 0
    left = np.where(inner, joined("children_left") + shift, -1)
    right = np.where(inner, joined("children_right") + shift, -1)
    missing = np.where(joined("missing_go_to_left"), left, right) if nan else np.full_like(left, -1)
    return TreeTable(
        roots, np.where(inner, column, -1), float64_cuts(joined("threshold")), left, right,
        missing, np.concatenate(values),
    )  # fmt: skip


def class_probabilities(member: Any, n_classes: int) -> Floats:
    """Return the class probabilities at each node (nodes x classes) of a member of an ensemble.

    The members of an ensemble know classes by number, and a member may lack some classes.
    """
    counts = member.tree_.value[:, 0]
    full = np.zeros((len(counts), n_classes))
    full[:, member.classes_.astype(np.int64)] = counts / counts.sum(axis=1, keepdims=True)
    return full


def predicted_classes(member: Any, classes: NDArray[Any]) -> NDArray[np.intp]:
    """Return the position in `classes` of the label that each node of a tree predicts."""
    labels = member.classes_[member.tree_.value[:, 0].argmax(axis=1)]
    return np.asarray(np.searchsorted(classes, labels))


def _accepts_missing(estimator: Any) -> bool:
    return bool(get_tags(estimator).input_tags.allow_nan)


def convert_averaged(estimator: Any, preparation: Preparation, subsets: Any = None) -> Model:
    """Return the mean of the trees of a forest or of bagging."""
    members = estimator.estimators_
    if is_classifier(estimator):
        values = [class_probabilities(member, len(estimator.classes_)) for member in members]
    else:
        values = [member.tree_.value[:, 0] for member in members]
    values = [value / len(members) for value in values]
    table = tree_table(members, subsets, values, _accepts_missing(estimator))
    return TreesModel(preparation, table, np.zeros(table.n_outputs), "identity")


def _convert_tree(estimator: Any, preparation: Preparation) -> Model:
    """Return a single tree."""
    values = estimator.tree_.value[:, 0]
    if is_classifier(estimator):
        values = values / values.sum(axis=1, keepdims=True)
    table = tree_table([estimator], None, [values], _accepts_missing(estimator))
    return TreesModel(preparation, table, np.zeros(table.n_outputs), "identity")


def _convert_adaboost(estimator: Any, preparation: Preparation) -> Model | None:
    """Return the vote of SAMME: a label gets the member's weight (Zhu et al. 2009, Eq. 15)."""
    classes, members = estimator.classes_, estimator.estimators_
    n = len(classes)
    if n < 2 or not all(type(member) is DecisionTreeClassifier for member in members):
        return None
    weights = np.asarray(estimator.estimator_weights_, dtype=np.float64)
    values = []
    for member, weight in zip(members, weights / weights.sum(), strict=False):
        predicted = predicted_classes(member, classes)
        if n == 2:
            values.append(np.where(predicted == 1, 2.0 * weight, -2.0 * weight)[:, None])
        else:
            full = np.where(np.arange(n) == predicted[:, None], weight, -weight / (n - 1))
            values.append(full / (n - 1))
    table = tree_table(members, None, values, _accepts_missing(estimator))
    link = "logistic" if n == 2 else "softmax"
    return TreesModel(preparation, table, np.zeros(table.n_outputs), link)


def _convert_gradient_boosting(estimator: Any, preparation: Preparation) -> Model | None:
    """Return the sum of the trees of each class; None if the initial model is no constant."""
    initial = estimator.init_
    if not isinstance(initial, str) and type(initial) not in (DummyClassifier, DummyRegressor):
        return None
    base = estimator._raw_predict_init(np.zeros((1, estimator.n_features_in_)))[0]
    scale, link = 1.0, "identity"
    if is_classifier(estimator):
        scale = 2.0 if estimator.loss == "exponential" else 1.0  # half the log-odds
        link = "logistic" if len(base) == 1 else "softmax"
    members, values = [], []
    for row in estimator.estimators_:
        for k, member in enumerate(row):
            full = np.zeros((member.tree_.node_count, len(base)))
            full[:, k] = member.tree_.value[:, 0, 0] * (estimator.learning_rate * scale)
            members.append(member)
            values.append(full)
    table = tree_table(members, None, values, False)
    return TreesModel(preparation, table, base * scale, link)


#: The converter of each type.
TREES: dict[type, Callable[[Any, Preparation], Model | None]] = {
    DecisionTreeClassifier: _convert_tree,
    DecisionTreeRegressor: _convert_tree,
    ExtraTreeClassifier: _convert_tree,
    ExtraTreeRegressor: _convert_tree,
    RandomForestClassifier: convert_averaged,
    RandomForestRegressor: convert_averaged,
    ExtraTreesClassifier: convert_averaged,
    ExtraTreesRegressor: convert_averaged,
    AdaBoostClassifier: _convert_adaboost,
    GradientBoostingClassifier: _convert_gradient_boosting,
    GradientBoostingRegressor: _convert_gradient_boosting,
    HistGradientBoostingClassifier: convert_histograms,
    HistGradientBoostingRegressor: convert_histograms,
}
