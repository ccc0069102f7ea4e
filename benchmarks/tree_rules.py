"""Trees on a budget: rules that look at prices beside the price-blind tree, at equal spend.

Run it as ``python -m benchmarks.tree_rules`` with SCRIMP_DATA set; ``--problems heart pima`` and
``--seeds 3`` choose. Prices are Turney's (1995) where there are any, else drawn. Losses are shares
of errors, or squared errors, as parts of the prior's.

- *per budget*: the mean loss of trees that are fitted for each budget;
- *once*: the mean loss of a tree that is fitted without a limit and asked at these budgets;
- *average*: the mean loss at equal mean spend on the test rows, by trees pruned to an average.
"""

from __future__ import annotations

import argparse
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.frontier_ends.tables import TABLES as SMALL
from benchmarks.study.datasets import PROBLEMS as STUDY
from benchmarks.study.prices import costs_of
from benchmarks.study.problems import Loader, Problem
from reporting.page import markdown_table, write_parts
from scrimp.learners.trees import BudgetedTreeClassifier, BudgetedTreeRegressor

DOCS = Path(__file__).parents[1] / "docs"
#: Parts of the price of everything.
SHARES = 0.01 * 4.0 ** np.arange(4.0)
#: Rows to train on, at most, and rows that are tested.
MAX_TRAIN, MAX_TEST = 2_000, 5_000


PROBLEMS: dict[str, Loader] = {
    "heart": STUDY["heart"],
    "hepatitis": SMALL["hepatitis"],
    "pima": STUDY["pima"],
    "thyroid3": STUDY["thyroid3"],
    "bupa": SMALL["bupa"],
    "adult": STUDY["adult"],
    "spambase": STUDY["spambase"],
    "abalone": STUDY["abalone"],
}
METHODS: dict[str, dict[str, Any]] = {
    "price-blind": {"rule": "price-blind"},
    "eg2, economy 0.5": {"rule": "eg2", "economy": 0.5},
    "eg2, economy 1": {"rule": "eg2", "economy": 1.0},
    "cs-id3": {"rule": "cs-id3"},
    "idx": {"rule": "idx"},
}


class Division:
    """Training and test rows of a problem, and its prices, by a seed."""

    def __init__(self, problem: Problem, seed: int) -> None:
        order = np.random.default_rng(seed).permutation(len(problem.y))
        n_train = min(int(0.7 * len(order)), MAX_TRAIN)
        self.problem, self.seed, self.costs = problem, seed, costs_of(problem, seed)
        self.train, self.test = order[:n_train], order[n_train : n_train + MAX_TEST]
        prior = np.full(len(self.test), problem.prior(self.train))
        self.prior = float(problem.losses(prior, self.test).mean())

    def fit(self, **params: Any) -> Any:
        """Return a fitted tree."""
        is_number = self.problem.task == "regression"
        kind = BudgetedTreeRegressor if is_number else BudgetedTreeClassifier
        model = kind(self.costs, random_state=self.seed, **params)
        return model.fit(self.problem.X[self.train], self.problem.y[self.train])

    def asked(self, model: Any, budgets: Any) -> tuple[np.ndarray, np.ndarray]:
        """Return the losses, as parts of the prior's, and the mean spend at some budgets."""
        sweep = model.sweep(self.problem.X[self.test], budgets)
        answers = sweep.scores[:, :, 0] if self.problem.task == "regression" else sweep.labels()
        losses = [self.problem.losses(each, self.test).mean() for each in answers.T]
        return np.array(losses) / self.prior, sweep.spent.mean(axis=0)


def at_spend(points: list[tuple[float, float]], spends: np.ndarray) -> np.ndarray:
    """Return the least loss of trees, and of mixtures of two, with a mean spend up to given ones.

    A row may be given one of two trees by lot, so that losses at equal spend can be compared.
    """
    best = []
    points = [(0.0, 1.0), *points]
    for spend in spends:
        below = [(s, loss) for s, loss in points if s <= spend]
        above = [(s, loss) for s, loss in points if s > spend]
        losses = [loss for _, loss in below]
        for s0, l0 in below:
            losses += [l0 + (spend - s0) / (s1 - s0) * (l1 - l0) for s1, l1 in above]
        best.append(min(losses))
    return np.array(best)


def measure(division: Division, params: dict[str, Any]) -> dict[str, float]:
    """Return the figures of a method."""
    budgets = SHARES * division.costs.total
    begin = time.perf_counter()
    once_model = division.fit(**params)
    took = time.perf_counter() - begin
    once, _ = division.asked(once_model, budgets)
    per_budget = [
        division.asked(division.fit(budget=float(b), **params), [b])[0][0] for b in budgets
    ]
    points = []
    for average in budgets:
        loss, spend = division.asked(
            division.fit(average_budget=float(average), **params), [division.costs.total]
        )
        points.append((float(spend[0]), float(loss[0])))
    return {
        "per budget": float(np.mean(per_budget)),
        "once": float(once.mean()),
        "average": float(at_spend(points, budgets).mean()),
        "seconds": took,
        "worst": float(max(*per_budget, *once)),
    }


def main() -> None:
    """Print the figures per problem and their means."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--problems", nargs="+", choices=PROBLEMS, default=list(PROBLEMS))
    parser.add_argument("--methods", nargs="+", choices=METHODS, default=list(METHODS))
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--write", action="store_true", help="write the table to docs/trees.md")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    figures: dict[str, dict[str, list[float]]] = {name: {} for name in options.methods}
    rows = []
    for name in options.problems:
        problem = PROBLEMS[name]()
        divisions = [Division(problem, seed) for seed in range(options.seeds)]
        for method in options.methods:
            runs = [measure(division, METHODS[method]) for division in divisions]
            means = {key: float(np.mean([run[key] for run in runs])) for key in runs[0]}
            for key, value in means.items():
                figures[method].setdefault(key, []).append(value)
            rows.append([name, method, *(f"{value:.3f}" for value in means.values())])
            print(*rows[-1], sep="\t", flush=True)
    for method, values in figures.items():
        rows.append(["mean", method, *(f"{np.mean(v):.3f}" for v in values.values())])
    keys = list(next(iter(figures.values())))
    text = markdown_table(["problem", "method", *keys], rows) + "\n"
    print(text)
    if options.write:
        write_parts(DOCS / "trees.md", {"rules": text})


if __name__ == "__main__":
    main()
