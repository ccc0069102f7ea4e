"""The rows on which a learner is tried: those of the study's problems, but no more than a cap."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import polars as pl
from sklearn.model_selection import KFold, StratifiedKFold

from benchmarks.study.prices import budgets_of, costs_of, generator
from benchmarks.study.problems import Problem
from benchmarks.study.splits import SMALL, outer_splits
from scrimp import Costs

SEED = 0


@dataclass(frozen=True)
class Caps:
    """The most rows that are used.

    Parameters
    ----------
    train, test : int
        Rows that are trained on, and rows that are asked for.
    failing : int
        Of these, the rows that are asked for with failures: each has a history of its own.
    cells : int
        Values of a wide table that are trained on; for failures a tenth of it.
    """

    train: int = 4_000
    test: int = 2_000
    failing: int = 500
    cells: int = 1_000_000

    def of(self, problem: Problem) -> Caps:
        """Return the caps for a problem, by its width."""
        rows = self.cells // problem.X.width
        return replace(self, train=min(self.train, rows), failing=min(self.failing, rows // 10))


@dataclass(frozen=True, eq=False)
class Trial:
    """A problem with its prices, its budgets and one split of its rows."""

    problem: Problem
    costs: Costs
    budgets: np.ndarray
    train: np.ndarray
    test: np.ndarray

    @property
    def is_regression(self) -> bool:
        """Return whether numbers are predicted."""
        return self.problem.task == "regression"

    @property
    def fitted_on(self) -> tuple[pl.DataFrame, np.ndarray]:
        """Return the training rows and their targets."""
        return self.problem.X[self.train], self.problem.y[self.train]

    def losses(
        self, rows: np.ndarray, labels: np.ndarray, probabilities: np.ndarray | None
    ) -> dict[str, np.ndarray]:
        """Return the losses of rows, by the name of the loss."""
        if self.is_regression:
            return {"squared error": self.problem.losses(labels, rows)}
        losses = {"wrong": self.problem.losses(labels, rows)}
        if probabilities is not None:
            own = probabilities[np.arange(len(rows)), self.problem.y[rows]]
            losses["log loss"] = -np.log(np.maximum(own, LEAST_PROBABILITY))
        return losses

    def prior_losses(self, rows: np.ndarray) -> dict[str, np.ndarray]:
        """Return the losses of the most common class and the class frequencies, or of the mean."""
        prior = self.problem.prior(self.train)
        if self.is_regression:
            return self.losses(rows, np.full(len(rows), prior), None)
        counts = np.bincount(self.problem.y[self.train], minlength=self.problem.n_classes)
        shares = np.tile(counts / counts.sum(), (len(rows), 1))
        return self.losses(rows, np.full(len(rows), int(prior)), shares)


#: A probability below this counts as this in the log loss, so that no single row decides.
LEAST_PROBABILITY = 1e-6


def trials_of(problem: Problem, caps: Caps) -> list[Trial]:
    """Return the trials of a problem: one, or two halves in turn where rows are few."""
    costs, caps = costs_of(problem, SEED), caps.of(problem)
    rng = generator(problem.name, SEED, "trust rows")

    def capped(rows: np.ndarray, most: int) -> np.ndarray:
        return np.sort(rng.permutation(rows)[:most])

    return [
        Trial(
            problem, costs, budgets_of(problem, costs),
            capped(train, caps.train), capped(test, caps.test),
        )
        for train, test in _splits(problem)
    ]  # fmt: skip


def _splits(problem: Problem) -> list[tuple[np.ndarray, np.ndarray]]:
    if len(problem.y) >= SMALL or problem.n_train is not None or problem.n_classes > 10:
        return outer_splits(problem, SEED)
    state = int(generator(problem.name, SEED, "trust halves").integers(2**31))
    kind = KFold if problem.task == "regression" else StratifiedKFold
    return list(kind(2, shuffle=True, random_state=state).split(problem.y, problem.y))
