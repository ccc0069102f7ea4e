"""The rows that are trained on, tuned on and tested, the same for all methods."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn.model_selection import (
    KFold,
    StratifiedGroupKFold,
    StratifiedKFold,
    train_test_split,
)

from benchmarks.study.prices import budgets_of, costs_of, generator
from benchmarks.study.problems import Problem
from scrimp import Costs

#: Below this number of rows all are tested, by cross-validation.
SMALL = 3_000
OUTER = INNER = 5
#: With more classes one split is tested: boosters have one tree per class in each round.
MANY_CLASSES = 10
#: The limit of training rows for tuning, drawn at random.
TUNING_ROWS = 20_000
#: The cores whose processor time is the time of a tuning: as many as there are threads.
CORES = int(os.environ.get("NUMBA_NUM_THREADS", "2"))


def processor_clock() -> float:
    """Return the seconds that this process would have taken, had it kept all cores busy."""
    return time.process_time() / CORES


@dataclass(frozen=True, eq=False)
class Part:
    """The input of a method: rows to train on, folds to tune on, prices, budgets and time.

    Parameters
    ----------
    problem : Problem
        Rows.
    costs : Costs
        Prices of the raw columns.
    budgets : float array
        The budgets of the predictions, ascending.
    train, test : int arrays
        Rows.
    fold : int array (training rows,)
        The inner fold of each; -1 where a row is not tuned on.
    seconds : float
        How long the tuning may take, if it has the machine's two cores to itself.
    seed : int
        Of all that is random.
    tell : callable
        Called with the progress of the tuning.
    begun : float
        When, by `processor_clock`.
    """

    problem: Problem
    costs: Costs
    budgets: np.ndarray
    train: np.ndarray
    test: np.ndarray
    fold: np.ndarray
    seconds: float
    seed: int
    tell: Callable[[str], Any] = lambda text: None
    begun: float = field(default_factory=processor_clock)

    @property
    def is_over(self) -> bool:
        """Return whether the time is up, by the processor's clock.

        What else the machine does hardly changes how much is tried by then.
        """
        return processor_clock() - self.begun > self.seconds

    def inner(self) -> list[tuple[np.ndarray, np.ndarray]]:
        """Return the rows that are fitted and those held out, per fold, as rows of the problem."""
        return [(self.train[fit], self.train[held]) for fit, held in self.inner_positions()]

    def inner_positions(self) -> list[tuple[np.ndarray, np.ndarray]]:
        """Return the same as positions among the training rows."""
        return [
            (np.flatnonzero((self.fold >= 0) & (self.fold != k)), np.flatnonzero(self.fold == k))
            for k in range(INNER)
        ]


def parts_of(problem: Problem, seed: int, seconds: float, **options: Any) -> list[Part]:
    """Return all parts of a problem; the time is shared among them."""
    costs = costs_of(problem, seed)
    splits = outer_splits(problem, seed)
    return [
        Part(
            problem, costs, budgets_of(problem, costs), train, test,
            inner_folds(problem, train, seed), seconds / len(splits), seed, **options,
        )
        for train, test in splits
    ]  # fmt: skip


def outer_splits(problem: Problem, seed: int) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return the published split, or cross-validation of few rows, or one random split."""
    rows = np.arange(len(problem.y))
    if problem.n_train is not None:
        return [(rows[: problem.n_train], rows[problem.n_train :])]
    state = int(generator(problem.name, seed, "split").integers(2**31))
    classes = None if problem.task == "regression" else problem.y
    if len(rows) >= SMALL or problem.n_classes > MANY_CLASSES:
        train, test = train_test_split(
            rows, test_size=problem.test_share, stratify=classes, random_state=state
        )
        return [(np.sort(train), np.sort(test))]
    kind = KFold if classes is None else StratifiedKFold
    return list(kind(OUTER, shuffle=True, random_state=state).split(rows, classes))


def inner_folds(problem: Problem, train: np.ndarray, seed: int) -> np.ndarray:
    """Return the fold of each training row: classes spread evenly, queries whole."""
    rng = generator(problem.name, seed, "folds")
    used = np.sort(rng.permutation(len(train))[:TUNING_ROWS])
    rows, state = train[used], int(rng.integers(2**31))
    y = problem.y[rows]
    if problem.queries is not None:
        levels = np.unique(y, return_inverse=True)[1]
        folds = StratifiedGroupKFold(INNER, shuffle=True, random_state=state)
        splits = folds.split(rows, levels, problem.queries[rows])
    elif problem.task == "regression":
        splits = KFold(INNER, shuffle=True, random_state=state).split(rows)
    else:
        splits = StratifiedKFold(INNER, shuffle=True, random_state=state).split(rows, y)
    fold = np.full(len(train), -1)
    for k, (_, held) in enumerate(splits):
        fold[used[held]] = k
    return fold
