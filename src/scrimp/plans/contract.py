"""The Plan contract: what every learner makes, and all that prediction needs.

A plan is a list of stages. Rows that share a history, one row or a whole batch, are driven
together as a cohort: they own the same items, so one Ledger serves all of them, and a plan
keeps one State for them. A driver (`scrimp.runtime.replay` for batches,
`scrimp.runtime.session` for one row) asks for the next stage, pays for its items through the
Ledger, and tells or refuses.
"""

from __future__ import annotations

import copy
import dataclasses
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, Generic, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from ..costs.ledger import Ledger
from ..data.validation import distinct, float_array, int_array
from ..types import Arrays, Flags, Floats, Ints


@dataclass(slots=True)
class Source:
    """The values of a cohort: ``X[rows]``."""

    X: NDArray[Any]
    rows: Ints

    def take(self, index: Ints) -> Source:
        """Return the values of some of the rows."""
        return Source(self.X, self.rows[index])

    def fork(self) -> Source:
        """Return this object itself, as it never changes."""
        return self


@dataclass
class State:
    """What a plan knows of a cohort: arrays with one entry per row, and values that rows share."""

    n: int

    def take(self, index: Ints) -> Self:
        """Return the state of some of the rows, independent of this one."""
        part = self._mapped(lambda values: values[index], lambda part: part.take(index))
        part.n = len(index)
        return part

    def fork(self) -> Self:
        """Return the state of all the rows, independent of this one."""
        return self._mapped(np.copy, lambda part: part.fork())

    def _mapped(
        self, rows: Callable[[Any], Any], parts: Callable[[State | Source], State | Source]
    ) -> Self:
        """Return a copy with functions applied to arrays and to nested states."""

        def mapped(value: Any) -> Any:
            if isinstance(value, np.ndarray):
                return rows(value)
            if isinstance(value, State | Source):
                return parts(value)
            if isinstance(value, dict):
                return {key: mapped(entry) for key, entry in value.items()}
            return value.copy() if hasattr(value, "copy") else value

        copied = copy.copy(self)
        for field in dataclasses.fields(self):
            setattr(copied, field.name, mapped(getattr(self, field.name)))
        return copied


@dataclass(frozen=True)
class StageTable:
    """What each stage needs before it can be told.

    Parameters
    ----------
    items : tuple of tuples of int
        The items of each stage; what they require is added by the driver.
    headroom : tuple of float, optional
        A stage may start only if spent + headroom fits in the budget; 0 by default.
    history_start : tuple of int, optional
        The first of the stages that are always told before a stage is asked for: all those
        from this one up to the stage itself. By default there are none. It follows from the
        kind of plan and is not stored.
    """

    items: tuple[tuple[int, ...], ...]
    headroom: tuple[float, ...] = ()
    history_start: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        """Fill in the defaults and check them."""
        if not self.headroom:
            object.__setattr__(self, "headroom", (0.0,) * len(self.items))
        if not self.history_start:
            object.__setattr__(self, "history_start", tuple(range(len(self.items))))
        if len(self.headroom) != len(self.items) or any(not h >= 0 for h in self.headroom):
            raise ValueError("headroom must hold one number >= 0 per stage.")

    def in_sequence(self) -> StageTable:
        """Return the table of a plan whose stages are always told in this order."""
        return dataclasses.replace(self, history_start=(0,) * len(self.items))

    def joined(self, *others: StageTable) -> StageTable:
        """Return one table of these stages, followed by those of other tables."""
        tables = (self, *others)
        firsts = np.cumsum([0, *map(len, tables)]).tolist()
        return StageTable(
            tuple(items for table in tables for items in table.items),
            tuple(room for table in tables for room in table.headroom),
            tuple(
                first + start
                for first, table in zip(firsts, tables, strict=False)
                for start in table.history_start
            ),
        )

    def reordered(self, order: Sequence[int] | Ints) -> StageTable:
        """Return independent stages in another order."""
        return StageTable(
            tuple(self.items[stage] for stage in order),
            tuple(self.headroom[stage] for stage in order),
        )

    def __len__(self) -> int:
        return len(self.items)

    def arrays(self) -> Arrays:
        """Return the table as flat arrays, for storage."""
        return {
            "stage_items": np.array([i for items in self.items for i in items], dtype=np.int64),
            "stage_sizes": np.array([len(items) for items in self.items], dtype=np.int64),
            "stage_headroom": np.array(self.headroom, dtype=np.float64),
        }

    @classmethod
    def from_arrays(cls, arrays: Arrays) -> StageTable:
        """Return the table of stored `arrays`."""
        flat = int_array("stage_items", arrays["stage_items"]).tolist()
        sizes = int_array("stage_sizes", arrays["stage_sizes"]).tolist()
        headroom = float_array("stage_headroom", arrays["stage_headroom"]).tolist()
        if min(sizes, default=0) < 0 or sum(sizes) != len(flat):
            raise ValueError("stage_sizes do not add up to stage_items.")
        ends = np.cumsum([0, *sizes]).tolist()
        items = tuple(tuple(flat[a:b]) for a, b in pairwise(ends))
        return cls(items, tuple(headroom))


