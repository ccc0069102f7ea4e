"""The value of a scorer on the answers of a sweep, at all its budgets at once."""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..data.error_costs import cost_matrix
from ..data.positive_class import check_positive, counting_scorer
from ..data.target import Target
from ..data.validation import check_labels, is_missing
from ..runtime.stored_answers import StoredAnswers, stored_answers
from ..types import Floats, Ints
from .calibration import CALIBRATION, make_calibration_scorer
from .error_cost import ERROR_COST, error_cost_scorer, row_costs
from .weighted_metrics import Measure, weighted_mean, weighted_metric

Scoring = str | Callable[..., Any]


@dataclass(frozen=True)
class Scorer:
    """A scorer by its name or made by hand.

    Parameters
    ----------
    call : callable
        Takes an estimator, X and y.
    name : str
        For tables and axes.
    best : float
        The best possible value: 0 for scorers of a loss, else 1.
    known : bool
        Whether the name is one of scikit-learn's.
    error_costs : float array (classes, classes), optional
        What errors cost, if these costs are the measure.
    """

    call: Callable[..., Any]
    name: str
    best: float
    known: bool
    error_costs: Floats | None = None


def find_scorer(
    scoring: Scoring | None, target: Target, error_cost: Any = None, positive: Any = None
) -> Scorer:
    """Return the scorer of a name or callable; by default that of scikit-learn's `score`.

    Parameters
    ----------
    scoring : str or callable, optional
        The name of a scikit-learn scorer, or a callable.
    target : Target
        What is predicted.
    error_cost : mapping, array (classes, classes) or float, optional
        Costs of errors: the scorer is then minus their mean.
    positive : label, optional
        The class that a scorer such as f1 counts; by default 1, or else the last of two classes.
    """
    from sklearn.metrics import get_scorer

    if error_cost is not None or (isinstance(scoring, str) and scoring == ERROR_COST):
        return _error_cost_scorer(scoring, target, error_cost)
    if scoring is None:
        scoring = "r2" if target.is_number else "accuracy"
    if not isinstance(scoring, str) and not callable(scoring):
        raise TypeError(
            f"scoring is a {type(scoring).__name__}; expected the name of one scorer or a "
            "callable scorer(estimator, X, y). Make one Curve for each scorer."
        )
    if scoring == CALIBRATION:
        if positive is not None:
            check_positive(None, target, positive)
        return Scorer(make_calibration_scorer(), CALIBRATION, 0.0, True)
    if isinstance(scoring, str):
        _check_name(scoring)
    elif inspect.isfunction(scoring) and scoring.__module__.startswith("sklearn.metrics."):
        raise ValueError(
            f"scoring is the metric {scoring.__name__}, which knows no estimator. "
            "Use a scorer's name, or sklearn.metrics.make_scorer."
        )
    _check_kind(get_scorer(scoring), target)
    call = counting_scorer(get_scorer(scoring), target, positive)
    best = 0.0 if getattr(call, "_sign", 1) < 0 else 1.0
    return Scorer(call, _name(scoring, best), best, isinstance(scoring, str))


def _check_kind(call: Any, target: Target) -> None:
    """Refuse a scorer of numbers for classes, which may be numbers, and the other way round."""
    metric = getattr(call, "_score_func", None)
    module = getattr(metric, "__module__", "")
    name = getattr(metric, "__name__", "")
    if name == "roc_auc_score" and target.kind == "multiclass" and not call._kwargs:
        raise ValueError(
            f"scoring is roc_auc, which is for two classes, and here are {len(target.classes)}. "
            "Choose roc_auc_ovr, roc_auc_ovo or neg_log_loss."
        )
    what, other = ("numbers", "classes") if target.is_number else ("classes", "numbers")
    unsuited = "_classification" if target.is_number else "_regression"
    if module == f"sklearn.metrics.{unsuited}":
        instead = "r2 or neg_mean_absolute_error" if target.is_number else "accuracy or roc_auc"
        raise ValueError(
            f"scoring is {name}, which is for {other}, and here {what} are predicted. "
            f"Choose a scorer for {what}, such as {instead}."
        )


def _error_cost_scorer(scoring: Scoring | None, target: Target, error_cost: Any) -> Scorer:
    """Return the scorer of costs that are given, else of those that the model has."""
    if scoring not in (None, ERROR_COST):
        raise ValueError(
            f"scoring is {scoring!r} and error_cost is given, which is a score of its own. "
            "Leave one of the two out."
        )
    if target.is_number:
        raise ValueError("error_cost is the cost of a wrong class; here numbers are predicted.")
    costs = target.error_costs
    if error_cost is not None:
        costs = cost_matrix(error_cost, target.classes)
    if costs is None:
        raise ValueError(
            f"scoring is {ERROR_COST!r}, but the model has no error_cost. Give error_cost here."
        )
    return Scorer(error_cost_scorer(costs), ERROR_COST, 0.0, True, costs)


