"""The columns that models of CatBoost read."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .column_use import ColumnUse, FixedColumns, as_array, refuse_unfitted, rounds_charged
from .decision_paths import DecisionPaths, Tree


def column_use_of(model: Any, num_iteration: int | None) -> ColumnUse:
    """Return all columns of symmetric trees, and the decision paths of others.

    The leaf of a symmetric tree is indexed by the outcomes of all its tests, the same for each
    row, so that each row reads all columns of all trees.
    """
    stored = _stored(model)
    rounds = rounds_charged(num_iteration, model.tree_count_, model.tree_count_)
    columns, n_given = _Columns(stored["features_info"]), len(model.feature_names_)
    if "oblivious_trees" in stored:
        trees = stored["oblivious_trees"][:rounds]
        read = [column for tree in trees for s in tree["splits"] or () for column in columns.of(s)]
        return FixedColumns(np.isin(np.arange(n_given), read))

    def leaves(X: Any) -> NDArray[Any]:
        return np.asarray(model.calc_leaf_indexes(as_array(X), ntree_end=rounds))

    _check_leaf_order(model, stored["trees"])
    trees = [_tree(tree, columns) for tree in stored["trees"][:rounds]]
    return DecisionPaths.of_trees(trees, leaves, n_given)


def column_names(model: Any) -> list[str] | None:
    """Return the names of the columns, unless CatBoost numbered them."""
    if not model.is_fitted():
        refuse_unfitted(model)
    names = list(model.feature_names_)
    return None if names == [str(j) for j in range(len(names))] else names


def _stored(model: Any) -> dict[str, Any]:
    if not model.is_fitted():
        refuse_unfitted(model)
    with TemporaryDirectory() as folder:
        path = Path(folder, "model.json")
        model.save_model(str(path), format="json")
        stored: dict[str, Any] = json.loads(path.read_text())
        return stored


class _Columns:
    """The columns of tests: one, or those whose categories make a target statistic.

    Parameters
    ----------
    info : dict
        The entry ``features_info`` of a stored model.
    """

    def __init__(self, info: dict[str, Any]) -> None:
        self._positions = {
            f"{kind}_feature_index": {
                feature["feature_index"]: feature["flat_feature_index"]
                for feature in info.get(name) or ()
            }
            for kind, name in (("float", "float_features"), ("cat", "categorical_features"))
        }
        self._statistics = _statistic_by_test(info)

    def of(self, split: dict[str, Any]) -> tuple[int, ...]:
        """Return the columns of a test."""
        if split["split_type"] == "OnlineCtr":
            elements = self._statistics[split["split_index"]]["elements"]
            return tuple(column for element in elements for column in self._named(element))
        columns = tuple(self._named(split))
        if not columns:
            raise TypeError(
                f"A test of the kind {split['split_type']!r} does not say which columns it reads; "
                "CostMeter reads CatBoost models of numbers and categories."
            )
        return columns

    def _named(self, part: dict[str, Any]) -> Iterator[int]:
        for key, positions in self._positions.items():
            if key in part:
                yield positions[part[key]]


def _statistic_by_test(info: dict[str, Any]) -> dict[int, dict[str, Any]]:
    """Return the target statistics by test, numbered after those of numbers and categories."""
    floats = sum(len(feature.get("borders") or ()) for feature in info.get("float_features") or ())
    values = sum(
        len(feature.get("values") or ()) for feature in info.get("categorical_features") or ()
    )
    statistics = [statistic for statistic in info.get("ctrs") or () for _ in statistic["borders"]]
    return dict(enumerate(statistics, start=floats + values))


def _check_leaf_order(model: Any, trees: list[dict[str, Any]]) -> None:
    """Check by the values of leaves that they are numbered as CatBoost does it."""
    values = [np.ravel(leaf["value"]) for tree in trees for leaf, _ in _leaves(tree, ())]
    if not np.allclose(np.concatenate(values), model.get_leaf_values()):
        raise TypeError(
            "This version of CatBoost numbers the leaves of its trees in an unknown way; "
            "use grow_policy='SymmetricTree'."
        )


def _leaves(
    node: dict[str, Any], above: tuple[dict[str, Any], ...]
) -> Iterator[tuple[dict[str, Any], tuple[dict[str, Any], ...]]]:
    """Yield the leaves with the nodes above them, in CatBoost's order.

    That is from left to right, but a leaf comes before its sibling subtree.
    """
    if "split" not in node:
        yield node, above
        return
    for side in sorted((node["left"], node["right"]), key=lambda side: "split" in side):
        yield from _leaves(side, (*above, node))


def _tree(stored: dict[str, Any], columns: _Columns) -> Tree:
    """Return a tree whose first nodes are the leaves, followed by the tests above them."""
    paths = [above for _, above in _leaves(stored, ())]
    parent, column = [-1] * len(paths), [-1] * len(paths)
    node_numbers: dict[int, int] = {}
    for leaf, above in enumerate(paths):
        last = -1
        for node in above:
            if id(node) not in node_numbers:
                node_numbers[id(node)] = _add_test(columns.of(node["split"]), last, parent, column)
            last = node_numbers[id(node)]
        parent[leaf] = last
    return Tree(np.array(parent, dtype=np.int64), np.array(column, dtype=np.int64))


def _add_test(columns: tuple[int, ...], last: int, parent: list[int], column: list[int]) -> int:
    """Add a chain of nodes for the columns of a test, and return the lowest."""
    for each in columns:
        parent.append(last)
        column.append(each)
        last = len(parent) - 1
    return last
