"""The ways through trees, from their leaves up: which columns were compared to get there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...kernels.reads import mark_paths
from ...types import Ints


@dataclass(frozen=True, eq=False)
class Tree:
    """One tree, its nodes numbered from 0.

    Parameters
    ----------
    parent : int array (nodes,)
        The node above; -1 for the root.
    column : int array (nodes,)
        The column that a node compares; -1 for a leaf.
    first_leaf : int
        The node of the leaf that the library calls 0.
    """

    parent: Ints
    column: Ints
    first_leaf: int = 0


def tree_of(column: Any, left: Any, right: Any, first_leaf: int = 0) -> Tree:
    """A tree from the children of its nodes; a leaf has none, which a negative number says."""
    left, right = np.asarray(left, dtype=np.int64), np.asarray(right, dtype=np.int64)
    inner = np.flatnonzero(left >= 0)
    parent = np.full(len(left), -1, dtype=np.int64)
    parent[left[inner]] = inner
    parent[right[inner]] = inner
    return Tree(parent, np.where(left >= 0, column, -1).astype(np.int64), first_leaf)


@dataclass(frozen=True, eq=False)
class Paths:
    """All trees of a model.

    Parameters
    ----------
    parent, column : int arrays (nodes,)
        As of a `Tree`, with the nodes of all trees numbered through.
    first_leaf : int array (trees,)
        The node of the leaf 0 of each tree.
    """

    parent: Ints
    column: Ints
    first_leaf: Ints

    @classmethod
    def joined(cls, trees: Sequence[Tree]) -> Paths:
        """Trees in the order in which the library says their leaves."""
        sizes = np.array([len(tree.parent) for tree in trees], dtype=np.int64)
        start = np.cumsum(sizes) - sizes
        none = [np.zeros(0, dtype=np.int64)]
        parents = [
            np.where(t.parent < 0, -1, t.parent + s) for t, s in zip(trees, start, strict=True)
        ]
        return cls(
            np.concatenate(parents or none),
            np.concatenate([tree.column for tree in trees] or none),
            start + np.array([tree.first_leaf for tree in trees], dtype=np.int64),
        )

    @property
    def n_trees(self) -> int:
        """How many trees there are."""
        return len(self.first_leaf)

    def anywhere(self, n_columns: int) -> NDArray[np.bool_]:
        """Which columns some node compares."""
        flags = np.zeros(n_columns, dtype=bool)
        flags[self.column[self.column >= 0]] = True
        return flags

    def read(self, leaves: NDArray[Any], n_columns: int) -> NDArray[np.bool_]:
        """Which columns are compared on the way to the leaves of rows (rows x trees)."""
        leaves = np.reshape(leaves, (len(leaves), self.n_trees)).astype(np.int64)
        reads = np.zeros((len(leaves), n_columns), dtype=bool)
        mark_paths(leaves + self.first_leaf, self.parent, self.column, reads)
        return reads
