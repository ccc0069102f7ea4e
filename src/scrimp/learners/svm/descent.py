"""Ways down to the relaxation's least value, with a bound from below at each look."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace

import numpy as np

from ...kernels.knapsacks import knapsack, spread
from ...types import Floats, Ints
from .machine import Machine

#: The width over which a kink is rounded off: at first, and how it falls. It does when the point is
#: so near the least of the rounded function: this part of the gap that is left.
FIRST_WIDTH, _NARROWER, _LEAST_WIDTH, _NEAR = 0.5, 0.7, 1e-9, 0.25


@dataclass(frozen=True, eq=False)
class Point:
    """Where a way down is or was.

    Parameters
    ----------
    w, b : float arrays (outputs, columns), (outputs,)
        Coefficients and intercepts.
    width, slopes : float, float array (outputs, rows) or None
        Over which kinks are rounded off, and around which slopes: at these the rounded loss touches
        the loss itself. None are 0, so that it does where nothing is lost.
    curvature : float
        About how much the loss bends there along a gradient step.
    """

    w: Floats
    b: Floats
    width: float
    slopes: Floats | None = None
    curvature: float = 1.0

    def at(self, columns: Ints) -> Point:
        """The same for some of the columns."""
        return replace(self, w=np.ascontiguousarray(self.w[:, columns]))

    def among(self, columns: Ints, n_columns: int) -> Point:
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

    def among(self, groups: Ints, n_groups: int) -> Bound:
        """The same for more groups, of which it has some."""
        values, shares = np.zeros(n_groups), np.zeros(n_groups)
        values[groups], shares[groups] = self.values, self.shares
        return replace(self, values=values, shares=shares)


def bound_of(
    machine: Machine, prices: Floats, budget: float, alpha: Floats, groups: Ints | None = None
) -> Bound:
    """What slopes prove: no solution within the budget, of some groups only, is below it."""
    alpha = balanced(alpha)
    values = machine.worth(alpha, groups)
    shares = np.empty(len(values))
    most = knapsack(values, prices, budget, shares)
    gain, loss = machine.dual(alpha)
    scale = gain / max(2.0 * loss + most, 1e-300)  # of all multiples the one that proves most
    scale = min(max(scale, 0.0), 1.0 if machine.is_kinked else np.inf)
    least = scale * gain - scale**2 * (loss + most / 2)
    least = least if np.isfinite(least) else -np.inf
    return Bound(scale * alpha, scale**2 * values, shares, least)


def norm_of(
    machine: Machine, prices: Floats, budget: float, w: Floats, groups: Ints | None = None
) -> float:
    """The squared norm of coefficients of some groups under the budget."""
    norms = np.sqrt(machine.squares(w, groups))
    return float(spread(norms, prices, budget, np.empty(len(norms))))


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
    groups : int array, optional
        Those that take part; by default all. Other coefficients are 0.
    """

    def __init__(
        self, machine: Machine, prices: Floats, budget: float, start: Point,
        groups: Ints | None = None,
    ) -> None:  # fmt: skip
        self.machine, self.prices, self.budget = machine, prices, budget
        self.groups = machine.groups if groups is None else groups
        self.w, self.width = start.w, start.width
        none = np.zeros_like(machine.targets)
        self.slopes = none if start.slopes is None else start.slopes
        self.offsets = self._offsets()
        self.z = machine.sums(self.w, self.groups) + self.offsets
        self.b = machine.intercepts(self.z, start.b, self.width)
        self.steps, self.work = 0, 0.0
        self.objective, self.best = np.inf, start
        self.bound: Bound | None = None
        self.history: list[tuple[float, float]] = []

    @abstractmethod
    def step(self, tol: float) -> bool:
        """Go on, by one step or several, towards a gap; False if there is no way down."""

    @abstractmethod
    def start_anew(self) -> None:
        """The function has changed a little."""

    def point(self) -> Point:
        """Where it is."""
        return Point(self.w, self.b, self.width, self.slopes)

    @property
    def gap(self) -> float:
        """Between the best objective and the best bound, as a part of the objective."""
        least = -np.inf if self.bound is None else self.bound.least
        return (self.objective - least) / max(abs(self.objective), 1e-300)

    def run(
        self, tol: float, most_steps: int, useless: float = np.inf, least_steps: int = 0
    ) -> None:
        """Until the gap is small, or so many steps, or it is proven to be worse than is of use."""
        least = self.look().least
        while self.gap > tol or self.steps < least_steps:
            if self.steps >= most_steps or least >= useless:
                break
            moved = self.step(tol)
            least = max(least, self.look().least)
            if not moved and not self.narrow():
                break

    def norm(self, w: Floats) -> float:
        """The squared norm under the budget."""
        return norm_of(self.machine, self.prices, self.budget, w, self.groups)

    def look(self) -> Bound:
        """Take down the best objective and the best bound; round kinks off less if it is time."""
        machine = self.machine
        smooth, exact, alpha = machine.losses(self.z, self.b, self.width)
        if machine.is_kinked:
            exact = machine.losses(self.z - self.offsets, self.b, self.width)[1]
        norm = self.norm(self.w) / 2
        bound = bound_of(machine, self.prices, self.budget, alpha, self.groups)
        if self.bound is None or bound.least > self.bound.least:
            self.bound = bound
        if norm + exact < self.objective:
            self.objective, self.best = norm + exact, self.point()
        self.history.append((self.objective, self.bound.least))
        if self._is_rounded_off_too_much(norm + smooth, bound):
            self.narrow()
        return bound

    def narrow(self) -> bool:
        """Round kinks off less, and around the slopes of now; False if there are hardly any.

        These are the multipliers of an augmented Lagrangian: as they come near their own, a kink
        that is rounded off over any width has the same solution.
        """
        if not self.machine.is_kinked or self.width <= _LEAST_WIDTH:
            return False
        sums = self.z - self.offsets
        self.slopes = self.machine.losses(self.z, self.b, self.width)[2]
        self.width = max(self.width * _NARROWER, _LEAST_WIDTH)
        self.offsets = self._offsets()
        self.z = sums + self.offsets
        self.b = self.machine.intercepts(self.z, self.b, self.width)
        self.start_anew()
        return True

    def _offsets(self) -> Floats:
        """What is added to sums: it rounds kinks off around the slopes rather than around 0."""
        return np.asarray(-self.width * self.slopes / np.maximum(self.machine.weights, 1e-300))

    def _is_rounded_off_too_much(self, smooth: float, bound: Bound) -> bool:
        """Whether what is left of the gap is due to the width rather than to the steps."""
        if not self.machine.is_kinked:
            return False
        weights = np.maximum(self.machine.weights, 1e-300)
        smooth -= self.width / 2 * float((self.slopes**2 / weights).sum())
        moved = float(((bound.alpha - self.slopes) ** 2 / weights).sum())
        rounded_bound = bound.least - self.width / 2 * moved
        own_gap = (smooth - rounded_bound) / max(abs(smooth), 1e-300)
        return own_gap <= _NEAR * self.gap
