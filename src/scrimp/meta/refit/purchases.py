"""An order of items as purchases: what is paid for one after the other, and what comes free."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import accumulate

from ...costs.costs import Costs
from ...costs.ledger import Ledger


def purchases(
    costs: Costs, order: Iterable[int], budget: float, rest: bool = False
) -> list[list[int]]:
    """Items that bring columns, in the order they are bought, in groups paid for at once.

    What an item requires comes before it. An item that costs nothing more is taken at once.

    Parameters
    ----------
    costs : Costs
        Prices and requirements.
    order : iterable of int
        Items that are wanted, the first first.
    budget : float
        The first item that is too dear ends the order.
    rest : bool
        Whether all other items follow, the cheapest first, and those too dear are passed over.
    """
    ledger = Ledger(costs, [budget])
    todo = _with_required(costs, order)
    groups = _bought(costs, ledger, todo, skip=False)
    if rest:
        left = (item for item in range(costs.n_items) if item not in ledger.owned)
        by_price = sorted(left, key=lambda item: costs.price_of([item]))
        groups += _bought(costs, ledger, _with_required(costs, by_price), skip=True)
    return groups


def _with_required(costs: Costs, order: Iterable[int]) -> list[int]:
    """Each item after those it requires; fees are left out, as they come with what needs them."""
    return [item for item in costs.closure(order) if costs.columns[item]]


def _bought(costs: Costs, ledger: Ledger, order: list[int], skip: bool) -> list[list[int]]:
    todo = dict.fromkeys(item for item in order if item not in ledger.owned)
    requiring = [item for item in todo if len(costs.closures[item]) > 1]
    groups: list[list[int]] = []
    free = [item for item in todo if costs.price_of([item]) == 0]
    while todo:
        if free:
            groups += [] if groups else [[]]
            groups[-1] += free
            _take(costs, ledger, todo, free)
        elif ledger.can_pay([item := next(iter(todo))]):
            groups.append([item])
            _take(costs, ledger, todo, [item])
        elif skip:
            del todo[item]
            continue
        else:
            break
        free = [i for i in requiring if i in todo and costs.price_of([i], ledger.owned) == 0]
    return groups


def _take(costs: Costs, ledger: Ledger, todo: dict[int, None], items: list[int]) -> None:
    ledger.buy(costs.closure(items))
    for item in items:
        todo.pop(item, None)


def ends_of(groups: list[list[int]]) -> list[int]:
    """How many items have been bought after each purchase."""
    return list(accumulate(map(len, groups)))
