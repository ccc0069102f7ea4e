"""The base classes of trained models, with and without a preparation of their columns."""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ....data.preparation import Preparation
from ....types import Arrays, Floats, Ints
from .links import LINKS, outputs_of

#: Cells of a prepared table that are computed at a time: it bounds the memory of wide tables.
_BLOCK_CELLS = 2**21


class Model(ABC):
    """A trained model of some columns.

    Attributes
    ----------
    kind : str
        The name of the kind of model in model files.
    columns : int array
        The columns that it reads, ascending.
    n_outputs : int
        The number of outputs per row: one per class, or one for a prediction.
    accepts_missing : bool
        Whether its columns may hold NaN.
    takes_sparse : bool
        Whether X may be a CSR matrix.
    """

    kind: ClassVar[str]
    columns: Ints
    n_outputs: int
    accepts_missing: bool
    takes_sparse: bool = False

    @abstractmethod
    def scores(self, X: NDArray[Any], rows: Ints) -> Floats:
        """Return the answers on ``X[rows]`` (rows x outputs), which depend on its columns alone."""

    def trimmed(self) -> Model:
        """Return a model with the same answers that reads only columns its answers depend on."""
        return self

    @abstractmethod
    def parts(self) -> tuple[dict[str, Any], Arrays]:
        """Return the model as a small JSON header and arrays of int64 and float64, for storage."""

    @classmethod
    @abstractmethod
    def from_parts(cls, header: dict[str, Any], arrays: Arrays) -> Self:
        """Return the model of stored `parts`; raise ValueError if they do not fit."""


class PreparedModel(Model):
    """A model of prepared columns whose answers are a link function of sums.

    Parameters
    ----------
    preparation : Preparation
        The preparation of the columns.
    base : float array (sums,)
        The initial sums.
    link : str
        One of `scrimp.plans.components.models.links.LINKS`.
    """

    def __init__(self, preparation: Preparation, base: Floats, link: str) -> None:
        if not np.isfinite(base).all():
            raise ValueError("base must be finite.")
        self.preparation = preparation
        self.base = base
        self.link = link
        self.columns = preparation.columns
        self.n_outputs = outputs_of(link, len(base))
        self.accepts_missing = preparation.fills

    @cached_property
    def inputs(self) -> Ints:
        """The positions of the prepared columns in the table that `add` receives."""
        plain, source = self.preparation.is_plain, self.preparation.source
        return source if plain else np.arange(len(source))

    @abstractmethod
    def add(self, sums: Floats, X: NDArray[Any], rows: Ints) -> None:
        """Add to sums; X is the prepared table, or the original one if nothing is prepared."""

    def add_sparse(self, sums: Floats, X: Any) -> None:
        """Add to sums; X is a CSR matrix of unprepared columns, for models that accept it."""
        raise TypeError(f"a {self.kind} model takes arrays.")

    def scores(self, X: Any, rows: Ints) -> Floats:
        """Return the answers of the model."""
        sums = np.tile(self.base, (len(rows), 1))
        if sparse.issparse(X):
            self.add_sparse(sums, X[rows])
        elif self.preparation.is_plain:
            self.add(sums, X, rows)
        else:
            self._add_prepared(sums, X, rows)
        return LINKS[self.link](sums)

    def _add_prepared(self, sums: Floats, X: NDArray[Any], rows: Ints) -> None:
        """Add to sums in blocks, as a prepared table may be much wider than X."""
        width = len(self.preparation.source)
        step = max(_BLOCK_CELLS // max(width, 1), 1)
        for start in range(0, len(rows), step):
            part = rows[start : start + step]
            table = self.preparation.table(X, part)
            self.add(sums[start : start + step], table, np.arange(len(part)))
