"""What weak learners share that answer from standardised inputs."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from ...plans.components.inputs import Inputs
from ...types import Arrays, Flags, Floats, Ints
from .learner_state import check_like, copied
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

    #: Arrays by the names of their attributes, and which of their axes run over the inputs. Such
    #: an axis may be longer by one, that of the constant.
    arrays: ClassVar[Mapping[str, tuple[int, ...]]]
    #: Names of the attributes that are numbers.
    numbers: ClassVar[tuple[str, ...]] = ("n_rows", "size")

    n_rows: float = 0.0
    size: float = 1.0

    def __init__(self, context: LearnerContext) -> None:
        self.n_outputs, self.moments = context.n_outputs, context.moments
        self.column, self.code = context.moments.column, context.moments.code
        self.allowed = np.ones(context.n_columns, dtype=bool)
        # the seed, and how often it has begun again: what is drawn depends on nothing else
        self._draws = np.array([context.rng.integers(2**31), 0])
        self._begin()

    def _begin(self) -> None:
        if self.has_learnt:
            self._draws[1] += 1
        self.positions: Ints = self._readable()
        for name in self.numbers:
            setattr(self, name, 0.0)
        self.size = 1.0
        self._set_arrays(self._blank(len(self.column)))
        self._draw(np.random.default_rng(self._draws.tolist()))

    def _readable(self) -> Ints:
        """Return the inputs that may be read, and of which there was a value."""
        return np.flatnonzero(self.allowed[self.column] & self.moments.seen)

    def _get_arrays(self) -> Arrays:
        return {name: getattr(self, name) for name in self.arrays}

    def _set_arrays(self, arrays: Arrays) -> None:
        for name in self.arrays:
            setattr(self, name, arrays[name])

    def state(self, growth: bool = True) -> Arrays:
        """Return the arrays that are all there is to know of the learner, not copied."""
        numbers = np.array([getattr(self, name) for name in self.numbers], dtype=np.float64)
        numbered = {"numbers": numbers, "draws": self._draws, "reads": self.mask == 1}
        return self._get_arrays() | numbered | {"allowed": self.allowed}

    def restore(self, state: Arrays) -> None:
        """Become the learner of a `state`; raise ValueError if it can be none of its kind."""
        check_like(self.state(), state)
        for name, array in state.items():
            if array.dtype.kind == "f" and not np.isfinite(array).all():
                raise ValueError(f"the array {name!r} of a learner is not finite")
        size = state["numbers"][self.numbers.index("size")]
        if (state["numbers"] < 0).any() or not size > 0 or (state["draws"] < 0).any():
            raise ValueError("a learner has counts that are negative, or targets without a size")
        if not state["allowed"][self.column[state["reads"]]].all():
            raise ValueError("a learner reads a column that it may not read")
        self._set_state(copied(state))

    def _set_state(self, state: Arrays) -> None:
        self.allowed, self._draws = state["allowed"], state["draws"]
        self.positions = np.flatnonzero(state["reads"])
        for name, number in zip(self.numbers, state["numbers"].tolist(), strict=True):
            setattr(self, name, number)
        self._set_arrays(state)

    def grown(self, state: Arrays, n_columns: int, allowed: bool) -> Arrays:
        """Return a state with more inputs, which were 0 in all rows so far."""
        at, n = self.moments.places(self.column, self.code), len(self.moments)
        wide = self._blank(n) | {"reads": np.zeros(n, dtype=bool)}
        for name, axes in {**self.arrays, "reads": (0,)}.items():
            old, index = state[name], [np.arange(size) for size in state[name].shape]
            for axis in axes:
                index[axis] = at if old.shape[axis] == len(at) else np.append(at, n)
            wide[name][np.ix_(*index)] = old
        new = np.full(n_columns - len(state["allowed"]), allowed)
        return state | wide | {"allowed": np.append(state["allowed"], new)}

    def grow(self, n_columns: int, allowed: bool) -> None:
        """Take more columns and categories from now on; they are read from the next decision on."""
        state = self.grown(self.state(), n_columns, allowed)
        self.column, self.code = self.moments.column, self.moments.code
        self._set_state(state)

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
        """Read these columns only, once they have had a value; if others were read, begin again."""
        self.allowed = columns
        if not self.has_learnt or not columns[self.reads].all():
            self._begin()
        elif not np.array_equal(self.positions, self._readable()):
            self.positions = self._readable()
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
        inputs: Floats = rows.shared[key]
        return inputs

    @abstractmethod
    def _blank(self, n_inputs: int) -> Arrays:
        """Return the arrays of a learner of so many inputs before it has drawn or learnt any."""

    def _draw(self, rng: np.random.Generator) -> None:
        """Draw what is random, for the inputs at `positions`."""
        return

    def _widen(self) -> None:
        """Prepare for more inputs, after `positions` has them; what they count is 0 so far."""
        return

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
