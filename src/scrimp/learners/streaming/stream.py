"""The state of a stream: rows that wait for their block, recent rows, bins, and the booster.

Rows are learnt in blocks, whose sizes depend on nothing but the number of rows seen before: the
model is the same however the rows are divided among calls. Cut points and purchases are decided
again whenever the stream is four times as long, on the most recent rows.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...data.columns import Columns
from ...kernels.binning import find_cuts
from ...types import Arrays, Flags, Floats, Ints
from .divergence import DivergenceMonitor, StreamDiverged
from .drift import DriftDetector
from .learner_state import copied
from .purchases import Market
from .stream_booster import StreamBooster
from .stream_rows import InputMoments, StreamRows

#: Recent rows that are kept, for cut points and for purchases.
N_RECENT = 2_000
#: Rows after which cut points and purchases are first decided; before, the answer is constant.
N_FIRST = 50
#: The stream is this many times as long at the next decision.
LONGER = 4
#: Rows after an alarm until recent rows tell what is to be bought now.
N_SETTLE = 1_000
#: Decisions for columns that appear are made when the number of rows is a multiple of this: many
#: columns that appear one after the other do not make one decision each.
DECIDE_EVERY = 500
#: Rows between two copies of what learners answer by, while the model is good.
KEEP_EVERY = 1_000


class Stream:
    """A booster that is fed rows.

    Parameters
    ----------
    booster : StreamBooster
        What learns.
    market : Market or None
        What may be bought; None if all columns are.
    categorical : bool array (columns,)
        Which columns hold codes.
    batch_size : int
        The largest number of rows that are learnt together.
    max_bins : int
        Of a column.
    moments : InputMoments or None
        Of the inputs; None if no learner asks for inputs.
    detector : DriftDetector or None
        Tells when the stream has changed. Cut points and purchases are then decided again, once
        the recent rows are those after the change, and learners that do harm begin again.
    """

    def __init__(
        self, booster: StreamBooster, market: Market | None, categorical: Flags, batch_size: int,
        max_bins: int, moments: InputMoments | None = None, detector: DriftDetector | None = None,
    ) -> None:  # fmt: skip
        self.booster, self.market, self.categorical = booster, market, categorical
        self.batch_size, self.max_bins, self.detector = batch_size, max_bins, detector
        self.moments = moments
        self._rows_to_settle = 0
        self.n_rows, self._next_decision = 0, N_FIRST
        self._waiting: list[tuple[NDArray[Any], ...]] = []
        self._recent: list[NDArray[Any]] = []
        self._cuts: Floats | None = None
        self._n_cuts: Ints = np.zeros(len(categorical), dtype=np.int64)
        self._monitor, self._kept, self._n_kept = DivergenceMonitor(), list[Arrays](), 0
        self._decisions_due: list[int] = []

    @property
    def n_seen(self) -> int:
        """Rows that were added, also those that wait for their block."""
        return self.n_rows + sum(len(part[0]) for part in self._waiting)

    def grow(self, columns: Columns, market: Market | None) -> None:
        """Take more columns and categories from now on; in rows so far they are missing."""
        n_new = len(columns) - len(self.categorical)
        self.categorical, self.market = columns.is_categorical(), market
        self._waiting = [(_widened(X, n_new), *others) for X, *others in self._waiting]
        if self._recent:
            self._recent[0] = _widened(self._recent[0], n_new)
        self._n_cuts = np.append(self._n_cuts, np.zeros(n_new, dtype=np.int64))
        if self._cuts is not None:
            self._cuts = np.concatenate([self._cuts, np.zeros((n_new, self.max_bins))])
        if self.moments is not None:
            self.moments.grow(columns)
        n, allowed, learners = len(columns), market is None, self.booster.learners
        self._kept = [
            learner.grown(kept, n, allowed)
            for learner, kept in zip(learners, self._kept, strict=False)
        ]
        for learner in learners:
            learner.grow(n, allowed)

    def expect(self, X_new: NDArray[Any]) -> None:
        """Decide again once there are rows enough of columns whose first values come next."""
        known = ~np.isnan(X_new)
        for row in (self.n_seen + known.argmax(axis=0)[known.any(axis=0)]).tolist():
            due = -(-(row + N_SETTLE) // DECIDE_EVERY) * DECIDE_EVERY
            if row >= N_FIRST and due not in self._decisions_due:
                self._decisions_due.append(due)

    def add(self, X: NDArray[Any], y: Floats, labels: Floats, weights: Floats) -> None:
        """Add rows; those that complete a block are learnt.

        Parameters
        ----------
        X : array (rows, columns)
            Values.
        y : float array (rows, outputs)
            Targets as the loss takes them.
        labels : float array (rows,)
            Targets as a booster takes them: numbers, or codes of classes.
        weights : float array (rows,)
            Weights of the rows.
        """
        self._waiting.append((X, y, labels, weights))
        joined = [np.concatenate(parts) for parts in zip(*self._waiting, strict=True)]
        start, n = 0, len(joined[0])
        while n - start >= (size := self._block_size()):
            self._learn(*(part[start : start + size] for part in joined))
            start += size
        self._waiting = [tuple(part[start:] for part in joined)] if start < n else []

    def flush(self) -> None:
        """Learn from the rows that wait, though their block is not complete."""
        for part in self._waiting:
            self._learn(*part)
        self._waiting = []

    def _block_size(self) -> int:
        """Return how many rows are learnt next: few at first, when each of them tells much."""
        return int(np.clip(self.n_rows // 4, 1, self.batch_size))

    def _learn(self, X: NDArray[Any], y: Floats, labels: Floats, weights: Floats) -> None:
        self._remember(X, y, labels, weights)
        if self.moments is not None:
            self.moments.add(X)
        self.n_rows += len(y)
        if self.n_rows >= min([self._next_decision, *self._decisions_due]):
            self._decide()
            self._decisions_due = [row for row in self._decisions_due if row > self.n_rows]
            while self._next_decision <= self.n_rows:
                self._next_decision *= LONGER
        if self._cuts is None:
            return
        encoding = None if self.moments is None else self.moments.inputs()
        rows = StreamRows(X, self._cuts, self._n_cuts, encoding)
        scores = self.booster.learn(rows, y, weights)
        self._watch(scores, y)
        if self.detector is None:
            return
        if self._rows_to_settle > 0:
            self._rows_to_settle -= len(y)
            if self._rows_to_settle <= 0:
                self._recent = [part[-N_SETTLE:] for part in self._recent]
                self._decide()
                self.booster.reset_harmful()
        elif self.detector.update(self.booster.loss.values(scores, y)):
            self._rows_to_settle = N_SETTLE

    def _watch(self, scores: Floats, y: Floats) -> None:
        """Keep what learners answer by while the model is good; go back to it if it diverges."""
        booster, monitor = self.booster, self._monitor
        constant = np.broadcast_to(booster.start, scores.shape)
        losses, constants = (booster.loss.excess(each, y) for each in (scores, constant))
        if monitor.update(losses, constants):
            _, model, recent, long = monitor.means.tolist()
            self._go_back()
            kept = f"is as it was after {self._n_kept} rows" if self._kept else "begins again"
            raise StreamDiverged(
                f"The model diverges: after {self.n_rows} rows its recent loss is {model:.3g}, "
                f"and that of a constant {max(recent, long):.3g}. Its steps, up to "
                f"{booster.steps.max():.6g}, are too large. It {kept}. Give a smaller "
                "learning_rate, or a smaller step."
            )
        if monitor.is_good and self.n_rows >= self._n_kept + KEEP_EVERY:
            self._n_kept = self.n_rows
            self._kept = [copied(learner.state(growth=False)) for learner in booster.learners]

    def _go_back(self) -> None:
        """Let the learners answer as they did when the model was last good, or as new ones."""
        for number, learner in enumerate(self.booster.learners):
            if not self._kept:
                learner.reset()
                continue
            learner.restore(self._kept[number])
        self._monitor.restart()

    def _remember(self, X: NDArray[Any], y: Floats, labels: Floats, weights: Floats) -> None:
        """Keep the most recent rows; until the first decision the answer is their best constant."""
        new = [X, y, labels, weights]
        if self._recent:
            new = [np.concatenate(parts) for parts in zip(self._recent, new, strict=True)]
        self._recent = [part[-N_RECENT:] for part in new]
        if self._cuts is None:
            self._set_start()

    def _set_start(self) -> None:
        """Begin the sum at the constant that is best for the recent rows."""
        _, y, _, weights = self._recent
        self.booster.start = self.booster.loss.best_constant(y, weights)

    def _decide(self) -> None:
        """Choose cut points and purchases by the recent rows."""
        X, _, labels, weights = self._recent
        self._set_start()
        rows = np.arange(len(X))
        cuts = find_cuts(X, self.categorical, self.max_bins, rows, weights)
        self._cuts = np.zeros((len(cuts), self.max_bins))
        for j, of_column in enumerate(cuts):
            of_column = of_column[: self.max_bins - 1]  # the last bin is that of missing values
            self._cuts[j, : len(of_column)] = of_column
            self._n_cuts[j] = len(of_column)
        sets = [np.ones(len(self.categorical), dtype=bool)] * len(self.booster.learners)
        if self.market is not None:
            sets = self.market.sets(X, labels, weights, len(sets))
        for learner, columns in zip(self.booster.learners, sets, strict=True):
            learner.forget_bins()
            learner.allow(columns)
        self.booster.unfreeze_new()


def _widened(X: NDArray[Any], n_new: int) -> NDArray[Any]:
    """Return rows with more columns, whose values are missing."""
    return np.concatenate([X, np.full((len(X), n_new), np.nan, dtype=X.dtype)], axis=1)
