"""Tables of the terms of a linear model, which read one column each and have no bound."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ...data.validation import float_array, int_array
from ...types import Floats, Ints
from .members import Members


@dataclass(frozen=True, eq=False)
class TermTable(Members):
    """Terms ``weight * (x - center)``.

    Parameters
    ----------
    column : int array (terms,)
        The column that each term reads; -1 for a constant, whose vote is its weight.
    center : float array (terms,)
        The value at which a term votes 0.
    weight : float array (terms, outputs)
        The weight of each term.
    """

    kind: ClassVar[str] = "terms"
    accepts_missing: ClassVar[bool] = False

    column: Ints
    center: Floats
    weight: Floats

    def __post_init__(self) -> None:
        """Convert the arrays and check their shapes."""
        object.__setattr__(self, "column", int_array("column", self.column))
        object.__setattr__(self, "center", float_array("center", self.center))
        object.__setattr__(self, "weight", float_array("weight", self.weight, 2))
        if not len(self.column) == len(self.center) == len(self.weight):
            raise ValueError("column, center and weight must have one entry per term.")
        if not (np.isfinite(self.center).all() and np.isfinite(self.weight).all()):
            raise ValueError("centers and weights must be finite.")
        if self.column.min(initial=0) < -1:
            raise ValueError("columns must not be negative, other than -1 for a constant.")

    def __len__(self) -> int:
        return len(self.column)

    @property
    def n_outputs(self) -> int:
        """The number of outputs of a vote."""
        return int(self.weight.shape[1])

    @cached_property
    def reads(self) -> tuple[tuple[int, ...], ...]:
        """The columns that each term reads."""
        return tuple((column,) if column >= 0 else () for column in self.column.tolist())

    def votes_on(
        self,
        X: NDArray[Any],
        rows: Ints,
        members: Sequence[int] | None = None,
        out: Floats | None = None,
    ) -> Floats:
        """Return the votes of terms, by default all, on ``X[rows]`` (terms x outputs x rows)."""
        which = np.arange(len(self)) if members is None else np.array(members, dtype=np.int64)
        constant = self.column[which] < 0
        with np.errstate(all="ignore"):  # columns that were not bought may hold any value
            x = X[rows[None, :], self.column[which, None]] - self.center[which, None]
            x[constant] = 1.0
            return np.multiply(x[:, None], self.weight[which][:, :, None], out=out)

    def bounds(self) -> Floats:
        """Return the absolute value of constants, and infinity for the other terms."""
        constants = np.abs(self.weight).max(axis=1, initial=0.0)
        return np.where(self.column < 0, constants, np.inf)

    def taken(self, members: Ints) -> TermTable:
        """Return the table of some of the terms, in the given order."""
        return TermTable(self.column[members], self.center[members], self.weight[members])
