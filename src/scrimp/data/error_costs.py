"""The costs of errors: what it costs to predict one class where another one is true.

Elkan. The Foundations of Cost-Sensitive Learning. IJCAI 2001.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..types import Flags, Floats

#: Between the true class and the predicted one, in text.
ARROW = "->"
#: Expected costs that differ by less than this part of them may be equal but for rounding.
ROUNDING = 1e-9


def cost_matrix(error_cost: Any, classes: NDArray[Any]) -> Floats:
    """Return the costs (true classes, predicted classes) of all errors.

    Parameters
    ----------
    error_cost : mapping, array (classes, classes) or float
        A mapping has costs of errors, by pairs ``(true, predicted)`` or texts
        ``"true->predicted"``, and costs of missing a class in any way, by the class. An error
        by itself goes before its class. An array has a row per true class and a column per
        predicted class, in the order of `classes`. A number is the cost of every error.
    classes : array (classes,)
        Class labels, sorted.

    Examples
    --------
    >>> cost_matrix({"sick->well": 1000, "well->sick": 200}, np.array(["sick", "well"])).tolist()
    [[0.0, 1000.0], [200.0, 0.0]]
    """
    if isinstance(error_cost, Mapping):
        matrix = _from_mapping(error_cost, classes)
    elif isinstance(error_cost, Real):
        matrix = _cost("every error", error_cost) * (1.0 - np.eye(len(classes)))
    else:
        matrix = _from_array(error_cost, classes)
    if not matrix.any():
        raise ValueError("error_cost is 0 for every error; expected a cost > 0, or None.")
    return matrix


def check_costs(matrix: Floats, n_classes: int) -> None:
    """Refuse a matrix that does not hold the costs of errors between so many classes."""
    if matrix.shape != (n_classes, n_classes):
        raise ValueError(
            f"error_cost has the shape {matrix.shape}; expected {(n_classes, n_classes)}: a row "
            "per true class and a column per predicted class. Costs of single rows go into "
            "sample_weight."
        )
    if not (np.isfinite(matrix).all() and (matrix >= 0).all()):
        bad = matrix[~(np.isfinite(matrix) & (matrix >= 0))].flat[0]
        raise ValueError(f"error_cost holds {bad}; expected finite numbers >= 0.")
    if matrix.diagonal().any():
        raise ValueError(
            "error_cost has costs on its diagonal; expected 0 for right answers. "
            "Subtract the cost of the right answer from the others of its row."
        )


def parse_error_cost(text: str) -> float | dict[str, float]:
    """Return the costs of a text such as ``sick->well=1000,well->sick=200``, or one number.

    Examples
    --------
    >>> parse_error_cost("sick->well=1000, well=200")
    {'sick->well': 1000.0, 'well': 200.0}
    """
    try:
        return _cost("every error", float(text))
    except ValueError:
        if "=" not in text and _is_number(text):
            raise
    costs: dict[str, float] = {}
    for part in text.split(","):
        error, equals, cost = (word.strip() for word in part.rpartition("="))
        if not equals or not error or not _is_number(cost):
            raise ValueError(
                f"{part.strip()!r} is no cost of an error; expected a number for all errors, or "
                f"costs with commas between them, such as sick{ARROW}well=1000,well{ARROW}sick=200."
            )
        if error in costs:
            raise ValueError(f"{error!r} has two costs; expected one.")
        costs[error] = _cost(repr(error), float(cost))
    return costs


def error_names(matrix: Floats, classes: NDArray[Any]) -> dict[str, float]:
    """Return the costs of all errors by their texts, ``"true->predicted"``."""
    return {
        f"{true}{ARROW}{predicted}": float(matrix[i, j])
        for i, true in enumerate(classes.tolist())
        for j, predicted in enumerate(classes.tolist())
        if i != j
    }


def certain_decision(lower: Floats, upper: Floats, costs: Floats) -> Flags:
    """Return which rows have one decision of least cost for all weights between two bounds.

    The expected cost of predicting j less that of k is linear in the weights of the classes,
    so that its maximum over the box of weights is at a corner.

    Parameters
    ----------
    lower, upper : float arrays (rows, classes)
        Bounds of what is proportional to the probabilities, >= 0.
    costs : float array (classes, classes)
        Costs of errors.
    """
    slack = ROUNDING * (upper @ costs.max(axis=1))
    best = (upper @ costs).argmin(axis=1)
    certain = np.zeros(len(upper), dtype=bool)
    for decision in np.unique(best):
        rows = best == decision
        excess = costs[:, [decision]] - costs
        worst = upper[rows] @ np.maximum(excess, 0.0) + lower[rows] @ np.minimum(excess, 0.0)
        worst[:, decision] = -np.inf
        certain[rows] = worst.max(axis=1) < -slack[rows]
    return certain


def _from_array(error_cost: Any, classes: NDArray[Any]) -> Floats:
    try:
        matrix = np.array(error_cost, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(
            f"error_cost is {error_cost!r}; expected a mapping, a matrix of numbers or a number."
        ) from None
    check_costs(matrix, len(classes))
    return matrix


def _from_mapping(error_cost: Mapping[Any, Any], classes: NDArray[Any]) -> Floats:
    """Return the matrix; costs of errors go before those of missing their class."""
    places: dict[Hashable, int] = {str(label): k for k, label in enumerate(classes.tolist())}
    places |= {label: k for k, label in enumerate(classes.tolist())}
    costs: dict[tuple[int, int | None], float] = {}
    for key, cost in error_cost.items():
        error = _error(key, places, classes)
        if error in costs:
            raise ValueError(f"error_cost has two costs for {_shown(key)}; expected one.")
        costs[error] = _cost(repr(key), cost)
    matrix = np.full((len(classes),) * 2, np.nan)
    by_class_first = sorted(costs, key=lambda error: error[1] is not None)
    for true, predicted in by_class_first:
        columns = slice(None) if predicted is None else predicted
        matrix[true, columns] = costs[true, predicted]
    np.fill_diagonal(matrix, 0.0)
    _refuse_gaps(matrix, classes)
    return matrix


def _error(
    key: Any, places: Mapping[Hashable, int], classes: NDArray[Any]
) -> tuple[int, int | None]:
    """Return the true and the predicted class of an error, or a class and None."""
    if isinstance(key, tuple):
        parts = key
    elif key in places:
        return places[key], None
    else:
        parts = tuple(part.strip() for part in str(key).split(ARROW))
    known = ", ".join(map(str, classes.tolist()))
    if len(parts) != 2:
        example = f"{classes[0]}{ARROW}{classes[-1]}"
        raise ValueError(
            f"error_cost names {_shown(key)}; expected an error such as {example!r}, or a class: "
            f"{known}."
        )
    for part in parts:
        if part not in places:
            raise ValueError(
                f"error_cost names the class {part!r}, which there is not; expected one of {known}."
            )
    true, predicted = (places[part] for part in parts)
    if true == predicted:
        raise ValueError(
            f"error_cost has a cost for {_shown(key)}, the same class twice; a right answer costs "
            "nothing."
        )
    return true, predicted


def _refuse_gaps(matrix: Floats, classes: NDArray[Any]) -> None:
    """Refuse a matrix that lacks the cost of an error."""
    gaps = [name for name, cost in error_names(matrix, classes).items() if math.isnan(cost)]
    if gaps:
        more = f" and {len(gaps) - 3} more" if len(gaps) > 3 else ""
        raise ValueError(
            f"error_cost lacks the cost of {', '.join(gaps[:3])}{more}. Give a cost for every "
            "error, or for every class that may be missed."
        )


def _cost(what: str, cost: Any) -> float:
    number = isinstance(cost, Real) and not isinstance(cost, bool)
    if not number or not (math.isfinite(cost) and cost >= 0):
        raise ValueError(f"error_cost of {what} is {cost}; expected a finite number >= 0.")
    return float(cost)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _shown(key: Any) -> str:
    return ARROW.join(map(str, key)) if isinstance(key, tuple) else repr(key)
