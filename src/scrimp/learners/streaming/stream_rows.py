"""Rows as weak learners see them: values, bins, and inputs, made when they are first asked for."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...data.columns import Columns
from ...kernels.online_inputs import add_moments
from ...kernels.online_trees import bin_values
from ...plans.components.inputs import Inputs
from ...types import Floats, Ints

#: Categories of a column that have an input of their own; others count as none of them.
MAX_CATEGORIES = 64
#: Rows that the mean and the spread of an input count at most.
INPUT_MEMORY = 50_000.0


@dataclass(frozen=True, eq=False)
class StreamRows:
    """A block of rows.

    Parameters
    ----------
    X : float array (rows, columns)
        The values; NaN where one is missing.
    cuts, n_cuts : float array (columns, bins), int array (columns,)
        The cut points of each column.
    encoding : Inputs or None
        How columns become inputs; None where no learner asks for them.
    """

    X: NDArray[Any]
    cuts: Floats
    n_cuts: Ints
    encoding: Inputs | None = None

    def __len__(self) -> int:
        return len(self.X)

    @cached_property
    def bins(self) -> NDArray[np.uint8]:
        """The bins of the values (rows, columns); the last is that of missing values."""
        bins = np.empty(self.X.shape, dtype=np.uint8)
        bin_values(self.X, self.cuts, self.n_cuts, bins)
        return bins

    @cached_property
    def inputs(self) -> Floats:
        """Standardised inputs (rows, inputs)."""
        assert self.encoding is not None, "these rows have no encoding"
        return self.encoding.of(self.X, np.arange(len(self.X)))

    @cached_property
    def shared(self) -> dict[Any, Any]:
        """What a learner has computed of the rows, for the others."""
        return {}


class InputMoments:
    """Means and spreads of inputs, as rows arrive.

    Parameters
    ----------
    columns : Columns
        A number is one input, a category up to `MAX_CATEGORIES`, one per category.
    pooled : bool
        Whether all inputs have one mean and one spread, as pixels do.
    """

    def __init__(self, columns: Columns, pooled: bool = False) -> None:
        self.pooled = pooled
        column, code = [], []
        for j, known in enumerate(columns.categories):
            codes = [-1] if known is None else list(range(min(len(known), MAX_CATEGORIES)))
            column += [j] * len(codes)
            code += codes
        self.column, self.code = np.array(column, dtype=np.int64), np.array(code, dtype=np.int64)
        self._count, self._mean, self._spread = np.zeros((3, len(column)))

    def __len__(self) -> int:
        return len(self.column)

    def add(self, X: NDArray[Any]) -> None:
        """Take new rows."""
        add_moments(
            X, self.column, self.code, INPUT_MEMORY, self._count, self._mean, self._spread
        )  # fmt: skip

    def inputs(self) -> Inputs:
        """Return the encoding by the rows so far; an input that never varied is only centered."""
        center, spread = self._mean.copy(), self._spread
        if self.pooled:
            center = np.full_like(center, self._mean.mean())
            spread = np.full_like(spread, (spread + (self._mean - center) ** 2).mean())
        scale = np.sqrt(spread)
        varied = scale > 1e-12 * np.maximum(np.abs(center), 1e-300)
        return Inputs(self.column, self.code, center, np.where(varied, scale, 1.0))
