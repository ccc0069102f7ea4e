"""Strict JSON: parsing of untrusted text, and checks of the parsed values."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from typing import Any, TypeVar

T = TypeVar("T")

#: Maximum nesting: deep enough for menus of menus, far below Python's recursion limit.
MAX_DEPTH = 32


def dump_json(value: Any) -> str:
    """Return the canonical text of a value: sorted keys, no spaces, ASCII, no NaN."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)


def parse_json(text: str | bytes) -> Any:
    """Return the value of a text; raise a ValueError for what `dump_json` cannot have written.

    Refused are duplicate keys, NaN and infinity (1e999 too), numbers beyond 64 bits and
    deep nesting.
    """
    try:
        value = json.loads(
            text,
            object_pairs_hook=_without_duplicates,
            parse_constant=_no_constant,
            parse_float=_finite,
            parse_int=_small,
        )
    except RecursionError:
        raise ValueError(_TOO_DEEP) from None
    _check_depth(value)
    return value


_TOO_DEEP = f"its JSON is nested more than {MAX_DEPTH} deep"


def _without_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) < len(pairs):
        raise ValueError("its JSON has the same key twice")
    return value


def _no_constant(text: str) -> float:
    raise ValueError(f"its JSON holds {text}, which is no number")


def _finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(f"its JSON holds {text}, which is no finite number")
    return value


def _small(text: str) -> int:
    if len(text) > 20 or not -(2**63) <= int(text) < 2**64:
        raise ValueError("its JSON holds a whole number of more than 64 bits")
    return int(text)


def _check_depth(value: Any) -> None:
    """Check the depth level by level: a recursive check could itself be too deep."""
    level = [value]
    for _ in range(MAX_DEPTH):
        level = [inner for outer in level for inner in _children(outer)]
        if not level:
            return
    raise ValueError(_TOO_DEEP)


def _children(value: Any) -> list[Any]:
    members = value.values() if isinstance(value, dict) else value
    if not isinstance(value, dict | list):
        return []
    return [member for member in members if isinstance(member, dict | list)]


def fields(value: Any, what: str, *keys: str) -> list[Any]:
    """Return the members of a JSON object that has exactly these keys, in their order."""
    if not isinstance(value, dict) or set(value) != set(keys):
        raise ValueError(f"{what} must have just the fields {', '.join(keys)}")
    return [value[key] for key in keys]


def listed(value: Any, what: str, each: Callable[[Any, str], T]) -> tuple[T, ...]:
    """Return a JSON list as a tuple of checked members."""
    if not isinstance(value, list):
        raise ValueError(f"{what} must be a list")
    return tuple(each(member, what) for member in value)


def text(value: Any, what: str) -> str:
    """Return a JSON string."""
    if not isinstance(value, str):
        raise ValueError(f"{what} must be text")
    return value


def number(value: Any, what: str) -> float:
    """Return a JSON number."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError(f"{what} must be a number")
    return float(value)


def whole(value: Any, what: str) -> int:
    """Return a JSON number without a fraction."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise ValueError(f"{what} must be a whole number")
    return value


def wholes(value: Any, what: str) -> tuple[int, ...]:
    """Return a JSON list of whole numbers."""
    return listed(value, what, whole)


def texts(value: Any, what: str) -> tuple[str, ...]:
    """Return a JSON list of strings."""
    return listed(value, what, text)


def mapping(value: Any, what: str) -> dict[str, Any]:
    """Return a JSON object with any keys."""
    if not isinstance(value, dict):
        raise ValueError(f"{what} must be an object")
    return value
