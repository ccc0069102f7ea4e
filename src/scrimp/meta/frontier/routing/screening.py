"""Cores and their routing trees, judged by what the items bought after routing would gain."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from ....costs.costs import Costs
from ....costs.item_sets import Items, ItemSets
from ....costs.ledger import within
from ....kernels.packed_gradients import column_gains, pack_scores
from ....types import Floats, Ints
from ..set_scorer import SetScorer, projections
from .route import Branch, IntervalTest, Region, Route


@dataclass(frozen=True)
class ScreenOptions:
    """How routing trees are grown.

    Parameters
    ----------
    max_regions : int
        Regions of a tree, at most: each has fewer rows to learn from.
    min_rows : int
        Rows per region, at least.
    min_part : float
        The part of the rows that a region has, at least.
    n_cuts : int
        Cuts of a column that are tried first; around the best of them all are tried.
    max_tests : int
        Tests of all columns of a core that are tried first, about.
    n_counted : int
        Items whose gains count, of those that the rest of a budget pays for: gains of more are
        largely the same information.
    """

    max_regions: int = 6
    min_rows: int = 60
    min_part: float = 0.04
    n_cuts: int = 7
    max_tests: int = 28
    n_counted: int = 4


OPTIONS = ScreenOptions()
#: Where a node of a tree is: the sides that lead to it, 0 inside and 1 outside.
_Place = tuple[int, ...]


@dataclass(frozen=True, eq=False)
class _Leaf:
    """Rows of a growing tree, the gains of items on them, and the best split if there is one."""

    rows: Ints
    gains: Floats
    split: _Split | None


@dataclass(frozen=True, eq=False)
class _Split:
    """A test, what it adds to the gains of the best sets, and the leaves on both sides."""

    benefit: float
    test: IntervalTest
    inside: Ints
    outside: Ints
    gains: tuple[Floats, Floats]


@dataclass(frozen=True, eq=False)
class Routing:
    """A core with the tree that routes its rows.

    Parameters
    ----------
    core : tuple of int
        The items that all rows buy.
    route : Route
        The tree; the items of its regions are the core.
    expected_loss : float
        The loss of the core less what the next items would gain in their regions.
    """

    core: Items
    route: Route
    expected_loss: float


@dataclass(eq=False)
class Screen:
    """Grows routing trees of cores on the rows of a scorer.

    The benefit of a test is how much more the best sets of both sides gain together than the
    best set for both, where the gain of a set is the sum of what one split by each of its items
    would lower the loss. So an item that alone tells nothing is found if it tells what to buy.

    Parameters
    ----------
    scorer : SetScorer
        Cross-validates the cores.
    costs : Costs
        Prices, 0 for what is owned.
    rows : int array
        The rows of the region.
    """

    scorer: SetScorer
    costs: Costs
    rows: Ints
    _known: dict[tuple[Items, float], Routing | None] = field(default_factory=dict)
    _scores: dict[Items, tuple[float, Floats, Floats]] = field(default_factory=dict)

    def best(self, cores: Sequence[Items], budget: float, n: int) -> list[Routing]:
        """Return routings of some cores, those of the smallest expected losses."""
        unknown = [core for core in cores if core not in self._scores]
        for core, score in zip(unknown, self.scorer.score(unknown) if unknown else (), strict=True):
            self._scores[core] = score.loss, *self._packed(score.scores)
        known = [self._routing(core, budget) for core in cores]
        found = [routing for routing in known if routing is not None]
        return sorted(found, key=lambda routing: routing.expected_loss)[:n]

    def _packed(self, scores: Floats) -> tuple[Floats, Floats]:
        """Return the packed gradients of the region's rows, and the options of cuts."""
        target, options = self.scorer.target.subset(self.rows), self.scorer.options
        return pack_scores(  # type: ignore[no-any-return]
            target.loss, target.y, target.weights, scores[self.rows],
            projections(scores.shape[1], 1)[0], options.min_leaf_rows, options.ridge,
        )  # fmt: skip

    def _routing(self, core: Items, budget: float) -> Routing | None:
        """Return the tree of a core, None if no test has a benefit; each is grown once."""
        key = core, budget
        if key not in self._known:
            self._known[key] = _Growth(self, core, budget).routing()
        return self._known[key]


