"""Decision paths: the columns compared between the root and the leaf of a row in each tree."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import _num_samples

from ...kernels.decision_paths import mark_path_columns
from ...types import Flags, Ints
from .column_use import ColumnUse


@dataclass(frozen=True, eq=False)
class Tree:
    """One tree, its nodes numbered from 0.

    Parameters
    ----------
    parent : int array (nodes,)
        The parent of each node; -1 for the root.
    column : int array (nodes,)
        The column that a node compares; -1 for a leaf.
    first_leaf : int
        The node of the leaf that the library numbers 0.
    """

    parent: Ints
    column: Ints
    first_leaf: int = 0


def tree_from_children(column: Any, left: Any, right: Any, first_leaf: int = 0) -> Tree:
    """Return a tree from the children of its nodes; those of a leaf are negative."""
    left, right = np.asarray(left, dtype=np.int64), np.asarray(right, dtype=np.int64)
    inner = np.flatnonzero(left >= 0)
    parent = np.full(len(left), -1, dtype=np.int64)
    parent[left[inner]] = inner
    parent[right[inner]] = inner
    return Tree(parent, np.where(left >= 0, column, -1).astype(np.int64), first_leaf)


@dataclass(frozen=True, eq=False)
class DecisionPaths(ColumnUse):
    """An ensemble of trees, each of which leads each row from its root to a leaf.

    Parameters
    ----------
    parent, column : int arrays (nodes,)
        As of a `Tree`, with the nodes of all trees numbered consecutively.
    first_leaf : int array (trees,)
        The node of the leaf 0 of each tree.
    leaves : callable
        Returns the number of the leaf of each row in each tree (rows x trees), by the library's
        own rules for missing values, categories and rounding.
    n_given : int
        Number of columns that the model is given.
    """

    parent: Ints
    column: Ints
    first_leaf: Ints
    leaves: Callable[[Any], NDArray[Any]]
    n_given: int

    @classmethod
    def of_trees(
        cls, trees: Sequence[Tree], leaves: Callable[[Any], NDArray[Any]], n_given: int
    ) -> DecisionPaths:
        """Return the paths of trees, given in the order in which ``leaves`` numbers them."""
        sizes = np.array([len(tree.parent) for tree in trees], dtype=np.int64)
        start = np.cumsum(sizes) - sizes
        empty = [np.zeros(0, dtype=np.int64)]
        parents = [
            np.where(t.parent < 0, -1, t.parent + s) for t, s in zip(trees, start, strict=True)
        ]
        return cls(
            np.concatenate(parents or empty),
            np.concatenate([tree.column for tree in trees] or empty),
            start + np.array([tree.first_leaf for tree in trees], dtype=np.int64),
            leaves,
            n_given,
        )

    @property
    def width(self) -> int:
        """One flag per column and one leaf per tree."""
        return self.n_given + len(self.first_leaf)

    def for_any_row(self) -> Flags:
        """Return the columns that some node compares."""
        flags = np.zeros(self.n_given, dtype=bool)
        flags[self.column[self.column >= 0]] = True
        return flags

    def per_row(self, X: Any) -> Flags:
        """Return the columns on the paths to the leaves of each row."""
        n, n_trees = _num_samples(X), len(self.first_leaf)
        reads = np.zeros((n, self.n_given), dtype=bool)
        if n_trees:
            leaves = np.reshape(self.leaves(X), (n, n_trees)).astype(np.int64)
            mark_path_columns(leaves + self.first_leaf, self.parent, self.column, reads)
        return reads
