"""The least of a machine under a budget, by the way down that is quickest for its columns."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy import sparse

from ...types import Floats, Ints
from .descent import Bound, Descent, Point
from .gradient import GradientDescent
from .machine import Machine
from .newton import NewtonDescent
from .starts import best_start

#: Newton's steps are taken up to so many columns, products of columns and cells of the table, if
#: there are so many rows a column, or few columns; or if all is free, up to so many columns.
NEWTON_COLUMNS, NEWTON_CELLS, TABLE_CELLS = 1_500, 4_000_000, 20_000_000
ROWS_A_COLUMN, FEW_COLUMNS, FREE_COLUMNS = 5, 50, 400


@dataclass(frozen=True, eq=False)
class Minimum:
    """A solution, and how good it is.

    Parameters
    ----------
    point : Point
        Coefficients, intercepts, and the width over which kinks were rounded off.
    proof : Bound
        The slopes that prove the bound.
    objective : float
        Its value.
    steps : int
        Of the method; each goes through the rows twice.
    history : list of (objective, bound)
        At each look; objectives fall and bounds rise.
    work : float
        About how many cells were gone through.
    """

    point: Point
    proof: Bound
    objective: float
    steps: int
    history: list[tuple[float, float]]
    work: float

    @property
    def bound(self) -> float:
        """What no solution can be below."""
        return self.proof.least

    @property
    def gap(self) -> float:
        """How far objective and bound are apart, as a part of the objective."""
        return (self.objective - self.bound) / max(abs(self.objective), 1e-300)


def minimise(
    machine: Machine, prices: Floats, budget: float, start: Point, tol: float, max_iter: int,
    useless: float = np.inf, least_steps: int = 0,
) -> Minimum:  # fmt: skip
    """From a start on, until the gap is small enough or so many steps are taken.

    It may also end where it is proven that the objective is above what is of use.
    """
    by_newton = _suits_newton(machine, machine.X.shape[1], not prices.any())
    kind = NewtonDescent if by_newton else GradientDescent
    return _ended(kind(machine, prices, budget, start), tol, max_iter, useless, least_steps)


def minimise_on(
    machine: Machine, groups: Ints, start: Point, tol: float, max_iter: int,
    proof: Bound | None = None, useless: float = np.inf,
) -> tuple[Ints, Minimum]:  # fmt: skip
    """With these groups for nothing, and no others; their columns, and coefficients of those.

    Parameters
    ----------
    start : Point
        Where to begin.
    proof : Bound, optional
        Slopes of another set, that may be a better beginning.
    useless : float
        It may end where it is proven that the objective is above it.
    """
    columns = machine.columns_of(groups)
    own, by_newton = start.at(columns), _suits_newton(machine, len(columns), True)
    if by_newton or not sparse.issparse(machine.X):
        way = (NewtonDescent if by_newton else GradientDescent)(
            machine.of_groups(groups), np.zeros(len(groups)), 1.0, own
        )
        found = _ended(way, tol, max_iter, useless)
        return columns, replace(found, proof=found.proof.among(groups, machine.n_groups))
    whole, free = own.among(columns, machine.X.shape[1]), np.zeros(machine.n_groups)
    if proof is not None:
        bought = np.isin(machine.groups, groups, assume_unique=True).astype(np.float64)
        whole = best_start(machine, free, 1.0, whole, proof, bought)
    on_all = GradientDescent(machine, free, 1.0, whole, groups)  # the table is not copied
    found = _ended(on_all, tol, max_iter, useless)
    return columns, replace(found, point=found.point.at(columns))


def _ended(
    way: Descent, tol: float, max_iter: int, useless: float, least_steps: int = 0
) -> Minimum:
    way.run(tol, max_iter, useless, least_steps)
    assert way.bound is not None
    return Minimum(way.best, way.bound, way.objective, way.steps, way.history, way.work)


def _suits_newton(machine: Machine, d: int, is_free: bool) -> bool:
    """Whether Newton's steps are quicker for so many of the columns."""
    n = machine.X.shape[0]
    fits = d <= NEWTON_COLUMNS and machine.n_outputs * d * d <= NEWTON_CELLS
    few = d <= (FREE_COLUMNS if is_free else FEW_COLUMNS)
    return fits and n * d <= TABLE_CELLS and (n >= ROWS_A_COLUMN * d or few)
