"""Fitted scalers and imputers as part of a preparation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.impute import SimpleImputer
from sklearn.preprocessing import MaxAbsScaler, RobustScaler, StandardScaler

from ..components.models import Preparation


def after_steps(preparation: Preparation, steps: Sequence[Any]) -> Preparation | None:
    """The preparation with the steps of a pipeline after it; None if one is not known."""
    prepared: Preparation | None = preparation
    for step in steps:
        if prepared is None or step is None or step == "passthrough":
            continue
        maker = _STEPS.get(type(step))
        prepared = None if maker is None else maker(prepared, step)
    return prepared


def _scaled(preparation: Preparation, center: Any, scale: Any) -> Preparation | None:
    """``(z - center) / scale`` of what was prepared before."""
    n = len(preparation.source)
    center = np.zeros(n) if center is None else np.asarray(center, dtype=np.float64)
    scale = np.ones(n) if scale is None else np.asarray(scale, dtype=np.float64)
    moved = preparation.center + preparation.scale * center
    wider = preparation.scale * scale
    if not (np.isfinite(moved).all() and np.isfinite(wider).all() and wider.all()):
        return None
    return replace(preparation, center=moved, scale=wider)


def _standard(preparation: Preparation, step: Any) -> Preparation | None:
    return _scaled(preparation, step.mean_ if step.with_mean else None, step.scale_)


def _robust(preparation: Preparation, step: Any) -> Preparation | None:
    return _scaled(preparation, step.center_, step.scale_)


def _largest(preparation: Preparation, step: Any) -> Preparation | None:
    return None if getattr(step, "clip", False) else _scaled(preparation, None, step.scale_)


def _imputed(preparation: Preparation, step: Any) -> Preparation | None:
    """Fill what is still missing; not if the imputer drops or adds columns."""
    try:
        values = np.asarray(step.statistics_, dtype=np.float64)
    except (TypeError, ValueError):
        return None
    is_nan = isinstance(step.missing_values, float) and np.isnan(step.missing_values)
    if step.indicator_ is not None or not is_nan or not np.isfinite(values).all():
        return None
    own = preparation.center + preparation.scale * values
    open_ = np.isnan(preparation.fill) & np.isnan(preparation.code)
    return replace(preparation, fill=np.where(open_, own, preparation.fill))


_STEPS: dict[type, Callable[[Preparation, Any], Preparation | None]] = {
    StandardScaler: _standard,
    RobustScaler: _robust,
    MaxAbsScaler: _largest,
    SimpleImputer: _imputed,
}
