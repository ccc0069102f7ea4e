"""Columns that a table may lack: those that no purchase at its budgets reads."""

from __future__ import annotations

import warnings
from collections.abc import Collection, Iterable

import numpy as np

from ..plans.priced_plan import PricedPlan
from ..types import Floats
from .budget_changes import budget_changes
from .shared_history import affordable_columns, columns_bought

#: Budgets at which a plan is followed to see what it buys: each takes about a millisecond.
_MAX_FOLLOWED = 256
#: Columns that a message names.
_MAX_NAMED = 12


def needed_columns(priced: PricedPlan, budgets: Floats) -> set[int]:
    """Return the columns that are read at some of several budgets; of many budgets, may be read."""
    if len(np.unique(budgets)) > _MAX_FOLLOWED:
        return affordable_columns(priced, float(np.max(budgets)))
    return set().union(*(columns_bought(priced, b) for b in np.unique(budgets).tolist()))


def largest_budget_without(
    priced: PricedPlan, absent: Collection[int], below: float
) -> float | None:
    """Return the largest budget, of those at which purchases change, that reads no such column.

    Parameters
    ----------
    priced : PricedPlan
        The plan to follow.
    absent : collection of int
        Columns that are not there.
    below : float
        The budget that is too large.
    """
    for budget in sorted(budget_changes(priced), reverse=True):
        if budget < below and columns_bought(priced, budget).isdisjoint(absent):
            return budget
    return None


def refuse_absent(
    priced: PricedPlan, absent: Iterable[int], budgets: Floats, what: str = "X"
) -> None:
    """Raise ValueError if columns are absent that are bought at some of several budgets."""
    absent = set(absent)
    bought = sorted(absent & needed_columns(priced, budgets))
    if not bought:
        return
    names = _names(priced, bought)
    largest = float(np.max(budgets))
    at = f"at a budget of {largest:.12g}" if np.isfinite(largest) else "without a budget"
    works = largest_budget_without(priced, absent, largest)
    advice = "Give it" if len(bought) == 1 else "Give them"
    if works is not None:
        advice += f", or a budget of {works:.12g}: the model then does without"
    raise ValueError(f"{what} lacks {names}, which the model buys {at}. {advice}.")


def warn_of_absent(priced: PricedPlan, absent: Collection[int], budgets: Floats) -> None:
    """Warn of columns that would be bought and are absent from a table, by a misspelt name too."""
    if needed_columns(priced, budgets).isdisjoint(absent):
        return
    read = set(priced.columns_read.tolist())
    lacking = [column for column in absent if column in read]
    what = "the item that brings it counts" if len(lacking) == 1 else "their items count"
    warnings.warn(
        f"X lacks {_names(priced, lacking)}: {what} as failed, in every row.",
        UserWarning,
        stacklevel=5,
    )


def _names(priced: PricedPlan, columns: Collection[int]) -> str:
    """Return the names of columns, the first dozen of many."""
    names = [repr(priced.costs.column_name(column)) for column in sorted(columns)]
    more = len(names) - _MAX_NAMED
    return ", ".join(names[:_MAX_NAMED]) + (f" and {more} more" if more > 0 else "")
