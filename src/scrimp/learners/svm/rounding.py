"""From shares to sets: what is bought is paid for in full, and the machine is trained on it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice

import numpy as np

from ...costs.item_sets import Items
from ...costs.ledger import limit
from ...types import Floats
from .branching import Branching
from .descent import FIRST_WIDTH, Bound, Point, bound_of
from .groups import Groups, per_price
from .kinks import sharpened
from .machine import Machine
from .minimum import FREE_COLUMNS, minimise_on
from .relaxation import Relaxed
from .trained import Trained

#: Exchanges that are tried, at most; and where sets have more than so many cells, at first and
#: after a budget where all were in vain.
_TRIED, _MANY_CELLS, _TRIED_OF_MANY, _TRIED_AGAIN = 12, 2_000_000, 4, 1
#: The part of a set that is exchanged at first, the part of the objective that must be gained, and
#: the part that it may be above what is proven to be good enough; and single groups tried in vain.
_EXCHANGED, _GAIN, _CLOSE, _PATIENCE = 0.1, 1e-4, 2e-3, 4
#: Sets of so many items are also built from nothing, by worth per price to these powers.
_SMALL, _POWERS = 100, (1.0, 0.0)
#: Nodes of branch and bound for a budget, unless it is told how many: at most, and cells that they
#: go through; in tables of so many cells, or with so many groups, at most. Swaps that are tried.
_MOST_NODES, _MOST_WORK, _SEARCHED_CELLS, _FEW_GROUPS, _SWAPS = 500, 2.5e8, 500_000, 16, 200
#: How exactly machines are trained: while sets are compared, and in the end; with kinks, and many
#: cells.
_ROUGH, _FINE, _ROUGH_KINKED, _FINE_KINKED = 1e-3, 1e-5, 5e-3, 1e-3
_FINE_OF_MANY = 1e-4
#: In the end, where there are few columns, to rounding; with kinks only of so many cells.
_EXACT, _FEW_CELLS = 1e-14, 100_000


class Rounding:
    """Finds sets within one budget after the other.

    Parameters
    ----------
    machine : Machine
        Of all columns.
    groups : Groups
        Items and prices.
    max_iter : int
        Steps of a training, at most.
    max_nodes : int or None
        Nodes of branch and bound for a budget, at most; by default as many as are quick.

    Attributes
    ----------
    least : float
        What no set within the last budget can be below.
    trainings, nodes : int
        How many there were.
    """

    def __init__(
        self, machine: Machine, groups: Groups, max_iter: int, max_nodes: int | None = None
    ) -> None:
        self.machine, self.groups, self.max_iter = machine, groups, max_iter
        self.max_nodes = self._quick_nodes() if max_nodes is None else max_nodes
        self._max_work = _MOST_WORK if max_nodes is None else np.inf
        if groups.uniform:  # prices are to play no part
            self.max_nodes = 0
        self._rough = _ROUGH_KINKED if machine.is_kinked else _ROUGH
        self.trainings = self.nodes = 0
        self.least, self._budget = -np.inf, np.inf
        self._known: dict[Items, Trained] = {}
        self._in_vain = False

    def best(self, relaxed: Relaxed, budget: float, before: Trained | None = None) -> Trained:
        """The best set found, no worse than one for a smaller budget.

        First comes what the budget buys in the order of shares, and for small sets what is bought
        step by step; then exchanges of groups, as the slopes of the best set would have them,
        and branch and bound, unless it is proven to be good already.
        """
        self._budget = budget
        self._known.clear()
        groups, alpha = self.groups, relaxed.proof.alpha
        self.least = max(self._proof(alpha).least, 0.0)  # losses and norms are never below
        worth = per_price(relaxed.proof.values, groups.prices)
        finite = worth[np.isfinite(worth)].max(initial=0.0)
        by_share = relaxed.shares + 1e-9 * worth / max(finite, 1e-300)
        first = [groups.filled(by_share, budget)]
        if before is not None:
            first.append(groups.filled(by_share, budget, before.items))
        starts = self._first(first, relaxed)
        if self._is_small(starts[0]):
            starts += map(self._forward, _POWERS)
        else:
            starts = starts[:1]
        best = self._searched(min(map(self._improved, starts), key=_objective), relaxed.point)
        if before is not None and best.items == before.items:
            best = replace(before, proof=self._proof(before.proof.alpha))
        else:
            best = self.polished(best)
        self.least = max(self.least, best.proof.least)
        return best

    def _first(self, sets: list[Items], relaxed: Relaxed) -> list[Trained]:
        """Some sets, the best first; others need not be trained to their end."""
        found: list[Trained] = []
        for items in dict.fromkeys(sets):
            useless = min((own.objective for own in found), default=np.inf)
            found.append(self._trained(items, relaxed.point, relaxed.proof, useless))
        return sorted(found, key=_objective)

    def _searched(self, best: Trained, start: Point) -> Trained:
        """The best of sets that swaps, and branch and bound, come to; and what is proven."""
        if not self.max_nodes:
            return best
        best = self._swapped(best)
        search = Branching(
            self.machine, self.groups, self._budget, self._trained, self.max_nodes, self._max_work
        )
        found = search.improved(best, start)
        self.nodes += search.nodes
        self.least = max(self.least, search.least)
        return best if found is best else self._swapped(found)

    def _swapped(self, best: Trained) -> Trained:
        """Swap one group for another, the most promising first, until none helps."""
        if self._is_close(best):
            return best
        for items in islice(self._swaps(best), _SWAPS):
            enough = best.objective * (1 - _GAIN)
            other = self._trained(items, self._whole(best), best.proof, enough)
            if other.objective < enough:
                return self._swapped(other)
        return best

    def _swaps(self, best: Trained) -> Iterator[Items]:
        """Sets with one group more and one less, and what can be paid beside."""
        groups, values = self.groups, best.proof.values
        inside = groups.bought(best.items)
        outsiders = np.flatnonzero(~inside & (values > 0))
        insiders = np.flatnonzero(inside & (groups.prices > 0))
        gains = values[outsiders][:, None] - values[insiders][None]
        for place in np.argsort(-gains, axis=None, kind="stable"):
            into, out = divmod(int(place), len(insiders))
            rest = inside.copy()
            rest[insiders[out]] = False
            forced = groups.baskets.fill([int(groups.items[outsiders[into]])], self._budget)
            kept = groups.filled(rest.astype(np.float64), self._budget, forced)
            bought = groups.bought(kept)
            if bought[outsiders[into]] and bought[rest].all():
                yield groups.filled(np.where(bought, 0.0, values), self._budget, kept)

    def _quick_nodes(self) -> int:
        """How many nodes take no more than half a second or so, if they are quick at all."""
        machine = self.machine
        cells = machine.n_outputs * float(np.prod(machine.X.shape))
        small = cells <= _SEARCHED_CELLS or machine.n_groups <= _FEW_GROUPS
        return _MOST_NODES if small else 0

    def _is_close(self, trained: Trained) -> bool:
        """Whether a set is proven to be good enough."""
        return bool(trained.objective - self.least <= _CLOSE * trained.objective)

    def _is_small(self, trained: Trained) -> bool:
        """Whether a set is small, and not proven to be good: shares then tell little."""
        small = self._is_quick(trained) and len(trained.items) <= _SMALL
        return small and not self._is_close(trained)

    def _forward(self, power: float) -> Trained:
        """Buy what is worth most by the slopes of what is there, one group or some at a time.

        Worth is counted per price to a power: 0 buys what is good first, whatever it costs.
        """
        groups, budget = self.groups, self._budget
        items = tuple(sorted(groups.baskets.free))
        start = Point(self.machine.zeros(), np.zeros(self.machine.n_outputs), FIRST_WIDTH)
        proof: Bound | None = None
        while True:
            trained = self._trained(items, start, proof)
            worth = per_price(trained.proof.values, groups.prices**power)
            worth[groups.bought(items)] = 0.0
            wider = groups.filled(worth, budget, items, max(len(items) // 4, 1))
            if wider == items:
                return trained
            items, start, proof = wider, self._whole(trained), trained.proof

    def _improved(self, best: Trained) -> Trained:
        """Exchange many groups at first, fewer where that was no good; in the end others."""
        many, after = max(int(_EXCHANGED * self.groups.bought(best.items).sum()), 1), 0
        first = best
        for _ in range(self._tries(best)):
            if self._is_close(best) or after > _PATIENCE:
                break
            enough = best.objective * (1 - _GAIN)
            items = self._exchanged(best, many, after)
            other = self._trained(items, self._whole(best), best.proof, enough)
            if other.objective < enough:
                best, after = other, 0
            elif many > 1:
                many = max(many // 3, 1)
            else:
                after += 1
        self._in_vain = best is first
        return best

    def _is_quick(self, trained: Trained) -> bool:
        """Whether machines on such sets are trained quickly."""
        part = len(trained.columns) / max(self.machine.X.shape[1], 1)
        return bool(part * self.machine.n_cells <= _MANY_CELLS)

    def _tries(self, trained: Trained) -> int:
        """Exchanges to try."""
        if self._is_quick(trained):
            return _TRIED
        return _TRIED_AGAIN if self._in_vain else _TRIED_OF_MANY

    def _exchanged(self, trained: Trained, many: int, after: int) -> Items:
        """Let in outsiders that are worth most by the slopes, for insiders that are worth least.

        Those that are worth even more were let in `after` times before.
        """
        groups, values = self.groups, trained.proof.values
        worth = per_price(values, groups.prices)
        inside = groups.bought(trained.items)
        outside = np.flatnonzero(~inside & (values > 0))
        first = outside[np.argsort(-worth[outside], kind="stable")][after : after + many]
        forced = groups.baskets.fill(groups.items[first].tolist(), self._budget)
        kept = groups.filled(np.where(inside, worth, 0.0), self._budget, forced)
        return groups.filled(worth, self._budget, kept)

    def _whole(self, trained: Trained) -> Point:
        """Coefficients of all columns."""
        return trained.point.among(trained.columns, self.machine.X.shape[1])

    def _trained(
        self, items: Items, start: Point, proof: Bound | None, useless: float = np.inf
    ) -> Trained:
        """The machine on a set, or what is known of it."""
        if items not in self._known:
            self._known[items] = self.train(items, start, self._rough, proof, useless)
        return self._known[items]

    def train(
        self, items: Items, start: Point, tol: float, proof: Bound | None = None,
        useless: float = np.inf,
    ) -> Trained:  # fmt: skip
        """The machine on a set, whose groups are free now.

        Parameters
        ----------
        proof : Bound, optional
            Slopes of another set.
        useless : float
            It is not trained to its end if it is proven to be above.
        """
        groups = np.flatnonzero(self.groups.bought(items))
        width = max(start.width, FIRST_WIDTH / 16) if self.machine.is_kinked else 0.0
        start = replace(start, width=width)
        columns, found = minimise_on(
            self.machine, groups, start, tol, self.max_iter, proof, useless
        )
        self.trainings += 1
        proof = self._proof(found.proof.alpha)
        return Trained(items, columns, found.point, found.objective, proof, found.gap)

    def _proof(self, alpha: Floats) -> Bound:
        """What slopes prove of all sets within the budget."""
        groups, budget = self.groups, self._budget
        payable = np.flatnonzero(groups.payable(budget))
        return bound_of(self.machine, groups.least_prices, limit(budget), alpha, payable)

    def polished(self, trained: Trained) -> Trained:
        """The same set, trained more exactly."""
        n, d = self.machine.X.shape[0], len(trained.columns)
        fine = _FINE_KINKED if self.machine.is_kinked else _FINE
        if not self._is_quick(trained):
            fine = max(fine, _FINE_OF_MANY)
        if d <= FREE_COLUMNS and (n * d <= _FEW_CELLS or not self.machine.is_kinked):
            fine = _EXACT
        found = self.train(trained.items, self._whole(trained), fine)
        if self.machine.is_kinked and fine == _EXACT:
            part = self.machine.of_groups(np.flatnonzero(self.groups.bought(found.items)))
            found = replace(found, point=sharpened(part, found.point))
        return found


def _objective(trained: Trained) -> float:
    return trained.objective
