"""Replay, the batch driver: X is known, and a plan is followed at many budgets in one pass."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..data.target import Target
from ..plans.capabilities import answer_cohort, joint_reader
from ..plans.contract import State
from ..plans.priced_plan import PricedPlan
from ..types import Flags, Floats, Ints
from .cohort import Cohort, first_cohorts
from .finite_values import FiniteCheck
from .stopping import StopContext, StopRule, StopsAhead, stop_rule
from .sweep import Sweep


def replay(
    priced: PricedPlan,
    target: Target,
    X: NDArray[Any],
    budgets: Floats,
    *,
    keys: NDArray[np.uint64] | None = None,
    owned: Flags | None = None,
    failed: Flags | None = None,
    stop: str | StopRule | None = None,
) -> Sweep:
    """Return the answers and the spend of all rows at all budgets.

    Parameters
    ----------
    priced : PricedPlan
        The plan and its costs.
    target : Target
        The meaning of the scores, which stop rules need.
    X : array (rows, columns)
        The values; only columns that are bought are read.
    budgets : float array (budgets,)
        Ascending and distinct.
    keys : array (rows,), optional
        One key per row, for plans that draw; by default 0, 1, 2, ...
    owned : bool array (rows, items), optional
        The items that rows own from the start, ancestors included.
    failed : bool array (rows, items), optional
        The items that cannot be had: they are refused, and never paid for.
    stop : {None, "certain", "confident"} or StopRule
        The rule for stopping before the budget is used up.
    """
    n, plan = X.shape[0], priced.plan
    batch = _Batch(priced, target, X, _keys(keys, n), stop_rule(stop, target))
    done = sorted(_follow(batch, budgets, None, owned, failed), key=lambda cohort: cohort.first)
    if done and all(len(cohort.rows) == n and cohort.answers is None for cohort in done):
        answers = _read_all(batch, [cohort.state for cohort in done])
        run_of = np.repeat(np.arange(len(done)), [cohort.n_budgets for cohort in done])
        paid = np.array([cohort.ledger.spent for cohort in done])[run_of]
        return Sweep(budgets, np.broadcast_to(paid, (n, len(budgets))), answers, target, run_of)
    # budgets first: a cohort then writes whole runs of memory
    scores, spent = np.empty((len(budgets), n, plan.n_outputs)), np.empty((len(budgets), n))
    for cohort in done:
        answer = cohort.answers or (plan.read(cohort.state), cohort.ledger.spent)
        scores[cohort.positions, cohort.rows], spent[cohort.positions, cohort.rows] = answer
    return Sweep(budgets, spent.T, np.moveaxis(scores, 0, 1), target)


def replay_rows(
    priced: PricedPlan,
    target: Target,
    X: NDArray[Any],
    budgets: Floats,
    *,
    keys: NDArray[np.uint64] | None = None,
    owned: Flags | None = None,
    failed: Flags | None = None,
    stop: str | StopRule | None = None,
) -> tuple[Floats, Floats]:
    """Return scores (rows x outputs) and spend (rows) of rows with a budget each.

    Parameters
    ----------
    budgets : float array (rows,)
        One per row.
    priced, target, X, keys, owned, failed, stop
        As in `replay`.
    """
    distinct, budget_of = np.unique(budgets, return_inverse=True)
    n = X.shape[0]
    scores, spent = np.empty((n, priced.plan.n_outputs)), np.empty(n)
    batch = _Batch(priced, target, X, _keys(keys, n), stop_rule(stop, target))
    for cohort in _follow(batch, distinct, budget_of, owned, failed):
        answer = cohort.answers or (priced.plan.read(cohort.state), cohort.ledger.spent)
        scores[cohort.rows], spent[cohort.rows] = answer
    return scores, spent


@dataclass(frozen=True, eq=False)
class _Batch:
    """What all cohorts of a batch share."""

    priced: PricedPlan
    target: Target
    X: NDArray[Any]
    keys: NDArray[np.uint64]
    rule: StopRule | None

    @cached_property
    def finite(self) -> FiniteCheck:
        """The check of the columns that are bought."""
        return FiniteCheck(self.priced, self.X)


def _read_all(batch: _Batch, states: list[State]) -> Floats:
    """Return the answers of several states of all rows (rows x states x outputs)."""
    plan = batch.priced.plan
    read = joint_reader(plan, states)
    if read is None:
        return np.stack([plan.read(state) for state in states], axis=1)
    return read(batch.X, np.arange(batch.X.shape[0]))


def _keys(keys: NDArray[np.uint64] | None, n_rows: int) -> NDArray[np.uint64]:
    return np.arange(n_rows, dtype=np.uint64) if keys is None else keys


def _follow(
    batch: _Batch, budgets: Floats, budget_of: Ints | None, owned: Flags | None,
    failed: Flags | None,
) -> Iterator[Cohort]:  # fmt: skip
    """Yield cohorts that together hold every row at its budgets, each followed to its end."""
    priced, rule = batch.priced, batch.rule
    start = (priced, budgets, budget_of, batch.keys, owned, failed)
    todo = list(first_cohorts(*start, each_budget=rule is not None))
    for cohort in todo if rule is None else ():
        cohort.answers = _answers_at_once(batch, cohort)
    if priced.plan.one_budget and any(cohort.answers is None for cohort in todo):
        todo = list(first_cohorts(*start, each_budget=True))
    while todo:
        yield from _drive(batch, todo.pop(), todo)


def _answers_at_once(batch: _Batch, cohort: Cohort) -> tuple[Floats, Floats] | None:
    """Return the answers of a plan that need not be driven, or None."""
    if cohort.ledger.failed:
        return None
    rows, positions = cohort.rows, cohort.budget_of
    positions = None if positions is None else positions - cohort.first
    plan, needs = batch.priced.plan, batch.priced.needs
    return answer_cohort(plan, batch.X, rows, batch.keys[rows], cohort.ledger, needs, positions)


def _drive(batch: _Batch, cohort: Cohort, todo: list[Cohort]) -> Iterator[Cohort]:
    """Follow the plan on a cohort to its end; parts with another history are added to `todo`."""
    plan = batch.priced.plan
    while cohort.answers is None:
        asked = plan.ask(cohort.state)
        if isinstance(asked, np.ndarray):
            stages = np.unique(asked)
            if len(stages) > 1:
                todo.extend(cohort.part(asked == stage) for stage in stages)
                return
            asked = stages[0]
        stage = int(asked)
        if stage < 0:
            break
        needs = batch.priced.needs[stage]
        n_poor = cohort.ledger.first_affording(needs, plan.headroom(cohort.state, stage))
        if n_poor == cohort.n_budgets:
            plan.refuse(cohort.state, stage, cohort.ledger)
            continue
        if n_poor:
            poor, rich = cohort.divide(n_poor)
            todo += [poor] if poor else []
            if rich is None:
                return
            cohort = rich
        if batch.rule is not None and not cohort.never_stops and cohort.ledger.missing(needs):
            settled, rest = _stop_early(batch, cohort, batch.rule)
            if settled is not None:
                yield settled
            if rest is None:
                return
            cohort = rest
        _tell(batch, cohort, stage)
    yield cohort


def _tell(batch: _Batch, cohort: Cohort, stage: int) -> None:
    """Buy and tell a stage, after a check that its columns are finite where that is needed."""
    priced = batch.priced
    batch.finite.check(cohort.rows, priced.plan.reads[stage])
    cohort.ledger.buy(priced.needs[stage])
    priced.plan.tell(cohort.state, stage, batch.X, cohort.rows)


def _stop_early(
    batch: _Batch, cohort: Cohort, rule: StopRule
) -> tuple[Cohort | None, Cohort | None]:
    """Return the rows whose answer is settled and the others; settled rows buy nothing more."""
    priced = batch.priced
    context = StopContext(
        priced, batch.target, cohort.state, cohort.ledger, batch.X, cohort.rows
    )  # fmt: skip
    ahead = rule.decide_ahead(context)
    if ahead is not None:
        return _divided(cohort, ahead)
    sure, free = rule.decide(context)
    if not sure.any():
        return None, cohort
    settled = cohort.part(sure)
    for stage in free:
        priced.plan.tell(settled.state, stage, batch.X, settled.rows)
    rule.settle(priced, settled.state)
    return settled, None if sure.all() else cohort.part(~sure)


def _divided(cohort: Cohort, ahead: StopsAhead) -> tuple[Cohort | None, Cohort | None]:
    """Return the rows that stop at some time, answered, and those that never do."""
    stopped = rest = None
    if ahead.stops.any():
        stopped = cohort.part(ahead.stops)
        stopped.answers = ahead.scores[None], ahead.spent[None]
    if not ahead.stops.all():
        rest = cohort.part(~ahead.stops)
        rest.never_stops = True
    return stopped, rest
