"""The convex relaxation: groups may be bought in part.

Wang, Zhu and Chi (2018) minimise over shares d with cutting planes. For given coefficients the
best shares are known in closed form, and so is the step of a proximal method, so that the
problem is solved here in the coefficients themselves: an accelerated proximal gradient method,
whose slopes give a lower bound at each step.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..kernels.knapsacks import knapsack, shrunk, spread
from ..plan import Floats
from .machine import KINKED, Machine

#: The gap is looked at after so many steps.
_LOOKED_AT = 10
#: The width over which a kink is rounded off: at first, and how it falls.
_FIRST_WIDTH, _NARROWER, _LEAST_WIDTH = 0.5, 0.25, 1e-9


@dataclass(frozen=True, eq=False)
class Relaxed:
    """A solution of the relaxation, and how good it is.

    Parameters
    ----------
    coefficients : float array (columns, outputs)
        Of the columns.
    intercepts : float array (outputs,)
        Not regularised.
    shares : float array (groups,)
        How much of each group is bought.
    values : float array (groups,)
        Squared length of the pull of each group: what a share of it is worth, twice.
    objective, bound : float
        Its value, and what no solution can be below.
    steps : int
        Of the method; each goes through the rows twice.
    history : list of (objective, bound)
        At each look; objectives fall and bounds rise.
    """

    coefficients: Floats
    intercepts: Floats
    shares: Floats
    values: Floats
    objective: float
    bound: float
    steps: int
    history: list[tuple[float, float]]

    @property
    def gap(self) -> float:
        """How far objective and bound are apart, as a part of the objective."""
        return (self.objective - self.bound) / max(abs(self.objective), 1e-300)


class Relaxation:
    """Solves a machine under a budget.

    Parameters
    ----------
    machine : Machine
        What to solve.
    prices : float array (groups,)
        Of the groups.
    tol : float
        The gap that is small enough.
    max_iter : int
        Steps, at most.
    """

    def __init__(self, machine: Machine, prices: Floats, tol: float, max_iter: int) -> None:
        self.machine, self.prices = machine, prices
        self.tol, self.max_iter = tol, max_iter
        self._kinked = machine.loss in KINKED

    def solve(self, budget: float, warm: Relaxed | None = None) -> Relaxed:
        """Minimise under a budget, from an earlier solution on."""
        run = _Run(self.machine, self.prices, budget, warm, self._kinked)
        while run.steps < self.max_iter:
            run.step()
            looks = run.steps % _LOOKED_AT == 1 or run.steps == self.max_iter
            if looks and run.look() <= self.tol:
                break
        return run.result()


class _Run:
    """One minimisation: the point, the point ahead of it, and the best bound so far."""

    def __init__(
        self, machine: Machine, prices: Floats, budget: float, warm: Relaxed | None, kinked: bool
    ) -> None:
        self.machine, self.prices, self.budget = machine, prices, budget
        shape = (machine.X.shape[1], machine.n_outputs)
        self.w = np.zeros(shape) if warm is None else warm.coefficients
        self.z = machine.sums(self.w)
        self.width = _FIRST_WIDTH if kinked else 0.0
        self.kinked = kinked
        before = np.zeros(machine.n_outputs) if warm is None else warm.intercepts
        self.b = machine.intercepts(self.z, before, self.width)
        self.ahead, self.ahead_z, self.ahead_b = self.w, self.z, self.b
        self.momentum, self.lipschitz, self.scale = 1.0, 1.0, 1.0
        self.steps = 0
        self.bound, self.values = -np.inf, np.zeros(machine.n_groups)
        self.best: tuple[float, Floats, Floats, Floats] | None = None
        self.history: list[tuple[float, float]] = []

    def step(self) -> None:
        """One proximal step from the point ahead, as long as the loss allows."""
        machine = self.machine
        self.ahead_b = machine.intercepts(self.ahead_z, self.ahead_b, self.width)
        loss, _, alpha = machine.losses(self.ahead_z, self.ahead_b, self.width)
        pull = machine.pulls(alpha)
        while True:
            w = self._shrunk(self.ahead + pull / self.lipschitz)
            z = machine.sums(w)
            b = machine.intercepts(z, self.ahead_b, self.width)
            after = machine.losses(z, b, self.width)[0]
            moved = w - self.ahead
            allowed = loss - (pull * moved).sum() + self.lipschitz / 2 * (moved**2).sum()
            if after <= allowed + 1e-10 * abs(loss):
                break
            self.lipschitz *= 2.0
        self._go_on(w, z, b)
        self.lipschitz *= 0.97
        self.steps += 1

    def _shrunk(self, point: Floats) -> Floats:
        """The proximal point of half the squared norm."""
        shares, step = np.empty(len(self.prices)), 1.0 / self.lipschitz
        norms = self.machine.norms(point)
        self.scale = shrunk(norms, self.prices, step, self.budget, self.scale, shares)
        return np.asarray(point * (shares / (step + shares))[self.machine.group_of, None])

    def _go_on(self, w: Floats, z: Floats, b: Floats) -> None:
        """Look ahead in the direction of the last move; start anew where it turns back."""
        turned = ((self.ahead - w) * (w - self.w)).sum() > 0
        after = (1.0 + np.sqrt(1.0 + 4.0 * self.momentum**2)) / 2.0
        part = 0.0 if turned else (self.momentum - 1.0) / after
        self.momentum = 1.0 if turned else after
        self.ahead, self.ahead_z = w + part * (w - self.w), z + part * (z - self.z)
        self.ahead_b = b
        self.w, self.z, self.b = w, z, b

    def look(self) -> float:
        """The gap between the best objective and the best bound."""
        machine = self.machine
        smooth, exact, alpha = machine.losses(self.z, self.b, self.width)
        shares = np.empty(machine.n_groups)
        norm = spread(machine.norms(self.w), self.prices, self.budget, shares) / 2
        values = machine.norms(machine.pulls(alpha)) ** 2
        bound = machine.dual(alpha) - self._most(values) / 2
        if bound > self.bound:
            self.bound, self.values = bound, values
        if self.best is None or norm + exact < self.best[0]:
            self.best = norm + exact, self.w, self.b, shares
        self.history.append((self.best[0], self.bound))
        gap = (self.best[0] - self.bound) / max(abs(self.best[0]), 1e-300)
        if self.kinked and self._is_rounded_off_too_much(norm + smooth, bound, alpha, gap):
            self.width = max(self.width * _NARROWER, _LEAST_WIDTH)
            self.momentum, self.ahead, self.ahead_z = 1.0, self.w, self.z
        return gap

    def _most(self, values: Floats) -> float:
        return float(knapsack(values, self.prices, self.budget, np.empty(len(values))))

    def _is_rounded_off_too_much(
        self, smooth: float, bound: float, alpha: Floats, gap: float
    ) -> bool:
        """Whether what is left of the gap is due to the width rather than to the steps."""
        weights = np.maximum(self.machine.weights, 1e-300)[:, None]
        rounded_bound = bound - self.width / 2 * float((alpha**2 / weights).sum())
        own_gap = (smooth - rounded_bound) / max(abs(smooth), 1e-300)
        return own_gap <= gap / 2

    def result(self) -> Relaxed:
        """The best so far."""
        assert self.best is not None
        objective, w, b, shares = self.best
        return Relaxed(w, b, shares, self.values, objective, self.bound, self.steps, self.history)
