"""What models of scikit-learn read that contain other models."""

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
from .asking import not_fitted, refuse
from .readers import Reader, Through, Union, on_arrays

#: From a fitted model of any library to its reader.
Lookup = Callable[[Any], Reader]

#: Where models keep the fitted one that answers for them.
_INNER: tuple[tuple[Any, str], ...] = (
    (BaseSearchCV, "best_estimator_"),
    ((FixedThresholdClassifier, TunedThresholdClassifierCV, RANSACRegressor), "estimator_"),
    (TransformedTargetRegressor, "regressor_"),
    (FrozenEstimator, "estimator"),
)


def inner(model: Any) -> Any:
    """The fitted model that answers for this one, however deep; itself if there is none."""
    for kind, name in _INNER:
        if isinstance(model, kind):
            check_is_fitted(model)
            if not hasattr(model, name):
                not_fitted(model)  # a search with refit=False
            return inner(getattr(model, name))
    if isinstance(model, CalibratedClassifierCV):
        members = calibrated_members(model)
        return inner(members[0]) if len(members) == 1 else model
    return model


def calibrated_members(model: Any) -> list[Any]:
    """The models whose answers are calibrated and averaged."""
    check_is_fitted(model)
    return [own.estimator for own in model.calibrated_classifiers_]


def calibrated(model: Any, lookup: Lookup) -> Reader:
    """Members that are all asked."""
    return Union([lookup(member) for member in calibrated_members(model)])


def committee(model: Any, lookup: Lookup) -> Reader:
    """Members that are all given X as it is."""
    return Union([lookup(member) for member in _asked(model)])


def array_committee(model: Any, lookup: Lookup, first: int | None = None) -> Reader:
    """Members, maybe only the first ones, that are all given X as an array."""
    members = _asked(model)[:first]
    return Union([on_arrays(lookup(member), model.n_features_in_) for member in members])


def _asked(model: Any) -> list[Any]:
    """The members that look at X: one for labels that all rows have, or none, does not."""
    members = [m for m in model.estimators_ if type(m).__name__ != "_ConstantPredictor"]
    return members or refuse(model)


def bagged(model: Any, lookup: Lookup) -> Reader:
    """Members that are given some of the columns each."""
    pairs = zip(model.estimators_, model.estimators_features_, strict=True)
    parts = [on_arrays(lookup(own), model.n_features_in_, None, some) for own, some in pairs]
    return Union(parts)


def selected(model: Any, lookup: Lookup) -> Reader:
    """A model on the columns that it has kept."""
    kept = np.eye(model.n_features_in_, dtype=bool)[model.get_support()]
    return Through(lookup(model.estimator_), model.transform, kept)


def piped(model: Any, lookup: Lookup) -> Reader:
    """A model after transformers: reading what they made is reading what it was made from."""
    reader = lookup(model.steps[-1][1])
    if len(model.steps) == 1:
        return reader
    before = model[:-1]
    made_from = dependencies(before, model.n_features_in_, reader.n_columns)
    return Through(reader, before.transform, made_from)


def stacked(model: Any, lookup: Lookup) -> Reader:
    """A model on the answers of others, all of which are asked, and maybe on X too."""
    parts: list[Reader] = [lookup(member) for member in model.estimators_]
    if model.passthrough:
        parts.append(Behind(lookup(model.final_estimator_), model.transform, parts[0].n_columns))
    return Union(parts)


@dataclass(frozen=True, eq=False)
class Behind(Reader):
    """A model that is given answers of others and, after them, X.

    Parameters
    ----------
    reader : Reader
        Of the model.
    transform : callable
        From X to what the model is given.
    given : int
        How many columns X has.
    """

    reader: Reader
    transform: Callable[[Any], Any]
    given: int

    @property
    def width(self) -> int:
        """That of the model."""
        return self.reader.width

    def anywhere(self) -> Flags:
        """What the model may read of X."""
        return self.reader.anywhere()[-self.given :]

    def on_rows(self, X: Any) -> Flags:
        """What the model reads of X."""
        return self.reader.on_rows(self.transform(X))[:, -self.given :]
