"""Linear models of scikit-learn as arrays."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import sklearn.linear_model as models
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.svm import LinearSVC, LinearSVR

from ...types import Floats
from ..components.models import LinearModel, Model, Preparation


def coefficients_of(model: Any) -> tuple[Floats, Floats]:
    """Weights (columns x sums) and intercepts (sums) of a fitted linear model."""
    weights = model.coef_.toarray() if hasattr(model.coef_, "toarray") else np.asarray(model.coef_)
    weights = np.atleast_2d(weights).T.astype(np.float64)
    base = np.asarray(model.intercept_, dtype=np.float64).ravel()
    return weights, np.broadcast_to(base, weights.shape[1]).copy()


def _of(estimator: Any, preparation: Preparation, link: str) -> Model:
    weights, base = coefficients_of(estimator)
    return LinearModel(preparation, weights, base, link)


def _of_decisions(estimator: Any, preparation: Preparation) -> Model | None:
    """Log-odds; for more than two classes the largest score is the answer."""
    if not isinstance(estimator.classes_, np.ndarray) or len(estimator.classes_) < 2:
        return None
    return _of(estimator, preparation, "logistic" if len(estimator.classes_) == 2 else "softmax")


def _of_logistic(estimator: Any, preparation: Preparation) -> Model | None:
    several = len(estimator.classes_) > 2
    apart = getattr(estimator, "multi_class", "auto") == "ovr" or estimator.solver == "liblinear"
    if several and apart:
        return _of(estimator, preparation, "one-against-rest")
    return _of_decisions(estimator, preparation)


def _of_descent(estimator: Any, preparation: Preparation) -> Model | None:
    """Its probabilities depend on its loss."""
    if estimator.loss == "modified_huber":
        return None
    if estimator.loss == "log_loss" and len(estimator.classes_) > 2:
        return _of(estimator, preparation, "one-against-rest")
    return _of_decisions(estimator, preparation)


_IDENTITY = (
    models.LinearRegression, models.Ridge, models.RidgeCV, models.Lasso, models.LassoCV,
    models.ElasticNet, models.ElasticNetCV, models.Lars, models.LassoLars, models.BayesianRidge,
    models.ARDRegression, models.HuberRegressor, models.SGDRegressor, models.TheilSenRegressor,
    models.QuantileRegressor, LinearSVR,
)  # fmt: skip
_DECISIONS = (
    models.RidgeClassifier, models.RidgeClassifierCV, models.Perceptron, LinearSVC,
    LinearDiscriminantAnalysis,
)  # fmt: skip

LINEAR: dict[type, Callable[[Any, Preparation], Model | None]] = {
    **dict.fromkeys(_IDENTITY, partial(_of, link="identity")),
    models.PoissonRegressor: partial(_of, link="exponential"),
    models.GammaRegressor: partial(_of, link="exponential"),
    **dict.fromkeys(_DECISIONS, _of_decisions),
    models.LogisticRegression: _of_logistic,
    models.LogisticRegressionCV: _of_logistic,
    models.SGDClassifier: _of_descent,
}
