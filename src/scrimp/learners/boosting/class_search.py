"""The best stump of each round of boosting, for more than two classes."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...kernels.classes import (
    BEST_CLASS_STUMP,
    add_class_histograms,
    best_class_stumps,
    reweigh_classes,
)
from ...types import Flags, Floats, Ints
from .binned_search import Stump
from .stump_search import PrunedSearch


class ClassSearch(PrunedSearch):
    r"""Stumps that vote for one class a branch, and two different ones if they can.

    With K classes and :math:`\epsilon` the weight of the rows that are voted wrongly, the
    edge is :math:`(K(1-\epsilon)-1)/(K-1)`: 0 at chance, 1 if all are right. Votes are class
    numbers, -1 where a stump abstains. Rows are kept in the order of their classes, so that
    the rows of a class have a histogram of their own at no other cost.

    Parameters
    ----------
    X, weight, categorical, **options
        As in `PrunedSearch`.
    y : int array (rows,)
        Class numbers 0, 1, ..., each of which occurs.

    Examples
    --------
    >>> X = np.array([[0.0], [1.0], [2.0], [3.0]])
    >>> with ClassSearch(X, np.array([2, 2, 0, 1])) as search:
    ...     stump = search.best(lambda columns, edges: edges, np.array([True]))
    >>> stump.high, stump.inside, stump.outside, stump.edge
    (1.5, 2, 0, 0.625)
    """

    stump_dtype = BEST_CLASS_STUMP
    tie = 1e-12

    def __init__(
        self,
        X: NDArray[Any],
        y: NDArray[np.intp],
        weight: Floats | None = None,
        categorical: Flags | None = None,
        **options: Any,
    ) -> None:
        super().__init__(X, weight, categorical, **options)
        order = np.argsort(y, kind="stable")
        for bins in self._bins:
            bins[:] = bins[order]
        self._labels = y[order]
        self._starts = np.concatenate([[0], np.cumsum(np.bincount(y))])
        self._n_classes = self.n_histograms = len(self._starts) - 1
        # the weight of the rows that are right moves by half the distance at most
        self.lipschitz = 0.5 * self._n_classes / (self._n_classes - 1)
        self._first_weights = np.ones(len(y)) if weight is None else weight[order]
        self.restart()

    def _scan_group(self, group: Ints, weights: Floats) -> None:
        hist = np.zeros((self._n_classes, len(group), self._n_bins))
        add_class_histograms(self._bins, group, weights, self._starts, hist)
        best_class_stumps(hist, group, self._n_cuts, self._has_missing, *self._codes, self._best)

    def _reweigh(self, stump: Stump, alpha: float, now: Floats, out: Floats) -> Floats:
        """Multiply by exp(-alpha / (K-1)) where the vote is right, else exp(alpha / (K-1)^2)."""
        others = self._n_classes - 1
        right, wrong = math.exp(-alpha / others), math.exp(alpha / others**2)
        voted = self._votes(stump)
        bins, sums = self._bins[stump.column], np.empty(self._n_blocks)
        self._over_rows(
            lambda a, b: reweigh_classes(
                now, self._labels, bins, voted, right, wrong, out, sums, a, b
            )
        )
        return sums
