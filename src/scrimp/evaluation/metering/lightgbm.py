"""The columns that models of LightGBM read."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .column_use import ColumnUse, as_array, refuse_unfitted, rounds_charged
from .decision_paths import DecisionPaths, Tree, tree_from_children


def column_use_of(model: Any, num_iteration: int | None) -> ColumnUse:
    """Return the decision paths of the trees that ``predict`` uses.

    These end at the best iteration, where there is one.
    """
    booster = _booster(model)
    per_round = booster.num_model_per_iteration()
    fitted = booster.num_trees() // per_round
    best = booster.best_iteration if booster.best_iteration > 0 else fitted
    rounds = rounds_charged(num_iteration, best, fitted)
    text = booster.model_to_string(num_iteration=rounds, start_iteration=0)
    # what follows the trees is the importance of columns and the parameters
    parts = text.split("\nend of trees")[0].split("\nTree=")[1 : 1 + rounds * per_round]

    def leaves(X: Any) -> NDArray[Any]:
        return np.asarray(booster.predict(as_array(X), num_iteration=rounds, pred_leaf=True))

    return DecisionPaths.of_trees([_tree(part) for part in parts], leaves, booster.num_feature())


def column_names(model: Any) -> list[str] | None:
    """Return the names of the columns, unless LightGBM made them up."""
    names = _booster(model).feature_name()
    made_up = [f"Column_{j}" for j in range(len(names))]
    return None if names == made_up else list(names)


def _booster(model: Any) -> Any:
    if not hasattr(type(model), "booster_"):
        return model
    return model.booster_ if model.__sklearn_is_fitted__() else refuse_unfitted(model)


def _tree(text: str) -> Tree:
    """Parse a tree from its lines ``name=values``; children -1, -2, ... are its leaves."""
    lines = dict(line.split("=", 1) for line in text.splitlines() if "=" in line)

    def numbers(name: str) -> NDArray[np.int64]:
        return np.array(lines.get(name, "").split(), dtype=np.int64)

    n_leaves = int(lines["num_leaves"])
    inner = n_leaves - 1
    none = np.full(n_leaves, -1)
    children = [numbers(f"{side}_child")[:inner] for side in ("left", "right")]
    left, right = (np.where(child < 0, inner + ~child, child) for child in children)
    column = np.concatenate([numbers("split_feature")[:inner], none])
    tree = tree_from_children(column, np.append(left, none), np.append(right, none), inner)
    return _with_terms(tree, numbers("num_features"), numbers("leaf_features"))


def _with_terms(tree: Tree, counts: NDArray[np.int64], columns: NDArray[np.int64]) -> Tree:
    """Put each term of the linear models in the leaves as a node above its leaf."""
    leaf = tree.first_leaf + np.repeat(np.arange(len(counts)), counts)
    parent = np.append(tree.parent, np.full(len(columns), -1))
    for node, below in enumerate(leaf.tolist(), start=len(tree.parent)):
        parent[node], parent[below] = parent[below], node
    return Tree(parent, np.append(tree.column, columns), tree.first_leaf)
