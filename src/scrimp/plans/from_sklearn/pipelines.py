"""Conversion of fitted scalers and imputers to parts of a preparation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.impute import SimpleImputer
from sklearn.preprocessing import MaxAbsScaler, RobustScaler, StandardScaler

from ..components.models import Preparation


def prepare_by_steps(preparation: Preparation, steps: Sequence[Any]) -> Preparation | None:
    """Return a preparation followed by the steps of a pipeline; None if one is unknown."""
    prepared: Preparation | None = preparation
    for step in steps:
        if prepared is None or step is None or step == "passthrough":
            continue
        converter = _STEPS.get(type(step))
        prepared = None if converter is None else converter(prepared, step)
    return prepared


def _scaled(preparation: Preparation, center: Any, scale: Any) -> Preparation | None:
    """Return the preparation followed by ``(z - center) / scale``."""
    n = len(preparation.source)
    center = np.zeros(n) if center is None else np.asarray(center, dtype=np.float64)
    scale = np.ones(n) if scale is None else np.asarray(scale, dtype=np.float64)
    new_center = preparation.center + preparation.scale * center
    new_scale = preparation.scale * scale
    if not (np.isfinite(new_center).all() and np.isfinite(new_scale).all() and new_scale.all()):
        return None
    return replace(preparation, center=new_center, scale=new_scale)


def _convert_standard(preparation: Preparation, step: Any) -> Preparation | None:
    return _scaled(preparation, step.mean_ if step.with_mean else None, step.scale_)


def _convert_robust(preparation: Preparation, step: Any) -> Preparation | None:
    return _scaled(preparation, step.center_, step.scale_)


def _convert_max_abs(preparation: Preparation, step: Any) -> Preparation | None:
    return None if getattr(step, "clip", False) else _scaled(preparation, None, step.scale_)


def _convert_imputer(preparation: Preparation, step: Any) -> Preparation | None:
    """Fill the values that are still missing; None if the imputer drops or adds columns."""
    try:
        values = np.asarray(step.statistics_, dtype=np.float64)
    except (TypeError, ValueError):
        return None
    is_nan = isinstance(step.missing_values, float) and np.isnan(step.missing_values)
    if step.indicator_ is not None or not is_nan or not np.isfinite(values).all():
        return None
    fill = preparation.center + preparation.scale * values
    unfilled = np.isnan(preparation.fill) & np.isnan(preparation.code)
    return replace(preparation, fill=np.where(unfilled, fill, preparation.fill))


#: The converter of each type of step.
_STEPS: dict[type, Callable[[Preparation, Any], Preparation | None]] = {
    StandardScaler: _convert_standard,
    RobustScaler: _convert_robust,
    MaxAbsScaler: _convert_max_abs,
    SimpleImputer: _convert_imputer,
}
