"""The `encode` parameter: how columns become what an estimator can be fitted on."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor

from ...data.columns import Columns
from ...data.encoding import MAX_INDICATORS, Encoder
from ...types import Flags

ENCODINGS = ("auto", "standard", "ordinal")
#: Estimators that take categories as codes.
_TAKE_CATEGORIES = (HistGradientBoostingClassifier, HistGradientBoostingRegressor)


def encoder_for(encode: str, fill: bool) -> Encoder:
    """Return the encoder of an `encode` parameter; `fill` where missing values are not taken."""
    return Encoder(indicators=encode != "ordinal", fill=fill, standardise=encode == "standard")


def native_columns(estimator: Any, columns: Columns, encode: str) -> Flags:
    """Return which columns an estimator is given as categories."""
    coded = columns.is_categorical()
    if encode == "ordinal" or not coded.any() or not isinstance(estimator, _TAKE_CATEGORIES):
        return np.zeros(len(columns), dtype=bool)
    _refuse_own_categories(estimator)
    counts = np.array([len(categories or ()) for categories in columns.categories])
    return np.asarray(coded & (counts > 0) & (counts <= min(estimator.max_bins, MAX_INDICATORS)))


def _refuse_own_categories(estimator: Any) -> None:
    named = estimator.categorical_features
    if named is not None and not (isinstance(named, str) and named == "from_dtype"):
        raise ValueError(
            f"categorical_features of the {type(estimator).__name__} is {named!r}, but it is "
            "fitted on parts of the columns. Leave it out: columns of text and categories in a "
            "data frame are told to it."
        )
