"""Conversion of LightGBM's scikit-learn estimators."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..components.models import Model, Preparation, TreesModel
from .histograms import TreeBuilder

#: The link of each objective whose scores are sums of trees.
_LINKS = {
    "binary": "logistic",
    "multiclass": "softmax",
    "regression": "identity",
    "regression_l1": "identity",
    "huber": "identity",
    "fair": "identity",
    "quantile": "identity",
    "mape": "identity",
    "poisson": "exponential",
    "gamma": "exponential",
    "tweedie": "exponential",
}


def converter_of(kind: type) -> Callable[[Any, Preparation], Model | None] | None:
    """Return the converter of one of LightGBM's own classes; None for any other."""
    import lightgbm

    kinds = (lightgbm.LGBMClassifier, lightgbm.LGBMRegressor)
    return _convert if kind in kinds else None


def _convert(estimator: Any, preparation: Preparation) -> Model | None:
    """Return the sum of all trees; None for objectives and tests that are not supported."""
    dump = estimator.booster_.dump_model(num_iteration=estimator.best_iteration_ or None)
    name, *options = dump["objective"].split()
    outputs = dump["num_tree_per_iteration"]
    supported = all(o in ("sigmoid:1", f"num_class:{outputs}") for o in options)
    if name not in _LINKS or dump["average_output"] or not supported:
        return None
    nodes = TreeBuilder()
    for number, tree in enumerate(dump["tree_info"]):
        if not _add_tree(nodes, tree["tree_structure"], number % outputs):
            return None
    return TreesModel(preparation, nodes.table(outputs), [0.0] * outputs, _LINKS[name])


def _add_tree(nodes: TreeBuilder, root: dict[str, Any], output: int) -> bool:
    """Append a tree, parents before children; return False if some test is not supported."""
    nodes.roots.append(len(nodes))
    waiting: list[tuple[dict[str, Any], int, str]] = [(root, -1, "")]
    while waiting:
        node, parent, side = waiting.pop()
        here = len(nodes)
        if parent >= 0:
            getattr(nodes, side)[parent] = here
            if nodes.missing[parent] == _PENDING[side]:
                nodes.missing[parent] = here
        if "split_feature" not in node:
            nodes.add_leaf(output, float(node["leaf_value"]))
            continue
        if node["decision_type"] != "<=" or node["missing_type"] == "Zero":
            return False
        missing = _PENDING["left" if _missing_goes_left(node) else "right"]
        nodes.add_test(int(node["split_feature"]), float(node["threshold"]), -1, -1, missing)
        waiting.append((node["right_child"], here, "right"))
        waiting.append((node["left_child"], here, "left"))
    return True


#: Marks the child of missing values until that child has its place.
_PENDING = {"left": -2, "right": -3}


def _missing_goes_left(node: dict[str, Any]) -> bool:
    """Return where a missing value goes; it counts as 0 if none was seen in training."""
    if node["missing_type"] == "NaN":
        return bool(node["default_left"])
    return float(node["threshold"]) >= 0.0
