"""A table as trees and linear models read it: categories as indicators, and bins."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...costs.costs import Costs
from ...kernels.binning import bin_columns
from ...kernels.cuts import find_cuts
from ...plans.components.models import Preparation
from ...types import Floats, Ints

#: Categories that get an indicator of their own, the most frequent ones first.
MOST_INDICATORS = 40
#: Bins a column: so many rows each, in the mean, but not fewer and not more than these.
ROWS_A_BIN, LEAST_BINS, MOST_BINS = 20, 16, 254


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
        The item that brings each.
    rows_a_bin : int
        Rows in a bin, in the mean.
    most_bins : int
        Of a column, at most.
    """

    preparation: Preparation
    table: Floats
    item_of: Ints
    rows_a_bin: int = ROWS_A_BIN
    most_bins: int = MOST_BINS

    @classmethod
    def of(
        cls,
        X: NDArray[Any],
        categorical: NDArray[np.bool_],
        costs: Costs,
        rows_a_bin: int = ROWS_A_BIN,
    ) -> Design:
        """Prepare a table of numbers and codes of categories."""
        source, code = [], []
        for column in range(X.shape[1]):
            codes = _indicated(X[:, column]) if categorical[column] else [np.nan]
            source += [column] * len(codes)
            code += codes
        n = len(source)
        preparation = Preparation(
            np.array(source, dtype=np.int64), np.array(code), np.full(n, np.nan), np.zeros(n),
            np.ones(n),
        )  # fmt: skip
        table = preparation.table(np.ascontiguousarray(X), np.arange(len(X)))
        item_of = np.array(costs.item_of)[preparation.source]
        return cls(preparation, table, item_of, rows_a_bin)

    @cached_property
    def cuts(self) -> list[Floats]:
        """Cut points of each prepared column."""
        numbers = np.zeros(len(self.item_of), dtype=bool)
        n = len(self.table)
        most = int(np.clip(n // self.rows_a_bin, LEAST_BINS, self.most_bins))
        return find_cuts(self.table, numbers, most, np.arange(n))

    @cached_property
    def bins(self) -> NDArray[np.uint8]:
        """Bins (prepared columns, rows); 255 where a value is missing."""
        return bin_columns(self.table, self.cuts)  # type: ignore[return-value]

    @cached_property
    def n_bins(self) -> Ints:
        """Bins of each prepared column."""
        return np.array([len(cuts) + 1 for cuts in self.cuts], dtype=np.int64)

    @cached_property
    def columns_of(self) -> dict[int, Ints]:
        """The prepared columns of each item that say anything: constants are left out."""
        told = (self.n_bins > 1) | np.isnan(self.table).any(axis=0)
        found = {}
        for item in np.unique(self.item_of).tolist():
            found[item] = np.flatnonzero((self.item_of == item) & told)
        return {item: columns for item, columns in found.items() if len(columns)}

    def taken(self, rows: Ints, most_bins: int) -> Design:
        """Some of the rows, in coarser bins."""
        return Design(self.preparation, self.table[rows], self.item_of, self.rows_a_bin, most_bins)

    def columns(self, items: Any) -> Ints:
        """The prepared columns of a set of items, ascending."""
        none = np.empty(0, dtype=np.int64)
        return np.sort(np.concatenate([none, *(self.columns_of.get(i, none) for i in items)]))

    @cached_property
    def filled(self) -> tuple[Preparation, Floats]:
        """The same with columns of mean 0 and variance 1; medians where a value is not finite."""
        plain = self.preparation
        numbers = np.isnan(plain.code)
        middle = np.array([_median(column) for column in self.table.T])
        fill = np.where(numbers, middle, np.nan)
        filled = np.where(np.isfinite(self.table), self.table, middle)
        center, spread = filled.mean(axis=0), filled.std(axis=0)
        scale = np.where(spread > 1e-12 * np.maximum(np.abs(center), 1e-300), spread, 1.0)
        ready = Preparation(plain.source, plain.code, fill, center, scale)
        return ready, (filled - center) / scale


def _indicated(codes: NDArray[Any]) -> list[float]:
    """The codes that get an indicator; of two one is enough."""
    found, counts = np.unique(codes[~np.isnan(codes)], return_counts=True)
    if len(found) <= 2 and not np.isnan(codes).any():
        return found[-1:].tolist() or [0.0]
    return np.sort(found[np.argsort(-counts, kind="stable")][:MOST_INDICATORS]).tolist() or [0.0]


def _median(column: Floats) -> float:
    present = column[np.isfinite(column)]
    return float(np.median(present)) if len(present) else 0.0
