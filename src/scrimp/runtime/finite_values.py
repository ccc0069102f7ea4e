"""The check that bought columns are finite, for plans that need it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import sparse

from ..plans.priced_plan import PricedPlan
from ..types import Ints


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
    for column in columns:
        if not np.isfinite(X[rows, column]).all():
            return int(column)
    return None
