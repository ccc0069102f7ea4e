"""Fitting an estimator on many sets of columns: in parallel, one failure sparing the others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from inspect import Parameter, signature
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.pipeline import Pipeline
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import check_memory

from ...data.encoding import Encoding
from ...types import Floats
from .answers import check_answers

#: So many rows a fitted estimator is asked about at once, to see whether it answers at all.
_FEW = 10


@dataclass(frozen=True, eq=False)
class Rows:
    """What is fitted on: numbers, targets, and weights if they are not all 1."""

    table: NDArray[Any]
    y: NDArray[Any]
    weights: Floats | None


@dataclass(frozen=True, eq=False)
class Outcome:
    """A fitted estimator, or why there is none."""

    number: int
    estimator: Any
    error: str = ""


def fit_each(
    estimator: Any, rows: Rows, encodings: Sequence[Encoding], n_jobs: int | None, memory: Any
) -> Iterator[Outcome]:
    """Fit a clone on each set of columns; outcomes come as they are done."""
    options = weights_for(estimator, rows.weights)
    fit = check_memory(memory).cache(_fit)
    everything = np.arange(len(rows.table))
    jobs = (
        delayed(_attempt)(
            fit, number, own.tell(clone(estimator)),
            own.preparation.table(rows.table, everything), rows.y, options,
        )
        for number, own in enumerate(encodings)
    )  # fmt: skip
    yield from Parallel(n_jobs=n_jobs, return_as="generator_unordered")(jobs)


def _fit(estimator: Any, table: Floats, y: NDArray[Any], options: dict[str, Any]) -> Any:
    return estimator.fit(table, y, **options)


def _attempt(
    fit: Any, number: int, estimator: Any, table: Floats, y: NDArray[Any], options: dict[str, Any]
) -> Outcome:
    try:
        fitted = fit(estimator, table, y, options)
        check_answers(fitted, table[:_FEW], np.unique(y))
        return Outcome(number, fitted)
    except Exception as error:  # whatever an estimator of somebody's says
        return Outcome(number, None, f"{type(error).__name__}: {error}")


def weights_for(estimator: Any, weights: Floats | None) -> dict[str, Any]:
    """Weights of rows as an estimator's fit takes them."""
    if weights is None:
        return {}
    prefix, last = _last_step(estimator)
    if _takes_weights(last):
        return {f"{prefix}sample_weight": weights}
    raise ValueError(
        f"The {type(last).__name__} takes no sample_weight. Leave the weights out, or use "
        "an estimator that takes them."
    )


def without_needless_weights(rows: Rows, estimator: Any) -> Rows:
    """The rows without weights that are all equal, if the estimator takes none."""
    weights = rows.weights
    if weights is None or _takes_weights(_last_step(estimator)[1]):
        return rows
    return replace(rows, weights=None) if (weights == weights[0]).all() else rows


def _last_step(estimator: Any) -> tuple[str, Any]:
    """What a pipeline ends with, and how its parameters are named; else the estimator."""
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


def seeded(estimator: Any, seed: int) -> Any:
    """A clone whose random_state, and that of its parts, is set where it is None."""
    copy = clone(estimator)
    params = copy.get_params(deep=True)
    names = [n for n in params if n == "random_state" or n.endswith("__random_state")]
    return copy.set_params(**{name: seed for name in names if params[name] is None})
