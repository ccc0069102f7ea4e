"""The best stump of each round of boosting, found without looking at every column.

The edge of a stump is linear in the distribution D of the rows, so between two of them it
moves by at most their L1 distance times a factor (`lipschitz`). So a column that was scanned
under D has now at most its edge of then plus that, and columns are scanned in the order of
this bound until none can win. The result is that of a search through all columns.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ...kernels import run_pieces
from ...kernels.binning import codes_that_occur
from ...kernels.stumps import BLOCK, normalise
from ...types import Flags, Floats, Ints
from .binned import Stump, bin_table, bins_inside
from .histogram_cache import HistogramCache

#: Quality of columns with given edges; it must not decrease with a column's edge.
Quality = Callable[[Ints, Floats], Floats]

#: An edge that is not above this is none.
_NO_EDGE = 1e-12
#: Added to every bound, against rounding in edges, distances and the quality.
_SLACK = 1e-9
#: Cells below which a thread is not worth waking.
_THREAD_CELLS = 200_000
#: Columns whose histograms one thread makes at a time, at least.
_GROUP = 8
#: Cells of these, at least: fewer would not be worth a task.
_TASK_CELLS = 100_000
#: Columns that are scanned first, before bounds are compared again; then ever more.
_BATCH = 16
#: Blocks of rows that one thread reweighs at a time.
_BLOCKS = 25


class PrunedSearch(AbstractContextManager["PrunedSearch"], ABC):
    """Binned columns, the weights of the rows, and what is known about each column's best stump.

    Parameters
    ----------
    X : float32 or float64 array (rows x columns)
        The data: codes 0, 1, ... in categorical columns, NaN where missing. It is not kept.
    weight : float array (rows,), optional
        Weights of the rows, not all zero.
    categorical : bool array (columns,), optional
        Which columns hold codes.
    max_bins : int
        The most bins of a numeric column.
    sample_rows : int
        Rows whose quantiles cut columns of many values.
    random_state : int or numpy Generator
        Draws these rows.
    n_threads : int
        Threads to use. No result depends on it.

    Attributes
    ----------
    stump_dtype : numpy dtype
        What is kept of a column's best stump; the field `edge` must be there.
    lipschitz : float
        How much an edge moves at most, per unit of L1 distance between weights.
    n_histograms : int
        Number of histograms per column.
    tie : float
        Qualities count as equal up to this, relatively; the bounds allow for no more than 1e-9.
    """

    stump_dtype: ClassVar[np.dtype[Any]]
    lipschitz: float = 1.0
    n_histograms: int = 1
    tie: ClassVar[float] = 0.0
    #: Weights of the first round, not yet normalised; numbers or signs.
    _first_weights: NDArray[Any]

    def __init__(
        self,
        X: NDArray[Any],
        weight: Floats | None = None,
        categorical: Flags | None = None,
        *,
        max_bins: int = 255,
        sample_rows: int = 20_000,
        random_state: int | np.random.Generator = 0,
        n_threads: int = 1,
    ) -> None:
        n, d = X.shape
        self._pool = ThreadPoolExecutor(n_threads) if n_threads > 1 else None
        self._categorical = np.zeros(d, dtype=bool) if categorical is None else categorical
        self._cuts, self._bins = bin_table(
            X, weight, self._categorical, max_bins, sample_rows, random_state, self._pool
        )
        self._n_bins = int(np.iinfo(self._bins.dtype).max) + 1
        self._n_blocks = -(-n // BLOCK)
        self._n_cuts = np.array([len(cuts) for cuts in self._cuts], dtype=np.intp)
        self._has_missing = self._bins.max(axis=1, initial=0) == self._n_bins - 1
        self._codes = codes_that_occur(self._bins, self._n_cuts, self._categorical)

        # Weights of some rounds to measure distances from; at most a fifth of a byte per cell.
        self._weights = np.zeros((max(2, d // 40), n))
        self._cache: HistogramCache | None = None
        #: Columns scanned so far, over all rounds.
        self.n_scanned = 0

    @abstractmethod
    def _scan_group(self, group: Ints, weights: Floats) -> None:
        """Find the best stump of some columns and note it in `_best`."""

    @abstractmethod
    def _reweigh(self, stump: Stump, alpha: float, now: Floats, out: Floats) -> Floats:
        """Write the weights after a stump to `out`, and return the sums of their blocks."""

    @abstractmethod
    def _stump(self, column: int) -> Stump:
        """Return the best stump of a column that has been scanned."""

    def restart(self) -> None:
        """Reset the weights to those of the first round; the bins stay."""
        d = len(self._cuts)
        self._weights[0] = self._first_weights
        self._weights[0] /= np.abs(self._weights[0]).sum()
        # Which of them are the weights now, and how far edges can be from those of the others.
        self._current = 0, np.zeros(len(self._weights))
        # A column's edge is at most its base plus the distance of the weights it refers to.
        self._base = np.full(d, np.inf)
        self._refers = np.zeros(d, dtype=np.intp)
        self._fresh = np.zeros(d, dtype=bool)
        self._best = np.zeros(d, dtype=self.stump_dtype)
        if self._cache is not None:
            self._cache.clear()

    def best(self, quality: Quality, allowed: Flags) -> Stump | None:
        """Return the stump of largest quality among the allowed columns, the first at a tie."""
        pending, upper_bounds = self._upper_bounds(quality, allowed & ~self._fresh)
        top, column = self._leader(quality, allowed)
        batch = _BATCH
        # A column that could only tie is scanned too, as it may come before the leader.
        while len(pending) and upper_bounds[0] >= top:
            batch = min(batch, int(np.count_nonzero(upper_bounds >= top)))
            self._scan(pending[:batch])
            pending, upper_bounds = pending[batch:], upper_bounds[batch:]
            top, column = self._leader(quality, allowed)
            batch *= 2
        return None if column is None else self._stump(column)

    def update(self, stump: Stump, alpha: float) -> None:
        """Multiply the weight of each row by exp(-alpha) or so where it is right, and normalise."""
        now, distances = self._current
        target = self._free_slot(now, distances)
        sums = self._reweigh(stump, alpha, self._weights[now], self._weights[target])
        scale = 1.0 / math.fsum(sums)
        parts = np.empty((len(sums), len(self._weights)))
        self._over_rows(lambda a, b: normalise(self._weights, target, scale, parts, a, b))
        # In this order an interrupt leaves a state that is right: nothing is fresh too long.
        self._fresh[:] = False
        self._current = target, self.lipschitz * parts.sum(axis=0)
        if self._cache is not None:
            ratios = scale * np.exp([-alpha, alpha])
            self._cache.update(self._weights[now], self._weights[target], ratios)

    def __exit__(self, *exception: object) -> None:
        """Stop the threads."""
        if self._pool is not None:
            self._pool.shutdown()

    def _upper_bounds(self, quality: Quality, wanted: Flags) -> tuple[Ints, Floats]:
        """Return columns by descending upper bound on their quality, and these bounds."""
        columns = np.flatnonzero(wanted)
        edges = self._base[columns] + self._current[1][self._refers[columns]] + _SLACK
        upper_bounds = np.full(len(columns), np.inf)
        known = edges < 1.0  # an edge is at most 1, where the quality may be infinite
        upper_bounds[known] = quality(columns[known], edges[known])
        order = np.argsort(-upper_bounds, kind="stable")
        return columns[order], upper_bounds[order]

    def _leader(self, quality: Quality, allowed: Flags) -> tuple[float, int | None]:
        """Return the largest quality of the columns scanned under these weights, and its column."""
        columns = np.flatnonzero(allowed & self._fresh & (self._best["edge"] > _NO_EDGE))
        if not len(columns):
            return -np.inf, None
        qualities = quality(columns, self._best["edge"][columns])
        top = float(qualities.max())
        return top, int(columns[np.argmax(qualities >= top - self.tie * abs(top))])

    def _scan(self, columns: Ints) -> None:
        """Find the best stump of some columns under these weights."""
        now, n = self._current[0], self._bins.shape[1]
        size = max(_GROUP, _TASK_CELLS // (n * self.n_histograms))

        def scan_group(start: int) -> None:
            self._scan_group(columns[start : start + size], self._weights[now])

        pool = self._pool if len(columns) * n > _THREAD_CELLS else None
        run_pieces(pool, scan_group, range(0, len(columns), size))
        # In this order each line leaves a bound that holds.
        self._base[columns] = self._best["edge"][columns]
        self._refers[columns] = now
        self._fresh[columns] = True
        self.n_scanned += len(columns)

    def _over_rows(self, work: Callable[[int, int], object]) -> None:
        """Call ``work`` on ranges of blocks of rows."""
        n_blocks = self._n_blocks
        pool = self._pool if n_blocks > _BLOCKS else None
        starts = range(0, n_blocks, _BLOCKS)
        run_pieces(pool, lambda start: work(start, min(start + _BLOCKS, n_blocks)), starts)

    def _free_slot(self, now: int, distances: Floats) -> int:
        """Return the slot of a past round's weights to overwrite, once no column refers to it."""
        users = np.bincount(self._refers, minlength=len(self._weights))
        users[now] = len(self._refers) + 1
        slot = int(np.argmin(users))
        moved = self._refers == slot
        # By the triangle inequality, the way to the old weights leads over those of now.
        self._base[moved] += distances[slot]
        self._refers[moved] = now
        return slot

    def _votes(self, stump: Stump) -> Floats:
        """Return the stump's vote on each bin of its column."""
        column = stump.column
        inside = bins_inside(stump.low, stump.high, self._cuts[column], self._categorical[column])
        votes = np.full(self._n_bins, stump.missing)
        votes[: len(inside)] = np.where(inside, stump.inside, stump.outside)
        return votes
