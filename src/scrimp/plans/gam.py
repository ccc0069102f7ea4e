"""Generalised additive plans: a function per column, weighted by the columns at hand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..costs.ledger import Ledger
from ..types import Arrays, Flags, Floats, Ints
from .capabilities import Future, ReachInOrder
from .components.readers import Reader
from .components.step_functions import StepFunctions
from .components.step_readers import StepReader
from .components.step_tables import StepTables, WeightedSum
from .components.subset_weights import SubsetWeights
from .contract import Outline, Plan, Source, StageTable, State, check_skip_or_stop


@dataclass
class GamState(State):
    """The stages to come, those told, the values of the rows, and the set that answers."""

    coming: list[int]
    told: list[int]
    source: Source | None
    #: The stages whose set decides the weights; None for those told.
    decisive: list[int] | None
    reachable: list[int]


class GamPlan(Plan[GamState]):
    """A plan whose scores are weighted sums of functions of single columns.

    The weights depend on the columns at hand, whichever these are: with some of them not
    bought, failed or owned in advance, the others take over what they share with them.

    Parameters
    ----------
    stages : StageTable
        The items in the order of their purchase.
    functions : StepFunctions
        The functions, centred on the training rows.
    stage_of : sequence of int
        The stage that buys the column of each function.
    weights : SubsetWeights
        The weights of the functions, for any set of them.
    refusal : {"skip", "stop"}
        Whether a stage that is too expensive is left out, or ends the purchases. A failed
        one is left out in any case.
    """

    kind = "gam"
    outline = Outline(stage_noun="purchase")
    accepts_missing = True
    answers_without = True

    def __init__(
        self,
        stages: StageTable,
        functions: StepFunctions,
        stage_of: Sequence[int] | Ints,
        weights: SubsetWeights,
        refusal: str = "skip",
    ) -> None:
        self.stages, self.functions, self.weights = stages, functions, weights
        self.refusal = check_skip_or_stop(refusal)
        self.stage_of = np.asarray(stage_of, dtype=np.int64)
        self.n_outputs = len(weights.prior)
        if self.stage_of.shape != (len(functions),) or weights.n_functions != len(functions):
            raise ValueError("there must be one stage and one weight per function.")
        if len(functions) and functions.n_outputs != self.n_outputs:
            raise ValueError("functions and prior must have the same number of outputs.")
        if not ((self.stage_of >= 0) & (self.stage_of < len(stages))).all():
            raise ValueError("a function has a stage that there is not.")
        self.reads = tuple(functions.column[self.stage_of == s] for s in range(len(stages)))

    def start(self, keys: NDArray[np.uint64], ledger: Ledger) -> GamState:
        """Return the state of fresh rows; what is owned or costs nothing comes first."""
        free, paid = self.free_and_paid(ledger)
        return GamState(len(keys), [*free, *paid], [], None, None, [])

    def free_and_paid(self, ledger: Ledger) -> tuple[list[int], list[int]]:
        """Return the stages that are owned or cost nothing, and the others."""
        closure, prices = ledger.costs.closure, ledger.costs.prices
        free: list[int] = []
        paid: list[int] = []
        for stage, items in enumerate(self.stages.items):
            is_paid = any(prices[item] for item in ledger.missing(closure(items)))
            (paid if is_paid else free).append(stage)
        return free, paid

    def ask(self, state: GamState) -> int:
        """Return the next stage."""
        return state.coming[0] if state.coming else -1

    def tell(self, state: GamState, stage: int, X: NDArray[Any], rows: Ints) -> None:
        """Note that the columns of a stage are at hand."""
        state.coming.remove(stage)
        state.told.append(stage)
        state.source = Source(X, rows)

    def refuse(self, state: GamState, stage: int, ledger: Ledger) -> None:
        """Leave the stage out, or end the purchases if it is too expensive."""
        failed = not ledger.failed.isdisjoint(ledger.costs.closure(self.stages.items[stage]))
        if failed or self.refusal == "skip":
            state.coming.remove(stage)
        else:
            state.coming = []

    def read(self, state: GamState) -> Floats:
        """Return the weighted sums of the functions at hand."""
        intercept, weights = self._model(state)
        if state.source is None:
            return np.tile(intercept, (state.n, 1))
        return self._sums(state.source.X, state.source.rows, intercept, weights)

    def reader(self, state: GamState) -> Reader:
        """Return a function that answers other rows with the same columns at hand."""
        intercept, weights = self._model(state)
        return StepReader(WeightedSum(intercept, self.functions, weights))

    def _model(self, state: GamState) -> tuple[Floats, Floats]:
        """Return the intercept (outputs,) and the weights (functions,), 0 if not told."""
        decisive = state.told if state.decisive is None else state.decisive
        intercept, weights = self.weights.of(self._at_hand(decisive))
        return intercept, np.where(self._at_hand(state.told), weights, 0.0)

    def _sums(self, X: NDArray[Any], rows: Ints, intercept: Floats, weights: Floats) -> Floats:
        """Return weighted sums of the functions (rows x outputs)."""
        scores = np.tile(intercept, (len(rows), 1))
        self.functions.add(scores, X, rows, weights)
        return scores

    def _at_hand(self, stages: Sequence[int]) -> Flags:
        """Return which functions read columns of some stages."""
        told = np.zeros(len(self.stages), dtype=bool)
        told[stages] = True
        return told[self.stage_of]

    def free_stages(self, state: GamState, owned: Flags) -> list[int]:
        """Return the stages to come on owned columns."""
        return [stage for stage in state.coming if owned[stage]]

    def future(self, state: GamState) -> Future:
        """Return the stages to come."""
        return Future(list(state.coming), self.refusal == "stop")

    def reach(
        self,
        state: GamState,
        free: Sequence[int],
        unsure: Sequence[int],
        X: NDArray[Any],
        rows: Ints,
    ) -> tuple[Floats, Floats]:
        """Return bounds of the scores with all stages to come, over all values of the unsure."""
        final = [*state.told, *free, *unsure]
        intercept, weights = self.weights.of(self._at_hand(final))
        known = self._at_hand([*state.told, *free])
        scores = self._sums(X, rows, intercept, np.where(known, weights, 0.0))
        lowest, highest = self.functions.ranges()
        coming = (self._at_hand(final) & ~known)[:, None]
        ends = np.stack([weights[:, None] * lowest, weights[:, None] * highest])
        state.reachable = final
        return (
            scores + np.where(coming, ends.min(axis=0), 0.0).sum(axis=0),
            scores + np.where(coming, ends.max(axis=0), 0.0).sum(axis=0),
        )

    def reach_in_order(
        self,
        state: GamState,
        steps: Sequence[Sequence[int]],
        X: NDArray[Any],
        rows: Ints,
        threshold: float,
    ) -> ReachInOrder:
        """Return bounds as more and more stages are told: sums, and the ranges of what is not."""
        final = [*state.told, *(stage for stages in steps for stage in stages)]
        intercept, weights = self.weights.of(self._at_hand(final))
        lowest, highest = self.functions.ranges()
        ends = np.stack([weights[:, None] * lowest, weights[:, None] * highest])
        known, sums, ranges = list(state.told), [], []
        for stages in steps:
            known.extend(stages)
            is_known = self._at_hand(known)
            sums.append(WeightedSum(intercept, self.functions, np.where(is_known, weights, 0.0)))
            coming = (self._at_hand(final) & ~is_known)[:, None]
            low, high = ends.min(axis=0), ends.max(axis=0)
            ranges.append([np.where(coming, end, 0.0).sum(axis=0) for end in (low, high)])
        scores = np.moveaxis(StepTables.of(sums).read(X, rows), 1, 0)
        lower, upper = np.moveaxis(np.array(ranges)[:, :, None], 1, 0)
        return ReachInOrder(scores + lower, scores + upper, scores)

    def settle(self, state: GamState) -> None:
        """Answer with the weights of the full set; columns not bought count as their mean."""
        state.decisive = state.reachable

    def parts(self) -> tuple[dict[str, Any], Arrays]:
        """Return the header and the arrays of the plan."""
        arrays = self.stages.arrays() | self.functions.arrays() | self.weights.arrays()
        return {"refusal": self.refusal}, arrays | {"stage_of": self.stage_of}

    @classmethod
    def from_parts(cls, header: dict[str, Any], arrays: Arrays) -> GamPlan:
        """Return the plan of stored `parts`."""
        return cls(
            StageTable.from_arrays(arrays),
            StepFunctions.from_arrays(arrays),
            arrays["stage_of"],
            SubsetWeights.from_arrays(arrays),
            header["refusal"],
        )
