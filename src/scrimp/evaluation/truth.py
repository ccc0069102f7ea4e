"""Checks of what answers are compared with."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..data.target import Target
from ..types import Floats


def check_truth(y: Any, target: Target, n_rows: int) -> NDArray[Any]:
    """The truth as an array with which a target's answers can be compared."""
    values = np.asarray(y)
    if values.shape != (n_rows,):
        raise ValueError(
            f"y has the shape {values.shape} but the sweep has {n_rows} rows; "
            "expected one value a row."
        )
    if n_rows == 0:
        raise ValueError("The sweep has no rows; expected at least one.")
    if target.is_number:
        values = values.astype(np.float64)
    if _unknown(values):
        raise ValueError("y holds NaN, None or infinity. Leave out rows whose truth is not known.")
    classes = target.classes.tolist()
    if classes and set(values.tolist()).isdisjoint(classes):
        raise ValueError(
            f"y holds none of the model's classes {classes}, but {values.tolist()[0]!r}. "
            "Give labels as in fit."
        )
    return values


def _unknown(values: NDArray[Any]) -> bool:
    if values.dtype.kind == "f":
        return not np.isfinite(values).all()
    return values.dtype.kind == "O" and any(v is None or v != v for v in values.tolist())


def check_weight(sample_weight: Any, n_rows: int) -> Floats | None:
    """Weights of the rows as an array, or None."""
    if sample_weight is None:
        return None
    weight = np.asarray(sample_weight, dtype=np.float64)
    if weight.shape != (n_rows,) or not (np.isfinite(weight).all() and (weight >= 0).all()):
        raise ValueError(f"sample_weight must hold {n_rows} finite numbers >= 0, one a row.")
    if not weight.any():
        raise ValueError("sample_weight is 0 for all rows; expected some weight.")
    return weight
