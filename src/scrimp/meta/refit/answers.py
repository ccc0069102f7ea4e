"""Whether a fitted estimator answers as a model must."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_classifier

from ...types import Floats

#: What can answer has one of these.
_METHODS = ("predict", "predict_proba", "decision_function")


def check_answers(estimator: Any, table: Floats, classes: NDArray[Any]) -> None:
    """Refuse an estimator whose fit, or whose answers for some rows, cannot be used.

    Parameters
    ----------
    estimator : object
        What its `fit` returned.
    table : float array (rows, columns)
        Rows that it was fitted on.
    classes : array
        The different targets, sorted.
    """
    if not any(hasattr(estimator, method) for method in _METHODS):
        raise TypeError(
            f"fit returned {_named(estimator)}; expected the fitted estimator: "
            "let fit end with `return self`."
        )
    if not is_classifier(estimator):
        _check_numbers("predict", estimator.predict(table), (len(table),), (len(table), 1))
        return
    _check_classes(estimator, classes)
    if hasattr(estimator, "predict_proba"):
        shape = (len(table), len(classes))
        _check_numbers("predict_proba", estimator.predict_proba(table), shape)
    elif len(classes) == 2 and hasattr(estimator, "decision_function"):
        _check_numbers("decision_function", estimator.decision_function(table), (len(table),))
    elif not np.isin(said := np.asarray(estimator.predict(table)), classes).all():
        strange = said[~np.isin(said, classes)].tolist()[0]
        raise ValueError(f"predict gives {strange!r}, which is no class of y.")


def _named(value: Any) -> str:
    return "None" if value is None else f"a {type(value).__name__}"


def _check_classes(estimator: Any, classes: NDArray[Any]) -> None:
    if not hasattr(estimator, "classes_"):
        raise TypeError("there is no classes_ after fit; expected the sorted classes of y.")
    if not np.array_equal(estimator.classes_, classes):
        own, expected = np.asarray(estimator.classes_).tolist(), classes.tolist()
        raise ValueError(f"classes_ is {own}; expected the sorted classes of y, {expected}.")


def _check_numbers(method: str, given: Any, *shapes: tuple[int, ...]) -> None:
    said = np.asarray(given, dtype=np.float64)
    if said.shape not in shapes:
        raise ValueError(f"{method} gives an array of shape {said.shape}; expected {shapes[0]}.")
    if not np.isfinite(said).all():
        strange = said[~np.isfinite(said)][0]
        raise ValueError(f"{method} gives {strange} for rows of the training; expected numbers.")
