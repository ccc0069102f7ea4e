"""The state of a stream: rows that wait for their block, recent rows, bins, and the booster.

Rows are learnt in blocks, whose sizes depend on nothing but the number of rows seen before: the
model is the same however the rows are divided among calls. Cut points and purchases are decided
again whenever the stream is four times as long, on the most recent rows.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...kernels.binning import find_cuts
from ...types import Flags, Floats, Ints
from .drift import DriftDetector
from .purchases import Market, part_of_learners
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
        if self.n_rows >= self._next_decision:
            self._decide()
            while self._next_decision <= self.n_rows:
                self._next_decision *= LONGER
        if self._cuts is None:
            return
        encoding = None if self.moments is None else self.moments.inputs()
        rows = StreamRows(X, self._cuts, self._n_cuts, encoding)
        scores = self.booster.learn(rows, y, weights)
        if self.detector is None:
            return
        if self._rows_to_settle > 0:
            self._rows_to_settle -= len(y)
            if self._rows_to_settle <= 0:
                self._decide()
                self.booster.reset_harmful()
        elif self.detector.update(self.booster.loss.values(scores, y)):
            self._rows_to_settle = N_SETTLE

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
        if self._rows_to_settle:
            self._recent = [part[-N_SETTLE:] for part in self._recent]
        X, _, labels, weights = self._recent
        self._set_start()
        rows = np.arange(len(X))
        cuts = find_cuts(X, self.categorical, self.max_bins, rows, weights)
        self._cuts = np.zeros((len(cuts), self.max_bins))
        for j, own in enumerate(cuts):
            own = own[: self.max_bins - 1]  # the last bin is that of missing values
            self._cuts[j, : len(own)] = own
            self._n_cuts[j] = len(own)
        sets = None if self.market is None else self.market.sets(X, labels, weights)
        parts = part_of_learners(len(self.booster.learners))
        for learner, part in zip(self.booster.learners, parts, strict=True):
            learner.forget_bins()
            if sets is not None:
                learner.allow(sets[part])
