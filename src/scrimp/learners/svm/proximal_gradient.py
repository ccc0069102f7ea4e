"""Accelerated proximal gradient method (FISTA) on an active set of groups: for many columns.

Each step costs two products with the active columns. Backtracking adapts the step size, and
momentum is restarted where a step turns back (O'Donoghue and Candes 2015).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ...kernels.proximal_gradient import proximal_gradient_steps
from ...types import Floats, Ints
from .duality import DualBound, Iterate
from .groups import per_price
from .problem import SVMProblem
from .solver import Solver


@dataclass(frozen=True)
class _Schedule:
    """How many steps are taken between two evaluations of the gap, which cost about one step."""

    #: At first, as a warm start may already be good enough.
    first: int = 2
    #: Later, at most, unless many steps were taken before.
    usual: int = 10
    #: After many steps, this part of them.
    part: int = 20
    #: Close to the tolerance, where steps are expensive.
    last: int = 3
    #: The gap counts as close up to this multiple of the tolerance.
    close: float = 4.0
    #: Steps count as expensive above this many stored values.
    expensive: int = 1_000_000


@dataclass(frozen=True)
class _ActiveSet:
    """Which groups take part in steps."""

    #: Groups whose gain per price is at least this part of the least that the knapsack selects:
    #: smaller reads more columns per step, larger changes the active set more often.
    gain_part: float = 0.3
    #: All groups take part if the active ones have more than this part of the columns.
    max_columns: float = 0.6


_SCHEDULE, _ACTIVE_SET = _Schedule(), _ActiveSet()
#: Momentum at the start, as after a step or two: a warm start is continued in its direction.
_FIRST_MOMENTUM = 2.0


class ProximalGradient(Solver):
    """Accelerated proximal gradient steps on the groups that are, or may become, non-zero."""

    def __init__(
        self, problem: SVMProblem, prices: Floats, budget: float, start: Iterate,
        groups: Ints | None = None,
    ) -> None:  # fmt: skip
        super().__init__(problem, prices, budget, start, groups)
        self._active = self.groups
        self._state = np.array([1.0, start.curvature, 1.0])  # momentum, curvature, selection scale
        self._gradients, self._new = problem.zeros(), problem.zeros()
        self.restart()
        self._state[0] = _FIRST_MOMENTUM

    def restart(self) -> None:
        """Restart the momentum."""
        self._state[0] = 1.0
        self._ahead = self.w.copy(), self.z.copy(), self.b.copy()

    def iterate(self) -> Iterate:
        """Return the current iterate with its estimate of the curvature."""
        return replace(super().iterate(), curvature=float(self._state[1]))

    def step(self, tol: float) -> bool:
        """Take several steps."""
        problem, active, n_steps = self.problem, self._active, self._next_steps(tol)
        self.move_to(self.w.copy(), self.z.copy(), self.b.copy())
        columns, data, indices, indptr = problem.column_arrays
        w_ahead, z_ahead, b_ahead = self._ahead
        proximal_gradient_steps(
            columns, data, indices, indptr, problem.loss, problem.targets, problem.weights,
            problem.epsilon, self.smoothing, active, problem.group_starts, self.prices[active],
            problem.step_scales[active], self.budget, self.offsets, self.w, self.z, self.b,
            w_ahead, z_ahead, b_ahead, self._gradients, self._new, self._state, n_steps,
        )  # fmt: skip
        self.n_steps += n_steps
        self.work += 2.0 * n_steps * problem.n_stored * problem.n_outputs
        return True

    def _next_steps(self, tol: float) -> int:
        """Return the number of steps until the next evaluation."""
        is_expensive = self.problem.n_stored > _SCHEDULE.expensive
        is_close = self.gap <= _SCHEDULE.close * tol and is_expensive
        usual = max(_SCHEDULE.usual, self.n_steps // _SCHEDULE.part)
        return min(_SCHEDULE.first + self.n_steps // 3, _SCHEDULE.last if is_close else usual)

    def evaluate(self) -> DualBound:
        """Evaluate the gap, and update the active set."""
        latest = super().evaluate()
        if self.prices.any():
            promising = self._promising(latest)
            is_active = np.zeros(self.problem.n_groups, dtype=bool)
            is_active[self._active] = True
            if not is_active[promising].all() or 2 * len(promising) < len(self._active):
                self._active = promising
        return latest

    def _promising(self, latest: DualBound) -> Ints:
        """Return the groups that are non-zero, or nearly have the gain per price to become so."""
        problem, gains = self.problem, latest.gains
        density = per_price(gains, self.prices)
        critical = density[(latest.selection > 0) & (gains > 0)].min(initial=np.inf)
        used = problem.squared_norms(self.w, self._active)
        used += problem.squared_norms(self._ahead[0], self._active)
        promising = (density >= _ACTIVE_SET.gain_part * critical) | (used > 0)
        n_columns = problem.group_sizes[self.groups].sum()
        if problem.group_sizes[promising].sum() > _ACTIVE_SET.max_columns * n_columns:
            return self.groups
        return np.flatnonzero(promising)
