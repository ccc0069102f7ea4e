"""Histogram gradient boosting of scikit-learn as arrays."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_classifier

from ...types import Floats
from .. import TreeTable
from ..components.models import Model, Preparation, TreesModel


@dataclass
class _Nodes:
    """Nodes of many trees on their way into a table."""

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

    def test(self, column: int, cut: float, left: int, right: int, missing: int) -> None:
        """Add an inner node."""
        self._add(column, cut, left, right, missing, 0, 0.0)

    def leaf(self, output: int, value: float) -> None:
        """Add a leaf."""
        self._add(-1, 0.0, -1, -1, -1, output, value)

    def _add(self, *entries: Any) -> None:
        names = ("column", "cut", "left", "right", "missing", "output", "value")
        for name, entry in zip(names, entries, strict=True):
            getattr(self, name).append(entry)

    def table(self, n_outputs: int) -> TreeTable:
        """All trees."""
        votes = np.zeros((len(self), n_outputs))
        votes[np.arange(len(self)), self.output] = self.value
        whole = (self.roots, self.column), (self.left, self.right, self.missing)
        roots, column, left, right, missing = (
            np.array(own, dtype=np.int64) for part in whole for own in part
        )
        return TreeTable(roots, column, np.array(self.cut), left, right, missing, votes)


def of_histograms(estimator: Any, preparation: Preparation) -> Model | None:
    """The sum of all trees; native categories become runs of codes."""
    link = _link(estimator)
    if link is None:
        return None
    base = np.asarray(estimator._baseline_prediction, dtype=np.float64).ravel()
    columns, codes = _inputs(estimator)
    nodes = _Nodes()
    for trees in estimator._predictors:
        for output, tree in enumerate(trees):
            _add_tree(nodes, tree, output, columns, codes)
    return TreesModel(preparation, nodes.table(len(base)), base, link)


def _link(estimator: Any) -> str | None:
    if is_classifier(estimator):
        return "logistic" if estimator.n_trees_per_iteration_ == 1 else "softmax"
    name = type(estimator._loss.link).__name__
    return {"IdentityLink": "identity", "LogLink": "exponential"}.get(name)


def _inputs(estimator: Any) -> tuple[list[int], list[Floats | None]]:
    """The column behind each feature of the trees, and the codes of its categories if any.

    Where there are categories, they are encoded first and come before all other columns.
    """
    flags = estimator.is_categorical_
    if flags is None:
        return list(range(estimator.n_features_in_)), [None] * estimator.n_features_in_
    first, rest = np.flatnonzero(flags), np.flatnonzero(~flags)
    encoder = estimator._preprocessor.named_transformers_["encoder"]
    codes = [np.asarray(own, dtype=np.float64) for own in encoder.categories_]
    return [*first.tolist(), *rest.tolist()], [*codes, *([None] * len(rest))]


def _add_tree(
    nodes: _Nodes, tree: Any, output: int, columns: list[int], codes: list[Floats | None]
) -> None:
    """Append a tree; a test of categories takes several nodes."""
    records, start = tree.nodes, len(nodes)
    runs = [_runs(record, tree, codes) for record in records]
    sizes = [1 if own is None else len(own) for own in runs]
    place = (np.cumsum([0, *sizes]) + start).tolist()
    nodes.roots.append(start)
    for own, record in zip(runs, records, strict=True):
        if record["is_leaf"]:
            nodes.leaf(output, float(record["value"]))
            continue
        column = columns[int(record["feature_idx"])]
        left, right = place[int(record["left"])], place[int(record["right"])]
        missing = left if record["missing_go_to_left"] else right
        if own is None:
            nodes.test(column, float(record["num_threshold"]), left, right, missing)
            continue
        way = {"left": left, "right": right, "missing": missing}
        for number, (end, side) in enumerate(own):
            after = missing if number == len(own) - 1 else len(nodes) + 1
            nodes.test(column, end, way[side], after, missing)


def _runs(record: Any, tree: Any, codes: list[Floats | None]) -> list[tuple[float, str]] | None:
    """Where runs of codes end, and where they go; None if the test is one of numbers.

    A code that is not known goes where missing values go.
    """
    own = codes[int(record["feature_idx"])]
    if record["is_leaf"] or not record["is_categorical"] or own is None:
        return None
    bits = tree.raw_left_cat_bitsets[int(record["bitset_idx"])]
    sides: dict[int, str] = {}
    for number, code in enumerate(own.tolist()):
        if code == code:
            sides[int(code)] = "left" if _has(bits, number) else "right"
    last = max(sides)
    runs: list[tuple[float, str]] = [(min(sides) - 0.5, "missing")]
    for code in range(min(sides), last + 1):
        side = sides.get(code, "missing")
        if runs[-1][1] == side:
            runs.pop()
        runs.append((code + 0.5, side))
    return runs


def _has(bits: NDArray[Any], number: int) -> bool:
    """Whether a set of bits, 32 in each number, holds a number."""
    return bool((int(bits[number // 32]) >> (number % 32)) & 1)
