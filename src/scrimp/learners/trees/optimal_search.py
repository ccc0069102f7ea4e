"""Optimal trees of depth up to three, by search.

The objective is risk + alpha x leaves + lambda x mean spend of the training rows, among all trees
of a given set of tests whose paths are within the budget. Depth two is solved by the sums over
pairs of tests; for depth three every test is tried as the root, with the sums of the smaller side
taken over its rows, and those of the other by difference. O(rows x p^2 + tests^2) per root, where p
tests are passed by a row. See `kernels.shallow_trees` for references.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...costs.costs import Costs
from ...costs.ledger import limit
from ...costs.shopper import Shopper
from ...kernels.node_splits import node_sums
from ...kernels.shallow_trees import best_of_depth_two, leaf_cost, pair_sums
from ...runtime.events import Progress, emit
from ...runtime.time_limit import is_time_over
from ...types import Floats, Ints
from .candidate_tests import CandidateTests
from .grown_tree import GrownTree
from .priced_grower import TreeNodes, TreeTable

#: The most tests on a path of an optimal tree.
MAX_DEPTH = 3
#: A cost is lower if it is by this part: sums over pairs are rounded.
_PART = 1e-12

#: A tree of tests by their numbers: None at a leaf, else the test and its two children.
Shape = tuple[int, "Shape", "Shape"] | None


@dataclass(frozen=True)
class ShallowObjective:
    """What an optimal tree minimises, and within which limits.

    Parameters
    ----------
    alpha : float
        What a leaf counts against the mean squared error.
    penalty : float
        What a unit of mean spend counts.
    budget : float
        The most that a path may cost.
    max_depth : int
        The most tests on a path, up to `MAX_DEPTH`.
    min_samples_leaf : int
        The fewest rows in a leaf.
    """

    alpha: float
    penalty: float = 0.0
    budget: float = np.inf
    max_depth: int = MAX_DEPTH
    min_samples_leaf: int = 1


class OptimalSearch:
    """Searches for the tree of least objective on some rows of a table.

    Parameters
    ----------
    data : TreeTable
        The table.
    rows : int array
        The rows to learn from.
    costs : Costs
        Prices.
    tests : CandidateTests
        The tests that trees are made of.

    Attributes
    ----------
    is_proven : bool
        Whether the last search came to its end, so that no tree of these tests is better.
    """

    def __init__(self, data: TreeTable, rows: Ints, costs: Costs, tests: CandidateTests) -> None:
        self._data, self._rows, self._costs, self._tests = data, rows, costs, tests
        self._item = costs.owners[tests.column]
        self._needs = np.zeros((costs.n_items, costs.n_items))
        for item, needs in enumerate(costs.closures):
            self._needs[item, list(needs)] = 1.0
        # rows pass few tests if those that most rows pass are turned round
        most = tests.inside[:, rows].sum(axis=1) * 2 > len(rows)
        passes = tests.inside ^ most[:, None]
        self._is_turned, self._passes = most, passes
        passing = np.ascontiguousarray(passes.T)
        self._starts = np.concatenate([[0], np.cumsum(passing.sum(axis=1))])
        self._passed = np.nonzero(passing)[1]
        self._total = node_sums(data.statistics, rows)
        self._pairs = self._pair_sums(rows)
        self.is_proven = True

    def _pair_sums(self, rows: Ints) -> Floats:
        n = len(self._item)
        out = np.zeros((n, n, len(self._total)))
        pair_sums(self._starts, self._passed, rows, self._data.statistics, out)
        return out

    def best(self, objective: ShallowObjective) -> GrownTree:
        """Return the best tree, or when the time is over the best until then."""
        self.is_proven = True
        return self._tree(self._solve(objective)[1], objective.budget)

    def _solve(self, objective: ShallowObjective) -> tuple[float, Shape]:
        """Return the least cost, without the alpha of the first leaf, and the shape of its tree."""
        alpha, penalty = objective.alpha * self._total[1], objective.penalty
        options = (float(objective.min_samples_leaf), alpha, penalty)
        rest = limit(objective.budget)
        cost = leaf_cost(self._total, self._total, 1, 0.0)
        if not len(self._item):
            return cost, None
        if objective.max_depth == 1:
            prices, _ = self._prices(np.zeros(self._costs.n_items))
            cost, shape = self._one_test(prices, rest, options)
        else:
            owned = np.zeros(self._costs.n_items)
            cost, shape = self._two(self._pairs, self._total, owned, rest, options)
        if objective.max_depth >= MAX_DEPTH:
            cost, shape = self._three(cost, shape, rest, options)
        return cost, shape

    def _prices(self, owned: Floats) -> tuple[Floats, Floats]:
        """Return what items cost given what is owned, and what they cost after one another."""
        new = self._needs * (np.array(self._costs.prices) * (1.0 - owned))
        return new.sum(axis=1), (1.0 - self._needs) @ new.T

    def _one_test(
        self, prices: Floats, rest: float, options: tuple[float, float, float]
    ) -> tuple[float, Shape]:
        least, alpha, penalty = options
        best, shape = leaf_cost(self._total, self._total, 1, 0.0), None
        for test, item in enumerate(self._item.tolist()):
            part = self._pairs[test, test]
            if prices[item] <= rest:
                cost = alpha + penalty * prices[item] * self._total[1]
                cost += leaf_cost(self._total, part, 1, least)
                cost += leaf_cost(self._total, part, -1, least)
                if cost < best * (1 - _PART):
                    best, shape = cost, (test, None, None)
        return best, shape

    def _two(
        self, pairs: Floats, total: Floats, owned: Floats, rest: float,
        options: tuple[float, float, float],
    ) -> tuple[float, Shape]:  # fmt: skip
        first, then = self._prices(owned)
        least, alpha, penalty = options
        cost, root, inside, outside = best_of_depth_two(
            pairs, total, self._item, first, then, rest, least, alpha, penalty
        )
        below: list[Shape] = [(t, None, None) if t >= 0 else None for t in (inside, outside)]
        return cost, (int(root), below[0], below[1]) if root >= 0 else None

    def _three(
        self, cost: float, shape: Shape, rest: float, options: tuple[float, float, float]
    ) -> tuple[float, Shape]:
        """Return the best tree with any test as its root, no worse than a given one."""
        least, alpha, penalty = options
        first, _ = self._prices(np.zeros(self._costs.n_items))
        weight = self._total[1]
        singles = [self._pairs[t, t] for t in range(len(self._item))]
        leaves = [
            (leaf_cost(self._total, s, 1, least), leaf_cost(self._total, s, -1, least))
            for s in singles
        ]
        for done, root in enumerate(np.argsort([sum(pair) for pair in leaves], kind="stable")):
            item = self._item[root]
            base = alpha + penalty * first[item] * weight
            # a side is a leaf, or has a test at least
            bound = base + sum(min(leaf, alpha) for leaf in leaves[root])
            if first[item] > rest or not bound < cost:
                continue
            if is_time_over():
                self.is_proven = False
                break
            emit(Progress("optimal tree", done, len(leaves)))
            sides = self._sides_of(root)
            parts = [
                self._two(pairs, total, self._needs[item], rest - first[item], options)
                for pairs, total in sides
            ]
            found = base + parts[0][0] + parts[1][0]
            if found < cost * (1 - _PART):
                cost, shape = found, (int(root), parts[0][1], parts[1][1])
        return cost, shape

    def _sides_of(self, root: int) -> list[tuple[Floats, Floats]]:
        """Return the sums over pairs, and over all, of the rows that pass a test and of others."""
        rows = self._rows[self._passes[root, self._rows]]  # at most half of them
        pairs, total = self._pair_sums(rows), node_sums(self._data.statistics, rows)
        return [(pairs, total), (self._pairs - pairs, self._total - total)]

    def _tree(self, shape: Shape, budget: float) -> GrownTree:
        """Return a shape as a tree, with prices; a ledger decides what each path can pay."""
        nodes, tests = TreeNodes(), self._tests
        todo = [
            (
                nodes.add_rows(self._data, self._rows),
                self._rows,
                shape,
                Shopper(self._costs, budget),
            )
        ]
        while todo:
            node, rows, part, shopper = todo.pop()
            if part is None:
                continue
            test, *below = part
            column, place = int(tests.column[test]), int(tests.place[test])
            item = self._costs.item_of[column]
            if not shopper.ledger.can_pay([item]):
                continue
            with_missing = bool(tests.with_missing[test])
            inside, outside, lacks = self._data.divided(column, place, with_missing, rows)
            children = nodes.add_rows(self._data, inside), nodes.add_rows(self._data, outside)
            if not lacks:
                with_missing = nodes.weight[children[0]] > nodes.weight[children[1]]
            interval, price = self._data.interval(column, place), float(shopper.prices[item])
            nodes.split(node, column, interval, children, with_missing, price)
            after = shopper.fork()
            after.buy([item])
            if self._is_turned[test]:
                below.reverse()
            parts = zip(children, (inside, outside), below, strict=True)
            todo += [(child, kept, then, after) for child, kept, then in parts]
        return nodes.tree()
