"""Checks of parameters that are numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...data.validation import is_number


def check_whole(name: str, value: Any, low: int, high: int) -> None:
    """Refuse what is no whole number within a range."""
    whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    if not (whole and low <= value <= high):
        raise ValueError(f"{name} is {value!r}; expected a whole number from {low} to {high}.")


def check_range(name: str, value: Any, low: float, high: float, open_low: bool = False) -> None:
    """Refuse what is no number within a range; `open_low` leaves its lower end out."""
    if not (is_number(value) and (low < value if open_low else low <= value) and value <= high):
        sign = ">" if open_low else ">="
        upper = "" if high == np.inf else f" and <= {high:g}"
        raise ValueError(f"{name} is {value!r}; expected a number {sign} {low:g}{upper}.")
