"""Answers to rows that all buy the same items at one budget."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..costs.ledger import Ledger
from ..plans.capabilities import Reader, reader
from ..plans.priced_plan import PricedPlan
from ..types import Floats, Ints
from .finite_values import check_finite


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
    without any row, determines the purchases of every row.
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
    check_finite(priced, X, rows, history.checked)
    return history.read(X, rows), np.full(X.shape[0], history.spent)
