"""Rows as weak learners see them: values, bins, and inputs, made when they are first asked for."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...data.columns import Columns
from ...kernels.online_inputs import add_moments
from ...kernels.online_trees import bin_values
from ...plans.components.inputs import Inputs
from ...types import Arrays, Flags, Floats, Ints
from .learner_state import check_like

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
        self.column, self.code = _inputs_of(columns)
        self._count, self._mean, self._spread = np.zeros((3, len(self)))
        #: Inputs that have had a value; that of a category, which some row was of.
        self.seen: Flags = np.zeros(len(self), dtype=bool)

    def __len__(self) -> int:
        return len(self.column)

    def grow(self, columns: Columns) -> None:
        """Take more columns and categories, of which there was none in the rows so far."""
        old, (self.column, self.code) = (self.column, self.code), _inputs_of(columns)
        at = self.places(*old)
        # a row without a category is one for its indicator, which was 0
        count = np.zeros(len(columns))
        count[old[0]] = self._count
        for name, new in (("_count", count[self.column]), ("_mean", 0.0), ("_spread", 0.0)):
            wide = np.zeros(len(self)) + new
            wide[at] = getattr(self, name)
            setattr(self, name, wide)
        seen, self.seen = self.seen, np.zeros(len(self), dtype=bool)
        self.seen[at] = seen

    def places(self, column: Ints, code: Ints) -> Ints:
        """Return where inputs of earlier are now: they are sorted by column and code."""
        place = {pair: at for at, pair in enumerate(_pairs(self.column, self.code))}
        return np.array([place[pair] for pair in _pairs(column, code)], dtype=np.int64)

    def state(self) -> Arrays:
        """Return all that is to be known of the rows so far."""
        return {
            "count": self._count, "mean": self._mean, "spread": self._spread, "seen": self.seen,
        }  # fmt: skip

    def restore(self, state: Arrays) -> None:
        """Go on from a `state`; raise ValueError if it can be none of these inputs."""
        check_like(self.state(), state)
        count, mean, spread = (state[name].copy() for name in ("count", "mean", "spread"))
        if not np.isfinite([count, mean, spread]).all() or (np.append(count, spread) < 0).any():
            raise ValueError("the means and spreads of its inputs are no such")
        self._count, self._mean, self._spread = count, mean, spread
        self.seen = state["seen"].copy()

    def add(self, X: NDArray[Any]) -> None:
        """Take new rows."""
        add_moments(
            X, self.column, self.code, INPUT_MEMORY, self._count, self._mean, self._spread
        )  # fmt: skip
        self.seen |= (self._count > 0) & ((self.code < 0) | (self._mean > 0))

    def inputs(self) -> Inputs:
        """Return the encoding by the rows so far; an input that never varied is only centered."""
        center, spread = self._mean.copy(), self._spread
        if self.pooled:
            center = np.full_like(center, self._mean.mean())
            spread = np.full_like(spread, (spread + (self._mean - center) ** 2).mean())
        scale = np.sqrt(spread)
        varied = scale > 1e-12 * np.maximum(np.abs(center), 1e-300)
        return Inputs(self.column, self.code, center, np.where(varied, scale, 1.0))


def _inputs_of(columns: Columns) -> tuple[Ints, Ints]:
    """Return the column and the code of each input; a number has the code -1."""
    column, code = [], []
    for j, known in enumerate(columns.categories):
        codes = [-1] if known is None else list(range(min(len(known), MAX_CATEGORIES)))
        column += [j] * len(codes)
        code += codes
    return np.array(column, dtype=np.int64), np.array(code, dtype=np.int64)


def _pairs(column: Ints, code: Ints) -> Iterator[tuple[int, int]]:
    return zip(column.tolist(), code.tolist(), strict=True)
