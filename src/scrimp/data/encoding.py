"""How codes of categories and numbers become the columns that a model is fitted on."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..types import Flags, Floats, Ints
from .columns import Columns
from .preparation import Preparation

#: Indicators per column: more make wide tables of columns that are hardly ever 1.
MAX_INDICATORS = 255


@dataclass(frozen=True, eq=False)
class Encoding:
    """The prepared columns of a whole table.

    Parameters
    ----------
    preparation : Preparation
        Of all columns of the table, in their order.
    native : bool array (prepared columns,)
        Columns of codes that an estimator is to take as categories.
    """

    preparation: Preparation
    native: Flags

    def of(self, columns: Ints) -> Encoding:
        """The encoding of some columns of the table."""
        kept = np.flatnonzero(np.isin(self.preparation.source, columns))
        return Encoding(self.preparation.taken(kept), self.native[kept])

    def table(self, X: NDArray[Any]) -> Floats:
        """The prepared columns of all rows."""
        return self.preparation.table(X, np.arange(len(X)))


@dataclass(frozen=True)
class Encoder:
    """The one way from a table of numbers and codes to prepared columns.

    A category becomes an indicator (0 or 1) per value, all of them 0 for a value that was not
    seen in training. The flags of a column belong to the item that brings the column: see
    `scrimp.costs.Costs.prepared`.

    Parameters
    ----------
    indicators : bool
        Whether categories become indicators; if not, they stay codes.
    max_indicators : int
        The most indicators per column; the most frequent categories have one.
    of_all_categories : bool
        Whether categories that do not occur in the rows have an indicator too.
    one_of_two : bool
        Whether one indicator is enough for two categories, where none is missing.
    never_empty : bool
        Whether a column without any category has an indicator, which is 0 in all rows.
    fill : bool
        Whether the median is filled in where a number is missing.
    standardise : bool
        Whether numbers are brought to mean 0 and variance 1.

    Examples
    --------
    >>> columns = Columns(("age", "colour"), (None, ("blue", "red")))
    >>> encoding = Encoder(fill=True).fit(np.array([[1.0, 0.0], [np.nan, 1.0]]), columns)
    >>> encoding.table(np.array([[np.nan, 1.0], [2.0, -1.0]])).tolist()
    [[1.0, 0.0, 1.0], [2.0, 0.0, 0.0]]
    """

    indicators: bool = True
    max_indicators: int = MAX_INDICATORS
    of_all_categories: bool = False
    one_of_two: bool = False
    never_empty: bool = False
    fill: bool = False
    standardise: bool = False

    def fit(self, table: NDArray[Any], columns: Columns, native: Flags | None = None) -> Encoding:
        """Learn the preparation of each column.

        Parameters
        ----------
        table : array (rows, columns)
            Numbers and codes of the training rows.
        columns : Columns
            Which of the columns hold categories.
        native : bool array (columns,), optional
            Categories that stay codes whatever `indicators` says, and are named to the estimator.
        """
        coded = columns.is_categorical()
        native = np.zeros(len(columns), dtype=bool) if native is None else native
        parts, kept_native = [np.empty((0, 5))], []
        for column, categories in enumerate(columns.categories):
            values = table[:, column]
            if coded[column] and self.indicators and not native[column]:
                codes = self.indicated(values, len(categories or ()))
                part = np.full((len(codes), 5), np.nan)
                part[:, 1], part[:, 3], part[:, 4] = codes, 0.0, 1.0
            else:
                part = np.array([[0.0, np.nan, *self._number(values, coded[column])]])
            part[:, 0] = column
            parts.append(part)
            kept_native += [native[column]] * len(part)
        whole = np.concatenate(parts)
        preparation = Preparation(whole[:, 0].astype(np.int64), *whole.T[1:])
        return Encoding(preparation, np.array(kept_native, dtype=bool))

    def indicated(self, values: NDArray[Any], n_categories: int) -> Floats:
        """Return the codes of a column that have an indicator, ascending."""
        if self.of_all_categories:
            return np.arange(float(max(n_categories, self.never_empty)))
        missing = np.isnan(values)
        codes, counts = np.unique(values[~missing], return_counts=True)
        if self.never_empty and not len(codes):
            return np.zeros(1)
        if self.one_of_two and len(codes) == 2 and not missing.any():
            return np.asarray(codes[1:])
        if len(codes) > self.max_indicators:
            codes = np.sort(codes[np.argsort(-counts, kind="stable")[: self.max_indicators]])
        return np.asarray(codes)

    def _number(self, values: NDArray[Any], is_code: bool) -> tuple[float, float, float]:
        """Return what is filled in for a column that stays one, its center and its scale."""
        fill, center, scale = np.nan, 0.0, 1.0
        standardise = self.standardise and not is_code
        if not (self.fill or standardise):
            return fill, center, scale
        known = values[np.isfinite(values)].astype(np.float64)
        if self.fill:
            fill = finite_median(known)
        if standardise and len(known):
            center = float(known.mean())
            scale = float(scale_of(center, known.std()))
        return fill, center, scale


def finite_median(values: Floats) -> float:
    """Return the median of the finite values, 0 if there are none."""
    finite = values[np.isfinite(values)]
    return float(np.median(finite)) if len(finite) else 0.0


def scale_of(center: Any, spread: Any) -> Floats:
    """Return what columns are divided by: their standard deviation, 1 where it is rounding error.

    >>> scale_of(np.array([0.0, 5.0, 5.0]), np.array([2.0, 1e-15, 0.0])).tolist()
    [2.0, 1.0, 1.0]
    """
    return np.where((spread > 1e-12 * np.abs(center)) & (spread > 0), spread, 1.0)


def with_indicators_filled(preparation: Preparation, table: NDArray[Any]) -> Preparation:
    """Return a preparation in which a missing category counts as the share of each of its values.

    That is the mean of the indicators, so that a linear model answers for it as for the mean row.
    """
    fill = preparation.fill.copy()
    for place in np.flatnonzero(~np.isnan(preparation.code)):
        values = table[:, preparation.source[place]]
        known = ~np.isnan(values)
        share = np.mean(values[known] == preparation.code[place]) if known.any() else 0.0
        fill[place] = float(share)
    return replace(preparation, fill=fill)
