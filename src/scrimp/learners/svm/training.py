"""Linear SVMs trained on sets of groups that are bought in full."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy import sparse

from ...costs.item_sets import Items
from ...costs.ledger import limit
from ...types import Floats, Ints
from .duality import DualBound, Iterate, dual_bound, objective
from .groups import Groups
from .problem import SVMProblem
from .proximal_gradient import ProximalGradient
from .proximal_newton import ProximalNewton
from .relaxation import NEWTON_LIMITS, suits_newton, warm_start
from .solver import SMOOTHING, Solution


@dataclass(frozen=True)
class _Tolerances:
    """Relative duality gaps of training: smaller ones take longer."""

    #: While sets are compared.
    search: float = 1e-3
    #: While sets are compared, for non-smooth losses.
    search_nonsmooth: float = 5e-3
    #: Of the final model.
    final: float = 1e-5
    #: Of the final model, for non-smooth losses.
    final_nonsmooth: float = 1e-3
    #: Of the final model on a large set, at least.
    final_large: float = 1e-4
    #: Of the final model where columns are few: up to rounding.
    exact: float = 1e-14
    #: Cells of the set up to which non-smooth losses are solved up to rounding.
    exact_cells: int = 100_000
    #: Stored values above which a set is large.
    large_cells: int = 2_000_000


@dataclass(frozen=True)
class _BreakpointSystem:
    """Which rows are taken to be at the breakpoint of their loss."""

    #: Distance of the score from the breakpoint, relative to the largest score.
    distance: float = 1e-5
    #: The largest number of rows, as the linear system is dense.
    max_rows: int = 500


_TOLERANCES, _BREAKPOINT_SYSTEM = _Tolerances(), _BreakpointSystem()
#: Coefficients up to this, in units of the targets, are 0 but for rounding.
_ZERO = 1e-13


@dataclass(frozen=True, eq=False)
class TrainedSVM:
    """A set of items and the linear model trained on it.

    Parameters
    ----------
    items : tuple of int
        The set.
    columns : int array
        The problem's columns that it brings.
    iterate : Iterate
        Coefficients (outputs, these columns) and intercepts.
    objective : float
        The objective, with all groups of the set selected in full.
    dual : DualBound
        Its dual variables, with the gain of each group of the problem.
    gap : float
        The relative duality gap of the training.
    """

    items: Items
    columns: Ints
    iterate: Iterate
    objective: float
    dual: DualBound
    gap: float

    def coefficients(self, problem: SVMProblem) -> tuple[Ints, Floats]:
        """Return the original table's columns with a non-zero coefficient, and coefficients."""
        w, smallest = problem.zeros(), _ZERO * max(1.0, float(np.abs(problem.targets).max()))
        w[:, problem.table_columns(self.columns)] = self.iterate.w
        columns = np.flatnonzero((np.abs(w) > smallest).any(axis=0))
        return columns, w[:, columns]


class Trainer:
    """Trains linear SVMs on sets of items, and bounds what other sets within a budget can reach.

    Parameters
    ----------
    problem : SVMProblem
        Of all columns.
    groups : Groups
        Items and prices.
    max_iter : int
        The largest number of steps of a training.

    Attributes
    ----------
    budget : float
        The budget of the lower bounds.
    n_trainings : int
        How many models were trained.
    final_tol : float
        The relative gap of models that are kept.
    """

    def __init__(self, problem: SVMProblem, groups: Groups, max_iter: int) -> None:
        self.problem, self.groups, self.max_iter = problem, groups, max_iter
        self.n_trainings = 0
        tol = _TOLERANCES.search_nonsmooth if problem.is_nonsmooth else _TOLERANCES.search
        self._search_tol = tol
        self.final_tol = _TOLERANCES.final_nonsmooth if problem.is_nonsmooth else _TOLERANCES.final
        self.set_budget(np.inf)

    def set_budget(self, budget: float) -> None:
        """Set the budget of the lower bounds, and forget the models of another one."""
        self.budget = budget
        self._known: dict[Items, TrainedSVM] = {}

    def bound(self, alpha: Floats) -> DualBound:
        """Return what dual variables prove about all sets within the budget."""
        groups, budget = self.groups, self.budget
        affordable = np.flatnonzero(groups.affordable(budget))
        return dual_bound(self.problem, groups.shared_prices, limit(budget), alpha, affordable)

    def compare(
        self, items: Items, start: Iterate, dual: DualBound | None, cutoff: float = np.inf
    ) -> TrainedSVM:
        """Train as exactly as a comparison of sets needs, once per set and budget."""
        if items not in self._known:
            self._known[items] = self.train(items, start, self._search_tol, dual, cutoff)
        return self._known[items]

    def train(
        self, items: Items, start: Iterate, tol: float, dual: DualBound | None = None,
        cutoff: float = np.inf,
    ) -> TrainedSVM:  # fmt: skip
        """Train on a set of items, from a start on all columns.

        Parameters
        ----------
        dual : DualBound, optional
            Dual variables of another set, for a warm start.
        cutoff : float
            Training ends early once the objective is proven to be above it.
        """
        groups = np.flatnonzero(self.groups.mask(items))
        smoothing = max(start.smoothing, SMOOTHING.warm) if self.problem.is_nonsmooth else 0.0
        start = replace(start, smoothing=smoothing)
        columns, solution = train_on_groups(
            self.problem, groups, start, tol, self.max_iter, dual, cutoff
        )
        self.n_trainings += 1
        bound = self.bound(solution.dual.alpha)
        return TrainedSVM(items, columns, solution.iterate, solution.objective, bound, solution.gap)

    def polish(self, trained: TrainedSVM) -> TrainedSVM:
        """Train on the same set more exactly."""
        problem, n_columns, tol = self.problem, len(trained.columns), self.final_tol
        if self.is_large(trained):
            tol = max(tol, _TOLERANCES.final_large)
        is_small = problem.X.shape[0] * n_columns <= _TOLERANCES.exact_cells
        is_exact = n_columns <= NEWTON_LIMITS.few_free_columns
        is_exact &= is_small or not problem.is_nonsmooth
        tol = _TOLERANCES.exact if is_exact else tol
        polished = self.train(trained.items, self.expand(trained), tol)
        if problem.is_nonsmooth and is_exact:
            part = problem.take_groups(np.flatnonzero(self.groups.mask(polished.items)))
            polished = replace(polished, iterate=solve_at_breaks(part, polished.iterate))
        return polished

    def is_large(self, trained: TrainedSVM) -> bool:
        """Return whether training on a set of this size is slow."""
        part = len(trained.columns) / max(self.problem.X.shape[1], 1)
        return bool(part * self.problem.n_stored > _TOLERANCES.large_cells)

    def expand(self, trained: TrainedSVM) -> Iterate:
        """Return the iterate on all columns."""
        return trained.iterate.expand(trained.columns, self.problem.X.shape[1])


