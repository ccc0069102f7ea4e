"""Small tables: the frontier against the peer that cross-validation chooses at each budget."""

from __future__ import annotations

import json
import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedKFold

from benchmarks.frontier_ends.peers import PEERS, out_of_fold, peer_probabilities
from benchmarks.study.prices import costs_of
from benchmarks.study.problems import Problem
from scrimp import Costs, FrontierClassifier, SequencedClassifier

#: Budgets as parts of the price of everything, each twice the one before.
SHARES = 2.0 ** np.arange(-7, 1)
N_OUTER = 3


@dataclass(frozen=True, eq=False)
class Fold:
    """One division of a table into training and test rows."""

    problem: Problem
    costs: Costs
    train: np.ndarray
    test: np.ndarray
    number: int

    @property
    def budgets(self) -> np.ndarray:
        """Return the budgets in money."""
        return SHARES * self.costs.total


@dataclass(frozen=True, eq=False)
class Answers:
    """What a method has answered on the test rows of a fold.

    Parameters
    ----------
    probabilities : float array (budgets, rows, classes)
        The answers.
    seconds : float
        The time of the fit.
    entries : list of dicts
        The entries of a frontier, with the figures that it reports.
    """

    probabilities: np.ndarray
    seconds: float
    entries: list[dict[str, Any]]


def folds_of(problem: Problem, seed: int = 0) -> list[Fold]:
    """Return the outer folds of a table, with prices."""
    costs = costs_of(problem, seed).bind(problem.X.width, problem.X.columns)
    splits = StratifiedKFold(N_OUTER, shuffle=True, random_state=seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a class may have fewer rows than folds
        pairs = list(splits.split(problem.y, problem.y))
    return [Fold(problem, costs, *pair, number) for number, pair in enumerate(pairs)]


def frontier(fold: Fold, max_seconds: float | None = None) -> Answers:
    """Fit a frontier and sweep the test rows."""
    model = FrontierClassifier(fold.costs, budgets=fold.budgets.tolist(), max_seconds=max_seconds)
    return _swept(model, fold)


def linear(fold: Fold) -> Answers:
    """Fit the sequenced linear model and sweep the test rows."""
    return _swept(SequencedClassifier(fold.costs, missing="mean"), fold)


def _swept(model: Any, fold: Fold) -> Answers:
    X, y = fold.problem.X, fold.problem.y
    begin = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # few rows, and budgets that pay for nothing
        model.fit(X[fold.train], y[fold.train])
    seconds = time.perf_counter() - begin
    sweep = model.sweep(X[fold.test], fold.budgets)
    probabilities = np.zeros((len(fold.budgets), len(fold.test), fold.problem.n_classes))
    probabilities[..., model.classes_] = np.moveaxis(sweep.probabilities(), 1, 0)
    entries = [vars(one) for one in getattr(model, "chosen_", [])]
    return Answers(probabilities, seconds, entries)


def peer(name: str) -> Callable[[Fold], Answers]:
    """Return the function that fits a peer; its entries hold its cross-validated scores."""

    def answers(fold: Fold) -> Answers:
        place = fold.problem, fold.costs, fold.budgets, name, fold.train
        begin = time.perf_counter()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            own = out_of_fold(*place, 0)
            probabilities = peer_probabilities(*place, fold.test, 0)
        y = fold.problem.y[fold.train]
        scores = {"error": errors(own, y).tolist(), "auc": auc_losses(own, y).tolist()}
        return Answers(probabilities, time.perf_counter() - begin, [scores])

    return answers


METHODS: dict[str, Callable[[Fold], Answers]] = {
    "frontier": frontier,
    "linear": linear,
    **{name: peer(name) for name in PEERS},
}


def errors(probabilities: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Return the share of wrong answers at each budget."""
    return np.asarray((probabilities.argmax(axis=-1) != y).mean(axis=1))


def auc_losses(probabilities: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Return 1 - AUC at each budget: the mean of each class against the rest, by its size."""
    counts = np.bincount(y, minlength=probabilities.shape[-1])
    present = [k for k in np.flatnonzero(counts) if counts[k] < len(y)]
    present = present[1:] if len(present) == 2 else present
    losses = [[1 - roc_auc_score(y == k, p[:, k]) for k in present] for p in probabilities]
    return np.average(losses, axis=1, weights=counts[present])


def area(losses: np.ndarray) -> float:
    """Return the mean loss over the logarithm of the budget, by the trapezoid rule."""
    return float(np.trapezoid(losses, np.log(SHARES)) / np.ptp(np.log(SHARES)))


def measured(fold: Fold, name: str, work: Path) -> Answers:
    """Return the answers of a method, kept in a folder from an earlier run or made now."""
    path = work / f"{fold.problem.name}-{fold.number}-{name.replace(' ', '_')}.npz"
    if path.exists():
        with np.load(path) as stored:
            entries = json.loads(str(stored["entries"]))
            return Answers(stored["probabilities"], float(stored["seconds"]), entries)
    answers = METHODS[name](fold)
    work.mkdir(parents=True, exist_ok=True)
    np.savez(
        path, probabilities=answers.probabilities.astype(np.float32), seconds=answers.seconds,
        entries=json.dumps(answers.entries),
    )  # fmt: skip
    return answers


@dataclass(frozen=True)
class Areas:
    """The areas of a table: mean loss over budgets of each method, by the name of the loss."""

    frontier: dict[str, float]
    linear: dict[str, float]
    chosen: dict[str, float]
    seconds: float

    def ratios(self, loss: str) -> tuple[float, float]:
        """Return the frontier's area divided by the chosen peer's, and by linear's."""
        ours = self.frontier[loss]
        return ours / max(self.chosen[loss], 1e-9), ours / max(self.linear[loss], 1e-9)


def areas(folds: Sequence[Fold], work: Path) -> Areas:
    """Return the areas of a table, mean over its folds."""
    sums: dict[str, dict[str, float]] = {m: {} for m in ("frontier", "linear", "chosen")}
    seconds = 0.0
    for fold in folds:
        made = {name: measured(fold, name, work) for name in METHODS}
        seconds += made["frontier"].seconds / len(folds)
        y = fold.problem.y[fold.test]
        for loss, measure in (("error", errors), ("auc", auc_losses)):
            for name in ("frontier", "linear"):
                value = area(measure(made[name].probabilities, y))
                sums[name][loss] = sums[name].get(loss, 0.0) + value / len(folds)
            own = np.array([made[name].entries[0][loss] for name in PEERS])
            tested = np.array([measure(made[name].probabilities, y) for name in PEERS])
            best = tested[own.argmin(axis=0), np.arange(len(SHARES))]
            sums["chosen"][loss] = sums["chosen"].get(loss, 0.0) + area(best) / len(folds)
    return Areas(**sums, seconds=seconds)
