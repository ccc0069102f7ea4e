"""What answers for a set of columns: the protocol of models, and those with a preparation."""

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

#: Cells of prepared tables that are made at a time.
_CELLS = 2**21


class Model(ABC):
    """A trained model of some columns.

    Attributes
    ----------
    kind : str
        Its name in model files.
    columns : int array
        The columns it reads, ascending.
    n_outputs : int
        Numbers a row: one a class, or the prediction.
    accepts_missing : bool
        Whether it has an answer where values are missing.
    takes_sparse : bool
        Whether the table may be a CSR matrix.
    """

    kind: ClassVar[str]
    columns: Ints
    n_outputs: int
    accepts_missing: bool
    takes_sparse: bool = False

    @abstractmethod
    def scores(self, X: NDArray[Any], rows: Ints) -> Floats:
        """Its answers on ``X[rows]`` (rows x outputs); only its columns are looked at."""

    @abstractmethod
    def parts(self) -> tuple[dict[str, Any], Arrays]:
        """All there is to it: a small JSON header, and arrays of int64 and float64."""

    @classmethod
    @abstractmethod
    def from_parts(cls, header: dict[str, Any], arrays: Arrays) -> Self:
        """The inverse of `parts`; refuses what does not fit."""


class PreparedModel(Model):
    """A model that reads prepared columns, and whose sums a link makes answers of.

    Parameters
    ----------
    preparation : Preparation
        What is done to the columns first.
    base : float array (sums,)
        What the sums begin with.
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
        """Where the prepared columns are in the table that `add` is given."""
        plain, source = self.preparation.is_plain, self.preparation.source
        return source if plain else np.arange(len(source))

    @abstractmethod
    def add(self, sums: Floats, X: NDArray[Any], rows: Ints) -> None:
        """Add to sums; X is the table itself if nothing is done to it, else the prepared one."""

    def add_sparse(self, sums: Floats, X: Any) -> None:
        """Add to sums; X is a CSR matrix of plain columns, for models that take it."""
        raise TypeError(f"a {self.kind} model takes arrays.")

    def scores(self, X: Any, rows: Ints) -> Floats:
        """Its answers."""
        sums = np.tile(self.base, (len(rows), 1))
        if sparse.issparse(X):
            self.add_sparse(sums, X[rows])
        elif self.preparation.is_plain:
            self.add(sums, X, rows)
        else:
            self._add_prepared(sums, X, rows)
        return LINKS[self.link](sums)

    def _add_prepared(self, sums: Floats, X: NDArray[Any], rows: Ints) -> None:
        """Block by block, as a prepared table may be much wider than X."""
        width = len(self.preparation.source)
        step = max(_CELLS // max(width, 1), 1)
        for start in range(0, len(rows), step):
            part = rows[start : start + step]
            table = self.preparation.table(X, part)
            own = sums[start : start + step]
            self.add(own, table, np.arange(len(part)))
