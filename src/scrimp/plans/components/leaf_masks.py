"""The leaves of trees that rows can still reach, by the columns that are known."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...kernels.threads import run_over_rows
from ...types import Flags, Floats, Ints
from .tree_table import TreeTable

#: Leaves of a tree that fit in a word.
_MAX_LEAVES = 64
#: The most words of the masks of a model: 256 MB.
_MAX_WORDS = 2**25
#: Sums of votes stay below this power of two, in units: they fit in 64 bits with room to spare.
_SUM_BITS = 61
#: The exponent of the smallest number above 0.
_LEAST_EXPONENT = -1074


@dataclass(frozen=True, eq=False)
class LeafMasks:
    """The leaves within reach of each value of each column, as the bits of words.

    Parameters
    ----------
    first_cut, cuts, first_pair, tree_of, first_mask, masks, everything, values : arrays
        As in `scrimp.kernels.leaf_masks.write_leaf_bounds`.
    unit : float
        What a vote of 1 in `values` stands for.
    """

    first_cut: Ints
    cuts: Floats
    first_pair: Ints
    tree_of: Ints
    first_mask: Ints
    masks: NDArray[np.uint64]
    everything: NDArray[np.uint64]
    values: NDArray[np.int64]
    unit: float

    @classmethod
    def of(cls, trees: TreeTable, links: NDArray[np.int32]) -> LeafMasks | None:
        """Return the masks of trees; None if they do not fit in words or in memory.

        Parameters
        ----------
        trees : TreeTable
            The trees.
        links : int array (nodes, 4)
            The column of X and the next nodes (left, right, missing) of each node.
        """
        from ...kernels.leaf_masks import write_leaf_masks

        ends, column = np.append(trees.roots, len(links)), links[:, 0]
        unit = _unit(trees)
        leaves = _Leaves.of(trees, links, ends)
        if leaves.largest > _MAX_LEAVES or unit is None:
            return None
        tree_of_node = np.repeat(np.arange(len(trees)), np.diff(ends))
        tests = [np.flatnonzero(column == c) for c in range(int(column.max(initial=-1)) + 1)]
        cuts = [np.unique(trees.cut[nodes]) for nodes in tests]
        testing = [np.unique(tree_of_node[nodes]) for nodes in tests]
        sizes = [(len(c) + 2) * len(t) for c, t in zip(cuts, testing, strict=True)]
        if sum(sizes) > _MAX_WORDS:
            return None
        tables = (
            _starts(map(len, cuts)), np.concatenate([np.empty(0), *cuts]),
            _starts(map(len, testing)), np.concatenate([np.empty(0, np.int64), *testing]),
            _starts(sizes), np.empty(sum(sizes), np.uint64), np.empty(len(trees), np.uint64),
        )  # fmt: skip
        write_leaf_masks(links, trees.cut, ends, leaves.bit, *tables)
        return cls(*tables, np.rint(leaves.values / unit).astype(np.int64), unit)

    def bounds(
        self,
        X: NDArray[Any],
        rows: Ints,
        steps: Sequence[Sequence[int]],
        lacking: Sequence[int],
        base: Floats,
        threshold: float,
    ) -> tuple[Floats, Floats]:
        """Return bounds (steps x rows x outputs); see `TreesModel.ranges`."""
        from ...kernels.leaf_masks import write_leaf_bounds, write_leaf_bounds_of_classes

        columns, is_lacking, ends = self._in_order(steps, lacking)
        lower, upper = np.empty((2, len(steps), len(rows), len(base)))
        write = write_leaf_bounds if len(base) == 1 else write_leaf_bounds_of_classes
        tables = (
            base, threshold, self.unit, self.first_cut, self.cuts, self.first_pair, self.tree_of,
            self.first_mask, self.masks, self.everything, self.values,
        )  # fmt: skip

        def walk(a: int, b: int) -> None:
            write(lower[:, a:b], upper[:, a:b], X, rows[a:b], columns, is_lacking, ends, *tables)

        n_pairs = int(np.diff(self.first_pair)[columns].sum())
        run_over_rows(walk, len(rows), len(rows) * n_pairs)
        return lower, upper

    def _in_order(
        self, steps: Sequence[Sequence[int]], lacking: Sequence[int]
    ) -> tuple[Ints, Flags, Ints]:
        """Return the tested columns in the order known, which are lacking, and counts by step."""
        n_columns = len(self.first_cut) - 1
        tested = [[c for c in part if c < n_columns] for part in (lacking, *steps)]
        counts = np.cumsum(list(map(len, tested)))
        columns = np.array([c for part in tested for c in part], dtype=np.int64)
        return columns, np.arange(len(columns)) < counts[0], counts[1:]


@dataclass(frozen=True, eq=False)
class _Leaves:
    """The numbers of leaves in their trees, and their votes.

    A missing value that leads nowhere ends in a leaf of its node, whose vote is 0.

    Parameters
    ----------
    bit : int array (nodes,)
        The number of the leaf that a node is or has.
    values : float array (trees, largest, outputs)
        The votes, ascending if there is one output.
    largest : int
        The most leaves of a tree.
    """

    bit: Ints
    values: Floats
    largest: int

    @classmethod
    def of(cls, trees: TreeTable, links: NDArray[np.int32], ends: Ints) -> _Leaves:
        """Return the leaves of all trees; of too large ones only how many they are."""
        is_inner = links[:, 0] >= 0
        has_leaf = np.flatnonzero(~is_inner | (links[:, 3] < 0))
        tree = np.searchsorted(ends, has_leaf, side="right") - 1
        largest = int(np.bincount(tree, minlength=1).max())
        bit, values = np.zeros(len(links), np.int64), np.empty((0, 0, trees.n_outputs))
        if largest <= _MAX_LEAVES:
            votes = np.where(is_inner[has_leaf, None], 0.0, trees.value[has_leaf])
            order = np.lexsort((votes[:, 0], tree))
            number = np.arange(len(order)) - np.searchsorted(tree, tree)
            bit[has_leaf[order]] = number
            values = np.zeros((len(trees), largest, trees.n_outputs))
            values[tree, number] = votes[order]
        return cls(bit, values, largest)


def _unit(trees: TreeTable) -> float | None:
    """Return a power of two of which sums of votes are not too many; None if they overflow."""
    total = float(trees.bounds().sum())
    if not math.isfinite(total):
        return None
    return math.ldexp(1.0, max(math.frexp(total)[1] - _SUM_BITS, _LEAST_EXPONENT))


def _starts(sizes: Any) -> Ints:
    return np.cumsum([0, *sizes], dtype=np.int64)
