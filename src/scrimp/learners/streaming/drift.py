"""A detector of drift: the loss of recent rows against that of many rows before."""

from __future__ import annotations

import numpy as np

from ...types import Floats

#: Rows over which the recent and the long mean of the loss reach back.
RECENT, LONG = 500.0, 10_000.0
#: Standard errors by which the recent mean must be above the long one.
N_ERRORS = 6.0
#: Rows after a beginning, or an alarm, before there can be one.
QUIET = 2_000
#: Losses beyond this are those of rows whose gradients are clipped, and do not count.
_HUGE = 1e100


class DriftDetector:
    """Compares two means of the loss that forget at different speeds (as DDM and Page-Hinkley do).

    A model that still learns has a falling loss, which is no alarm. A mean with the forgetting
    factor 1 - 1/H has about the variance of one of 2 H rows.
    """

    def __init__(self) -> None:
        self.n_alarms = 0
        self._restart()

    def _restart(self) -> None:
        self._n = 0
        self._recent = self._long = self._squares = 0.0

    def state(self) -> Floats:
        """Return all that is to be known of the rows so far."""
        return np.array([self.n_alarms, self._n, self._recent, self._long, self._squares])

    def restore(self, state: Floats) -> None:
        """Go on from a `state`."""
        alarms, n, self._recent, self._long, self._squares = state.tolist()
        self.n_alarms, self._n = int(alarms), int(n)

    def update(self, losses: Floats) -> bool:
        """Take the losses of new rows; return whether the stream has changed."""
        losses = losses[np.abs(losses) < _HUGE]
        if not len(losses):
            return False
        mean, n = float(losses.mean()), len(losses)
        self._n += n
        # means of all rows at first, then of those that are not forgotten
        self._recent += (mean - self._recent) * n / min(self._n, RECENT)
        self._long += (mean - self._long) * n / min(self._n, LONG)
        self._squares += (float((losses**2).mean()) - self._squares) * n / min(self._n, LONG)
        if self._n < QUIET:
            return False
        spread = max(self._squares - self._long**2, 0.0)
        error = np.sqrt(spread / (2.0 * RECENT))
        if not self._recent - self._long > N_ERRORS * error:
            return False
        self.n_alarms += 1
        self._restart()
        return True
