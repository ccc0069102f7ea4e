"""What to buy: orders of items by what they add to a quick model per price, and sets from them."""

from __future__ import annotations

import time
from collections.abc import Sequence

import numpy as np

from ...costs.costs import Costs
from ...costs.item_sets import Items, ItemSets
from ...costs.ledger import within
from ...learners.linear import SequencedRegressor
from .design import Design
from .problem import Truth
from .scorer import Score, SetScorer

#: Items that are tried in earnest in each step, of those that look best.
TRIED, TRIED_FIRST = 4, 12
#: Steps without a gain, or items, after which the rest is taken as it looks, some at a time.
_PATIENCE, MANY = 3, 12
#: A swap must lower the loss by this part of it.
SWAP_GAIN = 0.005
#: The ridge of least squares.
RIDGE = 1e-3


def forward_order(
    scorer: SetScorer, costs: Costs, cap: float, beta: float, deadline: float = np.inf
) -> list[int]:
    """Items in the order of what they add to cross-validated boosting per price**beta.

    In each step the items that one more split would use best are tried in earnest. Once many
    are bought, nothing helps any more or the time is over, what looks best is bought, several
    at a time.

    Parameters
    ----------
    scorer : SetScorer
        Judges sets.
    costs : Costs
        Prices.
    cap : float
        The most that all may cost.
    beta : float
        1 is gain per price; less spends on what is dear and good earlier.
    deadline : float
        When to be quick, as `time.monotonic` has it.
    """
    goods = ItemSets(costs)
    items = goods.free
    order, spent, idle = list(items), 0.0, 0
    now = scorer.score([items])[0]
    while True:
        prices = {
            i: goods.added_price(items, i) for i in scorer.design.columns_of if i not in items
        }
        open_ = [i for i, price in prices.items() if within(spent + price, cap)]
        if not open_:
            break
        weight = _weights(prices, beta)
        gains = scorer.gains(now.scores)
        open_.sort(key=lambda i: -gains[i] / weight[i])
        in_time = time.monotonic() < deadline
        if idle < _PATIENCE and len(items) < MANY and in_time:
            chosen, after = _step(scorer, goods, items, open_, now, weight)
        else:
            more = max(len(items) // (4 if idle < _PATIENCE else 2), 1) if in_time else len(open_)
            chosen = goods.fill(open_[:more], cap, items)
            after = scorer.score([chosen])[0]
        idle = idle + 1 if after.loss >= now.loss * (1 - 1e-4) else 0
        order += [i for i in chosen if i not in items]
        items, now = chosen, after
        spent = costs.price_of(items)
    return order


def _weights(prices: dict[int, float], beta: float) -> dict[int, float]:
    """Prices to a power; what is free counts as half the cheapest."""
    least = min((price for price in prices.values() if price > 0), default=1.0) / 2
    return {item: max(price, least) ** beta for item, price in prices.items()}


def _step(
    scorer: SetScorer, goods: ItemSets, items: Items, open_: list[int], now: Score,
    weight: dict[int, float],
) -> tuple[Items, Score]:  # fmt: skip
    """One item more: the best of those that look best."""
    first = open_[: TRIED if len(items) > TRIED else TRIED_FIRST]
    trials = [goods.with_(items, item) for item in first]
    scores = scorer.score(trials)
    worth = [(now.loss - own.loss) / weight[i] for i, own in zip(first, scores, strict=True)]
    best = int(np.argmax(worth))
    return trials[best], scores[best]


def best_sets(
    scorer: SetScorer, costs: Costs, orders: Sequence[Sequence[int]], budgets: Sequence[float]
) -> list[Items]:
    """For each budget the best of the sets that the orders fill it with."""
    goods = ItemSets(costs)
    filled = [[tuple(sorted(goods.fill(order, b))) for order in orders] for b in budgets]
    scorer.learn_losses(list(dict.fromkeys(items for own in filled for items in own)))
    return [min(own, key=scorer.loss) for own in filled]


def swapped(
    scorer: SetScorer, costs: Costs, orders: Sequence[Sequence[int]], sets: Sequence[Items],
    budgets: Sequence[float], deadline: float = np.inf,
) -> list[Items]:  # fmt: skip
    """Small sets after swaps: an item is given up, and what it cost is spent by the orders.

    A set gives way only to one that is clearly better.
    """
    goods, found = ItemSets(costs), []
    for items, budget in zip(sets, budgets, strict=True):
        while time.monotonic() < deadline:
            paid = [i for i in items if costs.columns[i] and goods.costs.price_of([i]) > 0]
            if not 1 < len(paid) <= MANY:
                break
            trials = {
                tuple(sorted(goods.fill([i for i in order if i != item], budget, left)))
                for item in paid
                for left in [goods.without(items, item)]
                for order in orders
            }
            scorer.learn_losses(sorted(trials))
            best = min(sorted(trials), key=scorer.loss)
            if scorer.loss(best) >= scorer.loss(items) * (1 - SWAP_GAIN):
                break
            items = best
        found.append(items)
    return found


def linear_order(design: Design, truth: Truth, costs: Costs, cap: float) -> list[int]:
    """Items in the order of what they add to least squares per price."""
    own = [np.flatnonzero(design.item_of == item) for item in range(costs.n_items)]
    columns = tuple(tuple(positions.tolist()) for positions in own)
    prepared = Costs(costs.names, costs.prices, columns, costs.requires)
    model = SequencedRegressor(prepared, alpha=RIDGE, budget=cap)
    model.fit(design.filled[1], truth.coded, sample_weight=truth.weights)
    return [costs.names.index(name) for name in model.sequence_]
