"""Conversion of fitted estimators to array models; other estimators are kept as objects."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np
from sklearn.base import is_classifier
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted

from ..components.models import AverageModel, Model, OpaqueModel, Preparation

#: Converts an estimator on prepared columns; returns None if these settings cannot be converted.
Converter = Callable[[Any, Preparation], Model | None]


def array_model(
    estimator: Any,
    columns: Sequence[int] | None = None,
    preparation: Preparation | None = None,
    n_classes: int | None = None,
    missing: bool = False,
) -> Model:
    """Return a fitted estimator as a model with the same answers.

    Decision trees, forests, boosted trees (LightGBM's too), bagging, linear models, support
    vector machines with a Gaussian kernel, means of these (voting), pipelines of scalers and
    imputers with these, and hyperparameter searches over these become arrays. Any other
    estimator is kept as an object.

    Parameters
    ----------
    estimator : fitted estimator
        A classifier or a regressor of one target.
    columns : sequence of int, optional
        The columns that it was fitted on, in order.
    preparation : Preparation, optional
        The preparation of the table that it was fitted on, instead of `columns`.
    n_classes : int, optional
        The expected number of classes, 0 for a regressor; by default any.
    missing : bool
        Whether it is known to accept missing values; otherwise its tags decide. An estimator
        whose array model would not accept them is then kept as an object.

    Returns
    -------
    Model
        Its answers are class probabilities, or the prediction. A classifier without
        probabilities gives the logistic function of its decisions, or else probabilities of
        0 and 1.

    Examples
    --------
    >>> import numpy as np
    >>> from scrimp.plans.from_sklearn import array_model
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> forest = RandomForestClassifier(random_state=0).fit(X[:, [0, 2]], y)
    >>> model = array_model(forest, [0, 2])
    >>> bool(np.allclose(model.scores(X, np.arange(150)), forest.predict_proba(X[:, [0, 2]])))
    True
    """
    check_is_fitted(estimator)
    if (columns is None) == (preparation is None):
        raise ValueError("Give either columns or a preparation.")
    if preparation is None:
        preparation = Preparation.plain([] if columns is None else columns)
    _check_inputs(estimator, len(preparation.source))
    model = _model_of(estimator, preparation)
    if missing and not model.accepts_missing:
        model = _opaque(estimator, preparation, missing)
    if n_classes is not None and model.n_outputs != (n_classes or 1):
        predicted = f"{model.n_outputs} classes" if is_classifier(estimator) else "numbers"
        expected = f"{n_classes} classes" if n_classes else "numbers"
        name = type(estimator).__name__
        raise ValueError(f"The {name} predicts {predicted}; expected {expected}.")
    return model


def _check_inputs(estimator: Any, n_columns: int) -> None:
    """Raise ValueError if an estimator was fitted on other columns or predicts several targets."""
    name, n_fitted = type(estimator).__name__, getattr(estimator, "n_features_in_", n_columns)
    if n_fitted != n_columns:
        raise ValueError(f"The {name} was fitted on {n_fitted} columns, but {n_columns} are given.")
    if is_classifier(estimator) and not isinstance(estimator.classes_, np.ndarray):
        raise ValueError(f"The {name} predicts several targets; expected one.")


def _model_of(estimator: Any, preparation: Preparation) -> Model:
    """Return an array model where the estimator is converted exactly, else keep the estimator."""
    return _converted(estimator, preparation) or _opaque(estimator, preparation)


def _converted(estimator: Any, preparation: Preparation) -> Model | None:
    """Return an array model, or None; subclasses are left out, as they may answer differently."""
    kind = type(estimator)
    converter = _converters().get(kind)
    if kind.__module__.partition(".")[0] == "lightgbm":
        from .lightgbm import converter_of

        converter = converter_of(kind)
    return None if converter is None else converter(estimator, preparation)


def _opaque(estimator: Any, preparation: Preparation, missing: bool = False) -> OpaqueModel:
    """Return a model that keeps the estimator and calls its most informative method."""
    answers, n_outputs = "numbers", 1
    if is_classifier(estimator):
        n_outputs = len(estimator.classes_)
        answers = "labels"
        if hasattr(estimator, "predict_proba"):
            answers = "probabilities"
        elif n_outputs == 2 and hasattr(estimator, "decision_function"):
            answers = "decisions"
    missing = missing or bool(get_tags(estimator).input_tags.allow_nan)
    return OpaqueModel(preparation, estimator, answers, n_outputs, missing)


@cache
def _converters() -> dict[type, Converter]:
    """Return the converters by type; made on demand, as this imports most of scikit-learn."""
    from sklearn.ensemble import (
        BaggingClassifier,
        BaggingRegressor,
        VotingClassifier,
        VotingRegressor,
    )
    from sklearn.model_selection import GridSearchCV, RandomizedSearchCV
    from sklearn.pipeline import Pipeline

    from .kernels import KERNELS
    from .linear import LINEAR
    from .trees import TREES

    return {
        **TREES,
        **LINEAR,
        **KERNELS,
        BaggingClassifier: _convert_bagging,
        BaggingRegressor: _convert_bagging,
        VotingClassifier: _convert_voting,
        VotingRegressor: _convert_voting,
        Pipeline: _convert_pipeline,
        GridSearchCV: _convert_search,
        RandomizedSearchCV: _convert_search,
    }


def _convert_voting(voting: Any, preparation: Preparation) -> Model | None:
    """Return the mean of the members, whose classes are numbered."""
    members = voting.estimators_
    weights = voting._weights_not_none
    weights = np.ones(len(members)) if weights is None else np.asarray(weights, dtype=np.float64)
    if getattr(voting, "voting", "soft") != "soft" or not (weights >= 0).all():
        return None
    return AverageModel([_model_of(member, preparation) for member in members], weights)


def _convert_bagging(bagging: Any, preparation: Preparation) -> Model | None:
    """Return trees as one table; other members as a mean, if each of them knows all classes."""
    from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

    from .trees import convert_averaged

    members, subsets = bagging.estimators_, bagging.estimators_features_
    if all(type(m) in (DecisionTreeClassifier, DecisionTreeRegressor) for m in members):
        return convert_averaged(bagging, preparation, subsets)
    if is_classifier(bagging):
        n = len(bagging.classes_)
        if not all(hasattr(m, "predict_proba") and len(m.classes_) == n for m in members):
            return None
    models = [
        _model_of(member, preparation.taken(np.asarray(columns)))
        for member, columns in zip(members, subsets, strict=True)
    ]
    return AverageModel(models, np.ones(len(models)))


def _convert_pipeline(pipeline: Any, preparation: Preparation) -> Model | None:
    """Return the last step's model; scalers and imputers become part of its preparation."""
    from .pipelines import prepare_by_steps

    steps = [step for _, step in pipeline.steps]
    prepared = prepare_by_steps(preparation, steps[:-1])
    if prepared is None or not hasattr(steps[-1], "predict"):
        return None
    return _converted(steps[-1], prepared)


def _convert_search(search: Any, preparation: Preparation) -> Model | None:
    """Return the model of the best estimator of a search."""
    return _converted(search.best_estimator_, preparation)
