"""Readers: which columns a fitted model looks at, for each row and at all."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_array
from sklearn.utils.validation import _num_samples

from ...types import Flags
from .paths import Paths


class Reader(ABC):
    """What a fitted model reads."""

    @property
    def n_columns(self) -> int:
        """How many columns the model is given."""
        return len(self.anywhere())

    @property
    @abstractmethod
    def width(self) -> int:
        """About how many numbers a row takes while it is followed."""

    @abstractmethod
    def anywhere(self) -> Flags:
        """Which columns some row may read (columns,)."""

    @abstractmethod
    def on_rows(self, X: Any) -> Flags:
        """Which columns each row reads (rows x columns)."""


@dataclass(frozen=True, eq=False)
class SameForAll(Reader):
    """A model that reads the same columns whatever the row is.

    Parameters
    ----------
    flags : bool array (columns,)
        Which columns these are.
    """

    flags: Flags

    @property
    def width(self) -> int:
        """A flag a column."""
        return len(self.flags)

    def anywhere(self) -> Flags:
        """All that is read."""
        return self.flags

    def on_rows(self, X: Any) -> Flags:
        """The same for each row."""
        return np.tile(self.flags, (_num_samples(X), 1))


def everything(n_columns: int) -> SameForAll:
    """A model that reads all its columns."""
    return SameForAll(np.ones(n_columns, dtype=bool))


def nothing(n_columns: int) -> SameForAll:
    """A model that reads none of its columns."""
    return SameForAll(np.zeros(n_columns, dtype=bool))


@dataclass(frozen=True, eq=False)
class Walk(Reader):
    """Trees, each followed by each row from the root to a leaf.

    Parameters
    ----------
    paths : Paths
        The columns on the way to each leaf.
    leaves : callable
        The number of the leaf of each row in each tree (rows x trees), by the library's own
        rules for missing values, categories and rounding.
    given : int
        How many columns the model is given.
    """

    paths: Paths
    leaves: Callable[[Any], NDArray[Any]]
    given: int

    @property
    def width(self) -> int:
        """A flag a column and a leaf a tree."""
        return self.given + self.paths.n_trees

    def anywhere(self) -> Flags:
        """All columns that some node compares."""
        return self.paths.anywhere(self.given)

    def on_rows(self, X: Any) -> Flags:
        """The columns on the paths to a row's leaves."""
        if not self.paths.n_trees:
            return np.zeros((_num_samples(X), self.given), dtype=bool)
        return self.paths.read(self.leaves(X), self.given)


@dataclass(frozen=True, eq=False)
class Union(Reader):
    """Several models that are all asked.

    Parameters
    ----------
    parts : sequence of Reader
        At least one; all are given the same columns.
    """

    parts: Sequence[Reader]

    @property
    def width(self) -> int:
        """That of the widest part."""
        return max(part.width for part in self.parts)

    def anywhere(self) -> Flags:
        """What any part may read."""
        return np.asarray(np.any([part.anywhere() for part in self.parts], axis=0))

    def on_rows(self, X: Any) -> Flags:
        """What the parts read together."""
        reads = self.parts[0].on_rows(X)
        for part in self.parts[1:]:
            reads |= part.on_rows(X)
        return reads


@dataclass(frozen=True, eq=False)
class Through(Reader):
    """A model that is given what a transformer makes of the columns.

    Parameters
    ----------
    reader : Reader
        Of the model.
    transform : callable
        From X to what the model is given.
    made_from : bool array (outputs, columns)
        Which columns each output is made from.
    """

    reader: Reader
    transform: Callable[[Any], Any]
    made_from: Flags

    @property
    def width(self) -> int:
        """That of the model, and what it is made from."""
        return int(self.made_from.shape[1]) + self.reader.width

    def anywhere(self) -> Flags:
        """What is made into anything that the model may read."""
        return np.asarray(np.any(self.made_from[self.reader.anywhere()], axis=0))

    def on_rows(self, X: Any) -> Flags:
        """What is made into that which the model reads."""
        reads = self.reader.on_rows(self.transform(X)).astype(np.float32)
        return np.asarray(reads @ self.made_from.astype(np.float32) > 0)


def on_arrays(reader: Reader, n_columns: int, dtype: Any = None, columns: Any = None) -> Through:
    """A member of an ensemble that gives its members arrays, maybe of some columns only.

    Parameters
    ----------
    reader : Reader
        Of the member.
    n_columns : int
        How many columns the ensemble is given.
    dtype : type, optional
        What the ensemble converts X to.
    columns : int array, optional
        The columns that the member is given; all by default.
    """
    chosen = np.arange(n_columns) if columns is None else np.asarray(columns)

    def transform(X: Any) -> Any:
        array = check_array(X, accept_sparse=["csr", "csc"], dtype=dtype, ensure_all_finite=False)
        return array if columns is None else array[:, chosen]

    return Through(reader, transform, np.eye(n_columns, dtype=bool)[chosen])
