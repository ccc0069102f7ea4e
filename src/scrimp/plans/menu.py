"""Menu plans: several plans among which the budget chooses."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from ..costs.costs import Costs
from ..costs.ledger import Ledger
from ..types import Arrays, Flags, Floats, Ints
from .capabilities import (
    Future,
    ReachInOrder,
    bounded,
    free_stages,
    key_groups,
    no_bounds,
    reach_in_order,
    reader,
    repriced,
)
from .components.readers import Reader
from .contract import Outline, Plan, State
from .fallback import Fallback
from .kinds import plan_from_parts, plan_to_parts
from .subset import SubsetState


@dataclass
class MenuState(State):
    """The running entry, the best complete one, and the states of entries that were needed.

    Parameters
    ----------
    keys : uint64 array (rows,)
        The keys of the rows.
    at_start : Ledger
        The ledger with which entries start.
    running, complete : int
        The running entry, and the best one that was told all its stages; -1 for none.
    settled : bool
        Whether the running entry answers, complete or not.
    owned : set of int
        The items that the rows own.
    owned_entry, n_owned : int
        The best entry whose items were all owned when `owned` had so many items; -1 for none.
    inner : dict of int to State
        The states of entries; that of the fallback is the last.
    partial : bool
        Whether the fallback runs instead of an entry.
    refused : set of int
        Entries of which a stage was refused.
    """

    keys: NDArray[np.uint64]
    at_start: Ledger
    running: int
    complete: int
    settled: bool
    owned: set[int]
    owned_entry: int
    n_owned: int
    inner: dict[int, State]
    partial: bool = False
    refused: set[int] = field(default_factory=set)


class MenuPlan(Plan[MenuState]):
    """A plan that runs the best entry that the budget can pay for in full, or else the first.

    An entry whose purchases differ between rows must be paid for whatever a row buys. The menu
    answers with the best entry whose items are all owned, or else with the running entry.
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
        self._extents = [entry.extents() for entry in entries]
        inner = [items for entry in entries for items in entry.decisive]
        self.decisive = [*map(sorted, self.extents()), *inner]
        self._can_wait: dict[int, bool] = {}
        orders = [entry.outline.order for entry in entries if entry.outline.order != "fixed"]
        self.outline = Outline(orders[0] if orders else "fixed", entries=tuple(entries))

    def key_groups(self, keys: NDArray[np.uint64]) -> Ints:
        """Return a number per row, the same for rows that all entries can follow together."""
        groups = np.column_stack([key_groups(entry, keys) for entry in self.entries])
        return np.unique(groups, axis=0, return_inverse=True)[1].reshape(-1)

    def start(self, keys: NDArray[np.uint64], ledger: Ledger) -> MenuState:
        """Choose the running entry; entries start when they are asked or read."""
        (running, wanted), at_start = self._decide(ledger), ledger.at(0, len(ledger.budgets))
        state = MenuState(
            len(keys), keys, at_start, 0 if running is None else running, -1, False,
            set(ledger.owned), -1, -1, {},
        )  # fmt: skip
        self._use_fallback(state, wanted)
        return state

    def _decide(self, ledger: Ledger) -> tuple[int | None, list[int] | None]:
        """Return the entry to run, and the stages of the fallback if it is better.

        Of the failures those count that a choice meets, then those that the next choice meets,
        as in a session that learns of them when it asks: the others change nothing.
        """
        if self.fallback is None:
            return self._choose(ledger), None
        seen = ledger.at(0, len(ledger.budgets))
        seen.failed = set()
        while True:
            choice, stages = self._choose(seen), None
            if seen.failed or seen.owned:
                stages = self.fallback.wanted(self._items, seen, choice or 0)
            items = self._items[choice or 0] if stages is None else self.fallback.items_of(stages)
            met = ledger.failed.intersection(ledger.costs.closure(items)) - seen.failed
            if not met:
                return choice, stages
            seen.failed |= met

    def _use_fallback(self, state: MenuState, wanted: list[int] | None) -> None:
        """Let the fallback follow its wanted stages, or none of them."""
        state.partial = wanted is not None
        if wanted is not None:
            self._fallback_state(state).wanted = wanted

    def _fallback_state(self, state: MenuState) -> SubsetState:
        return cast(SubsetState, self._inner(state, len(self.entries)))

    def _inner(self, state: MenuState, entry: int) -> State:
        """Return the state of an entry, which starts if it has not yet."""
        if entry not in state.inner:
            state.inner[entry] = self._plans[entry].start(state.keys, state.at_start)
        return state.inner[entry]

    def _choose(self, ledger: Ledger) -> int | None:
        """Return the best entry without failed items that can be paid for."""
        for entry in reversed(range(len(self.entries))):
            if all(map(ledger.can_pay, self._extents[entry])):
                return entry
        return None

    def _owned_entry(self, state: MenuState) -> int:
        """Return the best entry whose items are all owned, -1 if there is none."""
        if state.n_owned != len(state.owned):
            state.n_owned, lowest = len(state.owned), state.owned_entry
            for entry in range(len(self.entries) - 1, lowest, -1):
                if self._items[entry] <= state.owned:
                    state.owned_entry = entry
                    break
        return state.owned_entry

    def _active(self, state: MenuState) -> int:
        """Return the entry to ask: the best one whose items are all owned, or the running one.

        An owned entry that is worse than the running one waits: its stages are told if it is
        read before the running one is complete, or if that one ends without some items.
        """
        if state.partial:
            return len(self.entries)
        owned = self._owned_entry(state)
        if state.settled or owned <= state.complete:
            return state.running
        return state.running if owned < state.running and self._waits(state, owned) else owned

    def _waits(self, state: MenuState, entry: int) -> bool:
        """Return whether all stages of an entry are free stages once its items are owned."""
        if entry not in self._can_wait:
            plan, costs = self.entries[entry], state.at_start.costs
            everything = Ledger(costs, [math.inf], range(costs.n_items))
            fresh = plan.start(np.empty(0, dtype=np.uint64), everything)
            free = free_stages(plan, fresh, np.ones(len(plan.stages), dtype=bool))
            self._can_wait[entry] = len(free) == len(plan.stages)
        return self._can_wait[entry]

    def ask(self, state: MenuState) -> int | Ints:
        """Return the next stage of the active entry."""
        while True:
            entry = self._active(state)
            stage = self._asked(state, entry)
            if stage is not None:
                return stage
            if state.partial or entry <= state.complete:
                return -1
            if not self._has_all(state, entry):
                entry = self._owned_entry(state)
                if state.settled or entry <= state.complete:
                    return -1
                if (stage := self._asked(state, entry)) is not None:
                    return stage
            state.complete = entry

    def _has_all(self, state: MenuState, entry: int) -> bool:
        """Return whether an entry that asks for no more has had all that it wanted."""
        if self.entries[entry].outline.order == "routed" and entry not in state.refused:
            return True
        return self._items[entry] <= state.owned

    def _asked(self, state: MenuState, entry: int) -> int | Ints | None:
        """Return the next stage of an entry, numbered among all; None if it has no more."""
        stage, first = self._plans[entry].ask(self._inner(state, entry)), self._first[entry]
        if isinstance(stage, np.ndarray):
            return np.where(stage >= 0, stage + first, -1) if (stage >= 0).any() else None
        return stage + first if stage >= 0 else None

    def _locate(self, stage: int) -> tuple[int, int]:
        """Return the entry of a stage, and the number of the stage in that entry."""
        entry = bisect_right(self._first, stage) - 1
        return entry, stage - self._first[entry]

    def tell(self, state: MenuState, stage: int, X: NDArray[Any], rows: Ints) -> None:
        """Tell the stage to its entry."""
        entry, inner = self._locate(stage)
        for item in self.stages.items[stage]:
            if item not in state.owned:
                state.owned.update(state.at_start.costs.closures[item])
        self._plans[entry].tell(self._inner(state, entry), inner, X, rows)

    def refuse(self, state: MenuState, stage: int, ledger: Ledger) -> None:
        """Choose again; if the choice is the same, the entry continues without the stage."""
        state.owned.update(ledger.owned)
        state.refused.add(self._locate(stage)[0])
        (choice, wanted), was_partial = self._decide(ledger), state.partial
        self._use_fallback(state, wanted)
        if state.partial:
            return
        if choice is not None and (was_partial or choice != state.running):
            state.running = choice
            return
        entry, inner = self._locate(stage)
        self._plans[entry].refuse(self._inner(state, entry), inner, ledger)

    def read(self, state: MenuState) -> Floats:
        """Return the answer of the best complete entry, or else of the running entry."""
        entry = self._answering(state)
        return self._plans[entry].read(self._inner(state, entry))

    def _answering(self, state: MenuState) -> int:
        """Return the entry that answers, or the fallback if it runs or only it was told."""
        entry, last = self._answering_entry(state), len(self.entries)
        if self.fallback is None or (self._items[entry] and not state.partial):
            return entry
        return last if state.partial or self._fallback_state(state).told else entry

    def _answering_entry(self, state: MenuState) -> int:
        """Return the best complete entry, or else the running one."""
        if state.settled:
            return state.running
        owned = self._owned_entry(state)
        if owned > state.complete and self._asked(state, owned) is None:
            return owned
        return state.running if state.complete < 0 else state.complete

    def reader(self, state: MenuState) -> Reader | None:
        """Return the reader of the entry that answers."""
        entry = self._answering(state)
        return reader(self._plans[entry], self._inner(state, entry))

    def free_stages(self, state: MenuState, owned: Flags) -> list[int]:
        """Return the free stages of the entry that would answer if nothing more were bought.

        That is the best entry whose items are all owned, or else the running one; or the
        fallback if none is complete.
        """
        running, best = state.running, self._owned_entry(state)
        if not state.settled and best > state.complete and self._waits(state, best):
            running = best
        if state.partial or (self.fallback and not self._items[self._answering_entry(state)]):
            running = len(self.entries)
        first, end = self._first[running : running + 2]
        inner = free_stages(self._plans[running], self._inner(state, running), owned[first:end])
        return [stage + first for stage in inner]

    def extents(self) -> list[Sequence[int]]:
        """Return the items that a row may buy in each entry."""
        return [items for extents in self._extents for items in extents]

    def future(self, state: MenuState) -> Future:
        """Return the stages to come of the running entry."""
        if state.partial or any(
            self.stages.headroom
        ):  # the running entry may then end without its last items
            raise no_bounds(self.kind)
        running = state.running
        coming = bounded(self.entries[running]).future(self._inner(state, running))
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
        inner = self._inner(state, state.running)
        free, unsure = [s - first for s in free], [s - first for s in unsure]
        return bounded(self.entries[state.running]).reach(inner, free, unsure, X, rows)

    def reach_in_order(
        self,
        state: MenuState,
        steps: Sequence[Sequence[int]],
        X: NDArray[Any],
        rows: Ints,
        threshold: float,
    ) -> ReachInOrder | None:
        """Return the bounds of the running entry."""
        first, entry = self._first[state.running], self.entries[state.running]
        inner, steps = self._inner(state, state.running), [[s - first for s in p] for p in steps]
        return reach_in_order(entry, inner, steps, X, rows, threshold)

    def headroom(self, state: MenuState, stage: int) -> float:
        """Return the headroom that the entry of the stage requires."""
        entry, inner = self._locate(stage)
        return self._plans[entry].headroom(self._inner(state, entry), inner)

    def settle(self, state: MenuState) -> None:
        """Answer with the running entry, complete or not."""
        state.settled = True
        bounded(self.entries[state.running]).settle(self._inner(state, state.running))

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
