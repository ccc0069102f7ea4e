r"""The convex relaxation of the budgeted problem, and warm starts for it.

Wang, Zhu and Chi (2018) relax the indicator variables of groups to a fractional selection d,

.. math:: \min_{w, b, d}\ \tfrac12\sum_m \|w_m\|^2/d_m + C\sum_i \ell(y_i, f_i)
    \quad\text{s.t.}\quad c^\top d\le B,\ 0\le d\le 1,\qquad (1)

and minimise over d by cutting planes (Algorithm 1), of which small budgets need very many. Here
the problem is solved in w and b: for given coefficients the best d, and the proximal operator of
the penalty that it makes, are known in closed form. The dual variables of any iterate prove the
lower bound of the paper's cuts (Eq. 12).

References
----------
Wang, Zhu, Chi. Efficient Test-Time Predictor Learning with Group-Based Budget. AAAI 2018.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import product

import numpy as np

from ...kernels.knapsacks import norm_selection
from ...types import Floats
from .duality import DualBound, Iterate, objective
from .groups import per_price
from .problem import SVMProblem
from .proximal_gradient import ProximalGradient
from .proximal_newton import ProximalNewton
from .solver import SMOOTHING, Solution


@dataclass(frozen=True)
class NewtonLimits:
    """Where proximal Newton steps are taken rather than proximal gradient steps."""

    #: Columns, at most.
    max_columns: int = 1_500
    #: Cells of the Hessians of all outputs, at most: beyond, factorising them dominates.
    max_hessian_cells: int = 4_000_000
    #: Cells of the dense table, at most, for its memory.
    max_table_cells: int = 20_000_000
    #: Rows per column, at least, unless columns are few: with fewer rows the Hessian is expensive
    #: compared with a gradient.
    min_rows_per_column: int = 5
    #: Columns that count as few.
    few_columns: int = 50
    #: Columns that count as few where all groups are free, as a step is then one linear system.
    few_free_columns: int = 400


@dataclass(frozen=True)
class _WarmStartGrid:
    """The warm starts that are tried."""

    #: Weights of the last selection against the first one.
    mixes: tuple[float, ...] = (0.25, 0.5, 0.75, 1.0)
    #: Factors of the dual variables, which shrink as more is selected.
    scales: tuple[float, ...] = (0.6, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95, 1.0)


NEWTON_LIMITS, _GRID = NewtonLimits(), _WarmStartGrid()
#: Power of the gain per price in the guess of the next selection: a larger one is closer to the
#: knapsack of the present gains, a smaller one allows more for their change.
_SHARPNESS = 8.0


@dataclass(frozen=True, eq=False)
class Relaxed(Solution):
    """A solution of the relaxation.

    Parameters
    ----------
    selection : float array (groups,)
        The fractional selection d.
    """

    selection: Floats


class Relaxation:
    """Solves the relaxation for given budgets.

    Parameters
    ----------
    problem : SVMProblem
        The problem without its budget.
    prices : float array (groups,)
        Prices of the groups.
    tol : float
        The relative duality gap to reach.
    max_iter : int
        The largest number of steps.
    """

    def __init__(self, problem: SVMProblem, prices: Floats, tol: float, max_iter: int) -> None:
        self.problem, self.prices = problem, prices
        self.tol, self.max_iter = tol, max_iter

    def solve(self, budget: float, previous: Relaxed | None = None) -> Relaxed:
        """Solve for a budget, with a warm start from the solution of another one."""
        if previous is None:
            return self.solve_from(zero_iterate(self.problem), budget)
        # a start within the tolerance may select a little of every group: one step mends that
        return self.solve_from(self._warm_start(previous, budget), budget, min_steps=1)

    def solve_from(
        self, start: Iterate, budget: float, cutoff: float = np.inf, min_steps: int = 0
    ) -> Relaxed:
        """Solve from a start, until the gap is small or the lower bound reaches the cutoff."""
        problem, prices = self.problem, self.prices
        is_newton = suits_newton(problem, problem.X.shape[1], not prices.any())
        solver = (ProximalNewton if is_newton else ProximalGradient)(problem, prices, budget, start)
        solution = solver.solve(self.tol, self.max_iter, cutoff, min_steps)
        selection = np.empty(problem.n_groups)
        norms = np.sqrt(problem.squared_norms(solution.iterate.w))
        norm_selection(norms, prices, budget, selection)
        return Relaxed(**vars(solution), selection=selection)

    def _warm_start(self, previous: Relaxed, budget: float) -> Iterate:
        """Return a start between the previous selection and a guess of the next one.

        The knapsack of the previous gains would select groups in full or not at all. As gains will
        change, the guess also selects in part those whose gain per price is nearly enough.
        """
        guess = np.empty(self.problem.n_groups)
        density = per_price(previous.dual.gains, self.prices)
        density[self.prices == 0] = 0.0  # free groups are selected in full anyway
        density /= max(density.max(), 1e-300)
        norm_selection(density**_SHARPNESS * np.sqrt(self.prices), self.prices, budget, guess)
        return warm_start(
            self.problem, self.prices, budget, previous.iterate, previous.dual,
            previous.selection, guess,
        )  # fmt: skip


def warm_start(
    problem: SVMProblem, prices: Floats, budget: float, iterate: Iterate, dual: DualBound,
    *selections: Floats,
) -> Iterate:  # fmt: skip
    """Return an iterate, or a better one made of dual variables and a selection.

    At the optimum w_m = d_m X_m' alpha (Eq. 2). For another selection d the dual variables change
    little but for their scale.

    Parameters
    ----------
    iterate, dual : Iterate, DualBound
        A feasible iterate, and dual variables of an earlier solution.
    *selections : float arrays (groups,)
        One or two; of two, mixtures are tried.
    """
    gradients, gradient_norms = problem.gradients(dual.alpha), np.sqrt(dual.gains)

    def coefficients(selection: Floats) -> Floats:
        return np.asarray(gradients * np.repeat(selection, problem.group_sizes))

    def value(z: Floats, norms: Floats) -> float:
        b = problem.best_intercepts(z, iterate.b, iterate.smoothing)
        return objective(problem, prices, budget, norms, z, b, iterate.smoothing).exact

    z = [problem.scores(coefficients(selection)) for selection in selections]
    norms = np.sqrt(problem.squared_norms(iterate.w))
    best, least = None, value(problem.scores(iterate.w), norms)
    for mix, scale in product(_GRID.mixes if len(selections) > 1 else (1.0,), _GRID.scales):
        selection = scale * ((1.0 - mix) * selections[0] + mix * selections[-1])
        mixed_z = scale * ((1.0 - mix) * z[0] + mix * z[-1])
        candidate = value(mixed_z, selection * gradient_norms)
        if candidate < least:
            least, best = candidate, selection
    return iterate if best is None else replace(iterate, w=coefficients(best))


def zero_iterate(problem: SVMProblem) -> Iterate:
    """Return the iterate of zero coefficients, with the first smoothing parameter."""
    smoothing = SMOOTHING.first if problem.is_nonsmooth else 0.0
    return Iterate(problem.zeros(), np.zeros(problem.n_outputs), smoothing)


def suits_newton(problem: SVMProblem, n_columns: int, is_free: bool) -> bool:
    """Return whether proximal Newton steps are faster for this many of the columns."""
    limits, n_rows = NEWTON_LIMITS, problem.X.shape[0]
    fits = n_columns <= limits.max_columns and n_rows * n_columns <= limits.max_table_cells
    fits &= problem.n_outputs * n_columns * n_columns <= limits.max_hessian_cells
    is_few = n_columns <= (limits.few_free_columns if is_free else limits.few_columns)
    return fits and (n_rows >= limits.min_rows_per_column * n_columns or is_few)
