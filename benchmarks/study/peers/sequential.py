"""Forward selection by cross-validation, blind to prices, and histogram gradient boosting.

The order is that of scikit-learn's SequentialFeatureSelector, whose steps depend on those before
and not on how many are asked for; it is worked out once for all sizes. A budget takes the columns
in that order, each that it can still pay for.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from threadpoolctl import threadpool_limits

from benchmarks.study.problems import Problem, costs_of_columns
from benchmarks.study.splits import Part
from benchmarks.study.tuning import SLACK, Fitted, Trained, prior_error

#: With more columns than this it is not tried: the selection would take too long.
MAX_COLUMNS = 25
#: With more rows than this it is not tried.
MAX_ROWS = 8_000
#: Rounds of gradient boosting.
ROUNDS = 50
RECIPE = {"most_columns": MAX_COLUMNS, "most_rows": MAX_ROWS, "rounds": ROUNDS}


def reason_against(problem: Problem) -> str:
    """Return why it is not tried; empty if it is."""
    rows, columns = problem.X.shape
    if columns <= MAX_COLUMNS and rows <= MAX_ROWS:
        return ""
    return f"only up to {MAX_COLUMNS} columns and {MAX_ROWS:,} rows"


def train(part: Part) -> Trained:
    """Find the order, fill each budget, and fit."""
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
    """Return columns, each of the least cross-validated error beside those before it."""
    order: list[int] = []
    left = list(range(part.problem.X.width))
    while left and not (order and part.is_over):
        part.tell(f"{len(order)} of {part.problem.X.width} columns")
        errors = [cross_error(part, [*order, column]) for column in left]
        order.append(left.pop(int(np.argmin(errors))))
    return order


def filled(part: Part, order: list[int], budget: float) -> tuple[int, ...]:
    """Return the columns that a budget pays for, tried in order."""
    taken: list[int] = []
    for column in order:
        items = {part.costs.item_of[c] for c in [*taken, column]}
        if part.costs.price_of(items) <= budget * SLACK:
            taken.append(column)
    return tuple(taken)


def cross_error(part: Part, columns: list[int]) -> float:
    """Return the mean loss over the inner folds."""
    values, problem = part.problem.coded.values[:, columns], part.problem
    errors = []
    for fit, held in part.inner():
        with threadpool_limits(1):  # small tables: threads would wait for each other
            answers = booster(part, columns).fit(values[fit], problem.y[fit]).predict(values[held])
        errors.append(problem.losses(answers, held).mean())
    return float(np.mean(errors))


def booster(part: Part, columns: list[int]) -> Any:
    """Return gradient boosting with native categories."""
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
