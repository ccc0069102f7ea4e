"""Validation of input that several modules share."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

#: What tables of numbers are brought to; others are converted, these are not copied.
FLOAT_DTYPES = (np.float64, np.float32)


def check_budget(budget: Any, n_rows: int | None = None) -> NDArray[np.float64]:
    """Return a budget, or one per row, as a float array; None is infinite.

    Parameters
    ----------
    budget : None, number, or array of numbers
        None stands for no limit.
    n_rows : int, optional
        Where one budget per row is allowed: how many rows there are.
    """
    if budget is None:
        return np.array(np.inf)
    try:
        values = _numbers(budget)
    except (TypeError, ValueError):
        raise ValueError(f"budget is {budget!r}; expected a number >= 0 or None.") from None
    if values.ndim and (n_rows is None or values.shape != (n_rows,)):
        expected = "one number" + (f", or one for each of {n_rows} rows" if n_rows else "")
        raise ValueError(f"budget has the shape {values.shape}; expected {expected}.")
    if values.size and not (values >= 0).all():
        bad = values[~(values >= 0)].flat[0]
        raise ValueError(
            f"budget is {bad}; expected a number >= 0, or None for everything the model may buy."
        )
    return values


def check_budgets(budgets: Any) -> NDArray[np.float64]:
    """Return a list of budgets as a float array, in the order given."""
    try:
        values = np.atleast_1d(_numbers(budgets))
    except (TypeError, ValueError):
        raise ValueError(f"budgets are {budgets!r}; expected a list of numbers >= 0.") from None
    if values.ndim != 1 or values.size == 0:
        raise ValueError("budgets must be a list of at least one number.")
    if not (values >= 0).all():
        raise ValueError(f"budgets hold {values[~(values >= 0)][0]}; expected numbers >= 0.")
    return values


def _numbers(values: Any) -> NDArray[np.float64]:
    """Return numbers as floats; raise a ValueError for text and for True and False."""
    given = np.asarray(values)
    # of [True, 2.0] NumPy makes numbers
    each = values if isinstance(values, list | tuple) else given.flat
    if given.dtype.kind in "OUSb" or isinstance(values, list | tuple):
        for value in each:
            if isinstance(value, str | bytes | bool | np.bool_):
                raise ValueError(f"{value!r} is no number")
    return np.asarray(given, dtype=np.float64)


def is_missing(value: Any) -> bool:
    """Return whether a value is None, NaN or the like, or pandas' NA, which has no truth value."""
    try:
        return value is None or not bool(value == value)
    except TypeError:
        return True


def int_array(name: str, values: Any, ndim: int = 1) -> NDArray[np.int64]:
    """Return whole numbers as a contiguous array; refuse floats, which would be truncated."""
    return np.ascontiguousarray(_check_array(name, values, ndim, "iu", "whole numbers"), np.int64)


def float_array(name: str, values: Any, ndim: int = 1) -> NDArray[np.float64]:
    """Return numbers as a contiguous array of floats."""
    return np.ascontiguousarray(_check_array(name, values, ndim, "fiu", "numbers"), np.float64)


def distinct(values: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return each number once, ascending; quick where they are in order already."""
    if (values[1:] > values[:-1]).all():
        return values
    values = np.sort(values, kind="stable")
    first = np.ones(len(values), dtype=bool)
    first[1:] = values[1:] != values[:-1]
    return values[first]


def _check_array(name: str, values: Any, ndim: int, kinds: str, expected: str) -> NDArray[Any]:
    array = np.asarray(values)
    if array.ndim != ndim:
        raise ValueError(f"{name} has {array.ndim} dimensions; expected {ndim}.")
    if array.size and array.dtype.kind not in kinds:
        raise ValueError(f"{name} holds {array.dtype}; expected {expected}.")
    return array


def check_choice(name: str, value: Any, choices: tuple[Any, ...]) -> None:
    """Refuse a parameter that is not one of its choices."""
    if value not in choices:
        raise ValueError(f"{name} is {value!r}; expected one of {', '.join(map(repr, choices))}.")


def is_number(value: Any) -> bool:
    """Return whether a value is one real number; True and False are not."""
    return isinstance(value, Real) and not isinstance(value, bool | np.bool_)


def check_number(
    name: str, value: Any, low: float, high: float = np.inf, *, above: bool = False,
    finite: bool = False,
) -> None:  # fmt: skip
    """Refuse a parameter that is no number within a range.

    Parameters
    ----------
    name : str
        Of the parameter.
    value : object
        What was given.
    low, high : float
        The ends of the range, which belong to it.
    above : bool
        Whether the lower end does not.
    finite : bool
        Whether infinity does not.

    >>> check_number("rate", 0.0, 0.0, 1.0, above=True)
    Traceback (most recent call last):
    ValueError: rate is 0.0; expected a number > 0 and <= 1.
    """
    within = is_number(value) and (low < value if above else low <= value) and value <= high
    if not within or (finite and not np.isfinite(value)):
        limit = "" if high == np.inf else f" and <= {high:g}"
        sign = ">" if above else ">="
        raise ValueError(f"{name} is {value!r}; expected a number {sign} {low:g}{limit}.")


def check_whole(
    name: str, value: Any, low: int, high: int | None = None, *, optional: bool = False
) -> None:
    """Refuse a parameter that is no whole number within a range; if `optional`, nor None.

    >>> check_whole("n_rounds", 2.5, 1)
    Traceback (most recent call last):
    ValueError: n_rounds is 2.5; expected a whole number >= 1.
    """
    if optional and value is None:
        return
    whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    if not whole or value < low or (high is not None and value > high):
        limit = "" if high is None else f" and <= {high}"
        kind = "None or a whole number" if optional else "a whole number"
        raise ValueError(f"{name} is {value!r}; expected {kind} >= {low}{limit}.")


def check_share(name: str, value: Any) -> None:
    """Refuse what is no number strictly between 0 and 1."""
    if not (is_number(value) and 0 < value < 1):
        raise ValueError(f"{name} is {value!r}; expected a number between 0 and 1.")


def check_labels(y: NDArray[Any]) -> None:
    """Raise ValueError if some labels are missing, or if some are text and others are not.

    >>> check_labels(np.array(["a", "b"], dtype=object))
    >>> check_labels(np.array(["a", None], dtype=object))
    Traceback (most recent call last):
        ...
    ValueError: y is missing in 1 of 2 rows; leave these rows out.
    """
    missing = np.isnan(y).sum() if y.dtype.kind == "f" else 0
    if y.dtype.kind == "O" and y.ndim:
        missing = sum(map(is_missing, y.flat))
    if missing:
        raise ValueError(f"y is missing in {missing} of {len(y)} rows; leave these rows out.")
    objects = list(y.flat) if y.dtype.kind == "O" else []
    text = [label for label in objects if isinstance(label, str)]
    others = [label for label in objects if not isinstance(label, str | bytes)]
    if text and others:
        raise ValueError(
            f"Unknown label type: y holds text ({text[0]!r}) and other labels ({others[0]!r}); "
            "expected labels of one type. Turn all of them into text, or all into numbers."
        )


def check_several(classes: NDArray[Any]) -> None:
    """Refuse classes that cannot be told apart, of rows that count."""
    if len(classes) < 2:
        raise ValueError(
            f"y holds one class only, {classes.tolist()}, among the rows with a positive "
            "weight; expected two classes or more."
        )
