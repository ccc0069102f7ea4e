"""Menu plans: several plans, of which the budget chooses one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..costs.costs import Costs
from ..costs.ledger import Ledger
from ..types import Arrays, Flags, Floats, Ints
from .capabilities import (
    Future,
    Reader,
    bounded,
    free_stages,
    no_bounds,
    read_all,
    reader,
    repriced,
)
from .contract import Outline, Plan, State
from .kinds import plan_from_parts, plan_to_parts


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

    kind = "menu"
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
        self.accepts_sparse = all(entry.accepts_sparse for entry in entries)
        self.stages = entries[0].stages.joined(*(entry.stages for entry in entries[1:]))
        self.reads = tuple(columns for entry in entries for columns in entry.reads)
        self._first = np.cumsum([0, *(len(entry.stages) for entry in entries)]).tolist()
        self._items = [{i for items in entry.stages.items for i in items} for entry in entries]
        inner = [items for entry in entries for items in entry.decisive]
        self.decisive = [*map(sorted, self._items), *inner]
        orders = [entry.outline.order for entry in entries if entry.outline.order != "fixed"]
        self.outline = Outline(orders[0] if orders else "fixed", entries=tuple(entries))

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

    def read_all(self, states: Sequence[MenuState]) -> Floats:
        """Return the answers of states; each entry reads those that it answers for."""
        answers = np.empty((len(states), states[0].n, self.n_outputs))
        speakers = np.array([self._speaker(state) for state in states])
        for entry in np.unique(speakers).tolist():
            members = np.flatnonzero(speakers == entry).tolist()
            inner = [states[i].inner[entry] for i in members]
            answers[members] = read_all(self.entries[entry], inner)
        return answers

    def reader(self, state: MenuState) -> Reader | None:
        """Return the function of the entry that answers."""
        entry = self._speaker(state)
        return reader(self.entries[entry], state.inner[entry])

    def free_stages(self, state: MenuState, owned: Flags) -> list[int]:
        """Return those of the running entry."""
        running = state.running
        first, end = self._first[running : running + 2]
        inner = free_stages(self.entries[running], state.inner[running], owned[first:end])
        return [stage + first for stage in inner]

    def extents(self) -> list[Sequence[int]]:
        """Each entry's items."""
        return [tuple(items) for items in self._items]

    def future(self, state: MenuState) -> Future:
        """Return what the running entry has still to come."""
        if any(self.stages.headroom):  # the running entry may then end without its last items
            raise no_bounds(self.kind)
        running = state.running
        coming = bounded(self.entries[running]).future(state.inner[running])
        stages = [stage + self._first[running] for stage in coming.stages]
        return Future(stages, coming.ends_at_refusal)

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
        return bounded(self.entries[state.running]).reach(inner, free, unsure, X, rows)

    def headroom(self, state: MenuState, stage: int) -> float:
        """As the entry's."""
        entry, inner = self._at(stage)
        return self.entries[entry].headroom(state.inner[entry], inner)

    def settle(self, state: MenuState) -> None:
        """Answer with the running entry, complete or not."""
        state.settled = True
        bounded(self.entries[state.running]).settle(state.inner[state.running])

    def repriced(self, costs: Costs) -> Plan[Any]:
        """Each entry for itself; which is better than which is a matter of quality, and stays."""
        entries = [repriced(entry, costs) for entry in self.entries]
        same = all(new is old for new, old in zip(entries, self.entries, strict=True))
        return self if same else MenuPlan(entries)

    def parts(self) -> tuple[dict[str, Any], Arrays]:
        """Return all there is to the entries."""
        headers, arrays = [], {}
        for number, entry in enumerate(self.entries):
            header, entry_arrays = plan_to_parts(entry)
            headers.append(header)
            arrays.update({f"{number}/{name}": value for name, value in entry_arrays.items()})
        return {"entries": headers}, arrays

    @classmethod
    def from_parts(cls, header: dict[str, Any], arrays: Arrays) -> MenuPlan:
        """Return the menu of stored `parts`."""
        entry_arrays: dict[str, Arrays] = {}
        for name, array in arrays.items():
            number, _, inner = name.partition("/")
            entry_arrays.setdefault(number, {})[inner] = array
        return cls(
            [
                plan_from_parts(entry["kind"], entry["header"], entry_arrays.get(str(number), {}))
                for number, entry in enumerate(header["entries"])
            ]
        )
