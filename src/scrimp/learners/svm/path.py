"""Models for ascending budgets, each with a warm start from the one before, and C for each."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ...runtime.events import Progress, emit
from ...runtime.time_limit import is_time_over, time_share
from ...types import Floats, Ints
from .groups import Groups
from .problem import SVMProblem
from .relaxation import Relaxation, Relaxed
from .rounding import Rounding
from .training import TrainedSVM


@dataclass(frozen=True, eq=False)
class PathSolution:
    """The solution for one budget.

    Parameters
    ----------
    budget : float
        The budget.
    relaxed : Relaxed
        The solution of the relaxation.
    trained : TrainedSVM
        The model on a set of groups within the budget.
    lower_bound : float
        No set within the budget has a smaller objective.
    n_trainings, n_nodes : int
        Models trained to find the set, and nodes of branch and bound.
    """

    budget: float
    relaxed: Relaxed
    trained: TrainedSVM
    lower_bound: float
    n_trainings: int
    n_nodes: int

    @property
    def gap(self) -> float:
        """How far the objective is above the lower bound, relative to the objective."""
        objective = self.trained.objective
        return max(objective - self.lower_bound, 0.0) / max(abs(objective), 1e-300)


def solve_path(
    problem: SVMProblem, groups: Groups, budgets: Sequence[float], tol: float, max_iter: int,
    max_nodes: int | None = None,
) -> Iterator[PathSolution]:  # fmt: skip
    """Yield the solutions for ascending budgets."""
    relaxation = Relaxation(problem, groups.prices, tol, max_iter)
    rounding = Rounding(problem, groups, max_iter, max_nodes)
    relaxed: Relaxed | None = None
    trained: TrainedSVM | None = None
    for number, budget in enumerate(budgets):
        with time_share(1.0 / (len(budgets) - number)):
            relaxed = relaxation.solve(groups.relaxed_budget(budget), relaxed)
            n_trainings, n_nodes = rounding.trainer.n_trainings, rounding.n_nodes
            trained = rounding.best_set(relaxed, budget, trained)
        yield PathSolution(
            budget, relaxed, trained, rounding.lower_bound,
            rounding.trainer.n_trainings - n_trainings, rounding.n_nodes - n_nodes,
        )  # fmt: skip


def share_lower_bounds(path: Sequence[PathSolution]) -> list[PathSolution]:
    """Return the path with lower bounds of larger budgets, which also hold for smaller ones."""
    lower_bound, shared = -math.inf, []
    for solution in reversed(path):
        lower_bound = max(lower_bound, solution.lower_bound)
        shared.append(replace(solution, lower_bound=lower_bound))
    return shared[::-1]


def cross_validate(
    problem: SVMProblem, groups: Groups, budgets: Sequence[float], Cs: Sequence[float],
    splits: Sequence[tuple[Ints, Ints]], tol: float, max_iter: int, is_regression: bool,
) -> Floats:  # fmt: skip
    """Return the weighted mean validation error of each C at each budget (Cs, budgets).

    Paths are solved without branch and bound. When the time is over, the folds that are complete
    count; without any, all errors are 0.
    """
    total = np.zeros((len(Cs), len(budgets)))
    weight, n_done = 0.0, 0
    for train, test in splits:
        fold, of_fold = problem.take_rows(train), np.zeros_like(total)
        for i, C in enumerate(Cs):
            scaled = fold.with_weights(C * fold.weights)
            path = solve_path(scaled, groups, budgets, tol, max_iter, 0)
            for j, solution in enumerate(path):
                errors = _errors(problem, solution.trained, test, is_regression)
                of_fold[i, j] = problem.weights[test] @ errors
            if is_time_over():
                return total / max(weight, 1e-300)
            n_done += 1
            emit(Progress("C", n_done, len(splits) * len(Cs), f"C {C:g}"))
        total += of_fold
        weight += float(problem.weights[test].sum())
    return total / max(weight, 1e-300)


def best_c(errors: Floats, Cs: Sequence[float]) -> list[float]:
    """Return the C of the least error for each budget; of equal ones the smallest."""
    order = np.argsort(np.asarray(Cs, dtype=np.float64), kind="stable")
    return [float(Cs[order[column[order].argmin()]]) for column in errors.T]


def as_list(C: Any) -> list[float]:
    """Return one C or several as a list."""
    return [float(value) for value in np.atleast_1d(C)]


def _errors(problem: SVMProblem, trained: TrainedSVM, rows: Ints, is_regression: bool) -> Floats:
    """Return the squared error per row, or 1 where the label is wrong."""
    X, targets = problem.X[rows][:, trained.columns], problem.targets[:, rows]
    scores = np.stack([np.asarray(X @ w) for w in trained.iterate.w])
    scores += trained.iterate.b[:, None]
    if is_regression:
        return np.asarray(((scores - targets) ** 2).mean(axis=0))
    if len(targets) == 1:
        return np.asarray((scores[0] > 0) != (targets[0] > 0), dtype=np.float64)
    return np.asarray(scores.argmax(axis=0) != targets.argmax(axis=0), dtype=np.float64)
