"""Boosted stumps of several classes: SAMME, AdaBoost.MH and the logistic loss, at many budgets.

Run it as ``python -m benchmarks.multiclass``; ``--problems letter,isolet`` chooses among the
problems, and ``--write`` writes docs/multiclass_stumps.md. Each model is fitted once, for the price
of all columns, and asked at parts of it. Prices are those of the study.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))
for _name in ("OMP_NUM_THREADS", "NUMBA_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(_name, "2")

import numpy as np  # noqa: E402
from sklearn.datasets import load_digits  # noqa: E402

from benchmarks.study.datasets import PROBLEMS, frame_of, problem_of_table  # noqa: E402
from benchmarks.study.prices import costs_of  # noqa: E402
from benchmarks.study.problems import Problem  # noqa: E402
from reporting.page import Page, markdown_table  # noqa: E402
from scrimp import BudgetedBoostingClassifier  # noqa: E402
from scrimp.datasets import fetch_arrays  # noqa: E402

SEED = 0
#: Budgets as parts of the price of all columns.
SHARES = (0.02, 0.05, 0.1, 0.2, 0.4, 1.0)
#: Rows that are trained on and asked for, at most.
MAX_TRAIN, MAX_TEST = 4_000, 4_000
COVTYPE_ROWS = 12_000
LEAST_PROBABILITY = 1e-6
METHODS: dict[str, dict[str, Any]] = {
    "SAMME": {"loss": "samme"},
    "AdaBoost.MH": {"loss": "exponential"},
    "logistic": {"loss": "logistic"},
}


def _covtype() -> Problem:
    data = fetch_arrays("covtype")
    rows = np.sort(np.random.default_rng(SEED).choice(len(data.y), COVTYPE_ROWS, replace=False))
    y = np.unique(data.y[rows], return_inverse=True)[1]
    return Problem("covtype", "UCI Covertype", frame_of(data.X[rows]), y, "multiclass")


def _digits() -> Problem:
    X, y = load_digits(return_X_y=True)
    return Problem("digits", "scikit-learn's digits", frame_of(X), y, "multiclass")


#: Problems of three classes or more.
SETS: dict[str, Callable[[], Problem]] = {
    "letter": PROBLEMS["letter"],
    "isolet": PROBLEMS["isolet"],
    "digits": _digits,
    "covtype": _covtype,
    "ecoli": lambda: problem_of_table("ecoli", "ecoli", "UCI Ecoli", task="multiclass"),
    "thyroid3": PROBLEMS["thyroid3"],
    "splice": lambda: problem_of_table("splice", "splice", "UCI Splice", task="multiclass"),
}


_INTRODUCTION = f"""Written by `python -m benchmarks.multiclass --write`. Models are fitted once, on
at most {MAX_TRAIN:,} rows, and asked at parts of the price of all columns: errors in percent / log
loss of other rows, and the seconds of the fit in one run on one machine.
`BudgetedBoostingClassifier()` is *logistic*; SAMME is `loss="samme"`,
AdaBoost.MH `loss="exponential"`."""


@dataclass(frozen=True)
class Measured:
    """Errors and log losses at the budgets, and the seconds of a fit."""

    errors: np.ndarray
    log_losses: np.ndarray
    seconds: float


def measure(problem: Problem, params: dict[str, Any]) -> Measured:
    """Fit a booster once and ask it at all budgets."""
    costs = costs_of(problem, SEED)
    train, test = _split(problem)
    begin = time.perf_counter()
    model = BudgetedBoostingClassifier(costs, costs.total, random_state=SEED, **params)
    model.fit(problem.X[train], problem.y[train])
    took = time.perf_counter() - begin
    sweep = model.sweep(problem.X[test], np.array([0.0, *SHARES]) * costs.total)
    y = problem.y[test]
    position = np.searchsorted(model.classes_, y)
    known = model.classes_[np.minimum(position, len(model.classes_) - 1)] == y
    p = sweep.probabilities()[np.arange(len(y)), :, np.where(known, position, 0)]
    p = np.maximum(np.where(known[:, None], p, 0.0), LEAST_PROBABILITY)
    errors = (sweep.labels() != y[:, None]).mean(axis=0)
    return Measured(errors, -np.log(p).mean(axis=0), took)


def _split(problem: Problem) -> tuple[np.ndarray, np.ndarray]:
    """Return the rows to train on and the others: two thirds and one, each at most a cap."""
    order = np.random.default_rng(SEED).permutation(len(problem.y))
    n = round(len(order) * 2 / 3)
    return np.sort(order[:n][:MAX_TRAIN]), np.sort(order[n:][:MAX_TEST])


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.multiclass", description=__doc__)
    parser.add_argument("--problems", default=",".join(SETS), help="as letter,isolet")
    parser.add_argument("--write", action="store_true", help="write docs/multiclass_stumps.md")
    options = parser.parse_args()
    page = Page("multiclass_stumps", "multiclass_stumps/")
    page.add("# Boosted stumps of several classes", _INTRODUCTION)
    header = ["budget", "0 (prior)", *(f"{share:.0%}" for share in SHARES), "seconds"]
    for name in options.problems.split(","):
        problem, rows = SETS[name](), []
        for method, params in METHODS.items():
            done = measure(problem, params)
            cells = [f"{100 * e:.1f} / {loss:.2f}" for e, loss in
                     zip(done.errors, done.log_losses, strict=True)]  # fmt: skip
            rows.append([method, *cells, f"{done.seconds:.1f}"])
            print(name, rows[-1], file=sys.stderr, flush=True)
        page.add(f"## {name}", markdown_table(header, rows))
    print(page.text)
    if options.write:
        page.write(ROOT / "docs")


if __name__ == "__main__":
    main()
