"""Branch and bound over groups: a better set, or a proof that there is none.

A node is a choice for some groups, bought or left out. The relaxation of the others gives a bound
from below for all sets that keep to the choice, and shares that suggest such a set.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ...costs.item_sets import Items
from ...costs.ledger import limit, within
from ...types import Floats
from .descent import Bound, Point
from .groups import Groups
from .machine import Machine
from .relaxation import Relaxation
from .trained import Trained

#: How exactly a node is solved, also with kinks; in how many steps, at most, as a bound is true at
#: any of them; and what is left of a gap that is not worth closing.
_TOL, _TOL_KINKED, _STEPS, _CLOSE = 1e-4, 1e-3, 200, 5e-4

Masks = tuple[NDArray[np.bool_], NDArray[np.bool_]]
Training = Callable[[Items, Point, Bound, float], Trained]


@dataclass(order=True)
class _Node:
    """A choice for some groups.

    Parameters
    ----------
    bound : float
        No set that keeps to the choice is below it.
    number : int
        In the order of their making.
    chosen : boolean arrays (groups,)
        Bought, and left out.
    shares, point, proof : float array (groups,), Point, Bound
        The relaxation of the others, of all groups and columns.
    """

    bound: float
    number: int
    chosen: Masks = field(compare=False)
    shares: Floats = field(compare=False)
    point: Point = field(compare=False)
    proof: Bound = field(compare=False)


class Branching:
    """Looks for the best set within a budget.

    Parameters
    ----------
    machine : Machine
        Of all columns.
    groups : Groups
        Items and prices.
    budget : float
        The most that may be spent.
    train : callable
        Trains the machine on a set, from a start and its slopes on, unless it is proven to be
        above a number.
    max_nodes : int
        Nodes, at most.
    max_work : float
        Cells of tables that nodes go through, at most.

    Attributes
    ----------
    least : float
        What no set within the budget can be below.
    nodes : int
        How many were solved.
    """

    def __init__(
        self, machine: Machine, groups: Groups, budget: float, train: Training, max_nodes: int,
        max_work: float = np.inf,
    ) -> None:  # fmt: skip
        self.machine, self.groups, self.budget, self.train = machine, groups, budget, train
        self.max_nodes, self.max_work = max_nodes, max_work
        self.least, self.nodes, self._work = np.inf, 0, 0.0
        self._open: list[_Node] = []

    def improved(self, best: Trained, start: Point) -> Trained:
        """A set that is at least as good as a given one."""
        nothing = np.zeros(self.machine.n_groups, dtype=bool)
        self._add((nothing, ~self.groups.payable(self.budget)), start, -np.inf, best.objective)
        while self._open and self.nodes + 2 <= self.max_nodes and self._work < self.max_work:
            node = heapq.heappop(self._open)
            if self._is_close(node.bound, best.objective):
                self.least = min(self.least, node.bound)
                continue
            best = self._rounded(node, best)
            group = self._undecided(node)
            if group is None:
                self.least = min(self.least, node.bound)
                continue
            for side in range(2):
                chosen = node.chosen[0].copy(), node.chosen[1].copy()
                chosen[side][group] = True
                self._add(chosen, node.point, node.bound, best.objective)
        self.least = min([self.least, best.objective, *(node.bound for node in self._open)])
        return best

    def _is_close(self, bound: float, objective: float) -> bool:
        return objective - bound <= _CLOSE * abs(objective)

    def _rounded(self, node: _Node, best: Trained) -> Trained:
        """The better of a set and what the shares of a node suggest."""
        inside, outside = node.chosen
        worth = node.proof.values / max(node.proof.values.max(), 1e-300)
        ranks = np.where(outside, 0.0, node.shares + inside + 1e-9 * worth)
        items = self.groups.filled(ranks, self.budget)
        other = self.train(items, node.point, node.proof, best.objective)
        return min(best, other, key=lambda trained: trained.objective)

    def _undecided(self, node: _Node) -> int | None:
        """The group whose choice would change most; None if the shares are a set already."""
        inside, outside = node.chosen
        values, shares = node.proof.values, node.shares
        halves = np.where(inside | outside, 0.0, values * shares * (1.0 - shares))
        if halves.max(initial=0.0) > 0:
            return int(halves.argmax())
        whole = ~inside & (shares == 1.0)
        if self._can_pay(inside | whole):
            return None
        alone = self.groups.prices_beside(inside, outside)[1]
        return int(np.where(whole & (alone > 0), values, -1.0).argmax())

    def _can_pay(self, chosen: NDArray[np.bool_]) -> bool:
        price = self.groups.costs.price_of(self.groups.items[chosen].tolist())
        return within(price, self.budget)

    def _add(self, chosen: Masks, start: Point, above: float, objective: float) -> None:
        """Solve a node, if what it buys can be paid."""
        inside, outside = chosen
        money, prices, outside = self._left(inside, outside)
        if money < 0:
            return
        machine, kept = self.machine, np.flatnonzero(~outside)
        columns, tol = machine.columns_of(kept), _TOL_KINKED if machine.is_kinked else _TOL
        relaxation = Relaxation(machine.of_groups(kept), prices[kept], tol, _STEPS)
        found = relaxation.solve_from(start.at(columns), money, objective)
        self.nodes += 1
        self._work += found.work
        node = _Node(
            max(above, found.bound), self.nodes, (inside, outside),
            np.zeros(machine.n_groups), found.point.among(columns, machine.X.shape[1]),
            found.proof.among(kept, machine.n_groups),
        )  # fmt: skip
        node.shares[kept] = found.shares
        heapq.heappush(self._open, node)

    def _left(
        self, inside: NDArray[np.bool_], outside: NDArray[np.bool_]
    ) -> tuple[float, Floats, NDArray[np.bool_]]:
        """The money that is left, prices beside what is bought, and all that is now too dear."""
        while True:
            spent, alone, prices = self.groups.prices_beside(inside, outside)
            money = limit(self.budget) - spent
            dear = ~(inside | outside) & (alone > money)
            if not dear.any():
                return money, prices, outside
            outside = outside | dear
