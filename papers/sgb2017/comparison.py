"""Table 5.1 and Fig. 5.2: test errors of GB, SGB and the base learner, and what they cost."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from scrimp.learners.streaming.base import JOIN_AFTER
from scrimp.learners.streaming.losses import StreamLoss
from scrimp.learners.streaming.network_learners import Convolution, Network
from scrimp.learners.streaming.weak_learner import LearnerKind
from scrimp.types import Floats, Ints

from ..trials import Record, Setting
from . import published
from .data import Rows
from .training import BATCH, LONGER, PATIENCE, TOLERANCE, Task, train


@dataclass(frozen=True)
class Choice:
    """What is trained on a dataset.

    Parameters
    ----------
    kind : LearnerKind
        The thesis's weak learner.
    n_learners : int
        N of SGB, and the learners of GB.
    rate : float
        The part of the inverse smoothness that is a step.
    max_passes : int
        Passes over the training rows that a block has at most.
    others : tuple
        Further trainings: names, and sizes of blocks.
    """

    kind: LearnerKind
    n_learners: int
    rate: float
    max_passes: int
    others: tuple[tuple[str, tuple[int, ...]], ...] = ()


#: Hidden units, activations and filters are printed, as is N on a9a. Steps, the rates of Adam and
#: other N are not; the notes of the study say how they were chosen.
CHOICES = {
    "abalone": Choice(
        Network(hidden=1, rate=0.02, decay=1_000.0), 20, 0.3, 40, (("blocks of 5", (5,) * 4),)
    ),
    "a9a": Choice(
        Network(hidden=1, rate=0.02, decay=100.0), published.A9A_LEARNERS, 1.0, 5,
        (("SGB, N = 3", (published.TOO_FEW,)), ("SGB, N = 24", (24,)), ("blocks of 2", (2,) * 4)),
    ),
    "mnist": Choice(Convolution(activation="sigmoid", rate=0.003), 8, 0.5, 2),
    "year": Choice(Network(hidden=10, rate=0.02, decay=1_000.0), 8, 0.3, 2),
    "slice": Choice(
        Network(hidden=10, activation="leaky-relu", rate=0.02, decay=1_000.0), 8, 0.3, 20
    ),
}  # fmt: skip


def recipe(name: str) -> list[Any]:
    """Return what decides over the results of a dataset."""
    return [1, repr(CHOICES[name]), BATCH, LONGER, PATIENCE, TOLERANCE, JOIN_AFTER]


def trial(data: Rows, setting: Setting, rng: np.random.Generator) -> Record:
    """Train GB, SGB and the base learner on one division of the rows."""
    choice = CHOICES[data.name]
    task = make_task(data, setting, choice, rng)
    seed = int(rng.integers(2**31 - 1))
    n = choice.n_learners
    alone = replace(task, step=task.step / choice.rate)
    record: Record = {"n_train": len(task.y), "n_test": len(task.y_test)}
    trainings = {"SGB": (task, (n,)), "GB": (task, (1,) * n), "base": (alone, (1,))}
    for name, (which, sizes) in trainings.items():
        record[name] = train(which, sizes, np.random.default_rng(seed)).record
    record["others"] = {
        name: train(task, sizes, np.random.default_rng(seed)).record
        for name, sizes in choice.others
    }
    return record


def make_task(data: Rows, setting: Setting, choice: Choice, rng: np.random.Generator) -> Task:
    """Return training and test rows: as given, or 90% and 10% at random.

    Numbers are standardised by training rows; their error is half the squared one, in the units
    that they had.
    """
    n = len(data.y)
    if data.n_train is None:
        order = rng.permutation(n)
        train_rows, test_rows = order[: round(0.9 * n)], order[round(0.9 * n) :]
    else:
        train_rows, test_rows = np.arange(data.n_train), np.arange(data.n_train, n)
    if setting.train < len(train_rows):
        train_rows = rng.permutation(train_rows)[: setting.train]
    y, loss, spread = _targets(data.y, train_rows)

    def error(scores: Floats, targets: Floats) -> float:
        if loss.name == "squared":
            return float(0.5 * spread**2 * ((scores - targets) ** 2).mean())
        if loss.name == "logistic":
            return float((scores * targets <= 0).mean())
        return float((scores.argmax(axis=1) != targets.argmax(axis=1)).mean())

    return Task(
        data.X[train_rows], y[train_rows], data.X[test_rows], y[test_rows], loss, error,
        choice.kind, choice.rate / loss.smoothness(0.0), choice.max_passes,
    )  # fmt: skip


def _targets(y: Floats, train_rows: Ints) -> tuple[Floats, StreamLoss, float]:
    """Return targets (rows, outputs), their loss, and the spread that numbers had."""
    values = np.unique(y)
    if len(values) == 2:
        return np.where(y == values[1], 1.0, -1.0)[:, None], StreamLoss("logistic"), 1.0
    if len(values) == 10:
        return np.eye(10)[np.searchsorted(values, y)], StreamLoss("multinomial"), 1.0
    mean, spread = float(y[train_rows].mean()), float(y[train_rows].std())
    return ((y - mean) / spread)[:, None], StreamLoss("squared"), spread
