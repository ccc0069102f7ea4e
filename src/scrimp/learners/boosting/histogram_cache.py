"""Histograms carried from round to round: only rows whose weight moved apart are added.

A round of AdaBoost multiplies all weights of the rows that are right by one number, and those
of the others by another. So a histogram of the round before, times the number of the larger
part, lacks only what the rows of the smaller part, at most half of them, have moved beyond it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...kernels.stumps import add_histograms, add_rows_to_histograms, rows_that_moved
from ...types import Floats, Ints

#: Rounds that a histogram is carried on before it is summed again: more let rounding add up.
_MAX_STEPS = 16


class HistogramCache:
    """The last histogram of each column, and what has changed since.

    Parameters
    ----------
    n_columns, n_bins, n_rows : int
        Sizes.
    """

    def __init__(self, n_columns: int, n_bins: int, n_rows: int) -> None:
        self._hist = np.zeros((n_columns, n_bins))
        self._round = 0
        #: The round that a histogram is of, and how often it was carried on.
        self._made = np.full(n_columns, -1)
        self._steps = np.zeros(n_columns, dtype=np.int64)
        room = n_rows // 2 + 1
        self._rows, self._by = np.empty(room, dtype=np.uint32), np.empty(room)
        self._n_moved, self._ratio = 0, 1.0

    def clear(self) -> None:
        """Drop all histograms: the weights are reset."""
        self._round += 1
        self._made[:] = -1

    def update(self, old: Floats, new: Floats, ratios: Floats) -> None:
        """Note that weights are now `new`, most of them one of the ratios times the old ones."""
        self._round += 1
        for ratio in ratios.tolist():
            self._n_moved = rows_that_moved(old, new, ratio, self._rows, self._by)
            self._ratio = ratio
            if self._n_moved <= len(self._rows):
                return
        self._made[:] = -1  # neither is the ratio of half of the rows: some abstained

    def histograms(self, bins: NDArray[Any], columns: Ints, signed: Floats) -> Floats:
        """Return the histograms of some columns under the current weights."""
        hist = np.zeros((len(columns), self._hist.shape[1]))
        carried = self._made[columns] == self._round - 1
        carried &= self._steps[columns] < _MAX_STEPS
        old, new = np.flatnonzero(carried), np.flatnonzero(~carried)
        if len(old):
            part = self._ratio * self._hist[columns[old]]
            moved = slice(self._n_moved)
            add_rows_to_histograms(bins, columns[old], self._rows[moved], self._by[moved], part)
            hist[old] = part
        if len(new):
            part = np.zeros((len(new), hist.shape[1]))
            add_histograms(bins, columns[new], signed, 0, bins.shape[1], part)
            hist[new] = part
        self._made[columns] = -1  # until the histogram is there
        self._hist[columns] = hist
        self._steps[columns] = np.where(carried, self._steps[columns] + 1, 0)
        self._made[columns] = self._round
        return hist
