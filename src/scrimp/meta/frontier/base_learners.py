"""Base learners that are trained on item sets, by name: linear, trees, kernels, and given ones."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...costs.item_sets import Items
from ...data.training_rows import seeded
from ...kernels.threads import run_pieces
from ...plans.components.models import Model
from .boosted_models import boosted
from .estimator_models import fitted_model, histogram, lightgbm
from .kernel_ridge import kernel_ridge
from .logistic_ridge import OPTIONS as LOGISTIC
from .logistic_ridge import is_small, logistic_ridge
from .problem import TrainingSet
from .random_forest import forest


@dataclass(frozen=True)
class BaseLearner:
    """A function that trains a model on an item set.

    Parameters
    ----------
    fit : callable (training set, items) -> model
        The function.
    releases_gil : bool
        Whether it works without Python's lock, so that several sets are learnt in parallel.
    max_rows : float
        Rows up to which it takes part by default: more take too long. Below 0 it takes part
        where it is named.
    """

    fit: Callable[[TrainingSet, Items], Model]
    releases_gil: bool = False
    max_rows: float = np.inf

    def fit_sets(self, rows: TrainingSet, sets: Sequence[Items]) -> list[Model | None]:
        """Return a model for each set, trained once; None where a set has no columns."""
        wanted = [items for items in dict.fromkeys(sets) if len(rows.design.columns(items))]
        wanted.sort(key=len, reverse=True)  # what takes longest first
        models: dict[Items, Model] = {}

        def fit(items: Items) -> None:
            models[items] = self.fit(rows, items)

        run_pieces(rows.scorer.pool if self.releases_gil else None, fit, wanted)
        return [models.get(items) for items in sets]


def linear(rows: TrainingSet, items: Items) -> Model:
    """Return logistic or ridge regression; on few rows the penalty is cross-validated."""
    from sklearn.linear_model import LogisticRegression, RidgeCV

    n_classes = rows.target.n_classes
    if not n_classes:
        return fitted_model(RidgeCV((0.1, 1, 10, 100)), rows, items)
    if is_small(rows, items):
        return logistic_ridge(rows, items)
    n_outputs = 1 if n_classes == 2 else n_classes
    newton = len(rows.design.columns(items)) * n_outputs <= LOGISTIC.max_newton_size
    options: dict[str, Any] = {
        "solver": "newton-cholesky" if newton else "lbfgs",
        "tol": LOGISTIC.tol,
        "max_iter": LOGISTIC.max_iter,
    }
    if len(rows.target.y) <= LOGISTIC.few_rows:
        options["C"] = _inverse_penalty(rows, items)
    return fitted_model(LogisticRegression(**options), rows, items)


def _inverse_penalty(rows: TrainingSet, items: Items) -> float:
    """Return the inverse penalty of logistic regression with the smallest held-out log loss."""
    from sklearn.linear_model import LogisticRegression

    X, target = rows.design.filled[1][:, rows.design.columns(items)], rows.target
    fold_of, y = target.folds(3, np.random.default_rng(rows.problem.seed)), target.y
    losses = np.zeros(len(LOGISTIC.inverse_penalties))
    for fold in range(3):
        train, test = fold_of != fold, fold_of == fold
        if len(np.unique(y[train])) < target.n_classes:
            return 1.0
        model = LogisticRegression(tol=LOGISTIC.tuning_tol, max_iter=LOGISTIC.max_iter)
        model.set_params(warm_start=True)
        for place, C in enumerate(LOGISTIC.inverse_penalties):
            model.set_params(C=C).fit(X[train], y[train], target.weights[train])
            of_class = model.predict_proba(X[test])[np.arange(test.sum()), y[test].astype(int)]
            losses[place] -= target.weights[test] @ np.log(np.maximum(of_class, 1e-12))
    return LOGISTIC.inverse_penalties[int(losses.argmin())]


def of_estimator(estimator: Any) -> BaseLearner:
    """Return the base learner of a scikit-learn estimator."""

    def fit(rows: TrainingSet, items: Items) -> Model:
        return fitted_model(seeded(estimator, rows.problem.seed), rows, items)

    return BaseLearner(fit)


#: Base learners by name, from simple to complex. `boosted` has the accuracy of `histogram` and of
#: `lightgbm` in less time, so that these take part where they are named.
BASE_LEARNERS = {
    "linear": BaseLearner(linear),
    "boosted": BaseLearner(boosted, releases_gil=True),
    "kernel": BaseLearner(kernel_ridge, releases_gil=True, max_rows=20_000),
    "forest": BaseLearner(forest, releases_gil=True),
    "histogram": BaseLearner(histogram, max_rows=-1.0),
    "lightgbm": BaseLearner(lightgbm, max_rows=-1.0),
}
