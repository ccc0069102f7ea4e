"""What weak learners share that answer from standardised inputs."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...plans.components.inputs import Inputs
from ...types import Flags, Floats, Ints
from .stream_rows import StreamRows
from .weak_learner import LearnerContext

#: Rows of which the size of the targets is learnt; then it is fixed.
N_SCALE = 200.0


class InputLearner(ABC):
    """A learner of targets over their root mean square, which its first rows tell.

    Parameters
    ----------
    context : LearnerContext
        Of the stream.
    """

    def __init__(self, context: LearnerContext) -> None:
        self.n_outputs, self.rng = context.n_outputs, context.rng
        self.column = context.moments.column
        self.allowed = np.ones(context.n_columns, dtype=bool)
        self._begin()

    def _begin(self) -> None:
        self.positions: Ints = np.flatnonzero(self.allowed[self.column])
        self.n_rows, self.size = 0.0, 1.0
        self._start()

    def reset(self) -> None:
        """Forget everything that was learnt."""
        self._begin()

    @property
    def has_learnt(self) -> bool:
        """Whether there was a row to learn from."""
        return self.n_rows > 0

    @property
    def reads(self) -> Ints:
        """The columns of all inputs that it may read, once it has learnt."""
        return np.unique(self.column[self.positions]) if self.has_learnt else self.column[:0]

    @property
    def mask(self) -> Ints:
        """1 for the inputs that it reads, else 0."""
        mask = np.zeros(len(self.column), dtype=np.int64)
        mask[self.positions] = 1
        return mask

    def allow(self, columns: Flags) -> None:
        """Read these columns only; if others were read, begin again."""
        allowed, self.allowed = self.allowed, columns
        if not self.has_learnt or not columns[self.reads].all():
            self._begin()
        elif not np.array_equal(allowed, columns):
            self.positions = np.flatnonzero(columns[self.column])
            self._widen()

    def forget_bins(self) -> None:
        """Return at once, as there are no bins."""
        return

    def predict(self, rows: StreamRows) -> Floats:
        """Return the answers (rows, outputs)."""
        if not self.has_learnt:
            return np.zeros((len(rows), self.n_outputs))
        return self.size * self._answer(rows)

    def update(self, rows: StreamRows, targets: Floats, weights: Floats) -> None:
        """Learn the targets (rows, outputs) of rows."""
        total = float(weights.sum())
        if not total > 0.0:
            return
        if self.n_rows < N_SCALE:
            self._learn_size(targets, weights, total)
        self.n_rows += total
        self._learn(rows, targets / self.size, weights)

    def _learn_size(self, targets: Floats, weights: Floats, total: float) -> None:
        """Make the size of targets their root mean square so far."""
        square = float(weights @ (targets**2).mean(axis=1)) / total
        old = self.size**2 if self.has_learnt else 0.0
        size = float(np.sqrt(old + (square - old) * total / (self.n_rows + total))) or 1.0
        if self.has_learnt:
            self._resize(self.size / size)
        self.size = size

    def _inputs(self, rows: StreamRows) -> Floats:
        """Return the inputs that it reads, the others 0; learners of one set share them."""
        if len(self.positions) == len(self.column):
            return rows.inputs
        key = "inputs", self.positions.tobytes()
        if key not in rows.shared:
            masked = np.zeros_like(rows.inputs)
            masked[:, self.positions] = rows.inputs[:, self.positions]
            rows.shared[key] = masked
        own: Floats = rows.shared[key]
        return own

    @abstractmethod
    def _start(self) -> None:
        """Make fresh parameters for the inputs at `positions`."""

    @abstractmethod
    def _widen(self) -> None:
        """Prepare for more inputs, after `positions` has them."""

    @abstractmethod
    def _resize(self, factor: float) -> None:
        """Multiply the answers by a factor, as the size of targets changes."""

    @abstractmethod
    def _answer(self, rows: StreamRows) -> Floats:
        """Return the answers (rows, outputs), over the size of targets."""

    @abstractmethod
    def _learn(self, rows: StreamRows, targets: Floats, weights: Floats) -> None:
        """Learn targets, over their size."""


def shared_arrays(learners: Sequence[InputLearner], inputs: Inputs) -> dict[str, Any]:
    """Return the arrays that all tables of such learners have."""
    return {
        "column": inputs.column, "code": inputs.code, "center": inputs.center,
        "scale": inputs.scale, "mask": np.array([learner.mask for learner in learners]),
    }  # fmt: skip
