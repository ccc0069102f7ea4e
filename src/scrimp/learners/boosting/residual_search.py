"""The best stump of each round of gradient boosting: least squares on the targets of a loss."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...kernels.residuals import SPLIT, best_splits, descend, weighted_median
from ...kernels.stumps import add_histograms
from ...types import Flags, Floats, Ints
from .binned_search import BinnedSearch, Quality, Stump

#: A stump that explains no larger share of the sum of squares than this is none.
_NOTHING = 1e-12
#: Edges stay below 1, where the logarithms of the rules end.
_EDGE_LIMIT = 1.0 - 1e-12
#: Of columns that tie up to rounding, the lowest wins.
_TIE = 1e-12


class ResidualSearch(BinnedSearch):
    """Binned columns, and the residuals of the rows.

    Parameters
    ----------
    X, weight, categorical, **options
        As in `BinnedSearch`; all weights are positive.
    residuals : float array (rows,)
        What is left to explain.
    absolute : bool
        Whether the loss is the absolute one: targets are signs, leaves hold medians.
    floor : float
        A residual that is not larger counts as none.

    Examples
    --------
    >>> X = np.array([[0.0], [1.0], [2.0], [3.0]])
    >>> with ResidualSearch(X, np.array([-2.0, -2.0, 1.0, 3.0])) as search:
    ...     stump = search.best(lambda columns, edges: edges, np.array([True]))
    >>> stump.high, stump.outside, round(stump.edge**2, 3)
    (1.5, 2.0, 0.889)
    """

    def __init__(
        self,
        X: NDArray[Any],
        residuals: Floats,
        weight: Floats | None = None,
        categorical: Flags | None = None,
        *,
        absolute: bool = False,
        floor: float = 0.0,
        **options: Any,
    ) -> None:
        super().__init__(X, weight, categorical, **options)
        n, d = X.shape
        self._absolute, self._floor = absolute, floor
        self._given_weight = weight
        self._weight = np.ones(n) if weight is None else weight
        # A column's masses are those of its bins, the missing one at the end.
        self._first = np.cumsum([0, *(len(cuts) + 2 for cuts in self._cuts)])
        self._masses = np.empty(self._first[-1])
        self._over_histograms(np.arange(d), self._weight, self._keep_masses)
        self._signed = np.empty(n)
        self._splits = np.zeros(d, dtype=SPLIT)
        self._first_residuals = residuals
        self.restart()

    def restart(self) -> None:
        """Reset the residuals to the first ones; the bins stay."""
        self._residuals = self._first_residuals.copy()
        self._step(0, np.zeros(self._n_bins))

    def best(self, quality: Quality, allowed: Flags) -> Stump | None:
        """Return the stump of largest quality among the allowed columns, the first at a tie.

        Its votes are the leaf values of the loss, its edge is the square root of the share
        that it explains. Where medians leave all rows where they are, the next column's turn
        comes.
        """
        self._scan(np.flatnonzero(allowed & ~self._fresh))
        explained = self._splits["explained"]
        columns = np.flatnonzero(allowed & (explained > _NOTHING * self._total))
        edges = np.sqrt(np.minimum(explained[columns] / self._total, 1.0))
        qualities = quality(columns, np.minimum(edges, _EDGE_LIMIT))
        left = np.ones(len(columns), dtype=bool)
        while left.any():
            top = qualities[left].max()
            first = int(np.argmax(left & (qualities >= top - _TIE * abs(top))))
            stump = self._fitted(int(columns[first]), float(edges[first]))
            if max(abs(stump.inside), abs(stump.outside), abs(stump.missing)) > self._floor:
                return stump
            left[first] = False
        return None

    def update(self, stump: Stump, learning_rate: float) -> None:
        """Take the stump's votes, times the learning rate, from the residuals."""
        self._step(stump.column, learning_rate * self._votes(stump))

    def _scan(self, columns: Ints) -> None:
        """Find the best split of some columns for the targets of now."""

        def keep(hist: Floats, group: Ints) -> None:
            best_splits(hist, group, self._masses, self._first, self._categorical, self._splits)

        self._over_histograms(columns, self._signed, keep)
        self._fresh[columns] = True

    def _over_histograms(
        self, columns: Ints, signed: Floats, keep: Callable[[Floats, Ints], None]
    ) -> None:
        """Make the histograms of some columns, a group at a time, and hand them on."""

        def make(group: Ints) -> None:
            hist = np.zeros((len(group), self._n_bins))
            add_histograms(self._bins, group, signed, 0, self._bins.shape[1], hist)
            keep(hist, group)

        self._over_columns(columns, make)

    def _keep_masses(self, hist: Floats, group: Ints) -> None:
        for sums, column in zip(hist, group.tolist(), strict=True):
            masses = self._masses[self._first[column] : self._first[column + 1]]
            masses[:-1], masses[-1] = sums[: len(masses) - 1], sums[-1]

    def _step(self, column: int, steps: Floats) -> None:
        sums = np.empty(self._n_blocks)
        arrays = (self._residuals, self._weight, self._bins[column], steps)
        loss = (self._absolute, self._floor)
        self._over_rows(lambda a, b: descend(*arrays, *loss, self._signed, sums, a, b))
        self._total = math.fsum(sums)
        self._fresh = np.zeros(len(self._cuts), dtype=bool)

    def _fitted(self, column: int, edge: float) -> Stump:
        """Return the best stump of a column, with the leaf values of the loss."""
        _, at, kind = self._splits[column].item()
        leaves = self._stump(column, kind, at, (0, 1, 2), edge)  # it votes for numbers of leaves
        leaf = self._votes(leaves)[self._bins[column]]
        inside, outside, missing = self._medians(leaf) if self._absolute else self._means(leaf)
        return replace(leaves, inside=inside, outside=outside, missing=missing)

    def _means(self, leaf: Ints) -> list[float]:
        masses = np.bincount(leaf, self._weight, minlength=3)
        sums = np.bincount(leaf, self._weight * self._residuals, minlength=3)
        return [
            s / m if m > 0 else 0.0 for s, m in zip(sums.tolist(), masses.tolist(), strict=True)
        ]

    def _medians(self, leaf: Ints) -> list[float]:
        medians = []
        for which in range(3):
            rows = np.flatnonzero(leaf == which)
            weight = None if self._given_weight is None else self._given_weight[rows]
            medians.append(weighted_median(self._residuals[rows], weight) if len(rows) else 0.0)
        return medians
