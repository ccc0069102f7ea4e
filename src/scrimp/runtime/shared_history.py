"""Answers to rows that all buy the same items, at one budget or at many."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import issparse

from ..costs.ledger import within
from ..plans.capabilities import joint_reader
from ..plans.components.readers import JointReader
from ..plans.priced_plan import PricedPlan
from ..types import Floats, Ints
from .cohort import Cohort, cohorts_without_rows
from .finite_values import check_finite

#: Cells of a block of rows: what fits in a cache.
_BLOCK_CELLS = 1 << 17
#: Budgets whose purchases are kept; more than that are seldom in use at a time.
_MAX_BUDGETS = 512
#: The fewest rows of a block: each has a share in the overhead of a call.
_MIN_BLOCK_ROWS = 256


@dataclass(frozen=True, eq=False)
class SharedHistories:
    """The purchases that all rows make at some budgets, and their readout.

    Neighbouring budgets often buy the same items, and then have the same history.

    Parameters
    ----------
    run_of : int array (budgets,)
        The history at each budget.
    spent : float array (budgets,)
        The spend of each row.
    checked : int array
        Columns that are read and must be finite.
    read : callable
        A function of X and rows that returns scores (rows x histories x outputs).
    """

    run_of: Ints
    spent: Floats
    checked: Ints
    read: JointReader


def shared_histories(priced: PricedPlan, *budgets: float) -> SharedHistories | None:
    """Return the histories of all rows at ascending budgets; None if rows differ.

    A plan with a fixed order buys the same items for all rows, so that following it once,
    without any row, determines the purchases of every row. The histories are kept. None is
    returned too if the plan cannot answer from a history alone.
    """
    kept: dict[tuple[float, ...], SharedHistories | None]
    kept = priced.cache.setdefault("histories", {})
    if budgets not in kept:
        if sum(map(len, kept)) + len(budgets) > _MAX_BUDGETS:
            kept.clear()
        kept[budgets] = _histories_at(priced, budgets)
    return kept.get(budgets)


def _histories_at(priced: PricedPlan, budgets: tuple[float, ...]) -> SharedHistories | None:
    if priced.plan.outline.order != "fixed":
        return None
    done, columns = _followed(priced, budgets)
    read = joint_reader(priced.plan, [cohort.state for cohort in done])
    if read is None:
        return None
    run_of = np.repeat(np.arange(len(done)), [cohort.n_budgets for cohort in done])
    spent = np.array([cohort.ledger.spent for cohort in done])[run_of]
    checked = [] if priced.plan.accepts_missing else columns
    return SharedHistories(run_of, spent, np.array(checked, dtype=np.int64), read)


def _followed(priced: PricedPlan, budgets: tuple[float, ...]) -> tuple[list[Cohort], list[int]]:
    """Follow a plan with a fixed order; return its histories by budget, and the columns read."""
    plan, done = priced.plan, []
    X, rows = np.empty((0, priced.costs.n_columns)), np.empty(0, dtype=np.int64)
    columns: dict[int, None] = {}
    todo = cohorts_without_rows(priced, budgets)
    while todo:
        cohort = todo.pop()
        while (stage := int(plan.ask(cohort.state))) >= 0:
            needs = priced.needs[stage]
            n_poor = cohort.ledger.first_affording(needs, plan.headroom(cohort.state, stage))
            if n_poor == cohort.n_budgets:
                plan.refuse(cohort.state, stage, cohort.ledger)
                continue
            if n_poor:
                todo.append(cohort.at_budgets(0, n_poor))
                cohort = cohort.at_budgets(n_poor, cohort.n_budgets)
            cohort.ledger.buy(needs)
            plan.tell(cohort.state, stage, X, rows)
            columns.update(dict.fromkeys(np.asarray(plan.reads[stage]).tolist()))
        done.append(cohort)
    return sorted(done, key=lambda cohort: cohort.first), list(columns)


def columns_bought(priced: PricedPlan, budget: float) -> set[int]:
    """Return the columns that are read at a budget.

    Of a plan with a fixed order these are the columns of its purchases; where rows differ, those
    of every stage that the budget pays for, whether or not a row comes to it.
    """
    if priced.plan.outline.order == "fixed":
        return set(_followed(priced, (budget,))[1])
    return affordable_columns(priced, budget)


def affordable_columns(priced: PricedPlan, budget: float) -> set[int]:
    """Return the columns of all stages that a budget pays for."""
    affordable = {
        needs: within(priced.costs.price_of(needs), budget) for needs in set(priced.needs)
    }
    stages = zip(priced.needs, priced.plan.reads, strict=True)
    return {int(column) for needs, columns in stages if affordable[needs] for column in columns}


def answer_all(priced: PricedPlan, histories: SharedHistories, X: Any) -> Floats:
    """Return the answers of all rows with shared histories (rows x histories x outputs)."""
    n, n_histories = X.shape[0], int(histories.run_of[-1]) + 1
    if not len(histories.checked):
        return histories.read(X, np.arange(n))
    # a block is still in the cache when it is read; many histories take longer than to load it
    blocks = not issparse(X) and n_histories == 1
    step = max(_BLOCK_CELLS // X.shape[1], _MIN_BLOCK_ROWS) if blocks else max(n, 1)
    scores = np.empty((n, n_histories, priced.n_outputs))
    for start in range(0, n, step):
        rows = np.arange(start, min(start + step, n))
        check_finite(priced, X, rows, histories.checked)
        scores[rows[0] : rows[-1] + 1] = histories.read(X, rows)
    return scores
