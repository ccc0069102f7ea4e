"""Three usual methods on the first columns by importance per price, and a choice among them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegressionCV
from sklearn.model_selection import StratifiedKFold
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from benchmarks.study.problems import Problem
from scrimp import Costs
from scrimp.costs.item_sets import ItemSets

#: Folds on the training rows by which the method is chosen.
N_FOLDS = 3
#: Inverse penalties of which cross-validation chooses.
INVERSE_PENALTIES = (0.03, 0.1, 0.3, 1.0, 3.0, 10.0)


def _logistic(seed: int) -> Any:
    lasso = OneVsRestClassifier(
        LogisticRegressionCV(
            Cs=INVERSE_PENALTIES, l1_ratios=(1.0,), solver="liblinear", cv=3, tol=1e-3,
            scoring="neg_log_loss", random_state=seed, use_legacy_attributes=False,
        )
    )  # fmt: skip
    return make_pipeline(SimpleImputer(strategy="median"), StandardScaler(), lasso)


def _forest(seed: int) -> Any:
    from sklearn.ensemble import RandomForestClassifier

    return RandomForestClassifier(100, random_state=seed, n_jobs=1)


def _lightgbm(seed: int) -> Any:
    from lightgbm import LGBMClassifier

    return LGBMClassifier(n_estimators=100, random_state=seed, n_jobs=1, verbosity=-1)


PEERS: dict[str, Callable[[int], Any]] = {
    "logistic L1": _logistic,
    "forest": _forest,
    "LightGBM": _lightgbm,
}


def importances(model: Any) -> np.ndarray:
    """Return the importance of each column to a fitted peer."""
    last = model[-1] if hasattr(model, "steps") else model
    if isinstance(last, OneVsRestClassifier):
        return np.sum([np.abs(getattr(one, "coef_", 0.0)) for one in last.estimators_], axis=0)[0]
    if hasattr(last, "booster_"):
        return np.asarray(last.booster_.feature_importance("gain"))
    return np.asarray(last.feature_importances_)


def peer_probabilities(
    problem: Problem, costs: Costs, budgets: np.ndarray, name: str, train: np.ndarray,
    test: np.ndarray, seed: int,
) -> np.ndarray:  # fmt: skip
    """Return the probabilities (budgets, test rows, classes) of a peer.

    Items are ordered by the importance of their columns per price; each budget buys those that
    it can pay for, and the method is fitted on their columns.
    """
    X, owner, y = problem.one_hot.values, problem.one_hot.owner, problem.y
    make, shares = PEERS[name](seed), np.bincount(y[train], minlength=problem.n_classes)
    order = _order(clone(make).fit(X[train], y[train]), costs, owner)
    made: dict[tuple[int, ...], np.ndarray] = {}
    answers = []
    for budget in budgets:
        bought = ItemSets(costs).fill(order, float(budget))
        columns = tuple(np.flatnonzero(np.isin(costs.owners[owner], bought)).tolist())
        if columns not in made:
            probabilities = np.tile(shares / shares.sum(), (len(test), 1))
            if columns:
                model = clone(make).fit(X[np.ix_(train, columns)], y[train])
                probabilities = np.zeros_like(probabilities)
                found = model.predict_proba(X[np.ix_(test, columns)])
                probabilities[:, model.classes_] = found
            made[columns] = probabilities
        answers.append(made[columns])
    return np.stack(answers)


def _order(model: Any, costs: Costs, owner: np.ndarray) -> list[int]:
    """Return items by importance per price; those of no importance are left out."""
    by_item = np.bincount(costs.owners[owner], importances(model), costs.n_items)
    price = np.array([max(costs.price_of([item]), 1e-9) for item in range(costs.n_items)])
    order = np.argsort(-by_item / price, kind="stable")
    return [int(item) for item in order if by_item[item] > 0]


def out_of_fold(
    problem: Problem, costs: Costs, budgets: np.ndarray, name: str, train: np.ndarray, seed: int
) -> np.ndarray:
    """Return out-of-fold probabilities (budgets, training rows, classes) of a peer."""
    answers = np.zeros((len(budgets), len(train), problem.n_classes))
    folds = StratifiedKFold(N_FOLDS, shuffle=True, random_state=seed)
    for fit, held in folds.split(train, problem.y[train]):
        answers[:, held] = peer_probabilities(
            problem, costs, budgets, name, train[fit], train[held], seed
        )
    return answers
