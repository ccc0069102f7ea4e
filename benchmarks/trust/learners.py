"""The learners that are tried: all of the registry, as the command line makes them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from benchmarks.study.problems import Problem
from benchmarks.trust.trials import SEED, Trial
from scrimp import BudgetedBoostingClassifier, CalibratedClassifier
from scrimp.registry import LEARNERS, LearnerSpec

#: How long the frontier may search, for all budgets and for one.
FRONTIER_SECONDS = 5.0
#: Rounds of the booster that is calibrated.
CALIBRATED_ROUNDS = 100


@dataclass(frozen=True)
class Learner:
    """A learner of the registry.

    Parameters
    ----------
    name : str
        As on the command line.
    make : callable
        Makes it from a trial and a budget; None is the full price.
    reason_against : callable
        Returns why it is not tried on a problem; empty where it is.
    takes_budget : bool
        Whether it is trained for a budget, so that training for each is another training.
    answers_without : bool
        Whether it answers for frames that lack columns.
    recipe : mapping
        Settings that its results depend on.
    """

    name: str
    make: Callable[[Trial, float | None], Any]
    reason_against: Callable[[Problem], str]
    takes_budget: bool = True
    answers_without: bool = False
    recipe: Mapping[str, Any] = field(default_factory=dict)


def _task(problem: Problem) -> str:
    return "regression" if problem.task == "regression" else "classification"


def _of_spec(spec: LearnerSpec, **params: Any) -> Learner:
    def make(trial: Trial, budget: float | None) -> Any:
        estimator = spec.estimator(_task(trial.problem))
        model = estimator(costs=trial.costs, **params)
        known = model.get_params(deep=False)
        if spec.budget_parameter in known:
            limit = trial.costs.total if budget is None else budget
            model.set_params(**{spec.budget_parameter: limit})
        if "random_state" in known:
            model.set_params(random_state=SEED)
        return model

    return Learner(
        spec.name, make, lambda problem: _reason(spec, problem),
        spec.budgets != "none", spec.name in ("boosting", "linear", "frontier"), params,
    )  # fmt: skip


def _reason(spec: LearnerSpec, problem: Problem) -> str:
    if spec.missing_extra:
        return f"not installed: {spec.missing_extra}"
    task = _task(problem)
    if task in spec.estimators:
        return ""
    if task not in spec.tasks:
        return f"it does not do {task}"
    is_count = bool((problem.y >= 0).all() and (problem.y == np.round(problem.y)).all())
    return "" if is_count else "these numbers are no counts"


def _frontier() -> Learner:
    def make(trial: Trial, budget: float | None) -> Any:
        return LEARNERS["frontier"].estimator(_task(trial.problem))(
            costs=trial.costs, budgets=None if budget is None else [budget],
            max_seconds=FRONTIER_SECONDS, random_state=SEED,
        )  # fmt: skip

    recipe = {"seconds": FRONTIER_SECONDS}
    return Learner("frontier", make, lambda problem: "", answers_without=True, recipe=recipe)


def _calibrated() -> Learner:
    def make(trial: Trial, budget: float | None) -> Any:
        booster = BudgetedBoostingClassifier(
            trial.costs, trial.costs.total if budget is None else budget,
            n_rounds=CALIBRATED_ROUNDS, random_state=SEED,
        )  # fmt: skip
        return CalibratedClassifier(booster, random_state=SEED)

    def reason(problem: Problem) -> str:
        return _reason(LEARNERS["calibrated"], problem)

    return Learner(
        "calibrated", make, reason, recipe={"rounds": CALIBRATED_ROUNDS, "combine": "stacked"}
    )


_SPECIAL = {"frontier": _frontier(), "calibrated": _calibrated()}
#: All learners, by name.
TRIED: dict[str, Learner] = {
    name: _SPECIAL.get(name) or _of_spec(spec) for name, spec in LEARNERS.items()
}