def train_on_groups(
    problem: SVMProblem, groups: Ints, start: Iterate, tol: float, max_iter: int,
    dual: DualBound | None = None, cutoff: float = np.inf,
) -> tuple[Ints, Solution]:  # fmt: skip
    """Return the columns of some groups, and the solution on them with all other groups left out.

    Parameters
    ----------
    start : Iterate
        On all columns of the problem.
    dual : DualBound, optional
        Dual variables of another set of groups, for a warm start.
    cutoff : float
        The solver stops once the objective is proven to be above it.
    """
    columns = problem.columns_of(groups)
    start, is_newton = start.take(columns), suits_newton(problem, len(columns), True)
    if is_newton or not sparse.issparse(problem.X):
        solver = (ProximalNewton if is_newton else ProximalGradient)(
            problem.take_groups(groups), np.zeros(len(groups)), 1.0, start
        )
        solution = solver.solve(tol, max_iter, cutoff)
        return columns, replace(solution, dual=solution.dual.expand(groups, problem.n_groups))
    start, free = start.expand(columns, problem.X.shape[1]), np.zeros(problem.n_groups)
    if dual is not None:
        selection = np.isin(problem.groups, groups, assume_unique=True).astype(np.float64)
        start = warm_start(problem, free, 1.0, start, dual, selection)
    in_place = ProximalGradient(problem, free, 1.0, start, groups)  # without a copy of the table
    solution = in_place.solve(tol, max_iter, cutoff)
    return columns, replace(solution, iterate=solution.iterate.take(columns))


def solve_at_breaks(problem: SVMProblem, iterate: Iterate) -> Iterate:
    """Return the exact solution of a non-smooth loss, from a solution of its smoothed form.

    Which rows are at the breakpoint of their loss is read off the solution; these equations and the
    stationarity of the others are one linear system. A result that is worse is not taken.
    """
    w, b = iterate.w.copy(), iterate.b.copy()
    X = problem.X.toarray() if sparse.issparse(problem.X) else problem.X
    for output in range(problem.n_outputs):
        solution = _solve_breakpoint_system(problem, X, output, w[output], float(b[output]))
        if solution is not None:
            w[output], b[output] = solution
    exact = replace(iterate, w=w, b=b)
    is_better = _free_objective(problem, exact) <= _free_objective(problem, iterate) * (1 + 1e-9)
    return exact if is_better and np.isfinite(w).all() else iterate


def _free_objective(problem: SVMProblem, iterate: Iterate) -> float:
    """Return the objective with all groups selected in full."""
    free, norms = np.zeros(problem.n_groups), np.sqrt(problem.squared_norms(iterate.w))
    return objective(problem, free, 1.0, norms, problem.scores(iterate.w), iterate.b, 0.0).exact


def _solve_breakpoint_system(
    problem: SVMProblem, X: Floats, output: int, w: Floats, b: float
) -> tuple[Floats, float] | None:
    """Return coefficients and intercept by the rows at breakpoints; None if none or too many."""
    scores, y = X @ w + b, problem.targets[output]
    if problem.loss == 0:
        side, breaks = y, y
    else:
        side = np.where(y > scores, 1.0, -1.0)
        breaks = y - problem.epsilon * side
    slack = (breaks - scores) * side
    scale = max(1.0, float(np.abs(scores).max()))
    at_break = np.abs(slack) <= _BREAKPOINT_SYSTEM.distance * scale
    at_break &= problem.weights > 0
    if not 0 < at_break.sum() <= _BREAKPOINT_SYSTEM.max_rows:
        return None
    alpha = np.where((slack > 0) & ~at_break, problem.weights * side, 0.0)
    X_at, d = X[at_break], len(w)
    # w - X_at' beta = X' alpha, X_at w + b = breaks, sum(beta) = -sum(alpha)
    n = d + len(X_at) + 1
    system = np.zeros((n, n))
    system[:d, :d] = np.eye(d)
    system[:d, d:-1], system[d:-1, :d] = -X_at.T, X_at
    system[d:-1, -1], system[-1, d:-1] = 1.0, 1.0
    rhs = np.concatenate([X.T @ alpha, breaks[at_break], [-alpha.sum()]])
    solution = np.linalg.lstsq(system, rhs, rcond=1e-12)[0]
    return solution[:d], float(solution[-1])