class _Growth:
    """The growth of one routing tree, best first."""

    def __init__(self, screen: Screen, core: Items, budget: float) -> None:
        self.core, self.rest = core, budget - screen.costs.price_of(core)
        scorer, costs, design = screen.scorer, screen.costs, screen.scorer.design
        self.loss, self.packed, self.options = screen._scores[core]
        self.design, self.source_rows, self.costs = design, screen.rows, costs
        self.others = [item for item in design.columns_of if item not in core]
        columns = [design.columns_of[item] for item in self.others]
        self.columns = np.concatenate([np.empty(0, np.int64), *columns])
        self.ends = np.cumsum([0, *map(len, columns)])[:-1]
        item_sets = ItemSets(costs)
        self.prices = np.array([item_sets.added_price(core, item) for item in self.others])
        self.weights = np.maximum(self.prices, self.prices[self.prices > 0].min(initial=1.0) / 2)
        self.bins = design.bins[:, screen.rows]
        self.table = design.table[screen.rows]
        # gains are about twice the fall of a log loss, and once that of a squared error
        self.unit = 0.5 if scorer.target.n_classes else 1.0
        rng = np.random.default_rng(len(screen.rows))
        self.least = max(OPTIONS.min_rows, int(OPTIONS.min_part * len(screen.rows)))
        everything = np.arange(len(screen.rows))
        # gains of shuffled rows are what noise gains
        self.noise = float(self._raw_gains(everything, rng.permutation(everything)).mean())

    def routing(self) -> Routing | None:
        """Return the routing of the core, or None if nothing can be bought or no test helps."""
        if not any(within(price, self.rest) for price in self.prices):
            return None
        rows = np.arange(len(self.source_rows))
        leaves = [self._leaf(rows, self._gains(rows))]
        placed: list[_Place] = [()]
        splits: dict[_Place, IntervalTest] = {}
        while len(leaves) < OPTIONS.max_regions:
            best = max(range(len(leaves)), key=lambda i: _benefit(leaves[i]))
            split = leaves[best].split
            if split is None:
                break
            place = placed[best]
            splits[place] = split.test
            leaves[best : best + 1] = [
                self._leaf(split.inside, split.gains[0]),
                self._leaf(split.outside, split.gains[1]),
            ]
            placed[best : best + 1] = [(*place, 0), (*place, 1)]
        if len(leaves) == 1:
            return None
        gained = sum(self._worth(leaf.gains) for leaf in leaves)
        expected = self.loss - self.unit * gained / len(rows)
        return Routing(self.core, _route(splits, self.core), expected)

    def _leaf(self, rows: Ints, gains: Floats) -> _Leaf:
        return _Leaf(rows, gains, self._best_split(rows))

    def _raw_gains(self, rows: Ints, packed_rows: Ints) -> Floats:
        """Return the largest gain of the columns of each item."""
        gains = np.empty(len(self.columns))
        packed = self.packed[packed_rows]
        column_gains(
            self.bins[:, rows], self.design.n_bins, self.columns, packed, self.options, gains
        )
        return np.maximum.reduceat(gains, self.ends) if len(gains) else gains

    def _gains(self, rows: Ints) -> Floats:
        """Return by how much the gain of each item exceeds that of noise."""
        return np.maximum(self._raw_gains(rows, rows) - self.noise, 0.0)

    def _worth(self, gains: Floats) -> float:
        """Return the gains of the items that are bought by gain per price."""
        left, total, n_bought = self.rest, 0.0, 0
        for place in np.argsort(-gains / self.weights, kind="stable").tolist():
            if n_bought == OPTIONS.n_counted or not gains[place]:
                break
            if within(self.prices[place], left):
                left, total, n_bought = (
                    left - self.prices[place],
                    total + gains[place],
                    n_bought + 1,
                )
        return float(total)

    def _best_split(self, rows: Ints) -> _Split | None:
        """Return the test of the largest benefit, None if none is above what noise gains."""
        if len(rows) < 2 * self.least:
            return None
        best: _Split | None = None
        for column, cuts in self._cuts():
            step = max(-(-len(cuts) // OPTIONS.n_cuts), 1)
            tried: dict[int, _Split | None] = {}
            places = list(range(step // 2, len(cuts), step))
            while places:
                for place in places:
                    tried[place] = self._split(rows, column, cuts[place])
                top = max(tried, key=lambda place: _benefit_of(tried[place]))
                if step == 1 or tried[top] is None:
                    break
                step = max(step // 2, 1)
                places = [p for p in (top - step, top + step) if 0 <= p < len(cuts)]
                places = [p for p in places if p not in tried]
            for split in tried.values():
                best = split if _benefit_of(split) > _benefit_of(best) else best
        return best

    def _cuts(self) -> Iterator[tuple[int, Sequence[float]]]:
        """Yield the prepared columns of the core, and where they may be cut; NaN is missing."""
        columns = self.design.columns(self.core)
        n = max(OPTIONS.max_tests // OPTIONS.n_cuts, 1)
        some = columns if len(columns) <= n * OPTIONS.n_cuts else columns[:: len(columns) // n + 1]
        for column in some.tolist():
            cuts = self.design.cuts[column].tolist()
            has_missing = bool(np.isnan(self.table[:, column]).any())
            yield column, [*cuts, *([np.nan] if has_missing else [])]

    def _split(self, rows: Ints, column: int, cut: float) -> _Split | None:
        """Return the split at a cut, None if a side is too small or nothing is gained."""
        x = self.table[rows, column]
        low = ~np.isnan(x) if np.isnan(cut) else x <= cut
        missing = np.isnan(x)
        missing_low = bool(not np.isnan(cut) and 2 * low.sum() > len(rows) - missing.sum())
        low |= missing & missing_low
        if not self.least <= low.sum() <= len(rows) - self.least:
            return None
        sides = rows[low], rows[~low]
        gains = self._gains(sides[0]), self._gains(sides[1])
        alone = self._worth(gains[0]) + self._worth(gains[1])
        benefit = alone - self._worth(gains[0] + gains[1])
        if not benefit > self.noise:
            return None
        preparation = self.design.preparation
        source, code = int(preparation.source[column]), float(preparation.code[column])
        if np.isnan(cut):
            test = IntervalTest(source, -np.inf, np.inf, False)
        elif np.isnan(code):
            test = IntervalTest(source, -np.inf, float(cut), missing_low)
        else:  # an indicator above its cut is the category itself
            test = IntervalTest(source, code - 0.5, code + 0.5, False)
            sides, gains = sides[::-1], gains[::-1]
        return _Split(benefit, test, *sides, gains)


def _benefit(leaf: _Leaf) -> float:
    return _benefit_of(leaf.split)


def _benefit_of(split: _Split | None) -> float:
    return -np.inf if split is None else split.benefit


def _route(
    splits: dict[tuple[int, ...], IntervalTest], core: Items, place: tuple[int, ...] = ()
) -> Route:
    """Return the tree of tests by their places: 0 is inside, 1 outside."""
    if place not in splits:
        return Region(core)
    inside, outside = (_route(splits, core, (*place, side)) for side in (0, 1))
    return Branch(splits[place], inside, outside)
