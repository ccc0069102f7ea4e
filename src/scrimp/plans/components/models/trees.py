"""Sums of trees: forests, boosted trees, and single trees."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ....data.preparation import Preparation
from ....data.validation import float_array
from ....kernels.threads import run_over_rows
from ....types import Arrays, Floats, Ints
from ..leaf_masks import LeafMasks
from ..tree_table import TreeTable
from .model import PreparedModel


class TreesModel(PreparedModel):
    """A sum of the votes of trees.

    Parameters
    ----------
    preparation : Preparation
        The preparation of the columns.
    trees : TreeTable
        Trees on the prepared columns.
    base : float array (sums,)
        The initial sums.
    link : str
        The link from sums to answers.
    """

    kind: ClassVar[str] = "trees"

    def __init__(
        self, preparation: Preparation, trees: TreeTable, base: ArrayLike, link: str
    ) -> None:
        super().__init__(preparation, float_array("base", base), link)
        self.trees = trees
        if trees.n_outputs != len(self.base):
            raise ValueError("trees and base differ in the number of sums.")
        if trees.column.max(initial=-1) >= len(preparation.source):
            raise ValueError("a tree reads columns that are not prepared.")
        inner = trees.column >= 0
        self.accepts_missing |= bool((trees.missing[inner] >= 0).all())

    def add(self, sums: Floats, X: NDArray[Any], rows: Ints) -> None:
        """Add the votes of all trees to the sums."""
        from ....kernels.votes import add_tree_votes

        trees, (X, rows) = self.trees, self.prepared(X, rows)
        add_tree_votes(sums, X, rows, trees.roots, trees.cut, self._links, trees.value)

    @property
    def work(self) -> int:
        """The number of trees."""
        return len(self.trees)

    @property
    def has_ranges(self) -> bool:
        """Whether its answers are sums of votes on columns as they are, which `ranges` bounds."""
        return self.link == "identity" and self.preparation.is_plain

    def ranges(
        self,
        X: NDArray[Any],
        rows: Ints,
        steps: Sequence[Sequence[int]],
        lacking: Sequence[int] = (),
        threshold: float = np.nan,
    ) -> tuple[Floats, Floats]:
        """Return bounds (steps x rows x outputs) of the sums as more columns become known.

        They hold for all values of the columns that are not known yet. The order in which
        columns became known has no influence, not even by rounding.

        Parameters
        ----------
        X, rows
            The values are in ``X[rows]``.
        steps : sequence of sequences of int
            The columns of X that become known at each step.
        lacking : sequence of int
            Columns that are known to be missing from the start, whatever X holds.
        threshold : float, optional
            Of rows whose bounds are clearly on one side of it, later bounds need not be tighter.
        """
        if self._masks is None:
            known = [[c for part in steps[: k + 1] for c in part] for k in range(len(steps))]
            parts = [self._ranges_by_paths(X, rows, columns, lacking) for columns in known]
            return np.stack([part[0] for part in parts]), np.stack([part[1] for part in parts])
        return self._masks.bounds(X, rows, steps, lacking, self.base, threshold)

    @cached_property
    def _masks(self) -> LeafMasks | None:
        """The leaves within reach of each value, if trees are small."""
        return LeafMasks.of(self.trees, self._links)

    def _ranges_by_paths(
        self, X: NDArray[Any], rows: Ints, known: Sequence[int], lacking: Sequence[int]
    ) -> tuple[Floats, Floats]:
        """Return bounds (rows x outputs) of trees of any size, by all paths that are open."""
        from ....kernels.votes import add_tree_ranges, subtree_ranges

        trees, links = self.trees, self._links
        is_known, is_lacking = np.zeros((2, X.shape[1]), dtype=bool)
        is_known[[*known, *lacking]] = True
        is_lacking[list(lacking)] = True
        lowest, highest = np.empty_like(trees.value), np.empty_like(trees.value)
        subtree_ranges(is_known, links, trees.value, lowest, highest)
        lower, upper = np.tile(self.base, (len(rows), 1)), np.tile(self.base, (len(rows), 1))

        def walk(a: int, b: int) -> None:
            add_tree_ranges(
                lower[a:b], upper[a:b], X, rows[a:b], is_known, is_lacking, trees.roots, trees.cut,
                links, trees.value, lowest, highest,
            )  # fmt: skip

        run_over_rows(walk, len(rows), len(rows) * len(trees))
        return lower, upper

    @cached_property
    def _links(self) -> NDArray[np.int32]:
        """The column and the three children of each node, side by side (nodes x 4)."""
        trees = self.trees
        column = np.where(trees.column >= 0, np.append(self.inputs, -1)[trees.column], -1)
        nodes = [column, trees.left, trees.right, trees.missing]
        return np.ascontiguousarray(np.stack(nodes, axis=1), dtype=np.int32)

    def trimmed(self) -> TreesModel:
        """Return the model without the columns that no tree reads."""
        trees, inner = self.trees, self.trees.column >= 0
        used, position = np.unique(trees.column[inner], return_inverse=True)
        if len(used) == len(self.preparation.source):
            return self
        column = trees.column.copy()
        column[inner] = position
        preparation = self.preparation.taken(used)
        return TreesModel(preparation, replace(trees, column=column), self.base, self.link)

    def parts(self) -> tuple[dict[str, Any], Arrays]:
        """Return the header and the arrays of the model."""
        return {"link": self.link}, {
            "base": self.base, **self.preparation.arrays(), **self.trees.arrays()
        }  # fmt: skip

    @classmethod
    def from_parts(cls, header: dict[str, Any], arrays: Arrays) -> TreesModel:
        """Return the model of stored `parts`."""
        trees = TreeTable.from_arrays(arrays)
        return cls(Preparation.from_arrays(arrays), trees, arrays["base"], header["link"])
