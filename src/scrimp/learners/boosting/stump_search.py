"""The best stump of each round of boosting, for two classes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...kernels.stumps import BEST_STUMP, add_histograms, best_stumps, reweigh
from ...types import Flags, Floats, Ints
from .binned import Stump, interval
from .histogram_cache import HistogramCache
from .pruned_search import PrunedSearch

#: Rows per bin from which histograms are cached: they take little memory then.
_CACHED_ROWS_PER_BIN = 80


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

    def _stump(self, column: int) -> Stump:
        edge, at, kind, inside, missing = self._best[column].item()
        low, high = interval(kind, at, self._cuts[column])
        return Stump(column, low, high, inside, -inside, missing, edge)
