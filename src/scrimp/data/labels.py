"""Refusal of class labels that are missing, or of types that have no common order."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .validation import is_missing


def check_labels(y: NDArray[Any]) -> None:
    """Raise ValueError if some labels are missing, or if some are text and others are not.

    >>> check_labels(np.array(["a", "b"], dtype=object))
    >>> check_labels(np.array(["a", None], dtype=object))
    Traceback (most recent call last):
        ...
    ValueError: y is missing in 1 of 2 rows; leave these rows out.
    """
    refuse_missing(y)
    if y.dtype.kind == "O":
        _refuse_mixed(y)


def refuse_missing(y: NDArray[Any]) -> None:
    """Raise ValueError if some values are None or NaN."""
    missing = np.isnan(y).sum() if y.dtype.kind == "f" else 0
    if y.dtype.kind == "O" and y.ndim:
        missing = sum(map(is_missing, y.flat))
    if missing:
        raise ValueError(f"y is missing in {missing} of {len(y)} rows; leave these rows out.")


def _refuse_mixed(y: NDArray[Any]) -> None:
    text = [label for label in y.flat if isinstance(label, str)]
    others = [label for label in y.flat if not isinstance(label, str | bytes)]
    if text and others:
        raise ValueError(
            f"Unknown label type: y holds text ({text[0]!r}) and other labels ({others[0]!r}); "
            "expected labels of one type. Turn all of them into text, or all into numbers."
        )
