"""Candidates: ways to make a plan for each budget, by name."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from sklearn.utils import _safe_indexing, get_tags

from ...costs.costs import Costs
from ...costs.item_sets import Items
from ...costs.ledger import within
from ...data.target import Target
from ...learners.boosting import BudgetedBoostingClassifier, BudgetedBoostingRegressor
from ...learners.boosting.rules import RULES
from ...plans import PrefixPlan
from ...plans.components.models import AverageModel, Model
from ...plans.contract import Plan
from ...registry import frontier_learners
from ...runtime.sweep import Sweep
from ...types import Floats, Ints
from ..refit.fitting import seeded
from .families import FAMILIES, Family, given
from .machines import WIDE, BoughtMachine, Inputs, machines
from .problem import Truth
from .rows import Rows
from .training import Problem, fitted

#: Means of several families that are tried beside each of them.
MEANS = (
    ("boosted", "forest"),
    ("boosted", "kernel"),
    ("boosted", "forest", "kernel"),
    ("forest", "kernel"),
)
#: The name of support vector machines among the candidates.
MACHINES = "svm"
#: Rules of boosting that take part, with plans of their own.
LEARNERS = frontier_learners()
#: Rounds of boosting: a regression takes small steps and needs more.
CLASS_ROUNDS, NUMBER_ROUNDS = 50, 300


@dataclass(frozen=True, eq=False)
class Fold:
    """One training: rows, and what to buy at each budget.

    Parameters
    ----------
    problem : Problem
        The whole table.
    index : int array
        The rows to learn from.
    prepared : Rows, optional
        The same, prepared; not if the table is sparse.
    sets : dict of lists of sets of items
        One a budget, as trees see it and as linear models do; none if nobody wants them.
    """

    problem: Problem
    index: Ints
    prepared: Rows | None
    sets: dict[str, list[Items]]

    @property
    def rows(self) -> Rows:
        """The prepared rows."""
        if self.prepared is None:
            raise TypeError("X is sparse, and this candidate takes arrays.")
        return self.prepared

    @property
    def truth(self) -> Truth:
        """What its rows are to predict."""
        return self.problem.truth.taken(self.index)


class Trained(ABC):
    """A candidate after one training."""

    @abstractmethod
    def answers(self, rows: Ints) -> Floats:
        """What it says of rows of the table (budgets, rows, outputs)."""

    @abstractmethod
    def plan(self, budget: int) -> tuple[Plan[Any], Target]:
        """Its plan for a budget, by number, and how its scores are read."""


@dataclass(frozen=True, eq=False)
class TrainedModels(Trained):
    """One model a set of items."""

    fold: Fold
    sets: list[Items]
    models: list[Model | None]

    def answers(self, rows: Ints) -> Floats:
        """Of the models; without one, the prior."""
        X, prior = np.ascontiguousarray(self.fold.problem.X[rows]), self.fold.truth.prior
        known: dict[int, Floats] = {}
        for model in self.models:
            if id(model) not in known:
                said = None if model is None else model.scores(X, np.arange(len(X)))
                known[id(model)] = np.tile(prior, (len(X), 1)) if said is None else said
        return np.stack([known[id(model)] for model in self.models])

    def plan(self, budget: int) -> tuple[Plan[Any], Target]:
        """All items of the set, then the model."""
        model, truth = self.models[budget], self.fold.truth
        if model is None:
            raise ValueError("there is nothing to buy at this budget.")
        return _single(self.sets[budget], model, truth)


@dataclass(frozen=True, eq=False)
class TrainedMachines(Trained):
    """One support vector machine a budget, on a set of its own."""

    fold: Fold
    machines: list[BoughtMachine | None]

    def answers(self, rows: Ints) -> Floats:
        """Of the machines; without one, the prior."""
        X, prior = self.fold.problem.X[rows], self.fold.truth.prior
        nothing = np.tile(prior, (len(rows), 1))
        return np.stack([nothing if own is None else own.answers(X) for own in self.machines])

    def plan(self, budget: int) -> tuple[Plan[Any], Target]:
        """All items of the set, then the machine."""
        own = self.machines[budget]
        if own is None:
            raise ValueError("there is nothing to buy at this budget.")
        return _single(own.items, own.model, self.fold.truth)


def _single(items: Items, model: Model, truth: Truth) -> tuple[Plan[Any], Target]:
    target = Target("shares" if truth.n_classes else "regression", np.arange(truth.n_classes))
    return PrefixPlan.single(items, model, truth.prior), target


@dataclass(frozen=True, eq=False)
class TrainedLearner(Trained):
    """Learners with plans of their own: a model for each budget, or one for all of them."""

    fold: Fold
    models: list[Any]

    def answers(self, rows: Ints) -> Floats:
        """At each budget."""
        problem = self.fold.problem
        X = _safe_indexing(problem.source, rows)
        shape = (len(problem.budgets), len(rows), max(problem.truth.n_classes, 1))
        found = np.zeros(shape)
        for model in {id(model): model for model in self.models}.values():
            own = [b for b, other in enumerate(self.models) if other is model]
            found[own] = self._said(model.sweep(X, [problem.budgets[b] for b in own]))
        return found

    def _said(self, sweep: Sweep) -> Floats:
        """Answers (budgets, rows, outputs), for all classes."""
        problem, said = self.fold.problem, np.moveaxis(sweep.scores, 1, 0)
        if not problem.truth.n_classes:
            return np.asarray(said)
        own = sweep.target.probabilities(said)
        found = np.zeros((*own.shape[:2], problem.truth.n_classes))
        found[..., np.searchsorted(problem.classes, sweep.target.classes)] = own
        return found

    def plan(self, budget: int) -> tuple[Plan[Any], Target]:
        """What answers at this budget."""
        model, problem = self.models[budget], self.fold.problem
        if len(model.target_.classes) != problem.truth.n_classes:
            raise ValueError("the rows that it has learnt from lack a class.")
        return _entry(model.plan_.plan, problem.costs, problem.budgets[budget]), model.target_


def _entry(plan: Plan[Any], costs: Costs, budget: float) -> Plan[Any]:
    """The part of a plan that a budget pays for in full."""
    entries = plan.outline.entries or (plan,)
    paid = [own for own in entries if within(costs.price_of(items_of(own)), budget)]
    if not paid:
        raise ValueError("there is nothing to buy at this budget.")
    return paid[-1]


def items_of(plan: Plan[Any]) -> set[int]:
    """All that a plan may buy."""
    return {item for items in plan.stages.items for item in items}


def learn(model: Any, problem: Problem, index: Ints) -> Any:
    """Fit on some rows of the table as it was given, with the codes of all of it."""
    X, y = _safe_indexing(problem.source, index), problem.labels[index]
    weights = problem.truth.weights[index]
    even = (weights == weights[0]).all()
    model._known_columns = problem.columns
    return model.fit(X, y, **({} if even else {"sample_weight": weights}))


class Candidate(ABC):
    """A way to make plans, not yet trained.

    Attributes
    ----------
    name : str
        As in tables.
    wants_sets : bool
        Whether it is trained on sets that are searched.
    takes_sparse : bool
        Whether it can learn from a sparse table.
    """

    name: str
    wants_sets: ClassVar[bool] = True
    takes_sparse: ClassVar[bool] = False

    @abstractmethod
    def train(self, fold: Fold) -> Trained:
        """Learn from the rows of a fold."""


@dataclass(frozen=True)
class FamilyCandidate(Candidate):
    """A family of models on the sets of items that a search found."""

    name: str
    family: Family

    def train(self, fold: Fold) -> Trained:
        """One model a set."""
        sets = fold.sets.get("linear" if self.name == "linear" else "trees", fold.sets["trees"])
        return TrainedModels(fold, sets, fitted(fold.rows, sets, self.family))


@dataclass(frozen=True)
class MachineCandidate(Candidate):
    """Support vector machines, which find sets of their own."""

    name: str = MACHINES
    wants_sets: ClassVar[bool] = False
    takes_sparse: ClassVar[bool] = True

    def train(self, fold: Fold) -> Trained:
        """One a budget, from small to large."""
        problem = fold.problem
        if fold.prepared is None:
            inputs = Inputs.plain(problem.X[fold.index], problem.costs)
        else:
            design = fold.rows.design
            inputs = Inputs(*design.filled, design.item_of)
        found = machines(inputs, fold.truth, problem.costs, problem.budgets, problem.seed)
        return TrainedMachines(fold, found)


@dataclass(frozen=True)
class LearnerCandidate(Candidate):
    """One of scrimp's own learners."""

    name: str
    make: Callable[[Sequence[float]], Any]
    takes_several: bool = True
    wants_sets: ClassVar[bool] = False
    takes_sparse: ClassVar[bool] = True  # or says that it cannot

    def train(self, fold: Fold) -> Trained:
        """Trained for all budgets at once, or for one after the other."""
        problem = fold.problem
        budgets = [problem.budgets] if self.takes_several else [[b] for b in problem.budgets]
        models = [learn(self.make(own), problem, fold.index) for own in budgets]
        if self.takes_several:
            return TrainedLearner(fold, models * len(problem.budgets))
        for model, budget in zip(models, problem.budgets, strict=True):
            _check_entry(model, problem.costs, budget)
        return TrainedLearner(fold, models)


