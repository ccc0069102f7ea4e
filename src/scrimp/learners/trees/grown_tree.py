"""A grown tree: interval tests, what each node knows of its rows, and what its test costs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...costs.costs import Costs
from ...plans import Nodes, RoutedPlan
from ...plans.contract import StageTable
from ...types import Flags, Floats, Ints


@dataclass(frozen=True, eq=False)
class GrownTree:
    """A tree of interval tests; node 0 is the root and children come after their parents.

    Parameters
    ----------
    column : int array (nodes,)
        The column that each node tests, -1 at a leaf.
    low, high : float arrays (nodes,)
        A present value is inside when ``low <= x <= high``.
    inside, outside, missing : int arrays (nodes,)
        The next node for a value inside or outside the interval, or a missing value.
    weight : float array (nodes,)
        The weight of the training rows that come to each node.
    mean : float array (nodes, targets)
        Their mean target: the frequencies of classes, or the mean of numbers.
    impurity : float array (nodes,)
        Their mean squared error about it; of classes the Gini impurity.
    price : float array (nodes,)
        What a row pays for the test of each node, given what is bought on the path to it.
    """

    column: Ints
    low: Floats
    high: Floats
    inside: Ints
    outside: Ints
    missing: Ints
    weight: Floats
    mean: Floats
    impurity: Floats
    price: Floats

    @property
    def node_count(self) -> int:
        """The number of nodes."""
        return len(self.column)

    @property
    def depth(self) -> int:
        """The most tests on a path."""
        depths = np.zeros(self.node_count, dtype=np.int64)
        for node in np.flatnonzero(self.column >= 0):  # children come later
            depths[[self.inside[node], self.outside[node]]] = depths[node] + 1
        return int(depths.max())

    @property
    def share(self) -> Floats:
        """The part of the training rows, by weight, that comes to each node."""
        return np.asarray(self.weight / self.weight[0])

    @property
    def risk(self) -> Floats:
        """What each node as a leaf adds to the mean squared error of the tree."""
        return np.asarray(self.impurity * self.share)

    @property
    def spend(self) -> Floats:
        """What the test of each node adds to the mean spend of the training rows."""
        return np.asarray(self.price * self.share)

    def visits(self, table: NDArray[Any]) -> Iterator[tuple[int, Ints]]:
        """Yield each node with the rows of a table that come to it."""
        todo = [(0, np.arange(len(table)))]
        while todo:
            node, rows = todo.pop()
            yield node, rows
            if self.column[node] < 0 or not len(rows):
                continue
            x = table[rows, self.column[node]]
            inside = (x >= self.low[node]) & (x <= self.high[node])
            step = np.where(inside, self.inside[node], self.outside[node])
            step[np.isnan(x)] = self.missing[node]
            children = {int(self.inside[node]), int(self.outside[node])}
            todo += [(child, rows[step == child]) for child in sorted(children)]

    def pruned(self, is_leaf: Flags) -> GrownTree:
        """Return the tree in which some nodes are leaves."""
        reached = np.zeros(self.node_count, dtype=bool)
        reached[0] = True
        for node in np.flatnonzero((self.column >= 0) & ~is_leaf):  # children come later
            if reached[node]:
                reached[[self.inside[node], self.outside[node]]] = True
        kept = np.flatnonzero(reached)
        inner = (self.column[kept] >= 0) & ~is_leaf[kept]
        number = np.cumsum(reached) - 1
        parts = {field.name: getattr(self, field.name)[kept] for field in fields(self)}
        for name in ("inside", "outside", "missing"):
            parts[name] = np.where(inner, number[parts[name]], -1)
        for name, at_leaf in (("column", -1), ("low", 0.0), ("high", 0.0), ("price", 0.0)):
            parts[name] = np.where(inner, parts[name], at_leaf)
        return GrownTree(**parts)

    def routed_plan(self, costs: Costs, value: Floats) -> RoutedPlan:
        """Return the plan that follows the tree.

        Parameters
        ----------
        costs : Costs
            Prices.
        value : float array (nodes, outputs)
            The answer at each node.
        """
        nodes = Nodes(
            column=self.column,
            low=self.low,
            high=self.high,
            inside=self.inside,
            outside=self.outside,
            missing=self.missing,
            refused=np.full(self.node_count, -1),
            value=value,
        )
        items = tuple((costs.item_of[c],) if c >= 0 else () for c in self.column.tolist())
        return RoutedPlan(StageTable(items), nodes)
