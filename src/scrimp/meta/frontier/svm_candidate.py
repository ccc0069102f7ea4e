"""The candidate that finds its own sets: support vector machines under a budget."""

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

#: What errors may count, how exactly it is solved, and in how many steps.
CS, TOL, MOST_STEPS = (0.01, 0.1, 1.0), 3e-3, 1_000
#: Columns from which on such machines take part unasked: what to buy is then hard to search.
WIDE = 1_000


@dataclass(frozen=True, eq=False)
class Inputs:
    """Columns as machines take them.

    Parameters
    ----------
    preparation : Preparation
        How they are made of the table's.
    table : float array or CSR matrix (rows, prepared columns)
        Of the training rows.
    owners : int array (prepared columns,)
        The item that brings each.
    """

    preparation: Preparation
    table: Any
    owners: Ints

    @classmethod
    def plain(cls, table: Any, costs: Costs) -> Inputs:
        """The columns as they are, of a sparse table."""
        return cls(Preparation.plain(np.arange(table.shape[1])), table, costs.owners)

    def groups(self, costs: Costs) -> Groups:
        """The items as groups of prepared columns."""
        order = np.argsort(self.owners, kind="stable")
        ends = np.searchsorted(self.owners[order], np.arange(costs.n_items + 1))
        columns = tuple(tuple(order[a:b].tolist()) for a, b in pairwise(ends))
        return Groups(Costs(costs.names, costs.prices, columns, costs.requires))


@dataclass(frozen=True, eq=False)
class BoughtMachine:
    """A machine on a set of items."""

    items: Items
    model: LinearModel

    def answers(self, X: Any) -> Floats:
        """Of rows of the whole table."""
        if not sparse.issparse(X):
            return self.model.scores(np.ascontiguousarray(X), np.arange(len(X)))
        sums = np.asarray(X[:, self.model.preparation.source] @ self.model.weights)
        return LINKS[self.model.link](sums + self.model.base)


def machines(
    inputs: Inputs, truth: TrainingTarget, costs: Costs, budgets: tuple[float, ...], seed: int
) -> list[BoughtMachine | None]:
    """One a budget, with the C that suits it best; None where nothing can be bought."""
    groups = inputs.groups(costs)
    machine = _machine(inputs, truth, groups)
    splits = [_held_out(len(truth.y), seed)]
    errors = cross_validate(
        machine, groups, budgets, CS, splits, TOL, MOST_STEPS, not truth.n_classes
    )
    chosen = best_c(errors, CS)
    found: dict[float, BoughtMachine | None] = {}
    for C in dict.fromkeys(chosen):
        own = [b for b, other in zip(budgets, chosen, strict=True) if other == C]
        scaled = machine.with_weights(C * machine.weights)
        for solved in solve_path(scaled, groups, own, TOL, MOST_STEPS, 0):
            found[solved.budget] = _bought(solved, machine, inputs, truth)
    return [found[budget] for budget in budgets]


def _machine(inputs: Inputs, truth: TrainingTarget, groups: Groups) -> SVMProblem:
    if truth.n_classes:
        positive = np.arange(1, 2) if truth.n_classes == 2 else np.arange(truth.n_classes)
        targets = np.where(truth.y == positive[:, None], 1.0, -1.0)
    else:
        targets = truth.y[None]
    loss = LOSSES["squared_hinge" if truth.n_classes else "squared_epsilon_insensitive"]
    return SVMProblem.from_table(inputs.table, targets, truth.weights, groups, loss)


def _held_out(n: int, seed: int) -> tuple[Ints, Ints]:
    """A quarter of the rows."""
    order = np.random.default_rng([seed, n]).permutation(n)
    test, train = np.split(order, [max(n // 4, 1)])
    return np.sort(train), np.sort(test)


def _bought(
    solved: PathSolution, machine: SVMProblem, inputs: Inputs, truth: TrainingTarget
) -> BoughtMachine | None:
    trained = solved.trained
    columns, w = trained.coefficients(machine)
    if not len(columns):
        return None
    link = "identity" if not truth.n_classes else "one-against-rest"
    link = "logistic" if truth.n_classes == 2 else link
    preparation = inputs.preparation.taken(columns)
    model = LinearModel(preparation, w.T, trained.iterate.b, link)
    return BoughtMachine(tuple(np.unique(inputs.owners[columns]).tolist()), model)
