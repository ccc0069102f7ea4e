"""Confident stops: what a threshold promises on held-out rows, and what it keeps on others.

Run it as ``python -m benchmarks.confident`` with SCRIMP_DATA; ``--write`` writes the table into
docs/stopping.md. A model is fitted once per dataset; the rows it was not trained on are divided at
random, a hundred times, into rows that set the threshold and rows that test it.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from typing import Any

for _name in ("OMP_NUM_THREADS", "NUMBA_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(_name, "2")

import numpy as np  # noqa: E402

from benchmarks.study.datasets import PROBLEMS  # noqa: E402
from benchmarks.study.prices import costs_of  # noqa: E402
from reporting.page import markdown_table, write_parts  # noqa: E402
from scrimp import BudgetedBoostingClassifier, Costs  # noqa: E402
from scrimp.datasets import fetch_arrays  # noqa: E402
from scrimp.runtime.confidence_threshold import (  # noqa: E402
    Outcome,
    StopGoal,
    chosen_threshold,
    thresholds,
)

ROOT = Path(__file__).parents[1]
N_SPLITS, ALLOWANCE, DELTA = 100, 0.01, 0.05
N_TRAIN, N_POOL = 10_000, 16_000


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


def outcomes(name: str) -> tuple[Outcome, list[Outcome], np.ndarray]:
    """Fit a model, and return what each threshold does to all other rows."""
    X, y, costs = DATASETS[name]()
    order = np.random.default_rng(0).permutation(len(y))[: N_TRAIN + N_POOL]
    train, pool = np.sort(order[:N_TRAIN]), np.sort(order[N_TRAIN:])
    model = BudgetedBoostingClassifier(costs, max_depth=5, n_rounds=100, random_state=0)
    predictor = model.fit(X[train], y[train]).predictor_
    classes = predictor.target.classes
    truth = np.searchsorted(classes, y[pool])
    tried: list[Outcome] = []

    def outcome(confidence: float, stop: str | None) -> Outcome:
        changed = predictor.with_confidence(confidence)
        scores, spend = changed.answer(X[pool], stop=stop)
        return Outcome(confidence, truth, changed.target.decided(scores), spend)

    for each in thresholds(len(classes)):
        tried.append(outcome(float(each), "confident"))
        print(name, f"{each:.4f}", f"{tried[-1].wrong.mean():.4f}", f"{tried[-1].spend.mean():.2f}",
              file=sys.stderr, flush=True)  # fmt: skip
    return outcome(1.0, None), tried, classes


def taken(outcome: Outcome, rows: np.ndarray) -> Outcome:
    """Return the outcome of some of the rows."""
    return Outcome(
        outcome.confidence, outcome.truth[rows], outcome.decided[rows], outcome.spend[rows]
    )


def row_of(name: str) -> list[str]:
    """Return a line of the table."""
    full, tried, classes = outcomes(name)
    goal = StopGoal(max_increase=ALLOWANCE, delta=DELTA)
    by_threshold = {each.confidence: each for each in tried}
    kept, increases, cuts = 0, [], []
    rng = np.random.default_rng(1)
    for _ in range(N_SPLITS):
        order = rng.permutation(len(full.spend))
        held, test = np.array_split(order, 2)
        held_out = (taken(each, held) for each in tried)
        reached = chosen_threshold(goal, taken(full, held), held_out, classes)
        stopped = taken(by_threshold[reached.confidence], test)
        plain = taken(full, test)
        increases.append(stopped.wrong.mean() - plain.wrong.mean())
        cuts.append(1.0 - stopped.spend.mean() / plain.spend.mean())
        kept += increases[-1] <= ALLOWANCE
    return [
        name, f"{100 * full.wrong.mean():.2f}", f"{100 * np.mean(increases):+.2f}",
        f"{kept} of {N_SPLITS}", f"{100 * np.mean(cuts):.0f}%",
    ]  # fmt: skip


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--datasets", type=lambda text: text.split(","), default=list(DATASETS))
    parser.add_argument("--write", action="store_true", help="write it into docs/stopping.md")
    options = parser.parse_args()
    header = ["data", "errors without a stop, %", "more with it, points",
              "increase of at most 1 point", "less spend"]  # fmt: skip
    text = markdown_table(header, [row_of(name) for name in options.datasets])
    print(text)
    if options.write:
        write_parts(ROOT / "docs" / "stopping.md", {"confident": f"{text}\n"})


if __name__ == "__main__":
    main()
