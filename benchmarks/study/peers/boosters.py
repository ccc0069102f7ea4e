"""scrimp's boosted stumps: AdaBoost stopped at the budget, and a rule that sees prices.

The number of rounds is chosen per budget by the inner folds.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.study.splits import Part
from benchmarks.study.tuning import Candidate, Fitted, Trained, prior_error, tuned
from scrimp import BudgetedBoostingClassifier, BudgetedBoostingRegressor, at_budget

ROUNDS = (25, 100, 400)
RECIPE = {"rounds": ROUNDS}


def adaboost(part: Part) -> Trained:
    """Train AdaBoost, or gradient boosting for a number, stopped early at the budget."""
    return _train(part, rule="edge", unaffordable="stop", budget=float(part.budgets[-1]))


def smoothed(part: Part) -> Trained:
    """Train one booster per budget, by the smoothed rule."""
    return _train(part, rule="smoothed", budget=part.budgets.tolist())


def _train(part: Part, **options: Any) -> Trained:
    errors: dict[int, np.ndarray] = {}

    def work(setting: tuple[int]) -> list[Candidate]:
        errors[setting[0]] = _cross_errors(part, setting[0], options)
        return []

    _, tried = tuned(part, [(n,) for n in ROUNDS], work)
    models: dict[int, Any] = {}
    chosen: list[Fitted | None] = []
    floor = prior_error(part)
    for position, budget in enumerate(part.budgets):
        rounds = min(errors, key=lambda n: (errors[n][position], n))
        if errors[rounds][position] >= floor:
            chosen.append(None)
            continue
        if rounds not in models:
            models[rounds] = _fit(part, part.train, rounds, options)
        chosen.append(within(part, models[rounds], float(budget)))
    return Trained(chosen, tried, len(ROUNDS))


def _fit(part: Part, rows: np.ndarray, rounds: int, options: dict[str, Any]) -> Any:
    number = part.problem.task == "regression"
    kind = BudgetedBoostingRegressor if number else BudgetedBoostingClassifier
    model = kind(part.costs, n_rounds=rounds, n_jobs=2, random_state=part.seed, **options)
    return model.fit(part.problem.X[rows], part.problem.y[rows])


def _cross_errors(part: Part, rounds: int, options: dict[str, Any]) -> np.ndarray:
    """Return the mean loss at each budget over the inner folds."""
    errors = []
    for fit, held in part.inner():
        answers = (
            _fit(part, fit, rounds, options).sweep(part.problem.X[held], part.budgets).labels()
        )
        errors.append([part.problem.losses(predicted, held).mean() for predicted in answers.T])
    return np.mean(errors, axis=0)


def within(part: Part, model: Any, budget: float) -> Fitted:
    """Return a model of scrimp's at a budget."""
    limited = at_budget(model, budget)
    return Fitted(
        limited,
        part.costs,
        lambda rows: part.problem.X[rows],
        lambda X: np.asarray(limited.predict(X)),
        keeps_ledger=True,
    )
