"""Estimators of scikit-learn and LightGBM that are fitted on item sets, as array models."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...costs.item_sets import Items
from ...plans.components.models import Model, Preparation
from ...types import Floats
from ..refit.prefix_models import weights_for
from .problem import TrainingSet

#: All rows need somewhat more trees than a part of them.
ROUNDS_FACTOR = 1.1


@dataclass(frozen=True)
class HistogramOptions:
    """Options of scikit-learn's histogram gradient boosting, by its names for them."""

    learning_rate: float = 0.1
    max_iter: int = 200
    n_iter_no_change: int = 8
    l2_regularization: float = 1.0


@dataclass(frozen=True)
class LightGBMOptions:
    """Options of LightGBM.

    Parameters
    ----------
    leaves : tuple of int
        Leaves per tree that are tried.
    rate : float
        Learning rate.
    rounds, patience : int
        Rounds, at most, and without improvement on held-out rows.
    n_folds : int
        Folds, one of which is held out.
    """

    leaves: tuple[int, ...] = (8, 31)
    rate: float = 0.08
    rounds: int = 400
    patience: int = 15
    n_folds: int = 5


HISTOGRAM = HistogramOptions()
LIGHTGBM = LightGBMOptions()


def fitted_model(estimator: Any, rows: TrainingSet, items: Items) -> Model:
    """Return an estimator, fitted on the columns of an item set, as a model of all classes."""
    from ...plans.from_sklearn import array_model

    columns, (preparation, table) = rows.design.columns(items), rows.design.filled
    target, X, y, weights = rows.target, table[:, columns], rows.labels, rows.target.weights
    even = bool((weights == weights[0]).all())
    absent = np.setdiff1d(np.arange(target.n_classes), target.y)
    if len(absent):  # a class without rows here gets one in the middle, of hardly any weight
        X = np.vstack([X, np.zeros((len(absent), X.shape[1]))])
        labels = rows.problem.classes[absent] if len(rows.problem.classes) else absent
        y, weights = np.append(y, labels), np.append(weights, np.full(len(absent), 1e-6))
    estimator.fit(X, y, **_fit_weights(estimator, weights, even))
    prepared: Preparation = preparation.taken(columns)
    return array_model(estimator, preparation=prepared, n_classes=target.n_classes)


def _fit_weights(estimator: Any, weights: Floats, even: bool) -> dict[str, Any]:
    """Return the weights as fit takes them; none if none were given and it takes none."""
    if (weights == weights[0]).all():
        return {}
    try:
        return weights_for(estimator, weights)
    except ValueError:
        if even:
            return {}
        raise


def histogram(rows: TrainingSet, items: Items) -> Model:
    """Return scikit-learn's histogram gradient boosting, which has one tree per class."""
    from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor

    kind = (
        HistGradientBoostingClassifier if rows.target.n_classes else HistGradientBoostingRegressor
    )
    target = rows.target
    # a class of one row cannot be both learnt and held out
    counts = np.bincount(target.y.astype(np.intp)) if target.n_classes else np.array([2])
    options: dict[str, Any] = {
        "early_stopping": bool((counts > 1).all() and len(counts) >= target.n_classes),
        "random_state": rows.problem.seed,
        **vars(HISTOGRAM),
    }
    return fitted_model(kind(**options), rows, items)


def lightgbm(rows: TrainingSet, items: Items) -> Model:
    """Return LightGBM's boosted trees; the best of a few numbers of leaves on held-out rows."""
    try:
        from lightgbm import LGBMClassifier, LGBMRegressor
    except ImportError as error:
        raise ImportError(
            "The candidate 'lightgbm' needs LightGBM: pip install 'scrimp[lightgbm]'"
        ) from error
    target = rows.target
    X, y = rows.design.filled[1][:, rows.design.columns(items)], target.y
    fold_of = target.folds(LIGHTGBM.n_folds, np.random.default_rng(rows.problem.seed))
    fit, held = fold_of > 0, fold_of == 0
    kind = LGBMClassifier if target.n_classes else LGBMRegressor
    options: dict[str, Any] = {
        "learning_rate": LIGHTGBM.rate, "n_jobs": 1, "verbosity": -1, "deterministic": True,
        "random_state": rows.problem.seed, "force_row_wise": True,
    }  # fmt: skip
    tried = []
    for leaves in LIGHTGBM.leaves:
        model = kind(n_estimators=LIGHTGBM.rounds, num_leaves=leaves, **options)
        model.set_params(early_stopping_round=LIGHTGBM.patience)
        # held-out rows of a class that is absent from the others cannot be predicted
        known = held & np.isin(y, y[fit]) if target.n_classes else held
        model.fit(
            X[fit], y[fit], target.weights[fit],
            eval_set=[(X[known], y[known])], eval_sample_weight=[target.weights[known]],
        )  # fmt: skip
        loss = next(iter(model.best_score_["valid_0"].values()))
        tried.append((loss, leaves, max(round(model.best_iteration_ * ROUNDS_FACTOR), 1)))
    _, leaves, rounds = min(tried)
    return fitted_model(kind(n_estimators=rounds, num_leaves=leaves, **options), rows, items)
