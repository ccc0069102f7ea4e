"""Rules of early exits, made once per budget: what a prediction of one row would do each time."""

from __future__ import annotations

from typing import Any, cast

import numpy as np

from ..costs.ledger import Ledger, within
from ..data.columns import Columns
from ..data.target import Target
from ..plans.early_exits import EarlyExits, ExitRule
from ..plans.priced_plan import PricedPlan
from ..types import Floats
from .stopping import stop_rule

#: Budgets whose rules are kept; more than that are seldom in use at a time.
_MAX_BUDGETS = 512


def answer_with_exits(
    priced: PricedPlan, columns: Columns, target: Target, X: Any, budget: Any, stop: Any
) -> tuple[Floats, Floats] | None:
    """Return scores and spend of rows that own nothing, at one budget.

    Parameters
    ----------
    priced, columns, target
        Those of a `Predictor`.
    X : table
        What is answered.
    budget : None or number
        The most that each row may spend.
    stop : str or None
        The rule for stopping before that.

    Returns
    -------
    tuple of float arrays (rows, outputs) and (rows,), or None
        None if the plan has no early exits, or X or the budget must be read or checked first.
    """
    if type(X) is not np.ndarray or X.ndim != 2 or X.dtype.char not in "fd" or not len(X):
        return None
    limit = np.inf if budget is None else budget
    if type(limit) not in (int, float) or not (stop is None or type(stop) is str):
        return None
    rule = exit_rule(priced, target, limit, stop)
    if rule is None or X.shape[1] != len(columns):
        return None
    columns.refuse_arrays_for_categories()
    answers = cast(EarlyExits, priced.plan).answer_with_exits(X, rule)
    return None if answers is None else (answers[0], rule.spent[answers[1]])


def exit_rule(priced: PricedPlan, target: Target, budget: float, stop: Any) -> ExitRule | None:
    """Return the rule of rows that own nothing; None if the plan has no early exits.

    Rules are kept with the plan, for one target at a time.
    """
    kept: tuple[Target, dict[Any, ExitRule | None]] | None = priced.cache.get("exit_rules")
    if kept is None or kept[0] is not target or len(kept[1]) > _MAX_BUDGETS:
        kept = priced.cache["exit_rules"] = target, {}
    rules, key = kept[1], (budget, stop)
    if key not in rules:
        rules[key] = _made(priced, target, budget, stop)
    return rules[key]


def _made(priced: PricedPlan, target: Target, budget: float, stop: Any) -> ExitRule | None:
    if not isinstance(priced.plan, EarlyExits) or stop not in (None, "none", "confident"):
        return None
    if not within(priced.least_budget, budget):  # also if it is no number that can be spent
        return None
    rule = stop_rule(stop, target)
    ledger, spent, may_stop = Ledger(priced.costs, [budget]), [], []
    for stage, needs in enumerate(priced.needs):
        if ledger.first_affording(needs, priced.plan.stages.headroom[stage]):
            break
        spent.append(ledger.spent)
        may_stop.append(rule is not None and bool(ledger.missing(needs)))
        ledger.buy(needs)
    return ExitRule(target, np.array([*spent, ledger.spent]), np.array(may_stop, dtype=bool))
