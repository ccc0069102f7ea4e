"""Gradient boosting whose steps are blocks of streaming boosting, if their number is unknown.

"If we do not have a good guess of N, we can still use SGB to add multiple weak learners at a time
in GB" (Hu 2019, section 5.6): the learners of one block learn together as in Alg. 6 or 7, those
before it are frozen, and those after it wait. A block is frozen once its loss falls no further.
"""

from __future__ import annotations

import numpy as np

from ...types import Arrays, Floats

#: Rows whose mean losses are compared: more tell smaller progress, and freeze later.
WINDOW = 1_000


class BlockSchedule:
    """Which learners learn.

    Parameters
    ----------
    n_learners : int
        At most so many are added.
    block_size : int
        Learners that are added at a time.
    """

    def __init__(self, n_learners: int, block_size: int) -> None:
        self.n_learners, self.block_size = n_learners, block_size
        self.first, self.n_rows = 0, 0
        # of this window and of the one before it: rows, sum and sum of squares of the losses
        self._sums = np.zeros((2, 3))

    @property
    def stop(self) -> int:
        """The first learner after the block."""
        return min(self.first + self.block_size, self.n_learners)

    def state(self) -> Arrays:
        """Return all that is to be known of the blocks so far."""
        block = np.array([self.first, self.n_rows], dtype=np.int64)
        return {"block": block, "block_losses": self._sums}

    def restore(self, state: Arrays) -> None:
        """Go on from a `state`; raise ValueError if no block begins where it says."""
        first, n_rows = state["block"].tolist()
        if not (0 <= first < self.n_learners and first % self.block_size == 0 and n_rows >= 0):
            raise ValueError(f"no block of learners begins at learner {first}")
        self.first, self.n_rows, self._sums = first, n_rows, state["block_losses"].copy()

    def update(self, losses: Floats) -> None:
        """Take the losses of new rows, and begin the next block if they fall no further."""
        self.n_rows += len(losses)
        self._sums[0] += len(losses), losses.sum(), (losses**2).sum()
        if self._sums[0, 0] < WINDOW:
            return
        if self._sums[1, 0] > 0 and not self._falls() and self.stop < self.n_learners:
            self.begin(self.stop)
        else:
            self._sums[1], self._sums[0] = self._sums[0], 0.0

    def begin(self, first: int) -> None:
        """Let the block of a learner learn, from now on."""
        self.first, self.n_rows = first - first % self.block_size, 0
        self._sums[:] = 0.0

    def _falls(self) -> bool:
        """Return whether the mean fell by more than the standard error of the difference."""
        n, total, squares = self._sums.T
        means = total / n
        variances = np.maximum(squares / n - means**2, 0.0)
        return bool(means[1] - means[0] > np.sqrt((variances / n).sum()))
