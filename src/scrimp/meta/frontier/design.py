"""The columns of a table, prepared for base learners: indicators of categories, and bins."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...costs.costs import Costs
from ...data.columns import Columns
from ...data.encoding import Encoder, finite_median, scale_of
from ...data.preparation import Preparation
from ...kernels.binning import bin_columns, find_cuts
from ...types import Floats, Ints

#: Indicators per categorical column, for its most frequent categories: more take longer.
MAX_INDICATORS = 40
#: How categories become columns: an item whose column has no category still has a column.
ENCODER = Encoder(max_indicators=MAX_INDICATORS, one_of_two=True, never_empty=True)
#: Mean number of rows per bin: fewer make finer cuts that follow noise.
ROWS_PER_BIN = 20
#: Bins per column, at least: small tables need some cuts too.
MIN_BINS = 16
#: Bins per column, at most: 255 marks a missing value.
MAX_BINS = 254
#: Kurtosis from which on a column is heavy-tailed: it is 3 for a normal distribution, 9 for an
#: exponential one. Few rows are far from all others then, and distances and linear models would
#: see little else.
HEAVY_KURTOSIS = 10.0
#: Where the logarithm begins, in typical deviations from the median.
KNEE = 0.5


@dataclass(frozen=True, eq=False)
class Design:
    """Prepared columns of training rows, and the items that bring them.

    Parameters
    ----------
    preparation : Preparation
        How the columns of the table become prepared ones; missing values stay.
    table : float array (rows, prepared columns)
        The prepared columns.
    item_of : int array (prepared columns,)
        The item that brings each column.
    rows_per_bin : int
        Mean number of rows per bin.
    max_bins : int
        Bins per column, at most.
    """

    preparation: Preparation
    table: Floats
    item_of: Ints
    rows_per_bin: int = ROWS_PER_BIN
    max_bins: int = MAX_BINS

    @classmethod
    def of(
        cls, X: NDArray[Any], columns: Columns, costs: Costs, rows_per_bin: int = ROWS_PER_BIN
    ) -> Design:
        """Prepare a table of numbers and codes of categories."""
        encoding = ENCODER.fit(X, columns)
        item_of = costs.owners[encoding.preparation.source]
        table = encoding.table(np.ascontiguousarray(X))
        return cls(encoding.preparation, table, item_of, rows_per_bin)

    @cached_property
    def cuts(self) -> list[Floats]:
        """Cut points of each prepared column."""
        is_categorical = np.zeros(len(self.item_of), dtype=bool)
        n = len(self.table)
        n_bins = int(np.clip(n // self.rows_per_bin, MIN_BINS, self.max_bins))
        return find_cuts(self.table, is_categorical, n_bins, np.arange(n))

    @cached_property
    def bins(self) -> NDArray[np.uint8]:
        """Bins (prepared columns, rows); 255 where a value is missing."""
        return bin_columns(self.table, self.cuts)  # type: ignore[return-value]

    @cached_property
    def n_bins(self) -> Ints:
        """The number of bins of each prepared column."""
        return np.array([len(cuts) + 1 for cuts in self.cuts], dtype=np.int64)

    @cached_property
    def columns_of(self) -> dict[int, Ints]:
        """The prepared columns of each item, without constant ones."""
        varies = (self.n_bins > 1) | np.isnan(self.table).any(axis=0)
        columns_of = {}
        for item in np.unique(self.item_of).tolist():
            columns_of[item] = np.flatnonzero((self.item_of == item) & varies)
        return {item: columns for item, columns in columns_of.items() if len(columns)}

    def subset(self, rows: Ints, max_bins: int) -> Design:
        """Return some of the rows, in coarser bins."""
        return Design(self.preparation, self.table[rows], self.item_of, self.rows_per_bin, max_bins)

    def columns(self, items: Iterable[int]) -> Ints:
        """Return the prepared columns of a set of items, ascending."""
        none = np.empty(0, dtype=np.int64)
        return np.sort(np.concatenate([none, *(self.columns_of.get(i, none) for i in items)]))

    @cached_property
    def filled(self) -> tuple[Preparation, Floats]:
        """The columns with mean 0 and variance 1; medians where a value is not finite.

        Heavy-tailed columns are transformed by the inverse hyperbolic sine before that.
        """
        plain = self.preparation
        median = np.array([finite_median(column) for column in self.table.T])
        fill = np.where(np.isnan(plain.code), median, np.nan)
        filled, knee = self.table.copy(), np.full(len(median), np.nan)
        for place, column in enumerate(filled.T):  # without tables beside this one
            column[~np.isfinite(column)] = median[place]
            if np.isnan(plain.code[place]) and is_heavy_tailed(column):
                knee[place] = KNEE * typical_deviation(column, median[place])
                column[:] = np.arcsinh((column - median[place]) / knee[place])
        center = filled.mean(axis=0)
        spread = np.array([column.std() for column in filled.T])
        scale = scale_of(center, spread)
        filled -= center
        filled /= scale
        return Preparation(plain.source, plain.code, fill, center, scale, knee), filled


def is_heavy_tailed(values: Floats) -> bool:
    """Return whether a column has many more values far from its mean than a normal one.

    >>> normal = np.random.default_rng(0).normal(size=1_000)
    >>> is_heavy_tailed(normal), is_heavy_tailed(np.exp(normal))
    (False, True)
    """
    deviations = values - values.mean()
    variance = float(np.mean(deviations**2))
    if not np.isfinite(variance):
        return True
    return variance > 0 and float(np.mean(deviations**4)) > HEAVY_KURTOSIS * variance**2


def typical_deviation(values: Floats, center: float) -> float:
    """Return the median distance to a value of those that differ from it."""
    distances = np.abs(values - center)
    return float(np.median(distances[distances > 0]))
