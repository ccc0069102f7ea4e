"""Fitted models of scikit-learn as votes whose members can be drawn."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import (
    AdaBoostClassifier,
    BaggingClassifier,
    ExtraTreesClassifier,
    RandomForestClassifier,
)
from sklearn.linear_model import (
    LogisticRegression,
    Perceptron,
    RidgeClassifier,
    RidgeClassifierCV,
    SGDClassifier,
)
from sklearn.pipeline import Pipeline
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted

from ...data.target import Target
from ...plans import StumpTable, TermTable, TreeTable
from ...plans.from_sklearn.linear import linear_coefficients
from ...plans.from_sklearn.trees import class_probabilities, predicted_classes, tree_table
from ...types import Floats
from .votes import Vote, vote_of_stumps

FORESTS = (RandomForestClassifier, ExtraTreesClassifier, BaggingClassifier)
LINEAR = (
    LogisticRegression, RidgeClassifier, RidgeClassifierCV, LinearSVC, SGDClassifier, Perceptron,
)  # fmt: skip
_SUPPORTED = (
    "Supported are fitted models of scikit-learn: AdaBoostClassifier, BaggingClassifier, "
    "RandomForestClassifier and ExtraTreesClassifier of decision trees, and the linear "
    "LogisticRegression, RidgeClassifier, LinearSVC, SGDClassifier and Perceptron."
)


def check_supported(model: Any) -> None:
    """Refuse what is not fitted, or does not vote."""
    if isinstance(model, Pipeline):
        raise TypeError(
            "ensemble is a Pipeline, which changes the columns that prices are for. Take its last "
            f"step out, and give it the columns it was trained on. {_SUPPORTED}"
        )
    if not isinstance(model, (AdaBoostClassifier, *FORESTS, *LINEAR)):
        raise TypeError(f"ensemble is a {type(model).__name__}. {_SUPPORTED}")
    check_is_fitted(model)
    if not isinstance(getattr(model, "classes_", None), np.ndarray):
        raise ValueError(f"ensemble predicts several targets at once. {_SUPPORTED}")
    labels = getattr(model, "_label_binarizer", None)  # of a RidgeClassifier
    if labels is not None and not labels.y_type_.startswith(("binary", "multiclass")):
        raise ValueError(f"ensemble predicts several labels at once. {_SUPPORTED}")
    if len(model.classes_) < 2:
        raise ValueError(
            f"ensemble knows one class only, {model.classes_.tolist()}, so nothing is voted on."
        )
    if getattr(model, "algorithm", "") == "SAMME.R":
        raise ValueError(f"ensemble votes by probabilities (SAMME.R), not by labels. {_SUPPORTED}")


def vote_of(model: Any, background: Floats | None = None) -> tuple[Vote, Target]:
    """Return the vote of a model that passed `check_supported`, and the target of its scores.

    Parameters
    ----------
    model : estimator
        Fitted.
    background : float array (rows, columns), optional
        For linear models: rows whose means and spreads say what a term is worth.
    """
    if isinstance(model, LINEAR):
        return _linear(model, background)
    if background is not None:
        raise ValueError("background is for linear models; trees know the scale of their votes.")
    _check_members(model)
    return _boosted(model) if isinstance(model, AdaBoostClassifier) else _averaged(model)


def _check_members(model: Any) -> None:
    subsets = getattr(model, "estimators_features_", None)
    for number, member in enumerate(model.estimators_):
        if not isinstance(member, DecisionTreeClassifier):
            raise TypeError(f"Member {number} is a {type(member).__name__}. {_SUPPORTED}")
        seen = model.n_features_in_ if subsets is None else len(subsets[number])
        if member.n_features_in_ != seen:
            raise ValueError(
                f"Member {number} sees {member.n_features_in_} columns and not {seen}, so nothing "
                f"says which of the ensemble's they are. {_SUPPORTED}"
            )


def _target(classes: NDArray[Any], scale: float) -> Target:
    return Target("binary" if len(classes) == 2 else "multiclass", classes, scale)


def _boosted(model: Any) -> tuple[Vote, Target]:
    """Return the vote of AdaBoost (SAMME): the class of each member's leaf gets its weight.

    Two classes: half the weight for or against the second, as the log-odds are twice
    AdaBoost's vote. More: all of it for the class, and against each other its share, so that
    the scores times (K - 1) / K are log-odds (Zhu et al. 2009).
    """
    classes, members = model.classes_, model.estimators_
    n = len(classes)
    target = _target(classes, 2.0 if n == 2 else (n - 1) / n)
    alpha = np.asarray(model.estimator_weights_, dtype=np.float64)[: len(members)]
    values = []
    for member, weight in zip(members, alpha, strict=True):
        labels = predicted_classes(member, classes)
        full = np.where(np.arange(n) == labels[:, None], weight, -weight / (n - 1))
        values.append(full[:, 1:] / 2.0 if n == 2 else full)
    share = np.zeros(n)  # of the first member: it sees the rows' own weights
    share[np.searchsorted(classes, members[0].classes_)] = members[0].tree_.value[0, 0]
    logs = np.log(share / share.sum()) if share.all() else np.zeros(n)
    prior = logs[1:] - logs[:1] if n == 2 else logs - logs.mean()
    nan = bool(get_tags(model).input_tags.allow_nan)
    table = tree_table(members, None, values, nan).taken(np.flatnonzero(alpha != 0))
    if all(member.tree_.node_count == 3 for member in members):
        return vote_of_stumps(_stumps(table), prior / target.scale), target
    return Vote(table, table.bounds(), prior / target.scale), target


def _averaged(model: Any) -> tuple[Vote, Target]:
    """Return the vote of forests and bagging: the sum of the leaves' probabilities."""
    classes, members = model.classes_, model.estimators_
    bagging = isinstance(model, BaggingClassifier)
    values, alpha = [], []
    for member in members:
        full = class_probabilities(member, len(classes))
        values.append(full)
        # how far a leaf can put one class ahead of another
        alpha.append(np.ptp(full[member.tree_.children_left < 0], axis=1).max())
    prior = np.sum([value[0] for value in values], axis=0)
    subsets = model.estimators_features_ if bagging else None
    nan = bool(get_tags(model).input_tags.allow_nan)
    table = tree_table(members, subsets, values, nan)
    return Vote(table, np.array(alpha), prior), Target("shares", classes)


