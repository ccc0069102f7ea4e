"""Whether an estimator takes missing values."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone, is_classifier
from sklearn.utils import get_tags

from ...data.training_rows import TrainingRows
from ...plans.from_sklearn import array_model
from ...types import Ints
from .encode import encoder_for, native_columns

#: Rows of a trial: few, so that it is quick.
_TRIAL_ROWS = 60
#: Rows per class of a trial, at least: enough for folds within an estimator.
_ROWS_PER_CLASS = 10


def takes_missing(estimator: Any, rows: TrainingRows, encode: str) -> bool:
    """Return whether an estimator can be fitted and asked with missing values.

    Its tags may say so. But pipelines, searches and ensembles do not pass on the tags of
    their parts, so that if there are missing values a clone is tried on a few rows.

    Parameters
    ----------
    estimator : estimator
        Not fitted.
    rows : TrainingRows
        The rows of the training.
    encode : {"auto", "standard", "ordinal"}
        As in `scrimp.RefitClassifier`. A flag is never missing.
    """
    if get_tags(estimator).input_tags.allow_nan:
        return True
    table, y, columns = rows.table, rows.y, rows.columns
    numbers = np.full(len(columns), True) if encode == "ordinal" else ~columns.is_categorical()
    gaps = np.isnan(table)[:, numbers].any(axis=1)
    if not gaps.any():
        return False
    few = _few_rows(y if is_classifier(estimator) else np.zeros(len(y)), gaps)
    native = native_columns(estimator, columns, encode)
    encoding = encoder_for(encode, fill=False).fit(table[few], columns, native)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            given = encoding.preparation.table(table, few)
            fitted = clone(estimator).fit(given, y[few])
            model = array_model(fitted, preparation=encoding.preparation, missing=True)
            return bool(np.isfinite(model.scores(table, few[gaps[few]])).all())
    except Exception:  # whatever an estimator of somebody's says
        return False


def _few_rows(classes: NDArray[Any], gaps: NDArray[np.bool_]) -> Ints:
    """Return some rows of each class, at least one with a missing value; always the same ones."""
    order = np.random.default_rng(0).permutation(len(classes))
    distinct, codes, counts = np.unique(classes[order], return_inverse=True, return_counts=True)
    by_class = order[np.argsort(codes, kind="stable")]
    place_in_class = np.arange(len(order)) - np.repeat(np.cumsum(counts) - counts, counts)
    few = by_class[place_in_class < max(_TRIAL_ROWS // len(distinct), _ROWS_PER_CLASS)]
    if not gaps[few].any():
        few = np.append(few, order[gaps[order]][0])
    return np.sort(few)
