"""The candidate that selects items itself: support vector machines under a budget."""

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

#: Weights of the errors to select from, from most to least regularised.
CS = (0.01, 0.1, 1.0)
#: Relative gap of the relaxation: a smaller one takes longer and hardly changes what is bought.
TOL = 3e-3
#: Steps of the relaxation, at most, of badly conditioned problems.
MAX_STEPS = 1_000
#: Columns from which on such machines are a default candidate: item sets are then hard to search.
WIDE = 1_000


@dataclass(frozen=True, eq=False)
class BoughtMachine:
    """A machine, and the items that it is trained on."""

    items: Items
    model: LinearModel

    def answers(self, X: Any) -> Floats:
        """Return the predictions for rows of the whole table."""
        if not sparse.issparse(X):
            return self.model.scores(np.ascontiguousarray(X), np.arange(len(X)))
        sums = np.asarray(X[:, self.model.preparation.source] @ self.model.weights)
        return LINKS[self.model.link](sums + self.model.base)


def machines(
    preparation: Preparation, table: Any, target: TrainingTarget, costs: Costs,
    budgets: tuple[float, ...], seed: int,
) -> list[BoughtMachine | None]:  # fmt: skip
    """Return a machine per budget, with the C that suits it best; None where nothing is bought.

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
    errors = cross_validate(svm, groups, budgets, CS, splits, TOL, MAX_STEPS, regression)
    selected = best_c(errors, CS)
    machine_of: dict[float, BoughtMachine | None] = {}
    for C in dict.fromkeys(selected):
        budgets_of_c = [b for b, other in zip(budgets, selected, strict=True) if other == C]
        scaled = svm.with_weights(C * svm.weights)
        for solution in solve_path(scaled, groups, budgets_of_c, TOL, MAX_STEPS, 0):
            machine_of[solution.budget] = _bought(solution, svm, preparation, target, costs)
    return [machine_of[budget] for budget in budgets]


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


def _bought(
    solution: PathSolution, svm: SVMProblem, preparation: Preparation, target: TrainingTarget,
    costs: Costs,
) -> BoughtMachine | None:  # fmt: skip
    """Return the machine of a solution, on the columns whose coefficients are not 0."""
    columns, w = solution.trained.coefficients(svm)
    if not len(columns):
        return None
    link = "identity" if not target.n_classes else "one-against-rest"
    link = "logistic" if target.n_classes == 2 else link
    prepared = preparation.taken(columns)
    model = LinearModel(prepared, w.T, solution.trained.iterate.b, link)
    return BoughtMachine(tuple(np.unique(costs.owners[prepared.source]).tolist()), model)
