"""Sums of weak learners, trained together, one after the other, or in blocks.

The cost of training is counted as in Hu 2019, Sec. 5.6.2: an answer of one weak learner is 1 and an
update 2. A row that is given to a block of b learners after k others costs k + 3b, as answers of
earlier learners may not be kept in a stream. Streaming boosting (SGB) is one block of all learners,
batch boosting (GB) has blocks of one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from scrimp.data.columns import Columns
from scrimp.learners.streaming.base import JOIN_AFTER
from scrimp.learners.streaming.losses import StreamLoss
from scrimp.learners.streaming.stream_booster import StreamBooster
from scrimp.learners.streaming.stream_rows import InputMoments, StreamRows
from scrimp.learners.streaming.weak_learner import LearnerContext, LearnerKind
from scrimp.types import Floats

from ..trials import Record

#: Rows that are answered, and then learnt, together.
BATCH = 50
#: A block has converged once so many passes have not brought the loss down by this part of it.
PATIENCE = 2
TOLERANCE = 2e-3
#: Test rows are looked at after each pass, and before when a block has seen so many times as many.
LONGER = 1.5
#: Rows whose answers are computed at a time.
_CHUNK = 5_000


@dataclass(frozen=True, eq=False)
class Task:
    """Training rows, test rows, and what learns from them.

    Parameters
    ----------
    X, X_test : arrays (rows, columns)
        Numbers.
    y, y_test : float arrays (rows, outputs)
        Targets as the loss takes them.
    loss : StreamLoss
        What is boosted.
    error : callable
        ``error(scores, targets)`` is what is reported of test rows.
    kind : LearnerKind
        Of the weak learners.
    step : float
        Of all learners.
    max_passes : int
        Passes over the training rows that a block has at most.
    """

    X: NDArray[np.float32]
    y: Floats
    X_test: NDArray[np.float32]
    y_test: Floats
    loss: StreamLoss
    error: Callable[[Floats, Floats], float]
    kind: LearnerKind
    step: float
    max_passes: int


@dataclass
class Progress:
    """What became of a training.

    Parameters
    ----------
    cost, error : lists of float
        Units spent, and the error on test rows then.
    ends : list of int
        Places in these lists where a block was complete.
    rows : list of int
        Rows that each block was given.
    """

    cost: list[float] = field(default_factory=list)
    error: list[float] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)
    rows: list[int] = field(default_factory=list)

    @property
    def record(self) -> Record:
        """Return all of it as JSON holds it."""
        return vars(self) | {"final": self.error[-1], "first": self.error[self.ends[0]]}


def train(task: Task, sizes: Sequence[int], rng: np.random.Generator) -> Progress:
    """Train blocks of learners of these sizes, each until it converges, and report on the way."""
    training = _Training(task, rng)
    for size in sizes:
        training.add_block(size)
    return training.progress


class _Training:
    """The state of a training: complete blocks are kept as the scores that they give."""

    def __init__(self, task: Task, rng: np.random.Generator) -> None:
        self.task, self.rng, self.progress = task, rng, Progress()
        self.n_learners, self.cost = 0, 0.0
        moments = InputMoments(Columns(None, (None,) * task.X.shape[1]), task.kind.sees_image)
        moments.add(task.X)
        self.encoding = moments.inputs()
        n_outputs = task.y.shape[1]
        self.context = LearnerContext(task.X.shape[1], n_outputs, moments, rng)
        self.scores, self.scores_test = np.zeros_like(task.y), np.zeros_like(task.y_test)
        self.test_rows = self._rows(task.X_test)

    def _rows(self, X: NDArray[np.float32]) -> StreamRows:
        d = X.shape[1]
        return StreamRows(X, np.zeros((d, 1)), np.zeros(d, dtype=np.int64), self.encoding)

    def add_block(self, size: int) -> None:
        """Train learners together until the loss of a pass falls no more."""
        task = self.task
        learners = [task.kind.make(self.context) for _ in range(size)]
        steps = np.full(size, task.step)
        start = np.zeros(task.y.shape[1])
        booster = StreamBooster(task.loss, learners, steps, start, join_after=JOIN_AFTER)
        n_rows, best, patience = 0, np.inf, PATIENCE
        for _ in range(task.max_passes):
            loss = self._pass(booster, n_rows)
            n_rows += len(task.y)
            self._measure(self._after(booster, self.scores_test, self.test_rows))
            improved = loss < best * (1.0 - TOLERANCE)
            best, patience = min(loss, best), PATIENCE if improved else patience - 1
            if not patience:
                break
        self._complete(booster, n_rows)

    def _pass(self, booster: StreamBooster, n_before: int) -> float:
        """Give all rows to a block in random order; return their mean loss before learning."""
        task, size, total = self.task, len(booster.learners), 0.0
        seen, measure_at = n_before, n_before * LONGER if n_before else BATCH
        order = self.rng.permutation(len(task.y))
        for start in range(0, len(order), BATCH):
            part = order[start : start + BATCH]
            booster.start = self.scores[part]
            scores = booster.learn(self._rows(task.X[part]), task.y[part], np.ones(len(part)))
            total += float(task.loss.values(scores, task.y[part]).sum())
            self.cost += len(part) * (self.n_learners + 3.0 * size)
            seen += len(part)
            if seen >= measure_at:
                self._measure(self._after(booster, self.scores_test, self.test_rows))
                measure_at = seen * LONGER
        return total / len(order)

    def _after(self, booster: StreamBooster, before: Floats, rows: StreamRows) -> Floats:
        """Return scores with the answers of a block."""
        booster.start = before
        return np.asarray(booster.partial_sums(booster.answers(rows))[0][-1])

    def _measure(self, scores: Floats) -> None:
        self.progress.cost.append(self.cost)
        self.progress.error.append(self.task.error(scores, self.task.y_test))

    def _complete(self, booster: StreamBooster, n_rows: int) -> None:
        """Keep a block as the scores that it gives."""
        for start in range(0, len(self.scores), _CHUNK):
            part = slice(start, start + _CHUNK)
            rows = self._rows(self.task.X[part])
            self.scores[part] = self._after(booster, self.scores[part], rows)
        self.scores_test = self._after(booster, self.scores_test, self.test_rows)
        self.n_learners += len(booster.learners)
        self.progress.ends.append(len(self.progress.error) - 1)
        self.progress.rows.append(n_rows)
