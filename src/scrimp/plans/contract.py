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
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, ClassVar, Generic, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from ..costs.costs import Costs
from ..costs.ledger import Ledger
from ..data.validation import distinct, float_array, int_array
from ..types import Arrays, Floats, Ints


@dataclass
class State:
    """What a plan knows of a cohort: arrays with one entry a row, and what rows share."""

    n: int

    def take(self, index: Ints) -> Self:
        """The state of some of the rows, independent of this one."""
        part = copy.copy(self)
        for field in dataclasses.fields(self):
            setattr(part, field.name, _taken(getattr(self, field.name), index))
        part.n = len(index)
        return part


def _taken(value: Any, index: Ints) -> Any:
    if isinstance(value, np.ndarray):
        return value[index]
    if isinstance(value, State):
        return value.take(index)
    if isinstance(value, dict):
        return {key: _taken(entry, index) for key, entry in value.items()}
    return copy.copy(value) if isinstance(value, list | set) else value


@dataclass(frozen=True)
class StageTable:
    """What each stage needs before it can be told.

    Parameters
    ----------
    items : tuple of tuples of int
        The items of each stage; what they require is added by the driver.
    headroom : tuple of float, optional
        A stage may start only if spent + headroom fits in the budget; 0 by default.
    """

    items: tuple[tuple[int, ...], ...]
    headroom: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        """Give every stage a headroom."""
        if not self.headroom:
            object.__setattr__(self, "headroom", (0.0,) * len(self.items))
        if len(self.headroom) != len(self.items) or any(not h >= 0 for h in self.headroom):
            raise ValueError("headroom must hold one number >= 0 a stage.")

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


S = TypeVar("S", bound=State)


