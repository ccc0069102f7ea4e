"""The columns read by scikit-learn's pipelines, ensembles and other models of models."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import TransformedTargetRegressor
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import RANSACRegressor
from sklearn.model_selection import FixedThresholdClassifier, TunedThresholdClassifierCV
from sklearn.model_selection._search import BaseSearchCV
from sklearn.utils.validation import check_is_fitted

from ...costs.transforms import dependencies
from ...types import Flags
from .column_use import (
    ColumnUse,
    TransformedColumns,
    UnionOfColumns,
    as_member,
    refuse,
    refuse_unfitted,
)

#: From a fitted model of any library to its column use.
Lookup = Callable[[Any], ColumnUse]

#: Where models keep the fitted model that predicts for them.
_ANSWERING: tuple[tuple[Any, str], ...] = (
    (BaseSearchCV, "best_estimator_"),
    ((FixedThresholdClassifier, TunedThresholdClassifierCV, RANSACRegressor), "estimator_"),
    (TransformedTargetRegressor, "regressor_"),
    (FrozenEstimator, "estimator"),
)


def answering_model(model: Any) -> Any:
    """Return the fitted model, at any depth, that predicts for this one; itself if none does."""
    for kind, name in _ANSWERING:
        if isinstance(model, kind):
            check_is_fitted(model)
            if not hasattr(model, name):
                refuse_unfitted(model)  # a search with refit=False
            return answering_model(getattr(model, name))
    if isinstance(model, CalibratedClassifierCV):
        members = calibrated_members(model)
        return answering_model(members[0]) if len(members) == 1 else model
    return model


def calibrated_members(model: Any) -> list[Any]:
    """Return the models whose predictions are calibrated and averaged."""
    check_is_fitted(model)
    return [member.estimator for member in model.calibrated_classifiers_]


def calibrated(model: Any, lookup: Lookup) -> ColumnUse:
    """Return the columns read by the members of a calibrated model, all of which predict."""
    return UnionOfColumns([lookup(member) for member in calibrated_members(model)])


def committee(model: Any, lookup: Lookup) -> ColumnUse:
    """Return the columns read by members that are given X as it is."""
    return UnionOfColumns([lookup(member) for member in _predicting_members(model)])


def array_committee(model: Any, lookup: Lookup, first: int | None = None) -> ColumnUse:
    """Return the columns read by members, or the first ones, that are given X as an array."""
    members = _predicting_members(model)[:first]
    return UnionOfColumns([as_member(lookup(member), model.n_features_in_) for member in members])


def _predicting_members(model: Any) -> list[Any]:
    """Return the members that read X: a constant, for a label of all rows or none, does not."""
    members = [m for m in model.estimators_ if type(m).__name__ != "_ConstantPredictor"]
    return members or refuse(model)


def bagged(model: Any, lookup: Lookup) -> ColumnUse:
    """Return the columns read by members that are given some of the columns each."""
    pairs = zip(model.estimators_, model.estimators_features_, strict=True)
    return UnionOfColumns(
        [as_member(lookup(m), model.n_features_in_, None, columns) for m, columns in pairs]
    )


def selected(model: Any, lookup: Lookup) -> ColumnUse:
    """Return the columns read by a model on the columns that it selected."""
    kept = np.eye(model.n_features_in_, dtype=bool)[model.get_support()]
    return TransformedColumns(lookup(model.estimator_), model.transform, kept)


def piped(model: Any, lookup: Lookup) -> ColumnUse:
    """Return the columns that the features read by the last step depend on."""
    use = lookup(model.steps[-1][1])
    if len(model.steps) == 1:
        return use
    before = model[:-1]
    made_from = dependencies(before, model.n_features_in_, use.n_columns)
    return TransformedColumns(use, before.transform, made_from)


def stacked(model: Any, lookup: Lookup) -> ColumnUse:
    """Return the columns read by stacked members and, with ``passthrough``, by the last model."""
    parts: list[ColumnUse] = [lookup(member) for member in model.estimators_]
    if model.passthrough:
        parts.append(
            PassthroughColumns(lookup(model.final_estimator_), model.transform, parts[0].n_columns)
        )
    return UnionOfColumns(parts)


@dataclass(frozen=True, eq=False)
class PassthroughColumns(ColumnUse):
    """A model that is given predictions of others followed by X.

    Parameters
    ----------
    use : ColumnUse
        Of the model.
    transform : callable
        From X to the input of the model.
    n_given : int
        Number of columns of X.
    """

    use: ColumnUse
    transform: Callable[[Any], Any]
    n_given: int

    @property
    def width(self) -> int:
        """The width of the model."""
        return self.use.width

    def for_any_row(self) -> Flags:
        """Return the columns of X that the model may read."""
        return self.use.for_any_row()[-self.n_given :]

    def per_row(self, X: Any) -> Flags:
        """Return the columns of X that the model reads."""
        return self.use.per_row(self.transform(X))[:, -self.n_given :]
