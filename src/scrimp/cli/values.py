"""Values as people type them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..data.columns import Columns

_WORDS = {"true": 1.0, "yes": 1.0, "false": 0.0, "no": 0.0}


def choices(columns: Columns, name: str) -> list[str]:
    """The categories of a column as text; none for a number."""
    position = columns.positions[name]
    categories = columns.categories[position]
    return [columns.show_value(position, code) for code in range(len(categories or ()))]


def parse_value(columns: Columns, name: str, text: str) -> Any:
    """A value of a column; None for the word "missing".

    Raises
    ------
    ValueError
        If it is neither a number nor, where the column has categories, one of them.
    """
    text = text.strip()
    if text.lower() == "missing":
        return None
    known = choices(columns, name)
    return _category(known, text) if known else _number(text)


def _number(text: str) -> float:
    try:
        value = _WORDS.get(text.lower())
        value = float(text) if value is None else value
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise ValueError(f"{text!r} is not a number.")
    return value


def _category(known: list[str], text: str) -> str:
    """By its name, in capitals or not, or by its number in the list."""
    if text in known:
        return text
    same = [name for name in known if name.casefold() == text.casefold()]
    if len(same) == 1:
        return same[0]
    if are_numbered(known) and text.isdecimal() and 1 <= int(text) <= len(known):
        return known[int(text) - 1]
    raise ValueError(f"{text!r} is not one of: {', '.join(known)}.")


def are_numbered(known: list[str]) -> bool:
    """Whether a number can stand for a category: not if one of them looks like a number."""
    return not any(name[:1].isdecimal() for name in known)
