"""Plans of trained machines: their items one by one, and an answer after each.

The coefficients of items that are not bought cannot just be left out: machines are trained on the
first items of a plan too, as far as that takes little time. Other parts of what is bought answer
as the machine of the first items that they hold, changed as least squares change from those to
the part; see `partial_sets`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
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
#: Sizes of a set over that of the one before, of the sets to train on: the first that is possible.
_RATIOS = (1.0, 1.1, 1.25, 1.5, 2.0, 3.0)


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

        def train(prefixes: Sequence[Items]) -> dict[int, LinearSVM]:
            if not has_prefixes:
                return {}
            scaled = self.problem.with_weights(C * self.problem.weights)
            trainer = Trainer(scaled, self.groups, self.max_iter)
            trained = train_on_prefixes(trainer, prefixes)
            return {k: self.machine(each) for k, each in trained.items()}

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
    train: Callable[[Sequence[Items]], Mapping[int, LinearSVM]],
) -> PrefixPlan:  # fmt: skip
    """Return the plan that buys the items of a machine one by one, the most valuable per price.

    With all of them it answers as the machine does. `train` returns machines of some of the
    prefixes, by position; between them answers change as those of `sets` do.
    """
    owners = costs.owners[design.preparation.source[model.columns]]
    bought = list(forward_order(sets, owners, costs))
    items = [item for item, _ in bought]
    order = np.concatenate([np.flatnonzero(owners == item) for item in items])
    counts = np.cumsum([(owners == item).sum() for item in items]).tolist()
    sets, columns = reordered(sets, order), model.columns[order]
    machines = train([tuple(items[: k + 1]) for k in range(len(items) - 1)])
    least_squares = [part[order] for _, part in bought]
    coefficients, bases = _prefix_models(machines, least_squares, sets, columns)
    coefficients[-1], bases[-1] = model.coefficients[order], model.intercepts
    coefficients = [part[:count] for part, count in zip(coefficients, counts, strict=True)]
    stages = StageTable(tuple((item,) for item in items))
    intercepts = np.vstack([model.prior, *bases])
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


def _prefix_models(
    machines: Mapping[int, LinearSVM], least_squares: Sequence[Floats], sets: SubsetModels,
    columns: Ints,
) -> tuple[list[Floats], list[Floats]]:  # fmt: skip
    """Return coefficients of all columns, and intercepts, of each prefix.

    A prefix without a machine has that of the longest before it, plus what least squares gain.
    """
    coefficients, bases = [], []
    more_weights, more_base = np.zeros_like(least_squares[0]), np.zeros_like(sets.middle)
    for k, weights in enumerate(least_squares):
        base = sets.middle - sets.shift.T @ weights
        if k in machines:
            machine = _coefficients_of(machines[k], columns)
            more_weights, more_base = machine - weights, machines[k].intercepts - base
        coefficients.append(weights + more_weights)
        bases.append(base + more_base)
    return coefficients, bases


def _coefficients_of(machine: LinearSVM, columns: Ints) -> Floats:
    """Return the coefficients of some columns; 0 where a machine has none."""
    position = {column: k for k, column in enumerate(columns.tolist())}
    coefficients = np.zeros((len(columns), machine.coefficients.shape[1]))
    known = [k for k, column in enumerate(machine.columns.tolist()) if column in position]
    rows = [position[column] for column in machine.columns[known].tolist()]
    coefficients[rows] = machine.coefficients[known]
    return coefficients


def train_on_prefixes(trainer: Trainer, prefixes: Sequence[Items]) -> dict[int, TrainedSVM]:
    """Train on some of ascending sets of items, each with a warm start from the one before.

    All of them if that takes little time; else sets that are the more apart the longer they are.
    """
    trained: dict[int, TrainedSVM] = {}
    start = zero_iterate(trainer.problem)
    for k in _to_train(trainer, prefixes):
        machine = trainer.train(prefixes[k], start, trainer.final_tol)
        if is_time_over():  # it may be far from its solution
            break
        trained[k], start = machine, trainer.expand(machine)
    return trained


def _to_train(trainer: Trainer, prefixes: Sequence[Items]) -> list[int]:
    """Return the positions of the sets to train on: their estimated work is within the limit."""
    problem = trainer.problem
    masks = [np.flatnonzero(trainer.groups.mask(items)) for items in prefixes]
    sizes = np.array([len(problem.columns_of(mask)) for mask in masks], dtype=np.float64)
    work = _N_STEPS * problem.n_outputs * problem.X.shape[0] * sizes**2
    chosen: list[int] = []
    for ratio in _RATIOS:
        chosen, last = [], 0.0
        for k, size in enumerate(sizes.tolist()):
            if size >= ratio * last:
                chosen.append(k)
                last = size
        if work[chosen].sum() <= MAX_WORK:
            return chosen
    within = np.cumsum(work[chosen]) <= MAX_WORK
    return [k for k, is_within in zip(chosen, within.tolist(), strict=True) if is_within]