class Plan(ABC, Generic[S]):
    """The contract. A kind of plan overrides what its table entry in the design says.

    Attributes
    ----------
    kind : str
        Its name in model files.
    stages : StageTable
        What each stage needs.
    reads : tuple of tuples or arrays of int
        The columns each stage looks at.
    n_outputs : int
        Numbers a row that `read` returns.
    accepts_missing : bool
        Whether NaN may be told; if not, told columns must be finite.
    refusal : {"skip", "stop", "rechoose"}
        What a refused stage means: it is left out, it ends the plan, or another way is taken.
    one_budget : bool
        Whether what is left of a budget decides what is asked: then `start` is given one
        budget at a time, unless `answer_cohort` answers for all.
    uses_owned : bool
        Whether all that is owned has a part in the answer, rather than what was told.
    """

    kind: ClassVar[str]
    stages: StageTable
    reads: tuple[Sequence[int] | Ints, ...]
    n_outputs: int
    accepts_missing: bool = False
    refusal: str = "stop"
    one_budget: bool = False
    uses_owned: bool = False

    @abstractmethod
    def start(self, keys: NDArray[np.uint64], ledger: Ledger) -> S:
        """The state of fresh rows, one a key. All chance comes from the keys."""

    @abstractmethod
    def ask(self, state: S) -> int | Ints:
        """The next stage, -1 when done: one number for all rows, or one a row."""

    @abstractmethod
    def tell(self, state: S, stage: int, X: NDArray[Any], rows: Ints) -> None:
        """Fold a stage into the state; its columns of ``X[rows]`` have been bought."""

    @abstractmethod
    def refuse(self, state: S, stage: int, ledger: Ledger) -> None:
        """A stage cannot be had: too dear, or its provider failed. Go on without it."""

    @abstractmethod
    def read(self, state: S) -> Floats:
        """Scores (rows x outputs), valid from the start; changes nothing."""

    @abstractmethod
    def parts(self) -> tuple[dict[str, Any], Arrays]:
        """All there is to the plan: a small JSON header, and arrays."""

    @classmethod
    @abstractmethod
    def from_parts(cls, header: dict[str, Any], arrays: Arrays) -> Plan[Any]:
        """The inverse of `parts`; refuses arrays that do not fit each other."""

    @cached_property
    def columns_read(self) -> Ints:
        """All columns the plan may ever look at, ascending."""
        reads = [np.asarray(own, dtype=np.int64) for own in self.reads]
        return distinct(np.concatenate([np.empty(0, dtype=np.int64), *reads]))

    @property
    def takes_sparse(self) -> bool:
        """Whether it can read values from a sparse table as it is; of most it is written out."""
        return False

    @property
    def within(self) -> Sequence[Plan[Any]]:
        """Plans that this one delegates to."""
        return ()

    def told_before(self, stage: int) -> Sequence[int]:
        """Stages that were told whenever this one is asked for."""
        return ()

    def split(self, state: S, index: Ints) -> S:
        """The state of some of the rows, independent of the rest."""
        return state.take(index)

    def fork(self, state: S) -> S:
        """The state of all the rows, independent of this one."""
        return self.split(state, np.arange(state.n))

    def read_all(self, states: Sequence[S]) -> Floats:
        """What `read` gives for each of several states of the same rows (states x rows x outputs).

        Kinds may share the work between them.
        """
        return np.stack([self.read(state) for state in states])

    def answer_cohort(
        self,
        X: NDArray[Any],
        rows: Ints,
        keys: NDArray[np.uint64],
        ledger: Ledger,
        needs: Sequence[Sequence[int]],
        budget_of: Ints | None,
    ) -> tuple[Floats, Floats] | None:
        """How fresh rows end: scores (lanes x rows x outputs) and spend (lanes x rows).

        A kind may answer at once what stages driven one by one would come to; None if not.

        Parameters
        ----------
        X, rows, keys
            As in `tell` and `start`.
        ledger : Ledger
            What the rows own, and the budgets: each is a lane, ...
        needs : sequence of sequences of int
            The items of each stage with all they require.
        budget_of : int array (rows,), optional
            ... unless each row has its own among them; then there is one lane.
        """
        return None

    def decisive(self) -> Sequence[Sequence[int]]:
        """Sets of items; which of them a budget can pay decides how the plan starts."""
        return ()

    def future(self, state: S) -> Sequence[int]:
        """Stages still to come, in order, for kinds that can bound themselves."""
        raise TypeError(_no_bound(self.kind))

    def reach(
        self, state: S, free: Sequence[int], unsure: Sequence[int], X: NDArray[Any], rows: Ints
    ) -> tuple[Floats, Floats]:
        """The least and the most the scores can end at.

        Parameters
        ----------
        state : State
            The rows.
        free : sequence of int
            Stages to come whose columns are owned: they count as they are.
        unsure : sequence of int
            Stages to come that may still be bought: they count with their range.
        X, rows
            As in `tell`.
        """
        raise TypeError(_no_bound(self.kind))

    def free_now(self, state: S, owned: NDArray[np.bool_]) -> Sequence[int]:
        """Stages to come that would still count if nothing more could be bought.

        `owned` says of each stage whether all it needs is owned.
        """
        return ()

    def extents(self) -> Sequence[Sequence[int]]:
        """Sets of items, of which a row buys at most one if no purchase fails."""
        return [tuple({item for items in self.stages.items for item in items})]

    def headroom(self, state: S, stage: int) -> float:
        """How much must be left, beside what is spent, for a stage to start."""
        return self.stages.headroom[stage]

    def refusal_at(self, state: S) -> str:
        """The word for a refusal of the stages to come: "skip" or "stop"."""
        return self.refusal

    def repriced(self, costs: Costs) -> Plan[Any]:
        """The plan for other prices of the same items, without training.

        Itself where its order is part of what was learnt: then only the prices change.
        """
        return self

    def settle(self, state: S) -> None:
        """No more is bought and the running stages stand: let `read` answer with them."""


def _no_bound(kind: str) -> str:
    return (
        f"A {kind} plan cannot bound what is still to come, so stop='certain' is not possible. "
        "Use stop=None."
    )


def ahead_or_stop(refusal: str) -> str:
    """Check the word for a refusal of a plan with a fixed order."""
    if refusal not in ("skip", "stop"):
        raise ValueError(f"refusal is {refusal!r}; expected 'skip' or 'stop'.")
    return refusal
