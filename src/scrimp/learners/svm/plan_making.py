"""Plans of trained machines: their items one by one, and an answer after each.

The coefficients of items that are not bought cannot just be left out: machines are trained on the
first items of a plan too, as far as that takes little time. Other parts of what is bought answer
as the machine of the first items that they hold, changed as least squares change from those to
the part; see `partial_sets`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...costs.costs import Costs
from ...costs.item_sets import Items
from ...data.linear_design import LinearDesign
from ...plans import LinearPrefixes, MenuPlan, ModelSequence, PrefixPlan
from ...plans.components.models import LinearModel
from ...plans.components.subset_models import SubsetModels
from ...plans.contract import Plan, StageTable
from ...runtime.time_limit import is_time_over
from ...types import Floats, Ints
from .groups import Groups
from .partial_sets import answers_to_parts, forward_order, least_squares_sets, reordered
from .path import PathSolution
from .problem import SVMProblem
from .relaxation import zero_iterate
from .standardisation import Standardisation
from .training import TrainedSVM, Trainer

#: Multiplications of Newton steps, by estimate, that training on the first items may take: seconds.
MAX_WORK = 3e9
#: Newton steps of a training from a warm start, by estimate.
_N_STEPS = 6


@dataclass(frozen=True, eq=False)
class LinearSVM:
    """A trained machine, in the units of the table.

    Parameters
    ----------
    columns : int array
        The prepared columns with a coefficient that is not 0.
    coefficients : float array (columns, outputs)
        Their coefficients.
    intercepts : float array (outputs,)
        The intercepts.
    prior : float array (outputs,)
        The answer without columns.
    """

    columns: Ints
    coefficients: Floats
    intercepts: Floats
    prior: Floats


@dataclass(frozen=True, eq=False)
class PlanMaker:
    """Makes plans of solutions, in the units of the table.

    Parameters
    ----------
    problem : SVMProblem
        The table as it was trained on, with the weights of rows before they are multiplied by C.
    groups : Groups
        Of its columns.
    costs : Costs
        Of the columns before they are prepared.
    design : LinearDesign
        How they are prepared.
    standardisation : Standardisation
        Of the prepared columns.
    shift : float
        What was subtracted from the targets.
    prior : float array (outputs,)
        The answer without columns.
    max_iter : int
        The largest number of steps of a training.
    """

    problem: SVMProblem
    groups: Groups
    costs: Costs
    design: LinearDesign
    standardisation: Standardisation
    shift: float
    prior: Floats
    max_iter: int

    def menu(self, path: Sequence[PathSolution], Cs: Floats, is_whole: bool) -> Plan[Any]:
        """Return a menu with one entry per budget, the largest last.

        A budget below all others has the first items of the first entry: machines are trained on
        these too if `is_whole`, that is if the training was not interrupted.
        """
        entries = [
            self._entry(solution.trained, C, is_whole and number == 0)
            for number, (solution, C) in enumerate(zip(path, Cs.tolist(), strict=True))
        ]
        return entries[0] if len(entries) == 1 else MenuPlan(entries)

    def _entry(self, trained: TrainedSVM, C: float, has_prefixes: bool) -> PrefixPlan:
        """Return the plan of one machine."""
        model = self.machine(trained)
        if not len(model.columns):
            return PrefixPlan.constant(self.prior)
        if not answers_to_parts(self.problem, model.columns):
            return _whole(model, self.design, self.costs)
        sets = least_squares_sets(
            self.problem, model.columns, C, self.standardisation, self.shift
        )  # fmt: skip

        def train(prefixes: Sequence[Items]) -> list[LinearSVM]:
            if not has_prefixes:
                return []
            scaled = self.problem.with_weights(C * self.problem.weights)
            trainer = Trainer(scaled, self.groups, self.max_iter)
            return [self.machine(each) for each in train_on_prefixes(trainer, prefixes)]

        return plan_of_parts(model, sets, self.design, self.costs, train)

    def machine(self, trained: TrainedSVM) -> LinearSVM:
        """Return a trained machine in the units of the table; answers are shifted back."""
        columns, w = trained.coefficients(self.problem)
        intercepts = trained.iterate.b + self.shift
        if len(columns):
            w, intercepts = self.standardisation.undo(columns, w, intercepts)
        return LinearSVM(columns, w.T, intercepts, self.prior)


def _whole(model: LinearSVM, design: LinearDesign, costs: Costs) -> PrefixPlan:
    """Return the plan that buys all or nothing, not those whose coefficients are 0."""
    prepared = design.preparation.taken(model.columns)
    linear = LinearModel(prepared, model.coefficients, model.intercepts, "identity", design.fills)
    items = np.unique(costs.owners[prepared.source]).tolist()
    return PrefixPlan.single(items, linear, model.prior)


def plan_of_parts(
    model: LinearSVM, sets: SubsetModels, design: LinearDesign, costs: Costs,
    train: Callable[[Sequence[Items]], Sequence[LinearSVM]],
) -> PrefixPlan:  # fmt: skip
    """Return the plan that buys the items of a machine one by one, the most valuable per price.

    With all of them it answers as the machine does, with the first of them as the machines that
    `train` returns, and as `sets` where there is none.
    """
    owners = costs.owners[design.preparation.source[model.columns]]
    bought = list(forward_order(sets, owners, costs))
    items = [item for item, _ in bought]
    order = np.concatenate([np.flatnonzero(owners == item) for item in items])
    counts = np.cumsum([(owners == item).sum() for item in items]).tolist()
    sets, columns = reordered(sets, order), model.columns[order]
    machines = train([tuple(items[: k + 1]) for k in range(len(items) - 1)])
    parts = [_coefficients_of(machine, columns) for machine in machines]
    bases = [machine.intercepts for machine in machines]
    for (_, part), count in list(zip(bought, counts, strict=True))[len(parts) : -1]:
        parts.append(part[order[:count]])
        bases.append(sets.middle - sets.shift[:count].T @ parts[-1])
    coefficients = [*parts, model.coefficients[order]]
    coefficients = [part[:count] for part, count in zip(coefficients, counts, strict=True)]
    stages = StageTable(tuple((item,) for item in items))
    intercepts = np.vstack([model.prior, *bases, model.intercepts])
    if design.has_indicators:
        prepared = design.preparation.taken(columns)
        models = [
            LinearModel(prepared.taken(np.arange(len(part))), part, base, "identity", design.fills)
            for part, base in zip(coefficients, intercepts[1:], strict=True)
        ]
        return PrefixPlan(stages, ModelSequence(models, intercepts[0]), sets)
    fill = () if design.fill is None else design.fill[columns]
    prefixes = LinearPrefixes(columns, counts, intercepts, np.concatenate(coefficients), fill)
    return PrefixPlan(stages, prefixes, sets)


def _coefficients_of(machine: LinearSVM, columns: Ints) -> Floats:
    """Return the coefficients of some columns; 0 where a machine has none."""
    position = {column: k for k, column in enumerate(columns.tolist())}
    coefficients = np.zeros((len(columns), machine.coefficients.shape[1]))
    known = [k for k, column in enumerate(machine.columns.tolist()) if column in position]
    rows = [position[column] for column in machine.columns[known].tolist()]
    coefficients[rows] = machine.coefficients[known]
    return coefficients


def train_on_prefixes(trainer: Trainer, prefixes: Sequence[Items]) -> list[TrainedSVM]:
    """Train on ascending sets of items, each with a warm start from the one before.

    It ends where the trainings would take too long, or when the time is over.
    """
    problem, trained, work = trainer.problem, [], 0.0
    start = zero_iterate(problem)
    for items in prefixes:
        n_columns = len(problem.columns_of(np.flatnonzero(trainer.groups.mask(items))))
        work += _N_STEPS * problem.n_outputs * problem.X.shape[0] * n_columns**2
        if work > MAX_WORK or is_time_over():
            break
        trained.append(trainer.train(items, start, trainer.final_tol))
        start = trainer.expand(trained[-1])
    return trained if not is_time_over() else trained[:-1]