def _stumps(table: TreeTable) -> StumpTable:
    """Return trees of one test each as stumps."""
    roots, value = table.roots, table.value
    missing = np.where((table.missing[roots] < 0)[:, None], 0.0, value[table.missing[roots]])
    return StumpTable(
        table.column[roots], np.full(len(roots), -np.inf), table.cut[roots],
        value[table.left[roots]], value[table.right[roots]], missing,
    )  # fmt: skip


def _linear(model: Any, background: Floats | None) -> tuple[Vote, Target]:
    """Return a free constant, and one term per column whose weight is not 0."""
    weight, base = linear_coefficients(model)
    center, spread = np.zeros(len(weight)), np.ones(len(weight))
    if background is not None:
        if not len(background):
            raise ValueError("background has no rows; give some of those it was trained on.")
        if not np.isfinite(background).all():
            raise ValueError("background holds NaN or infinity; a linear model cannot use them.")
        center, spread = background.mean(axis=0), background.std(axis=0)
    used = np.flatnonzero((weight != 0).any(axis=1))
    base = base + np.array([math.fsum(column) for column in (center[:, None] * weight).T])
    terms = TermTable(
        np.append(used, -1), np.append(center[used], 0.0), np.vstack([weight[used], base])
    )
    alpha = np.append(np.abs(weight[used]).max(axis=1, initial=0.0) * spread[used], 0.0)
    return Vote(terms, alpha, base), _target(model.classes_, 1.0)
