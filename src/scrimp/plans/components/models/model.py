"""The base classes of trained models, with and without a preparation of their columns."""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ....data.preparation import Preparation
from ....kernels.threads import run_over_rows
from ....types import Arrays, Floats, Ints
from .links import LINKS, outputs_of

#: Cells of a prepared table that are computed at a time: what fits in a cache.
_BLOCK_CELLS = 2**16
#: The fewest rows of a block: each has a share in the overhead of a call.
_MIN_BLOCK_ROWS = 256


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
        """The positions of the prepared columns in the table that `prepared` returns."""
        plain, source = self.preparation.is_plain, self.preparation.source
        return source if plain else np.arange(len(source))

    @abstractmethod
    def add(self, sums: Floats, X: NDArray[Any], rows: Ints) -> None:
        """Add to the sums of rows whose values, not yet prepared, are in ``X[rows]``."""

    def prepared(self, X: NDArray[Any], rows: Ints) -> tuple[NDArray[Any], Ints]:
        """Return a prepared table and its rows; the original ones if nothing is prepared."""
        if self.preparation.is_plain:
            return X, rows
        return self.preparation.table(X, rows), np.arange(len(rows))

    def add_sparse(self, sums: Floats, X: Any) -> None:
        """Add to sums; X is a CSR matrix of unprepared columns, for models that accept it."""
        raise TypeError(f"a {self.kind} model takes arrays.")

    @property
    @abstractmethod
    def work(self) -> int:
        """The work of answering a row, in votes of trees: it decides how many threads help."""

    def scores(self, X: Any, rows: Ints) -> Floats:
        """Return the answers of the model."""
        if sparse.issparse(X):
            sums = np.tile(self.base, (len(rows), 1))
            self.add_sparse(sums, X[rows])
            return LINKS[self.link](sums)
        answers = np.empty((len(rows), self.n_outputs))

        def answer(start: int, stop: int) -> None:
            for a in range(start, stop, self._block_rows):
                b = min(a + self._block_rows, stop)
                answers[a:b] = self._answers(X, rows[a:b])

        run_over_rows(answer, len(rows), len(rows) * self.work)
        return answers

    @cached_property
    def _block_rows(self) -> int:
        """The number of rows that are answered at a time."""
        return max(_BLOCK_CELLS // max(len(self.preparation.source), 1), _MIN_BLOCK_ROWS)

    def _answers(self, X: NDArray[Any], rows: Ints) -> Floats:
        """Return the answers of a few rows."""
        sums = np.tile(self.base, (len(rows), 1))
        self.add(sums, X, rows)
        return LINKS[self.link](sums)
