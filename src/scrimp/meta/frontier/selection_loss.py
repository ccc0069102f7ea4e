"""Losses by which a frontier selects: one value per row, or per group of rows.

Efron, Tibshirani. An Introduction to the Bootstrap. 1993, ch. 11: the jackknife.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...data.positive_class import check_positive, counting_scorer
from ...data.target import Target
from ...runtime.stored_answers import stored_answers
from ...types import Floats, Ints
from .training_target import TrainingTarget

#: Groups of rows that are left out in turn, per fold: more tell the standard error better, and
#: call the scorer as often.
N_GROUPS = 10
#: The smallest probability whose logarithm counts as it is.
MIN_PROBABILITY = 1e-6

#: Returns losses (budgets, units) of predictions (budgets, rows, outputs) for rows by number.
SelectionLoss = Callable[[TrainingTarget, Floats, Ints], Floats]


def selection_loss(scoring: Any, target: Target, positive: Any = None) -> SelectionLoss:
    """Return the loss of a scorer's name or callable; by default the Brier or squared error.

    Parameters
    ----------
    scoring : str, callable or None
        The name of a scorer, or a callable ``scorer(estimator, X, y)``, to which X are the
        numbers of the rows.
    target : Target
        The classes with the costs of errors, or a regression.
    positive : label, optional
        The class that a scorer such as f1 counts; by default 1, or else the last of two classes.
    """
    by_row = _NUMBER_LOSSES if target.is_number else _CLASS_LOSSES
    named = scoring is None or (isinstance(scoring, str) and scoring in by_row)
    if named and positive is not None:
        check_positive(None, target, positive)
    if scoring is None:
        return default_loss
    if named:
        _check_costs(scoring, target)
        return _RowLoss(by_row[scoring], target)
    return _JackknifedLoss(counting_scorer(_scorer(scoring), target, positive), target)


def default_loss(rows: TrainingTarget, predictions: Floats, _: Ints) -> Floats:
    """Return half the Brier scores, or the squared errors, with weights."""
    return rows.row_brier_scores(predictions) * rows.weights


@dataclass(frozen=True)
class _RowLoss:
    """A weighted loss per row."""

    loss: Callable[[Target, TrainingTarget, Floats], Floats]
    target: Target

    def __call__(self, rows: TrainingTarget, predictions: Floats, _: Ints) -> Floats:
        return self.loss(self.target, rows, rows.tempered(predictions)) * rows.weights


@dataclass(frozen=True)
class _JackknifedLoss:
    """The loss of a scorer that has no value per row, as pseudo-values of groups of rows.

    Their mean is the score but for a bias of second order, and their standard error is that of
    the delete-a-group jackknife.
    """

    scorer: Callable[..., Any]
    target: Target

    def __call__(self, rows: TrainingTarget, predictions: Floats, numbers: Ints) -> Floats:
        tempered = rows.tempered(predictions)
        return np.stack([self._pseudo_values(rows, answers, numbers) for answers in tempered])

    def _pseudo_values(self, rows: TrainingTarget, answers: Floats, numbers: Ints) -> Floats:
        scores = np.full((numbers.max() + 1, answers.shape[1]), np.nan)
        scores[numbers] = answers
        estimator, n = stored_answers(self.target, scores), len(numbers)
        y = self.target.classes[rows.y.astype(np.intp)] if rows.n_classes else rows.y
        equal = bool((rows.weights == rows.weights[0]).all())

        def score(kept: Ints) -> float:
            options = {} if equal else {"sample_weight": rows.weights[kept]}
            return self._score(estimator, numbers[kept], y[kept], options)

        n_groups = max(min(N_GROUPS, n // 2), 1)
        group = np.empty(n, dtype=np.intp)
        group[np.argsort(rows.y, kind="stable")] = np.arange(n) % n_groups  # classes evenly
        whole = score(np.arange(n))
        if n_groups < 2:
            return np.array([-whole])
        others = np.array([score(np.flatnonzero(group != g)) for g in range(n_groups)])
        return -(n_groups * whole - (n_groups - 1) * others)

    def _score(self, estimator: Any, rows: Ints, y: Any, options: dict[str, Any]) -> float:
        try:
            value = float(self.scorer(estimator, rows, y, **options))
        except Exception as problem:
            raise ValueError(f"scoring failed on a fold: {problem}") from problem
        if not np.isfinite(value):
            raise ValueError(
                f"scoring is {value} on a fold of {len(y)} rows. Give fewer folds, so that each "
                "has rows of every class, or choose another scorer."
            )
        return value


def _mistakes(target: Target, rows: TrainingTarget, probabilities: Floats) -> Floats:
    return np.asarray(target.decided(probabilities) != rows.y, dtype=np.float64)


def _log_losses(_: Target, rows: TrainingTarget, probabilities: Floats) -> Floats:
    of_class = probabilities[:, np.arange(len(rows.y)), rows.y.astype(np.intp)]
    return np.asarray(-np.log(np.maximum(of_class, MIN_PROBABILITY)))


def _brier_scores(_: Target, rows: TrainingTarget, probabilities: Floats) -> Floats:
    return np.asarray(((probabilities - rows.encoded) ** 2).sum(axis=-1) / 2)


def _error_costs(target: Target, rows: TrainingTarget, probabilities: Floats) -> Floats:
    assert target.error_costs is not None
    return np.asarray(target.error_costs[rows.y.astype(np.intp), target.decided(probabilities)])


def _squared(_: Target, rows: TrainingTarget, predictions: Floats) -> Floats:
    return np.asarray((predictions[..., 0] - rows.y) ** 2)


def _absolute(_: Target, rows: TrainingTarget, predictions: Floats) -> Floats:
    return np.asarray(np.abs(predictions[..., 0] - rows.y))


#: Losses that are means over rows, by the name of their scorer.
_CLASS_LOSSES = {
    "accuracy": _mistakes,
    "neg_log_loss": _log_losses,
    "neg_brier_score": _brier_scores,
    "neg_error_cost": _error_costs,
}
#: The same for numbers; r2 ranks as the squared error does.
_NUMBER_LOSSES = {
    "r2": _squared,
    "neg_mean_squared_error": _squared,
    "neg_mean_absolute_error": _absolute,
}


def _check_costs(scoring: str, target: Target) -> None:
    if scoring == "neg_error_cost" and target.error_costs is None:
        raise ValueError("scoring is 'neg_error_cost', but there is no error_cost. Give one.")


def _scorer(scoring: Any) -> Callable[..., Any]:
    """Return the scorer of a name or callable."""
    from sklearn.metrics import get_scorer, get_scorer_names

    if isinstance(scoring, str) and scoring not in get_scorer_names():
        raise ValueError(
            f"scoring is {scoring!r}; expected the name of a scorer of scikit-learn, such as "
            "'accuracy', 'neg_log_loss', 'roc_auc' or 'r2', 'neg_error_cost', or a callable "
            "scorer(estimator, X, y)."
        )
    if not isinstance(scoring, str) and not callable(scoring):
        raise TypeError(
            f"scoring is a {type(scoring).__name__}; expected the name of a scorer or a callable "
            "scorer(estimator, X, y)."
        )
    if inspect.isfunction(scoring) and scoring.__module__.startswith("sklearn.metrics."):
        raise ValueError(
            f"scoring is the metric {scoring.__name__}, which knows no estimator. "
            "Use a scorer's name, or sklearn.metrics.make_scorer."
        )
    scorer: Callable[..., Any] = get_scorer(scoring)
    return scorer
