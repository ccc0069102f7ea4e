"""Branch and bound over sets of groups: a better set, or a proof that there is none.

A node includes some groups and excludes others. The relaxation of the remaining ones gives a lower
bound for all sets that agree with the node, and its fractional selection suggests such a set.
Nodes are expanded by ascending lower bound.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from ...costs.item_sets import Items
from ...costs.ledger import limit, within
from ...runtime.time_limit import is_time_over
from ...types import Flags, Floats
from .duality import DualBound, Iterate
from .groups import Groups
from .problem import SVMProblem
from .relaxation import Relaxation
from .training import TrainedSVM


@dataclass(frozen=True)
class _NodeAccuracy:
    """How exactly nodes are solved."""

    #: Relative duality gap of a node's relaxation.
    tol: float = 1e-4
    #: The same for non-smooth losses.
    tol_nonsmooth: float = 1e-3
    #: Solver steps per node: the lower bound is valid after any number of them.
    max_steps: int = 200
    #: Nodes within this relative gap of the incumbent are not expanded.
    gap: float = 5e-4


_ACCURACY = _NodeAccuracy()

#: Trains on a set, from a start and its dual variables, unless proven to be above a cutoff.
Training = Callable[[Items, Iterate, DualBound, float], TrainedSVM]


@dataclass(order=True)
class _Node:
    """A partial decision.

    Parameters
    ----------
    lower_bound : float
        No set that agrees with the decision has a smaller objective.
    number : int
        Order of creation, which breaks ties.
    included, excluded : boolean arrays (groups,)
        The groups that are decided.
    selection, iterate, dual : float array (groups,), Iterate, DualBound
        The solution of the relaxation, on all groups and columns.
    """

    lower_bound: float
    number: int
    included: Flags = field(compare=False)
    excluded: Flags = field(compare=False)
    selection: Floats = field(compare=False)
    iterate: Iterate = field(compare=False)
    dual: DualBound = field(compare=False)


class BranchAndBound:
    """Searches for the best set within a budget.

    Parameters
    ----------
    problem : SVMProblem
        Of all columns.
    groups : Groups
        Items and prices.
    budget : float
        The budget.
    train : callable
        Trains on a set of items.
    max_nodes : int
        The largest number of nodes.
    max_work : float
        The largest number of table values that solving nodes may read.

    Attributes
    ----------
    lower_bound : float
        No set within the budget has a smaller objective.
    n_nodes : int
        How many nodes were solved.
    """

    def __init__(
        self, problem: SVMProblem, groups: Groups, budget: float, train: Training, max_nodes: int,
        max_work: float = np.inf,
    ) -> None:  # fmt: skip
        self.problem, self.groups, self.budget, self.train = problem, groups, budget, train
        self.max_nodes, self.max_work = max_nodes, max_work
        self.lower_bound, self.n_nodes, self._work = np.inf, 0, 0.0
        self._open: list[_Node] = []

    def search(self, incumbent: TrainedSVM, start: Iterate) -> TrainedSVM:
        """Return the best set found, the incumbent or a better one."""
        none = np.zeros(self.problem.n_groups, dtype=bool)
        unaffordable = ~self.groups.affordable(self.budget)
        self._add(none, unaffordable, start, -np.inf, incumbent.objective)
        while self._open and self.n_nodes + 2 <= self.max_nodes and self._work < self.max_work:
            if is_time_over():
                break
            node = heapq.heappop(self._open)
            group = None
            if incumbent.objective - node.lower_bound > _ACCURACY.gap * abs(incumbent.objective):
                incumbent = self._round(node, incumbent)
                group = self._branching_group(node)
            if group is None:
                self.lower_bound = min(self.lower_bound, node.lower_bound)
                continue
            self._branch(node, group, incumbent.objective)
        open_bounds = (node.lower_bound for node in self._open)
        self.lower_bound = min([self.lower_bound, incumbent.objective, *open_bounds])
        return incumbent

    def _round(self, node: _Node, incumbent: TrainedSVM) -> TrainedSVM:
        """Return the better of the incumbent and the set that a node's selection suggests."""
        gains = node.dual.gains / max(node.dual.gains.max(), 1e-300)
        scores = node.selection + node.included + 1e-9 * gains
        items = self.groups.fill(np.where(node.excluded, 0.0, scores), self.budget)
        other = self.train(items, node.iterate, node.dual, incumbent.objective)
        return min(incumbent, other, key=lambda trained: trained.objective)

    def _branching_group(self, node: _Node) -> int | None:
        """Return the most fractional group, weighted by its gain; None if the node is a set.

        Where groups share requirements the relaxation underprices them, so that a selection in
        full can still be unaffordable; the group of the largest gain is then decided.
        """
        gains, selection, included = node.dual.gains, node.selection, node.included
        fractional = gains * selection * (1.0 - selection)
        fractional = np.where(included | node.excluded, 0.0, fractional)
        if fractional.max(initial=0.0) > 0:
            return int(fractional.argmax())
        selected = ~included & (selection == 1.0)
        if self._is_affordable(included | selected):
            return None
        full_prices = self.groups.prices_given(included, node.excluded)[1]
        return int(np.where(selected & (full_prices > 0), gains, -1.0).argmax())

    def _is_affordable(self, mask: Flags) -> bool:
        price = self.groups.costs.price_of(self.groups.items[mask].tolist())
        return within(price, self.budget)

    def _branch(self, node: _Node, group: int, cutoff: float) -> None:
        """Add the children that include and that exclude a group."""
        decided = np.zeros(self.problem.n_groups, dtype=bool)
        decided[group] = True
        for included, excluded in (
            (node.included | decided, node.excluded),
            (node.included, node.excluded | decided),
        ):
            self._add(included, excluded, node.iterate, node.lower_bound, cutoff)

    def _add(
        self, included: Flags, excluded: Flags, start: Iterate, parent_bound: float, cutoff: float
    ) -> None:
        """Solve the relaxation of a node, if its included groups are affordable, and open it."""
        problem = self.problem
        budget, prices, excluded = self._remaining(included, excluded)
        if budget < 0:
            return
        kept = np.flatnonzero(~excluded)
        columns = problem.columns_of(kept)
        tol = _ACCURACY.tol_nonsmooth if problem.is_nonsmooth else _ACCURACY.tol
        relaxation = Relaxation(problem.take_groups(kept), prices[kept], tol, _ACCURACY.max_steps)
        relaxed = relaxation.solve_from(start.take(columns), budget, cutoff)
        self.n_nodes += 1
        self._work += relaxed.work
        selection = np.zeros(problem.n_groups)
        selection[kept] = relaxed.selection
        heapq.heappush(self._open, _Node(
            max(parent_bound, relaxed.lower_bound), self.n_nodes, included, excluded, selection,
            relaxed.iterate.expand(columns, problem.X.shape[1]),
            relaxed.dual.expand(kept, problem.n_groups),
        ))  # fmt: skip

    def _remaining(self, included: Flags, excluded: Flags) -> tuple[float, Floats, Flags]:
        """Return the remaining budget, prices beside the included groups, and excluded groups.

        Groups that the remaining budget cannot pay for are excluded too, until none is left.
        """
        while True:
            spent, full_prices, prices = self.groups.prices_given(included, excluded)
            budget = limit(self.budget) - spent
            too_expensive = ~(included | excluded) & (full_prices > budget)
            if not too_expensive.any():
                return budget, prices, excluded
            excluded = excluded | too_expensive
