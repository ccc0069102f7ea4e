"""Conversion of scikit-learn's histogram gradient boosting."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_classifier

from ...types import Floats
from ..components.models import Model, Preparation, TreesModel
from ..components.tree_table import TreeTable


@dataclass
class TreeBuilder:
    """Lists of the nodes of several trees, from which a table is built."""

    roots: list[int] = field(default_factory=list)
    column: list[int] = field(default_factory=list)
    cut: list[float] = field(default_factory=list)
    left: list[int] = field(default_factory=list)
    right: list[int] = field(default_factory=list)
    missing: list[int] = field(default_factory=list)
    output: list[int] = field(default_factory=list)
    value: list[float] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.column)

    def add_test(self, column: int, cut: float, left: int, right: int, missing: int) -> None:
        """Add an inner node."""
        self._add(column, cut, left, right, missing, 0, 0.0)

    def add_leaf(self, output: int, value: float) -> None:
        """Add a leaf."""
        self._add(-1, 0.0, -1, -1, -1, output, value)

    def _add(self, *entries: Any) -> None:
        names = ("column", "cut", "left", "right", "missing", "output", "value")
        for name, entry in zip(names, entries, strict=True):
            getattr(self, name).append(entry)

    def table(self, n_outputs: int) -> TreeTable:
        """Return the table of all trees."""
        votes = np.zeros((len(self), n_outputs))
        votes[np.arange(len(self)), self.output] = self.value
        numbers = (self.roots, self.column, self.left, self.right, self.missing)
        roots, column, left, right, missing = (np.array(n, dtype=np.int64) for n in numbers)
        return TreeTable(roots, column, np.array(self.cut), left, right, missing, votes)


def convert_histograms(estimator: Any, preparation: Preparation) -> Model | None:
    """Return the sum of all trees; tests of categories become intervals of codes."""
    link = _link(estimator)
    if link is None:
        return None
    base = np.asarray(estimator._baseline_prediction, dtype=np.float64).ravel()
    columns, codes = _inputs(estimator)
    nodes = TreeBuilder()
    for trees in estimator._predictors:
        for output, tree in enumerate(trees):
            _add_tree(nodes, tree, output, columns, codes)
    return TreesModel(preparation, nodes.table(len(base)), base, link)


def _link(estimator: Any) -> str | None:
    """Return the link of a model, or None if it is not supported."""
    if is_classifier(estimator):
        return "logistic" if estimator.n_trees_per_iteration_ == 1 else "softmax"
    name = type(estimator._loss.link).__name__
    return {"IdentityLink": "identity", "LogLink": "exponential"}.get(name)


def _inputs(estimator: Any) -> tuple[list[int], list[Floats | None]]:
    """Return the column of each feature of the trees, and the codes of its categories if any.

    Where there are categories, they are encoded first and come before all other columns.
    """
    flags = estimator.is_categorical_
    if flags is None:
        return list(range(estimator.n_features_in_)), [None] * estimator.n_features_in_
    first, rest = np.flatnonzero(flags), np.flatnonzero(~flags)
    encoder = estimator._preprocessor.named_transformers_["encoder"]
    codes = [np.asarray(categories, dtype=np.float64) for categories in encoder.categories_]
    return [*first.tolist(), *rest.tolist()], [*codes, *([None] * len(rest))]


def _add_tree(
    nodes: TreeBuilder, tree: Any, output: int, columns: list[int], codes: list[Floats | None]
) -> None:
    """Append a tree; a test of categories becomes several nodes."""
    records, start = tree.nodes, len(nodes)
    intervals_of = [_intervals(record, tree, codes) for record in records]
    sizes = [1 if intervals is None else len(intervals) for intervals in intervals_of]
    place = (np.cumsum([0, *sizes]) + start).tolist()
    nodes.roots.append(start)
    for intervals, record in zip(intervals_of, records, strict=True):
        if record["is_leaf"]:
            nodes.add_leaf(output, float(record["value"]))
            continue
        column = columns[int(record["feature_idx"])]
        left, right = place[int(record["left"])], place[int(record["right"])]
        missing = left if record["missing_go_to_left"] else right
        if intervals is None:
            nodes.add_test(column, float(record["num_threshold"]), left, right, missing)
            continue
        child = {"left": left, "right": right, "missing": missing}
        for number, (end, side) in enumerate(intervals):
            after = missing if number == len(intervals) - 1 else len(nodes) + 1
            nodes.add_test(column, end, child[side], after, missing)


def _intervals(
    record: Any, tree: Any, codes: list[Floats | None]
) -> list[tuple[float, str]] | None:
    """Return the ends of intervals of codes and the child of each; None for a numeric test.

    An unknown code goes to the child of missing values.
    """
    feature_codes = codes[int(record["feature_idx"])]
    if record["is_leaf"] or not record["is_categorical"] or feature_codes is None:
        return None
    bits = tree.raw_left_cat_bitsets[int(record["bitset_idx"])]
    sides: dict[int, str] = {}
    for number, code in enumerate(feature_codes.tolist()):
        if code == code:
            sides[int(code)] = "left" if _has_bit(bits, number) else "right"
    intervals: list[tuple[float, str]] = [(min(sides) - 0.5, "missing")]
    for code in range(min(sides), max(sides) + 1):
        side = sides.get(code, "missing")
        if intervals[-1][1] == side:
            intervals.pop()
        intervals.append((code + 0.5, side))
    return intervals


def _has_bit(bits: NDArray[Any], number: int) -> bool:
    """Return whether a bit set, with 32 bits per word, contains a number."""
    return bool((int(bits[number // 32]) >> (number % 32)) & 1)
