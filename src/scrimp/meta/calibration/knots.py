"""Where to put the knots of a calibration."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from ...costs.ledger import Ledger
from ...plans.priced_plan import PricedPlan
from ...types import Floats

#: The most knots that are chosen without being asked for.
_MOST = 40


def check_fractions(fractions: Any) -> Floats:
    """Fractions of a price as a user gives them, ascending."""
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
    """The steps in which a plan buys, as fractions of its full price; of many, forty.

    Those chosen lie closer together where little has been bought: each of the first
    purchases tells more than one of the last.
    """
    costs, full = priced.costs, priced.price
    if not full > 0:
        return np.ones(1)
    bought = [costs.price_of(priced.items[: k + 1]) for k in range(len(priced.items))]
    bought += [costs.price_of(items) for items in priced.plan.extents()]
    steps = np.unique(np.minimum(np.array(bought) / full, 1.0))
    if len(steps) > _MOST:
        chosen = np.geomspace(1.0, len(steps), _MOST).round().astype(int)
        steps = steps[np.unique(chosen) - 1]
    return steps


@dataclass(frozen=True, eq=False)
class Purchases:
    """What a plan buys for every row alike, at several budgets.

    Parameters
    ----------
    names : tuple of str
        Of all items.
    items : list of sets of int
        What is bought at each budget.
    fractions : float array (budgets,)
        Its part of the full price.
    """

    names: tuple[str, ...]
    items: list[set[int]]
    fractions: Floats

    def as_frame(self, items: set[int], n: int) -> pl.DataFrame:
        """What n rows own."""
        columns = {name: np.full(n, item in items) for item, name in enumerate(self.names)}
        return pl.DataFrame(columns)


def same_for_all(priced: PricedPlan, fractions: Floats) -> Purchases | None:
    """What a plan buys at fractions of its price, if it is the same for all rows.

    That is so for sums in a fixed order that leave out what is too dear, and only these use
    all that they own: their clones can be asked what they would say with just these items,
    though they would buy others.
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
    return Purchases(priced.costs.names, bought, np.array(parts))
