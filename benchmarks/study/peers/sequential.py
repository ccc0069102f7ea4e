"""Forward selection by cross-validation, blind to prices, and histogram gradient boosting.

The order is that of scikit-learn's SequentialFeatureSelector, whose steps depend on those before
and not on how many are asked for; it is worked out once for all sizes. A budget takes the columns
in that order, each that it can still pay for.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from threadpoolctl import threadpool_limits

from benchmarks.study.problems import Problem, costs_of_columns
from benchmarks.study.splits import Part
from benchmarks.study.tuning import SLACK, Fitted, Trained, prior_error

MOST_COLUMNS, MOST_ROWS = 25, 8_000
ROUNDS = 50
RECIPE = {"most_columns": MOST_COLUMNS, "most_rows": MOST_ROWS, "rounds": ROUNDS}


def reason_against(problem: Problem) -> str:
    """Why it is not tried, if it is not."""
    rows, columns = problem.X.shape
    if columns <= MOST_COLUMNS and rows <= MOST_ROWS:
        return ""
    return f"only up to {MOST_COLUMNS} columns and {MOST_ROWS:,} rows"


def train(part: Part) -> Trained:
    """Find the order, fill each budget, fit."""
    order, planned = forward_order(part), part.problem.X.width
    made: dict[tuple[int, ...], Fitted] = {}
    chosen: list[Fitted | None] = []
    floor = prior_error(part)
    for budget in part.budgets:
        columns = filled(part, order, float(budget))
        if columns and columns not in made:
            made[columns] = _fitted(part, columns)
        usable = bool(columns) and cross_error(part, list(columns)) < floor
        chosen.append(made[columns] if usable else None)
    return Trained(chosen, len(order), planned)


def forward_order(part: Part) -> list[int]:
    """Columns, each the one that makes the cross-validated error least beside those before it."""
    start, order = time.perf_counter(), []
    left = list(range(part.problem.X.width))
    while left and not (order and time.perf_counter() - start > part.seconds):
        part.tell(f"{len(order)} of {part.problem.X.width} columns")
        errors = [cross_error(part, [*order, column]) for column in left]
        order.append(left.pop(int(np.argmin(errors))))
    return order


def filled(part: Part, order: list[int], budget: float) -> tuple[int, ...]:
    """The columns that a budget pays for, tried in order."""
    taken: list[int] = []
    for column in order:
        items = {part.costs.item_of[own] for own in [*taken, column]}
        if part.costs.price_of(items) <= budget * SLACK:
            taken.append(column)
    return tuple(taken)


def cross_error(part: Part, columns: list[int]) -> float:
    """The mean loss over the inner folds."""
    values, problem = part.problem.coded.values[:, columns], part.problem
    errors = []
    for fit, held in part.inner():
        with threadpool_limits(1):  # small tables: threads would wait for each other
            answers = booster(part, columns).fit(values[fit], problem.y[fit]).predict(values[held])
        errors.append(problem.losses(answers, held).mean())
    return float(np.mean(errors))


def booster(part: Part, columns: list[int]) -> Any:
    """Gradient boosting with categories as they are."""
    kind = (
        HistGradientBoostingRegressor
        if part.problem.task == "regression"
        else HistGradientBoostingClassifier
    )
    return kind(
        max_iter=ROUNDS,
        categorical_features=part.problem.coded.categorical[columns],
        early_stopping=False,
        random_state=part.seed,
    )


def _fitted(part: Part, columns: tuple[int, ...]) -> Fitted:
    values, problem = part.problem.coded.values[:, columns], part.problem
    model = booster(part, list(columns)).fit(values[part.train], problem.y[part.train])
    return Fitted(
        model,
        costs_of_columns(part.costs, columns),
        lambda rows: values[rows],
        lambda X: np.asarray(model.predict(X)),
    )
