"""What trees of scikit-learn read."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .asking import rounds_charged
from .paths import Paths, Tree, tree_of
from .readers import Reader, Union, Walk, on_arrays


def decision_tree(model: Any) -> Reader:
    """One tree."""
    return Walk(Paths.joined([_tree(model)]), model.apply, model.n_features_in_)


def forest(model: Any) -> Reader:
    """Trees that are all asked."""
    paths = Paths.joined([_tree(member) for member in model.estimators_])
    return Walk(paths, model.apply, model.n_features_in_)


def boosted_trees(model: Any, num_iteration: int | None, start: Reader) -> Reader:
    """Gradient boosting, with what the model reads before the first tree."""
    there = len(model.estimators_)
    rounds = rounds_charged(num_iteration, there, there)

    def leaves(X: Any) -> NDArray[Any]:
        found = model.apply(X)
        return np.asarray(found[:, :rounds].reshape(len(found), -1))

    paths = Paths.joined([_tree(member) for member in model.estimators_[:rounds].ravel()])
    walk = Walk(paths, leaves, model.n_features_in_)
    return Union([walk, on_arrays(start, model.n_features_in_, np.float32)])


def _tree(member: Any) -> Tree:
    tree = member.tree_
    return tree_of(tree.feature, tree.children_left, tree.children_right)


def histogram_trees(model: Any, num_iteration: int | None) -> Reader:
    """Histogram gradient boosting.

    It does not say at which leaves rows end. So its own code is given copies of the trees
    whose leaves predict their own number.
    """
    there = len(model._predictors)
    rounds = model._predictors[: rounds_charged(num_iteration, there, there)]
    trees = [tree for own in rounds for tree in own]
    numbered = [_numbered(tree) for tree in trees]

    def leaves(X: Any) -> NDArray[Any]:
        table = model._preprocess_X(X, reset=False)
        known = model._bin_mapper.make_known_categories_bitsets()
        # one thread: so many short tasks would mostly wait for the others
        return np.column_stack([tree.predict(table, *known, 1) for tree in numbered])

    columns = _columns_in_order(model)
    return Walk(
        Paths.joined([_histogram_tree(tree.nodes, columns) for tree in trees]),
        leaves,
        model.n_features_in_,
    )


def _numbered(tree: Any) -> Any:
    twin = copy.copy(tree)
    twin.nodes = tree.nodes.copy()
    twin.nodes["value"] = np.arange(len(twin.nodes))
    return twin


def _histogram_tree(nodes: Any, columns: NDArray[np.intp]) -> Tree:
    leaf = nodes["is_leaf"].astype(bool)
    left, right = (np.where(leaf, -1, nodes[side].astype(np.int64)) for side in ("left", "right"))
    return tree_of(columns[np.where(leaf, 0, nodes["feature_idx"])], left, right)


def _columns_in_order(model: Any) -> NDArray[np.intp]:
    """The columns as its trees number them: where there are categories, these come first."""
    if model._preprocessor is None:
        return np.arange(model.n_features_in_)
    return np.argsort(~np.asarray(model.is_categorical_), kind="stable")