@dataclass(frozen=True)
class Outline:
    """A description of a plan for displays.

    Parameters
    ----------
    order : {"fixed", "drawn", "routed"}
        Whether the stages come in one order for all rows, are drawn for each row, or depend
        on the values of the row. Only with a fixed order do all rows buy the same.
    stage_noun : str
        What one stage is called.
    entries : tuple of Plan
        The plans among which the budget chooses, from the worst to the best; empty for most
        kinds.
    buyer : Plan, optional
        The plan that buys, where this one only changes the answers.
    """

    order: str = "fixed"
    stage_noun: str = "stage"
    entries: tuple[Plan[Any], ...] = ()
    buyer: Plan[Any] | None = None


S = TypeVar("S", bound=State)


class Plan(ABC, Generic[S]):
    """The fitted artifact of a learner: stages, their order, and an answer at any moment.

    The methods below suffice to follow a plan. What some kinds can do beyond that, such as
    bounding the effect of later stages, is described by protocols in
    `scrimp.plans.capabilities`.

    Attributes
    ----------
    kind : str
        The name of the kind of plan in model files.
    stages : StageTable
        The items and the headroom of each stage.
    reads : tuple of tuples or arrays of int
        The columns that each stage reads.
    n_outputs : int
        The number of scores per row that `read` returns.
    accepts_missing : bool
        Whether told columns may hold NaN; if not, they must be finite.
    accepts_sparse : bool
        Whether X may be a CSR matrix in `tell`; otherwise it is converted to an array.
    refusal : {"skip", "stop", "rechoose"}
        The effect of a refused stage: it is left out, it ends the plan, or the plan chooses
        other stages.
    one_budget : bool
        Whether the rest of the budget decides which stage is asked for: `start` is then given
        one budget at a time, unless the plan answers whole cohorts.
    decisive : sequence of sequences of int
        Sets of items; which of them a budget can pay for decides how the plan starts.
    spare : sequence of int
        Stages that are followed only where items have failed or are owned from the start.
    answers_without : bool
        Whether it can answer well without items that cannot be had.
    uses_owned : bool
        Whether the answer depends on all items that are owned, rather than on told stages.
    outline : Outline
        The description for displays.
    """

    kind: str
    stages: StageTable
    reads: tuple[Sequence[int] | Ints, ...]
    n_outputs: int
    accepts_missing: bool = False
    accepts_sparse: bool = False
    refusal: str = "stop"
    one_budget: bool = False
    decisive: Sequence[Sequence[int]] = ()
    spare: Sequence[int] = ()
    answers_without: bool = False
    uses_owned: bool = False
    outline: Outline = Outline()

    @abstractmethod
    def start(self, keys: NDArray[np.uint64], ledger: Ledger) -> S:
        """Return the state of fresh rows, one per key; random draws depend on the keys alone."""

    @abstractmethod
    def ask(self, state: S) -> int | Ints:
        """Return the next stage, or -1 at the end: one number for all rows, or one per row."""

    @abstractmethod
    def tell(self, state: S, stage: int, X: NDArray[Any], rows: Ints) -> None:
        """Fold a stage into the state; its columns of ``X[rows]`` have been bought."""

    @abstractmethod
    def refuse(self, state: S, stage: int, ledger: Ledger) -> None:
        """Continue without a stage that is too expensive or whose provider failed."""

    @abstractmethod
    def read(self, state: S) -> Floats:
        """Return scores (rows x outputs), valid from the start, without changing the state."""

    @abstractmethod
    def parts(self) -> tuple[dict[str, Any], Arrays]:
        """Return the complete plan as a small JSON header and arrays, for storage."""

    @classmethod
    @abstractmethod
    def from_parts(cls, header: dict[str, Any], arrays: Arrays) -> Plan[Any]:
        """Return the plan of stored `parts`; raise ValueError if they do not fit each other."""

    def headroom(self, state: S, stage: int) -> float:
        """Return the amount that must fit in the budget, beside the spend, for a stage to start."""
        return self.stages.headroom[stage]

    def extents(self) -> Sequence[Sequence[int]]:
        """Return sets of items; without failures a row buys at most those of one set."""
        return [tuple({item for items in self.stages.items for item in items})]

    @cached_property
    def columns_read(self) -> Ints:
        """All columns that some stage reads, ascending."""
        columns = [np.asarray(columns, dtype=np.int64) for columns in self.reads]
        return distinct(np.concatenate([np.empty(0, dtype=np.int64), *columns]))


def check_skip_or_stop(refusal: str) -> str:
    """Return the `refusal` of a plan with a fixed order; raise ValueError if it is another."""
    if refusal not in ("skip", "stop"):
        raise ValueError(f"refusal is {refusal!r}; expected 'skip' or 'stop'.")
    return refusal


def owned_in_order(owned: Flags, position: int, refusal: str) -> list[int]:
    """Return the owned stages from a position on, up to the first refusal where that is the end."""
    coming = owned[position:]
    if refusal == "stop":
        coming = np.logical_and.accumulate(coming)
    stages: list[int] = (np.flatnonzero(coming) + position).tolist()
    return stages
