"""Trees of scikit-learn, alone and in ensembles, as arrays."""

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
from .. import TreeTable
from ..components.models import Model, Preparation, TreesModel
from ..components.tree_table import float64_cuts
from .histograms import of_histograms


def tree_table(members: Sequence[Any], subsets: Any, values: list[Floats], nan: bool) -> TreeTable:
    """Fitted trees as one table; a missing value has no vote where they do not take it.

    Parameters
    ----------
    members : sequence of decision trees
        Fitted.
    subsets : sequence of int arrays, or None
        The columns that each of them was given, if not all.
    values : list of float arrays (nodes, outputs)
        The votes of their nodes.
    nan : bool
        Whether they take missing values.
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
            [np.asarray(own)[np.maximum(tree.feature, 0)]
             for own, tree in zip(subsets, trees, strict=True)]
        )  # fmt: skip
    inner = joined("children_left") >= 0
    left = np.where(inner, joined("children_left") + shift, -1)
    right = np.where(inner, joined("children_right") + shift, -1)
    missing = np.where(joined("missing_go_to_left"), left, right) if nan else np.full_like(left, -1)
    return TreeTable(
        roots, np.where(inner, column, -1), float64_cuts(joined("threshold")), left, right,
        missing, np.concatenate(values),
    )  # fmt: skip


def class_shares(member: Any, n_classes: int) -> Floats:
    """The shares of the classes at each node (nodes x classes) of a member of an ensemble.

    Ensembles number the classes for their members, of which one may lack some.
    """
    counts = member.tree_.value[:, 0]
    full = np.zeros((len(counts), n_classes))
    full[:, member.classes_.astype(np.int64)] = counts / counts.sum(axis=1, keepdims=True)
    return full


def labels_said(member: Any, classes: NDArray[Any]) -> NDArray[np.intp]:
    """The position among `classes` of the label that each node of a tree predicts."""
    said = member.classes_[member.tree_.value[:, 0].argmax(axis=1)]
    return np.asarray(np.searchsorted(classes, said))


def _takes_missing(estimator: Any) -> bool:
    return bool(get_tags(estimator).input_tags.allow_nan)


def of_averaged(estimator: Any, preparation: Preparation, subsets: Any = None) -> Model:
    """Forests, and bags of trees: the mean of the members' leaves."""
    members = estimator.estimators_
    if is_classifier(estimator):
        values = [class_shares(member, len(estimator.classes_)) for member in members]
    else:
        values = [member.tree_.value[:, 0] for member in members]
    values = [value / len(members) for value in values]
    table = tree_table(members, subsets, values, _takes_missing(estimator))
    return TreesModel(preparation, table, np.zeros(table.n_outputs), "identity")


def _of_tree(estimator: Any, preparation: Preparation) -> Model:
    values = estimator.tree_.value[:, 0]
    if is_classifier(estimator):
        values = values / values.sum(axis=1, keepdims=True)
    table = tree_table([estimator], None, [values], _takes_missing(estimator))
    return TreesModel(preparation, table, np.zeros(table.n_outputs), "identity")


def _of_adaboost(estimator: Any, preparation: Preparation) -> Model | None:
    """SAMME: the label of each member's leaf gets its weight (Zhu et al. 2009, Eq. 15)."""
    classes, members = estimator.classes_, estimator.estimators_
    n = len(classes)
    if n < 2 or not all(type(member) is DecisionTreeClassifier for member in members):
        return None
    weights = np.asarray(estimator.estimator_weights_, dtype=np.float64)
    values = []
    for member, weight in zip(members, weights / weights.sum(), strict=False):
        said = labels_said(member, classes)
        if n == 2:
            values.append(np.where(said == 1, 2.0 * weight, -2.0 * weight)[:, None])
        else:
            full = np.where(np.arange(n) == said[:, None], weight, -weight / (n - 1))
            values.append(full / (n - 1))
    table = tree_table(members, None, values, _takes_missing(estimator))
    link = "logistic" if n == 2 else "softmax"
    return TreesModel(preparation, table, np.zeros(table.n_outputs), link)


def _of_gradients(estimator: Any, preparation: Preparation) -> Model | None:
    """Each tree adds to one sum; the start is a constant."""
    start = estimator.init_
    if not isinstance(start, str) and type(start) not in (DummyClassifier, DummyRegressor):
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


TREES: dict[type, Callable[[Any, Preparation], Model | None]] = {
    DecisionTreeClassifier: _of_tree,
    DecisionTreeRegressor: _of_tree,
    ExtraTreeClassifier: _of_tree,
    ExtraTreeRegressor: _of_tree,
    RandomForestClassifier: of_averaged,
    RandomForestRegressor: of_averaged,
    ExtraTreesClassifier: of_averaged,
    ExtraTreesRegressor: of_averaged,
    AdaBoostClassifier: _of_adaboost,
    GradientBoostingClassifier: _of_gradients,
    GradientBoostingRegressor: _of_gradients,
    HistGradientBoostingClassifier: of_histograms,
    HistGradientBoostingRegressor: of_histograms,
}
