"""Readers of sums of stumps and of step functions, which are joined in tables of steps."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ...kernels.threads import run_over_rows
from ...types import Floats, Ints
from .readers import JointReader
from .step_tables import StepTables, WeightedSum
from .stumps import StumpTable

#: Sums that differ from the base by less than this part of all votes may equal it: the order of
#: additions decides, by their rounding.
_ROUNDING = 1e-10
#: The most rows that are answered one by one: beyond it blocks of rows are faster.
_MAX_SINGLE_ROWS = 16


@dataclass(frozen=True, eq=False)
class StepReader:
    """A weighted sum of step functions.

    Parameters
    ----------
    sum : WeightedSum
        The sum.
    """

    kind: ClassVar[str] = "steps"

    sum: WeightedSum

    def __call__(self, X: NDArray[Any], rows: Ints) -> Floats:
        """Return the sums (rows x outputs)."""
        return self._alone.read(X, rows)[:, 0]

    @cached_property
    def _alone(self) -> StepTables:
        return StepTables.of([self.sum])

    @classmethod
    def joined(cls, readers: Sequence[StepReader]) -> JointReader:
        """Return all sums."""
        return StepTables.of([reader.sum for reader in readers]).read


@dataclass(frozen=True, eq=False)
class StumpReader:
    """The sum of the votes of some stumps, in their order.

    Parameters
    ----------
    stumps : StumpTable
        All stumps of a plan.
    told : sequence of int
        Those that vote.
    base, prior : float arrays (outputs,)
        Where the sums start, and the answer where they end there too.
    """

    kind: ClassVar[str] = "stumps"

    stumps: StumpTable
    told: Sequence[int]
    base: Floats
    prior: Floats

    def __call__(self, X: NDArray[Any], rows: Ints) -> Floats:
        """Return the sums, or the prior (rows x outputs)."""
        from ...kernels.votes import answer_rows

        answers: Floats
        if len(rows) > _MAX_SINGLE_ROWS:
            (answers,) = self._after(np.array([len(self.told)]), X, rows)
            return answers
        answers = np.empty((len(rows), len(self.base)))
        answer_rows(X, rows, self.base, self.prior, answers, *self._told_table[2])
        return answers

    def _after(self, counts: Ints, X: NDArray[Any], rows: Ints) -> Floats:
        """Return the answers after ascending numbers of votes (counts x rows x outputs)."""
        from ...kernels.votes import add_stumps

        base, prior, n, (order, slots, table) = self.base, self.prior, len(rows), self._told_table
        answers, sums = np.empty((len(counts), n, len(base))), np.tile(base, (n, 1))

        def add(a: int, b: int) -> None:
            out = answers[:, a:b]
            add_stumps(sums[a:b], order, slots, X, rows[a:b], counts, base, prior, out, *table)

        run_over_rows(add, n, n * len(order))
        return answers

    @cached_property
    def _told_table(self) -> tuple[Ints, Ints, list[NDArray[Any]]]:
        """The numbers, the slots of the columns, and the table of the stumps that vote."""
        table = self.stumps.parts_of(np.array(self.told, dtype=np.int64))
        return np.arange(len(self.told)), np.unique(table[0], return_inverse=True)[1], table

    @property
    def sum(self) -> WeightedSum:
        """The sum, to rounding and but for the prior of votes that cancel out."""
        weights = np.zeros(len(self.stumps))
        weights[self.told] = 1.0
        return WeightedSum(self.base if self.told else self.prior, self.stumps, weights)

    @property
    def tolerance(self) -> float:
        """The largest difference from the base that may be due to rounding; -1 without votes."""
        return _ROUNDING * float(self.stumps.bounds()[self.told].sum()) if self.told else -1.0

    @classmethod
    def joined(cls, readers: Sequence[StumpReader]) -> JointReader:
        """Return all answers: in one pass over the stumps where each adds votes to the last."""
        if not all(b._adds_to(a) for a, b in itertools.pairwise(readers)):
            return cls._joined_by_column(readers)
        counts, longest = np.array([len(reader.told) for reader in readers]), readers[-1]
        return lambda X, rows: np.moveaxis(longest._after(counts, X, rows), 0, 1)

    def _adds_to(self, other: StumpReader) -> bool:
        """Return whether this is the sum of another reader and of stumps that come after."""
        same = self.stumps is other.stumps and self.base is other.base
        return same and list(self.told[: len(other.told)]) == list(other.told)

    @classmethod
    def _joined_by_column(cls, readers: Sequence[StumpReader]) -> JointReader:
        """Return all answers: sums by column, and by stump where votes may cancel out."""
        from ...kernels.steps import mark_near

        tables = StepTables.of([reader.sum for reader in readers])
        base = np.array([reader.base for reader in readers])
        tolerance = np.array([reader.tolerance for reader in readers])

        def read(X: NDArray[Any], rows: Ints) -> Floats:
            answers, near = tables.read(X, rows), np.empty(len(rows), dtype=bool)
            mark_near(answers[:, :, 0], base[:, 0], tolerance, near)
            unsure = np.flatnonzero(near)
            equal = (np.abs(answers[unsure] - base) <= tolerance[:, None]).all(axis=2)
            for number in np.flatnonzero(equal.any(axis=0)).tolist():
                chosen = unsure[equal[:, number]]
                answers[chosen, number] = readers[number](X, rows[chosen])
            return answers

        return read
