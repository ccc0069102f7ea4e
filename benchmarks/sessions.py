"""Sessions per second of every learner, and a sweep of its budgets against one prediction.

Run it as ``python -m benchmarks.sessions``.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from threadpoolctl import threadpool_limits

from benchmarks.data import make_table
from benchmarks.report import Row, as_markdown, seconds
from scrimp import Costs, Predictor
from scrimp.registry import LEARNERS, installed

#: Columns of the table; boosters have as many rounds as they have by default, 500.
N_COLUMNS = 30
#: Rows that are trained on, and rows of a prediction and of a sweep.
N_TRAIN, N_ROWS = 2_000, 50_000
#: Budgets of a sweep.
N_BUDGETS = 50
#: Seconds for which the sessions of a model run at a time, and how often its turn comes.
TURN, TURNS = 0.2, 5
#: The plain booster, which the others are compared with.
PLAIN = "boosting, `vote`"
#: The smallest part of the plain booster's sessions per second, and the longest sweep.
LEAST_SESSIONS, LONGEST_SWEEP = 1 / 3, 2.0


@dataclass(frozen=True, eq=False)
class Fitted:
    """A fitted model and the columns that it was trained on."""

    predictor: Predictor
    X: np.ndarray

    def run_session(self, budget: float | None, key: int = 0) -> None:
        """Follow one row to its answer."""
        row = self.X[key % len(self.X)].tolist()
        session = self.predictor.session(budget, key=key)
        while (request := session.ask()) is not None:
            session.tell({column: row[int(column[1:])] for column in request.columns})
        session.read()


def _variants(task: str, name: str) -> dict[str, dict[str, Any]]:
    """Return parameters by what they are called in the table, of a learner for a task."""
    budgets = np.linspace(0.1, 1.0, 10).tolist()
    trees = {"classification": DecisionTreeClassifier, "regression": DecisionTreeRegressor}
    special: dict[str, dict[str, dict[str, Any]]] = {
        "boosting": {
            "": {"random_state": 0},
            ", 10 budgets": {"budget": budgets, "random_state": 0},
            ", `vote`": {"combine": "vote", "random_state": 0},
            ", `vote`, 10 budgets": {"combine": "vote", "budget": budgets, "random_state": 0},
        },
        "sampled": {"": {"random_state": 0}, ", `vote`": {"combine": "vote", "random_state": 0}},
        "svm": {"": {"budget": budgets}},
        "frontier": {"": {"budgets": budgets[::3], "max_seconds": 20.0, "random_state": 0}},
        "refit": {"": {"estimator": trees.get(task, DecisionTreeRegressor)(max_depth=5)}},
        "calibrated": {"": {"estimator": LEARNERS["boosting"].estimator("classification")()}},
    }
    return special.get(name, {"": {}})


def fitted_models() -> Iterator[tuple[str, Fitted]]:
    """Yield each learner of the registry, fitted, with its name in the table."""
    X, y, prices = make_table(N_TRAIN, N_COLUMNS)
    X, costs = X.astype(np.float64), Costs.per_feature(0.1 + prices)
    targets = {"classification": y, "regression": X[:, 0] + y, "counts": y + (X[:, 1] > 0)}
    for spec in installed():
        if spec.missing_extra:
            continue
        for task, make in spec.estimators.items():
            for variant, params in _variants(task, spec.name).items():
                parts = {key: _in_money(key, value, costs) for key, value in params.items()}
                model = make(costs=costs, **parts).fit(X, targets[task])
                name = spec.name + variant + (f", {task}" if task != "classification" else "")
                yield name, Fitted(model.predictor_, X)


def _in_money(name: str, value: Any, costs: Costs) -> Any:
    """Return parts of the price of everything as budgets, other parameters as they are."""
    return [part * costs.total for part in value] if name in ("budget", "budgets") else value


def session_times(models: Mapping[str, Fitted], share: float | None) -> dict[str, float]:
    """Return the seconds of a session of each model, the least of some turns."""
    times = dict.fromkeys(models, np.inf)
    with threadpool_limits(1):
        for turn in range(TURNS):
            for name, model in models.items():
                budget = None if share is None else share * model.predictor.costs.total
                model.run_session(budget)
                start, n = time.perf_counter(), 0
                while (passed := time.perf_counter() - start) < TURN:
                    model.run_session(budget, key=turn + n)
                    n += 1
                times[name] = min(times[name], passed / n)
    return times


def session_rows(models: Mapping[str, Fitted]) -> list[Row]:
    """Return the sessions per second of each model, against those of the plain booster."""
    rows = []
    for share, what in ((None, "without a limit"), (0.5, "at half the price")):
        times = session_times(models, share)
        for name, own in times.items():
            ratio = times[PLAIN] / own
            rows.append(
                Row(f"sessions of {name}, {N_COLUMNS} columns, {what}",
                    "(reported)" if name == PLAIN else "at least 1/3 of the plain booster's",
                    f"{ratio:.2f} x", None if name == PLAIN else ratio >= LEAST_SESSIONS,
                    f"{1 / own:.0f} a second")
            )  # fmt: skip
    return rows


def sweep_rows(models: Mapping[str, Fitted]) -> list[Row]:
    """Return the time of a sweep over that of a prediction, of each model with a fixed order."""
    X = make_table(N_ROWS, N_COLUMNS, seed=1)[0].astype(np.float64)
    rows = []
    for name, model in models.items():
        predictor = model.predictor
        if predictor.plan.outline.order != "fixed":
            continue
        budgets = np.linspace(0.0, predictor.plan.price, N_BUDGETS)
        predictor.predict(X[:100]), predictor.sweep(X[:100], budgets)
        predict = seconds(lambda p=predictor: p.predict(X), repeats=5)
        sweep = seconds(lambda p=predictor, b=budgets: p.sweep(X, b), repeats=3)
        ratio = sweep / predict
        rows.append(
            Row(f"sweep of {N_BUDGETS} budgets of {name}, {N_ROWS:,} x {N_COLUMNS}",
                "at most 2 x one full predict", f"{ratio:.2f} x", ratio <= LONGEST_SWEEP,
                f"{1e3 * sweep:.0f} ms against {1e3 * predict:.0f} ms")
        )  # fmt: skip
    return rows


def all_rows() -> list[Row]:
    """Return the rows of both tables."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        models = dict(fitted_models())
        return session_rows(models) + sweep_rows(models)


if __name__ == "__main__":
    print(as_markdown(all_rows()))
