"""The numbers that linear models are fitted on: categories as indicators, missing values filled."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse

from ..types import Floats
from .columns import Columns
from .encoding import Encoder, with_indicators_filled
from .preparation import Preparation


@dataclass(frozen=True, eq=False)
class LinearDesign:
    """How the columns of a table become the numbers of a linear model.

    Without categories the numbers are the table itself. A category becomes indicators.

    Parameters
    ----------
    columns : Columns
        Of the table.
    preparation : Preparation
        Of all columns, in their order.
    fills : bool
        Whether missing values are filled; if not, they are an error.
    """

    columns: Columns
    preparation: Preparation
    fills: bool

    @classmethod
    def learn(cls, table: Any, columns: Columns, missing: Any) -> LinearDesign:
        """Return the design of a training table.

        Parameters
        ----------
        table : array or CSR matrix (rows, columns)
            Numbers and codes of categories.
        columns : Columns
            Which of its columns hold categories.
        missing : {"error", "mean"} or float
            What a missing number counts as. A missing category counts as the mean of its
            indicators for ``mean``, and as none of its values for a number.
        """
        fill, coded = fill_values(table, missing), columns.is_categorical()
        if not coded.any():
            plain = Preparation.plain(np.arange(len(columns)))
            preparation = plain if fill is None else replace(plain, fill=fill)
            return cls(columns, preparation, fill is not None)
        preparation = Encoder().fit(table, columns).preparation
        if fill is not None:
            numbers = np.isnan(preparation.code)
            filled_in = np.where(numbers, fill[preparation.source], np.nan)
            preparation = replace(preparation, fill=filled_in)
        if isinstance(missing, str) and missing == "mean":
            preparation = with_indicators_filled(preparation, table)
        return cls(columns, preparation, fill is not None)

    @property
    def has_indicators(self) -> bool:
        """Whether some columns hold categories."""
        return bool(self.columns.is_categorical().any())

    @property
    def fill(self) -> Floats | None:
        """What a missing value of each prepared column counts as; None if it is an error."""
        return self.preparation.fill if self.fills else None

    def name(self, prepared: int) -> str:
        """Return the name of a prepared column: that of its column, and its category if it has one.

        >>> columns = Columns(("age", "colour"), (None, ("blue", "red")))
        >>> design = LinearDesign.learn(np.array([[1.0, 0.0], [2.0, 1.0]]), columns, "error")
        >>> design.name(2)
        'colour=red'
        """
        return self.prepared_columns.name(prepared)

    @cached_property
    def prepared_columns(self) -> Columns:
        """The prepared columns, all of them numbers."""
        if not self.has_indicators:
            return self.columns
        parts = zip(self.preparation.source.tolist(), self.preparation.code.tolist(), strict=True)
        names = tuple(
            name if math.isnan(code) else f"{name}={self.columns.show_value(column, code)}"
            for column, code in parts
            for name in [self.columns.name(column)]
        )
        return Columns(names if len(set(names)) == len(names) else None, (None,) * len(names))

    def transform(self, table: Any) -> Any:
        """Return the numbers of a table of the same columns, all of them finite.

        Raises
        ------
        ValueError
            If there are missing values that are not filled, or numbers too large to be summed.
        """
        if not self.has_indicators:
            return _checked(filled(table, self.fill), self.columns)
        if not self.fills:
            _checked(table, self.columns)
        everything = np.arange(len(table))
        return _checked(self.preparation.table(table, everything), self.prepared_columns)


def check_missing(missing: Any) -> None:
    """Refuse what a missing value cannot count as."""
    number = isinstance(missing, int | float | np.number) and math.isfinite(missing)
    if not (number or (isinstance(missing, str) and missing in ("error", "mean"))):
        raise ValueError(f"missing is {missing!r}; expected 'error', 'mean' or a finite number.")


def fill_values(X: Any, missing: Any) -> Floats | None:
    """Return what a missing value of each column counts as; None if there may be none."""
    if isinstance(missing, str) and missing == "error":
        return None
    if not isinstance(missing, str):
        return np.full(X.shape[1], float(missing))
    if sparse.issparse(X):
        X = X.toarray()
    known = np.isfinite(X)
    counts = known.sum(axis=0)
    if not counts.all():
        empty = np.flatnonzero(counts == 0).tolist()
        warnings.warn(
            f"The columns {empty} (by position) have no value in the rows that missing='mean' "
            "takes its means from, so that missing values of theirs count as 0.",
            UserWarning,
            stacklevel=6,
        )
    sums = np.where(known, X, 0.0).sum(axis=0, dtype=np.float64)
    return np.asarray(sums / np.maximum(counts, 1))


def filled(X: Any, values: Floats | None) -> Any:
    """Return X with missing values filled in; X itself if there are none."""
    if values is None:
        return X
    data = X.data if sparse.issparse(X) else X
    if np.isfinite(data).all():
        return X
    X = X.copy()
    if sparse.issparse(X):
        missing = ~np.isfinite(X.data)
        X.data[missing] = values[X.indices[missing]]
        return X
    at = np.nonzero(~np.isfinite(X))
    X[at] = values[at[1]]
    return X


def _checked(X: Any, columns: Columns) -> Any:
    """Return X, or raise an error that names the columns that are not finite."""
    bad = columns_not_finite(X)
    if bad:
        raise not_finite(bad, columns)
    return X


def not_finite(positions: Sequence[int], columns: Columns) -> ValueError:
    """Return an error that names the columns; those after the last are responses."""
    names = [columns.name(c) for c in positions if c < len(columns)]
    if not names:
        return ValueError("y holds NaN or infinity, or numbers too large to be summed.")
    return ValueError(
        f"The columns {names} hold NaN or infinity, or numbers too large to be summed. "
        "Impute them, or pass missing='mean'."
    )


def columns_not_finite(X: Any) -> list[int]:
    """Return columns that hold NaN or infinity, or numbers whose sum overflows."""
    if sparse.issparse(X):
        return [int(c) for c in np.unique(X.indices[~np.isfinite(X.data)])]
    with np.errstate(over="ignore", invalid="ignore"):
        sums = np.ones(len(X), dtype=X.dtype) @ X  # one pass, in threads
        if not np.isfinite(sums).all():
            sums = X.sum(axis=0, dtype=np.float64)
    return np.flatnonzero(~np.isfinite(sums)).tolist()
