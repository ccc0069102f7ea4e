"""Trees of models beside the best sets for all rows, at equal hard budgets.

Run it as ``python -m benchmarks.routed`` with SCRIMP_DATA set; ``--tasks context cube``,
``--seeds 5`` and ``--learners boosted forest`` choose. *fixed* is a `FrontierClassifier` with the
same base learners, which buys one set for all rows. Losses are shares of errors, or squared
errors, at each budget; the ratio is that of their means over the budgets, with its 95% interval
over seeds. ``--time`` compares the time of predictions for 100,000 rows.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import stats

from benchmarks.frontier_ends.tables import TABLES as SMALL
from benchmarks.study.datasets import PROBLEMS as STUDY
from benchmarks.study.prices import costs_of
from scrimp import (
    Costs,
    FrontierClassifier,
    FrontierRegressor,
    RoutedClassifier,
    RoutedRegressor,
)

#: Budgets of tables, as parts of the price of everything.
SHARES = (0.05, 0.1, 0.2, 0.4)
#: Rows of tables to train on, at most, and rows that are tested.
MAX_TRAIN, MAX_TEST = 8_000, 8_000


@dataclass(frozen=True, eq=False)
class Task:
    """Rows to train and to test on, with prices and budgets."""

    X: Any
    y: Any
    X_test: Any
    y_test: Any
    costs: Costs
    budgets: tuple[float, ...]

    @property
    def is_regression(self) -> bool:
        """Whether numbers are predicted."""
        return bool(np.asarray(self.y).dtype.kind == "f")


def context(seed: int) -> Task:
    """The first column says which of five blocks of four columns tells the class."""
    rng, n = np.random.default_rng(seed), 12_000
    X, block = rng.normal(size=(n, 21)), rng.integers(0, 5, n)
    X[:, 0] = block
    values = X[:, 1:].reshape(n, 5, 4)[np.arange(n), block]
    y = (values @ [1.0, 1.0, 0.8, 0.6] + 0.3 * rng.normal(size=n) > 0).astype(int)
    return _halves(X, y, 6_000, Costs.uniform(21), (1, 2, 3, 4, 5, 8))


def _bits(y: Any, rng: np.random.Generator, table: Any, sd: float) -> None:
    """Write the bits of each class, lowest first, to the columns from that class on."""
    for bit in range(3):
        table[np.arange(len(y)), y + bit] = (y >> bit & 1) + rng.normal(0, sd, len(y))


def cube(seed: int) -> Task:
    """CUBE: the bits of the class are in three columns from that of the class on."""
    rng, n = np.random.default_rng(seed), 15_000
    X, y = rng.random((n, 20)), rng.integers(0, 8, n)
    _bits(y, rng, X, 0.3)
    return _halves(X, y, 5_000, Costs.uniform(20), (1, 2, 3, 4, 6, 10))


def cube_nm(seed: int) -> Task:
    """CUBE-NM: the same in one of five blocks, which an item of five columns names."""
    rng, n = np.random.default_rng(seed), 70_000
    X, y, block = rng.normal(0.5, 0.3, (n, 55)), rng.integers(0, 8, n), rng.integers(0, 5, n)
    X[:, :5] = np.eye(5)[block] + rng.normal(0, 0.1, (n, 5))
    for number in range(5):
        rows = np.flatnonzero(block == number)
        part = X[rows, 5 + 10 * number : 15 + 10 * number]
        _bits(y[rows], rng, part, 0.3)
        X[rows, 5 + 10 * number : 15 + 10 * number] = part
    costs = Costs.per_group(["context"] * 5 + [f"x{i}" for i in range(50)], [1.0] * 51)
    return _halves(X, y, 60_000, costs, (5, 7))


def letter(seed: int) -> Task:
    """Letters by 16 attributes of equal price."""
    problem = STUDY["letter"]()
    task = table("letter", seed)
    return Task(
        task.X, task.y, task.X_test, task.y_test,
        Costs.uniform(np.shape(problem.X)[1]), (2, 3, 4, 6, 8),
    )  # fmt: skip


def table(name: str, seed: int) -> Task:
    """An ordinary table with its prices."""
    problem = (STUDY | SMALL)[name]()
    order = np.random.default_rng(seed).permutation(len(problem.y))
    n_train = min(int(0.7 * len(order)), MAX_TRAIN)
    train, test = order[:n_train], order[n_train:][:MAX_TEST]
    costs = costs_of(problem, seed)
    X, y = problem.X, np.asarray(problem.y)
    take = (lambda rows: X.iloc[rows]) if hasattr(X, "iloc") else (lambda rows: X[rows])
    budgets = tuple(float(share * costs.total) for share in SHARES)
    return Task(take(train), y[train], take(test), y[test], costs, budgets)


def _halves(X: Any, y: Any, n: int, costs: Costs, budgets: tuple[float, ...]) -> Task:
    return Task(X[:n], y[:n], X[n:], y[n:], costs, tuple(map(float, budgets)))


TASKS: dict[str, Callable[[int], Task]] = {
    "context": context,
    "cube": cube,
    "cube-nm": cube_nm,
    "letter": letter,
} | {
    name: lambda seed, name=name: table(name, seed)  # type: ignore[misc]
    for name in ("heart", "pima", "thyroid3", "spambase", "adult", "abalone", "satimage")
    if name in STUDY | SMALL
}


def fitted(task: Task, options: argparse.Namespace) -> dict[str, Any]:
    """Return the models of a task."""
    common = {"costs": task.costs, "n_jobs": 1, "max_seconds": options.max_seconds}
    regression, names = task.is_regression, list(options.learners)
    fixed = (FrontierRegressor if regression else FrontierClassifier)(
        budgets=list(task.budgets), candidates=names, **common
    )
    routed = (RoutedRegressor if regression else RoutedClassifier)(
        budget=list(task.budgets), learners=names, **common
    )
    return {"fixed": fixed, "routed": routed}


def losses(model: Any, task: Task) -> np.ndarray:
    """Return the share of errors, or the mean squared error, at each budget."""
    predicted = [model.predict(task.X_test, budget=budget) for budget in task.budgets]
    if task.is_regression:
        return np.array([np.mean((p - task.y_test) ** 2) for p in predicted])
    return np.array([np.mean(p != task.y_test) for p in predicted])


def interval(values: list[float]) -> str:
    """Return the mean with its 95% interval."""
    mean, n = float(np.mean(values)), len(values)
    if n < 2:
        return f"{mean:.3f} (one seed)"
    half = stats.t.ppf(0.975, n - 1) * np.std(values, ddof=1) / np.sqrt(n)
    return f"{mean:.3f} [{mean - half:.3f}, {mean + half:.3f}] of {n} seeds"


def main() -> None:
    """Print losses and ratios of each task."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tasks", nargs="+", default=list(TASKS), choices=list(TASKS))
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--learners", nargs="+", default=["linear", "boosted", "forest", "kernel"])
    parser.add_argument("--max-seconds", type=float)
    parser.add_argument("--time", action="store_true")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    for name in options.tasks:
        ratios = []
        for seed in range(options.first_seed, options.first_seed + options.seeds):
            ratios.append(_compare(name, seed, options))
        print(f"{name}: ratio {interval(ratios)}", flush=True)


