"""A warning where columns are on scales too different for one penalty."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from scipy import sparse

from ...data.columns import Columns
from ...types import Floats

#: The largest values of columns may differ so many times.
MOST_APART = 1_000.0


def largest_values(X: Any) -> Floats:
    """The largest absolute value of each column of an array or CSR matrix."""
    if sparse.issparse(X):
        largest = np.zeros(X.shape[1])
        np.maximum.at(largest, X.indices, np.abs(X.data))
        return largest
    if not len(X):
        return np.zeros(X.shape[1])
    return np.asarray(np.maximum(X.max(axis=0), -X.min(axis=0)), dtype=np.float64)


def warn_if_unscaled(X: Any, columns: Columns) -> None:
    """Name the ratio of the scales, the columns, and what to do."""
    largest = largest_values(X)
    used = np.flatnonzero(largest > 0)
    if not len(used):
        return
    least, most = used[largest[used].argmin()], used[largest[used].argmax()]
    ratio = largest[most] / largest[least]
    if ratio <= MOST_APART:
        return
    scaler = "MaxAbsScaler" if sparse.issparse(X) else "StandardScaler"
    warnings.warn(
        f"The columns differ in scale by a factor of {ratio:.3g}: the largest value of "
        f"{columns.name(int(most))!r} is {largest[most]:.3g}, that of "
        f"{columns.name(int(least))!r} is {largest[least]:.3g}. One C for all holds columns of "
        f"small values back, and training is slow. Scale them first, with {scaler} in a "
        "pipeline; prices stay as they are.",
        UserWarning,
        stacklevel=4,
    )
