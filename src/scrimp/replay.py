"""Replay: the batch driver. X is known, a plan is followed at many budgets in one pass."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .ledger import Ledger
from .plan import Floats, Ints, PricedPlan, State
from .stopping import StopRule, outlook, stop_rule
from .target import Target


@dataclass(frozen=True, eq=False)
class Sweep:
    """Answers and spend of many rows at many budgets.

    Parameters
    ----------
    budgets : float array (budgets,)
        As asked for.
    spent : float array (rows, budgets)
        What each row paid; never more than the budget.
    scores : float array (rows, budgets, outputs)
        The plan's readout.
    target : Target
        How scores become labels.
    """

    budgets: Floats
    spent: Floats
    scores: Floats
    target: Target

    def labels(self) -> NDArray[Any]:
        """Predicted labels, or values (rows x budgets)."""
        return self.target.labels(self.scores)

    def probabilities(self) -> Floats:
        """Class probabilities (rows x budgets x classes)."""
        return self.target.probabilities(self.scores)


@dataclass
class _Cohort:
    """Rows with one common history, at a run of budgets.

    `budget_of` gives each row's own budget by its position among all; without it every row
    is at every budget of the ledger.
    """

    rows: Ints
    state: State
    ledger: Ledger
    first: int
    budget_of: Ints | None

    @property
    def n_budgets(self) -> int:
        return len(self.ledger.budgets)

    @property
    def positions(self) -> slice:
        return slice(self.first, self.first + self.n_budgets)


def replay(
    priced: PricedPlan,
    target: Target,
    X: NDArray[Any],
    budgets: Floats,
    *,
    budget_of: Ints | None = None,
    keys: NDArray[np.uint64] | None = None,
    owned: NDArray[np.bool_] | None = None,
    stop: str | None = None,
) -> tuple[Floats, Floats]:
    """Follow a plan on all rows.

    Parameters
    ----------
    priced : PricedPlan
        The plan and its costs.
    target : Target
        What the scores mean; stop rules need it.
    X : array (rows, columns)
        Only columns that are bought are looked at.
    budgets : float array (budgets,)
        Ascending and distinct.
    budget_of : int array (rows,), optional
        The position of each row's own budget; without it every row is run at every budget.
    keys : array (rows,), optional
        One key a row, for plans that draw; by default 0, 1, 2, ...
    owned : bool array (rows, items), optional
        What rows have already, ancestors included.
    stop : {None, "certain"}
        When to stop before the budget does.

    Returns
    -------
    scores : float array (rows, budgets, outputs)
    spent : float array (rows, budgets)
        With `budget_of` there is one budget a row.
    """
    n = len(X)
    if keys is None:
        keys = np.arange(n, dtype=np.uint64)
    done = list(_follow(priced, target, X, budgets, budget_of, keys, owned, stop_rule(stop)))
    answers = priced.plan.read_all([cohort.state for cohort in done])
    width = len(budgets) if budget_of is None else 1
    # budgets first: a cohort then writes whole runs of memory
    scores = np.empty((width, n, priced.plan.n_outputs))
    # where all rows pay the same, one number a budget stands for them all
    alike = all(len(cohort.rows) == n for cohort in done)
    spent = np.empty((width, 1 if alike else n))
    for cohort, answer in zip(done, answers, strict=True):
        which = slice(1) if cohort.budget_of is not None else cohort.positions
        rows = slice(None) if len(cohort.rows) == n else cohort.rows
        scores[which, rows] = answer
        spent[which, rows] = cohort.ledger.spent
    return np.moveaxis(scores, 0, 1), np.broadcast_to(spent, (width, n)).T


def _follow(
    priced: PricedPlan,
    target: Target,
    X: NDArray[Any],
    budgets: Floats,
    budget_of: Ints | None,
    keys: NDArray[np.uint64],
    owned: NDArray[np.bool_] | None,
    rule: StopRule | None,
) -> Iterator[_Cohort]:
    """Drive cohorts until each is done."""
    plan = priced.plan
    todo = list(_first_cohorts(priced, len(X), budgets, budget_of, keys, owned, rule))
    while todo:
        cohort = todo.pop()
        while True:
            asked = plan.ask(cohort.state)
            if isinstance(asked, np.ndarray):
                values = np.unique(asked)
                if len(values) > 1:
                    todo.extend(_part(priced, cohort, asked == value) for value in values)
                    break
                asked = int(values[0])
            if asked < 0:
                yield cohort
                break
            needs = priced.needs[asked]
            poor = cohort.ledger.first_affording(needs, plan.stages.headroom[asked])
            if poor == cohort.n_budgets:
                plan.refuse(cohort.state, asked, cohort.ledger)
                continue
            if poor:
                below, above = _divide(priced, cohort, poor)
                todo += below
                if not above:
                    break
                cohort = above[0]
            if rule is not None and cohort.ledger.missing(needs):
                settled, rest = _stop_early(priced, target, X, cohort, rule)
                yield from settled
                if not rest:
                    break
                cohort = rest[0]
            _tell(priced, cohort, asked, X)


def _tell(priced: PricedPlan, cohort: _Cohort, stage: int, X: NDArray[Any]) -> None:
    needs = priced.needs[stage]
    if not priced.plan.accepts_missing:
        columns = np.array([c for item in needs for c in priced.costs.columns[item]], dtype=int)
        bad = ~np.isfinite(X[cohort.rows[:, None], columns]).all(axis=0)
        if bad.any():
            name = priced.costs.column_name(int(columns[bad.argmax()]))
            raise ValueError(
                f"Column {name!r} was bought and holds NaN or infinity, which this model "
                "cannot use. Impute it, or leave these rows out."
            )
    cohort.ledger.buy(needs)
    priced.plan.tell(cohort.state, stage, X, cohort.rows)


def _first_cohorts(
    priced: PricedPlan,
    n: int,
    budgets: Floats,
    budget_of: Ints | None,
    keys: NDArray[np.uint64],
    owned: NDArray[np.bool_] | None,
    rule: StopRule | None,
) -> Iterator[_Cohort]:
    """Rows that own the same, at budgets between which the plan does not distinguish."""
    for rows, have in _by_owned(n, owned):
        whole = Ledger(priced.costs, budgets.tolist(), have)
        for start, stop in _runs(priced, whole, each=rule is not None):
            chosen = rows
            if budget_of is not None:
                chosen = rows[(budget_of[rows] >= start) & (budget_of[rows] < stop)]
            if len(chosen):
                ledger = whole.at(start, stop)
                state = priced.plan.start(keys[chosen], ledger)
                own = None if budget_of is None else budget_of[chosen]
                yield _Cohort(chosen, state, ledger, start, own)


def _by_owned(
    n: int, owned: NDArray[np.bool_] | None
) -> Iterator[tuple[Ints, Sequence[int]]]:
    if owned is None:
        yield np.arange(n), ()
        return
    patterns, member = np.unique(owned, axis=0, return_inverse=True)
    member = member.reshape(-1)
    for number, pattern in enumerate(patterns):
        yield np.flatnonzero(member == number), np.flatnonzero(pattern).tolist()


def _runs(priced: PricedPlan, ledger: Ledger, each: bool) -> Iterator[tuple[int, int]]:
    """Runs of budgets that start alike; a stop rule looks at one budget at a time."""
    n = len(ledger.budgets)
    if each:
        bounds = list(range(n + 1))
    else:
        closures = map(priced.costs.closure, priced.plan.decisive())
        bounds = sorted({0, n, *(ledger.first_affording(needs) for needs in closures)})
    yield from zip(bounds[:-1], bounds[1:], strict=True)


def _part(priced: PricedPlan, cohort: _Cohort, chosen: NDArray[np.bool_]) -> _Cohort:
    """Some rows of a cohort, at all its budgets."""
    whole = bool(chosen.all())
    index = np.flatnonzero(chosen)
    return _Cohort(
        cohort.rows if whole else cohort.rows[index],
        priced.plan.fork(cohort.state) if whole else priced.plan.split(cohort.state, index),
        cohort.ledger.at(0, cohort.n_budgets),
        cohort.first,
        None if cohort.budget_of is None else cohort.budget_of[index],
    )


def _divide(priced: PricedPlan, cohort: _Cohort, poor: int) -> tuple[list[_Cohort], list[_Cohort]]:
    """The cohort at its `poor` lowest budgets, and at the others."""
    parts = []
    for start, stop in ((0, poor), (poor, cohort.n_budgets)):
        first, last = cohort.first + start, cohort.first + stop
        chosen = np.ones(len(cohort.rows), dtype=bool)
        if cohort.budget_of is not None:
            chosen = (cohort.budget_of >= first) & (cohort.budget_of < last)
        part = [_part(priced, cohort, chosen)] if chosen.any() else []
        for only in part:
            only.ledger, only.first = cohort.ledger.at(start, stop), first
        parts.append(part)
    return parts[0], parts[1]


def _stop_early(
    priced: PricedPlan, target: Target, X: NDArray[Any], cohort: _Cohort, rule: StopRule
) -> tuple[list[_Cohort], list[_Cohort]]:
    """Rows whose answer is settled: what they own still counts, no more is bought; the rest."""
    free, unsure = outlook(priced, cohort.state, cohort.ledger)
    sure = rule(priced, target, cohort.state, free, unsure, X, cohort.rows)
    settled = [_part(priced, cohort, sure)] if sure.any() else []
    for part in settled:
        for stage in free:
            priced.plan.tell(part.state, stage, X, part.rows)
        priced.plan.settle(part.state)
    return settled, [] if sure.all() else [_part(priced, cohort, ~sure) if settled else cohort]
