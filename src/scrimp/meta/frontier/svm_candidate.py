"""The SVM candidate of the frontier: budgeted support vector machines that select items."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from scipy import sparse

from ...costs.costs import Costs
from ...costs.item_sets import Items
from ...learners.svm.groups import Groups
from ...learners.svm.path import PathSolution, best_c, cross_validate, solve_path
from ...learners.svm.problem import LOSSES, SVMProblem
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
class Inputs:
    """The columns that an SVM is trained on.

    Parameters
    ----------
    preparation : Preparation
        How they are made of the columns of the table.
    table : float array or CSR matrix (rows, prepared columns)
        The prepared columns of the training rows.
    owners : int array (prepared columns,)
        The item of each prepared column.
    """

    preparation: Preparation
    table: Any
    owners: Ints

    @classmethod
    def plain(cls, table: Any, costs: Costs) -> Inputs:
        """Return the columns of a sparse table, unchanged."""
        return cls(Preparation.plain(np.arange(table.shape[1])), table, costs.owners)

    def groups(self, costs: Costs) -> Groups:
        """Return the items as groups of prepared columns."""
        order = np.argsort(self.owners, kind="stable")
        ends = np.searchsorted(self.owners[order], np.arange(costs.n_items + 1))
        columns = tuple(tuple(order[a:b].tolist()) for a, b in pairwise(ends))
        return Groups(Costs(costs.names, costs.prices, columns, costs.requires))


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
    inputs: Inputs, target: TrainingTarget, costs: Costs, budgets: tuple[float, ...], seed: int
) -> list[SelectedSVM | None]:
    """Return one SVM per budget, with the best C; None where nothing is affordable."""
    groups = inputs.groups(costs)
    problem = _svm_problem(inputs, target, groups)
    splits = [_held_out(len(target.y), seed)]
    tol, max_steps = SETTINGS.tol, SETTINGS.max_steps
    errors = cross_validate(
        problem, groups, budgets, SETTINGS.C, splits, tol, max_steps, not target.n_classes
    )
    chosen = best_c(errors, SETTINGS.C)
    by_budget: dict[float, SelectedSVM | None] = {}
    for C in dict.fromkeys(chosen):
        budgets_of_c = [b for b, other in zip(budgets, chosen, strict=True) if other == C]
        scaled = problem.with_weights(C * problem.weights)
        for solved in solve_path(scaled, groups, budgets_of_c, tol, max_steps, 0):
            by_budget[solved.budget] = _trained_svm(solved, problem, inputs, target)
    return [by_budget[budget] for budget in budgets]


def _svm_problem(inputs: Inputs, target: TrainingTarget, groups: Groups) -> SVMProblem:
    if target.n_classes:
        positive = np.arange(1, 2) if target.n_classes == 2 else np.arange(target.n_classes)
        targets = np.where(target.y == positive[:, None], 1.0, -1.0)
    else:
        targets = target.y[None]
    loss = LOSSES["squared_hinge" if target.n_classes else "squared_epsilon_insensitive"]
    return SVMProblem.from_table(inputs.table, targets, target.weights, groups, loss)


def _held_out(n: int, seed: int) -> tuple[Ints, Ints]:
    """Return training rows, and a quarter of the rows held out."""
    order = np.random.default_rng([seed, n]).permutation(n)
    test, train = np.split(order, [max(n // 4, 1)])
    return np.sort(train), np.sort(test)


def _trained_svm(
    solved: PathSolution, problem: SVMProblem, inputs: Inputs, target: TrainingTarget
) -> SelectedSVM | None:
    trained = solved.trained
    columns, w = trained.coefficients(problem)
    if not len(columns):
        return None
    link = "identity" if not target.n_classes else "one-against-rest"
    link = "logistic" if target.n_classes == 2 else link
    preparation = inputs.preparation.taken(columns)
    model = LinearModel(preparation, w.T, trained.iterate.b, link)
    return SelectedSVM(tuple(np.unique(inputs.owners[columns]).tolist()), model)
