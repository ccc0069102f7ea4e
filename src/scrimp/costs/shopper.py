"""A shopper: which items can be bought next within one budget, and for how much."""

from __future__ import annotations

import copy
import math
import warnings
from collections.abc import Iterable, Sequence

import numpy as np

from .costs import Costs
from .ledger import Ledger, within


class Shopper:
    """Buys items one after the other within one budget, and knows what the others then cost.

    Parameters
    ----------
    costs : Costs
        Prices and requirements.
    budget : float
        The most that may be spent.

    Attributes
    ----------
    ledger : Ledger
        What has been bought.
    fees : float array (items,)
        The price of what each item requires and is not owned.
    prices : float array (items,)
        What each item costs now: its own price and the fees; 0 if it is owned.

    Examples
    --------
    >>> costs = Costs(("blood draw", "chol", "fbs"), (2.0, 5.0, 3.0), ((), (0,), (1,)),
    ...               ((), (0,), (0,)))
    >>> shopper = Shopper(costs, budget=10.0)
    >>> shopper.buy([1])
    True
    >>> shopper.prices.tolist(), shopper.spent
    ([0.0, 0.0, 3.0], 7.0)
    """

    def __init__(self, costs: Costs, budget: float) -> None:
        self.costs = costs
        self.ledger = Ledger(costs, [budget])
        self.fees = np.zeros(costs.n_items)
        self.prices = np.array(costs.prices)
        self._dependent = [i for i, needs in enumerate(costs.closures) if len(needs) > 1]
        self._refresh()

    @property
    def spent(self) -> float:
        """What has been paid."""
        return self.ledger.spent

    def buy(self, items: Iterable[int]) -> bool:
        """Pay for items, with what they require and is not owned; return whether that is any."""
        needs = self.costs.closure(items)
        if self.ledger.owned.issuperset(needs):
            return False
        self.ledger.buy(needs)
        self.prices[list(needs)] = 0.0
        self._refresh()
        return True

    def fork(self) -> Shopper:
        """Return a shopper who owns the same, independent of this one."""
        other = copy.copy(self)
        other.ledger = self.ledger.at(0, 1)
        other.fees, other.prices = self.fees.copy(), self.prices.copy()
        return other

    def _refresh(self) -> None:
        """Update the prices of items that require others."""
        ledger, prices = self.ledger, self.costs.prices
        for item in self._dependent:
            missing = [prices[i] for i in ledger.missing(self.costs.closures[item])]
            self.prices[item] = math.fsum(missing)
            self.fees[item] = math.fsum(missing[:-1])  # the item itself is last


def cheapest_item(costs: Costs) -> tuple[float, str]:
    """Return the lowest price of an item with a column, and its name."""
    return min((costs.price_of([item]), costs.names[item]) for item in set(costs.item_of))


def warn_of_prior(
    costs: Costs, budget: float, *, where: str = "", otherwise: str = "",
    first_item: int | None = None, stacklevel: int = 5,
) -> None:  # fmt: skip
    """Warn that nothing is bought and every answer is the prior.

    Parameters
    ----------
    costs : Costs
        Prices; the cheapest item is named if the budget cannot pay for it.
    budget : float
        That of the training.
    where : str
        At which budgets nothing is bought, if not at all.
    otherwise : str
        The reason, where the cheapest item is within the budget.
    first_item : int, optional
        The item that a tree buys first, whatever it costs; by default the cheapest is named.
    stacklevel : int
        As in `warnings.warn`, from here.
    """
    if first_item is None:
        price, name = cheapest_item(costs)
        which = f"The cheapest item {name!r}"
    else:
        price = costs.price_of([first_item])
        which = f"The tree's first item, {costs.names[first_item]!r},"
    reason = f"{which} costs {price:g} but the budget is {budget:g}"
    advice = "" if math.isinf(budget) else " Raise the budget."
    warnings.warn(
        f"{otherwise if within(price, budget) else reason}, so nothing is bought{where} and "
        f"every answer is the prior.{advice}",
        UserWarning,
        stacklevel=stacklevel,
    )


def warn_if_nothing_is_affordable(
    costs: Costs, budgets: Sequence[float], stacklevel: int = 5
) -> None:
    """Warn of the budgets of a training that do not pay for the cheapest item."""
    small = [budget for budget in budgets if not within(cheapest_item(costs)[0], budget)]
    if small:
        where = f" at the budgets {[float(f'{b:.6g}') for b in small]}" if len(budgets) > 1 else ""
        warn_of_prior(costs, small[-1], where=where, stacklevel=stacklevel + 1)
