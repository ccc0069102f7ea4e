"""The search for routes: a core, a tree that routes by it, and an item set for each region.

As in cost-sensitive trees of classifiers (Xu, Kusner, Weinberger, Chen. Cost-sensitive tree of
classifiers. ICML 2013) regions differ in what they buy. Here the sets are searched within a hard
budget, and each region has a model of any kind.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from ....costs.costs import Costs
from ....costs.item_sets import Items, ItemSets
from ....costs.ledger import within
from ....runtime.time_limit import monotonic
from ....types import Flags, Floats, Ints
from ...cross_validation import clearly_better
from ..design import Design
from ..item_search import SearchOptions, forward_order, searched
from ..problem import SEARCH_SAMPLE, TrainingSet
from ..training_target import TrainingTarget
from .region_scorer import RegionScorer, learning_rows
from .route import Region, Route, filled, region_numbers, regions_of
from .screening import Routing, Screen


@dataclass(frozen=True)
class RouteOptions:
    """How thoroughly routes are searched.

    Parameters
    ----------
    max_levels : int
        How often a row is routed, at most.
    max_rows : int
        Rows of a region that its sets are searched with; many classes, which take longer, have
        fewer.
    min_sample : int
        Rows that many classes still have.
    enough_rows : int
        A region with fewer rows learns from others too; times a quarter of the classes.
    min_rows : int
        A region with fewer rows is not routed any further.
    max_prefix : int
        Prefixes of the fixed set that are tried as cores have up to so many items.
    max_single : int
        Single items are cores where there are no more than these; of more those with the largest
        gains are.
    n_judged : int
        Routings of all rows whose sets are searched, of those that screening ranks first; of
        regions it is one.
    min_errors : float
        Standard errors by which a routing must be better than the fixed set.
    min_progress : float
        Nothing is routed where the set is within this part of the loss of the best set at any
        budget: routing saves purchases, and there is nothing to save.
    """

    max_levels: int = 3
    max_rows: int = 6_000
    min_sample: int = 3_000
    enough_rows: int = 1_000
    min_rows: int = 300
    max_prefix: int = 3
    max_single: int = 60
    n_judged: int = 2
    min_errors: float = 0.5
    min_progress: float = 0.01


OPTIONS = RouteOptions()
#: The search of the sets of regions, of which there are many.
REGION_SEARCH = SearchOptions(n_trials=3, n_first_trials=5)


def class_factor(target: TrainingTarget) -> float:
    """Return how much longer trainings of many classes take, and how many more rows they need."""
    return max(target.n_classes / 4, 1.0)


@dataclass(frozen=True, eq=False)
class Order:
    """Items in the order of what they add in a region, up to a budget."""

    scorer: RegionScorer
    items: list[int]
    budget: float


@dataclass(eq=False)
class Sample:
    """Some rows of a region, prepared for the search, and what is known of them.

    Parameters
    ----------
    rows : int array
        Positions in the training set, of the region and of others that it learns from.
    inside : bool array
        Which of them are in the region.
    design, target
        The prepared columns and the target of these rows.
    is_whole : bool
        Whether these are all rows of the region.
    scorer : RegionScorer
        Cross-validates sets in the region.
    orders : dict of Order
        By core and part of the region.
    screens : dict of Screen
        By the items that are owned.
    """

    rows: Ints
    inside: Flags
    design: Design
    target: TrainingTarget
    is_whole: bool
    scorer: RegionScorer
    orders: dict[tuple[Items, bytes], Order] = field(default_factory=dict)
    screens: dict[Items, Screen] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Judged:
    """A core with the route that follows it, and the losses of the sample's rows."""

    core: Items
    route: Route
    losses: Floats


