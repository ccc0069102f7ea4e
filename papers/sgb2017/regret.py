"""Average regret of streaming boosting along a stream, for every number of learners at once.

Learner i is taught by what those before it answer, so that the first N of many learners are a run
with N learners: one run tells the regret for all N.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.tree import DecisionTreeRegressor

from scrimp.data.columns import Columns
from scrimp.learners.streaming.base import JOIN_AFTER
from scrimp.learners.streaming.losses import StreamLoss
from scrimp.learners.streaming.online_tree import TreeKind, TreeSettings
from scrimp.learners.streaming.stream import Stream
from scrimp.learners.streaming.stream_booster import StreamBooster
from scrimp.learners.streaming.stream_rows import InputMoments, StreamRows
from scrimp.learners.streaming.weak_learner import LearnerContext, LearnerKind
from scrimp.types import Floats

from ..trials import Record

#: Rows that are answered, and then learnt, together, at most.
BATCH = 50
#: Scores between which a leaf of the competitor has its value.
_LARGEST = 20.0


class RecordingBooster(StreamBooster):
    """A booster that adds up the losses of its first N learners, for every N.

    Alg. 6 answers with the sum of the N learners. Alg. 7 answers with the mean of the partial sums
    before each of them, y^0 to y^(N-1), which is what the proof of Thm 5.5.2 bounds.
    """

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.totals: list[Floats] = []
        self.counts: list[int] = []
        self.largest_gradient = 0.0
        self.largest_loss = 0.0
        self._sums = np.zeros(0)
        self._missed, self._total = np.zeros((2, len(self.learners)))

    @property
    def edges(self) -> Floats:
        """The edge of each learner over all rows, also those before it began."""
        return np.asarray(1.0 - self._missed / np.maximum(self._total, np.finfo(float).tiny))

    def _targets(self, points: Floats, answers: Floats, y: Floats) -> Floats:
        targets = super()._targets(points, answers, y)
        self._missed += ((targets - answers) ** 2).sum(axis=(1, 2))
        self._total += (targets**2).sum(axis=(1, 2))
        return targets

    def scores(self, sums: Floats) -> Floats:
        """Return the answer, and remember the partial sums."""
        self._sums = sums
        return super().scores(sums)

    def learn(self, rows: StreamRows, y: Floats, weights: Floats) -> Floats:
        """Answer a block of rows and note what each number of learners loses; then learn."""
        scores = super().learn(rows, y, weights)
        answers: Floats = self._sums
        if not self.loss.is_smooth:
            number = np.arange(1, len(answers))[:, None, None]
            answers = np.concatenate([answers[:1], answers[:-1].cumsum(axis=0) / number])
        losses = np.stack([self.loss.values(answers[n], y) for n in range(len(answers))])
        gradients = [np.abs(self.loss.gradients(point, y)).max() for point in self._sums[:-1]]
        self.largest_gradient = max(self.largest_gradient, *gradients)
        self.largest_loss = max(self.largest_loss, float(losses[0].max()))
        self.totals.append(losses.sum(axis=1))
        self.counts.append(len(y))
        return scores


@dataclass(frozen=True, eq=False)
class Run:
    """Losses along a stream.

    Parameters
    ----------
    rows : int array (blocks,)
        Rows up to the end of each block.
    losses : float array (blocks, learners + 1)
        Their mean loss for 0, 1, ... learners.
    booster : RecordingBooster
        What has learnt.
    """

    rows: NDArray[np.int64]
    losses: Floats
    booster: RecordingBooster

    def at(self, n_rows: int) -> Floats:
        """Return the mean losses of the first rows, up to a block that ends there or before."""
        block = max(int(np.searchsorted(self.rows, n_rows, "right")) - 1, 0)
        return np.asarray(self.losses[block])


def trees(max_depth: int) -> TreeKind:
    """Return the kind of online trees of a depth."""
    return TreeKind(TreeSettings(max_depth))


def run(
    X: NDArray[Any], y: Floats, loss: StreamLoss, kind: LearnerKind, steps: Floats,
    join_after: int = JOIN_AFTER,
) -> Run:  # fmt: skip
    """Learn from a stream, one pass.

    The first partial sum is the best constant of recent rows; the first 50 rows are answered by it
    alone, and are not counted. Learners begin `join_after` rows apart.
    """
    columns = Columns(None, (None,) * X.shape[1])
    moments = InputMoments(columns)
    context = LearnerContext(X.shape[1], 1, moments, np.random.default_rng(0))
    learners = [kind.make(context) for _ in steps]
    booster = RecordingBooster(loss, learners, steps, np.zeros(1), join_after=join_after)
    stream = Stream(
        booster, None, columns.is_categorical(), BATCH, TreeSettings().max_bins,
        None if isinstance(kind, TreeKind) else moments,
    )  # fmt: skip
    stream.add(X, y[:, None], y, np.ones(len(y)))
    stream.flush()
    rows = np.cumsum(booster.counts)
    return Run(rows, np.cumsum(booster.totals, axis=0) / rows[:, None], booster)


def competitor(X: NDArray[Any], y: Floats, loss: StreamLoss, max_depth: int) -> Floats:
    """Return the loss per row of a deep tree that is fitted to the whole stream in hindsight.

    It is grown by squared error; the value of a leaf then has the least loss of its rows.
    """
    tree = DecisionTreeRegressor(max_depth=max_depth, min_samples_leaf=5, random_state=0)
    _, leaf = np.unique(tree.fit(X, y).apply(X), return_inverse=True)
    low, high = np.full(leaf.max() + 1, -_LARGEST), np.full(leaf.max() + 1, _LARGEST)
    for _ in range(50):  # by bisection of the gradient, which rises with the value
        middle = 0.5 * (low + high)
        gradients = loss.gradients(middle[leaf, None], y[:, None])[:, 0]
        above = np.bincount(leaf, gradients) > 0
        low, high = np.where(above, low, middle), np.where(above, middle, high)
    return loss.values(high[leaf, None], y[:, None])


def as_record(run: Run, best: Floats, at: Sequence[int]) -> Record:
    """Return regret by the number of learners, and by rows for all learners, with edges."""
    n = int(run.rows[-1])
    return {
        "by_learners": (run.losses[-1] - best[-n:].mean()).tolist(),
        "by_rows": [float(run.at(t)[-1] - best[:t].mean()) for t in at],
        "edges": run.booster.edges.tolist(),
    }
