"""Any scikit-learn estimator on a budget: refitted on each prefix of an order of purchases."""

from __future__ import annotations

from ...plans.from_sklearn import array_model
from .estimators import RefitClassifier, RefitRegressor

__all__ = ["RefitClassifier", "RefitRegressor", "array_model"]
