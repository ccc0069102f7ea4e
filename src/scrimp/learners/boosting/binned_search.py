"""Columns in bins, and what every search for a stump on them needs."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...kernels.binning import bin_columns, find_cuts
from ...kernels.stumps import BLOCK, CODE, PRESENT
from ...kernels.threads import run_pieces
from ...types import Flags, Floats, Ints

#: Quality of columns with given edges; it must not decrease with a column's edge.
Quality = Callable[[Ints, Floats], Floats]

#: Cells below which a thread is not worth waking.
_THREAD_CELLS = 200_000
#: Columns that a thread takes at a time, at least.
_GROUP = 8
#: Cells that a thread takes at a time, at least: fewer would not be worth a task.
_TASK_CELLS = 100_000
#: Blocks of rows that a thread takes at a time.
_BLOCKS = 25


@dataclass(frozen=True)
class Stump:
    """A vote on one column: inside if ``low <= x <= high``, outside, or missing."""

    column: int
    low: float
    high: float
    inside: float
    outside: float
    missing: float
    edge: float


class BinnedSearch(AbstractContextManager["BinnedSearch"]):
    """Binned columns, and the threads that go over them.

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
    n_histograms : int
        Number of histograms per column.
    """

    n_histograms: int = 1

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
        draws = np.random.default_rng(random_state)
        rows = np.sort(draws.choice(n, min(n, sample_rows), replace=False, shuffle=False))
        self._cuts = find_cuts(X, self._categorical, max_bins, rows, weight, self._pool)
        self._bins = bin_columns(X, self._cuts, self._pool)
        self._n_bins = int(np.iinfo(self._bins.dtype).max) + 1
        self._n_blocks = -(-n // BLOCK)

    @property
    def bins(self) -> NDArray[Any]:
        """The bins of all values (columns, rows)."""
        return self._bins

    @property
    def cuts(self) -> list[Floats]:
        """The cut points of each column."""
        return self._cuts

    @property
    def pool(self) -> ThreadPoolExecutor | None:
        """The threads; None for one."""
        return self._pool

    def __exit__(self, *exception: object) -> None:
        """Stop the threads."""
        if self._pool is not None:
            self._pool.shutdown()

    def _over_columns(self, columns: Ints, work: Callable[[Ints], object]) -> None:
        """Call ``work`` on groups of columns."""
        n = self._bins.shape[1]
        size = max(_GROUP, _TASK_CELLS // (n * self.n_histograms))
        pool = self._pool if len(columns) * n > _THREAD_CELLS else None
        starts = range(0, len(columns), size)
        run_pieces(pool, lambda start: work(columns[start : start + size]), starts)

    def _over_rows(self, work: Callable[[int, int], object]) -> None:
        """Call ``work`` on ranges of blocks of rows."""
        n_blocks = self._n_blocks
        pool = self._pool if n_blocks > _BLOCKS else None
        starts = range(0, n_blocks, _BLOCKS)
        run_pieces(pool, lambda start: work(start, min(start + _BLOCKS, n_blocks)), starts)

    def _stump(self, column: int, kind: int, at: int, votes: Sequence[float], edge: float) -> Stump:
        """Return a stump: inside is one code, all that is present, or all up to a cut.

        `votes` are those inside, outside and on missing values.
        """
        low, high = -math.inf, math.inf
        if kind == CODE:
            low, high = at - 0.5, at + 0.5
        elif kind != PRESENT:
            high = float(self._cuts[column][at])
        inside, outside, missing = votes
        return Stump(column, low, high, inside, outside, missing, edge)

    def _votes(self, stump: Stump) -> NDArray[Any]:
        """Return the vote of a stump on each bin of its column."""
        cuts = self._cuts[stump.column]
        # a number of each bin that is inside if the whole bin is
        codes = self._categorical[stump.column]
        numbers = np.arange(len(cuts) + 1.0) if codes else np.append(cuts, np.inf)
        inside = (stump.low <= numbers) & (numbers <= stump.high)
        votes = np.full(self._n_bins, stump.missing)
        votes[: len(numbers)] = np.where(inside, stump.inside, stump.outside)
        return votes
