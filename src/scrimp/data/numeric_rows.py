"""Rows of numbers for linear models: checked, with missing values filled in."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils.validation import (
    _check_sample_weight,
    _check_y,
    check_consistent_length,
    validate_data,
)

from ..types import Floats
from .columns import Columns, as_frame, learn_columns
from .validation import FLOAT_DTYPES, check_budget


def read_rows(
    estimator: Any, X: Any, y: Any, sample_weight: Any, anew: bool, **options: Any
) -> tuple[Any, NDArray[Any], Floats | None, Columns]:
    """X as numbers (an array, or CSR), y, weights, and the columns of X.

    Parameters
    ----------
    estimator : estimator
        Whose columns they are: those of earlier rows, unless it begins `anew`.
    options : dict
        For y, as in `sklearn.utils.validation.validate_data`.
    """
    if as_frame(X) is None:
        table, y = validate_data(
            estimator, X, y, reset=anew, dtype=FLOAT_DTYPES, ensure_all_finite=False,
            accept_sparse="csr", **options,
        )  # fmt: skip
        columns = Columns(None, (None,) * table.shape[1])
    else:
        columns = learn_columns(X) if anew else estimator.columns_
        y = _check_y(y, estimator=estimator, **options)
        validate_data(estimator, X, reset=anew, skip_check_array=True)
        table = columns.encode(X)
    check_consistent_length(table, y)
    if table.shape[0] == 0:
        raise ValueError("X has 0 rows; a minimum of 1 is required.")
    refuse_categories(columns)
    weight = None
    if sample_weight is not None:
        weight = _check_sample_weight(
            sample_weight, table, dtype=np.float64, ensure_non_negative=True
        )
    return table, y, weight, columns


def check_sequencer(model: Any) -> None:
    """Refuse parameters that no sequence can be learnt by."""
    check_budget(model.budget)
    if not (isinstance(model.alpha, int | float | np.number) and 0 <= model.alpha < math.inf):
        raise ValueError(f"alpha is {model.alpha!r}; expected a finite number >= 0.")
    check_missing(model.missing)


def check_missing(missing: Any) -> None:
    """Refuse what a missing value cannot count as."""
    number = isinstance(missing, int | float | np.number) and math.isfinite(missing)
    if not (number or (isinstance(missing, str) and missing in ("error", "mean"))):
        raise ValueError(f"missing is {missing!r}; expected 'error', 'mean' or a finite number.")


def refuse_categories(columns: Columns) -> None:
    """A linear model takes numbers; say how to make them."""
    texts = [columns.name(j) for j, own in enumerate(columns.categories) if own is not None]
    if texts:
        raise ValueError(
            f"The columns {texts} hold text or categories; expected numbers. Encode them, for "
            "instance with OneHotEncoder, and take prices along with costs.through(encoder)."
        )


def fill_values(X: Any, missing: Any) -> Floats | None:
    """What a missing value of each column counts as; None if there may be none."""
    if isinstance(missing, str) and missing == "error":
        return None
    if not isinstance(missing, str):
        return np.full(X.shape[1], float(missing))
    if sparse.issparse(X):
        X = X.toarray()
    known = np.isfinite(X)
    counts = known.sum(axis=0)
    if not counts.all():
        lost = np.flatnonzero(counts == 0).tolist()
        warnings.warn(
            f"The columns {lost} (by position) have no value in the rows that missing='mean' "
            "takes its means from, so that missing values of theirs count as 0.",
            UserWarning,
            stacklevel=4,
        )
    sums = np.where(known, X, 0.0).sum(axis=0, dtype=np.float64)
    return np.asarray(sums / np.maximum(counts, 1))


def filled(X: Any, values: Floats | None) -> Any:
    """X with missing values filled in; itself if there are none."""
    if values is None:
        return X
    data = X.data if sparse.issparse(X) else X
    if np.isfinite(data).all():
        return X
    X = X.copy()
    if sparse.issparse(X):
        lost = ~np.isfinite(X.data)
        X.data[lost] = values[X.indices[lost]]
        return X
    at = np.nonzero(~np.isfinite(X))
    X[at] = values[at[1]]
    return X


def not_finite(columns: Sequence[int], names: Columns) -> ValueError:
    """An error that names the columns; those after the last are responses."""
    known = [names.name(c) for c in columns if c < len(names)]
    if not known:
        return ValueError("y holds NaN or infinity, or numbers too large to be summed.")
    return ValueError(
        f"The columns {known} hold NaN or infinity, or numbers too large to be summed. "
        "Impute them, or pass missing='mean'."
    )


def columns_not_finite(X: Any) -> list[int]:
    """Columns that hold NaN or infinity, or numbers whose sum is beyond all numbers."""
    if sparse.issparse(X):
        return [int(c) for c in np.unique(X.indices[~np.isfinite(X.data)])]
    with np.errstate(over="ignore", invalid="ignore"):
        sums = np.ones(len(X), dtype=X.dtype) @ X  # one pass, in threads
        if not np.isfinite(sums).all():
            sums = X.sum(axis=0, dtype=np.float64)
    return np.flatnonzero(~np.isfinite(sums)).tolist()


def without_weightless(
    X: Any, y: NDArray[Any], weight: Floats | None
) -> tuple[Any, NDArray[Any], Floats | None]:
    """The rows of positive weight."""
    if weight is None or (weight > 0).all():
        return X, y, weight
    if not weight.any():
        raise ValueError("sample_weight is 0 for all rows; expected a positive weight.")
    keep = weight > 0
    return X[keep], y[keep], weight[keep]
