"""Candidates after one training: predictions at all budgets, and a plan for each budget."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils import _safe_indexing

from ...costs.costs import Costs
from ...costs.item_sets import Items
from ...data.target import Target
from ...plans import PrefixPlan
from ...plans.capabilities import affordable_part
from ...plans.components.models import AverageModel, Model
from ...plans.contract import Plan
from ...runtime.sweep import Sweep
from ...types import Floats, Ints
from .problem import TrainingSet
from .svm_candidate import SelectedSVM


class Trained(ABC):
    """A candidate after one training."""

    @abstractmethod
    def predictions(self, rows: Ints) -> Floats:
        """Return predictions (budgets, rows, outputs) for rows of the whole table."""

    @abstractmethod
    def plan(self, budget: int) -> tuple[Plan[Any], Target]:
        """Return the plan for a budget, by its position, and how its scores are read."""

    def mean_with(self, others: Sequence[Trained]) -> Trained | None:
        """Return the mean with other candidates, None if they do not buy the same."""
        return None


@dataclass(frozen=True, eq=False)
class TrainedModels(Trained):
    """One model per budget, each on an item set that was searched."""

    fold: TrainingSet
    sets: list[Items]
    models: list[Model | None]

    def predictions(self, rows: Ints) -> Floats:
        """Return the predictions of the models; without one, the prior."""
        X, prior = np.ascontiguousarray(self.fold.problem.X[rows]), self.fold.target.prior
        by_model: dict[int, Floats] = {}
        for model in self.models:
            if id(model) not in by_model:
                scores = None if model is None else model.scores(X, np.arange(len(X)))
                by_model[id(model)] = np.tile(prior, (len(X), 1)) if scores is None else scores
        return np.stack([by_model[id(model)] for model in self.models])

    def plan(self, budget: int) -> tuple[Plan[Any], Target]:
        """Return a plan that buys the set as a whole."""
        return one_model_plan(self.models[budget], self.fold)

    def mean_with(self, others: Sequence[Trained]) -> Trained | None:
        """Return the mean with models on the same item sets, None if others have other sets."""
        members = [self, *(part for part in others if isinstance(part, TrainedModels))]
        if len(members) <= len(others) or any(part.sets != self.sets for part in members):
            return None
        groups = zip(*(part.models for part in members), strict=True)
        return TrainedModels(self.fold, self.sets, [mean_model(group) for group in groups])


def mean_model(models: Sequence[Model | None]) -> Model | None:
    """Return the mean of models, None if one is lacking."""
    present = [model for model in models if model is not None]
    is_whole = len(present) == len(models)
    return AverageModel(present, np.ones(len(present))) if is_whole else None


@dataclass(frozen=True, eq=False)
class TrainedSVMs(Trained):
    """One support vector machine per budget, each on the items that it has selected."""

    fold: TrainingSet
    svms: list[SelectedSVM | None]

    def predictions(self, rows: Ints) -> Floats:
        """Return the predictions of the SVMs; without one, the prior."""
        X, prior = self.fold.problem.X[rows], self.fold.target.prior
        constant = np.tile(prior, (len(rows), 1))
        return np.stack([constant if svm is None else svm.answers(X) for svm in self.svms])

    def plan(self, budget: int) -> tuple[Plan[Any], Target]:
        """Return a plan that buys the set as a whole."""
        svm = self.svms[budget]
        return one_model_plan(None if svm is None else svm.model, self.fold)


def one_model_plan(model: Model | None, rows: TrainingSet) -> tuple[Plan[Any], Target]:
    """Return the plan that buys the items whose columns the model uses, and no others."""
    model, target = None if model is None else model.trimmed(), rows.target
    if model is None or not len(model.columns):
        raise ValueError("there is nothing to buy at this budget.")
    items = np.unique(rows.problem.costs.owners[model.columns]).tolist()
    kind = "shares" if target.n_classes else "regression"
    plan = PrefixPlan.single(items, model, target.prior)
    return plan, Target(kind, np.arange(target.n_classes))


@dataclass(frozen=True, eq=False)
class TrainedLearners(Trained):
    """Learners of scrimp with their plans: one per budget, or the same for all budgets."""

    fold: TrainingSet
    models: list[Any]

    def predictions(self, rows: Ints) -> Floats:
        """Return the predictions at each budget."""
        problem = self.fold.problem
        X = _safe_indexing(problem.source, rows)
        shape = (len(problem.budgets), len(rows), max(problem.target.n_classes, 1))
        predictions = np.zeros(shape)
        for model in {id(model): model for model in self.models}.values():
            places = [b for b, other in enumerate(self.models) if other is model]
            sweep = model.sweep(X, [problem.budgets[b] for b in places])
            predictions[places] = self._of_all_classes(sweep)
        return predictions

    def _of_all_classes(self, sweep: Sweep) -> Floats:
        """Return predictions (budgets, rows, outputs) with a probability for every class."""
        problem, scores = self.fold.problem, np.moveaxis(sweep.scores, 1, 0)
        if not problem.target.n_classes:
            return np.asarray(scores)
        probabilities = sweep.target.probabilities(scores)
        every = np.zeros((*probabilities.shape[:2], problem.target.n_classes))
        every[..., np.searchsorted(problem.classes, sweep.target.classes)] = probabilities
        return every

    def plan(self, budget: int) -> tuple[Plan[Any], Target]:
        """Return the plan that predicts at this budget."""
        model, problem = self.models[budget], self.fold.problem
        if len(model.target_.classes) != problem.target.n_classes:
            raise ValueError("the rows that it has learnt from lack a class.")
        plan = _affordable_entry(model.plan_.plan, problem.costs, problem.budgets[budget])
        return plan, model.target_


def _affordable_entry(plan: Plan[Any], costs: Costs, budget: float) -> Plan[Any]:
    """Return the last entry of a plan that a budget pays for in full."""
    entries = plan.outline.entries or (plan,)
    paid = [
        part for entry in entries if (part := affordable_part(entry, costs, budget)) is not None
    ]
    if not paid:
        raise ValueError("there is nothing to buy at this budget.")
    return paid[-1]


def items_of(plan: Plan[Any]) -> set[int]:
    """Return all items that a plan may buy."""
    return {item for items in plan.stages.items for item in items}


def mean_of(name: str, trained: Mapping[str, Trained]) -> Trained | None:
    """Return a candidate, or the mean of those joined by + in the name; None if there is none.

    There is a mean of models that buy the same.
    """
    first, *others = (trained[member] for member in name.split("+"))
    return first.mean_with(others) if others else first
