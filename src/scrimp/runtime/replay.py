"""Replay: the batch driver. X is known, a plan is followed at many budgets in one pass."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ..costs.ledger import Ledger
from ..data.target import Target
from ..plans.capabilities import Reader, answer_cohort, bounded, read_all, reader
from ..plans.contract import State
from ..plans.priced_plan import PricedPlan
from ..types import Floats, Ints
from .stopping import StopRule, outlook, stop_rule
from .sweep import Sweep


@dataclass
class _Cohort:
    """Rows with one common history, at a run of budgets.

    `budget_of` gives each row's own budget by its position among all; without it every row
    is at every budget of the ledger. `answers` are the scores and the spend of a plan that
    answers fresh rows at once.
    """

    rows: Ints
    state: State
    ledger: Ledger
    first: int
    budget_of: Ints | None
    answers: tuple[Floats, Floats] | None = None

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
    keys: NDArray[np.uint64] | None = None,
    owned: NDArray[np.bool_] | None = None,
    stop: str | None = None,
) -> Sweep:
    """Follow a plan on all rows, at all budgets.

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
    keys : array (rows,), optional
        One key a row, for plans that draw; by default 0, 1, 2, ...
    owned : bool array (rows, items), optional
        What rows have already, ancestors included.
    stop : {None, "certain"}
        When to stop before the budget does.
    """
    n, plan = X.shape[0], priced.plan
    done = list(_follow(priced, target, X, budgets, None, keys, owned, stop_rule(stop)))
    done.sort(key=lambda cohort: cohort.first)
    if done and all(len(cohort.rows) == n and cohort.answers is None for cohort in done):
        answers = read_all(plan, [cohort.state for cohort in done])
        run_of = np.repeat(np.arange(len(done)), [cohort.n_budgets for cohort in done])
        paid = np.array([cohort.ledger.spent for cohort in done])[run_of]
        spent = np.broadcast_to(paid, (n, len(budgets)))
        return Sweep(budgets, spent, np.moveaxis(answers, 0, 1), target, run_of)
    # budgets first: a cohort then writes whole runs of memory
    scores, spent = np.empty((len(budgets), n, plan.n_outputs)), np.empty((len(budgets), n))
    for cohort in done:
        own = cohort.answers or (plan.read(cohort.state), cohort.ledger.spent)
        scores[cohort.positions, cohort.rows], spent[cohort.positions, cohort.rows] = own
    return Sweep(budgets, spent.T, np.moveaxis(scores, 0, 1), target)


def replay_rows(
    priced: PricedPlan,
    target: Target,
    X: NDArray[Any],
    budgets: Floats,
    *,
    keys: NDArray[np.uint64] | None = None,
    owned: NDArray[np.bool_] | None = None,
    stop: str | None = None,
) -> tuple[Floats, Floats]:
    """Follow a plan on each row at its own budget; scores (rows x outputs) and spend (rows).

    Parameters
    ----------
    budgets : float array (rows,)
        One a row.
    priced, target, X, keys, owned, stop
        As in `replay`.
    """
    distinct, budget_of = np.unique(budgets, return_inverse=True)
    n = X.shape[0]
    scores, spent = np.empty((n, priced.plan.n_outputs)), np.empty(n)
    rule = stop_rule(stop)
    for cohort in _follow(priced, target, X, distinct, budget_of, keys, owned, rule):
        own = cohort.answers or (priced.plan.read(cohort.state), cohort.ledger.spent)
        scores[cohort.rows], spent[cohort.rows] = own
    return scores, spent


@dataclass(frozen=True, eq=False)
class SharedHistory:
    """What all rows buy at one budget, and how they are then answered.

    Parameters
    ----------
    spent : float
        What each row pays.
    checked : int array
        Columns that are looked at and must be finite, in the order bought.
    read : callable
        Scores (rows x outputs) of X and rows.
    """

    spent: float
    checked: Ints
    read: Reader


def shared_history(priced: PricedPlan, budget: float) -> SharedHistory | None:
    """Return what all rows buy at a budget; None if rows differ or the plan must be driven.

    A plan with a fixed order buys the same for all rows, so that following it once, on no row
    at all, tells what is bought for any.
    """
    plan, ledger = priced.plan, Ledger(priced.costs, [budget])
    if plan.outline.order != "fixed":
        return None
    X, rows = np.empty((0, priced.costs.n_columns)), np.empty(0, dtype=np.int64)
    state = plan.start(np.empty(0, dtype=np.uint64), ledger)
    columns: dict[int, None] = {}
    while (stage := int(plan.ask(state))) >= 0:
        needs = priced.needs[stage]
        if ledger.first_affording(needs, plan.headroom(state, stage)):
            plan.refuse(state, stage, ledger)
            continue
        ledger.buy(needs)
        plan.tell(state, stage, X, rows)
        if not plan.accepts_missing:
            columns.update(dict.fromkeys(np.asarray(plan.reads[stage]).tolist()))
    read = reader(plan, state)
    if read is None:
        return None
    return SharedHistory(ledger.spent, np.array(list(columns), dtype=np.int64), read)


def answer_all(priced: PricedPlan, history: SharedHistory, X: Any) -> tuple[Floats, Floats]:
    """Return scores (rows x outputs) and spend (rows) of rows with a shared history."""
    rows = np.arange(X.shape[0])
    _refuse_not_finite(priced, X, rows, history.checked)
    return history.read(X, rows), np.full(X.shape[0], history.spent)


def _follow(
    priced: PricedPlan,
    target: Target,
    X: NDArray[Any],
    budgets: Floats,
    budget_of: Ints | None,
    keys: NDArray[np.uint64] | None,
    owned: NDArray[np.bool_] | None,
    rule: StopRule | None,
) -> Iterator[_Cohort]:
    """Drive cohorts until each is done."""
    plan = priced.plan
    if keys is None:
        keys = np.arange(X.shape[0], dtype=np.uint64)
    given = (priced, X.shape[0], budgets, budget_of, keys, owned)
    todo = list(_first_cohorts(*given, each=rule is not None))
    for cohort in todo if rule is None else ():
        cohort.answers = _answers_at_once(priced, X, keys, cohort)
    if plan.one_budget and any(cohort.answers is None for cohort in todo):
        todo = list(_first_cohorts(*given, each=True))
    while todo:
        cohort = todo.pop()
        while cohort.answers is None:
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
            poor = cohort.ledger.first_affording(needs, plan.headroom(cohort.state, asked))
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
        else:
            yield cohort


def _tell(priced: PricedPlan, cohort: _Cohort, stage: int, X: NDArray[Any]) -> None:
    if not priced.accepts_missing:
        _refuse_not_finite(priced, X, cohort.rows, priced.plan.reads[stage])
    cohort.ledger.buy(priced.needs[stage])
    priced.plan.tell(cohort.state, stage, X, cohort.rows)


def _refuse_not_finite(
    priced: PricedPlan, X: Any, rows: Ints, columns: Sequence[int] | Ints
) -> None:
    """Raise ValueError if a column that was bought holds NaN or infinity."""
    lost = _first_not_finite(X, rows, columns) if len(columns) else None
    if lost is not None:
        raise ValueError(
            f"Column {priced.costs.column_name(lost)!r} was bought and holds NaN or infinity, "
            "which this model cannot use. Impute it, or leave these rows out."
        )


def _first_not_finite(X: Any, rows: Ints, columns: Sequence[int] | Ints) -> int | None:
    """Return the first of some columns that holds NaN or infinity in some rows."""
    if sparse.issparse(X):
        part = X[rows]
        lost = np.intersect1d(columns, part.indices[~np.isfinite(part.data)])
        return int(lost[0]) if len(lost) else None
    for column in columns:
        if not np.isfinite(X[rows, column]).all():
            return int(column)
    return None


def _first_cohorts(
    priced: PricedPlan,
    n: int,
    budgets: Floats,
    budget_of: Ints | None,
    keys: NDArray[np.uint64],
    owned: NDArray[np.bool_] | None,
    each: bool,
) -> Iterator[_Cohort]:
    """Rows that own the same, at budgets between which the plan does not distinguish."""
    for rows, have in _by_owned(n, owned):
        whole = Ledger(priced.costs, budgets.tolist(), have)
        for start, stop in _runs(priced, whole, each):
            chosen = rows
            if budget_of is not None:
                chosen = rows[(budget_of[rows] >= start) & (budget_of[rows] < stop)]
            if len(chosen):
                ledger = whole.at(start, stop)
                state = priced.plan.start(keys[chosen], ledger)
                own = None if budget_of is None else budget_of[chosen]
                yield _Cohort(chosen, state, ledger, start, own)


def _answers_at_once(
    priced: PricedPlan, X: NDArray[Any], keys: NDArray[np.uint64], cohort: _Cohort
) -> tuple[Floats, Floats] | None:
    """What a plan says of fresh rows without being driven, if it does."""
    rows, own = cohort.rows, cohort.budget_of
    own = None if own is None else own - cohort.first
    return answer_cohort(priced.plan, X, rows, keys[rows], cohort.ledger, priced.needs, own)


def _by_owned(n: int, owned: NDArray[np.bool_] | None) -> Iterator[tuple[Ints, Sequence[int]]]:
    if owned is None:
        yield np.arange(n), ()
        return
    patterns, member = np.unique(owned, axis=0, return_inverse=True)
    member = member.reshape(-1)
    for number, pattern in enumerate(patterns):
        yield np.flatnonzero(member == number), np.flatnonzero(pattern).tolist()


def _runs(priced: PricedPlan, ledger: Ledger, each: bool) -> Iterator[tuple[int, int]]:
    """Runs of budgets that start alike, or each of them alone, as a stop rule looks at them."""
    n = len(ledger.budgets)
    if each:
        bounds = list(range(n + 1))
    else:
        closures = map(priced.costs.closure, priced.plan.decisive)
        bounds = sorted({0, n, *(ledger.first_affording(needs) for needs in closures)})
    yield from pairwise(bounds)


def _part(priced: PricedPlan, cohort: _Cohort, chosen: NDArray[np.bool_]) -> _Cohort:
    """Some rows of a cohort, at all its budgets."""
    index = np.flatnonzero(chosen)
    return _Cohort(
        cohort.rows[index],
        cohort.state.take(index),
        cohort.ledger.at(0, cohort.n_budgets),
        cohort.first,
        None if cohort.budget_of is None else cohort.budget_of[index],
    )


def _divide(priced: PricedPlan, cohort: _Cohort, poor: int) -> tuple[list[_Cohort], list[_Cohort]]:
    """The cohort at its `poor` lowest budgets, and at the others."""
    below = _at_budgets(priced, cohort, 0, poor)
    return below, _at_budgets(priced, cohort, poor, cohort.n_budgets)


def _at_budgets(priced: PricedPlan, cohort: _Cohort, start: int, stop: int) -> list[_Cohort]:
    """The cohort at some of its budgets; none if no row has one of these."""
    first, ledger = cohort.first + start, cohort.ledger.at(start, stop)
    if cohort.budget_of is None:
        return [_Cohort(cohort.rows, cohort.state.fork(), ledger, first, None)]
    chosen = (cohort.budget_of >= first) & (cohort.budget_of < cohort.first + stop)
    if not chosen.any():
        return []
    return [replace(_part(priced, cohort, chosen), ledger=ledger, first=first)]


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
        bounded(priced.plan).settle(part.state)
    return settled, [] if sure.all() else [_part(priced, cohort, ~sure) if settled else cohort]
