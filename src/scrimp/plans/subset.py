"""Subset plans: one model that answers from whichever of its items are there."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..costs.ledger import Ledger
from ..data.validation import float_array
from ..types import Arrays, Flags, Floats, Ints
from .capabilities import Future, ReachInOrder, no_bounds
from .components.models import Model, TreesModel
from .components.prefix_models import ModelSequence
from .components.readers import Reader
from .contract import Outline, Plan, Source, StageTable, State

#: Cells of the table that a model reads at a time: it bounds the memory of wide tables.
_BLOCK_CELLS = 2**21


@dataclass
class SubsetState(State):
    """The stages still to ask for, those that were told, and the values of the rows."""

    wanted: list[int]
    told: set[int]
    source: Source | None
    #: The stages at the end if nothing fails, where the row has stopped before; and those known.
    reachable: list[int] | None = None
    settled: bool = False


class SubsetPlan(Plan[SubsetState]):
    """A plan whose model takes the columns of items that are not there as missing values.

    A refused stage is left out, and the model answers without it. The model should have learnt
    from rows of which some items were knocked out.

    Parameters
    ----------
    items : sequence of int
        One stage per item, in the order in which they are bought.
    reads : sequence of sequences of int
        The columns of each item that the model reads.
    model : Model
        A model that accepts missing values.
    prior : float array (outputs,)
        The answer before any purchase.
    weights : float array (stages,), optional
        How far each item moves the answer from the prior towards the model's, from 0 to 1. Those
        of the items that are there add up, to at most 1. By default the answer is the model's.
    """

    kind = "subset"
    refusal = "skip"
    accepts_missing = True
    outline = Outline(stage_noun="purchase")

    def __init__(
        self, items: Sequence[int], reads: Sequence[Sequence[int]], model: Model, prior: ArrayLike,
        weights: Floats | None = None,
    ) -> None:  # fmt: skip
        self._models = ModelSequence([model], prior)  # checks that they fit
        self.model, self.prior = model, self._models.prior
        self.n_outputs = model.n_outputs
        self.stages = StageTable(tuple((int(item),) for item in items))
        self.reads = tuple(tuple(map(int, columns)) for columns in reads)
        if not model.accepts_missing:
            raise ValueError("the model of a subset plan must accept missing values.")
        if len(self.reads) != len(self.stages):
            raise ValueError(f"{len(self.stages)} items but columns of {len(self.reads)}.")
        if sorted(column for columns in self.reads for column in columns) != model.columns.tolist():
            raise ValueError("the columns of the items must be those of the model, each once.")
        self.weights = None if weights is None else float_array("weights", weights)
        if weights is not None and len(weights) != len(self.stages):
            raise ValueError(f"{len(self.stages)} items but {len(weights)} weights.")

    def start(self, keys: NDArray[np.uint64], ledger: Ledger) -> SubsetState:
        """Return the state of rows that want all items."""
        return SubsetState(len(keys), list(range(len(self.stages))), set(), None)

    def ask(self, state: SubsetState) -> int:
        """Return the first stage that is still wanted."""
        return state.wanted[0] if state.wanted else -1

    def tell(self, state: SubsetState, stage: int, X: NDArray[Any], rows: Ints) -> None:
        """Note that the columns of an item are there."""
        self.refuse(state, stage)
        state.told.add(stage)
        state.source = Source(X, rows)

    def refuse(self, state: SubsetState, stage: int, ledger: Ledger | None = None) -> None:
        """Continue with the other items."""
        if stage in state.wanted:
            state.wanted.remove(stage)

    def read(self, state: SubsetState) -> Floats:
        """Return the answers of the model on what was told."""
        if state.source is None:
            return np.tile(self.prior, (state.n, 1))
        X, rows = state.source.X, state.source.rows
        if state.settled and state.reachable is not None:
            # the label is that of any value of what is not bought, and so of the middle of bounds
            lower, upper = self._bounds([state.told], state.reachable, X, rows)
            return np.asarray((lower[0] + upper[0]) / 2.0)
        return self._scores(state.told, X, rows)

    def future(self, state: SubsetState) -> Future:
        """Return the wanted stages, for models of trees whose sums can be bounded."""
        has_ranges = isinstance(self.model, TreesModel) and self.model.has_ranges
        if not has_ranges or self.weights is not None:
            raise no_bounds(self.kind)
        return Future(list(state.wanted), False)

    def reach(
        self,
        state: SubsetState,
        free: Sequence[int],
        unsure: Sequence[int],
        X: NDArray[Any],
        rows: Ints,
    ) -> tuple[Floats, Floats]:
        """Return bounds of the scores with all stages to come, by the leaves that are left."""
        state.reachable = [*state.told, *free, *unsure]
        lower, upper = self._bounds([[*state.told, *free]], state.reachable, X, rows)
        return lower[0], upper[0]

    def reach_in_order(
        self,
        state: SubsetState,
        steps: Sequence[Sequence[int]],
        X: NDArray[Any],
        rows: Ints,
        threshold: float,
    ) -> ReachInOrder:
        """Return bounds as more and more stages are told, by the leaves that are left."""
        first, *others = steps
        known = [[*state.told, *first], *others]
        final = [stage for stages in known for stage in stages]
        return ReachInOrder(*self._bounds(known, final, X, rows, threshold))

    def settle(self, state: SubsetState) -> None:
        """Answer with the middle of the bounds."""
        state.settled = True

    def _bounds(
        self,
        steps: Sequence[Iterable[int]],
        final: Sequence[int],
        X: NDArray[Any],
        rows: Ints,
        threshold: float = np.nan,
    ) -> tuple[Floats, Floats]:
        """Return bounds (steps x rows x outputs) as stages become known; others never come."""
        lacking = self._columns_of(set(range(len(self.stages))).difference(final))
        known = [self._columns_of(stages) for stages in steps]
        return cast(TreesModel, self.model).ranges(X, rows, known, lacking, threshold)

    def _columns_of(self, stages: Iterable[int]) -> list[int]:
        return [column for stage in stages for column in self.reads[stage]]

    def reader(self, state: SubsetState) -> Reader:
        """Return the model on the columns that a state was told."""
        if state.source is None:
            return lambda X, rows: np.tile(self.prior, (len(rows), 1))
        told = set(state.told)
        return lambda X, rows: self._scores(told, X, rows)

    def free_stages(self, state: SubsetState, owned: Flags) -> list[int]:
        """Return the wanted stages whose items are owned."""
        return [stage for stage in state.wanted if owned[stage]]

    def _scores(self, told: set[int], X: NDArray[Any], rows: Ints) -> Floats:
        if len(told) == len(self.stages):
            return self.model.scores(X, rows)
        width = int(self.model.columns.max(initial=-1)) + 1
        scores, step = np.empty((len(rows), self.n_outputs)), max(_BLOCK_CELLS // max(width, 1), 1)
        for start in range(0, len(rows), step):
            table = self._table(told, X, rows[start : start + step])
            scores[start : start + step] = self.model.scores(table, np.arange(len(table)))
        weight = 1.0 if self.weights is None else min(self.weights[list(told)].sum(), 1.0)
        return np.asarray(self.prior + weight * (scores - self.prior)) if weight < 1 else scores

    def _table(self, told: set[int], X: NDArray[Any], rows: Ints) -> Floats:
        """Return the columns of some stages, others missing."""
        columns = self._columns_of(sorted(told))
        table = np.full((len(rows), int(self.model.columns.max(initial=-1)) + 1), np.nan)
        table[:, columns] = X[rows[:, None], columns]
        return table

    def parts(self) -> tuple[dict[str, Any], Arrays]:
        """Return the header and the arrays of the plan."""
        header, arrays = self._models.parts()
        if self.weights is not None:
            arrays = arrays | {"weights": self.weights}
        return header, arrays | self.stages.arrays() | _stored(self.reads)

    @classmethod
    def from_parts(cls, header: dict[str, Any], arrays: Arrays) -> SubsetPlan:
        """Return the plan of stored `parts`."""
        models = ModelSequence.from_parts(header, arrays)
        stages = StageTable.from_arrays(arrays).items
        if len(models) != 1 or any(len(items) != 1 for items in stages):
            raise ValueError("a subset plan has one model, and one item per stage.")
        return cls(
            [items[0] for items in stages], _restored(arrays), models.models[0], models.prior,
            arrays.get("weights"),
        )  # fmt: skip


def _stored(reads: Sequence[Sequence[int] | Ints]) -> Arrays:
    """Return the columns of each stage as flat arrays; a stage table has the same form."""
    table = StageTable(tuple(tuple(columns) for columns in reads)).arrays()
    return {"columns": table["stage_items"], "column_counts": table["stage_sizes"]}


def _restored(arrays: Arrays) -> tuple[tuple[int, ...], ...]:
    """Return the columns of each stage of stored arrays."""
    sizes = arrays["column_counts"]
    table = {"stage_items": arrays["columns"], "stage_sizes": sizes}
    return StageTable.from_arrays(table | {"stage_headroom": np.zeros(len(sizes))}).items
