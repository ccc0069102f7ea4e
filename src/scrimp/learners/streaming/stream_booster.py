r"""Streaming gradient boosting: all weak learners learn together, each what those before it leave.

Smooth losses are boosted by Alg. 6 of Hu 2019, chapter 5: with the answers :math:`h_i(x)` of the
learners, :math:`y^i = y^{i-1} - \eta_i h_i(x)`, learner i is taught the gradient of the loss at
:math:`y^{i-1}`. Others by Alg. 7: learner i is taught the subgradient plus what learner i - 1 left
of its own target, partial sums may be projected onto a ball, and the answer is their mean.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from ...plans.ensemble import nesterov_momentum
from ...types import Arrays, Floats
from .block_schedule import BlockSchedule
from .losses import StreamLoss
from .stream_rows import StreamRows
from .weak_learner import WeakLearner

#: Components of gradients beyond this are clipped, and counted.
LARGEST_GRADIENT = 1e12
#: Rows over which a learner's recent edge reaches back.
RECENT = 500.0


@dataclass
class StreamRecord:
    """What happened so far.

    Parameters
    ----------
    n_rows : int
        Rows that were learnt from.
    n_projected : int
        Rows on which the projection changed a partial sum.
    n_clipped : int
        Rows with a gradient that was not finite, or very large.
    missed, total : float arrays (learners,)
        Sums of squared norms: of target less answer, and of the target.
    """

    n_rows: int = 0
    n_projected: int = 0
    n_clipped: int = 0
    missed: Floats = field(default_factory=lambda: np.zeros(0))
    total: Floats = field(default_factory=lambda: np.zeros(0))

    @property
    def edges(self) -> Floats:
        """The edge of each learner; 0 before it has had a target."""
        return 1.0 - np.divide(
            self.missed, self.total, out=np.ones_like(self.total), where=self.total > 0
        )


def default_combine(loss: StreamLoss) -> str:
    """Return how the thesis makes an answer of the partial sums: their last, or their mean."""
    return "add" if loss.is_smooth else "average"


class StreamBooster:
    """Weak learners that are boosted together.

    Parameters
    ----------
    loss : StreamLoss
        The loss.
    learners : sequence of WeakLearner
        In the order of the sum.
    steps : float array (learners,)
        The step of each.
    start : float array (outputs,)
        The first partial sum.
    radius : float
        The bound of the projection; infinite for none.
    join_after : int
        Rows after which a learner begins to learn, after the one before it: learners that see the
        same targets at first would all learn the same.
    schedule : BlockSchedule, optional
        Which learners learn, if not all of them do together.
    combine : {"add", "average", "weighted", "momentum"}
        How the answer is made of partial sums, as in `EnsemblePlan`. With momentum, learner i is
        taught the gradient where the sum before it has gone on to.
    """

    def __init__(
        self, loss: StreamLoss, learners: Sequence[WeakLearner], steps: Floats, start: Floats,
        radius: float = np.inf, join_after: int = 0, schedule: BlockSchedule | None = None,
        combine: str | None = None,
    ) -> None:  # fmt: skip
        self.combine = combine or default_combine(loss)
        self.loss, self.learners, self.steps = loss, list(learners), steps
        self.start, self.radius, self.join_after = start, radius, join_after
        self.schedule = schedule
        n = len(self.learners)
        self.record = StreamRecord(missed=np.zeros(n), total=np.zeros(n))
        self._recent = np.zeros((2, n))

    def reset_harmful(self) -> None:
        """Let learners begin again whose answers lately were worse than none."""
        harmful = np.flatnonzero(self._recent[0] > self._recent[1])
        for i in harmful.tolist():
            self.learners[i].reset()
            self._recent[:, i] = 0.0
        self.unfreeze_new()

    def unfreeze_new(self) -> None:
        """Let the first block learn again that has a learner which began again."""
        if self.schedule is not None:
            known = np.array([learner.has_learnt for learner in self.learners])
            forgot = np.flatnonzero(~known[: self.schedule.first])
            if len(forgot):
                self.schedule.begin(int(forgot[0]))

    def state(self) -> Arrays:
        """Return all that is to be known, but for the learners."""
        record, schedule = self.record, self.schedule
        counts = np.array([record.n_rows, record.n_projected, record.n_clipped], dtype=np.int64)
        state = {"counts": counts, "edges": np.stack([record.missed, record.total]),
                 "recent": self._recent, "steps": self.steps, "start": self.start}  # fmt: skip
        return state if schedule is None else state | schedule.state()

    def restore(self, state: Arrays) -> None:
        """Go on from a `state`, as it was checked."""
        record = self.record
        record.n_rows, record.n_projected, record.n_clipped = state["counts"].tolist()
        record.missed, record.total = state["edges"].copy()
        self._recent, self.steps, self.start = (
            state[name].copy() for name in ("recent", "steps", "start")
        )
        if self.schedule is not None:
            self.schedule.restore(state)

    def answers(self, rows: StreamRows) -> Floats:
        """Return the answers of all learners (learners, rows, outputs)."""
        return np.stack([learner.predict(rows) for learner in self.learners])

    def partial_sums(self, answers: Floats) -> tuple[Floats, Floats, int]:
        """Return the partial sums, where gradients are taken, and how many rows were projected.

        The sums are y^0 to y^N (learners + 1, rows, outputs). Gradients are taken at the sum before
        a learner (learners, rows, outputs), moved on where there is momentum.
        """
        sums, points = np.empty((len(answers) + 1, *answers.shape[1:])), np.empty_like(answers)
        sums[0] = self.start
        projected = np.zeros(answers.shape[1], dtype=bool)
        for i, (answer, step) in enumerate(zip(answers, self.steps, strict=True)):
            points[i] = sums[i]
            if i and self.combine == "momentum":
                points[i] += nesterov_momentum(i) * (sums[i] - sums[i - 1])
            sums[i + 1] = points[i] - step * answer
            if not self.loss.is_smooth and np.isfinite(self.radius):
                free = sums[i + 1].copy()
                np.clip(free, -self.radius, self.radius, out=sums[i + 1])
                projected |= (free != sums[i + 1]).any(axis=1)
        return sums, points, int(projected.sum())

    def scores(self, sums: Floats) -> Floats:
        """Return the answer (rows, outputs): the last partial sum, or a mean of y^1 to y^N."""
        if self.combine == "average":
            return np.asarray(sums[1:].mean(axis=0))
        if self.combine == "weighted":
            return np.asarray(np.average(sums[1:], axis=0, weights=np.arange(1, len(sums))))
        return np.asarray(sums[-1])

    def learn(self, rows: StreamRows, y: Floats, weights: Floats) -> Floats:
        """Answer a block of rows, then learn from it; return the answers (rows, outputs).

        All targets come from the hypotheses before the block.
        """
        record, answers = self.record, self.answers(rows)
        sums, points, n_projected = self.partial_sums(answers)
        targets = self._targets(points, answers, y)
        recall = max(1.0 - len(y) / RECENT, 0.0)
        for i in self._learning():
            self.learners[i].update(rows, targets[i], weights)
            missed = float(weights @ ((targets[i] - answers[i]) ** 2).sum(axis=1))
            total = float(weights @ (targets[i] ** 2).sum(axis=1))
            record.missed[i] += missed
            record.total[i] += total
            self._recent[0, i] = recall * self._recent[0, i] + missed
            self._recent[1, i] = recall * self._recent[1, i] + total
        record.n_rows += len(y)
        record.n_projected += n_projected
        scores = self.scores(sums)
        if self.schedule is not None:
            self.schedule.update(self.loss.values(scores, y))
        return scores

    def _learning(self) -> range:
        """Return the learners that learn from the next rows."""
        first, stop, n_rows = 0, len(self.learners), self.record.n_rows
        if self.schedule is not None:
            first, stop, n_rows = self.schedule.first, self.schedule.stop, self.schedule.n_rows
        if self.join_after:
            stop = min(first + 1 + n_rows // self.join_after, stop)
        return range(first, stop)

    def _targets(self, points: Floats, answers: Floats, y: Floats) -> Floats:
        """Return the targets of all learners (learners, rows, outputs)."""
        targets, clipped = np.empty_like(answers), np.zeros(len(y), dtype=bool)
        residual = np.zeros_like(answers[0]) if len(answers) else np.zeros(0)
        for i, answer in enumerate(answers):
            gradient = self.loss.gradients(points[i], y)
            wild = ~(np.abs(gradient) <= LARGEST_GRADIENT)
            if wild.any():
                clipped |= wild.any(axis=1)
                gradient = np.where(np.isnan(gradient), 0.0, gradient)
                gradient = np.clip(gradient, -LARGEST_GRADIENT, LARGEST_GRADIENT)
            if self.loss.is_smooth:
                targets[i] = gradient
            else:
                targets[i] = residual + gradient
                residual = targets[i] - answer
        self.record.n_clipped += int(clipped.sum())
        return targets
