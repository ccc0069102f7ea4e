"""A model at one budget, with scikit-learn's plain methods."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, clone, is_classifier
from sklearn.exceptions import NotFittedError
from sklearn.metrics import accuracy_score, r2_score
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted

from ..data.validation import check_budget
from ..runtime.predictor import Predictor
from ..types import Floats
from .base import BudgetedClassifier, BudgetedRegressor


class AtBudget(BaseEstimator):
    """A fitted model at one budget, with scikit-learn's plain methods. See `at_budget`."""

    def __init__(self, model: Any, budget: float | None = None, stop: str | None = None) -> None:
        self.model = model
        self.budget = budget
        self.stop = stop

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Fit a clone of the model."""
        weights = {} if sample_weight is None else {"sample_weight": sample_weight}
        self.model_ = clone(self.model).fit(X, y, **weights)
        return self

    @property
    def _fitted(self) -> Any:
        return getattr(self, "model_", self.model)

    def __getattr__(self, name: str) -> Any:
        """What the model learnt: classes_, n_features_in_, feature_names_in_, plan_, ..."""
        if name.endswith("_") and not name.startswith("_") and name != "model_":
            return getattr(self._fitted, name)
        raise AttributeError(f"AtBudget has no attribute {name!r}")

    def __sklearn_is_fitted__(self) -> bool:
        """Fitted when the model is."""
        if isinstance(self._fitted, Predictor):
            return True
        try:
            check_is_fitted(self._fitted)
        except NotFittedError:
            return False
        return True

    def __sklearn_tags__(self) -> Any:
        """Tags of the model: a classifier stays a classifier."""
        if not isinstance(self.model, Predictor):
            return get_tags(self.model)
        regression = self.model.target.is_number
        return get_tags(BudgetedRegressor() if regression else BudgetedClassifier())

    @property
    def _options(self) -> dict[str, Any]:
        return {"budget": self.budget} | ({} if self.stop is None else {"stop": self.stop})

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict at the budget."""
        return np.asarray(self._fitted.predict(X, **self._options))

    def predict_proba(self, X: Any) -> Floats:
        """Class probabilities at the budget."""
        return np.asarray(self._fitted.predict_proba(X, **self._options))

    def decision_function(self, X: Any) -> Floats:
        """Scores at the budget."""
        return np.asarray(self._fitted.decision_function(X, **self._options))

    def spend(self, X: Any) -> Floats:
        """What each row pays."""
        return np.asarray(self._fitted.spend(X, **self._options))

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Accuracy at the budget, or explained variance (R^2) of a regression."""
        metric = accuracy_score if is_classifier(self) else r2_score
        return float(metric(y, self.predict(X), sample_weight=sample_weight))


def at_budget(model: Any, budget: float | None, stop: str | None = None) -> AtBudget:
    """The model with plain ``predict(X)`` at one budget, for meta-estimators and scorers.

    >>> from scrimp import BudgetedBoostingClassifier
    >>> from scrimp.datasets import load_heart
    >>> heart = load_heart()
    >>> model = BudgetedBoostingClassifier(heart.costs, n_rounds=50).fit(heart.X, heart.y)
    >>> round(float(at_budget(model, 4.0).score(heart.X, heart.y)), 2)
    0.79
    """
    check_budget(budget)
    return AtBudget(model, budget, stop)
