"""Growing a tree on binned columns, level by level, by histograms of quantised gradients.

At each level the histogram of the smaller of two siblings is summed over its rows, and that of
the other is the difference from their parent's (Ke et al. 2017). A level costs at most
O(rows x columns / 2); the root costs O(rows x columns).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from ...kernels.threads import run_pieces
from ...kernels.tree_histograms import (
    LARGEST,
    N_BINS,
    add_histograms,
    best_cuts,
    bins_of_cut,
    difference,
    n_words,
    partition_rows,
    quantise,
)
from ...types import Flags, Floats, Ints
from .binned_search import BinnedSearch

#: Bytes of histograms that are kept for the next level; where there would be more, both children
#: of a node are summed anew.
MAX_HISTOGRAM_BYTES = 2**27
#: Cells of a table that a thread sums at a time, at least.
_TASK_CELLS = 400_000
#: The largest magnitude that a quantised number has, however few the rows are.
_FINEST = 2.0**24


@dataclass(frozen=True)
class GrowthOptions:
    """Limits of a tree.

    Parameters
    ----------
    max_depth : int
        The most tests on a path.
    min_samples_leaf : float
        The fewest rows on either side of a split. Rows are counted by their Hessians, as in
        LightGBM: exactly if all of these are equal.
    min_hessian : float
        The least sum of Hessians on either side of a split.
    ridge : float
        Added to the sum of Hessians of a leaf.
    """

    max_depth: int = 5
    min_samples_leaf: float = 20.0
    min_hessian: float = 1e-3
    ridge: float = 0.0


class SplitRule(Protocol):
    """Chooses the column of a split, and pays for it.

    Attributes
    ----------
    has_ended : bool
        Whether the training is to end with this tree.
    """

    has_ended: bool

    def choose(self, columns: Ints, gains: Floats) -> int:
        """Return the position of the column to split by, or -1 for none.

        Parameters
        ----------
        columns : int array
            The columns.
        gains : float array
            How much the loss falls by the best split of each; -inf where there is none.
        """


class LargestGain:
    """Splits by the column of the largest gain, if there is any gain."""

    has_ended = False

    def choose(self, columns: Ints, gains: Floats) -> int:
        """Return the position of the largest positive gain, or -1."""
        best = int(np.argmax(gains))
        return best if gains[best] > 0 else -1


@dataclass
class Tree:
    """A grown tree.

    Parameters
    ----------
    column : list of int
        The column that each node tests, -1 at a leaf. Children come after their parents.
    left, right : lists of int
        The children.
    goes_left : list of bool arrays (256,)
        Which bins go left; the last is that of missing values.
    spans : list of (int, int)
        Where the rows of each node begin and end in `order`.
    bounds : list of (float, float)
        Bounds of the steps, by monotonic constraints.
    order : int array
        The rows, by leaves.
    """

    order: NDArray[np.uint32]
    column: list[int] = field(default_factory=list)
    left: list[int] = field(default_factory=list)
    right: list[int] = field(default_factory=list)
    goes_left: list[Flags] = field(default_factory=list)
    spans: list[tuple[int, int]] = field(default_factory=list)
    bounds: list[tuple[float, float]] = field(default_factory=list)

    def add_leaf(self, span: tuple[int, int], bounds: tuple[float, float]) -> int:
        """Add a leaf and return its number."""
        self.column.append(-1)
        self.left.append(-1)
        self.right.append(-1)
        self.goes_left.append(_NOTHING)
        self.spans.append(span)
        self.bounds.append(bounds)
        return len(self.column) - 1

    @property
    def leaves(self) -> list[int]:
        """The numbers of the leaves."""
        return [node for node, column in enumerate(self.column) if column < 0]


_NOTHING = np.zeros(N_BINS, dtype=bool)


@dataclass
class _Open:
    """A node that may be split: its number, its sums, and its histogram if that is kept."""

    node: int
    words: Ints
    hist: NDArray[np.int64] | None = None


class TreeGrower(BinnedSearch):
    """Grows trees on a binned table.

    Parameters
    ----------
    X, weight, categorical, **options
        As in `BinnedSearch`; at most 255 bins.
    signs : int array (columns,), optional
        Monotonic constraints: whether answers may only rise (1) or fall (-1) with a column.
    """

    def __init__(
        self,
        X: NDArray[Any],
        weight: Floats | None = None,
        categorical: Flags | None = None,
        *,
        signs: Ints | None = None,
        **options: Any,
    ) -> None:
        super().__init__(X, weight, categorical, **options)
        n_columns = len(self._cuts)
        self._n_values = np.array([len(cuts) + 1 for cuts in self._cuts], dtype=np.int64)
        self._signs = np.zeros(n_columns, np.int8) if signs is None else signs.astype(np.int8)

    def __enter__(self) -> Self:
        return self

    def grow(
        self,
        gradient: Floats,
        hessian: Floats,
        rows: NDArray[np.uint32],
        columns: Ints,
        rule: SplitRule,
        options: GrowthOptions,
        seed: int = 0,
    ) -> Tree:
        """Return a tree.

        Parameters
        ----------
        gradient : float array (rows of X, outputs)
            Negative gradients of the loss.
        hessian : float array (rows of X,)
            Hessians of the loss.
        rows : uint32 array
            The rows to learn from, ascending.
        columns : int array
            The columns that may be tested.
        rule : SplitRule
            Chooses the column of each split.
        options : GrowthOptions
            Limits of the tree.
        seed : int
            Draws the rounding.
        """
        growth = _Growth(self, gradient, hessian, rows, columns, options, seed)
        level = [growth.root()]
        for depth in range(options.max_depth):
            level = growth.split(level, rule, is_last=depth + 1 == options.max_depth)
            if not level:
                break
        return growth.tree


class _Growth:
    """One tree in the making."""

    def __init__(
        self, grower: TreeGrower, gradient: Floats, hessian: Floats, rows: NDArray[np.uint32],
        columns: Ints, options: GrowthOptions, seed: int,
    ) -> None:  # fmt: skip
        self.columns = columns
        self._grower, self._bins, self._pool = grower, grower._bins, grower._pool
        self._n_values = grower._n_values[columns]
        self._categorical = grower._categorical[columns]
        self._signs = grower._signs[columns]
        self.tree = Tree(rows.copy())
        self._buffer = np.empty(len(rows), dtype=np.uint32)
        n_outputs = gradient.shape[1]
        self._packed = np.zeros((len(rows), n_words(n_outputs)), dtype=np.int64)
        limit = min(LARGEST / max(len(rows), 1), _FINEST)
        scales = [_scale(values[rows], limit) for values in (gradient, hessian)]
        quantise(gradient, hessian, rows, *scales, seed, self._packed)
        self._place = np.empty(len(gradient), dtype=np.uint32)
        self._place[rows] = np.arange(len(rows), dtype=np.uint32)
        mean_hessian = float(hessian[rows].mean()) if len(rows) else 0.0
        least = max(options.min_hessian, (options.min_samples_leaf - 0.5) * mean_hessian)
        self._options = np.array(
            [1.0 / scales[0], 1.0 / scales[1], options.ridge, least, n_outputs]
        )

    def root(self) -> _Open:
        """Return the root, which has all rows."""
        node = self.tree.add_leaf((0, len(self.tree.order)), (-math.inf, math.inf))
        return _Open(node, self._packed.sum(axis=0), self._histogram(node))

    def _histogram(self, node: int) -> NDArray[np.int64]:
        """Return the histograms of a node."""
        start, end = self.tree.spans[node]
        rows = self.tree.order[start:end]
        packed = self._packed if len(rows) == len(self._packed) else self._packed[self._place[rows]]
        out = np.zeros((len(self.columns), N_BINS, packed.shape[1]), dtype=np.int64)
        step = max(4, -(-_TASK_CELLS // max(len(rows), 1)) // 4 * 4)

        def add(first: int) -> None:
            part = slice(first, first + step)
            add_histograms(self._bins, self.columns[part], rows, packed, out[part])

        run_pieces(self._pool, add, range(0, len(self.columns), step))
        return out

    def split(self, level: Sequence[_Open], rule: SplitRule, is_last: bool) -> list[_Open]:
        """Split the nodes of a level, those of the largest gain first; return their children."""
        best = [np.empty((len(level), len(self.columns)), dtype) for dtype in ("f8", "i8", "i1")]
        run_pieces(self._pool, lambda i: self._find(level[i], *(a[i] for a in best)),
                   range(len(level)))  # fmt: skip
        gains, cuts, sides = best
        children: list[_Open] = []
        keeps = 2 * len(level) * len(self.columns) * N_BINS * 8 <= MAX_HISTOGRAM_BYTES
        for i in np.argsort(-gains.max(axis=1, initial=-np.inf), kind="stable").tolist():
            at = rule.choose(self.columns, gains[i])
            if at >= 0:
                parent = level[i]
                pair = self._divide(parent, at, int(cuts[i, at]), int(sides[i, at]))
                if not is_last:
                    children += self._with_histograms(parent, pair) if keeps else pair
            level[i].hist = None
        return children

    def _find(self, node: _Open, gains: Floats, cuts: Ints, sides: Ints) -> None:
        """Find the best split of each column at a node."""
        hist = self._histogram(node.node) if node.hist is None else node.hist
        node.hist = hist
        best_cuts(
            hist, self._n_values, self._categorical, self._signs, *self.tree.bounds[node.node],
            self._options, node.words, gains, cuts, sides,
        )  # fmt: skip

    def _divide(self, parent: _Open, at: int, cut: int, missing_left: int) -> list[_Open]:
        """Split a node by a column; return its two children."""
        tree, node = self.tree, parent.node
        assert parent.hist is not None
        goes_left = np.empty(N_BINS, dtype=bool)
        bins_of_cut(
            parent.hist[at], self._n_values[at], self._categorical[at], cut, missing_left,
            self._options, goes_left,
        )  # fmt: skip
        words = parent.hist[at, goes_left].sum(axis=0)
        (start, end), column = tree.spans[node], int(self.columns[at])
        rows = tree.order[start:end]
        middle = start + partition_rows(rows, self._bins[column], goes_left, self._buffer)
        bounds = self._bounds(tree.bounds[node], int(self._signs[at]), words, parent.words - words)
        tree.column[node], tree.goes_left[node] = column, goes_left
        tree.left[node] = tree.add_leaf((start, middle), bounds[0])
        tree.right[node] = tree.add_leaf((middle, end), bounds[1])
        return [_Open(tree.left[node], words), _Open(tree.right[node], parent.words - words)]

    def _bounds(
        self, bounds: tuple[float, float], sign: int, left: Ints, right: Ints
    ) -> tuple[tuple[float, float], tuple[float, float]]:
        """Return the bounds of both children: by a constraint they meet halfway."""
        if sign == 0:
            return bounds, bounds
        steps = [np.clip(self._step(words), *bounds) for words in (left, right)]
        middle = float(sum(steps)) / 2.0
        below, above = (bounds[0], middle), (middle, bounds[1])
        return (below, above) if sign > 0 else (above, below)

    def _step(self, words: Ints) -> float:
        """Return the step of a node without bounds."""
        unit, hessian_unit, ridge = self._options[:3]
        gradient, hessian = int(words[0]) >> 32, int(words[0]) & 0xFFFFFFFF
        return float(unit * gradient / max(hessian_unit * hessian + ridge, 1e-300))

    def _with_histograms(self, parent: _Open, pair: list[_Open]) -> list[_Open]:
        """Sum the histogram of the smaller child; the parent's becomes that of the other."""
        sizes = [np.diff(self.tree.spans[child.node])[0] for child in pair]
        small, large = pair if sizes[0] <= sizes[1] else pair[::-1]
        small.hist, large.hist = self._histogram(small.node), parent.hist
        difference(large.hist, small.hist)
        return pair


def _scale(values: Floats, limit: float) -> float:
    """Return what brings the largest magnitude to a limit."""
    largest = float(np.abs(values).max(initial=0.0))
    return math.floor(limit) / largest if largest > 0 else 1.0
