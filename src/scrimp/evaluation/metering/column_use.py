"""Column use: which columns a fitted model reads, per row and for any row."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np
from sklearn.exceptions import NotFittedError
from sklearn.utils import check_array
from sklearn.utils.validation import _num_samples

from ...types import Flags


class ColumnUse(ABC):
    """The columns that the predictions of a fitted model read."""

    @property
    def n_columns(self) -> int:
        """Number of columns that the model is given."""
        return len(self.for_any_row())

    @property
    @abstractmethod
    def width(self) -> int:
        """About how many numbers are held in memory per row."""

    @abstractmethod
    def for_any_row(self) -> Flags:
        """Return which columns some row may read (columns,)."""

    @abstractmethod
    def per_row(self, X: Any) -> Flags:
        """Return which columns each row reads (rows x columns)."""


@dataclass(frozen=True, eq=False)
class FixedColumns(ColumnUse):
    """A model that reads the same columns for every row.

    Parameters
    ----------
    flags : bool array (columns,)
        Which columns these are.
    """

    flags: Flags

    @property
    def width(self) -> int:
        """One flag per column."""
        return len(self.flags)

    def for_any_row(self) -> Flags:
        """Return the columns that are read."""
        return self.flags

    def per_row(self, X: Any) -> Flags:
        """Return the same columns for each row."""
        return np.tile(self.flags, (_num_samples(X), 1))


def all_columns(n_columns: int) -> FixedColumns:
    """Return the column use of a model that reads all its columns."""
    return FixedColumns(np.ones(n_columns, dtype=bool))


def no_columns(n_columns: int) -> FixedColumns:
    """Return the column use of a model that reads none of its columns."""
    return FixedColumns(np.zeros(n_columns, dtype=bool))


@dataclass(frozen=True, eq=False)
class UnionOfColumns(ColumnUse):
    """Several models that all predict.

    Parameters
    ----------
    parts : sequence of ColumnUse
        At least one; all are given the same columns.
    """

    parts: Sequence[ColumnUse]

    @property
    def width(self) -> int:
        """The width of the widest part."""
        return max(part.width for part in self.parts)

    def for_any_row(self) -> Flags:
        """Return the columns that any part may read."""
        return np.asarray(np.any([part.for_any_row() for part in self.parts], axis=0))

    def per_row(self, X: Any) -> Flags:
        """Return the columns that some part reads."""
        reads = self.parts[0].per_row(X)
        for part in self.parts[1:]:
            reads |= part.per_row(X)
        return reads


@dataclass(frozen=True, eq=False)
class TransformedColumns(ColumnUse):
    """A model that is given the output of a transformer.

    Parameters
    ----------
    use : ColumnUse
        Of the model.
    transform : callable
        From X to the input of the model.
    made_from : bool array (outputs, columns)
        Which columns each output of the transformer depends on.
    """

    use: ColumnUse
    transform: Callable[[Any], Any]
    made_from: Flags

    @property
    def width(self) -> int:
        """The width of the model, and one flag per column."""
        return int(self.made_from.shape[1]) + self.use.width

    def for_any_row(self) -> Flags:
        """Return the columns that outputs read by the model depend on."""
        return np.asarray(np.any(self.made_from[self.use.for_any_row()], axis=0))

    def per_row(self, X: Any) -> Flags:
        """Return the columns that the outputs read for each row depend on."""
        reads = self.use.per_row(self.transform(X)).astype(np.float32)
        return np.asarray(reads @ self.made_from.astype(np.float32) > 0)


def as_member(
    use: ColumnUse, n_columns: int, dtype: Any = None, columns: Any = None
) -> TransformedColumns:
    """Return the column use of a member of an ensemble that passes arrays to its members.

    Parameters
    ----------
    use : ColumnUse
        Of the member.
    n_columns : int
        Number of columns that the ensemble is given.
    dtype : type, optional
        The type that the ensemble converts X to.
    columns : int array, optional
        The columns that the member is given; all by default.
    """
    chosen = np.arange(n_columns) if columns is None else np.asarray(columns)

    def transform(X: Any) -> Any:
        array = check_array(X, accept_sparse=["csr", "csc"], dtype=dtype, ensure_all_finite=False)
        return array if columns is None else array[:, chosen]

    return TransformedColumns(use, transform, np.eye(n_columns, dtype=bool)[chosen])


_SUPPORTED = (
    "CostMeter reads fitted models of LightGBM, XGBoost and CatBoost; scikit-learn's decision "
    "trees, forests, boosting, bagging, linear models, nearest neighbours, support vector "
    "machines, neural networks, naive Bayes and dummies; voting, stacking, calibration, searches "
    "and pipelines of these; and scrimp's own."
)


def refuse(model: Any) -> NoReturn:
    """Raise a TypeError for a model whose column use is unknown."""
    raise TypeError(f"Nothing says which columns a {type(model).__name__} reads. {_SUPPORTED}")


def refuse_unfitted(model: Any) -> NoReturn:
    """Raise a NotFittedError."""
    raise NotFittedError(
        f"This {type(model).__name__} is not fitted, so nothing says what it reads. Call fit first."
    )


def refuse_rounds(model: Any, num_iteration: int | None) -> None:
    """Raise a ValueError if rounds are asked for of a model that has none."""
    if num_iteration is not None:
        raise ValueError(
            f"num_iteration is {num_iteration}, but a {type(model).__name__} has no rounds of "
            "boosting to cut off. Leave it out."
        )


def rounds_charged(num_iteration: int | None, used: int, fitted: int) -> int:
    """Return the boosting rounds charged: those asked for, else those ``predict`` uses."""
    return used if num_iteration is None else min(num_iteration, fitted)


def as_array(X: Any) -> Any:
    """Return lists as arrays, and arrays, frames and sparse matrices unchanged."""
    return X if hasattr(X, "shape") else np.asarray(X)
