"""Candidates: ways to make a plan for each budget, and how users name them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from sklearn.utils import _safe_indexing, get_tags

from ...costs.ledger import within
from ...data.preparation import Preparation
from ...data.training_rows import seeded
from ...learners.boosting import BudgetedBoostingClassifier, BudgetedBoostingRegressor
from ...learners.boosting.rules import RULES
from ...registry import LEARNERS, frontier_learners
from ...types import Ints
from .base_learners import BASE_LEARNERS, BaseLearner, of_estimator
from .candidate import Candidate
from .problem import Problem, TrainingSet
from .routed_candidate import ROUTED, RoutedCandidate
from .svm_candidate import WIDE, train_svms
from .trained import Trained, TrainedLearners, TrainedModels, TrainedSVMs

#: The name of support vector machines among the candidates.
SVM = "svm"
#: The name of a tree whose rows pay for their own paths.
TREE = "tree"
#: Rules of boosted stumps that take part by default.
DEFAULT_RULES = frontier_learners()
#: The name of a network among the candidates.
NET = "net"
#: Rows that a network sees in one training, over all epochs: more take longer, and gain little.
N_NET_ROWS = 400_000
#: The least and the most epochs of it.
NET_EPOCHS = 8, 60
#: Learners that are trained for several budgets at once, by their names in the registry.
BOOSTERS = ("boosting", "trees")
#: Their rounds.
N_BOOSTER_ROUNDS = 100
#: Classes from which on candidates are trained in the order of how long classes make them take.
MANY_CLASSES = 11
#: Rounds of boosted stumps for classes.
N_CLASS_ROUNDS = 50
#: Rounds for a regression, which takes small steps and needs more.
N_REGRESSION_ROUNDS = 300


@dataclass(frozen=True)
class BaseLearnerCandidate(Candidate):
    """A base learner on the item sets that were searched."""

    name: str
    learner: BaseLearner

    @property
    def slow_classes(self) -> bool:
        """Whether its time grows with the number of classes."""
        return self.learner.slow_classes

    def train(self, rows: TrainingSet) -> Trained:
        """Train one model per set."""
        sets = rows.sets.get("linear" if self.name == "linear" else "trees", rows.sets["trees"])
        models = self.learner.fit_sets(rows, sets)
        rows.fitted[self.name] = dict(zip(sets, models, strict=True))
        return TrainedModels(rows.without_table(), sets, models)


@dataclass(frozen=True)
class SVMCandidate(Candidate):
    """Support vector machines, which select items themselves."""

    name: str = SVM
    wants_sets: ClassVar[bool] = False
    takes_sparse: ClassVar[bool] = True

    def train(self, rows: TrainingSet) -> Trained:
        """Train one SVM per budget, from small to large."""
        problem = rows.problem
        if problem.is_sparse:
            table = problem.X[rows.index]
            preparation = Preparation.plain(np.arange(table.shape[1]))
        else:
            preparation, table = rows.design.filled
        trained = train_svms(
            preparation, table, rows.target, problem.costs, problem.budgets, problem.seed
        )
        return TrainedSVMs(rows.without_table(), trained)


@dataclass(frozen=True)
class LearnerCandidate(Candidate):
    """A learner of scrimp, trained for all budgets at once or for one after the other.

    Parameters
    ----------
    name : str
        Its name in results.
    make : callable (budgets) -> estimator
        Makes an unfitted learner.
    takes_several : bool
        Whether it is trained for several budgets at once.
    """

    name: str
    make: Callable[[Sequence[float]], Any]
    takes_several: bool = True
    wants_sets: ClassVar[bool] = False
    takes_sparse: ClassVar[bool] = True  # or raises an error when it is fitted

    def train(self, rows: TrainingSet) -> Trained:
        """Train one learner for all budgets, or one per budget."""
        problem = rows.problem
        if self.takes_several:
            model = _learn(self.make(problem.budgets), problem, rows.index)
            return TrainedLearners(rows.without_table(), [model] * len(problem.budgets))
        models = [_learn(self.make([b]), problem, rows.index) for b in problem.budgets]
        for model, budget in zip(models, problem.budgets, strict=True):
            _check_plan(model, budget)
        return TrainedLearners(rows.without_table(), models)


def _learn(model: Any, problem: Problem, index: Ints) -> Any:
    """Fit on some rows of the table as it was given, with the category codes of all rows."""
    X, y = _safe_indexing(problem.source, index), problem.labels[index]
    weights = problem.target.weights[index]
    even = (weights == weights[0]).all()
    model._known_columns = problem.columns
    return model.fit(X, y, **({} if even else {"sample_weight": weights}))


def _check_plan(model: Any, budget: float) -> None:
    """Refuse a plan that cannot be an entry of a menu."""
    if model.target_.kind == "counts":
        raise ValueError("its scores are logarithms of counts; the others' are numbers.")
    if model.plan_.plan.outline.order == "drawn":
        raise ValueError("its purchases are drawn by chance; those of a menu's entry are not.")
    if not within(model.plan_.price, budget):
        raise ValueError(f"it was trained for a budget of {budget:g}, and may read for more.")


def in_training_order(candidates: Sequence[Candidate], problem: Problem) -> list[str]:
    """Return the names of candidates in the order in which they are trained.

    That is the given one, but with many classes those come first whose time hardly grows with the
    number of classes: where time is short, more candidates are then tested.
    """
    many = problem.target.n_classes >= MANY_CLASSES
    slow = [candidate.name for candidate in candidates if many and candidate.slow_classes]
    return [one.name for one in candidates if one.name not in slow] + slow


def candidates_of(given: Any, problem: Problem) -> list[Candidate]:
    """Return the candidates that a user gives, by name or as estimators."""
    if isinstance(given, str) and given == "auto":
        return [_named(name, problem) for name in _default_names(problem)]
    if isinstance(given, str):
        raise TypeError(f"candidates is {given!r}, one name; expected 'auto' or [{given!r}].")
    if isinstance(given, Mapping):
        candidates = [_of_estimator(name, one, problem) for name, one in given.items()]
    else:
        candidates = [
            _named(one, problem)
            if isinstance(one, str)
            else _of_estimator(type(one).__name__, one, problem)
            for one in given
        ]
    if not candidates:
        raise ValueError("candidates is empty; expected at least one.")
    _check_names([candidate.name for candidate in candidates])
    if problem.is_sparse:
        _refuse_dense_only(candidates)
    return candidates


def take_sparse(given: Any) -> bool:
    """Return whether all candidates that a user gives can learn from a sparse table."""
    if isinstance(given, str):
        return given == "auto"
    each = given.values() if isinstance(given, Mapping) else given
    return all(
        one == SVM
        if isinstance(one, str)
        else hasattr(one, "sweep") and bool(get_tags(one).input_tags.sparse)
        for one in each
    )


def _default_names(problem: Problem) -> list[str]:
    """Return the names of the default candidates, from simple to complex."""
    if problem.is_sparse:
        return [SVM]
    n, d = problem.X.shape
    first, *others = (name for name, learner in BASE_LEARNERS.items() if n <= learner.max_rows)
    return [first, *([SVM] if d > WIDE else []), *others, *DEFAULT_RULES]


def _refuse_dense_only(candidates: Sequence[Candidate]) -> None:
    """Raise an error that names the candidates that cannot learn from a sparse table."""
    dense_only = [candidate.name for candidate in candidates if not candidate.takes_sparse]
    if dense_only:
        raise ValueError(
            f"X is sparse, and the candidates {dense_only} take arrays: pass X.toarray(), or leave "
            f"them out. The candidate {SVM!r} takes sparse rows."
        )


def _check_names(names: list[str]) -> None:
    """Require distinct names without +, which is reserved for means."""
    for name in names:
        if names.count(name) > 1:
            raise ValueError(
                f"{names.count(name)} candidates are called {name!r}; give a mapping from names "
                "to estimators."
            )
        if "+" in name:
            raise ValueError(f"The candidate {name!r} has a + in its name, which means have.")


def _named(name: str, problem: Problem) -> Candidate:
    """Return a candidate by its name."""
    if name in BASE_LEARNERS:
        return BaseLearnerCandidate(name, BASE_LEARNERS[name])
    if name == SVM:
        return SVMCandidate()
    if name in ROUTED:
        return RoutedCandidate(name)
    if name not in (TREE, NET, *BOOSTERS, *RULES):
        known = ", ".join([*BASE_LEARNERS, *ROUTED, SVM, TREE, NET, *BOOSTERS, *RULES])
        raise ValueError(
            f"There is no candidate {name!r}. There are: {known}; or give an estimator."
        )
    regression = not problem.target.n_classes
    learner = LEARNERS["boosting" if name in RULES else name].estimator(
        "regression" if regression else "classification"
    )
    if name == TREE:
        return _of_estimator(name, learner(random_state=problem.seed), problem)
    params: dict[str, Any] = {"random_state": problem.seed}
    if name == NET:
        n_epochs = int(np.clip(N_NET_ROWS // len(problem.labels), *NET_EPOCHS))
        params |= {"n_epochs": n_epochs, "width": 64, "inner_width": 128}
    else:
        params["n_rounds"] = N_BOOSTER_ROUNDS
    if name in RULES:
        n_rounds = N_REGRESSION_ROUNDS if regression else N_CLASS_ROUNDS
        params |= {"rule": name, "n_rounds": n_rounds, "combine": "vote"}
    return LearnerCandidate(
        name, lambda budgets: learner(costs=problem.costs, budget=list(budgets), **params)
    )


def _of_estimator(name: str, estimator: Any, problem: Problem) -> Candidate:
    """Return the candidate of an estimator: on item sets, or with its plan if it is scrimp's."""
    kind = type(estimator).__name__
    if not hasattr(estimator, "sweep"):
        if not hasattr(estimator, "fit"):
            raise TypeError(f"The candidate {name!r} is a {kind}, no estimator.")
        return BaseLearnerCandidate(name, of_estimator(estimator))
    if "budget" not in estimator.get_params():
        raise TypeError(f"The candidate {name!r}, a {kind}, cannot be trained for a budget.")
    several = isinstance(estimator, BudgetedBoostingClassifier | BudgetedBoostingRegressor)

    def make(budgets: Sequence[float]) -> Any:
        budget = list(budgets) if several else max(budgets)
        return seeded(estimator, problem.seed).set_params(costs=problem.costs, budget=budget)

    return LearnerCandidate(name, make, several)
