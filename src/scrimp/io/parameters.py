"""Parameters of estimators as JSON, and back as they were."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from .strict_json import fields, listed, mapping, text


def pack_parameters(params: Mapping[str, Any]) -> dict[str, Any]:
    """Return parameters as JSON can hold them; raise ValueError that names one that it cannot."""
    return {name: _pack(value, name) for name, value in params.items()}


def unpack_parameters(value: Any) -> dict[str, Any]:
    """Invert `pack_parameters`; arrays and tuples become lists."""
    return {name: _unpack(each) for name, each in mapping(value, "the parameters").items()}


def _pack(value: Any, name: str) -> Any:
    if isinstance(value, np.ndarray | np.generic):
        value = value.tolist()
    if isinstance(value, float) and not math.isfinite(value):
        return {"float": repr(value)}
    if isinstance(value, list | tuple):
        return [_pack(each, name) for each in value]
    if isinstance(value, Mapping):
        return {"pairs": [[_pack(k, name), _pack(v, name)] for k, v in value.items()]}
    if not isinstance(value, bool | int | float | str | None):
        raise ValueError(
            f"the parameter {name} is a {type(value).__name__}; expected a number, text, a list "
            "or a dict of such"
        )
    return value


def _unpack(value: Any) -> Any:
    if isinstance(value, list):
        return [_unpack(each) for each in value]
    if not isinstance(value, dict):
        return value
    if "float" in value:
        (word,) = fields(value, "a number", "float")
        return float(text(word, "a number"))
    (pairs,) = fields(value, "a dict", "pairs")
    return dict(listed(pairs, "a dict", _unpack_pair))


def _unpack_pair(value: Any, what: str) -> tuple[Any, Any]:
    if not isinstance(value, list) or len(value) != 2:
        raise ValueError(f"{what} must have pairs of a key and a value")
    key, entry = (_unpack(each) for each in value)
    return (tuple(key) if isinstance(key, list) else key), entry
