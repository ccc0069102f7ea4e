"""The calibration grid: the fractions of the full price at which calibrators are fitted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from ...costs.costs import Costs
from ...costs.ledger import Ledger
from ...plans.priced_plan import PricedPlan
from ...types import Floats

#: The size of the default grid: more calibrators follow the budget closer, and cost time.
MAX_FRACTIONS = 40
#: Fractions of the full price that differ by less share one calibrator.
MIN_GAP = 1e-6
#: Budgets at which a plan that skips what is too expensive is tried, beside those of its steps.
_TRIED = np.linspace(0.0, 1.0, 201)[1:]


def check_fractions(fractions: Any) -> Floats:
    """Return fractions of a price as given by the user, ascending."""
    try:
        values = np.unique(np.atleast_1d(np.asarray(fractions, dtype=np.float64)))
    except (TypeError, ValueError):
        values = np.array([np.nan])
    if not values.size or not ((values >= 0) & (values <= 1)).all():
        raise ValueError(
            f"fractions are {fractions!r}; expected numbers from 0 to 1, one at least."
        )
    return values


def price_fractions(priced: PricedPlan) -> Floats:
    """Return the steps in which a plan buys, as fractions of its full price; forty at most.

    A plan that skips what is too expensive buys other items in between, and these sets are steps
    as well. If there are more steps, those selected lie closer together where little has been
    bought: each of the first purchases changes the probabilities more than one of the last.
    """
    costs, full = priced.costs, priced.price
    if not full > 0:
        return np.ones(1)
    bought = [costs.price_of(priced.items[: k + 1]) for k in range(len(priced.items))]
    bought += [costs.price_of(items) for items in priced.plan.extents()]
    steps = np.unique(np.minimum(np.array(bought) / full, 1.0))
    skipping = same_for_all(priced, np.union1d(steps, _TRIED))
    if skipping is not None:
        steps = np.union1d(steps, skipping.fractions)
        steps = steps[np.diff(steps, prepend=0.0) > MIN_GAP]
    if len(steps) > MAX_FRACTIONS:
        selected = np.geomspace(1.0, len(steps), MAX_FRACTIONS).round().astype(int)
        steps = steps[np.unique(selected) - 1]
    return steps


@dataclass(frozen=True, eq=False)
class Purchases:
    """What a plan buys for every row alike, at several budgets.

    Parameters
    ----------
    costs : Costs
        All items.
    items : list of sets of int
        The items bought at each budget.
    fractions : float array (budgets,)
        Their price as a part of the full price.
    """

    costs: Costs
    items: list[set[int]]
    fractions: Floats

    def as_frame(self, items: set[int], n: int) -> pl.DataFrame:
        """Return items as the `owned` argument of a prediction for n rows."""
        fees = [item for item, columns in enumerate(self.costs.columns) if not columns]
        owned = {self.costs.names[item]: np.full(n, item in items) for item in fees}
        # a column's name comes before that of an item
        for column, item in enumerate(self.costs.item_of):
            owned[self.costs.column_name(column)] = np.full(n, item in items)
        return pl.DataFrame(owned)


def same_for_all(priced: PricedPlan, fractions: Floats) -> Purchases | None:
    """Return what a plan buys at fractions of its price, if it is the same for all rows.

    This is the case for additive plans in a fixed order that skip what is too expensive. Only
    these use all that they own, so that their clones can be given exactly these items though
    they would buy others.
    """
    plan, full = priced.plan, priced.price
    if plan.outline.order != "fixed" or plan.refusal != "skip" or not full > 0:
        return None
    bought, parts = [], []
    for budget in (fractions * full).tolist():
        ledger = Ledger(priced.costs, [budget])
        for needs in priced.needs:
            if ledger.first_affording(needs) == 0:
                ledger.buy(needs)
        bought.append(set(ledger.owned))
        parts.append(ledger.spent / full)
    return Purchases(priced.costs, bought, np.array(parts))
