"""The columns that models of XGBoost read."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .column_use import (
    ColumnUse,
    FixedColumns,
    as_array,
    refuse_rounds,
    refuse_unfitted,
    rounds_charged,
)
from .decision_paths import DecisionPaths, Tree

#: The number that XGBoost stores as the parent of a root.
_NO_PARENT = 2**31 - 1


def column_use_of(model: Any, num_iteration: int | None) -> ColumnUse:
    """Return the decision paths of the trees that ``predict`` uses.

    The estimators of XGBoost stop at the best iteration, where there is one. A Booster does
    not, unless ``predict`` is given an ``iteration_range``.
    """
    booster = _booster(model)
    learner = json.loads(bytes(booster.save_raw(raw_format="json")))["learner"]
    stored, n_given = (
        learner["gradient_booster"],
        int(learner["learner_model_param"]["num_feature"]),
    )
    if stored["name"] == "gblinear":
        refuse_rounds(model, num_iteration)
        weights = np.reshape(stored["model"]["weights"], (n_given + 1, -1))
        return FixedColumns((weights[:-1] != 0).any(axis=1))
    forest = stored["gbtree"]["model"] if stored["name"] == "dart" else stored["model"]
    ends = forest["iteration_indptr"]
    fitted = len(ends) - 1
    rounds = rounds_charged(num_iteration, _rounds_used(model, fitted), fitted)

    def leaves(X: Any) -> NDArray[Any]:
        return _leaves(model, X, (0, rounds))

    trees = [_tree(tree) for tree in forest["trees"][: ends[rounds]]]
    return DecisionPaths.of_trees(trees, leaves, n_given)


def column_names(model: Any) -> list[str] | None:
    """Return the names of the columns, if there are any."""
    names = _booster(model).feature_names
    return None if names is None else list(names)


def _booster(model: Any) -> Any:
    if not hasattr(model, "get_booster"):
        return model
    return model.get_booster() if model.__sklearn_is_fitted__() else refuse_unfitted(model)


def _rounds_used(model: Any, fitted: int) -> int:
    if model is _booster(model):
        return fitted
    best = getattr(model, "best_iteration", None)
    return fitted if best is None else int(best) + 1


def _leaves(model: Any, X: Any, rounds: tuple[int, int]) -> NDArray[Any]:
    """Return the leaf of each row in each tree."""
    if model is not _booster(model):
        return np.asarray(model.apply(X, iteration_range=rounds))
    from xgboost import DMatrix

    table = DMatrix(as_array(X), feature_names=_names_for(model, X), enable_categorical=True)
    return np.asarray(model.predict(table, pred_leaf=True, iteration_range=rounds))


def _names_for(booster: Any, X: Any) -> Any:
    """Return names for an array, which a Booster trained on a frame requires."""
    return None if hasattr(X, "columns") else booster.feature_names


def _tree(stored: dict[str, Any]) -> Tree:
    parent = np.array(stored["parents"], dtype=np.int64)
    inner = np.array(stored["left_children"]) >= 0
    column = np.where(inner, np.array(stored["split_indices"], dtype=np.int64), -1)
    return Tree(np.where(parent == _NO_PARENT, -1, parent), column)
