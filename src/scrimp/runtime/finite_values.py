"""The check that bought columns are finite, for plans that need it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import sparse

from ..plans.priced_plan import PricedPlan
from ..types import Ints

#: Columns that are checked one by one before all columns of a plan are checked in one pass: a
#: pass over one column of a table costs almost as much as one over its neighbours too.
_MAX_SINGLE = 4


class FiniteCheck:
    """Checks of the columns that the rows of one table buy, which share their work.

    Parameters
    ----------
    priced : PricedPlan
        The plan and its costs.
    X : array or CSR matrix (rows, columns)
        The values.
    """

    def __init__(self, priced: PricedPlan, X: Any) -> None:
        self._priced, self._X = priced, X
        self._finite: set[int] = set()
        self._n_single = 0

    def check(self, rows: Ints, columns: Sequence[int] | Ints) -> None:
        """Raise ValueError if a column that was bought holds NaN or infinity in some rows."""
        if self._priced.accepts_missing or self._finite.issuperset(columns):
            return
        if self._n_single == _MAX_SINGLE and not sparse.issparse(self._X):
            everywhere = np.arange(self._X.shape[0])
            read = self._priced.columns_read
            self._finite.update(read[_are_finite(self._X, everywhere, read)].tolist())
        self._n_single += 1
        unsure = [column for column in columns if column not in self._finite]
        check_finite(self._priced, self._X, rows, unsure)
        if len(rows) == self._X.shape[0]:
            self._finite.update(unsure)


def check_finite(priced: PricedPlan, X: Any, rows: Ints, columns: Sequence[int] | Ints) -> None:
    """Raise ValueError if a column that was bought holds NaN or infinity."""
    column = _first_not_finite(X, rows, columns) if len(columns) else None
    if column is not None:
        raise ValueError(
            f"Column {priced.costs.column_name(column)!r} was bought and holds NaN or infinity, "
            "which this model cannot use. Impute it, or leave these rows out."
        )


def _first_not_finite(X: Any, rows: Ints, columns: Sequence[int] | Ints) -> int | None:
    """Return the first of some columns that holds NaN or infinity in some rows."""
    if sparse.issparse(X):
        part = X[rows]
        not_finite = np.intersect1d(columns, part.indices[~np.isfinite(part.data)])
        return int(not_finite[0]) if len(not_finite) else None
    bad = np.flatnonzero(~_are_finite(X, rows, np.asarray(columns, dtype=np.int64)))
    return int(columns[bad[0]]) if len(bad) else None


def _are_finite(X: Any, rows: Ints, columns: Ints) -> Any:
    """Return whether each of some columns is finite in all rows, in one pass."""
    from ..kernels.model_scores import mark_not_finite

    finite = np.ones(len(columns), dtype=bool)
    mark_not_finite(X, rows, columns, finite)
    return finite
