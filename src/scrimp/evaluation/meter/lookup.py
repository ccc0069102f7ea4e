"""From a fitted model of any library to what it reads."""

from __future__ import annotations

from types import ModuleType
from typing import Any

from . import catboost, lightgbm, scikit, xgboost
from .asking import refuse
from .composed import inner
from .readers import Reader

_LIBRARIES: dict[str | None, ModuleType] = {
    "lightgbm": lightgbm,
    "xgboost": xgboost,
    "catboost": catboost,
}


def reader_of(model: Any, num_iteration: int | None = None) -> Reader:
    """The reader of a fitted model; a TypeError for one that cannot be read."""
    model = inner(model)
    home = library_of(model)
    if home in _LIBRARIES:
        _check_model(model)
        reader: Reader = _LIBRARIES[home].reader_of(model, num_iteration)
        return reader
    if home == "sklearn":
        return scikit.reader_of(model, num_iteration, reader_of)
    refuse(model)


def column_names(model: Any) -> list[str] | None:
    """Names of the columns that a model was fitted on, if it keeps them."""
    home = library_of(model)
    if home in _LIBRARIES:
        _check_model(model)
        names = _LIBRARIES[home].column_names(model)
        return None if names is None else list(names)
    names = getattr(model, "feature_names_in_", None)
    if names is not None:
        return [str(name) for name in names]
    within = inner(model)
    return None if within is model else column_names(within)


def library_of(model: Any) -> str | None:
    """The library that a model, or a class it is derived from, comes from."""
    homes = [own.__module__.split(".")[0] for own in type(model).__mro__]
    return next((home for home in homes if home in (*_LIBRARIES, "sklearn")), None)


def _check_model(model: Any) -> None:
    """Refuse datasets and other things of a library that are not models."""
    if not hasattr(model, "predict") or type(model).__name__ == "CVBooster":
        refuse(model)
