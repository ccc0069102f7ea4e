"""What models of XGBoost read."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .asking import as_asked, not_fitted, refuse_rounds, rounds_charged
from .paths import Paths, Tree
from .readers import Reader, SameForAll, Walk

#: What XGBoost writes for the parent of a root.
_ABOVE_ROOT = 2**31 - 1


def reader_of(model: Any, num_iteration: int | None) -> Reader:
    """The trees that ``predict`` uses.

    The estimators of XGBoost stop at the best iteration, where there is one. A Booster does
    not, unless ``predict`` is told so.
    """
    booster = _booster(model)
    learner = json.loads(bytes(booster.save_raw(raw_format="json")))["learner"]
    stored, given = learner["gradient_booster"], int(learner["learner_model_param"]["num_feature"])
    if stored["name"] == "gblinear":
        refuse_rounds(model, num_iteration)
        weights = np.reshape(stored["model"]["weights"], (given + 1, -1))
        return SameForAll((weights[:-1] != 0).any(axis=1))
    forest = stored["gbtree"]["model"] if stored["name"] == "dart" else stored["model"]
    ends = forest["iteration_indptr"]
    there = len(ends) - 1
    rounds = rounds_charged(num_iteration, _used(model, there), there)

    def leaves(X: Any) -> NDArray[Any]:
        return _leaves(model, X, (0, rounds))

    trees = [_tree(tree) for tree in forest["trees"][: ends[rounds]]]
    return Walk(Paths.joined(trees), leaves, given)


def column_names(model: Any) -> list[str] | None:
    """Names of the columns, if there are any."""
    names = _booster(model).feature_names
    return None if names is None else list(names)


def _booster(model: Any) -> Any:
    if not hasattr(model, "get_booster"):
        return model
    return model.get_booster() if model.__sklearn_is_fitted__() else not_fitted(model)


def _used(model: Any, there: int) -> int:
    if model is _booster(model):
        return there
    best = getattr(model, "best_iteration", None)
    return there if best is None else int(best) + 1


def _leaves(model: Any, X: Any, rounds: tuple[int, int]) -> NDArray[Any]:
    """The node at which each row ends in each tree."""
    if model is not _booster(model):
        return np.asarray(model.apply(X, iteration_range=rounds))
    from xgboost import DMatrix

    table = DMatrix(as_asked(X), feature_names=_names_for(model, X), enable_categorical=True)
    return np.asarray(model.predict(table, pred_leaf=True, iteration_range=rounds))


def _names_for(booster: Any, X: Any) -> Any:
    """An array has no names, but a Booster trained on a frame insists on them."""
    return None if hasattr(X, "columns") else booster.feature_names


def _tree(stored: dict[str, Any]) -> Tree:
    parent = np.array(stored["parents"], dtype=np.int64)
    inner = np.array(stored["left_children"]) >= 0
    column = np.where(inner, np.array(stored["split_indices"], dtype=np.int64), -1)
    return Tree(np.where(parent == _ABOVE_ROOT, -1, parent), column)
