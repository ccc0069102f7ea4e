"""A monitor of divergence: the loss of a sum beside that of the constant that it begins with.

Steps that are too large make each partial sum worse than the one before it. A sum that learns may
be worse than a constant for a while, after a change of the stream for instance, but not many times.
"""

from __future__ import annotations

import numpy as np

from ...types import Floats

#: Rows over which the recent and the long mean reach back.
RECENT, LONG = 500.0, 10_000.0
#: How many times the loss of the constant is no longer that of a model which learns.
FACTOR = 10.0
#: Losses count up to this, so that their means stay finite.
_LARGEST = 1e100


class StreamDiverged(ValueError):
    """The steps of the learners are too large for the stream."""


class DivergenceMonitor:
    """Compares the recent loss of a model with the recent and the long-run loss of a constant.

    The long-run loss counts as well, since a target that hardly varies for a while is predicted by
    a constant, and by nothing else that has learnt.
    """

    def __init__(self) -> None:
        self.means = np.zeros(4)

    @property
    def is_good(self) -> bool:
        """Whether the model lately was no worse than the constant."""
        n, model, recent, _ = self.means.tolist()
        return bool(n >= RECENT and model <= recent)

    def restart(self) -> None:
        """Forget all rows."""
        self.means = np.zeros(4)

    def update(self, losses: Floats, constant_losses: Floats) -> bool:
        """Take the losses of new rows, none negative; return whether the model diverges."""
        n, model, recent, long = self.means.tolist()
        m = len(losses)
        n += m
        constant = _mean(constant_losses)
        model += (_mean(losses) - model) * min(m / min(n, RECENT), 1.0)
        recent += (constant - recent) * min(m / min(n, RECENT), 1.0)
        long += (constant - long) * min(m / min(n, LONG), 1.0)
        self.means = np.array([n, model, recent, long])
        return bool(n >= RECENT and model > FACTOR * max(recent, long))


def _mean(losses: Floats) -> float:
    return float(np.minimum(np.nan_to_num(losses, nan=_LARGEST), _LARGEST).mean())