class RouteSearch:
    """Searches a route for each budget.

    Parameters
    ----------
    rows : TrainingSet
        The rows, with the item sets that are bought without routing.
    max_levels : int
        How often a row is routed, at most.
    deadline : float
        When to end, on the clock of `monotonic`.
    """

    def __init__(
        self, rows: TrainingSet, max_levels: int = OPTIONS.max_levels, deadline: float = np.inf
    ) -> None:
        self.rows, self.max_levels, self.deadline = rows, max_levels, deadline
        self.costs = rows.problem.costs
        self.X = rows.problem.X[rows.index]
        self._samples: dict[bytes, Sample] = {}

    def routes(self, sets: Sequence[Items], budgets: Sequence[float]) -> list[Route]:
        """Return a route for each budget; a single region where the fixed set stays."""
        everything = np.arange(len(self.X))
        # from the largest on, so that the orders of its regions serve smaller budgets too
        routes = [
            self._route(everything, (), items, budget, 0)
            for items, budget in reversed(list(zip(sets, budgets, strict=True)))
        ]
        return routes[::-1]

    def _route(self, inside: Ints, owned: Items, items: Items, budget: float, level: int) -> Route:
        """Return the route of some rows that own a core; a region if none is clearly better."""
        if len(inside) < OPTIONS.min_rows or self._is_over or level == self.max_levels:
            return Region(items)
        sample = self._sample(inside)
        losses = sample.scorer.row_losses(items)
        if not self._has_room(sample, items, float(losses.mean())):
            return Region(items)
        best: Judged | None = None
        for routing in self._routings(sample, owned, items, budget, level):
            judged = self._judged(sample, routing, items, budget)
            if judged and (best is None or judged.losses.mean() < best.losses.mean()):
                best = judged
        if best is None or not clearly_better(best.losses, losses, OPTIONS.min_errors):
            return Region(items)
        return self._deeper(best, sample, inside, budget, level)

    @property
    def _is_over(self) -> bool:
        return monotonic() > self.deadline

    def _sample(self, inside: Ints) -> Sample:
        """Return rows of a region to search with; each sample is prepared once."""
        key = inside.tobytes()
        if key not in self._samples:
            self._samples[key] = self._drawn(inside)
        return self._samples[key]

    def _drawn(self, inside: Ints) -> Sample:
        rng = np.random.default_rng([self.rows.problem.seed, len(inside)])
        target = self.rows.target
        n_rows = max(int(OPTIONS.max_rows / class_factor(target)), OPTIONS.min_sample)
        n_parts = -(-len(inside) // n_rows)
        some = inside[target.subset(inside).folds(n_parts, rng) == 0] if n_parts > 1 else inside
        is_inside = np.zeros(len(self.X), dtype=bool)
        is_inside[some] = True
        others = np.zeros(len(self.X), dtype=bool)
        others[inside] = True
        learns = learning_rows(is_inside, self._enough, rng) & (is_inside | ~others)
        rows = np.flatnonzero(learns)
        design = self.rows.design.subset(rows, SEARCH_SAMPLE.max_bins)
        target, flags = target.subset(rows), is_inside[rows]
        scorer = self._scorer(design, target, flags, rng)
        return Sample(rows, flags, design, target, n_parts == 1, scorer)

    @property
    def _enough(self) -> int:
        return int(OPTIONS.enough_rows * class_factor(self.rows.target))

    def _scorer(
        self, design: Design, target: TrainingTarget, inside: Flags, rng: np.random.Generator
    ) -> RegionScorer:
        learns = learning_rows(inside, self._enough, rng)
        pool = self.rows.scorer.pool
        return RegionScorer(design, target, inside, learns, SEARCH_SAMPLE.n_folds, rng, pool)

    def _has_room(self, sample: Sample, items: Items, loss: float) -> bool:
        """Return whether other purchases could lower the loss of a set."""
        everything = tuple(sample.design.columns_of)
        return sample.scorer.loss(everything) < loss * (1 - OPTIONS.min_progress)

    def _routings(
        self, sample: Sample, owned: Items, items: Items, budget: float, level: int
    ) -> list[Routing]:
        """Return the routings that are expected to be best."""
        costs = free_at(self.costs, owned)
        rest = budget - self.costs.price_of(owned)
        if owned not in sample.screens:
            sample.screens[owned] = Screen(sample.scorer, costs, sample.scorer.inside)
        item_sets = ItemSets(costs)
        cores = self._cores(sample, item_sets, items, rest)
        return sample.screens[owned].best(cores, rest, 1 if level else OPTIONS.n_judged)

    def _cores(self, sample: Sample, item_sets: ItemSets, items: Items, rest: float) -> list[Items]:
        """Return prefixes of a set, in the order of what they gain, and single items."""
        free, costs = item_sets.free, item_sets.costs
        scores = sample.scorer.score([free])[0].scores
        gains = sample.scorer.gains(scores)
        ranked = sorted(gains, key=lambda item: -gains[item])
        bought = [item for item in ranked if item in items and item not in free]
        cores = [free]
        for length in range(1, min(OPTIONS.max_prefix, len(bought) - 1) + 1):
            cores.append(costs.closure([*free, *bought[:length]]))
        single = [item for item in ranked if item not in free][: OPTIONS.max_single]
        cores += [item_sets.with_(free, item) for item in single]
        affordable = [core for core in cores if within(costs.price_of(core), rest)]
        distinct = dict.fromkeys(tuple(sorted(core)) for core in affordable)
        return [core for core in distinct if len(sample.design.columns(core))]

    def _judged(
        self, sample: Sample, routing: Routing, items: Items, budget: float
    ) -> Judged | None:
        """Search the sets of the regions of a routing, and estimate their losses."""
        numbers = region_numbers(routing.route, self.X[sample.rows])
        losses, sets = np.empty(len(sample.rows)), []
        for number in range(numbers.max() + 1):
            inside = sample.inside & (numbers == number)
            if self._is_over or inside.sum() < 2 * SEARCH_SAMPLE.n_folds:
                return None
            scorer, order = self._order(sample, routing.core, inside, budget)
            found = self._set(scorer, order, routing.core, items, budget)
            losses[inside] = scorer.row_losses(found)
            sets.append(Region(found))
        route = filled(routing.route, iter(sets))
        return Judged(routing.core, route, losses[sample.inside])

    def _order(
        self, sample: Sample, core: Items, inside: Flags, budget: float
    ) -> tuple[RegionScorer, list[int]]:
        """Return a scorer of a region, and items in the order of what they add to a core there."""
        key = core, inside.tobytes()
        if key not in sample.orders or sample.orders[key].budget < budget:
            rng = np.random.default_rng([self.rows.problem.seed, int(inside.sum())])
            scorer = self._scorer(sample.design, sample.target, inside, rng)
            order = self._forward(scorer, core, budget)
            sample.orders[key] = Order(scorer, order, budget)
        return sample.orders[key].scorer, sample.orders[key].items

    def _forward(self, scorer: RegionScorer, core: Items, budget: float) -> list[int]:
        """Return items in the order of what they add to a core per price."""
        costs, rest = free_at(self.costs, core), budget - self.costs.price_of(core)
        return forward_order(scorer, costs, rest, 1.0, self.deadline, REGION_SEARCH)

    def _set(
        self, scorer: RegionScorer, order: list[int], core: Items, items: Items, budget: float
    ) -> Items:
        """Return the best set of a region: by its own order, or by that of the fixed set."""
        costs, rest = free_at(self.costs, core), budget - self.costs.price_of(core)
        fixed = sorted(items, key=lambda item: order.index(item) if item in order else len(order))
        return searched(scorer, costs, [fixed, order], [rest], self.deadline)[0]

    def _deeper(
        self, best: Judged, sample: Sample, inside: Ints, budget: float, level: int
    ) -> Route:
        """Return a route whose regions are routed again, on all their rows."""
        core, route = best.core, best.route
        numbers, parts = region_numbers(route, self.X[inside]), []
        for number, region in enumerate(regions_of(route)):
            rows, items = inside[numbers == number], region.items
            if not sample.is_whole and len(rows) >= OPTIONS.min_rows and not self._is_over:
                larger = self._sample(rows)
                order = self._forward(larger.scorer, core, budget)
                items = self._set(larger.scorer, order, core, items, budget)
            parts.append(self._route(rows, core, items, budget, level + 1))
        return filled(route, iter(parts))


def free_at(costs: Costs, owned: Items) -> Costs:
    """Return the prices of rows that own some items."""
    closure = set(costs.closure(owned))
    prices = tuple(0.0 if item in closure else price for item, price in enumerate(costs.prices))
    return replace(costs, prices=prices)
