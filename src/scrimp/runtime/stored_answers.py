"""Estimators that return stored answers, so that scikit-learn's scorers can judge these."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin

from ..data.target import Target
from ..types import Floats, Ints


class StoredAnswers(BaseEstimator):
    """An estimator that returns stored answers; its X holds row numbers."""

    def __init__(self, target: Target, scores: Floats) -> None:
        self.target = target
        self.scores = scores

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def predict(self, rows: Ints) -> NDArray[Any]:
        """Labels or values of rows."""
        return self.target.labels(self.scores[rows])


class _Values(RegressorMixin, StoredAnswers):
    """Answers of a regression."""


class _Classes(ClassifierMixin, StoredAnswers):
    """Answers of a classification."""

    @property
    def classes_(self) -> NDArray[Any]:
        """Class labels."""
        return self.target.classes

    def predict_proba(self, rows: Ints) -> Floats:
        """Class probabilities of rows."""
        return self.target.probabilities(self.scores[rows])

    def decision_function(self, rows: Ints) -> Floats:
        """Scores of rows."""
        return self.target.decisions(self.scores[rows])


def stored_answers(target: Target, scores: Floats) -> StoredAnswers:
    """Return scores (rows, outputs) as a classifier or regressor, as the target is."""
    return (_Values if target.is_number else _Classes)(target, scores)
