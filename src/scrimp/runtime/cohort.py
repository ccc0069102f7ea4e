"""Cohorts: the rows of a batch that share a history, at consecutive budgets."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ..costs.ledger import Ledger
from ..plans.capabilities import key_groups
from ..plans.contract import State
from ..plans.priced_plan import PricedPlan
from ..types import Flags, Floats, Ints


@dataclass
class Cohort:
    """Rows that share a history, at consecutive budgets.

    Parameters
    ----------
    rows : int array
        The rows of the batch.
    state : State
        What the plan knows of them.
    ledger : Ledger
        What they own and have spent, at these budgets.
    first : int
        The position of the lowest of these budgets among all budgets.
    budget_of : int array (rows,), optional
        The position of each row's budget among all; without it every row is at every budget of
        the ledger.
    answers : tuple of float arrays, optional
        The scores and the spend, if the rows need not be followed.
    never_stops : bool
        Whether it is known that the rows make all purchases, whatever the stop rule.
    """

    rows: Ints
    state: State
    ledger: Ledger
    first: int
    budget_of: Ints | None
    answers: tuple[Floats, Floats] | None = None
    never_stops: bool = False

    @property
    def n_budgets(self) -> int:
        """The number of budgets."""
        return len(self.ledger.budgets)

    @property
    def positions(self) -> slice:
        """The positions of the budgets among all."""
        return slice(self.first, self.first + self.n_budgets)

    def part(self, chosen: Flags) -> Cohort:
        """Return some rows, at all budgets."""
        index = np.flatnonzero(chosen)
        return Cohort(
            self.rows[index],
            self.state.take(index),
            self.ledger.at(0, self.n_budgets),
            self.first,
            None if self.budget_of is None else self.budget_of[index],
            never_stops=self.never_stops,
        )

    def divide(self, n_low: int) -> tuple[Cohort | None, Cohort | None]:
        """Return the cohort at its `n_low` lowest budgets and at the others, where it has rows."""
        return self._part_at_budgets(0, n_low), self._part_at_budgets(n_low, self.n_budgets)

    def at_budgets(self, start: int, stop: int) -> Cohort:
        """Return all rows at some of the budgets, which are those of every row."""
        ledger = self.ledger.at(start, stop)
        return Cohort(self.rows, self.state.fork(), ledger, self.first + start, None)

    def _part_at_budgets(self, start: int, stop: int) -> Cohort | None:
        """Return the cohort at some of its budgets; None if no row has one of these."""
        if self.budget_of is None:
            return self.at_budgets(start, stop)
        first, ledger = self.first + start, self.ledger.at(start, stop)
        chosen = (self.budget_of >= first) & (self.budget_of < self.first + stop)
        return replace(self.part(chosen), ledger=ledger, first=first) if chosen.any() else None


def first_cohorts(
    priced: PricedPlan,
    budgets: Floats,
    budget_of: Ints | None,
    keys: NDArray[np.uint64],
    owned: Flags | None,
    failed: Flags | None,
    each_budget: bool,
) -> Iterator[Cohort]:
    """Yield rows that the plan starts alike: of one key group, owned and failed items, and budgets.

    Parameters
    ----------
    priced : PricedPlan
        The plan and its costs.
    budgets : float array (budgets,)
        Ascending and distinct.
    budget_of : int array (rows,), optional
        The position of each row's budget; without it all rows are at all budgets.
    keys : uint64 array (rows,)
        The keys of all rows.
    owned : bool array (rows, items), optional
        The items that rows own, ancestors included.
    failed : bool array (rows, items), optional
        The items that cannot be had.
    each_budget : bool
        Whether every budget has a cohort of its own.
    """
    groups = key_groups(priced.plan, keys)
    for rows, owned_items, failed_items in _by_history(groups, owned, failed):
        whole = Ledger(priced.costs, budgets.tolist(), owned_items)
        whole.failed = failed_items - whole.owned
        for start, stop in _budget_runs(priced, whole, each_budget):
            chosen = rows
            if budget_of is not None:
                chosen = rows[(budget_of[rows] >= start) & (budget_of[rows] < stop)]
            if len(chosen):
                ledger = whole.at(start, stop)
                state = priced.plan.start(keys[chosen], ledger)
                positions = None if budget_of is None else budget_of[chosen]
                yield Cohort(chosen, state, ledger, start, positions)


def cohorts_without_rows(priced: PricedPlan, budgets: Sequence[float]) -> list[Cohort]:
    """Return what the plan starts alike at ascending budgets, for rows that own nothing."""
    ledger, nobody = Ledger(priced.costs, list(budgets)), np.empty(0, dtype=np.uint64)
    cohorts = []
    for start, stop in _budget_runs(priced, ledger, priced.plan.one_budget):
        part = ledger.at(start, stop)
        state = priced.plan.start(nobody, part)
        cohorts.append(Cohort(nobody.astype(np.int64), state, part, start, None))
    return cohorts


def _by_history(
    groups: Ints, owned: Flags | None, failed: Flags | None
) -> Iterator[tuple[Ints, set[int], set[int]]]:
    """Yield rows of one group that own and cannot have the same items, and these items."""
    given = [mask for mask in (owned, failed) if mask is not None]
    if not given:
        for number in np.unique(groups).tolist():
            yield np.flatnonzero(groups == number), set(), set()
        return
    patterns, member = np.unique(np.hstack(given), axis=0, return_inverse=True)
    member = member.reshape(-1)
    n_owned = 0 if owned is None else owned.shape[1]
    for number, group in np.unique(np.column_stack([member, groups]), axis=0).tolist():
        parts = np.split(patterns[number], [n_owned])
        having, lacking = (np.flatnonzero(part).tolist() for part in parts)
        rows = np.flatnonzero((member == number) & (groups == group))
        yield rows, set(having), set(lacking)


def _budget_runs(
    priced: PricedPlan, ledger: Ledger, each_budget: bool
) -> Iterator[tuple[int, int]]:
    """Return runs of budgets that can pay for the same decisive items, or each budget alone."""
    n = len(ledger.budgets)
    if each_budget:
        return pairwise(range(n + 1))
    failures = _failures_met(ledger, priced.plan.decisive)
    if len(failures) >= n:
        return pairwise(range(n + 1))
    ends, seen = {0, n}, ledger.at(0, n)
    for met in failures:
        seen.failed = set(met)
        obtainable = map(seen.obtainable, priced.plan.decisive)
        ends.update(seen.first_affording(needs) for needs in obtainable)
    return pairwise(sorted(ends))


def _failures_met(ledger: Ledger, sets: Sequence[Sequence[int]]) -> set[frozenset[int]]:
    """Return the failures that a plan may know of, which has asked for none, some or all sets."""
    unions = {frozenset(ledger.failed)}
    if ledger.failed:
        unions.add(frozenset())
        for items in sets:
            met = ledger.failed.intersection(ledger.costs.closure(items))
            unions |= {union | met for union in unions}
            if len(unions) >= len(ledger.budgets):  # each budget alone is less work
                break
    return unions
