"""The methods that a comparison knows by name: a new learner is one line here."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..costs.costs import Costs
from ..data.validation import check_choice

TASKS = ("classification", "regression")

#: Whole numbers with more different values than this are amounts rather than classes.
MOST_CLASSES = 20

#: Few rounds do best on small tables; a regression takes small steps and needs more.
ROUNDS = {"classification": 50, "regression": 300}


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
        What a method with one training a budget is trained for.
    n_rounds : int
        Rounds, where a method has any.
    seed : int
        Of all that is random.
    """

    task: str
    costs: Costs
    budgets: Sequence[float]
    n_rounds: int
    seed: int


@dataclass(frozen=True)
class Method:
    """A way to learn, by its name.

    Parameters
    ----------
    name : str
        As in tables and on the command line.
    about : str
        A few words.
    make : function of a Setting
        The estimator, not fitted.
    tasks : tuple of str
        What it can predict.
    has_rounds : bool
        Whether it is told a number of rounds.
    per_budget : bool
        Whether it is trained for a budget, rather than once for all of them.
    twin : str
        The method that makes the same choices where all prices are equal, if there is one.
    on_request : bool
        Whether it takes so long that it is tried only if it is asked for.
    """

    name: str
    about: str
    make: Callable[[Setting], Any]
    tasks: tuple[str, ...] = TASKS
    has_rounds: bool = True
    per_budget: bool = True
    twin: str = ""
    on_request: bool = False


def _booster(rule: str) -> Callable[[Setting], Any]:
    def make(setting: Setting) -> Any:
        from ..learners.boosting import BudgetedBoostingClassifier, BudgetedBoostingRegressor

        regression = setting.task == "regression"
        learner = BudgetedBoostingRegressor if regression else BudgetedBoostingClassifier
        return learner(
            setting.costs, budget=list(setting.budgets) or None, rule=rule,
            n_rounds=setting.n_rounds, random_state=setting.seed,
        )  # fmt: skip

    return make


def _sampled(setting: Setting) -> Any:
    from ..learners.boosting import SampledBoostingClassifier

    return SampledBoostingClassifier(
        setting.costs, n_rounds=setting.n_rounds, random_state=setting.seed
    )


def _tree(setting: Setting) -> Any:
    from ..learners.trees import BudgetedTreeClassifier

    return BudgetedTreeClassifier(setting.costs, random_state=setting.seed)


def _linear(setting: Setting) -> Any:
    from ..learners.linear import SequencedClassifier, SequencedRegressor

    regression = setting.task == "regression"
    learner = SequencedRegressor if regression else SequencedClassifier
    return learner(setting.costs, criterion="forward", missing="mean")


def _frontier(setting: Setting) -> Any:
    from ..meta.frontier import FrontierClassifier, FrontierRegressor

    learner = FrontierRegressor if setting.task == "regression" else FrontierClassifier
    return learner(setting.costs, list(setting.budgets) or None, random_state=setting.seed)


_BOOSTING = {
    "smoothed": "boosting that weighs value against price, less so the more is spent",
    "greedy": "boosting, most value per price",
    "speedboost": "boosting, fastest fall of the loss per price",
    "hybrid": "boosting, first greedy and then smoothed",
    "edge": "AdaBoost stopped at the budget",
}
_CLASSES = ("classification",)

METHODS: dict[str, Method] = {
    method.name: method
    for method in (
        *(
            Method(rule, about, _booster(rule), twin="" if rule == "smoothed" else "smoothed")
            for rule, about in _BOOSTING.items()
        ),
        Method("sampled", "AdaBoost, its vote sampled", _sampled, _CLASSES, per_budget=False),
        Method("tree", "a pruned tree", _tree, _CLASSES, has_rounds=False, per_budget=False),
        Method(
            "linear",
            "a linear model in one order of purchases",
            _linear,
            has_rounds=False,
            per_budget=False,
        ),
        Method(
            "frontier",
            "the best of many models for each budget; slow, tried on request",
            _frontier,
            has_rounds=False,
            on_request=True,
        ),
    )
}


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
    methods: Sequence[str] | Mapping[str, Any],
    setting: Callable[[int], Setting],
    task: str,
    n_rounds: Sequence[int],
) -> dict[str, Any]:
    """Estimators by name; with several numbers of rounds, the name says which."""
    if isinstance(methods, Mapping):
        return _with_sweeps(methods)
    if isinstance(methods, str):
        raise TypeError(f"methods is {methods!r}, one name; expected a list: [{methods!r}].")
    if not methods or not n_rounds:
        raise ValueError(f"{'n_rounds' if methods else 'methods'} is empty; expected at least one.")
    made = {}
    # what has rounds can be given up between two of them; what cannot goes last
    chosen = sorted(map(find, dict.fromkeys(methods)), key=lambda method: not method.has_rounds)
    for method in chosen:
        if task not in method.tasks:
            able = ", ".join(name for name, other in METHODS.items() if task in other.tasks)
            raise ValueError(
                f"The method {method.name!r} is for {method.tasks[0]} only, and this is a {task}. "
                f"For that there are: {able}."
            )
        several = method.has_rounds and len(n_rounds) > 1
        for rounds in n_rounds if several else n_rounds[:1]:
            made[f"{method.name}/{rounds}" if several else method.name] = method.make(
                setting(rounds)
            )
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