def _check_entry(model: Any, costs: Costs, budget: float) -> None:
    """Refuse what cannot be an entry of a menu of predictions."""
    if model.target_.kind == "counts":
        raise ValueError("its scores are logarithms of counts; the others' are numbers.")
    if model.plan_.plan.outline.order != "fixed":
        raise ValueError(
            "its plan buys other items for other rows; an entry of a menu buys the same for all."
        )
    if not within(costs.price_of(items_of(model.plan_.plan)), budget):
        raise ValueError(f"it was trained for a budget of {budget:g}, and may read for more.")


def mean_of(parts: Sequence[Trained]) -> Trained | None:
    """The mean of models on the same sets."""
    own = [part for part in parts if isinstance(part, TrainedModels)]
    if len(own) < len(parts) or any(part.sets != own[0].sets for part in own):
        return None
    models: list[Model | None] = []
    for members in zip(*(part.models for part in own), strict=True):
        kept = [model for model in members if model is not None]
        whole = len(kept) == len(members)
        models.append(AverageModel(kept, np.ones(len(kept))) if whole else None)
    return TrainedModels(own[0].fold, own[0].sets, models)


def candidates_of(asked: Any, problem: Problem) -> list[Candidate]:
    """The candidates by name, or of somebody's own."""
    if isinstance(asked, str) and asked == "auto":
        return [_named(name, problem) for name in _usual(problem)]
    if isinstance(asked, str):
        raise TypeError(f"candidates is {asked!r}, one name; expected 'auto' or [{asked!r}].")
    if isinstance(asked, Mapping):
        found = [_own(name, estimator, problem) for name, estimator in asked.items()]
    else:
        found = [
            _named(one, problem) if isinstance(one, str) else _own(type(one).__name__, one, problem)
            for one in asked
        ]
    if not found:
        raise ValueError("candidates is empty; expected at least one.")
    _check_names([candidate.name for candidate in found])
    if problem.is_sparse:
        _refuse_dense_only(found)
    return found


