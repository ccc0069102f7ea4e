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
    rule = stop_rule(stop)
    n = len(X)
    if keys is None:
        keys = np.arange(n, dtype=np.uint64)
    width = len(budgets) if budget_of is None else 1
    # budgets first: a cohort then writes whole runs of memory
    scores = np.empty((width, n, priced.plan.n_outputs))
    spent = np.empty((width, n))
    for done, answers in _follow(priced, target, X, budgets, budget_of, keys, owned, rule):
        which = slice(done.first, done.first + done.n_budgets) if budget_of is None else slice(1)
        scores[which, done.rows] = answers
        spent[which, done.rows] = done.ledger.spent
    return np.moveaxis(scores, 0, 1), spent.T


def _follow(
    priced: PricedPlan,
    target: Target,
    X: NDArray[Any],
    budgets: Floats,
    budget_of: Ints | None,
    keys: NDArray[np.uint64],
    owned: NDArray[np.bool_] | None,
    rule: StopRule | None,
) -> Iterator[tuple[_Cohort, Floats]]:
    """Drive cohorts until each is done; yields each with its scores."""
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
                yield cohort, plan.read(cohort.state)
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
                settled, cohort_or_none = _stop_early(priced, target, X, cohort, rule)
                yield from settled
                if cohort_or_none is None:
                    break
                cohort = cohort_or_none
            _tell(priced, cohort, asked, X)


def _tell(priced: PricedPlan, cohort: _Cohort, stage: int, X: NDArray[Any]) -> None:
    needs = priced.needs[stage]
    if not priced.plan.accepts_missing:
        columns = [c for item in needs for c in priced.costs.columns[item]]
        bad = ~np.isfinite(X[np.ix_(cohort.rows, columns)]).all(axis=0)
        if bad.any():
            name = priced.costs.column_name(columns[int(bad.argmax())])
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
    index = np.flatnonzero(chosen)
    return _Cohort(
        cohort.rows[index],
        priced.plan.split(cohort.state, index),
        cohort.ledger.at(0, cohort.n_budgets),
        cohort.first,
        None if cohort.budget_of is None else cohort.budget_of[index],
    )


def _divide(
    priced: PricedPlan, cohort: _Cohort, poor: int
) -> tuple[list[_Cohort], list[_Cohort]]:
    """The cohort at its `poor` lowest budgets, and at the others."""
    parts = []
    for start, stop in ((0, poor), (poor, cohort.n_budgets)):
        first, last = cohort.first + start, cohort.first + stop
        if cohort.budget_of is None:
            chosen = np.ones(len(cohort.rows), dtype=bool)
        else:
            chosen = (cohort.budget_of >= first) & (cohort.budget_of < last)
        part = []
        if chosen.any():
            part = [_part(priced, cohort, chosen)]
            part[0].ledger = cohort.ledger.at(start, stop)
            part[0].first = first
        parts.append(part)
    return parts[0], parts[1]


def _stop_early(
    priced: PricedPlan, target: Target, X: NDArray[Any], cohort: _Cohort, rule: StopRule
) -> tuple[list[tuple[_Cohort, Floats]], _Cohort | None]:
    """Let rows go whose answer is settled: what they own still counts, no more is bought."""
    free, unsure = outlook(priced, cohort.state, cohort.ledger)
    sure = rule(priced, target, cohort.state, free, unsure, X, cohort.rows)
    if not sure.any():
        return [], cohort
    settled = _part(priced, cohort, sure)
    for stage in free:
        priced.plan.tell(settled.state, stage, X, settled.rows)
    priced.plan.settle(settled.state)
    rest = None if sure.all() else _part(priced, cohort, ~sure)
    return [(settled, priced.plan.read(settled.state))], rest
