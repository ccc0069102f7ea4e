"""From a fractional selection to a set of groups within the budget, by local search.

Fractional groups cannot be bought in part. Sets are filled in the order of the selection, small
ones are also grown from nothing (forward selection), groups are exchanged as long as the objective
falls, and small problems go on with single swaps and branch and bound.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice

import numpy as np

from ...costs.item_sets import Items
from ...runtime.time_limit import is_time_over
from .branch_and_bound import BranchAndBound
from .duality import DualBound, Iterate
from .groups import Groups, per_price
from .problem import SVMProblem
from .relaxation import Relaxed, zero_iterate
from .training import TrainedSVM, Trainer


@dataclass(frozen=True)
class LocalSearch:
    """How long sets are improved: each trial trains a model."""

    #: Exchanges that are tried.
    max_exchanges: int = 12
    #: Exchanges that are tried with large sets, whose training is slow.
    max_exchanges_large: int = 4
    #: The same after a budget for which no exchange helped.
    max_exchanges_after_failure: int = 1
    #: Part of the groups that the first exchange replaces.
    first_part: float = 0.1
    #: Exchanges of single groups without success before the search ends.
    patience: int = 4
    #: Relative decrease of the objective that counts as an improvement.
    min_gain: float = 1e-4
    #: A set within this relative distance of the lower bound is not improved further.
    good_enough: float = 2e-3
    #: Swaps that are tried with each incumbent.
    max_swaps: int = 200
    #: Sets of up to this many items are also grown from nothing.
    small_set: int = 100
    #: Powers of the price in the scores of forward selection: 1 is gain per price, 0 gain alone.
    price_powers: tuple[float, ...] = (1.0, 0.0)


@dataclass(frozen=True)
class NodeLimits:
    """Default limits of branch and bound per budget: about half a second."""

    #: Nodes.
    max_nodes: int = 500
    #: Table values that are read.
    max_work: float = 2.5e8
    #: Cells of the table times outputs, beyond which there is no search, unless groups are few.
    max_cells: int = 500_000
    #: Groups that count as few.
    few_groups: int = 16


SEARCH, NODE_LIMITS = LocalSearch(), NodeLimits()


class Rounding:
    """Finds sets within ascending budgets.

    Parameters
    ----------
    problem : SVMProblem
        Of all columns.
    groups : Groups
        Items and prices.
    max_iter : int
        The largest number of steps of a training.
    max_nodes : int or None
        The largest number of nodes of branch and bound per budget; None for what is fast.

    Attributes
    ----------
    lower_bound : float
        No set within the last budget has a smaller objective.
    n_nodes : int
        Nodes of branch and bound.
    trainer : Trainer
        Which trains the models.
    """

    def __init__(
        self, problem: SVMProblem, groups: Groups, max_iter: int, max_nodes: int | None = None
    ) -> None:
        self.problem, self.groups = problem, groups
        self.trainer = Trainer(problem, groups, max_iter)
        self.max_nodes = self._default_nodes() if max_nodes is None else max_nodes
        self._max_work = NODE_LIMITS.max_work if max_nodes is None else np.inf
        if groups.uniform:  # the true prices must not influence the choice
            self.max_nodes = 0
        self.lower_bound, self.n_nodes = -np.inf, 0
        self._failed = False

    def best_set(
        self, relaxed: Relaxed, budget: float, previous: TrainedSVM | None = None
    ) -> TrainedSVM:
        """Return the best set found within a budget, no worse than that of a smaller budget."""
        trainer = self.trainer
        trainer.set_budget(budget)
        self.lower_bound = max(trainer.bound(relaxed.dual.alpha).value, 0.0)  # losses are >= 0
        starts = self._filled_sets(relaxed, previous)
        if self._is_small(starts[0]):
            starts += map(self._forward, SEARCH.price_powers)
        else:
            starts = starts[:1]
        incumbent = min(map(self._exchange, starts), key=_objective)
        incumbent = self._search(incumbent, relaxed.iterate)
        if previous is not None and incumbent.items == previous.items:
            incumbent = replace(previous, dual=trainer.bound(previous.dual.alpha))
        else:
            incumbent = trainer.polish(incumbent)
        self.lower_bound = max(self.lower_bound, incumbent.dual.value)
        return incumbent

    def _filled_sets(self, relaxed: Relaxed, previous: TrainedSVM | None) -> list[TrainedSVM]:
        """Return sets filled by the selection, from nothing and from the previous set, sorted."""
        groups, budget = self.groups, self.trainer.budget
        density = per_price(relaxed.dual.gains, groups.prices)
        largest = density[np.isfinite(density)].max(initial=0.0)
        scores = relaxed.selection + 1e-9 * density / max(largest, 1e-300)
        sets = [groups.fill(scores, budget)]
        if previous is not None:
            sets.append(groups.fill(scores, budget, previous.items))
        trained: list[TrainedSVM] = []
        for items in dict.fromkeys(sets):
            cutoff = min(map(_objective, trained), default=np.inf)
            trained.append(self.trainer.compare(items, relaxed.iterate, relaxed.dual, cutoff))
        return sorted(trained, key=_objective)

    def _forward(self, price_power: float) -> TrainedSVM:
        """Grow a set by the groups of the largest gain per power of the price, a few at a time."""
        groups = self.groups
        items = tuple(sorted(groups.item_sets.free))
        start = zero_iterate(self.problem)
        dual: DualBound | None = None
        while True:
            trained = self.trainer.compare(items, start, dual)
            scores = per_price(trained.dual.gains, groups.prices**price_power)
            scores[groups.mask(items)] = 0.0
            larger = groups.fill(scores, self.trainer.budget, items, max(len(items) // 4, 1))
            if larger == items or is_time_over():
                return trained
            items, start, dual = larger, self.trainer.expand(trained), trained.dual

    def _exchange(self, incumbent: TrainedSVM) -> TrainedSVM:
        """Exchange groups while the objective falls: many at first, fewer after a failure."""
        size = max(int(SEARCH.first_part * self.groups.mask(incumbent.items).sum()), 1)
        first, skip = incumbent, 0
        for _ in range(self._max_exchanges(incumbent)):
            if self._is_good_enough(incumbent) or skip > SEARCH.patience or is_time_over():
                break
            other = self._try(self._exchanged(incumbent, size, skip), incumbent)
            if other is not None:
                incumbent, skip = other, 0
            elif size > 1:
                size = max(size // 3, 1)
            else:
                skip += 1
        self._failed = incumbent is first
        return incumbent

    def _exchanged(self, trained: TrainedSVM, size: int, skip: int) -> Items:
        """Return a set with `size` groups let in, by gain per price, after the first `skip`.

        Groups of the least gain per price are left out, as far as the budget demands it.
        """
        groups, budget, gains = self.groups, self.trainer.budget, trained.dual.gains
        density, inside = per_price(gains, groups.prices), groups.mask(trained.items)
        outside = np.flatnonzero(~inside & (gains > 0))
        entering = outside[np.argsort(-density[outside], kind="stable")][skip : skip + size]
        items = groups.item_sets.fill(groups.items[entering].tolist(), budget)
        items = groups.fill(np.where(inside, density, 0.0), budget, items)
        return groups.fill(density, budget, items)

    def _search(self, incumbent: TrainedSVM, start: Iterate) -> TrainedSVM:
        """Improve the incumbent by swaps and branch and bound, and raise the lower bound."""
        if not self.max_nodes:
            return incumbent
        incumbent = self._swap(incumbent)
        tree = BranchAndBound(
            self.problem, self.groups, self.trainer.budget, self.trainer.compare, self.max_nodes,
            self._max_work,
        )  # fmt: skip
        best = tree.search(incumbent, start)
        self.n_nodes += tree.n_nodes
        self.lower_bound = max(self.lower_bound, tree.lower_bound)
        return incumbent if best is incumbent else self._swap(best)

    def _swap(self, incumbent: TrainedSVM) -> TrainedSVM:
        """Swap one group for another, the most promising first, until no swap helps."""
        if self._is_good_enough(incumbent):
            return incumbent
        for items in islice(self._swaps(incumbent), SEARCH.max_swaps):
            if is_time_over():
                break
            other = self._try(items, incumbent)
            if other is not None:
                return self._swap(other)
        return incumbent

    def _swaps(self, trained: TrainedSVM) -> Iterator[Items]:
        """Yield sets with one group more and one less, and whatever else is then affordable."""
        groups, budget, gains = self.groups, self.trainer.budget, trained.dual.gains
        inside = groups.mask(trained.items)
        entering = np.flatnonzero(~inside & (gains > 0))
        leaving = np.flatnonzero(inside & (groups.prices > 0))
        differences = gains[entering][:, None] - gains[leaving][None]
        for place in np.argsort(-differences, axis=None, kind="stable"):
            i, j = divmod(int(place), len(leaving))
            rest = inside.copy()
            rest[leaving[j]] = False
            items = groups.item_sets.fill([int(groups.items[entering[i]])], budget)
            items = groups.fill(rest.astype(np.float64), budget, items)
            mask = groups.mask(items)
            if mask[entering[i]] and mask[rest].all():
                yield groups.fill(np.where(mask, 0.0, gains), budget, items)

    def _try(self, items: Items, incumbent: TrainedSVM) -> TrainedSVM | None:
        """Train on another set; return it if it improves on the incumbent."""
        cutoff = incumbent.objective * (1 - SEARCH.min_gain)
        start = self.trainer.expand(incumbent)
        other = self.trainer.compare(items, start, incumbent.dual, cutoff)
        return other if other.objective < cutoff else None

    def _default_nodes(self) -> int:
        """Return how many nodes are fast, 0 for large problems."""
        problem = self.problem
        cells = problem.n_outputs * float(np.prod(problem.X.shape))
        is_small = cells <= NODE_LIMITS.max_cells or problem.n_groups <= NODE_LIMITS.few_groups
        return NODE_LIMITS.max_nodes if is_small else 0

    def _max_exchanges(self, trained: TrainedSVM) -> int:
        if not self.trainer.is_large(trained):
            return SEARCH.max_exchanges
        if self._failed:
            return SEARCH.max_exchanges_after_failure
        return SEARCH.max_exchanges_large

    def _is_good_enough(self, trained: TrainedSVM) -> bool:
        """Return whether a set is proven to be close to the best."""
        distance = trained.objective - self.lower_bound
        return bool(distance <= SEARCH.good_enough * trained.objective)

    def _is_small(self, trained: TrainedSVM) -> bool:
        """Return whether a set is small and may be poor: the selection is then a weak guide."""
        is_small = not self.trainer.is_large(trained) and len(trained.items) <= SEARCH.small_set
        return is_small and not self._is_good_enough(trained)


def _objective(trained: TrainedSVM) -> float:
    return trained.objective
