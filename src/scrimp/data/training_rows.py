"""The training rows of an estimator, validated once in `fit`."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils import _safe_indexing, check_random_state
from sklearn.utils.class_weight import compute_sample_weight
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import (
    _check_sample_weight,
    _check_y,
    check_consistent_length,
    validate_data,
)

from ..types import Floats, Ints
from .columns import Columns, as_frame, learn_columns
from .error_costs import cost_matrix
from .validation import FLOAT_DTYPES, check_labels, check_several

#: Weights up to this, and down to its reciprocal, are used as they are given.
LARGEST_WEIGHT = 2.0**200


@dataclass(frozen=True, eq=False)
class TrainingRows:
    """Rows to learn from, all of them valid.

    Parameters
    ----------
    table : array or CSR matrix (rows, columns)
        Numbers, codes of categories, NaN where a value is missing.
    y : array (rows,)
        Targets.
    weights : float array (rows,), or None
        None if none were given. Extreme ones are rescaled: see `in_ordinary_range`.
    columns : Columns
        The columns of the table.
    kept : int array (rows,), or None
        Positions of the rows among those given to `fit`; None if they are all there.

    Examples
    --------
    >>> columns = Columns(None, (None,))
    >>> rows = TrainingRows(np.ones((3, 1)), np.arange(3), np.array([1.0, 0.0, 2.0]), columns)
    >>> rows.of_positive_weight().kept.tolist()
    [0, 2]
    """

    table: Any
    y: NDArray[Any]
    weights: Floats | None
    columns: Columns
    kept: Ints | None = None

    def __len__(self) -> int:
        return int(self.table.shape[0])

    @property
    def weights_or_ones(self) -> Floats:
        """The weights, 1 each if none were given."""
        return np.ones(len(self)) if self.weights is None else self.weights

    def of_positive_weight(self) -> TrainingRows:
        """Return the rows without those of weight 0."""
        if self.weights is None or (self.weights > 0).all():
            return self
        if not self.weights.any():
            raise ValueError("sample_weight is 0 for all rows; expected a positive weight.")
        return self.taken(np.flatnonzero(self.weights > 0))

    def taken(self, index: Ints) -> TrainingRows:
        """Return some of the rows."""
        weights = None if self.weights is None else self.weights[index]
        kept = index if self.kept is None else self.kept[index]
        return TrainingRows(self.table[index], self.y[index], weights, self.columns, kept)

    def without_equal_weights(self) -> TrainingRows:
        """Return the rows without weights if these are all 1."""
        unit = self.weights is not None and bool((self.weights == 1.0).all())
        return replace(self, weights=None) if unit else self

    def of_given(self, X: Any) -> Any:
        """Return these rows of the table as it was given to `fit`."""
        return X if self.kept is None else _safe_indexing(X, self.kept)

    def labelled(self) -> tuple[NDArray[Any], NDArray[np.intp]]:
        """Return the classes, sorted, and the position of each target among them."""
        classes, labels = np.unique(self.y, return_inverse=True)
        check_several(classes)
        return classes, labels


def read_rows(
    estimator: Any, X: Any, y: Any, sample_weight: Any = None, *, reset: bool = True,
    accept_sparse: bool = False, classes: bool = False, rescale_weights: bool = True,
    **y_options: Any,
) -> TrainingRows:  # fmt: skip
    """Return X as numbers without a copy where it is an array of them, y and the weights.

    Parameters
    ----------
    estimator : estimator
        Remembers the number and names of the columns, as scikit-learn's estimators do. Its
        `class_weight`, if it has one, multiplies the weights; its `error_cost` is checked.
    X : array, data frame or CSR matrix
        As given to `fit`.
    y : array
        As given to `fit`.
    sample_weight : array, optional
        As given to `fit`.
    reset : bool
        Whether the columns are learnt from these rows, or have to be those of earlier rows.
    accept_sparse : bool
        Whether X may be a sparse matrix.
    classes : bool
        Whether y must hold classes.
    rescale_weights : bool
        Whether extreme weights may be multiplied by a number: see `in_ordinary_range`. Not if
        the rows are added to others, or if weights are multiplied by a parameter.
    y_options : dict
        For y, as in `sklearn.utils.validation.validate_data`.
    """
    if classes and y is not None:
        check_labels(np.asarray(y))
    known = None
    if as_frame(X) is None:
        table, y = validate_data(
            estimator, X, y, reset=reset, dtype=FLOAT_DTYPES, ensure_all_finite=False,
            accept_sparse="csr" if accept_sparse else False, **y_options,
        )  # fmt: skip
        columns = Columns(None, (None,) * table.shape[1])
    else:
        known = getattr(estimator, "_known_columns", None) if reset else estimator.columns_
        columns = known or learn_columns(X)
        y = _check_y(y, estimator=estimator, **y_options)
        validate_data(estimator, X, reset=reset, skip_check_array=True)
        table = columns.encode(X)
        check_consistent_length(table, y)
        if len(table) == 0:
            raise ValueError("X has 0 rows; a minimum of 1 is required.")
    if known is None and reset:
        columns = columns.with_ranges(table)
    if classes:
        check_classification_targets(y)
    weights = None
    if sample_weight is not None:
        weights = _check_sample_weight(
            sample_weight, table, dtype=np.float64, ensure_non_negative=True, copy=True
        )
        weights = in_ordinary_range(weights) if rescale_weights else weights
    if classes and getattr(estimator, "error_cost", None) is not None:
        _check_error_cost(estimator.error_cost, y, weights)
    if classes and getattr(estimator, "class_weight", None) is not None:
        weights = _class_weighted(estimator.class_weight, y, weights)
    return TrainingRows(table, y, weights, columns)


def _check_error_cost(error_cost: Any, y: NDArray[Any], weights: Floats | None) -> None:
    """Refuse costs of errors that do not fit the classes, before the training."""
    classes = np.unique(y if weights is None else y[weights > 0])
    if len(classes) > 1:  # fewer are refused elsewhere
        cost_matrix(error_cost, classes)


def _class_weighted(class_weight: Any, y: NDArray[Any], weights: Floats | None) -> Floats | None:
    """Return the weights of rows times those of their classes, as in scikit-learn."""
    if weights is not None and not weights.any():
        return weights
    product = np.ones(len(y)) if weights is None else weights
    counted = product > 0
    of_class = compute_sample_weight(class_weight, y[counted])
    if not (np.isfinite(of_class) & (of_class > 0)).all():
        raise ValueError(f"class_weight is {class_weight!r}; expected numbers > 0.")
    product[counted] *= of_class
    return product


def in_ordinary_range(weights: Floats) -> Floats:
    """Return weights whose sums and squares neither overflow nor vanish.

    If the largest is beyond `LARGEST_WEIGHT`, or below its reciprocal, all are multiplied by the
    power of two that brings it to between 1 and 2, which does not round them.

    >>> in_ordinary_range(np.array([3.0, 0.0, 1.0])).tolist()
    [3.0, 0.0, 1.0]
    >>> in_ordinary_range(np.array([2.0**900, 0.0, 2.0**899])).tolist()
    [1.0, 0.0, 0.5]
    """
    largest = weights.max(initial=0.0)
    if largest == 0 or 1 / LARGEST_WEIGHT <= largest <= LARGEST_WEIGHT:
        return weights
    return np.asarray(np.ldexp(weights, 1 - np.frexp(largest)[1]))


def refuse_large_weights(weights: Floats | None, where: str) -> None:
    """Refuse weights whose sums or squares may overflow, where they cannot be rescaled."""
    largest = 0.0 if weights is None else float(weights.max(initial=0.0))
    if largest > LARGEST_WEIGHT:
        raise ValueError(
            f"sample_weight holds {largest:g}; {where} expected weights up to "
            f"{LARGEST_WEIGHT:.2g}. Divide all weights by one number."
        )


def numeric_target(y: NDArray[Any], classifier: str) -> Floats:
    """Return a target as numbers; `classifier` is the estimator to use for classes instead."""
    try:
        return np.asarray(y, dtype=np.float64)
    except (TypeError, ValueError):
        text = next((repr(value) for value in y.tolist() if isinstance(value, str)), y.dtype.name)
        raise ValueError(
            f"y holds {text}; expected numbers. Use {classifier} for classes."
        ) from None


def seed_from(random_state: Any) -> int:
    """Return a seed drawn from a `random_state`."""
    return int(check_random_state(random_state).randint(2**31 - 1))


def as_seed(random_state: Any) -> int:
    """Return a number as it is, as scikit-learn's estimators take it; else a seed drawn from it."""
    is_seed = isinstance(random_state, int | np.integer)
    return int(random_state) if is_seed else seed_from(random_state)


def seeded(estimator: Any, seed: int) -> Any:
    """Return a clone with each random_state that is None, also of its parts, set to a seed."""
    copy = clone(estimator)
    params = copy.get_params(deep=True)
    names = [n for n in params if n == "random_state" or n.endswith("__random_state")]
    return copy.set_params(**{name: seed for name in names if params[name] is None})
