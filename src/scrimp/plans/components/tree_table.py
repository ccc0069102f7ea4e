"""Tables of small trees, each of which is a member of an ensemble."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ...data.validation import float_array, int_array
from ...types import Floats, Ints
from .members import Members


@dataclass(frozen=True, eq=False)
class TreeTable(Members):
    """Trees with concatenated nodes; children come after their parents.

    A row with the value x goes to the left child if ``x <= cut``, else to the right child, and
    to a separate child if x is missing; the vote is that of the leaf where it ends.

    Parameters
    ----------
    roots : int array (trees,)
        The first node of each tree, ascending; the last node is that before the next root.
    column : int array (nodes,)
        The column that each node reads, -1 at a leaf.
    cut : float array (nodes,)
        The largest value that goes left.
    left, right : int arrays (nodes,)
        The next node on either side of the cut.
    missing : int array (nodes,)
        The next node for a missing value, or -1 if the tree then abstains.
    value : float array (nodes, outputs)
        The vote of each leaf.
    """

    kind: ClassVar[str] = "trees"
    accepts_missing: ClassVar[bool] = True

    roots: Ints
    column: Ints
    cut: Floats
    left: Ints
    right: Ints
    missing: Ints
    value: Floats

    def __post_init__(self) -> None:
        """Convert the arrays; refuse children outside the tree and cycles."""
        for name in ("roots", "column", "left", "right", "missing"):
            object.__setattr__(self, name, int_array(name, getattr(self, name)))
        for name, ndim in (("cut", 1), ("value", 2)):
            object.__setattr__(self, name, float_array(name, getattr(self, name), ndim))
        n = len(self.column)
        flat = (self.cut, self.left, self.right, self.missing)
        if any(len(part) != n for part in (*flat, self.value)):
            raise ValueError("column, cut, left, right, missing and value need one entry per node.")
        if (self.column < -1).any():
            raise ValueError("column must be -1 at a leaf and not negative elsewhere.")
        if not np.isfinite(self.value).all() or np.isnan(self.cut).any():
            raise ValueError("votes of trees must be finite and cuts not NaN.")
        sizes = np.diff(self.roots, append=n)
        if (n > 0 and (not len(sizes) or self.roots[0] != 0)) or (sizes < 1).any():
            raise ValueError("roots must begin with node 0 and ascend, within the nodes.")
        self._check_children(np.repeat(np.append(self.roots, n)[1:], sizes))

    def _check_children(self, end: Ints) -> None:
        here, inner = np.arange(len(self.column)), self.column >= 0
        for name in ("left", "right", "missing"):
            child = getattr(self, name)
            inside = (child > here) & (child < end)
            if name == "missing":
                inside |= child == -1
            if not inside[inner].all():
                raise ValueError(f"{name} must hold nodes of the same tree, after their parent.")

    def __len__(self) -> int:
        return len(self.roots)

    @property
    def n_outputs(self) -> int:
        """The number of outputs of a vote."""
        return int(self.value.shape[1])

    @cached_property
    def reads(self) -> tuple[tuple[int, ...], ...]:
        """The columns that each tree reads, ascending."""
        parts = np.split(self.column, self.roots[1:]) if len(self) else []
        return tuple(tuple(np.unique(part[part >= 0]).tolist()) for part in parts)

    def votes_on(
        self,
        X: NDArray[Any],
        rows: Ints,
        members: Sequence[int] | None = None,
        out: Floats | None = None,
    ) -> Floats:
        """Return the votes of trees, by default all, on ``X[rows]`` (trees x outputs x rows)."""
        from ...kernels.votes import tree_votes

        which = np.arange(len(self)) if members is None else np.array(members, dtype=np.int64)
        votes = np.empty((len(which), self.n_outputs, len(rows))) if out is None else out
        tree_votes(X, rows, which, votes, *self.arrays().values())
        return votes

    def bounds(self) -> Floats:
        """Return the largest absolute vote of each tree."""
        size = np.where(self.column < 0, np.abs(self.value).max(axis=1, initial=0.0), 0.0)
        return np.maximum.reduceat(size, self.roots) if len(self) else np.zeros(0)

    def taken(self, members: Ints) -> TreeTable:
        """Return the table of some of the trees, in the given order."""
        ends = np.append(self.roots[1:], len(self.column))
        sizes = (ends - self.roots)[members]
        roots = np.cumsum(sizes) - sizes
        nodes = np.arange(sizes.sum()) + np.repeat(self.roots[members] - roots, sizes)
        shift = np.repeat(roots - self.roots[members], sizes)

        def moved(child: Ints) -> Ints:
            return np.where(child[nodes] < 0, -1, child[nodes] + shift)

        left, right, missing = map(moved, (self.left, self.right, self.missing))
        return TreeTable(
            roots, self.column[nodes], self.cut[nodes], left, right, missing, self.value[nodes]
        )


def float64_cuts(thresholds: Floats) -> Floats:
    """Return the largest x that scikit-learn, which rounds to float32, sends to the left child.

    It is the midpoint between the last float32 within the threshold and the next one, which
    is rounded to the even one of the two, or the number before the midpoint.
    """
    with np.errstate(over="ignore"):
        last = thresholds.astype(np.float32)
        last = np.where(last > thresholds, np.nextafter(last, np.float32(-np.inf)), last)
        after = np.nextafter(last, np.float32(np.inf))
        middle = last.astype(np.float64) / 2 + after.astype(np.float64) / 2
        cuts = np.where(middle.astype(np.float32) <= last, middle, np.nextafter(middle, -np.inf))
    return np.where(np.isinf(thresholds), thresholds, cuts)
