"""Sums of trees: forests, boosted trees, and single ones."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ....data.preparation import Preparation
from ....data.validation import float_array
from ....types import Arrays, Floats, Ints
from ..tree_table import TreeTable
from .model import PreparedModel

#: Walks down trees that are not worth a second thread.
_ALONE = 500_000


class TreesModel(PreparedModel):
    """The sum of the votes of trees.

    Parameters
    ----------
    preparation : Preparation
        What is done to the columns first.
    trees : TreeTable
        Trees on the prepared columns.
    base : float array (sums,)
        What is added to the votes.
    link : str
        What makes answers of the sums.
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
        """Walk down all trees, with several threads where there is much to do."""
        from ....kernels import n_threads, run_pieces
        from ....kernels.votes import add_tree_votes

        trees, links = self.trees, self._links
        threads = min(n_threads(), len(rows) * max(len(trees), 1) // _ALONE)

        def walk(piece: slice) -> None:
            add_tree_votes(sums[piece], X, rows[piece], trees.roots, trees.cut, links, trees.value)

        if threads < 2:
            walk(slice(None))
            return
        ends = np.linspace(0, len(rows), threads + 1).astype(int).tolist()
        with ThreadPoolExecutor(threads) as pool:
            run_pieces(pool, walk, [slice(start, end) for start, end in pairwise(ends)])

    @cached_property
    def _links(self) -> NDArray[np.int32]:
        """Column, left, right and missing of each node side by side."""
        trees = self.trees
        column = np.where(trees.column >= 0, np.append(self.inputs, -1)[trees.column], -1)
        nodes = [column, trees.left, trees.right, trees.missing]
        return np.ascontiguousarray(np.stack(nodes, axis=1), dtype=np.int32)

    def parts(self) -> tuple[dict[str, Any], Arrays]:
        """All there is to it."""
        return {"link": self.link}, {
            "base": self.base, **self.preparation.arrays(), **self.trees.arrays()
        }  # fmt: skip

    @classmethod
    def from_parts(cls, header: dict[str, Any], arrays: Arrays) -> TreesModel:
        """The inverse of `parts`."""
        trees = TreeTable.from_arrays(arrays)
        return cls(Preparation.from_arrays(arrays), trees, arrays["base"], header["link"])
