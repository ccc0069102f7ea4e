"""Conversion of scikit-learn's linear models."""

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


def linear_coefficients(model: Any) -> tuple[Floats, Floats]:
    """Return the weights (columns x sums) and the intercepts (sums) of a fitted linear model."""
    weights = model.coef_.toarray() if hasattr(model.coef_, "toarray") else np.asarray(model.coef_)
    weights = np.atleast_2d(weights).T.astype(np.float64)
    base = np.asarray(model.intercept_, dtype=np.float64).ravel()
    return weights, np.broadcast_to(base, weights.shape[1]).copy()


def _convert(estimator: Any, preparation: Preparation, link: str) -> Model:
    """Return a linear model with a link."""
    weights, base = linear_coefficients(estimator)
    return LinearModel(preparation, weights, base, link)


def _convert_decisions(estimator: Any, preparation: Preparation) -> Model | None:
    """Return a classifier whose decisions are log-odds, or scores of several classes."""
    if not isinstance(estimator.classes_, np.ndarray) or len(estimator.classes_) < 2:
        return None
    link = "logistic" if len(estimator.classes_) == 2 else "softmax"
    return _convert(estimator, preparation, link)


def _convert_logistic(estimator: Any, preparation: Preparation) -> Model | None:
    """Return a logistic regression, multinomial or one against the rest."""
    ovr = getattr(estimator, "multi_class", "auto") == "ovr" or estimator.solver == "liblinear"
    if ovr and len(estimator.classes_) > 2:
        return _convert(estimator, preparation, "one-against-rest")
    return _convert_decisions(estimator, preparation)


def _convert_sgd(estimator: Any, preparation: Preparation) -> Model | None:
    """Return a classifier trained by SGD, whose probabilities depend on the loss."""
    if estimator.loss == "modified_huber":
        return None
    if estimator.loss == "log_loss" and len(estimator.classes_) > 2:
        return _convert(estimator, preparation, "one-against-rest")
    return _convert_decisions(estimator, preparation)


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

#: The converter of each type.
LINEAR: dict[type, Callable[[Any, Preparation], Model | None]] = {
    **dict.fromkeys(_IDENTITY, partial(_convert, link="identity")),
    models.PoissonRegressor: partial(_convert, link="exponential"),
    models.GammaRegressor: partial(_convert, link="exponential"),
    **dict.fromkeys(_DECISIONS, _convert_decisions),
    models.LogisticRegression: _convert_logistic,
    models.LogisticRegressionCV: _convert_logistic,
    models.SGDClassifier: _convert_sgd,
}
