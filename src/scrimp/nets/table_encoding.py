"""How a network takes in the columns of a table: rows of tables of values, interpolated.

A number is between two knots, quantiles of the training rows, and brings the interpolation of the
values at both; a category brings its own value, and so do a missing value and a category that is
not known. Followed by sums, this is the piecewise linear encoding with a linear layer of Gorishniy,
Rubachev and Babenko (NeurIPS 2022), and an embedding of categories.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..data.columns import Columns
from ..types import Flags, Floats, Ints


@dataclass(frozen=True, eq=False)
class TableEncoding:
    """Knots and categories of some columns.

    Parameters
    ----------
    columns : int array (inputs,)
        The columns of the table.
    is_category : bool array (inputs,)
        Whether they hold codes of categories.
    knots : float array (inputs, knots)
        Ascending, padded by NaN; of categories all NaN.
    first : int array (inputs + 1,)
        The first value of each column among all values; its last one is for missing values.
    center, scale : float arrays (inputs,)
        By which numbers are standardised.
    """

    columns: Ints
    is_category: Flags
    knots: Floats
    first: Ints
    center: Floats
    scale: Floats

    @classmethod
    def learn(
        cls, table: Floats, columns: Columns, which: list[int], n_knots: int
    ) -> TableEncoding:
        """Return the encoding of some columns, with quantiles of the rows as knots."""
        is_category = columns.is_categorical()[which] if which else np.zeros(0, dtype=bool)
        knots = np.full((len(which), max(n_knots, 1)), np.nan)
        center, scale, sizes = np.zeros(len(which)), np.ones(len(which)), []
        for c, column in enumerate(which):
            values = table[:, column]
            if is_category[c]:
                sizes.append(len(columns.categories[column] or ()) + 1)
                continue
            values = values[np.isfinite(values)]
            own = _quantiles(values, n_knots)
            knots[c, : len(own)] = own
            if len(values):
                center[c], scale[c] = values.mean(), values.std() or 1.0
            sizes.append(len(own) + 1)
        first = np.cumsum([0, *sizes])
        return cls(np.array(which, dtype=np.int64), is_category, knots, first, center, scale)

    @property
    def n_values(self) -> int:
        """All values of all columns."""
        return int(self.first[-1])

    def standardised_knots(self) -> Floats:
        """Return the standardised number of each value; 0 for categories and missing values."""
        numbers = np.zeros(self.n_values)
        for c in np.flatnonzero(~self.is_category).tolist():
            begin, end = self.first[c], self.first[c + 1] - 1
            own = self.knots[c, : end - begin]
            numbers[begin:end] = (own - self.center[c]) / self.scale[c]
        return numbers

    def encoded(self, table: Floats) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
        """Return two values per column and row, by their numbers, and the weight of each."""
        n, inputs = len(table), len(self.columns)
        index = np.empty((n, 2 * inputs), dtype=np.int32)
        weight = np.zeros((n, 2 * inputs), dtype=np.float32)
        for c, column in enumerate(self.columns.tolist()):
            at, share = self._placed(c, table[:, column])
            index[:, 2 * c], weight[:, 2 * c] = at, 1.0 - share
            index[:, 2 * c + 1] = np.minimum(at + 1, self.first[c + 1] - 1)
            weight[:, 2 * c + 1] = share
        return index, weight

    def _placed(self, c: int, values: Floats) -> tuple[Ints, Floats]:
        """Return the value below each number, and how far it is on the way to the next."""
        begin, unknown = int(self.first[c]), int(self.first[c + 1]) - 1
        share, is_there = np.zeros(len(values)), ~np.isnan(values)
        at = np.full(len(values), unknown)
        if self.is_category[c]:
            is_there &= (values >= 0) & (values < unknown - begin)
            at[is_there] = begin + values[is_there].astype(np.int64)
            return at, share
        last = unknown - begin - 1
        if last < 0:
            return at, share
        own = self.knots[c, : last + 1]
        low = np.clip(np.searchsorted(own, values[is_there], side="right") - 1, 0, last)
        at[is_there] = begin + low
        high = np.minimum(low + 1, last)
        gap = np.where(high > low, own[high] - own[low], 1.0)
        share[is_there] = np.clip((values[is_there] - own[low]) / gap, 0.0, 1.0) * (high > low)
        return at, share


def _quantiles(values: Floats, n_knots: int) -> Floats:
    """Return distinct quantiles of finite numbers; none without numbers."""
    if not len(values):
        return np.empty(0)
    return np.unique(np.quantile(values, np.linspace(0.0, 1.0, max(n_knots, 2)), method="nearest"))
