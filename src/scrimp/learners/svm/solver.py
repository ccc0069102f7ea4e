"""What the solvers of the relaxation share: the duality gap, and the augmented Lagrangian.

Non-smooth losses are replaced by an augmented Lagrangian. With multipliers a and the smoothing
parameter mu, the scores of row i are shifted by -mu a_i / C_i and its loss is smoothed, so that
the smoothed loss agrees with the loss where the dual variable is a_i. Multiplier updates (the
proximal point method on the dual) converge for any mu, so that it need not become very small,
where the problem is ill conditioned.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np

from ...runtime.time_limit import is_time_over
from ...types import Floats, Ints
from .duality import DualBound, Iterate, Objective, dual_bound, objective
from .problem import SVMProblem


@dataclass(frozen=True)
class _Smoothing:
    """How non-smooth losses are smoothed."""

    #: The first smoothing parameter: a larger one is easier to minimise, and further from the loss.
    first: float = 0.5
    #: The smallest first parameter of a warm start: one that is too small would slow it down.
    warm: float = 0.03125
    #: Factor at each multiplier update: smaller needs fewer updates of harder problems.
    factor: float = 0.7
    #: The smallest parameter; below it scores would be rounded.
    smallest: float = 1e-9
    #: Multipliers are updated once the gap of the smoothed problem is this part of the whole gap:
    #: a larger part updates earlier, with multipliers that are less exact.
    gap_part: float = 0.25


@dataclass(frozen=True)
class _Stagnation:
    """When nothing but rounding is left of the gap."""

    #: Relative gaps up to this may be rounding.
    gap: float = 1e-12
    #: Steps that must then halve the gap.
    n_steps: int = 30


SMOOTHING, _STAGNATION = _Smoothing(), _Stagnation()


@dataclass(frozen=True, eq=False)
class Solution:
    """The best iterate of a solver, with its certificate.

    Parameters
    ----------
    iterate : Iterate
        Coefficients and intercepts.
    dual : DualBound
        The largest lower bound.
    objective : float
        The objective at the iterate.
    n_steps : int
        Steps of the solver.
    history : list of (float, float)
        The least objective and the largest lower bound at each evaluation.
    work : float
        Approximate number of table values that were read.
    """

    iterate: Iterate
    dual: DualBound
    objective: float
    n_steps: int
    history: list[tuple[float, float]]
    work: float

    @property
    def lower_bound(self) -> float:
        """No solution has an objective below this."""
        return self.dual.value

    @property
    def gap(self) -> float:
        """The duality gap relative to the objective."""
        return (self.objective - self.lower_bound) / max(abs(self.objective), 1e-300)


class Solver(ABC):
    """An iterative method for the relaxation.

    Parameters
    ----------
    problem : SVMProblem
        The problem without its budget.
    prices : float array (groups,)
        Prices of its groups; all 0 for plain training.
    budget : float
        For the fractional selection.
    start : Iterate
        The warm start.
    groups : int array, optional
        The groups that may have coefficients; by default all.
    """

    def __init__(
        self, problem: SVMProblem, prices: Floats, budget: float, start: Iterate,
        groups: Ints | None = None,
    ) -> None:  # fmt: skip
        self.problem, self.prices, self.budget = problem, prices, budget
        self.groups = problem.groups if groups is None else groups
        self.w, self.smoothing = start.w, start.smoothing
        zeros = np.zeros_like(problem.targets)
        self.multipliers = zeros if start.multipliers is None else start.multipliers
        self.offsets = self._offsets()
        self.z = problem.scores(self.w, self.groups) + self.offsets
        self.b = problem.best_intercepts(self.z, start.b, self.smoothing)
        self.n_steps, self.work = 0, 0.0
        self.best_objective, self.best = np.inf, start
        self.dual: DualBound | None = None
        self.history: list[tuple[float, float]] = []
        self._current: Objective | None = None

    @abstractmethod
    def step(self, tol: float) -> bool:
        """Take one step or several towards a gap; return False if there is no descent."""

    @abstractmethod
    def restart(self) -> None:
        """Forget what was learnt about a function that has now changed."""

    def iterate(self) -> Iterate:
        """Return the current iterate."""
        return Iterate(self.w, self.b, self.smoothing, self.multipliers)

    @property
    def lower_bound(self) -> float:
        """The largest lower bound so far."""
        return -np.inf if self.dual is None else self.dual.value

    @property
    def gap(self) -> float:
        """The relative gap between the least objective and the largest lower bound so far."""
        difference = self.best_objective - self.lower_bound
        return difference / max(abs(self.best_objective), 1e-300)

    def solve(
        self, tol: float, max_steps: int, cutoff: float = np.inf, min_steps: int = 0
    ) -> Solution:
        """Take steps until the gap is at most `tol`, or the lower bound reaches the cutoff."""
        self.evaluate()
        while self.gap > tol or self.n_steps < min_steps:
            if self.n_steps >= max_steps or self.lower_bound >= cutoff or is_time_over():
                break
            if self.n_steps >= min_steps and self._is_rounding():
                break
            moved = self.step(tol)
            self.evaluate()
            if not moved and not self.update_multipliers():
                break
        assert self.dual is not None
        return Solution(
            self.best, self.dual, self.best_objective, self.n_steps, self.history, self.work
        )

    def _is_rounding(self) -> bool:
        """Return whether the gap is so small, and falls so slowly, that it is due to rounding."""
        if self.gap > _STAGNATION.gap or len(self.history) <= _STAGNATION.n_steps:
            return False
        objective, bound = self.history[-1 - _STAGNATION.n_steps]
        return bool(self.best_objective - self.lower_bound > (objective - bound) / 2.0)

    def evaluate(self) -> DualBound:
        """Evaluate objective and lower bound, keep the best, and update multipliers when due."""
        problem, current = self.problem, self.current_objective()
        exact = current.exact
        if problem.is_nonsmooth:
            losses = problem.losses(self.z - self.offsets, self.b, self.smoothing)
            exact = current.penalty + losses.exact
        alpha = current.losses.alpha
        latest = dual_bound(problem, self.prices, self.budget, alpha, self.groups)
        if self.dual is None or latest.value > self.dual.value:
            self.dual = latest
        if exact < self.best_objective:
            self.best_objective, self.best = exact, self.iterate()
        self.history.append((self.best_objective, self.dual.value))
        if problem.is_nonsmooth and self._is_smoothing_error(current.smoothed, latest):
            self.update_multipliers()
        return latest

    def current_objective(self) -> Objective:
        """Return the smoothed objective at the current iterate, computed once."""
        if self._current is None:
            self._current = self.objective_at(self.w, self.z, self.b)
        return self._current

    def objective_at(self, w: Floats, z: Floats, b: Floats) -> Objective:
        """Return the smoothed objective at coefficients w and scores z + b."""
        norms = self.norms(w)
        return objective(self.problem, self.prices, self.budget, norms, z, b, self.smoothing)

    def norms(self, w: Floats) -> Floats:
        """Return the norm of the coefficients of each group."""
        return np.sqrt(self.problem.squared_norms(w, self.groups))

    def move_to(self, w: Floats, z: Floats, b: Floats, value: Objective | None = None) -> None:
        """Make another point the current iterate; its objective may be known."""
        self.w, self.z, self.b, self._current = w, z, b, value

    def update_multipliers(self) -> bool:
        """Set the multipliers to the dual variables and smooth less; False at the smallest mu."""
        if not self.problem.is_nonsmooth or self.smoothing <= SMOOTHING.smallest:
            return False
        z = self.z - self.offsets
        self.multipliers = self.current_objective().losses.alpha
        self.smoothing = max(self.smoothing * SMOOTHING.factor, SMOOTHING.smallest)
        self.offsets = self._offsets()
        z = z + self.offsets
        self.move_to(self.w, z, self.problem.best_intercepts(z, self.b, self.smoothing))
        self.restart()
        return True

    def _offsets(self) -> Floats:
        """Return the shift of the scores that smooths around the multipliers."""
        weights = np.maximum(self.problem.weights, 1e-300)
        return np.asarray(-self.smoothing * self.multipliers / weights)

    def _is_smoothing_error(self, smoothed: float, latest: DualBound) -> bool:
        """Return whether most of the gap is due to the smoothing rather than to the steps."""
        weights = np.maximum(self.problem.weights, 1e-300)
        smoothed -= self.smoothing / 2 * float((self.multipliers**2 / weights).sum())
        distance = float(((latest.alpha - self.multipliers) ** 2 / weights).sum())
        smoothed_bound = latest.value - self.smoothing / 2 * distance
        smoothed_gap = (smoothed - smoothed_bound) / max(abs(smoothed), 1e-300)
        return smoothed_gap <= SMOOTHING.gap_part * self.gap
