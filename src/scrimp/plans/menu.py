"""Menu plans: several plans among which the budget chooses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

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
from .fallback import Fallback
from .kinds import plan_from_parts, plan_to_parts
from .subset import SubsetState


@dataclass
class MenuState(State):
    """The running entry, the best complete entry (-1 for none), and the states of all entries.

    `partial` says whether the fallback runs instead of an entry; its state is the last.
    """

    keys: NDArray[np.uint64]
    running: int
    complete: int
    settled: bool
    owned: set[int]
    inner: dict[int, State]
    closures: tuple[tuple[int, ...], ...]
    partial: bool = False


class MenuPlan(Plan[MenuState]):
    """A plan that runs the best entry that the budget can pay for in full, or else the first.

    It answers with the best entry whose items are all owned, or else with the running entry.
    After a refusal the best entry that can still be paid for takes over. With a fallback, a part
    of an entry may be bought instead where items have failed, or used where some are owned: if
    its estimated loss is smaller, the fallback answers from all that is owned.

    Parameters
    ----------
    entries : sequence of Plan
        From the worst to the best.
    fallback : Fallback, optional
        Answers from parts of entries.
    """

    kind = "menu"
    refusal = "rechoose"

    def __init__(self, entries: Sequence[Plan[Any]], fallback: Fallback | None = None) -> None:
        if not entries:
            raise ValueError("a menu needs at least one entry.")
        if len({entry.n_outputs for entry in entries}) > 1:
            raise ValueError("the entries of a menu must have the same number of outputs.")
        self.entries, self.fallback = list(entries), fallback
        plans = self._plans = [*entries, *([fallback.plan] if fallback else [])]
        if fallback and (fallback.plan.n_outputs, len(fallback.losses)) != (
            entries[0].n_outputs, len(entries)
        ):  # fmt: skip
            raise ValueError("the fallback of a menu must fit its entries and their outputs.")
        self.n_outputs = entries[0].n_outputs
        self.accepts_missing = all(entry.accepts_missing for entry in entries)
        self.one_budget = any(entry.one_budget for entry in entries)
        self.accepts_sparse = all(entry.accepts_sparse for entry in entries)
        self.stages = plans[0].stages.joined(*(plan.stages for plan in plans[1:]))
        self.reads = tuple(columns for plan in plans for columns in plan.reads)
        self._first = np.cumsum([0, *(len(plan.stages) for plan in plans)]).tolist()
        self.spare = range(self._first[len(entries)], len(self.stages))
        self.answers_without = fallback is not None
        self._items = [{i for items in entry.stages.items for i in items} for entry in entries]
        inner = [items for entry in entries for items in entry.decisive]
        self.decisive = [*map(sorted, self._items), *inner]
        orders = [entry.outline.order for entry in entries if entry.outline.order != "fixed"]
        self.outline = Outline(orders[0] if orders else "fixed", entries=tuple(entries))

    def start(self, keys: NDArray[np.uint64], ledger: Ledger) -> MenuState:
        """Choose the running entry and start all entries."""
        running = self._choose(ledger)
        state = MenuState(
            len(keys), keys, 0 if running is None else running, -1, False, set(ledger.owned), {},
            ledger.costs.closures,
        )  # fmt: skip
        for entry, plan in enumerate(self._plans):
            state.inner[entry] = plan.start(keys, ledger)
        if ledger.failed or ledger.owned:
            self._use_fallback(state, ledger)
        return state

    def _use_fallback(self, state: MenuState, ledger: Ledger) -> None:
        """Let the fallback run if a part of an entry is estimated to be better."""
        if self.fallback is None:
            return
        complete = self._choose(ledger) or 0
        wanted = self.fallback.wanted(self._items, ledger, complete)
        state.partial = wanted is not None
        if wanted is not None:
            self._fallback_state(state).wanted = wanted

    def _fallback_state(self, state: MenuState) -> SubsetState:
        return cast(SubsetState, state.inner[len(self.entries)])

    def _choose(self, ledger: Ledger) -> int | None:
        """Return the best entry without failed items that can be paid for."""
        for entry in reversed(range(len(self.entries))):
            if ledger.can_pay(self._items[entry]):
                return entry
        return None

    def _active(self, state: MenuState) -> int:
        """Return the entry to ask: the best one whose items are all owned, or the running one."""
        if state.partial:
            return len(self.entries)
        if state.settled:
            return state.running
        owned = [e for e in range(len(self.entries)) if self._items[e] <= state.owned]
        better = [e for e in owned if e > state.complete]
        return max(better, default=state.running)

    def ask(self, state: MenuState) -> int | Ints:
        """Return the next stage of the active entry."""
        while True:
            entry = self._active(state)
            stage = np.asarray(self._plans[entry].ask(state.inner[entry]))
            if (stage >= 0).any():
                stage = np.where(stage >= 0, stage + self._first[entry], -1)
                return stage if stage.ndim else int(stage)
            if state.partial or entry <= state.complete or not self._items[entry] <= state.owned:
                return -1
            state.complete = entry

    def _locate(self, stage: int) -> tuple[int, int]:
        """Return the entry of a stage, and the number of the stage in that entry."""
        entry = int(np.searchsorted(self._first, stage, side="right")) - 1
        return entry, stage - self._first[entry]

    def tell(self, state: MenuState, stage: int, X: NDArray[Any], rows: Ints) -> None:
        """Tell the stage to its entry."""
        entry, inner = self._locate(stage)
        for item in self.stages.items[stage]:
            state.owned.update(state.closures[item])
        self._plans[entry].tell(state.inner[entry], inner, X, rows)

    def refuse(self, state: MenuState, stage: int, ledger: Ledger) -> None:
        """Choose again; if the choice is the same, the entry continues without the stage."""
        state.owned.update(ledger.owned)
        choice, was_partial = self._choose(ledger), state.partial
        self._use_fallback(state, ledger)
        if state.partial:
            return
        if choice is not None and (was_partial or choice != state.running):
            state.running = choice
            return
        entry, inner = self._locate(stage)
        self._plans[entry].refuse(state.inner[entry], inner, ledger)

    def read(self, state: MenuState) -> Floats:
        """Return the answer of the best complete entry, or else of the running entry."""
        entry = self._answering(state)
        return self._plans[entry].read(state.inner[entry])

    def _answering(self, state: MenuState) -> int:
        """Return the entry that answers, or the fallback if it runs or only it was told."""
        entry, last = self._answering_entry(state), len(self.entries)
        if self.fallback is None or (self._items[entry] and not state.partial):
            return entry
        return last if state.partial or self._fallback_state(state).told else entry

    def _answering_entry(self, state: MenuState) -> int:
        """Return the best complete entry, or else the running one."""
        return state.running if state.settled or state.complete < 0 else state.complete

    def read_all(self, states: Sequence[MenuState]) -> Floats:
        """Return the answers of several states; each entry reads its states together."""
        answers = np.empty((len(states), states[0].n, self.n_outputs))
        answering = np.array([self._answering(state) for state in states])
        for entry in np.unique(answering).tolist():
            members = np.flatnonzero(answering == entry).tolist()
            inner = [states[i].inner[entry] for i in members]
            answers[members] = read_all(self._plans[entry], inner)
        return answers

    def reader(self, state: MenuState) -> Reader | None:
        """Return the reader of the entry that answers."""
        entry = self._answering(state)
        return reader(self._plans[entry], state.inner[entry])

    def free_stages(self, state: MenuState, owned: Flags) -> list[int]:
        """Return the free stages of the running entry, or of the fallback if none is complete."""
        running = state.running
        if state.partial or (self.fallback and not self._items[self._answering_entry(state)]):
            running = len(self.entries)
        first, end = self._first[running : running + 2]
        inner = free_stages(self._plans[running], state.inner[running], owned[first:end])
        return [stage + first for stage in inner]

    def extents(self) -> list[Sequence[int]]:
        """Return the items of each entry."""
        return [tuple(items) for items in self._items]

    def future(self, state: MenuState) -> Future:
        """Return the stages to come of the running entry."""
        if state.partial or any(
            self.stages.headroom
        ):  # the running entry may then end without its last items
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
        """Return the bounds of the running entry."""
        first = self._first[state.running]
        inner = state.inner[state.running]
        free, unsure = [s - first for s in free], [s - first for s in unsure]
        return bounded(self.entries[state.running]).reach(inner, free, unsure, X, rows)

    def headroom(self, state: MenuState, stage: int) -> float:
        """Return the headroom that the entry of the stage requires."""
        entry, inner = self._locate(stage)
        return self._plans[entry].headroom(state.inner[entry], inner)

    def settle(self, state: MenuState) -> None:
        """Answer with the running entry, complete or not."""
        state.settled = True
        bounded(self.entries[state.running]).settle(state.inner[state.running])

    def repriced(self, costs: Costs) -> Plan[Any]:
        """Return the menu of repriced entries; their ranking is by quality, and stays."""
        entries = [repriced(entry, costs) for entry in self.entries]
        same = all(new is old for new, old in zip(entries, self.entries, strict=True))
        return self if same else MenuPlan(entries, self.fallback)

    def parts(self) -> tuple[dict[str, Any], Arrays]:
        """Return the headers and the arrays of the entries."""
        headers, arrays = [], {}
        for number, entry in enumerate(self.entries):
            header, entry_arrays = plan_to_parts(entry)
            headers.append(header)
            arrays.update({f"{number}/{name}": value for name, value in entry_arrays.items()})
        if self.fallback is None:
            return {"entries": headers}, arrays
        header, fallback_arrays = self.fallback.parts()
        return {"entries": headers, "fallback": header}, arrays | fallback_arrays

    @classmethod
    def from_parts(cls, header: dict[str, Any], arrays: Arrays) -> MenuPlan:
        """Return the menu of stored `parts`."""
        entry_arrays: dict[str, Arrays] = {}
        for name, array in arrays.items():
            number, _, inner = name.partition("/")
            entry_arrays.setdefault(number, {})[inner] = array
        entries = [
            plan_from_parts(entry["kind"], entry["header"], entry_arrays.get(str(number), {}))
            for number, entry in enumerate(header["entries"])
        ]
        if "fallback" not in header:
            return cls(entries)
        return cls(entries, Fallback.from_parts(header["fallback"], entry_arrays["fallback"]))
