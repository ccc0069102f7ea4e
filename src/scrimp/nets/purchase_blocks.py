"""Which items each block of a network buys, and what the computation of a block costs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ..costs.costs import Costs
from ..costs.ledger import within
from ..plans.contract import StageTable


def divided(groups: Sequence[Sequence[int]], costs: Costs, n_blocks: int) -> list[list[int]]:
    """Return the items of each block: purchases in order, at about equal ratios of their sums.

    Parameters
    ----------
    groups : sequence of lists of int
        Purchases, one after the other.
    costs : Costs
        Prices.
    n_blocks : int
        Blocks; with fewer purchases the last blocks buy nothing.
    """
    items = [list(group) for group in groups]
    if len(items) > n_blocks:
        spent = [costs.price_of([i for group in groups[: k + 1] for i in group])
                 for k in range(len(groups))]  # fmt: skip
        positive = [price for price in spent if price > 0]
        targets = np.geomspace(positive[0], spent[-1], n_blocks) if positive else [0.0]
        cuts = np.searchsorted(spent, np.asarray(targets) * (1 - 1e-12)).tolist()
        ends = sorted({min(cut + 1, len(groups)) for cut in cuts} | {len(groups)})
        starts = [0, *ends[:-1]]
        items = [
            [i for group in groups[start:end] for i in group]
            for start, end in zip(starts, ends, strict=True)
        ]
    return items + [[] for _ in range(n_blocks - len(items))]


def divided_by_budgets(
    groups: Sequence[Sequence[int]], costs: Costs, budgets: Sequence[float]
) -> list[list[int]]:
    """Return the items of each block: what each budget pays for beside those before it.

    Budgets that pay for nothing more have no block.

    Parameters
    ----------
    groups : sequence of lists of int
        Purchases, one after the other.
    costs : Costs
        Prices.
    budgets : sequence of float
        Where blocks end.
    """
    blocks: list[list[int]] = []
    bought: list[int] = []
    rest = [list(group) for group in groups]
    for budget in sorted(budgets):
        block: list[int] = []
        while rest and within(costs.price_of([*bought, *rest[0]]), budget):
            block += rest[0]
            bought += rest.pop(0)
        if block:
            blocks.append(block)
    return blocks or [[]]


def with_computation(costs: Costs, prices: Sequence[float]) -> Costs:
    """Return prices with one more item per block, its computation, which requires that before.

    Items without a price are left out: computation that costs nothing is no purchase.
    """
    if not any(prices):
        return costs
    first = costs.n_items
    names = tuple(f"block {number + 1}" for number in range(len(prices)))
    requires = tuple((first + k - 1,) if k else () for k in range(len(prices)))
    return replace(
        costs, names=costs.names + names, prices=costs.prices + tuple(map(float, prices)),
        columns=costs.columns + ((),) * len(prices), requires=costs.requires + requires,
    )  # fmt: skip


def stages_of(
    blocks: Sequence[Sequence[int]], has_exit: Sequence[bool], n_items: int, is_priced: bool
) -> StageTable:
    """Return the items of each block, up to the last exit.

    A block without an exit is bought together with those up to the next exit: alone it would
    change no answer.

    Parameters
    ----------
    blocks : sequence of lists of int
        The items that bring the columns of each block.
    has_exit : sequence of bool
        Which blocks have an exit.
    n_items : int
        Items without those of the computation, which come after them.
    is_priced : bool
        Whether computation is an item too.
    """
    last = max((k for k, kept in enumerate(has_exit) if kept), default=-1)
    own = [[*blocks[k], *([n_items + k] if is_priced else [])] for k in range(last + 1)]
    for k in range(last - 1, -1, -1):
        if not has_exit[k]:
            own[k] = [*own[k], *own[k + 1]]
    return StageTable(tuple(tuple(items) for items in own))
