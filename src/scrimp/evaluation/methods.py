"""The methods that a comparison knows by name, made from the registry."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from ..costs.costs import Costs
from ..data.validation import check_choice
from ..registry import N_ROUNDS, OPTIONS, LearnerSpec, Variant, variants

TASKS = ("classification", "regression")

#: Whole numbers with more different values than this are amounts rather than classes.
MOST_CLASSES = 20


@dataclass(frozen=True)
class Setting:
    """What a method is made for.

    Parameters
    ----------
    task : {"classification", "regression"}
        What is predicted.
    costs : Costs
        Prices.
    budgets : sequence of float
        The budgets of a method that is trained per budget.
    n_rounds : int or None
        Rounds, where a method has any; by default `N_ROUNDS` of the task.
    seed : int
        Seed of all random numbers.
    error_cost : mapping, array (classes, classes), float or None
        What errors cost, for classifiers.
    max_seconds : float or None
        About how long one training may take, of a method that searches for as long as it may.
    """

    task: str
    costs: Costs
    budgets: Sequence[float]
    n_rounds: int | None = None
    seed: int = 0
    error_cost: Any = None
    max_seconds: float | None = None


@dataclass(frozen=True)
class Method:
    """A learner, or a variant of one, under the name that a comparison gives it."""

    spec: LearnerSpec
    variant: Variant

    @property
    def name(self) -> str:
        """As in tables and on the command line."""
        return self.variant.name

    @property
    def about(self) -> str:
        """A few words."""
        return self.variant.description

    @property
    def tasks(self) -> tuple[str, ...]:
        """What it can predict."""
        return self.spec.tasks

    @property
    def has_rounds(self) -> bool:
        """Whether it takes a number of rounds."""
        return "rounds" in self.spec.options

    @property
    def per_budget(self) -> bool:
        """Whether it is trained for given budgets, rather than once for all of them."""
        return self.spec.trained_per_budget

    @property
    def twin(self) -> str:
        """The method that makes the same choices where all prices are equal, if there is one."""
        return self.variant.twin

    @property
    def on_request(self) -> bool:
        """Whether it is tried only if it is asked for."""
        return not self.spec.compared_by_default

    def make(self, setting: Setting) -> Any:
        """Return the estimator, not fitted."""
        params: dict[str, Any] = {"costs": setting.costs, **self.variant.params}
        rounds = N_ROUNDS[setting.task] if setting.n_rounds is None else setting.n_rounds
        seconds = setting.max_seconds if self.spec.searches else None
        given = {"rounds": rounds, "max-seconds": seconds}
        for option, value in given.items():
            if option in self.spec.options and value is not None:
                params[OPTIONS[option].parameter] = value
        if self.per_budget:
            params[self.spec.budget_parameter] = list(setting.budgets) or None
        if setting.error_cost is not None:
            params["error_cost"] = setting.error_cost
        return new_estimator(self.spec, setting.task, params, setting.seed)


METHODS: dict[str, Method] = {variant.name: Method(spec, variant) for spec, variant in variants()}


def new_estimator(spec: LearnerSpec, task: str, params: Mapping[str, Any], seed: int) -> Any:
    """Return an unfitted estimator for a task; the seed only if it has chance."""
    estimator = spec.estimator(task)(**params)
    seeded = "random_state" in estimator.get_params(deep=False)
    return estimator.set_params(random_state=seed) if seeded else estimator


def task_of(y: NDArray[Any]) -> str:
    """Whether a target looks like classes or like numbers."""
    if y.dtype.kind not in "iuf":
        return "classification"
    values = np.unique(y)
    whole = y.dtype.kind != "f" or bool((values % 1 == 0).all())
    return "classification" if whole and len(values) <= MOST_CLASSES else "regression"


def names_for(task: str, costs: Costs) -> list[str]:
    """All quick methods for a task, but of those that would choose alike only one."""
    able = [m for m in METHODS.values() if task in m.tasks and not m.on_request]
    if _all_cost_the_same(costs):
        able = [method for method in able if not method.twin]
    return [method.name for method in able]


def _all_cost_the_same(costs: Costs) -> bool:
    items = set(costs.item_of)
    alone = not any(costs.requires[item] for item in items)
    return alone and len({costs.prices[item] for item in items}) == 1


def estimators(
    methods: Sequence[Any] | Mapping[str, Any],
    setting: Setting,
    n_rounds: Sequence[int | None],
) -> dict[str, Any]:
    """Estimators by name; with several numbers of rounds, the name says which.

    Those that are given as such are named by their class, and bought at the prices of the
    comparison if they have none of their own.
    """
    if isinstance(methods, Mapping):
        return _with_sweeps(methods)
    if isinstance(methods, str):
        raise TypeError(f"methods is {methods!r}, one name; expected a list: [{methods!r}].")
    if not methods or not n_rounds:
        raise ValueError(f"{'n_rounds' if methods else 'methods'} is empty; expected at least one.")
    given = [method for method in methods if not isinstance(method, str)]
    made = _by_class(given, setting.costs)
    names = dict.fromkeys(method for method in methods if isinstance(method, str))
    # what has rounds can be given up between two of them; what cannot goes last
    for method in sorted(map(find, names), key=lambda method: not method.has_rounds):
        _check_able(method, setting.task)
        several = method.has_rounds and len(n_rounds) > 1
        for rounds in n_rounds if several else n_rounds[:1]:
            name = f"{method.name}/{rounds}" if several else method.name
            made[name] = method.make(replace(setting, n_rounds=rounds))
    return made


def _check_able(method: Method, task: str) -> None:
    """Refuse a method that does not do the task."""
    if task not in method.tasks:
        able = ", ".join(name for name, other in METHODS.items() if task in other.tasks)
        raise ValueError(
            f"The method {method.name!r} is for {method.tasks[0]} only, and this is a {task}. "
            f"For that there are: {able}."
        )


def _by_class(given: Sequence[Any], costs: Costs) -> dict[str, Any]:
    """Estimators of one's own by the names of their classes, numbered where they are the same."""
    made: dict[str, Any] = {}
    for estimator in given:
        if isinstance(estimator, type) or not hasattr(estimator, "sweep"):
            name = getattr(estimator, "__name__", type(estimator).__name__)
            what = f"the class {name}" if isinstance(estimator, type) else f"a {name}"
            raise TypeError(
                f"methods holds {what}; expected names of methods and unfitted scrimp estimators."
            )
        estimator = clone(estimator)
        if estimator.get_params(deep=False).get("costs", costs) is None:
            estimator.set_params(costs=costs)
        name = type(estimator).__name__
        n_same = sum(other.partition(" ")[0] == name for other in made)
        made[f"{name} {n_same + 1}" if n_same else name] = estimator
    return made


def _with_sweeps(given: Mapping[str, Any]) -> dict[str, Any]:
    """Estimators of one's own; they must answer at many budgets."""
    for name, estimator in given.items():
        if not hasattr(estimator, "sweep"):
            raise TypeError(
                f"The method {name!r} is a {type(estimator).__name__}, without budgets; "
                "expected a scrimp estimator."
            )
    return dict(given)


def find(name: str) -> Method:
    """A method by its name."""
    if name in METHODS:
        return METHODS[name]
    close = difflib.get_close_matches(name, METHODS, 1)
    hint = f"Did you mean {close[0]!r}? " if close else ""
    raise ValueError(f"There is no method {name!r}. {hint}There are: {', '.join(METHODS)}.")


def check_task(task: str | None, y: NDArray[Any]) -> str:
    """The task asked for, or the one that the target looks like."""
    if task is None:
        return task_of(y)
    check_choice("task", task, TASKS)
    return task
