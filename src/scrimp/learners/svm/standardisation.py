"""Columns of mean 0 and variance 1, and models trained on them, told of the columns as given."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.preprocessing import StandardScaler

from ...types import Floats, Ints


@dataclass(frozen=True, eq=False)
class Standardisation:
    """What is subtracted from each column, and what the rest is divided by.

    Parameters
    ----------
    center, scale : float arrays (columns,)
        0 and 1 leave a column as it is.
    """

    center: Floats
    scale: Floats

    @classmethod
    def none(cls, n_columns: int) -> Standardisation:
        """Return one that changes nothing."""
        return cls(np.zeros(n_columns), np.ones(n_columns))

    @classmethod
    def of(cls, table: Any, weights: Floats) -> Standardisation:
        """Return that of an array; a sparse matrix keeps its zeros, so that it is not centered."""
        is_sparse = sparse.issparse(table)
        scaler = StandardScaler(with_mean=not is_sparse).fit(table, sample_weight=weights)
        center = np.zeros(table.shape[1]) if is_sparse else scaler.mean_
        return cls(center, scaler.scale_)

    def apply(self, table: Any) -> Any:
        """Return the standardised table."""
        if sparse.issparse(table):
            return (table @ sparse.diags(1.0 / self.scale)).tocsr()
        return ((table - self.center) / self.scale).astype(table.dtype, copy=False)

    def undo(self, columns: Ints, w: Floats, b: Floats) -> tuple[Floats, Floats]:
        """Return coefficients (outputs, columns) and intercepts for the columns as given."""
        w = w / self.scale[columns]
        return w, b - w @ self.center[columns]
