"""The Plan contract: what every learner makes, and all that prediction needs.

A plan is a list of stages. Rows that share a history, one or a whole batch, are driven
together as a cohort: they own the same items, so one Ledger serves them all, and a plan
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
from ..types import Arrays, Floats, Ints


@dataclass(slots=True)
class Source:
    """Where the values of a cohort are: ``X[rows]``."""

    X: NDArray[Any]
    rows: Ints

    def take(self, index: Ints) -> Source:
        """Return the source of some of the rows."""
        return Source(self.X, self.rows[index])

    def fork(self) -> Source:
        """Return the same: it never changes."""
        return self


@dataclass
class State:
    """What a plan knows of a cohort: arrays with one entry per row, and what rows share."""

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
        """Return a copy with functions applied to arrays and to states within."""

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
    told_from : tuple of int, optional
        The stages from this one up to the stage itself have been told whenever it is asked
        for; by default none has. It follows from the kind of plan and is not stored.
    """

    items: tuple[tuple[int, ...], ...]
    headroom: tuple[float, ...] = ()
    told_from: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        """Give every stage a headroom and a first stage before it."""
        if not self.headroom:
            object.__setattr__(self, "headroom", (0.0,) * len(self.items))
        if not self.told_from:
            object.__setattr__(self, "told_from", tuple(range(len(self.items))))
        if len(self.headroom) != len(self.items) or any(not h >= 0 for h in self.headroom):
            raise ValueError("headroom must hold one number >= 0 a stage.")

    def in_sequence(self) -> StageTable:
        """Return the table of a plan whose stages are all told after those before them."""
        return dataclasses.replace(self, told_from=(0,) * len(self.items))

    def joined(self, *others: StageTable) -> StageTable:
        """Return one table of these stages and others after them."""
        tables = (self, *others)
        firsts = np.cumsum([0, *map(len, tables)]).tolist()
        return StageTable(
            tuple(items for table in tables for items in table.items),
            tuple(room for table in tables for room in table.headroom),
            tuple(
                first + start
                for first, table in zip(firsts, tables, strict=False)
                for start in table.told_from
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
        """The table as flat arrays, for storage."""
        return {
            "stage_items": np.array([i for items in self.items for i in items], dtype=np.int64),
            "stage_sizes": np.array([len(items) for items in self.items], dtype=np.int64),
            "stage_headroom": np.array(self.headroom, dtype=np.float64),
        }

    @classmethod
    def from_arrays(cls, arrays: Arrays) -> StageTable:
        """The inverse of `arrays`."""
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
    """What displays say of a plan.

    Parameters
    ----------
    order : {"fixed", "drawn", "routed"}
        Whether the stages come in one order for all rows, are drawn for each row, or depend
        on the values of the row. Only with a fixed order do all rows buy the same.
    stage_noun : str
        What one stage is called.
    entries : tuple of Plan
        The plans among which the budget chooses, from the least to the best; mostly none.
    buyer : Plan, optional
        The plan that buys, where this one only changes what it answers.
    """

    order: str = "fixed"
    stage_noun: str = "stage"
    entries: tuple[Plan[Any], ...] = ()
    buyer: Plan[Any] | None = None


S = TypeVar("S", bound=State)


class Plan(ABC, Generic[S]):
    """What a learner makes: stages, which comes next, and an answer at any moment.

    The methods below are all that following a plan takes. What some kinds can do beyond that,
    such as bounding what is still to come, are protocols in `scrimp.plans.capabilities`.

    Attributes
    ----------
    kind : str
        Its name in model files.
    stages : StageTable
        What each stage needs.
    reads : tuple of tuples or arrays of int
        The columns each stage looks at.
    n_outputs : int
        Numbers per row that `read` returns.
    accepts_missing : bool
        Whether NaN may be told; if not, told columns must be finite.
    accepts_sparse : bool
        Whether X may be a CSR matrix in `tell`; for most plans it is converted to an array.
    refusal : {"skip", "stop", "rechoose"}
        What a refused stage means: it is left out, it ends the plan, or another way is taken.
    one_budget : bool
        Whether what is left of a budget decides what is asked: then `start` is given one
        budget at a time, unless the plan answers cohorts by itself.
    decisive : sequence of sequences of int
        Sets of items; which of them a budget can pay decides how the plan starts.
    uses_owned : bool
        Whether all that is owned has a part in the answer, rather than what was told.
    outline : Outline
        What displays say of it.
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
    uses_owned: bool = False
    outline: Outline = Outline()

    @abstractmethod
    def start(self, keys: NDArray[np.uint64], ledger: Ledger) -> S:
        """Return the state of fresh rows, one per key. All chance comes from the keys."""

    @abstractmethod
    def ask(self, state: S) -> int | Ints:
        """Return the next stage, -1 when done: one number for all rows, or one per row."""

    @abstractmethod
    def tell(self, state: S, stage: int, X: NDArray[Any], rows: Ints) -> None:
        """Fold a stage into the state; its columns of ``X[rows]`` have been bought."""

    @abstractmethod
    def refuse(self, state: S, stage: int, ledger: Ledger) -> None:
        """Go on without a stage that cannot be had: too dear, or its provider failed."""

    @abstractmethod
    def read(self, state: S) -> Floats:
        """Return scores (rows x outputs), valid from the start; this changes nothing."""

    @abstractmethod
    def parts(self) -> tuple[dict[str, Any], Arrays]:
        """Return all there is to the plan: a small JSON header, and arrays."""

    @classmethod
    @abstractmethod
    def from_parts(cls, header: dict[str, Any], arrays: Arrays) -> Plan[Any]:
        """Return the plan of stored `parts`; refuse arrays that do not fit each other."""

    def headroom(self, state: S, stage: int) -> float:
        """Return how much must be left, beside what is spent, for a stage to start."""
        return self.stages.headroom[stage]

    def extents(self) -> Sequence[Sequence[int]]:
        """Return sets of items, of which a row buys at most one if no purchase fails."""
        return [tuple({item for items in self.stages.items for item in items})]

    @cached_property
    def columns_read(self) -> Ints:
        """All columns the plan may ever look at, ascending."""
        columns = [np.asarray(columns, dtype=np.int64) for columns in self.reads]
        return distinct(np.concatenate([np.empty(0, dtype=np.int64), *columns]))


def check_skip_or_stop(refusal: str) -> str:
    """Check what a refusal means to a plan with a fixed order."""
    if refusal not in ("skip", "stop"):
        raise ValueError(f"refusal is {refusal!r}; expected 'skip' or 'stop'.")
    return refusal
