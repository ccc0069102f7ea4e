"""The convex relaxation: groups may be bought in part.

Wang, Zhu and Chi (2018) minimise over shares d with cutting planes. For given coefficients the
best shares are known in closed form, and so is the step of a proximal method, so that the
problem is solved here in the coefficients themselves. The slopes of the losses give a lower
bound at any point, as the paper's cuts do.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import product

import numpy as np

from ..kernels.knapsacks import knapsack, spread
from ..plan import Floats
from .descent import FIRST_WIDTH, Point
from .machine import Machine
from .minimum import Minimum, minimise

#: Starts that are tried with another budget: how far shares go over to those that slopes would buy
#: now, and by how much slopes are smaller then.
_PARTS, _SCALES = (0.5, 1.0), (0.7, 0.85, 1.0)


@dataclass(frozen=True, eq=False)
class Relaxed(Minimum):
    """A solution of the relaxation, and how good it is.

    Parameters
    ----------
    shares : float array (groups,)
        How much of each group is bought.
    """

    shares: Floats


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

    def solve(self, budget: float, warm: Relaxed | None = None) -> Relaxed:
        """Minimise under a budget, from an earlier solution on."""
        machine, prices = self.machine, self.prices
        start = self._begin() if warm is None else self._go_on_from(warm, budget)
        found = minimise(machine, prices, budget, start, self.tol, self.max_iter)
        shares = np.empty(machine.n_groups)
        spread(np.sqrt(machine.squares(found.point.w)), prices, budget, shares)
        return Relaxed(**vars(found), shares=shares)

    def _go_on_from(self, warm: Relaxed, budget: float) -> Point:
        """The best of an earlier solution and of what its slopes would buy now, or in between.

        At the optimum coefficients are shares times pulls of the slopes. With another budget the
        shares are others at once, and slopes change little but for their scale.
        """
        machine, point, roots = self.machine, warm.point, np.sqrt(warm.proof.values)
        now = np.empty(machine.n_groups)
        knapsack(warm.proof.values, self.prices, budget, now)
        pulls = machine.pulls(warm.proof.alpha)

        def coefficients(shares: Floats) -> Floats:
            return np.asarray(pulls * np.repeat(shares, machine.sizes))

        def objective(sums: Floats, norms: Floats) -> float:
            b = machine.intercepts(sums, point.b, point.width)
            loss = machine.losses(sums, b, point.width)[1]
            return float(loss + spread(norms, self.prices, budget, np.empty(len(norms))) / 2)

        ends = [machine.sums(coefficients(shares)) for shares in (warm.shares, now)]
        best, least = point, objective(machine.sums(point.w), np.sqrt(machine.squares(point.w)))
        for part, scale in product(_PARTS, _SCALES):
            shares = scale * ((1.0 - part) * warm.shares + part * now)
            sums = scale * ((1.0 - part) * ends[0] + part * ends[1])
            value = objective(sums, shares * roots)
            if value < least:
                least, best = value, shares
        return best if best is point else replace(point, w=coefficients(best))

    def _begin(self) -> Point:
        machine = self.machine
        width = FIRST_WIDTH if machine.is_kinked else 0.0
        return Point(machine.zeros(), np.zeros(machine.n_outputs), width)
