"""Which estimators become arrays, and how; the others stay as they are."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np
from sklearn.base import is_classifier
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted

from ..components.models import AverageModel, Model, OpaqueModel, Preparation

#: Makes a model of an estimator on prepared columns; None if it is one that it cannot.
Maker = Callable[[Any, Preparation], Model | None]


def array_model(
    estimator: Any,
    columns: Sequence[int] | None = None,
    preparation: Preparation | None = None,
    n_classes: int | None = None,
    missing: bool = False,
) -> Model:
    """A fitted estimator as a model whose answers are the estimator's own.

    Decision trees, forests, boosted trees, bagging, linear models, support vector machines
    with a Gaussian kernel, means of these (voting), pipelines of scalers and imputers with
    these, and searches for the best of these become arrays. Any other estimator is kept and
    asked.

    Parameters
    ----------
    estimator : fitted estimator
        A classifier or a regressor of one target.
    columns : sequence of int, optional
        The columns of the table that it was fitted on, in this order.
    preparation : Preparation, optional
        Instead of `columns`: how the table that it was fitted on is made.
    n_classes : int, optional
        How many classes it must know, 0 for numbers; without it as many as it does.
    missing : bool
        Whether it is known to take missing values; else its tags say it. An estimator whose
        arrays would not take them is then kept.

    Returns
    -------
    Model
        Its answers are class probabilities, or the prediction. A classifier that has no
        probabilities gives the logistic function of its decisions, or else shares of 0 and 1.

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
    seen = getattr(estimator, "n_features_in_", len(preparation.source))
    if seen != len(preparation.source):
        raise ValueError(
            f"The {type(estimator).__name__} was fitted on {seen} columns, but "
            f"{len(preparation.source)} are given."
        )
    if is_classifier(estimator) and not isinstance(estimator.classes_, np.ndarray):
        raise ValueError(f"The {type(estimator).__name__} predicts several targets; expected one.")
    model = _model_of(estimator, preparation)
    if missing and not model.accepts_missing:
        model = _opaque(estimator, preparation, missing)
    if n_classes is not None and model.n_outputs != (n_classes or 1):
        known = f"{model.n_outputs} classes" if is_classifier(estimator) else "numbers"
        wanted = f"{n_classes} classes" if n_classes else "numbers"
        raise ValueError(f"The {type(estimator).__name__} predicts {known}; expected {wanted}.")
    return model


def _model_of(estimator: Any, preparation: Preparation) -> Model:
    """As arrays where that is known to be the same, else as it is."""
    return _converted(estimator, preparation) or _opaque(estimator, preparation)


def _converted(estimator: Any, preparation: Preparation) -> Model | None:
    """Only of the very types that are known: a subclass may answer otherwise."""
    maker = _makers().get(type(estimator))
    return None if maker is None else maker(estimator, preparation)


def _opaque(estimator: Any, preparation: Preparation, missing: bool = False) -> OpaqueModel:
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
def _makers() -> dict[type, Maker]:
    """Made when it is needed: it imports most of scikit-learn."""
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
        BaggingClassifier: _of_bags,
        BaggingRegressor: _of_bags,
        VotingClassifier: _of_voters,
        VotingRegressor: _of_voters,
        Pipeline: _of_pipeline,
        GridSearchCV: _of_search,
        RandomizedSearchCV: _of_search,
    }


def _of_voters(voting: Any, preparation: Preparation) -> Model | None:
    """The mean of the members, which number the classes."""
    members = voting.estimators_
    weights = voting._weights_not_none
    weights = np.ones(len(members)) if weights is None else np.asarray(weights, dtype=np.float64)
    if getattr(voting, "voting", "soft") != "soft" or not (weights >= 0).all():
        return None
    return AverageModel([_model_of(member, preparation) for member in members], weights)


def _of_bags(bagging: Any, preparation: Preparation) -> Model | None:
    """Trees as one table; other members each for themselves, if they know all classes."""
    from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

    from .trees import of_averaged

    members, subsets = bagging.estimators_, bagging.estimators_features_
    if all(type(m) in (DecisionTreeClassifier, DecisionTreeRegressor) for m in members):
        return of_averaged(bagging, preparation, subsets)
    if is_classifier(bagging):
        n = len(bagging.classes_)
        full = all(hasattr(m, "predict_proba") and len(m.classes_) == n for m in members)
        if not full:
            return None
    models = [
        _model_of(member, preparation.taken(np.asarray(own)))
        for member, own in zip(members, subsets, strict=True)
    ]
    return AverageModel(models, np.ones(len(models)))


def _of_pipeline(pipeline: Any, preparation: Preparation) -> Model | None:
    """Scalers and imputers become part of the preparation."""
    from .pipelines import after_steps

    steps = [step for _, step in pipeline.steps]
    prepared = after_steps(preparation, steps[:-1])
    if prepared is None or not hasattr(steps[-1], "predict"):
        return None
    return _converted(steps[-1], prepared)


def _of_search(search: Any, preparation: Preparation) -> Model | None:
    """The best one that was found."""
    return _converted(search.best_estimator_, preparation)
