"""The convex relaxation: groups may be bought in part.

Wang, Zhu and Chi (2018) minimise over shares d with cutting planes. For given coefficients the
best shares are known in closed form, and so is the step of a proximal method, so that the
problem is solved here in the coefficients themselves. The slopes of the losses give a lower
bound at any point, as the paper's cuts do.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ..kernels.knapsacks import knapsack, spread
from ..plan import Floats
from .descent import FIRST_WIDTH, Bound, Descent, GradientDescent, Point
from .machine import Machine
from .newton import NewtonDescent

#: Starts that are tried with another budget: how far shares go over to those that slopes would buy
#: now, and by how much slopes are smaller then.
_PARTS, _SCALES = (0.5, 1.0), (0.7, 0.85, 1.0)
#: Newton's steps are taken up to so many columns, products of columns and cells of the table, if
#: there are so many rows a column, or few columns; or if all is free, up to so many columns.
NEWTON_COLUMNS, NEWTON_CELLS, TABLE_CELLS = 1_500, 4_000_000, 20_000_000
ROWS_A_COLUMN, FEW_COLUMNS, FREE_COLUMNS = 5, 50, 400


@dataclass(frozen=True, eq=False)
class Relaxed:
    """A solution of the relaxation, and how good it is.

    Parameters
    ----------
    point : Point
        Coefficients, intercepts, and the width over which kinks were rounded off.
    shares : float array (groups,)
        How much of each group is bought.
    proof : Bound
        The slopes that prove the bound.
    objective : float
        Its value.
    steps : int
        Of the method; each goes through the rows twice.
    history : list of (objective, bound)
        At each look; objectives fall and bounds rise.
    """

    point: Point
    shares: Floats
    proof: Bound
    objective: float
    steps: int
    history: list[tuple[float, float]]

    @property
    def bound(self) -> float:
        """What no solution can be below."""
        return self.proof.least

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

    def solve(self, budget: float, warm: Relaxed | None = None) -> Relaxed:
        """Minimise under a budget, from an earlier solution on."""
        machine, prices = self.machine, self.prices
        start = self._begin() if warm is None else self._go_on_from(warm, budget)
        way = descent(machine, prices, budget, start)
        way.run(self.tol, self.max_iter)
        shares = np.empty(machine.n_groups)
        spread(machine.norms(way.best.w), prices, budget, shares)
        assert way.bound is not None
        return Relaxed(way.best, shares, way.bound, way.objective, way.steps, way.history)

    def _go_on_from(self, warm: Relaxed, budget: float) -> Point:
        """The best of an earlier solution and of what its slopes would buy now, or in between.

        At the optimum coefficients are shares times pulls of the slopes. With another budget the
        shares are others at once, and slopes change little but for their scale.
        """
        machine = self.machine
        pulls, now = machine.pulls(warm.proof.alpha), np.empty(machine.n_groups)
        knapsack(warm.proof.values, self.prices, budget, now)
        points = [warm.point]
        for part in _PARTS:
            shares = (1.0 - part) * warm.shares + part * now
            whole = pulls * shares[machine.group_of]
            points += [replace(warm.point, w=scale * whole) for scale in _SCALES]
        return min(points, key=lambda point: self._objective(point, budget))

    def _objective(self, point: Point, budget: float) -> float:
        machine = self.machine
        sums = machine.sums(point.w)
        loss = machine.losses(sums, machine.intercepts(sums, point.b, point.width), point.width)[1]
        norms, shares = machine.norms(point.w), np.empty(machine.n_groups)
        return float(loss + spread(norms, self.prices, budget, shares) / 2)

    def _begin(self) -> Point:
        machine = self.machine
        width = FIRST_WIDTH if machine.is_kinked else 0.0
        return Point(machine.zeros(), np.zeros(machine.n_outputs), width)


def descent(machine: Machine, prices: Floats, budget: float, start: Point) -> Descent:
    """The way down that is quickest for so many columns."""
    n, d = machine.X.shape
    fits = (
        d <= NEWTON_COLUMNS and machine.n_outputs * d * d <= NEWTON_CELLS and n * d <= TABLE_CELLS
    )
    few = d <= (FEW_COLUMNS if prices.any() else FREE_COLUMNS)
    quick = n >= ROWS_A_COLUMN * d or few
    return (NewtonDescent if fits and quick else GradientDescent)(machine, prices, budget, start)
