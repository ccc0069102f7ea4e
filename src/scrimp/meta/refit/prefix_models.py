"""An estimator fitted on many sets of columns: in parallel, one failure sparing the others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from inspect import Parameter, signature
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone, is_classifier
from sklearn.pipeline import Pipeline
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import check_memory

from ...data.encoding import Encoding
from ...data.training_rows import TrainingRows
from ...runtime.time_limit import current_limit
from ...types import Floats

#: Rows that a fitted estimator is asked about, to see whether it answers at all.
_TRIAL_ROWS = 10
#: An estimator that can answer has one of these methods.
_METHODS = ("predict", "predict_proba", "decision_function")


@dataclass(frozen=True, eq=False)
class Outcome:
    """A fitted estimator, or why there is none."""

    number: int
    estimator: Any
    error: str = ""


def fit_each(
    estimator: Any,
    rows: TrainingRows,
    encodings: Sequence[Encoding],
    n_jobs: int | None,
    memory: Any,
) -> Iterator[Outcome]:
    """Fit a clone on each set of columns; outcomes come as they are done.

    No fit is begun when the time is over.
    """
    options = weights_for(estimator, rows.weights)
    fit = check_memory(memory).cache(_fit)
    limit = current_limit()  # jobs are made in other threads too
    jobs = (
        delayed(_attempt)(
            fit, number, _with_categories(clone(estimator), encoding),
            encoding.table(rows.table), rows.y, options,
        )
        for number, encoding in enumerate(encodings)
        if not limit.is_over()
    )  # fmt: skip
    yield from Parallel(n_jobs=n_jobs, return_as="generator_unordered")(jobs)


def fit_one(estimator: Any, rows: TrainingRows, encoding: Encoding) -> Outcome:
    """Fit a clone on one set of columns, whatever time is left."""
    options = weights_for(estimator, rows.weights)
    unfitted = _with_categories(clone(estimator), encoding)
    return _attempt(_fit, 0, unfitted, encoding.table(rows.table), rows.y, options)


def _with_categories(estimator: Any, encoding: Encoding) -> Any:
    """Return the estimator, once it knows which of its columns hold categories."""
    if encoding.native.any():
        estimator.set_params(categorical_features=np.flatnonzero(encoding.native).tolist())
    return estimator


def _fit(estimator: Any, table: Floats, y: NDArray[Any], options: dict[str, Any]) -> Any:
    return estimator.fit(table, y, **options)


def _attempt(
    fit: Any, number: int, estimator: Any, table: Floats, y: NDArray[Any], options: dict[str, Any]
) -> Outcome:
    try:
        fitted = fit(estimator, table, y, options)
        check_answers(fitted, table[:_TRIAL_ROWS], np.unique(y))
        return Outcome(number, fitted)
    except Exception as error:  # whatever an estimator of somebody's says
        return Outcome(number, None, f"{type(error).__name__}: {error}")


def weights_for(estimator: Any, weights: Floats | None) -> dict[str, Any]:
    """Return the keyword arguments of an estimator's fit for weights of rows."""
    if weights is None:
        return {}
    prefix, last = _last_step(estimator)
    if _takes_weights(last):
        return {f"{prefix}sample_weight": weights}
    raise ValueError(
        f"The {type(last).__name__} takes no sample_weight. Leave the weights out, or use "
        "an estimator that takes them."
    )


def without_needless_weights(rows: TrainingRows, estimator: Any) -> TrainingRows:
    """Return the rows without equal weights, if the estimator takes no weights."""
    weights = rows.weights
    if weights is None or _takes_weights(_last_step(estimator)[1]):
        return rows
    return replace(rows, weights=None) if (weights == weights[0]).all() else rows


def _last_step(estimator: Any) -> tuple[str, Any]:
    """Return the prefix of parameters of a pipeline's last step, and that step."""
    prefix = ""
    while isinstance(estimator, Pipeline):
        name, estimator = estimator.steps[-1]
        prefix += f"{name}__"
    return prefix, estimator


def _takes_weights(estimator: Any) -> bool:
    takes = signature(estimator.fit).parameters
    return "sample_weight" in takes or any(
        parameter.kind is Parameter.VAR_KEYWORD for parameter in takes.values()
    )


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
    elif not np.isin(labels := np.asarray(estimator.predict(table)), classes).all():
        strange = labels[~np.isin(labels, classes)].tolist()[0]
        raise ValueError(f"predict gives {strange!r}, which is no class of y.")


def _named(value: Any) -> str:
    return "None" if value is None else f"a {type(value).__name__}"


def _check_classes(estimator: Any, classes: NDArray[Any]) -> None:
    if not hasattr(estimator, "classes_"):
        raise TypeError("there is no classes_ after fit; expected the sorted classes of y.")
    if not np.array_equal(estimator.classes_, classes):
        learnt, expected = np.asarray(estimator.classes_).tolist(), classes.tolist()
        raise ValueError(f"classes_ is {learnt}; expected the sorted classes of y, {expected}.")


def _check_numbers(method: str, given: Any, *shapes: tuple[int, ...]) -> None:
    answers = np.asarray(given, dtype=np.float64)
    if answers.shape not in shapes:
        raise ValueError(f"{method} gives an array of shape {answers.shape}; expected {shapes[0]}.")
    if not np.isfinite(answers).all():
        strange = answers[~np.isfinite(answers)][0]
        raise ValueError(f"{method} gives {strange} for rows of the training; expected numbers.")