def _check_name(scoring: str) -> None:
    from sklearn.metrics import get_scorer_names

    names = [*get_scorer_names(), CALIBRATION, ERROR_COST]
    if scoring not in names:
        close = difflib.get_close_matches(scoring, names, 3) or ["accuracy", "roc_auc", "r2"]
        raise ValueError(
            f"scoring is {scoring!r}, which scikit-learn does not know. Did you mean "
            f"{' or '.join(map(repr, close))}? sklearn.metrics.get_scorer_names() lists all; a "
            "callable scorer(estimator, X, y) will do as well."
        )


def _name(scoring: Scoring, best: float) -> str:
    if isinstance(scoring, str):
        return scoring
    metric = getattr(scoring, "_score_func", scoring)
    name = getattr(metric, "__name__", type(metric).__name__)
    return f"neg_{name}" if best == 0.0 else str(name)


def measure_of(
    scorer: Scorer, target: Target, scores: Floats, y: NDArray[Any], weight: Floats | None,
    numbers: Ints | None = None,
) -> Measure:  # fmt: skip
    """Return the measure of answers (rows x answers x outputs), from sums where possible.

    A scorer made by hand knows the rows by their `numbers`; by default 0, 1 and so on.
    """
    if scorer.error_costs is not None:
        costs = row_costs(y, target.labels(scores), target.classes, scorer.error_costs)
        return weighted_mean(-costs, np.ones(len(y)) if weight is None else weight)
    metric = weighted_metric(scorer.name, target, scores, y, weight) if scorer.known else None
    if metric is not None:
        return metric
    return _by_scorer(scorer, target, scores, y, weight, numbers)


def on_all_rows(measure: Measure, scorer: Scorer, n_rows: int) -> Floats:
    """Return the measure on all rows; raise a ValueError where it is undefined."""
    quality = measure(np.arange(n_rows), strict=True)
    if not np.isfinite(quality).all():
        raise ValueError(
            f"The scorer {scorer.name!r} is undefined on these {n_rows} rows. "
            "Give more rows, of every class, or choose another scorer."
        )
    return quality


def _by_scorer(
    scorer: Scorer, target: Target, scores: Floats, y: NDArray[Any], weight: Floats | None,
    numbers: Ints | None,
) -> Measure:  # fmt: skip
    if numbers is None:
        numbers = np.arange(len(y))
    elif len(numbers) <= numbers.max(initial=-1):
        given, scores = scores, np.full((numbers.max() + 1, *scores.shape[1:]), np.nan)
        scores[numbers] = given
    answers = [stored_answers(target, scores[:, a]) for a in range(scores.shape[1])]
    several = not target.is_number and len(set(y.tolist())) > 1

    def value(answer: StoredAnswers, rows: Ints, strict: bool) -> float:
        options = {} if weight is None else {"sample_weight": weight[rows]}
        try:
            return float(scorer.call(answer, numbers[rows], y[rows], **options))
        except Exception as problem:
            if strict:
                raise ValueError(_failure(scorer, target, problem, weight)) from problem
            return float("nan")

    def measure(rows: Ints, *, strict: bool = False) -> Floats:
        if several and (y[rows] == y[rows[0]]).all():
            return np.full(len(answers), np.nan)
        return np.array([value(answer, rows, strict) for answer in answers])

    return measure


def _failure(scorer: Scorer, target: Target, problem: Exception, weight: Floats | None) -> str:
    advice = f"Choose a scorer for a {target.kind} target"
    if weight is not None:
        advice += ", one that takes sample_weight"
    reason = str(problem).rstrip(".")
    return f"The scorer {scorer.name!r} failed: {reason}. {advice}."


def check_y(y: Any, target: Target, n_rows: int) -> NDArray[Any]:
    """Return y as an array that is comparable with the answers for a target."""
    values = np.asarray(y)
    if values.shape != (n_rows,):
        raise ValueError(
            f"y has the shape {values.shape} but the sweep has {n_rows} rows; "
            "expected one value per row."
        )
    if n_rows == 0:
        raise ValueError("The sweep has no rows; expected at least one.")
    if target.is_number:
        values = values.astype(np.float64)
    if _has_unknown(values):
        raise ValueError("y holds NaN, None or infinity. Leave out rows whose truth is not known.")
    if not target.is_number:
        check_labels(values)
    classes = target.classes.tolist()
    if classes and set(values.tolist()).isdisjoint(classes):
        raise ValueError(
            f"y holds none of the model's classes {classes}, but {values.tolist()[0]!r}. "
            "Give labels as in fit."
        )
    return values


def _has_unknown(values: NDArray[Any]) -> bool:
    if values.dtype.kind == "f":
        return not np.isfinite(values).all()
    return values.dtype.kind == "O" and any(map(is_missing, values.flat))


def check_weight(sample_weight: Any, n_rows: int) -> Floats | None:
    """Return the weights of the rows as an array, or None."""
    if sample_weight is None:
        return None
    weight = np.asarray(sample_weight, dtype=np.float64)
    if weight.shape != (n_rows,) or not (np.isfinite(weight).all() and (weight >= 0).all()):
        raise ValueError(f"sample_weight must hold {n_rows} finite numbers >= 0, one per row.")
    if not weight.any():
        raise ValueError("sample_weight is 0 for all rows; expected some weight.")
    return weight
