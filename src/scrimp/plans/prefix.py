"""Prefix plans: groups of columns in a fixed order, with a model of its own for each prefix."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..costs.ledger import Ledger
from ..data.validation import float_array, int_array
from ..types import Arrays, Floats, Ints
from .contract import Plan, StageTable, State


@dataclass
class PrefixState(State):
    """How much of the order is owned, and where its values are."""

    position: int
    ended: bool
    source: tuple[NDArray[Any], Ints] | None


class PrefixPlan(Plan[PrefixState]):
    """After each purchase the prefix's own linear model answers.

    Parameters
    ----------
    stages : StageTable
        The items of each stage, in the order bought.
    columns : int array
        The columns of all stages, in the order bought.
    counts : int array (stages,)
        How many columns are known after each stage.
    intercepts : float array (stages + 1, outputs)
        One a prefix; the first is the prior.
    coefficients : float array (sum of counts, outputs)
        The models of the prefixes, one after the other.
    fill : float array, optional
        What a missing value of each of `columns` counts as; without it there may be none.
    """

    kind: ClassVar[str] = "prefix"

    def __init__(
        self,
        stages: StageTable,
        columns: ArrayLike,
        counts: ArrayLike,
        intercepts: ArrayLike,
        coefficients: ArrayLike,
        fill: ArrayLike = (),
    ) -> None:
        self.stages = stages
        self.columns = int_array("columns", columns)
        self.counts = int_array("counts", counts)
        self.intercepts = float_array("intercepts", intercepts, 2)
        self.coefficients = float_array("coefficients", coefficients, 2)
        self.fill = float_array("fill", fill)
        self.accepts_missing = len(self.fill) > 0
        self._check()
        self.n_outputs = self.intercepts.shape[1]
        self._ends = np.concatenate([[0], np.cumsum(self.counts)])
        order = self.columns.tolist()
        self.reads = tuple(tuple(order[a:b]) for a, b in pairwise([0, *self.counts.tolist()]))

    def _check(self) -> None:
        counts = [0, *self.counts.tolist()]  # Python's numbers: differences cannot overflow
        if len(counts) != len(self.stages) + 1 or sorted(counts) != counts:
            raise ValueError("counts must hold one ascending number a stage.")
        if counts[-1] != len(self.columns):
            raise ValueError("the last count must be the number of columns.")
        if len(self.intercepts) != len(self.stages) + 1:
            raise ValueError("intercepts must be (stages + 1 x outputs).")
        if self.coefficients.shape != (self.counts.sum(), self.intercepts.shape[1]):
            raise ValueError("coefficients must be (sum of counts x outputs).")
        if len(self.fill) not in (0, len(self.columns)) or not np.isfinite(self.fill).all():
            raise ValueError("fill must hold one finite number a column.")

    def told_before(self, stage: int) -> range:
        """All stages before it."""
        return range(stage)

    def start(self, keys: NDArray[np.uint64], ledger: Ledger) -> PrefixState:
        """Nothing known."""
        return PrefixState(len(keys), 0, False, None)

    def ask(self, state: PrefixState) -> int:
        """The next group in order."""
        return -1 if state.ended or state.position == len(self.stages) else state.position

    def tell(self, state: PrefixState, stage: int, X: NDArray[Any], rows: Ints) -> None:
        """A longer prefix is known; its model is evaluated when somebody reads."""
        state.position = stage + 1
        state.source = (X, rows)

    def refuse(self, state: PrefixState, stage: int, ledger: Ledger) -> None:
        """There is no model with a gap: the prefix so far stands."""
        state.ended = True

    def read(self, state: PrefixState) -> Floats:
        """The answer of the prefix's model."""
        prefix = state.position
        scores = np.tile(self.intercepts[prefix], (state.n, 1))
        if prefix == 0 or state.source is None:
            return scores
        from ..kernels.model_scores import add_linear_terms

        X, rows = state.source
        columns = self.columns[: self.counts[prefix - 1]]
        model = self.coefficients[self._ends[prefix - 1] : self._ends[prefix]]
        add_linear_terms(scores, X, rows, columns, model, self.fill[: len(columns)])
        return scores

    def split(self, state: PrefixState, index: Ints) -> PrefixState:
        """Some of the rows."""
        part = state.take(index)
        if state.source is not None:
            part.source = (state.source[0], state.source[1][index])
        return part

    def parts(self) -> tuple[dict[str, Any], Arrays]:
        """All there is to the plan."""
        arrays = {
            "columns": self.columns,
            "counts": self.counts,
            "intercepts": self.intercepts,
            "coefficients": self.coefficients,
        }
        fill = {"fill": self.fill} if len(self.fill) else {}
        return {}, arrays | fill | self.stages.arrays()

    @classmethod
    def from_parts(cls, header: dict[str, Any], arrays: Arrays) -> PrefixPlan:
        """The inverse of `parts`."""
        return cls(
            StageTable.from_arrays(arrays),
            arrays["columns"],
            arrays["counts"],
            arrays["intercepts"],
            arrays["coefficients"],
            arrays.get("fill", ()),
        )
