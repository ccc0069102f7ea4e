"""The SVM candidate of the frontier: budgeted support vector machines that select items."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from ...costs.costs import Costs
from ...costs.item_sets import Items
from ...learners.svm.groups import Groups
from ...learners.svm.path import PathSolution, best_c, cross_validate, solve_path
from ...learners.svm.problem import LOSSES, SVMProblem, one_against_rest
from ...plans.components.models import LinearModel, Preparation
from ...plans.components.models.links import LINKS
from ...types import Floats, Ints
from .training_target import TrainingTarget


@dataclass(frozen=True)
class SVMSettings:
    """How the candidate is tuned and solved, coarser than `BudgetedSVC`: it is one of many."""

    #: Weights of the losses that cross-validation chooses from.
    C: tuple[float, ...] = (0.01, 0.1, 1.0)
    #: The relative duality gap to reach; a smaller one takes more steps.
    tol: float = 3e-3
    #: Steps after which the solver stops, whatever the gap.
    max_steps: int = 1_000


SETTINGS = SVMSettings()
#: From this many columns on, SVMs take part by default: item sets are then costly to search.
WIDE = 1_000


@dataclass(frozen=True, eq=False)
class SelectedSVM:
    """A linear SVM and the items that it was trained on."""

    items: Items
    model: LinearModel

    def answers(self, X: Any) -> Floats:
        """Return the predictions for rows of the whole table."""
        if not sparse.issparse(X):
            return self.model.scores(np.ascontiguousarray(X), np.arange(len(X)))
        sums = np.asarray(X[:, self.model.preparation.source] @ self.model.weights)
        return LINKS[self.model.link](sums + self.model.base)


def train_svms(
    preparation: Preparation, table: Any, target: TrainingTarget, costs: Costs,
    budgets: tuple[float, ...], seed: int,
) -> list[SelectedSVM | None]:  # fmt: skip
    """Return one SVM per budget, with the best C; None where nothing is affordable.

    Parameters
    ----------
    preparation : Preparation
        How the columns of the whole table become those of `table`.
    table : float array or CSR matrix (rows, prepared columns)
        The training rows.
    target : TrainingTarget
        The training target.
    costs : Costs
        Prices of the whole table.
    budgets : tuple of float
        Ascending.
    seed : int
        Seed of the rows that C is selected on.
    """
    groups = Groups(costs.prepared(preparation.source))
    svm = _svm_problem(table, target, groups)
    splits = [_held_out(len(target.y), seed)]
    regression = not target.n_classes
    tol, max_steps = SETTINGS.tol, SETTINGS.max_steps
    errors = cross_validate(svm, groups, budgets, SETTINGS.C, splits, tol, max_steps, regression)
    selected = best_c(errors, SETTINGS.C)
    by_budget: dict[float, SelectedSVM | None] = {}
    for C in dict.fromkeys(selected):
        budgets_of_c = [b for b, other in zip(budgets, selected, strict=True) if other == C]
        scaled = svm.with_weights(C * svm.weights)
        for solution in solve_path(scaled, groups, budgets_of_c, tol, max_steps, 0):
            by_budget[solution.budget] = _trained_svm(solution, svm, preparation, target, costs)
    return [by_budget[budget] for budget in budgets]


def _svm_problem(table: Any, target: TrainingTarget, groups: Groups) -> SVMProblem:
    """Return the problem of two classes, of one class against the rest, or of a regression."""
    if target.n_classes:
        targets, loss = one_against_rest(target.y, target.n_classes), "squared_hinge"
    else:
        targets, loss = target.y[None], "squared_epsilon_insensitive"
    return SVMProblem.from_table(table, targets, target.weights, groups, LOSSES[loss])


def _held_out(n: int, seed: int) -> tuple[Ints, Ints]:
    """Return the other rows, and a quarter of them to test on."""
    order = np.random.default_rng([seed, n]).permutation(n)
    test, train = np.split(order, [max(n // 4, 1)])
    return np.sort(train), np.sort(test)


def _trained_svm(
    solution: PathSolution, svm: SVMProblem, preparation: Preparation, target: TrainingTarget,
    costs: Costs,
) -> SelectedSVM | None:  # fmt: skip
    """Return the SVM of a solution, on the columns whose coefficients are not 0."""
    columns, w = solution.trained.coefficients(svm)
    if not len(columns):
        return None
    link = "identity" if not target.n_classes else "one-against-rest"
    link = "logistic" if target.n_classes == 2 else link
    prepared = preparation.taken(columns)
    model = LinearModel(prepared, w.T, solution.trained.iterate.b, link)
    return SelectedSVM(tuple(np.unique(costs.owners[prepared.source]).tolist()), model)
