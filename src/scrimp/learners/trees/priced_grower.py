"""Growing a tree whose tests are chosen by what they tell and by what the path still has to pay.

A node considers the columns that the path to it can still pay for within the budget: an item
bought above is free below, and what an item requires is paid for once. Growing costs
O(rows x columns) per level, and O(bins x columns) per node.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...costs.costs import Costs
from ...costs.shopper import Shopper
from ...kernels.binning import bin_columns, find_cuts
from ...kernels.node_splits import (
    ENTROPY,
    N_COUNTS,
    SQUARED_ERROR,
    best_splits,
    divide_rows,
    node_sums,
)
from ...types import Flags, Floats, Ints
from .grown_tree import GrownTree
from .split_rules import SPLIT_RULES

#: The most bins of a numeric column; those of missing values beside.
MAX_BINS = 255
#: Rows whose quantiles cut columns of many values.
_SAMPLE_ROWS = 20_000
#: The largest share of the squared error that counts as explained: all of it would be infinite
#: information.
_MOST_EXPLAINED = 1.0 - 1e-12


@dataclass(frozen=True)
class GrowthOptions:
    """How a tree is grown.

    Parameters
    ----------
    rule : str
        A name in `SPLIT_RULES`.
    economy : float
        The exponent of the price in EG2.
    max_depth : int or None
        The most tests on a path.
    min_samples_leaf : int
        The fewest rows in a leaf.
    min_risk : float
        The least part of the risk of the root that a node has if it is split.
    """

    rule: str = "eg2"
    economy: float = 0.5
    max_depth: int | None = None
    min_samples_leaf: int = 1
    min_risk: float = 0.0


class TreeTable:
    """A table in bins, with targets.

    Parameters
    ----------
    table : float array (rows, columns)
        Numbers, codes of categories, NaN where a value is missing.
    categorical : bool array (columns,)
        Which columns hold codes.
    targets : float array (rows, targets)
        One column per class, 1 in the row's own; or the numbers to be predicted.
    weight : float array (rows,)
        Positive weights.
    has_classes : bool
        Whether the targets are classes.
    """

    def __init__(
        self, table: NDArray[Any], categorical: Flags, targets: Floats, weight: Floats,
        has_classes: bool,
    ) -> None:  # fmt: skip
        n = len(table)
        sample = np.random.default_rng(0).choice(n, min(n, _SAMPLE_ROWS), replace=False)
        self.table, self.categorical = table, categorical
        self.targets, self.weight, self.has_classes = targets, weight, has_classes
        self.cuts = find_cuts(table, categorical, MAX_BINS, np.sort(sample), weight)
        self.bins = bin_columns(table, self.cuts)
        self.missing = int(np.iinfo(self.bins.dtype).max)
        self.n_bins = np.array([len(cuts) + 1 for cuts in self.cuts], dtype=np.int64)
        squares = (targets**2).sum(axis=1)
        self.statistics = np.column_stack(
            [np.ones(n), weight, weight[:, None] * targets, weight * squares]
        )

    def interval(self, column: int, place: int) -> tuple[float, float]:
        """Return the interval of the values inside a split."""
        if place == self.n_bins[column]:
            return -np.inf, np.inf
        if self.categorical[column]:
            return place - 0.5, place + 0.5
        return -np.inf, float(self.cuts[column][place])

    def divided(
        self, column: int, place: int, missing_inside: bool, rows: Ints
    ) -> tuple[Ints, Ints, bool]:
        """Return the rows inside a split, those outside, and whether some lack the value."""
        inside, outside, has_missing = divide_rows(
            rows, self.bins[column], place, self.n_bins[column], self.categorical[column],
            self.missing, missing_inside,
        )  # fmt: skip
        return inside, outside, has_missing


@dataclass
class TreeNodes:
    """The nodes of a tree in the making."""

    column: list[int] = field(default_factory=list)
    low: list[float] = field(default_factory=list)
    high: list[float] = field(default_factory=list)
    inside: list[int] = field(default_factory=list)
    outside: list[int] = field(default_factory=list)
    missing: list[int] = field(default_factory=list)
    weight: list[float] = field(default_factory=list)
    mean: list[Floats] = field(default_factory=list)
    impurity: list[float] = field(default_factory=list)
    price: list[float] = field(default_factory=list)

    def add_rows(self, data: TreeTable, rows: Ints) -> int:
        """Add a leaf with some rows and return its number."""
        sums = node_sums(data.statistics, rows)
        mean = sums[N_COUNTS:-1] / sums[1]
        return self.add_leaf(float(sums[1]), mean, max(sums[-1] / sums[1] - float(mean @ mean), 0))

    def add_leaf(self, weight: float, mean: Floats, impurity: float) -> int:
        """Add a leaf and return its number."""
        for name in ("column", "inside", "outside", "missing"):
            getattr(self, name).append(-1)
        for name in ("low", "high", "price"):
            getattr(self, name).append(0.0)
        self.weight.append(weight)
        self.mean.append(mean)
        self.impurity.append(impurity)
        return len(self.column) - 1

    def split(
        self, node: int, column: int, interval: tuple[float, float], children: tuple[int, int],
        missing_inside: bool, price: float,
    ) -> None:  # fmt: skip
        """Make a leaf a test, with two leaves below it."""
        self.column[node], self.price[node] = column, price
        self.low[node], self.high[node] = interval
        self.inside[node], self.outside[node] = children
        self.missing[node] = children[0] if missing_inside else children[1]

    def tree(self) -> GrownTree:
        """Return the tree."""
        return GrownTree(**{name: np.array(values) for name, values in vars(self).items()})


@dataclass(frozen=True, eq=False)
class _Position:
    """What the rows of a node own: the columns within their means, and what these cost.

    Parameters
    ----------
    shopper : Shopper
        What is bought on the path.
    columns : int array
        The columns that can be paid for, to rounding.
    prices : float array
        What each of them costs.
    """

    shopper: Shopper
    columns: Ints
    prices: Floats


class PricedGrower:
    """Grows trees on some rows of a table.

    Parameters
    ----------
    data : TreeTable
        The table.
    costs : Costs
        Prices.
    budget : float
        The most that a path may cost.
    options : GrowthOptions
        How the tree is grown.
    """

    def __init__(
        self, data: TreeTable, costs: Costs, budget: float, options: GrowthOptions
    ) -> None:
        self.data, self.costs, self._options = data, costs, options
        self._quality = SPLIT_RULES[options.rule]
        self._criterion = ENTROPY if data.has_classes else SQUARED_ERROR
        shopper = Shopper(costs, budget)
        self._start = self._position(shopper)
        self._positions = {frozenset[int](): self._start}
        self._unit = math.fsum(shopper.prices[costs.owners]) / max(costs.n_columns, 1) or 1.0

    @property
    def affordable(self) -> Ints:
        """The columns that a row can pay for that owns nothing yet."""
        return self._start.columns

    def grow(self, rows: Ints) -> GrownTree:
        """Return the tree of some rows."""
        nodes, most = TreeNodes(), self._options.max_depth
        todo = [(nodes.add_rows(self.data, rows), rows, self._start, 0)]
        least_risk = self._options.min_risk * nodes.impurity[0] * nodes.weight[0]
        while todo:
            node, rows, position, depth = todo.pop()
            if most is not None and depth >= most:
                continue
            if nodes.impurity[node] * nodes.weight[node] < least_risk:
                continue
            split = self._best_split(rows, position, nodes.impurity[node])
            if split is None:
                continue
            column, place, with_missing = split
            *parts, has_missing = self.data.divided(column, place, with_missing, rows)
            children = nodes.add_rows(self.data, parts[0]), nodes.add_rows(self.data, parts[1])
            if not has_missing:  # no row tells where missing values belong: they go with the most
                with_missing = nodes.weight[children[0]] > nodes.weight[children[1]]
            item, interval = self.costs.item_of[column], self.data.interval(column, place)
            price = float(position.shopper.prices[item])
            nodes.split(node, column, interval, children, with_missing, price)
            after = self._after(position, item)
            todo += [(child, part, after, depth + 1)
                     for child, part in zip(children, parts, strict=True)]  # fmt: skip
        return nodes.tree()

    def _best_split(
        self, rows: Ints, position: _Position, impurity: float
    ) -> tuple[int, int, bool] | None:
        """Return the column, the place and the side of missing values of the best split."""
        data, least = self.data, self._options.min_samples_leaf
        if impurity <= 0.0 or len(rows) < 2 * least or not len(position.columns):
            return None
        statistics = data.statistics[:, :-1]
        total = node_sums(statistics, rows)
        gains, places, sides = best_splits(
            data.bins, data.missing, data.n_bins, data.categorical, position.columns, rows,
            statistics, total, float(least), self._criterion,
        )  # fmt: skip
        information = np.maximum(gains, 0.0) / total[1]
        if not data.has_classes:  # that of a normal target about its residual
            explained = np.minimum(information / impurity, _MOST_EXPLAINED)
            information = -0.5 * np.log2(1.0 - explained)
        costs = position.prices / self._unit
        quality = self._quality(information, costs, self._options.economy)
        quality[~(gains > 0)] = -np.inf
        return self._first_paid(quality, position, places, sides)

    def _first_paid(
        self, quality: Floats, position: _Position, places: Ints, sides: Flags
    ) -> tuple[int, int, bool] | None:
        """Return the split of the best quality, of equals the cheapest, that can be paid for.

        Prices are sums; the ledger decides exactly.
        """
        while (best := quality.max()) > -np.inf:
            ties = np.flatnonzero(quality == best)
            at = int(ties[np.argmin(position.prices[ties])])
            column = int(position.columns[at])
            if position.shopper.ledger.can_pay([self.costs.item_of[column]]):
                return column, int(places[at]), bool(sides[at])
            quality[at] = -np.inf
        return None

    def _after(self, position: _Position, item: int) -> _Position:
        """Return the position after a purchase; paths that own the same share it."""
        owned = frozenset(position.shopper.ledger.owned.union(self.costs.closures[item]))
        if owned not in self._positions:
            shopper = position.shopper.fork()
            shopper.buy([item])
            self._positions[owned] = self._position(shopper)
        return self._positions[owned]

    def _position(self, shopper: Shopper) -> _Position:
        owners = self.costs.owners
        columns = np.flatnonzero(shopper.ledger.affords(shopper.prices)[owners])
        return _Position(shopper, columns, shopper.prices[owners[columns]])