def take_sparse(asked: Any) -> bool:
    """Whether all candidates, as somebody asks for them, can learn from a sparse table."""
    if isinstance(asked, str):
        return asked == "auto"
    each = asked.values() if isinstance(asked, Mapping) else asked
    return all(
        one == MACHINES if isinstance(one, str) else hasattr(one, "sweep") and _reads_sparse(one)
        for one in each
    )


def _reads_sparse(estimator: Any) -> bool:
    return bool(get_tags(estimator).input_tags.sparse)


def _usual(problem: Problem) -> list[str]:
    """Who takes part unasked, by name, from simple to less so."""
    if problem.is_sparse:
        return [MACHINES]
    n, d = problem.X.shape
    first, *others = (name for name, family in FAMILIES.items() if n <= family.most_rows)
    return [first, *([MACHINES] if d > WIDE else []), *others, *LEARNERS]


def _refuse_dense_only(candidates: Sequence[Candidate]) -> None:
    """Name candidates that cannot learn from a sparse table."""
    lost = [candidate.name for candidate in candidates if not candidate.takes_sparse]
    if lost:
        raise ValueError(
            f"X is sparse, and the candidates {lost} take arrays: pass X.toarray(), or leave them "
            f"out. The candidate {MACHINES!r} takes sparse rows."
        )


def _check_names(names: list[str]) -> None:
    """Every candidate has its own name, and + is kept for means."""
    for name in names:
        if names.count(name) > 1:
            raise ValueError(
                f"{names.count(name)} candidates are called {name!r}; give a mapping from names "
                "to estimators."
            )
        if "+" in name:
            raise ValueError(f"The candidate {name!r} has a + in its name, which means have.")


def _named(name: str, problem: Problem) -> Candidate:
    if name in FAMILIES:
        return FamilyCandidate(name, FAMILIES[name])
    if name == MACHINES:
        return MachineCandidate()
    if name not in RULES:
        known = ", ".join([*FAMILIES, MACHINES, *RULES])
        raise ValueError(
            f"There is no candidate {name!r}. There are: {known}; or give an estimator."
        )
    regression = not problem.truth.n_classes

    def make(budgets: Sequence[float]) -> Any:
        learner = BudgetedBoostingRegressor if regression else BudgetedBoostingClassifier
        return learner(
            problem.costs, budget=list(budgets), rule=name, random_state=problem.seed,
            n_rounds=NUMBER_ROUNDS if regression else CLASS_ROUNDS,
        )  # fmt: skip

    return LearnerCandidate(name, make)


def _own(name: str, estimator: Any, problem: Problem) -> Candidate:
    """An estimator of somebody's own: on sets that are searched, or with its own plan."""
    if not hasattr(estimator, "sweep"):
        if not hasattr(estimator, "fit"):
            raise TypeError(
                f"The candidate {name!r} is a {type(estimator).__name__}, no estimator."
            )
        return FamilyCandidate(name, given(estimator))
    if "budget" not in estimator.get_params():
        raise TypeError(
            f"The candidate {name!r}, a {type(estimator).__name__}, cannot be trained for a budget."
        )

    several = isinstance(estimator, BudgetedBoostingClassifier | BudgetedBoostingRegressor)

    def make(budgets: Sequence[float]) -> Any:
        budget = list(budgets) if several else max(budgets)
        own = seeded(estimator, problem.seed)
        return own.set_params(costs=problem.costs, budget=budget)

    return LearnerCandidate(name, make, several)
