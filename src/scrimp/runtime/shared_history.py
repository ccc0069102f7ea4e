"""Answers to rows that all buy the same items at one budget."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import issparse

from ..costs.ledger import Ledger, within
from ..plans.capabilities import Reader, reader
from ..plans.priced_plan import PricedPlan
from ..types import Floats, Ints
from .finite_values import check_finite

#: Cells of a block of rows: what fits in a cache.
_BLOCK_CELLS = 1 << 17
#: Budgets whose purchases are kept; more than that are seldom in use at a time.
_MAX_HISTORIES = 256
#: The fewest rows of a block: each has a share in the overhead of a call.
_MIN_BLOCK_ROWS = 256


@dataclass(frozen=True, eq=False)
class SharedHistory:
    """The purchases that all rows make at one budget, and their readout.

    Parameters
    ----------
    spent : float
        The spend of each row.
    checked : int array
        Columns that are read and must be finite, in the order bought.
    read : callable
        A function of X and rows that returns scores (rows x outputs).
    """

    spent: float
    checked: Ints
    read: Reader


def shared_history(priced: PricedPlan, budget: float) -> SharedHistory | None:
    """Return the history of all rows at a budget; None if rows differ or the plan is driven.

    A plan with a fixed order buys the same items for all rows, so that following it once,
    without any row, determines the purchases of every row. The history is kept.
    """
    histories: dict[float, SharedHistory | None] = priced.cache.setdefault("histories", {})
    if budget not in histories:
        if len(histories) >= _MAX_HISTORIES:
            histories.clear()
        histories[budget] = _history_at(priced, budget)
    return histories.get(budget)


def _history_at(priced: PricedPlan, budget: float) -> SharedHistory | None:
    if priced.plan.outline.order != "fixed":
        return None
    state, ledger, columns = _followed(priced, budget)
    read = reader(priced.plan, state)
    if read is None:
        return None
    checked = [] if priced.plan.accepts_missing else columns
    return SharedHistory(ledger.spent, np.array(checked, dtype=np.int64), read)


def _followed(priced: PricedPlan, budget: float) -> tuple[Any, Ledger, list[int]]:
    """Follow a plan with a fixed order; return its state, ledger and the columns read in order."""
    plan, ledger = priced.plan, Ledger(priced.costs, [budget])
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
        columns.update(dict.fromkeys(np.asarray(plan.reads[stage]).tolist()))
    return state, ledger, list(columns)


def columns_bought(priced: PricedPlan, budget: float) -> set[int]:
    """Return the columns that are read at a budget.

    Of a plan with a fixed order these are the columns of its purchases; where rows differ, those
    of every stage that the budget pays for, whether or not a row comes to it.
    """
    if priced.plan.outline.order == "fixed":
        return set(_followed(priced, budget)[2])
    return affordable_columns(priced, budget)


def affordable_columns(priced: PricedPlan, budget: float) -> set[int]:
    """Return the columns of all stages that a budget pays for."""
    affordable = {
        needs: within(priced.costs.price_of(needs), budget) for needs in set(priced.needs)
    }
    stages = zip(priced.needs, priced.plan.reads, strict=True)
    return {int(column) for needs, columns in stages if affordable[needs] for column in columns}


def answer_all(priced: PricedPlan, history: SharedHistory, X: Any) -> tuple[Floats, Floats]:
    """Return scores (rows x outputs) and spend (rows) of rows with a shared history."""
    n = X.shape[0]
    spent = np.full(n, history.spent)
    if not len(history.checked):
        return history.read(X, np.arange(n)), spent
    step = n if issparse(X) else max(_BLOCK_CELLS // X.shape[1], _MIN_BLOCK_ROWS)
    scores = np.empty((n, priced.n_outputs))
    for start in range(0, n, step):  # a block is still in the cache when it is read
        rows = np.arange(start, min(start + step, n))
        check_finite(priced, X, rows, history.checked)
        scores[rows[0] : rows[-1] + 1] = history.read(X, rows)
    return scores, spent
