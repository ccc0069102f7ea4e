"""Cascade plans: several plans one after the other, and gates that let sure rows leave."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from math import prod
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..costs.costs import Costs
from ..costs.ledger import Ledger
from ..data.validation import float_array
from ..types import Arrays, Flags, Floats, Ints
from .capabilities import free_stages, key_groups, repriced
from .components.models import Model, models_from_parts, models_to_parts
from .contract import Outline, Plan, Source, State
from .kinds import plan_from_parts, plan_to_parts

#: Combinations of what the entries may buy that are listed; of more, all items count as one set.
_MAX_EXTENTS = 256
_ENTRY, _GATES = "entry", "gates/"


@dataclass
class CascadeState(State):
    """Where rows are in the cascade, and the answers of the entries that they have completed.

    Parameters
    ----------
    costs : Costs
        The prices.
    owned : set of int
        The items that the rows own.
    inner : dict of int to State
        The state of each entry.
    running, complete : int arrays (rows,)
        The running entry, and the last one whose stages were all told; -1 for none.
    asked : int array (rows,)
        The next stage, -1 at the end.
    answer : float array (rows, classes)
        The answer of the last complete entry that knew any value, and else the prior.
    told : int array (rows,)
        The first entry of which some stage was told; -1 for none.
    begun, refused : bool arrays (rows,)
        Whether a stage of the running entry was told, and whether one was refused.
    partial : bool array (rows,)
        Whether entries may be followed in part, as none could be had in full.
    left : bool array (rows,)
        Which rows want nothing more.
    source : Source, optional
        The values of the rows.
    """

    costs: Costs
    owned: set[int]
    inner: dict[int, State]
    running: Ints
    complete: Ints
    asked: Ints
    answer: Floats
    told: Ints
    begun: Flags
    refused: Flags
    partial: Flags
    left: Flags
    source: Source | None = None


class CascadePlan(Plan[CascadeState]):
    """A plan that follows its entries in turn, until a gate says that a row needs no more.

    After an entry is complete, its answer replaces that of the entry before. A row leaves if its
    score is at least the threshold of the entry: the score of the entry's gate if it has one, or
    else the largest probability of its answer. An entry all of whose values are missing says
    nothing: the answer before it stays, and the row goes on. An entry that cannot be bought in full
    is passed over; where that is so of all of them, the first that can be bought in part answers.
    Rows that own all items of an entry begin with the last such entry.

    Parameters
    ----------
    entries : sequence of Plan
        Plans that answer with the probabilities of classes, from the cheapest to the dearest.
    thresholds : float array (entries - 1,)
        The score from which on a row leaves after each entry but the last.
    gates : sequence of Model or None, optional
        Models of columns that an entry buys; the last of their outputs is the score. An entry
        with a gate buys all it buys in one stage. By default there are none.
    """

    kind = "cascade"
    refusal = "rechoose"

    def __init__(
        self,
        entries: Sequence[Plan[Any]],
        thresholds: ArrayLike,
        gates: Sequence[Model | None] = (),
    ) -> None:
        self.entries = list(entries)
        self.thresholds = float_array("thresholds", thresholds)
        self.gates = list(gates) or [None] * max(len(entries) - 1, 0)
        self._check()
        self.n_outputs = entries[0].n_outputs
        self.accepts_missing = all(entry.accepts_missing for entry in entries) and all(
            gate is None or gate.accepts_missing for gate in self.gates
        )
        self.one_budget = any(entry.one_budget for entry in entries)
        self.uses_owned = any(entry.uses_owned for entry in entries)
        self.decisive = [items for entry in entries for items in entry.decisive]
        self.stages = entries[0].stages.joined(*(entry.stages for entry in entries[1:]))
        self._first = np.cumsum([0, *(len(entry.stages) for entry in entries)]).tolist()
        pairs = zip(entries, self._first, strict=False)
        self.spare = [stage + first for entry, first in pairs for stage in entry.spare]
        self.reads = tuple(
            columns for entry in range(len(entries)) for columns in self._reads(entry)
        )
        self._columns = [
            np.unique(np.concatenate([(), *self._reads(entry)])).astype(np.int64)
            for entry in range(len(entries))
        ]
        self._items = [{i for items in entry.stages.items for i in items} for entry in entries]
        self._extents = [entry.extents() for entry in entries]
        self.outline = Outline("routed")

    def _check(self) -> None:
        """Refuse entries, thresholds and gates that do not fit each other."""
        n = len(self.entries)
        if not n:
            raise ValueError("a cascade needs at least one entry.")
        if len({entry.n_outputs for entry in self.entries}) > 1:
            raise ValueError("the entries of a cascade must have the same number of outputs.")
        if len(self.thresholds) != n - 1 or np.isnan(self.thresholds).any():
            raise ValueError("a cascade needs one threshold per entry but the last.")
        if len(self.gates) != n - 1:
            raise ValueError("a cascade needs one gate, or none, per entry but the last.")
        for entry, gate in zip(self.entries, self.gates, strict=False):
            if gate is not None and len(entry.stages) != 1:
                raise ValueError("an entry with a gate must buy in one stage.")

    def _reads(self, entry: int) -> list[Sequence[int] | Ints]:
        """Return the columns that each stage of an entry reads, with those of its gate."""
        reads = list(self.entries[entry].reads)
        gate = self.gates[entry] if entry < len(self.gates) else None
        return reads if gate is None else [np.union1d(reads[0], gate.columns).astype(np.int64)]

    def key_groups(self, keys: NDArray[np.uint64]) -> Ints:
        """Return a number per row, the same for rows that all entries can follow together."""
        groups = np.column_stack([key_groups(entry, keys) for entry in self.entries])
        return np.unique(groups, axis=0, return_inverse=True)[1].reshape(-1)

    def start(self, keys: NDArray[np.uint64], ledger: Ledger) -> CascadeState:
        """Return the state of rows at the first entry, or at the last whose items they own."""
        n, first = len(keys), 0
        for number, items in enumerate(self._items):
            if items and ledger.owned.issuperset(ledger.costs.closure(items)):
                first = number
        inner = {number: entry.start(keys, ledger) for number, entry in enumerate(self.entries)}
        state = CascadeState(
            n, ledger.costs, set(ledger.owned), inner,
            np.full(n, first), np.full(n, -1), np.full(n, -1),
            self.entries[0].read(inner[0]).copy(), np.full(n, -1), *np.zeros((4, n), dtype=bool),
        )  # fmt: skip
        self._advance(state)
        return state

    def ask(self, state: CascadeState) -> Ints:
        """Return the next stage of each row."""
        return state.asked

    def tell(self, state: CascadeState, stage: int, X: NDArray[Any], rows: Ints) -> None:
        """Tell the stage to its entry."""
        entry, inner = self._locate(stage)
        for item in self.stages.items[stage]:
            if item not in state.owned:
                state.owned.update(state.costs.closures[item])
        state.source = Source(X, rows)
        if (state.running != entry).any():  # free stages of a later entry, before its turn
            self._begin(state, entry, np.ones(state.n, dtype=bool))
        state.begun[:] = True
        state.told[state.told < 0] = entry
        self.entries[entry].tell(state.inner[entry], inner, X, rows)
        self._advance(state)

    def refuse(self, state: CascadeState, stage: int, ledger: Ledger) -> None:
        """Pass over an entry that has not begun, or let it continue without the stage."""
        entry, inner = self._locate(stage)
        state.owned.update(ledger.owned)
        if not (state.partial | state.begun | state.refused).any():
            self._begin(state, entry + 1, np.ones(state.n, dtype=bool))
        else:
            state.refused[:] = True
            self.entries[entry].refuse(state.inner[entry], inner, ledger)
        self._advance(state)

    def headroom(self, state: CascadeState, stage: int) -> float:
        """Return the price of all that an entry may buy before it begins, unless in part."""
        entry, inner = self._locate(stage)
        room = self.entries[entry].headroom(state.inner[entry], inner)
        is_single = len(self.entries[entry].stages) == 1
        if is_single or (state.partial | state.begun | state.refused).any():
            return room
        return max(room, *(state.costs.price_of(s, state.owned) for s in self._extents[entry]))

    def read(self, state: CascadeState) -> Floats:
        """Return the answer of the last complete entry, or else of the one that was begun."""
        answer = state.answer.copy()
        begun = np.maximum(state.told, 0)
        for entry in np.unique(begun[state.complete < 0]).tolist():
            rows = (state.complete < 0) & (begun == entry)
            answer[rows] = self.entries[entry].read(state.inner[entry])[rows]
        return answer

    def free_stages(self, state: CascadeState, owned: Flags) -> list[int]:
        """Return the stages that the last entry whose items are owned has still to be told.

        Where no entry is complete, they may be those of a part of the running entry.
        """
        if not state.n or state.asked[0] < 0:
            return []
        for entry in range(len(self.entries) - 1, int(state.running[0]) - 1, -1):
            first, end = self._first[entry : entry + 2]
            if self._items[entry] and owned[first:end].all():
                return self._free(state, entry, owned)
        if state.complete[0] >= 0:
            return []
        return self._free(state, int(state.running[0]), owned)

    def _free(self, state: CascadeState, entry: int, owned: Flags) -> list[int]:
        """Return the free stages of one entry, numbered among all."""
        first, end = self._first[entry : entry + 2]
        plan, inner = self.entries[entry], state.inner[entry]
        if end - first == 1:
            is_next = int(np.max(plan.ask(inner), initial=-1)) == 0
            return [first] if is_next and owned[first] else []
        return [first + stage for stage in free_stages(plan, inner, owned[first:end])]

    def _locate(self, stage: int) -> tuple[int, int]:
        """Return the entry of a stage, and the number of the stage in that entry."""
        entry = bisect_right(self._first, stage) - 1
        return entry, stage - self._first[entry]

    def _advance(self, state: CascadeState) -> None:
        """Find the next stage of each row, past entries that have ended."""
        state.asked = np.full(state.n, -1)
        todo = ~state.left
        while todo.any():
            entry = int(state.running[todo].min())
            rows = todo & (state.running == entry)
            if entry == len(self.entries):
                again = rows & ~state.partial & (state.complete < 0)
                state.partial |= again
                self._begin(state, 0, again)
                state.left |= rows & ~again
            else:
                stage = np.broadcast_to(self.entries[entry].ask(state.inner[entry]), state.n)
                goes_on = rows & (stage >= 0)
                state.asked[goes_on] = stage[goes_on] + self._first[entry]
                self._end(state, entry, rows & ~goes_on)
                todo &= ~goes_on
            todo &= ~state.left

    def _begin(self, state: CascadeState, entry: int, rows: Flags) -> None:
        """Let rows go on with an entry."""
        state.running[rows] = entry
        state.begun[rows] = state.refused[rows] = False

    def _end(self, state: CascadeState, entry: int, rows: Flags) -> None:
        """Let rows leave, or go on with the next entry, after one that asks for no more."""
        full = np.flatnonzero(rows & ~state.refused)
        state.complete[full] = entry
        full = full[self._is_known(state, entry, full)]
        if len(full):
            state.answer[full] = self._answers(state, entry, full)
            if entry < len(self.gates):
                scores = self._scores(state, entry, full)
                state.left[full] = scores >= self.thresholds[entry]
        state.left |= rows & state.partial & state.begun
        self._begin(state, entry + 1, rows)

    def _is_known(self, state: CascadeState, entry: int, index: Ints) -> Flags:
        """Return which of some rows have a value in any column of an entry."""
        columns, source = self._columns[entry], state.source
        if not self.accepts_missing or source is None or not len(columns):
            return np.ones(len(index), dtype=bool)
        values = source.X[np.ix_(source.rows[index], columns)]
        return np.asarray(~np.isnan(values).all(axis=1))

    def _answers(self, state: CascadeState, entry: int, index: Ints) -> Floats:
        """Return the answers of an entry for some of the rows."""
        inner = state.inner[entry]
        return self.entries[entry].read(inner if len(index) == state.n else inner.take(index))

    def _scores(self, state: CascadeState, entry: int, index: Ints) -> Floats:
        """Return what is compared with the threshold of an entry, for some of the rows."""
        gate = self.gates[entry]
        if gate is None:
            return np.asarray(state.answer[index].max(axis=1))
        assert state.source is not None, "an entry with a gate has one stage, which was told"
        return gate.scores(state.source.X, state.source.rows[index])[:, -1]

    def extents(self) -> list[Sequence[int]]:
        """Return what rows that go through all entries may buy."""
        if prod(map(len, self._extents)) > _MAX_EXTENTS:
            return list(super().extents())
        ways = product(*self._extents)
        return list(dict.fromkeys(tuple(sorted(set().union(*way))) for way in ways))

    def repriced(self, costs: Costs) -> Plan[Any]:
        """Reprice the entries; the thresholds stay."""
        return self._with([repriced(entry, costs) for entry in self.entries], self.thresholds)

    def with_thresholds(self, thresholds: ArrayLike) -> CascadePlan:
        """Return the same cascade with other thresholds."""
        return self._with(self.entries, thresholds)

    def _with(self, entries: Sequence[Plan[Any]], thresholds: ArrayLike) -> CascadePlan:
        return CascadePlan(entries, thresholds, self.gates)

    def parts(self) -> tuple[dict[str, Any], Arrays]:
        """Return the parts of the entries, of the gates, and the thresholds."""
        arrays: Arrays = {"thresholds": self.thresholds}
        entries = []
        for number, entry in enumerate(self.entries):
            header, parts = plan_to_parts(entry)
            entries.append(header)
            arrays |= {f"{_ENTRY}{number}/{name}": array for name, array in parts.items()}
        gated = [number for number, gate in enumerate(self.gates) if gate is not None]
        headers, parts = models_to_parts([gate for gate in self.gates if gate is not None])
        arrays |= {_GATES + name: array for name, array in parts.items()}
        return {"entries": entries, "gated": gated, "gates": headers}, arrays

    @classmethod
    def from_parts(cls, header: dict[str, Any], arrays: Arrays) -> CascadePlan:
        """Return the plan of stored `parts`."""
        entries = [
            plan_from_parts(stored["kind"], stored["header"], _below(f"{_ENTRY}{number}/", arrays))
            for number, stored in enumerate(header["entries"])
        ]
        models = models_from_parts(header["gates"], _below(_GATES, arrays))
        by_entry = dict(zip(header["gated"], models, strict=True))
        if not set(by_entry) <= set(range(len(entries) - 1)):
            raise ValueError("gated must name entries before the last.")
        gates = [by_entry.get(number) for number in range(len(entries) - 1)]
        return cls(entries, arrays["thresholds"], gates)


def _below(prefix: str, arrays: Arrays) -> Arrays:
    """Return the arrays whose names begin with a prefix, without it."""
    return {
        name.removeprefix(prefix): array
        for name, array in arrays.items()
        if name.startswith(prefix)
    }
