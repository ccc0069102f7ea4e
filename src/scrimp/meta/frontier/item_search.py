"""The search for item sets: forward selection per price, swaps, and backward elimination."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...costs.costs import Costs
from ...costs.item_sets import Items, ItemSets
from ...costs.ledger import within
from ...learners.linear import SequencedRegressor
from ...runtime.time_limit import monotonic
from .design import Design
from .linear_scorer import BlendedScorer, LinearScorer
from .problem import TrainingSet
from .set_scorer import Scorer, SetScore, SetScorer
from .training_target import TrainingTarget


@dataclass(frozen=True)
class SearchOptions:
    """How thoroughly item sets are searched.

    Parameters
    ----------
    n_trials : int
        Items that are cross-validated in each step, of those with the largest gain.
    n_first_trials : int
        The same for the first items, which matter most.
    patience : int
        Steps without improvement after which items are added by their gain alone.
    max_thorough : int
        Items up to which each step is cross-validated, and sets are improved by swaps.
    min_progress : float
        A step improves if it lowers the loss by this part of it.
    min_swap_gain : float
        A swap must lower the loss by this part of it, and by more on few rows.
    noise : float
        Divided by the square root of the number of rows, the part on few rows.
    betas : tuple of float
        Powers of prices that gains are divided by, one order each: 1 is gain per price; less
        prefers expensive items with a large gain.
    few_rows : int
        Rows up to which there is one more order, because each takes little time.
    few_rows_betas : tuple of float
        The power of prices of that order.
    max_linear_columns : int
        Prepared columns up to which least squares has an order too; its time grows with their
        square.
    max_noisy_rows : int
        Rows up to which cross-validation is too noisy to remove items.
    max_shared_rows : int
        Rows up to which linear models and trees have the same sets, scored by both.
    max_scored_columns : int
        Prepared columns up to which sets for linear models are compared by cross-validation.
    linear_ridge : float
        Ridge penalty of least squares.
    """

    n_trials: int = 4
    n_first_trials: int = 12
    patience: int = 3
    max_thorough: int = 12
    min_progress: float = 1e-4
    min_swap_gain: float = 0.005
    noise: float = 0.4
    betas: tuple[float, ...] = (1.0, 0.5)
    few_rows: int = 4_000
    few_rows_betas: tuple[float, ...] = (0.0,)
    max_linear_columns: int = 3_000
    max_noisy_rows: int = 400
    max_shared_rows: int = 1_000
    max_scored_columns: int = 300
    linear_ridge: float = 1e-3


OPTIONS = SearchOptions()


def find_item_sets(rows: TrainingSet, deadline: float = np.inf) -> dict[str, list[Items]]:
    """Return the item sets to buy at each budget, for ``trees`` and for ``linear`` models.

    On few rows both have the same sets, so that there are means of both.
    """
    costs, budgets, scorer = rows.problem.costs, rows.problem.budgets, rows.scorer
    n_rows, n_columns = rows.design.table.shape
    share = n_rows <= OPTIONS.max_shared_rows and n_columns <= OPTIONS.max_scored_columns
    betas = OPTIONS.betas
    if n_rows <= OPTIONS.few_rows and not share:
        betas += OPTIONS.few_rows_betas
    orders = [forward_order(scorer, costs, budgets[-1], beta, deadline) for beta in betas]
    sets = {}
    if n_columns <= OPTIONS.max_linear_columns:
        orders.append(linear_order(rows.design, rows.target, costs, budgets[-1]))
        filled = [tuple(sorted(ItemSets(costs).fill(orders[-1], b))) for b in budgets]
        sets["linear"] = [without_copies(rows.design, costs, items) for items in filled]
    if n_columns > OPTIONS.max_scored_columns:
        return sets | {"trees": searched(scorer, costs, orders, budgets, deadline)}
    rng = np.random.default_rng([rows.problem.seed, n_rows])
    by_ridge = LinearScorer(rows.design, rows.target, rng)
    if share:
        both = BlendedScorer(by_ridge, scorer)
        shared = searched(both, costs, orders, budgets, deadline)
        return {"trees": shared, "linear": shared}
    trees = searched(scorer, costs, orders, budgets, deadline)
    return {"trees": trees, "linear": searched(by_ridge, costs, orders, budgets, deadline)}


def searched(
    scorer: Scorer, costs: Costs, orders: Sequence[Sequence[int]], budgets: Sequence[float],
    deadline: float = np.inf,
) -> list[Items]:  # fmt: skip
    """Return for each budget the best set of the orders, after swaps and backward elimination."""
    filled = best_sets(scorer, costs, orders, budgets)
    sets = swapped(scorer, costs, orders, filled, budgets, deadline)
    sets = [without_copies(scorer.design, costs, items) for items in sets]
    if len(scorer.design.table) <= OPTIONS.max_noisy_rows:
        return sets
    return [eliminated(scorer, costs, items, deadline) for items in sets]


def forward_order(
    scorer: SetScorer, costs: Costs, cap: float, beta: float, deadline: float = np.inf,
    options: SearchOptions = OPTIONS,
) -> list[int]:  # fmt: skip
    """Return items in the order of what they add to cross-validated boosting per price**beta.

    In each step the items with the largest gain of one more split are cross-validated. Once
    many items are bought, nothing improves any more or the time is over, the items with the
    largest gain are bought, several at a time.

    Parameters
    ----------
    scorer : SetScorer
        Cross-validates sets.
    costs : Costs
        Prices.
    cap : float
        Upper bound of the price of all items.
    beta : float
        1 is gain per price; less prefers expensive items with a large gain.
    deadline : float
        When to stop cross-validating, on the clock of `monotonic`.
    options : SearchOptions
        How thoroughly each step is searched.
    """
    item_sets = ItemSets(costs)
    items = item_sets.free
    order, spent, idle = list(items), 0.0, 0
    current = scorer.score([items])[0]
    while True:
        prices = {
            i: item_sets.added_price(items, i) for i in scorer.design.columns_of if i not in items
        }
        affordable = [i for i, price in prices.items() if within(spent + price, cap)]
        if not affordable:
            return order
        weights = _price_weights(prices, beta)
        gains = scorer.gains(current.scores)
        affordable.sort(key=lambda i: -gains[i] / weights[i])
        in_time, improves = monotonic() < deadline, idle < options.patience
        if improves and len(items) < options.max_thorough and in_time:
            larger, after = _best_step(
                scorer, item_sets, items, affordable, current, weights, options
            )
        else:
            n = max(len(items) // (4 if improves else 2), 1) if in_time else len(affordable)
            larger = item_sets.fill(affordable[:n], cap, items)
            after = scorer.score([larger])[0]
        idle = idle + 1 if after.loss >= current.loss * (1 - options.min_progress) else 0
        order += [i for i in larger if i not in items]
        items, current = larger, after
        spent = costs.price_of(items)


def _price_weights(prices: dict[int, float], beta: float) -> dict[int, float]:
    """Return prices to a power; what is free counts as half the cheapest."""
    lowest = min((price for price in prices.values() if price > 0), default=1.0) / 2
    return {item: max(price, lowest) ** beta for item, price in prices.items()}


def _best_step(
    scorer: SetScorer, item_sets: ItemSets, items: Items, affordable: list[int],
    current: SetScore, weights: dict[int, float], options: SearchOptions,
) -> tuple[Items, SetScore]:  # fmt: skip
    """Return the set with one more item: the best of the first affordable ones."""
    n = options.n_trials if len(items) > options.n_trials else options.n_first_trials
    trials = [item_sets.with_(items, item) for item in affordable[:n]]
    scores = scorer.score(trials)
    gains = [
        (current.loss - score.loss) / weights[i]
        for i, score in zip(affordable[:n], scores, strict=True)
    ]
    best = int(np.argmax(gains))
    return trials[best], scores[best]


def best_sets(
    scorer: Scorer, costs: Costs, orders: Sequence[Sequence[int]], budgets: Sequence[float]
) -> list[Items]:
    """Return for each budget the best of the sets that the orders fill it with."""
    item_sets = ItemSets(costs)
    filled = [[tuple(sorted(item_sets.fill(order, b))) for order in orders] for b in budgets]
    scorer.compute_losses(list(dict.fromkeys(items for sets in filled for items in sets)))
    return [min(sets, key=scorer.loss) for sets in filled]


def swapped(
    scorer: Scorer, costs: Costs, orders: Sequence[Sequence[int]], sets: Sequence[Items],
    budgets: Sequence[float], deadline: float = np.inf,
) -> list[Items]:  # fmt: skip
    """Return small sets after swaps: an item is removed, and its price spent by the orders.

    A set is replaced only by one that is clearly better.
    """
    improved = []
    n_rows = len(scorer.design.table)
    min_gain = max(OPTIONS.min_swap_gain, OPTIONS.noise / np.sqrt(n_rows))
    for items, budget in zip(sets, budgets, strict=True):
        while monotonic() < deadline:
            trials = _swaps(ItemSets(costs), orders, items, budget)
            if not trials:
                break
            scorer.compute_losses(trials)
            best = min(trials, key=scorer.loss)
            if not scorer.loss(best) < scorer.loss(items) * (1 - min_gain):
                break
            items = best
        improved.append(items)
    return improved


def _swaps(
    item_sets: ItemSets, orders: Sequence[Sequence[int]], items: Items, budget: float
) -> list[Items]:
    """Return the sets without one paid item, filled by the orders; none if the set is large."""
    costs = item_sets.costs
    paid = _paid(costs, items)
    if not 1 < len(paid) <= OPTIONS.max_thorough:
        return []
    trials = {
        tuple(sorted(item_sets.fill([i for i in order if i != item], budget, rest)))
        for item in paid
        for rest in [item_sets.without(items, item)]
        for order in orders
    }
    return sorted(trials)


def without_copies(design: Design, costs: Costs, items: Items) -> Items:
    """Return a set without the paid items whose columns are copies of those of another item."""
    item_sets, known = ItemSets(costs), set()
    for item in sorted(items, key=lambda item: (costs.prices[item], item)):
        columns = design.columns_of.get(item)
        if columns is None:
            continue
        content = design.bins[columns].tobytes()
        if content in known and costs.prices[item] > 0 and item in items:
            items = item_sets.without(items, item)
        known.add(content)
    return items


def eliminated(scorer: Scorer, costs: Costs, items: Items, deadline: float = np.inf) -> Items:
    """Return a small set without the paid items whose removal does not worsen its loss.

    In each round the items that are useless one by one are removed together, or else as many
    of them as can be.
    """
    item_sets = ItemSets(costs)
    while monotonic() < deadline:
        trials = {item: item_sets.without(items, item) for item in _paid(costs, items)}
        if not 0 < len(trials) <= OPTIONS.max_thorough:
            return items
        scorer.compute_losses(list(trials.values()))
        useless = [i for i in trials if scorer.loss(trials[i]) <= scorer.loss(items)]
        useless.sort(key=lambda i: scorer.loss(trials[i]))
        smaller = items
        while useless and smaller == items:
            rest = items
            for item in useless:
                rest = item_sets.without(rest, item)
            smaller = rest if scorer.loss(rest) <= scorer.loss(items) else items
            useless = useless[: len(useless) // 2]
        if smaller == items:
            return items
        items = smaller
    return items


def _paid(costs: Costs, items: Items) -> list[int]:
    """Return the items that bring columns at a price."""
    return [i for i in items if costs.columns[i] and costs.price_of([i]) > 0]


def linear_order(design: Design, target: TrainingTarget, costs: Costs, cap: float) -> list[int]:
    """Return items in the order of what they add to least squares per price."""
    item_columns = [np.flatnonzero(design.item_of == item) for item in range(costs.n_items)]
    columns = tuple(tuple(positions.tolist()) for positions in item_columns)
    prepared = Costs(costs.names, costs.prices, columns, costs.requires)
    model = SequencedRegressor(prepared, alpha=OPTIONS.linear_ridge, budget=cap)
    model.fit(design.filled[1], target.encoded, sample_weight=target.weights)
    return [costs.names.index(name) for name in model.sequence_]
