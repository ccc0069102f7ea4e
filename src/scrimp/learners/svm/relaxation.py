"""The convex relaxation: groups may be bought in part.

Wang, Zhu and Chi (2018) minimise over shares d with cutting planes. For given coefficients the
best shares are known in closed form, and so is the step of a proximal method, so that the
problem is solved here in the coefficients themselves. The slopes of the losses give a lower
bound at any point, as the paper's cuts do.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...kernels.knapsacks import spread
from ...types import Floats
from .descent import FIRST_WIDTH, Point
from .groups import per_price
from .machine import Machine
from .minimum import Minimum, minimise
from .starts import best_start

#: What is worth less per price is bought less, by this power.
_SHARPNESS = 8.0


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
        if warm is None:
            return self.solve_from(self._begin(), budget)
        # a start may be good enough and yet have a little of everything: a step tells that apart
        return self.solve_from(self._go_on_from(warm, budget), budget, least_steps=1)

    def solve_from(
        self, start: Point, budget: float, useless: float = np.inf, least_steps: int = 0
    ) -> Relaxed:
        """Minimise under a budget, from a point on, unless it is proven to be above a number."""
        machine, prices = self.machine, self.prices
        found = minimise(
            machine, prices, budget, start, self.tol, self.max_iter, useless, least_steps
        )
        shares = np.empty(machine.n_groups)
        spread(np.sqrt(machine.squares(found.point.w)), prices, budget, shares)
        return Relaxed(**vars(found), shares=shares)

    def _go_on_from(self, warm: Relaxed, budget: float) -> Point:
        """The best of an earlier solution and of what its slopes would buy now, or in between.

        By worth alone they would buy groups in full or not at all; but worth will change, and so
        they buy in part what is worth nearly enough.
        """
        now = np.empty(self.machine.n_groups)
        worth = per_price(warm.proof.values, self.prices)
        worth[self.prices == 0] = 0.0  # free: bought in full anyway
        worth /= max(worth.max(), 1e-300)
        spread(worth**_SHARPNESS * np.sqrt(self.prices), self.prices, budget, now)
        return best_start(
            self.machine, self.prices, budget, warm.point, warm.proof, warm.shares, now
        )

    def _begin(self) -> Point:
        machine = self.machine
        width = FIRST_WIDTH if machine.is_kinked else 0.0
        return Point(machine.zeros(), np.zeros(machine.n_outputs), width)