def _compare(name: str, seed: int, options: argparse.Namespace) -> float:
    """Fit both models, print their losses, and return the ratio of the means."""
    task, means = TASKS[name](seed), {}
    for method, model in fitted(task, options).items():
        begin = time.process_time()
        model.fit(task.X, task.y)
        seconds = time.process_time() - begin
        per_budget = losses(model, task)
        means[method] = float(per_budget.mean())
        used = [f"{one.budget:g}:{one.candidate}" for one in model.chosen_]
        shown = " ".join(f"{loss:.4g}" for loss in per_budget)
        print(f"{name} {seed} {method}: {shown}  {seconds:.0f} s  {' '.join(used)}", flush=True)
        if options.time:
            print(f"  100,000 rows: {_seconds(model, task):.2f} s", flush=True)
    return means["routed"] / means["fixed"]


def _seconds(model: Any, task: Task) -> float:
    """Return the shortest of three times of predictions for 100,000 rows at the last budget."""
    rows = np.resize(np.arange(len(task.y_test)), 100_000)
    X, times = np.asarray(task.X_test)[rows], []
    for _ in range(3):
        begin = time.perf_counter()
        model.predict(X, budget=task.budgets[-1])
        times.append(time.perf_counter() - begin)
    return min(times)


if __name__ == "__main__":
    main()
