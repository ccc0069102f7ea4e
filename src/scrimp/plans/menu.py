"""Menu plans: several plans, of which the budget chooses one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ..costs.costs import Costs
from ..costs.ledger import Ledger
from ..types import Arrays, Floats, Ints
from .contract import Plan, StageTable, State


@dataclass
class MenuState(State):
    """The entry that runs, the best one that is complete, and the states of those begun."""

    keys: NDArray[np.uint64]
    running: int
    complete: int
    settled: bool
    have: set[int]
    inner: dict[int, State]
    closures: tuple[tuple[int, ...], ...]


class MenuPlan(Plan[MenuState]):
    """The best entry that the budget pays for in full runs; if none, the first.

    Its answer is that of the best entry whose items are all owned, else the running one's.
    When an item cannot be had, the best entry without it that the rest can pay takes over.

    Parameters
    ----------
    entries : sequence of Plan
        From the least to the best.
    """

    kind: ClassVar[str] = "menu"
    refusal = "rechoose"

    def __init__(self, entries: Sequence[Plan[Any]]) -> None:
        if not entries:
            raise ValueError("a menu needs at least one entry.")
        if len({entry.n_outputs for entry in entries}) > 1:
            raise ValueError("the entries of a menu must have the same number of outputs.")
        self.entries = list(entries)
        self.n_outputs = entries[0].n_outputs
        self.accepts_missing = all(entry.accepts_missing for entry in entries)
        self.one_budget = any(entry.one_budget for entry in entries)
        self.stages = StageTable(
            tuple(items for entry in entries for items in entry.stages.items),
            tuple(room for entry in entries for room in entry.stages.headroom),
        )
        self.reads = tuple(columns for entry in entries for columns in entry.reads)
        self._first = np.cumsum([0, *(len(entry.stages) for entry in entries)]).tolist()
        self._items = [{i for items in entry.stages.items for i in items} for entry in entries]

    @property
    def within(self) -> Sequence[Plan[Any]]:
        """The entries."""
        return self.entries

    @property
    def takes_sparse(self) -> bool:
        """If its entries do."""
        return all(entry.takes_sparse for entry in self.entries)

    def decisive(self) -> list[Sequence[int]]:
        """What each entry costs decides between them."""
        inner = [items for entry in self.entries for items in entry.decisive()]
        return [*map(sorted, self._items), *inner]

    def told_before(self, stage: int) -> list[int]:
        """As the entry's."""
        entry, inner = self._at(stage)
        return [s + self._first[entry] for s in self.entries[entry].told_before(inner)]

    def start(self, keys: NDArray[np.uint64], ledger: Ledger) -> MenuState:
        """Choose the entry."""
        running = self._choose(ledger)
        state = MenuState(
            len(keys), keys, 0 if running is None else running, -1, False, set(ledger.owned), {},
            ledger.costs.closures,
        )  # fmt: skip
        for entry, plan in enumerate(self.entries):
            state.inner[entry] = plan.start(keys, ledger)
        return state

    def _choose(self, ledger: Ledger) -> int | None:
        """The best entry without failed items that can be paid."""
        for entry in reversed(range(len(self.entries))):
            if ledger.can_pay(self._items[entry]):
                return entry
        return None

    def _active(self, state: MenuState) -> int:
        """An entry that became complete without being asked for comes first: it is free."""
        if state.settled:
            return state.running
        owned = [e for e in range(len(self.entries)) if self._items[e] <= state.have]
        better = [e for e in owned if e > state.complete]
        return max(better, default=state.running)

    def ask(self, state: MenuState) -> int | Ints:
        """The next stage of the entry in turn."""
        while True:
            entry = self._active(state)
            stage = np.asarray(self.entries[entry].ask(state.inner[entry]))
            if (stage >= 0).any():
                stage = np.where(stage >= 0, stage + self._first[entry], -1)
                return stage if stage.ndim else int(stage)
            if entry <= state.complete or not self._items[entry] <= state.have:
                return -1
            state.complete = entry

    def _at(self, stage: int) -> tuple[int, int]:
        entry = int(np.searchsorted(self._first, stage, side="right")) - 1
        return entry, stage - self._first[entry]

    def tell(self, state: MenuState, stage: int, X: NDArray[Any], rows: Ints) -> None:
        """Delegate."""
        entry, inner = self._at(stage)
        for item in self.stages.items[stage]:
            state.have.update(state.closures[item])
        self.entries[entry].tell(state.inner[entry], inner, X, rows)

    def refuse(self, state: MenuState, stage: int, ledger: Ledger) -> None:
        """Choose again; if the choice is the same, let the entry go on without the stage."""
        state.have.update(ledger.owned)
        choice = self._choose(ledger)
        if choice is not None and choice != state.running:
            state.running = choice
            return
        entry, inner = self._at(stage)
        self.entries[entry].refuse(state.inner[entry], inner, ledger)

    def read(self, state: MenuState) -> Floats:
        """The best complete entry's answer, else the running one's."""
        entry = self._speaker(state)
        return self.entries[entry].read(state.inner[entry])

    def _speaker(self, state: MenuState) -> int:
        return state.running if state.settled or state.complete < 0 else state.complete

    def split(self, state: MenuState, index: Ints) -> MenuState:
        """Some of the rows."""
        inner = {e: self.entries[e].split(s, index) for e, s in state.inner.items()}
        return MenuState(
            len(index), state.keys[index], state.running, state.complete, state.settled,
            set(state.have), inner, state.closures,
        )  # fmt: skip

    def fork(self, state: MenuState) -> MenuState:
        """All rows."""
        inner = {e: self.entries[e].fork(s) for e, s in state.inner.items()}
        return replace(state, have=set(state.have), inner=inner)

    def read_all(self, states: Sequence[MenuState]) -> Floats:
        """Each entry reads what is its own."""
        answers = np.empty((len(states), states[0].n, self.n_outputs))
        speakers = np.array([self._speaker(state) for state in states])
        for entry in np.unique(speakers).tolist():
            own = np.flatnonzero(speakers == entry).tolist()
            answers[own] = self.entries[entry].read_all([states[i].inner[entry] for i in own])
        return answers

    def free_now(self, state: MenuState, owned: NDArray[np.bool_]) -> list[int]:
        """As the running entry's."""
        running = state.running
        first, end = self._first[running : running + 2]
        inner = self.entries[running].free_now(state.inner[running], owned[first:end])
        return [stage + first for stage in inner]

    def extents(self) -> list[Sequence[int]]:
        """Each entry's items."""
        return [tuple(items) for items in self._items]

    def future(self, state: MenuState) -> list[int]:
        """What the running entry has still to come."""
        if any(self.stages.headroom):  # the running entry may then end without its last items
            super().future(state)
        running = state.running
        coming = self.entries[running].future(state.inner[running])
        return [stage + self._first[running] for stage in coming]

    def reach(
        self,
        state: MenuState,
        free: Sequence[int],
        unsure: Sequence[int],
        X: NDArray[Any],
        rows: Ints,
    ) -> tuple[Floats, Floats]:
        """What the running entry can still come to."""
        first = self._first[state.running]
        inner = state.inner[state.running]
        free, unsure = [s - first for s in free], [s - first for s in unsure]
        return self.entries[state.running].reach(inner, free, unsure, X, rows)

    def headroom(self, state: MenuState, stage: int) -> float:
        """As the entry's."""
        entry, inner = self._at(stage)
        return self.entries[entry].headroom(state.inner[entry], inner)

    def refusal_at(self, state: MenuState) -> str:
        """As the running entry's."""
        return self.entries[state.running].refusal_at(state.inner[state.running])

    def settle(self, state: MenuState) -> None:
        """Answer with the running entry, complete or not."""
        state.settled = True
        self.entries[state.running].settle(state.inner[state.running])

    def repriced(self, costs: Costs) -> Plan[Any]:
        """Each entry for itself; which is better than which is a matter of quality, and stays."""
        entries = [entry.repriced(costs) for entry in self.entries]
        same = all(new is old for new, old in zip(entries, self.entries, strict=True))
        return self if same else MenuPlan(entries)

    def parts(self) -> tuple[dict[str, Any], Arrays]:
        """All there is to the entries."""
        headers, arrays = [], {}
        for number, entry in enumerate(self.entries):
            header, own = entry.parts()
            headers.append({"kind": entry.kind, "header": header})
            arrays.update({f"{number}/{name}": value for name, value in own.items()})
        return {"entries": headers}, arrays

    @classmethod
    def from_parts(cls, header: dict[str, Any], arrays: Arrays) -> MenuPlan:
        """The inverse of `parts`."""
        from . import plan_from_parts

        own: dict[str, Arrays] = {}
        for name, array in arrays.items():
            number, _, inner = name.partition("/")
            own.setdefault(number, {})[inner] = array
        return cls(
            [
                plan_from_parts(entry["kind"], entry["header"], own.get(str(number), {}))
                for number, entry in enumerate(header["entries"])
            ]
        )
