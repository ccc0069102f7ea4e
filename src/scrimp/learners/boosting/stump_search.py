"""The best stump of each round of boosting, found without looking at every column.

The edge of a stump is linear in the distribution D of the rows, so between two of them it
moves by at most their L1 distance times a factor (`lipschitz`). So a column that was scanned
under D has now at most its edge of then plus that, and columns are scanned in the order of
this bound until none can win. The result is that of a search through all columns.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ...kernels.binning import codes_that_occur
from ...kernels.stumps import BEST_STUMP, add_histograms, best_stumps, normalise, reweigh
from ...types import Flags, Floats, Ints
from .binned_search import BinnedSearch, Quality, Stump
from .histogram_cache import HistogramCache

#: An edge that is not above this is none.
_NO_EDGE = 1e-12
#: Added to every bound, against rounding in edges, distances and the quality.
_SLACK = 1e-9
#: Columns that are scanned first, before bounds are compared again; then ever more.
_BATCH = 16
#: Cells of a table up to which all its columns are scanned: bounds would take longer than that.
_SMALL_TABLE = 2**15
#: Rows per bin from which histograms are cached: they take little memory then.
_CACHED_ROWS_PER_BIN = 80


class PrunedSearch(BinnedSearch, ABC):
    """Binned columns, the weights of the rows, and what is known about each column's best stump.

    Parameters
    ----------
    X, weight, categorical, **options
        As in `BinnedSearch`.

    Attributes
    ----------
    stump_dtype : numpy dtype
        What is kept of a column's best stump: its edge, place and kind of test, and votes inside,
        outside and on missing values.
    lipschitz : float
        How much an edge moves at most, per unit of L1 distance between weights.
    tie : float
        Qualities count as equal up to this, relatively; the bounds allow for no more than 1e-9.
    """

    stump_dtype: ClassVar[np.dtype[Any]]
    lipschitz: float = 1.0
    tie: ClassVar[float] = 0.0
    #: Weights of the first round, not yet normalised; numbers or signs.
    _first_weights: NDArray[Any]

    def __init__(
        self,
        X: NDArray[Any],
        weight: Floats | None = None,
        categorical: Flags | None = None,
        **options: Any,
    ) -> None:
        super().__init__(X, weight, categorical, **options)
        n, d = X.shape
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
        if self._bins.size <= _SMALL_TABLE:
            self._scan(np.flatnonzero(allowed & ~self._fresh))
        else:
            self._scan_by_bounds(quality, allowed)
        _, column = self._leader(quality, allowed)
        if column is None:
            return None
        edge, at, kind, *votes = self._best[column].item()
        return self._stump(column, kind, at, votes, edge)

    def _scan_by_bounds(self, quality: Quality, allowed: Flags) -> None:
        """Scan columns by descending upper bound, until none can be better than the leader."""
        pending, upper_bounds = self._upper_bounds(quality, allowed & ~self._fresh)
        top, _ = self._leader(quality, allowed)
        batch = _BATCH
        # A column that could only tie is scanned too, as it may come before the leader.
        while len(pending) and upper_bounds[0] >= top:
            batch = min(batch, int(np.count_nonzero(upper_bounds >= top)))
            self._scan(pending[:batch])
            pending, upper_bounds = pending[batch:], upper_bounds[batch:]
            top, _ = self._leader(quality, allowed)
            batch *= 2

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
        now = self._current[0]
        self._over_columns(columns, lambda group: self._scan_group(group, self._weights[now]))
        # In this order each line leaves a bound that holds.
        self._base[columns] = self._best["edge"][columns]
        self._refers[columns] = now
        self._fresh[columns] = True
        self.n_scanned += len(columns)

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


class StumpSearch(PrunedSearch):
    """Stumps that vote -1 or +1; the weight of a row carries its sign.

    Parameters
    ----------
    X, weight, categorical, **options
        As in `PrunedSearch`.
    y : array (rows,)
        Labels, -1 or +1.

    Examples
    --------
    >>> X = np.array([[0.0], [1.0], [2.0], [3.0]])
    >>> with StumpSearch(X, np.array([-1, -1, 1, -1])) as search:
    ...     stump = search.best(lambda columns, edges: edges, np.array([True]))
    >>> stump.high, stump.edge
    (1.5, 0.5)
    """

    stump_dtype = BEST_STUMP
    tie = 1e-12

    def __init__(
        self,
        X: NDArray[Any],
        y: NDArray[Any],
        weight: Floats | None = None,
        categorical: Flags | None = None,
        **options: Any,
    ) -> None:
        super().__init__(X, weight, categorical, **options)
        self._first_weights = y if weight is None else y * weight
        if len(X) >= _CACHED_ROWS_PER_BIN * self._n_bins:
            self._cache = HistogramCache(X.shape[1], self._n_bins, len(X))
        self.restart()

    def _scan_group(self, group: Ints, weights: Floats) -> None:
        if self._cache is None:
            hist = np.zeros((len(group), self._n_bins))
            add_histograms(self._bins, group, weights, 0, self._bins.shape[1], hist)
        else:
            hist = self._cache.histograms(self._bins, group, weights)
        best_stumps(hist, group, self._n_cuts, self._has_missing, *self._codes, self._best)

    def _reweigh(self, stump: Stump, alpha: float, now: Floats, out: Floats) -> Floats:
        """Multiply by exp(-alpha y h(x))."""
        factors = np.exp(np.outer([-alpha, alpha], self._votes(stump)))
        bins, sums = self._bins[stump.column], np.empty(self._n_blocks)
        self._over_rows(lambda a, b: reweigh(now, bins, factors, out, sums, a, b))
        return sums
