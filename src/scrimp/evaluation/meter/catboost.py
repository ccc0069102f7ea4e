"""What models of CatBoost read."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .asking import as_asked, not_fitted, rounds_charged
from .paths import Paths, Tree
from .readers import Reader, SameForAll, Walk


def reader_of(model: Any, num_iteration: int | None) -> Reader:
    """All columns of symmetric trees; of others those on the paths of a row.

    The leaf of a symmetric tree is made of the outcomes of all its tests, the same for each
    row, so that each row reads all columns of all trees.
    """
    stored = _stored(model)
    there = model.tree_count_
    rounds = rounds_charged(num_iteration, there, there)
    columns, given = _Columns(stored["features_info"]), len(model.feature_names_)
    if "oblivious_trees" in stored:
        trees = stored["oblivious_trees"][:rounds]
        read = [column for tree in trees for s in tree["splits"] or () for column in columns.of(s)]
        return SameForAll(np.isin(np.arange(given), read))

    def leaves(X: Any) -> NDArray[Any]:
        return np.asarray(model.calc_leaf_indexes(as_asked(X), ntree_end=rounds))

    _check_numbers(model, stored["trees"])
    return Walk(Paths.joined([_tree(t, columns) for t in stored["trees"][:rounds]]), leaves, given)


def column_names(model: Any) -> list[str] | None:
    """Names of the columns, unless CatBoost numbered them."""
    if not model.is_fitted():
        not_fitted(model)
    names = list(model.feature_names_)
    return None if names == [str(j) for j in range(len(names))] else names


def _stored(model: Any) -> dict[str, Any]:
    if not model.is_fitted():
        not_fitted(model)
    with TemporaryDirectory() as folder:
        path = Path(folder, "model.json")
        model.save_model(str(path), format="json")
        stored: dict[str, Any] = json.loads(path.read_text())
        return stored


class _Columns:
    """The columns that tests compare: one, or those whose categories make a statistic.

    Parameters
    ----------
    info : dict
        What a stored model says of its features.
    """

    def __init__(self, info: dict[str, Any]) -> None:
        self._kinds = {
            f"{kind}_feature_index": {
                own["feature_index"]: own["flat_feature_index"] for own in info.get(name) or ()
            }
            for kind, name in (("float", "float_features"), ("cat", "categorical_features"))
        }
        self._statistics = _by_test(info)

    def of(self, split: dict[str, Any]) -> tuple[int, ...]:
        """The columns of a test."""
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
        for key, position in self._kinds.items():
            if key in part:
                yield position[part[key]]


def _by_test(info: dict[str, Any]) -> dict[int, dict[str, Any]]:
    """The statistic of each test; CatBoost numbers tests of numbers first, then categories."""
    floats = sum(len(own.get("borders") or ()) for own in info.get("float_features") or ())
    values = sum(len(own.get("values") or ()) for own in info.get("categorical_features") or ())
    statistics = [own for own in info.get("ctrs") or () for _ in own["borders"]]
    return dict(enumerate(statistics, start=floats + values))


def _check_numbers(model: Any, trees: list[dict[str, Any]]) -> None:
    """Leaves are numbered as CatBoost does it, which their values tell."""
    values = [np.ravel(leaf["value"]) for tree in trees for leaf, _ in _leaves(tree, ())]
    if not np.allclose(np.concatenate(values), model.get_leaf_values()):
        raise TypeError(
            "This version of CatBoost numbers the leaves of its trees in an unknown way; "
            "use grow_policy='SymmetricTree'."
        )


def _leaves(
    node: dict[str, Any], above: tuple[dict[str, Any], ...]
) -> Iterator[tuple[dict[str, Any], tuple[dict[str, Any], ...]]]:
    """The leaves with the nodes above them, in CatBoost's order.

    That is from left to right, but a leaf comes before a subtree beside it.
    """
    if "split" not in node:
        yield node, above
        return
    for side in sorted((node["left"], node["right"]), key=lambda side: "split" in side):
        yield from _leaves(side, (*above, node))


def _tree(stored: dict[str, Any], columns: _Columns) -> Tree:
    """The leaves by their numbers, then the tests above them."""
    found = [above for _, above in _leaves(stored, ())]
    parent, column = [-1] * len(found), [-1] * len(found)
    number: dict[int, int] = {}
    for leaf, above in enumerate(found):
        last = -1
        for node in above:
            if id(node) not in number:
                number[id(node)] = _add(columns.of(node["split"]), last, parent, column)
            last = number[id(node)]
        parent[leaf] = last
    return Tree(np.array(parent, dtype=np.int64), np.array(column, dtype=np.int64))


def _add(own: tuple[int, ...], last: int, parent: list[int], column: list[int]) -> int:
    """Add a node for each column of a test, one below the other; the lowest of them."""
    for each in own:
        parent.append(last)
        column.append(each)
        last = len(parent) - 1
    return last
