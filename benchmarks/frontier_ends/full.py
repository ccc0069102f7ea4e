"""The full budget: the frontier against tuned LightGBM, both on all columns."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.study.measuring import gap, holm
from benchmarks.study.prices import costs_of
from benchmarks.study.problems import Problem
from benchmarks.study.splits import inner_folds, outer_splits
from scrimp import FrontierClassifier, FrontierRegressor

#: Settings that LightGBM is tuned over, by cross-validation on the training rows.
LEAVES, RATES, ROUNDS = (8, 31), (0.05, 0.1), (100, 300)


@dataclass(frozen=True)
class FullBudget:
    """Losses of the test rows of a problem, for the frontier and for tuned LightGBM."""

    ours: np.ndarray
    theirs: np.ndarray
    seconds: float

    @property
    def ratio(self) -> float:
        """Return the frontier's mean loss divided by LightGBM's."""
        return float(self.ours.mean() / max(self.theirs.mean(), 1e-12))

    @property
    def p(self) -> float:
        """Return the two-sided p-value of no difference, paired on the rows."""
        return gap([self.ours], [self.theirs], [None]).p


def full_budget(problem: Problem, work: Path, max_seconds: float | None) -> FullBudget:
    """Return the losses on the first test part of a problem; each method's are kept in a folder."""
    train, test = outer_splits(problem, 0)[0]
    ours = _kept(
        work / f"{problem.name}-frontier.npz", lambda: _frontier(problem, train, test, max_seconds)
    )
    theirs = _kept(
        work / f"{problem.name}-lightgbm.npz", lambda: (_lightgbm(problem, train, test), 0.0)
    )
    return FullBudget(ours[0], theirs[0], ours[1])


def _kept(path: Path, measure: Callable[[], tuple[np.ndarray, float]]) -> tuple[np.ndarray, float]:
    """Return losses and seconds, from the file of an earlier run or measured now."""
    if not path.exists():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            losses, seconds = measure()
        path.parent.mkdir(parents=True, exist_ok=True)
        np.savez(path, losses=losses, seconds=seconds)
    with np.load(path) as stored:
        return stored["losses"], float(stored["seconds"])


def _frontier(
    problem: Problem, train: np.ndarray, test: np.ndarray, max_seconds: float | None
) -> tuple[np.ndarray, float]:
    costs = costs_of(problem, 0)
    kind = FrontierRegressor if problem.task == "regression" else FrontierClassifier
    model = kind(costs, budgets=[costs.total], max_seconds=max_seconds)
    begin = time.perf_counter()
    model.fit(problem.X[train], problem.y[train])
    answers = np.asarray(model.predict(problem.X[test]))
    return problem.losses(answers, test), time.perf_counter() - begin


def _lightgbm(problem: Problem, train: np.ndarray, test: np.ndarray) -> np.ndarray:
    fold = inner_folds(problem, train, 0)
    fit, held = train[fold > 0], train[fold == 0]
    settings = [(a, b, c) for a in LEAVES for b in RATES for c in ROUNDS]
    losses = [_losses(problem, setting, fit, held).mean() for setting in settings]
    return _losses(problem, settings[int(np.argmin(losses))], train, test)


def _losses(
    problem: Problem, setting: tuple[Any, ...], fit: np.ndarray, test: np.ndarray
) -> np.ndarray:
    from lightgbm import LGBMClassifier, LGBMRegressor

    X, leaves, rate, rounds = problem.one_hot.values, *setting
    kind = LGBMRegressor if problem.task == "regression" else LGBMClassifier
    model = kind(num_leaves=leaves, learning_rate=rate, n_estimators=rounds, verbosity=-1, n_jobs=2)
    return problem.losses(np.asarray(model.fit(X[fit], problem.y[fit]).predict(X[test])), test)


def summary(results: dict[str, FullBudget]) -> tuple[float, list[str]]:
    """Return the geometric mean of ratios, and the problems lost after Holm's correction."""
    adjusted = holm([one.p for one in results.values()])
    lost = [
        name
        for (name, one), p in zip(results.items(), adjusted, strict=True)
        if p < 0.05 and one.ratio > 1
    ]
    return float(np.exp(np.mean([np.log(one.ratio) for one in results.values()]))), lost
