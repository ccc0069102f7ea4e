"""Ways down to the relaxation's least value, with a bound from below at each look."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..kernels.gradient import gradient_steps
from ..kernels.knapsacks import knapsack, spread
from ..plan import Floats
from .groups import per_price
from .machine import Machine

#: The width over which a kink is rounded off: at first, and how it falls.
FIRST_WIDTH, _NARROWER, _LEAST_WIDTH = 0.5, 0.25, 1e-9
#: Gradient steps between two looks at the gap: few at first, as a good start may be near the end,
#: and few where the gap is so many times what is asked for, at most, and steps take long.
_FIRST_STEPS, _STEPS, _LAST_STEPS, _NEAR, _MANY_CELLS = 2, 10, 3, 4.0, 1_000_000
#: Groups take part that are worth this part of the least that is bought, per price. If they have
#: more than this part of the columns, all do.
_NEARLY, _MOST = 0.3, 0.6


@dataclass(frozen=True, eq=False)
class Point:
    """Where a way down is or was.

    Parameters
    ----------
    w, b : float arrays (outputs, columns), (outputs,)
        Coefficients and intercepts.
    width : float
        Over which kinks are rounded off.
    curvature : float
        About how much the loss bends there along a gradient step.
    """

    w: Floats
    b: Floats
    width: float
    curvature: float = 1.0

    def at(self, columns: Any) -> Point:
        """The same for some of the columns."""
        return replace(self, w=np.ascontiguousarray(self.w[:, columns]))

    def among(self, columns: Any, n_columns: int) -> Point:
        """The same for more columns, of which it has some."""
        w = np.zeros((len(self.w), n_columns))
        w[:, columns] = self.w
        return replace(self, w=w)


@dataclass(frozen=True, eq=False)
class Bound:
    """Slopes of rows, and what they prove.

    Parameters
    ----------
    alpha : float array (outputs, rows)
        Slopes, that add up to 0.
    values : float array (groups,)
        What a share of each group is worth by them, twice.
    shares : float array (groups,)
        What the budget would buy by these values.
    least : float
        No solution within the budget is below it.
    """

    alpha: Floats
    values: Floats
    shares: Floats
    least: float


def bound_of(
    machine: Machine, prices: Floats, budget: float, alpha: Floats,
    payable: NDArray[np.bool_] | None = None,
) -> Bound:  # fmt: skip
    """What slopes prove: no solution within the budget, of groups that are payable, is below it."""
    alpha = balanced(alpha)
    values = machine.norms(machine.pulls(alpha)) ** 2
    if payable is not None:
        values[~payable] = 0.0
    shares = np.empty(len(values))
    most = knapsack(values, prices, budget, shares)
    return Bound(alpha, values, shares, machine.dual(alpha) - most / 2)


def balanced(alpha: Floats) -> Floats:
    """Slopes that add up to 0: the best intercept leaves a rest where it is rounded.

    The heavier side is made lighter, so that no slope leaves its range.
    """
    sides = np.stack([np.maximum(alpha, 0.0), np.minimum(alpha, 0.0)])
    sums = np.abs(sides.sum(axis=2, keepdims=True))
    parts = sums.min(axis=0) / np.maximum(sums, 1e-300)
    return np.asarray((sides * parts).sum(axis=0))


class Descent(ABC):
    """A point on its way down.

    Parameters
    ----------
    machine : Machine
        What is minimised.
    prices : float array (groups,)
        Of its groups.
    budget : float
        For the shares of groups.
    start : Point
        Where to begin.
    """

    def __init__(self, machine: Machine, prices: Floats, budget: float, start: Point) -> None:
        self.machine, self.prices, self.budget = machine, prices, budget
        self.w, self.width = start.w, start.width
        self.z = machine.sums(self.w)
        self.b = machine.intercepts(self.z, start.b, self.width)
        self.steps, self.is_near = 0, False
        self.objective, self.best = np.inf, start
        self.bound: Bound | None = None
        self.history: list[tuple[float, float]] = []

    @abstractmethod
    def step(self) -> bool:
        """Go on, by one step or several; False if there is no way down."""

    @abstractmethod
    def start_anew(self) -> None:
        """The function has changed a little."""

    def point(self) -> Point:
        """Where it is."""
        return Point(self.w, self.b, self.width)

    @property
    def gap(self) -> float:
        """Between the best objective and the best bound, as a part of the objective."""
        least = -np.inf if self.bound is None else self.bound.least
        return (self.objective - least) / max(abs(self.objective), 1e-300)

    def run(self, tol: float, most_steps: int) -> None:
        """Until the gap is small, or so many steps."""
        self.look()
        while self.gap > tol and self.steps < most_steps:
            self.is_near = self.gap <= _NEAR * tol and self.machine.n_cells > _MANY_CELLS
            moved = self.step()
            self.look()
            if not moved and not self.narrow():
                break

    def norm(self, w: Floats) -> float:
        """The squared norm under the budget."""
        shares = np.empty(self.machine.n_groups)
        return float(spread(self.machine.norms(w), self.prices, self.budget, shares))

    def look(self) -> Bound:
        """Take down the best objective and the best bound; round kinks off less if it is time."""
        machine = self.machine
        smooth, exact, alpha = machine.losses(self.z, self.b, self.width)
        norm = self.norm(self.w) / 2
        bound = bound_of(machine, self.prices, self.budget, alpha)
        if self.bound is None or bound.least > self.bound.least:
            self.bound = bound
        if norm + exact < self.objective:
            self.objective, self.best = norm + exact, self.point()
        self.history.append((self.objective, self.bound.least))
        if self._is_rounded_off_too_much(norm + smooth, bound):
            self.narrow()
        return bound

    def narrow(self) -> bool:
        """Round kinks off less; False if there are none, or hardly any."""
        if not self.machine.is_kinked or self.width <= _LEAST_WIDTH:
            return False
        self.width = max(self.width * _NARROWER, _LEAST_WIDTH)
        self.b = self.machine.intercepts(self.z, self.b, self.width)
        self.start_anew()
        return True

    def _is_rounded_off_too_much(self, smooth: float, bound: Bound) -> bool:
        """Whether what is left of the gap is due to the width rather than to the steps."""
        if not self.machine.is_kinked:
            return False
        weights = np.maximum(self.machine.weights, 1e-300)
        rounded_bound = bound.least - self.width / 2 * float((bound.alpha**2 / weights).sum())
        own_gap = (smooth - rounded_bound) / max(abs(smooth), 1e-300)
        return own_gap <= self.gap / 2


class GradientDescent(Descent):
    """Accelerated proximal gradient steps, as long as the loss allows: for many columns.

    Between two looks only groups take part that are in use or look nearly worth their price.
    """

    def __init__(self, machine: Machine, prices: Floats, budget: float, start: Point) -> None:
        self._groups = np.ones(machine.n_groups, dtype=bool)
        self._columns: Any = slice(None)
        self._part = machine
        self._numbers = np.array([1.0, start.curvature, 1.0])
        super().__init__(machine, prices, budget, start)
        self.start_anew()

    def start_anew(self) -> None:
        """Without momentum."""
        self._numbers[0] = 1.0
        self._ahead = self.w[:, self._columns].copy(), self.z.copy(), self.b.copy()

    def point(self) -> Point:
        """Where it is, with the length of steps there."""
        return replace(super().point(), curvature=float(self._numbers[1]))

    def step(self) -> bool:
        """Several steps, each from a point ahead."""
        part, machine = self._part, self.machine
        w = self.w[:, self._columns].copy()
        self.z, self.b = self.z.copy(), self.b.copy()
        n_steps = min(_FIRST_STEPS + self.steps // 3, _LAST_STEPS if self.is_near else _STEPS)
        dense, values, rows, starts = part.cells
        ahead, ahead_z, ahead_b = self._ahead
        gradient_steps(
            dense, values, rows, starts, part.loss, part.targets, part.weights, part.epsilon,
            self.width, part.group_of, self.prices[self._groups], machine.scales[self._groups],
            self.budget, w, self.z, self.b, ahead, ahead_z, ahead_b, self._numbers, n_steps,
        )  # fmt: skip
        self.w = w if part is machine else self._whole(w)
        self.steps += n_steps
        return True

    def look(self) -> Bound:
        """See also which groups are to take part."""
        latest = super().look()
        wanted = self._promising(latest)
        enough = not (wanted & ~self._groups).any()
        if not enough or 2 * wanted.sum() < self._groups.sum():
            self._take_part(wanted)
        return latest

    def _promising(self, latest: Bound) -> NDArray[np.bool_]:
        """Groups in use, and those whose worth per price is near that of what is bought."""
        machine, values = self.machine, latest.values
        worth = per_price(values, self.prices)
        least = worth[(latest.shares > 0) & (values > 0)].min(initial=np.inf)
        wanted = worth >= _NEARLY * least
        own = self._part.norms(self.w[:, self._columns]) + self._part.norms(self._ahead[0])
        wanted[self._groups] |= own > 0
        most = machine.sizes[wanted].sum() > _MOST * len(machine.group_of)
        return np.ones_like(wanted) if most else wanted

    def _whole(self, w: Floats) -> Floats:
        """Coefficients of all columns."""
        full = self.machine.zeros()
        full[:, self._columns] = w
        return full

    def _take_part(self, groups: NDArray[np.bool_]) -> None:
        """From now on these; momentum is kept."""
        ahead = self._whole(self._ahead[0])
        self._groups = groups
        if groups.all():
            self._columns, self._part = slice(None), self.machine
        else:
            self._columns, self._part = self.machine.of_groups(groups)
        self._ahead = ahead[:, self._columns].copy(), *self._ahead[1:]
