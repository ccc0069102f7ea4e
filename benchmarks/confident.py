"""Confident stops: what a threshold promises on held-out rows, and what it keeps on others.

Run it as ``python -m benchmarks.confident`` with SCRIMP_DATA; ``--write`` writes the table into
docs/stopping.md. A model is fitted once per dataset; the rows it was not trained on are divided at
random, many times, into rows that set the thresholds and rows that test them. A second table has
the least spend plus cost of errors, with one threshold and with thresholds by spend.
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import Any

for _name in ("OMP_NUM_THREADS", "NUMBA_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(_name, "2")

import numpy as np  # noqa: E402

from benchmarks.study.datasets import PROBLEMS  # noqa: E402
from benchmarks.study.prices import costs_of  # noqa: E402
from reporting.page import markdown_table, write_parts  # noqa: E402
from scrimp import BudgetedBoostingClassifier, Costs  # noqa: E402
from scrimp.data.error_costs import cost_matrix  # noqa: E402
from scrimp.datasets import fetch_arrays  # noqa: E402
from scrimp.runtime.confidence_path import ConfidencePath, Outcome  # noqa: E402
from scrimp.runtime.confidence_threshold import (  # noqa: E402
    StopGoal,
    chosen_threshold,
    thresholds,
)
from scrimp.runtime.optimal_stopping import total_costs  # noqa: E402
from scrimp.runtime.stopping import Recording  # noqa: E402

ROOT = Path(__file__).parents[1]
N_SPLITS, ALLOWANCE, DELTA = 100, 0.01, 0.05
N_TRAIN, N_POOL = 10_000, 16_000
#: Costs of an error, in parts of the price of everything, and splits that measure them.
ERROR_COSTS, N_COST_SPLITS = (0.5, 2.0, 10.0), 10


def tabular(name: str) -> tuple[Any, np.ndarray, Costs]:
    """Return a problem of the study, with drawn prices."""
    problem = PROBLEMS[name]()
    return problem.X, problem.y, costs_of(problem, 0).bind(problem.X.width, problem.X.columns)


def mnist() -> tuple[np.ndarray, np.ndarray, Costs]:
    """Return MNIST, bought in 49 blocks of 4 x 4 pixels at a price of 1 each."""
    data = fetch_arrays("mnist")
    row, column = np.divmod(np.arange(784), 28)
    blocks = (row // 4) * 7 + column // 4
    return data.X, data.y, Costs.per_group(blocks.tolist(), dict.fromkeys(range(49), 1.0))


DATASETS = {
    "adult": lambda: tabular("adult"),
    "covtype": lambda: tabular("covtype"),
    "MNIST": mnist,
}


def path_of(name: str) -> tuple[ConfidencePath, np.ndarray]:
    """Fit a model, and return what all other rows would answer before each purchase."""
    X, y, costs = DATASETS[name]()
    order = np.random.default_rng(0).permutation(len(y))[: N_TRAIN + N_POOL]
    train, pool = np.sort(order[:N_TRAIN]), np.sort(order[N_TRAIN:])
    model = BudgetedBoostingClassifier(costs, max_depth=5, n_rounds=100, random_state=0)
    predictor = model.fit(X[train], y[train]).predictor_
    target, recording = predictor.target, Recording()
    scores, spend = predictor.answer(X[pool], stop=recording)
    truth = np.searchsorted(target.classes, y[pool])
    full = Outcome(1.0, truth, target.decided(scores), spend)
    return ConfidencePath.of(recording.seen, target, full), target.classes


def halves(path: ConfidencePath, n_splits: int) -> Any:
    """Yield the path divided at random: rows that set thresholds, and rows that test them."""
    rng = np.random.default_rng(1)
    for _ in range(n_splits):
        held = rng.permutation(len(path.full.spend)) % 2 == 0
        yield path.taken(held), path.taken(~held)


def row_of(name: str, path: ConfidencePath, classes: np.ndarray) -> list[str]:
    """Return a line of the table of an allowance."""
    goal = StopGoal(max_increase=ALLOWANCE, delta=DELTA)
    kept, increases, cuts = 0, [], []
    for held_out, test in halves(path, N_SPLITS):
        stopped = test.outcome(chosen_threshold(goal, held_out, classes).confidence)
        increases.append(stopped.wrong.mean() - test.full.wrong.mean())
        cuts.append(1.0 - stopped.spend.mean() / test.full.spend.mean())
        kept += increases[-1] <= ALLOWANCE
    return [
        name, f"{100 * path.full.wrong.mean():.2f}", f"{100 * np.mean(increases):+.2f}",
        f"{kept} of {N_SPLITS}", f"{100 * np.mean(cuts):.0f}%",
    ]  # fmt: skip


def cost_row_of(name: str, path: ConfidencePath, classes: np.ndarray) -> list[str]:
    """Return a line of the table of costs: by spend against one threshold, per cost of an error."""
    line = [name]
    for part in ERROR_COSTS:
        error_cost = part * float(path.full.spend.max())
        costs, goal = cost_matrix(error_cost, classes), StopGoal(error_cost=error_cost)
        totals = np.zeros(3)
        for held_out, test in halves(path, N_COST_SPLITS):
            tried = [float(each) for each in thresholds(len(classes))]
            one = min(tried, key=lambda t: total_costs(held_out.outcome(t), costs).sum())
            levels = np.array(chosen_threshold(goal, held_out, classes).levels)
            stopped = test.full, test.outcome(one), test.outcome_of_levels(levels)
            totals += [total_costs(outcome, costs).sum() for outcome in stopped]
        line += [f"{totals[1] / totals[0]:.2f}", f"{totals[2] / totals[0]:.2f}"]
    return line


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--datasets", type=lambda text: text.split(","), default=list(DATASETS))
    parser.add_argument("--write", action="store_true", help="write it into docs/stopping.md")
    options = parser.parse_args()
    paths = {name: path_of(name) for name in options.datasets}
    header = ["data", "errors without a stop, %", "more with it, points",
              "increase of at most 1 point", "less spend"]  # fmt: skip
    kept = markdown_table(header, [row_of(name, *paths[name]) for name in paths])
    header = ["data"] + [
        f"{words}, an error costs {part:g} x all" for part in ERROR_COSTS
        for words in ("one threshold", "by spend")
    ]  # fmt: skip
    costs = markdown_table(header, [cost_row_of(name, *paths[name]) for name in paths])
    print(f"{kept}\n\n{costs}")
    if options.write:
        parts = {"confident": f"{kept}\n", "stopping-costs": f"{costs}\n"}
        write_parts(ROOT / "docs" / "stopping.md", parts)


if __name__ == "__main__":
    main()
