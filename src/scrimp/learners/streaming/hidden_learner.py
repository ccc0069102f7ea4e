"""What weak learners with one hidden layer share: training by Adam, and averages of weights."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ...data.validation import check_choice, check_number, check_whole
from ...kernels.adam import adam_step, average_step
from ...plans.components.inputs import Inputs
from ...plans.components.network_table import ACTIVATIONS, LEAK
from ...types import Arrays, Floats
from .input_learner import InputLearner, shared_arrays
from .stream_rows import StreamRows
from .weak_learner import LearnerContext

if TYPE_CHECKING:
    from .network_learners import Convolution, Network

#: Activations that a network may be given.
TRAINED = ("sigmoid", "leaky-relu")
#: Averages of weights reach back over one part in so many of all steps: more forget sooner what was
#: learnt first, fewer average out more of the noise.
TAIL = 10


def activate(name: str, a: NDArray[Any]) -> NDArray[Any]:
    """Return the values of hidden units for their arguments."""
    if name == "sigmoid":
        return np.asarray(0.5 + 0.5 * np.tanh(0.5 * a))  # which does not overflow
    return np.asarray(np.maximum(a, LEAK * a))


class HiddenLearner(InputLearner):
    """A hidden layer and a linear one, trained by Adam.

    Each array holds parameters, Adam's means of their gradients and of the squares of these, and
    the average of the parameters if it is kept, one after the other; all are views of one matrix.
    The linear layer begins at 0, so that a learner that knows nothing answers nothing.
    """

    arrays: ClassVar[Mapping[str, tuple[int, ...]]] = {
        "first": (1,), "bias": (), "second": (), "constant": (),
    }  # fmt: skip
    numbers = (*InputLearner.numbers, "n_steps")
    n_steps: float
    dtype: np.dtype[Any] = np.dtype(np.float64)

    def __init__(self, context: LearnerContext, settings: Network | Convolution) -> None:
        check_choice("activation", settings.activation, TRAINED)
        check_number("rate", settings.rate, 0.0, above=True)
        check_number("decay", settings.decay, 0.0, above=True)
        check_whole("batch", settings.batch, 1, 100_000)
        check_number("averaging", settings.averaging, 1.0)
        self.settings, self._averages = settings, context.averages
        super().__init__(context)

    def _sizes(self, n_inputs: int) -> tuple[int, int, int]:
        """Return the inputs of a hidden unit, the units, and the positions of each."""
        raise NotImplementedError

    def _seen(self, rows: StreamRows) -> NDArray[Any]:
        """Return what the hidden units see (rows, positions, inputs of a unit)."""
        raise NotImplementedError

    def _weighted(self, seen: NDArray[Any]) -> NDArray[Any]:
        """Return the product of what is seen and the weights of the hidden units."""
        return np.asarray(seen @ self.first)

    def _add_up(self, seen: NDArray[Any], back: NDArray[Any], out: NDArray[Any]) -> None:
        """Write the gradient by these weights, given that by the arguments of the units."""
        np.matmul(seen.T, back, out=out)

    def _blank(self, n_inputs: int) -> Arrays:
        n_seen, units, positions = self._sizes(n_inputs)
        shapes = (n_seen, units), (units,), (positions * units, self.n_outputs), (self.n_outputs,)
        depth = 4 if self._averages else 3
        return {
            name: np.zeros((depth, *shape), dtype=self.dtype)
            for name, shape in zip(self.arrays, shapes, strict=True)
        }

    def _get_arrays(self) -> Arrays:
        return dict(self._views)

    def _set_arrays(self, arrays: Arrays) -> None:
        blocks = [arrays[name] for name in self.arrays]
        self._matrix = np.concatenate([array.reshape(len(array), -1) for array in blocks], axis=1)
        self._gradient = np.zeros_like(self._matrix[:1])
        ends = np.cumsum([0, *(array[0].size for array in blocks)]).tolist()

        def views(matrix: NDArray[Any]) -> list[NDArray[Any]]:
            parts = zip(ends[:-1], ends[1:], blocks, strict=True)
            return [matrix[:, a:b].reshape(-1, *array.shape[1:]) for a, b, array in parts]

        self._views = dict(zip(self.arrays, views(self._matrix), strict=True))
        self.first, self.bias, self.second, self.constant = (
            view[0] for view in self._views.values()
        )
        self._slopes = [view[0] for view in views(self._gradient)]

    def _draw(self, rng: np.random.Generator) -> None:
        """Draw the weights of the hidden units."""
        bound = 1.0 / np.sqrt(max(len(self.first), 1))
        self.first[:] = rng.uniform(-bound, bound, self.first.shape)

    def _resize(self, factor: float) -> None:
        rows = [0, 3] if self._averages else [0]
        for name in ("second", "constant"):
            self._views[name][rows] *= factor

    def _forward(self, seen: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return the hidden values (rows, positions, units) and the answers."""
        n = len(seen)
        arguments = self._weighted(seen.reshape(-1, seen.shape[2])) + self.bias
        hidden = activate(self.settings.activation, arguments).reshape(n, -1)
        return hidden, hidden @ self.second + self.constant

    def _answer(self, rows: StreamRows) -> Floats:
        return np.asarray(self._forward(self._seen(rows))[1], dtype=np.float64)

    def _learn(self, rows: StreamRows, targets: Floats, weights: Floats) -> None:
        seen, size = self._seen(rows), self.settings.batch
        targets, weights = targets.astype(self.dtype), weights.astype(self.dtype)
        for start in range(0, len(seen), size):
            part = slice(start, start + size)
            self._step(seen[part], targets[part], weights[part])

    def _step(self, seen: NDArray[Any], targets: NDArray[Any], weights: NDArray[Any]) -> None:
        """Take a step of Adam on half the mean squared error of some rows."""
        total = weights.sum()
        if not total > 0.0:
            return
        hidden, answers = self._forward(seen)
        error = (answers - targets) * (weights / total)[:, None]
        first, bias, second, constant = self._slopes
        np.matmul(hidden.T, error, out=second)
        error.sum(axis=0, out=constant)
        back = error @ self.second.T
        if self.settings.activation == "sigmoid":
            back *= hidden * (1.0 - hidden)
        else:
            back *= np.where(hidden > 0.0, self.dtype.type(1.0), self.dtype.type(LEAK))
        back = back.reshape(-1, first.shape[1])
        self._add_up(seen.reshape(-1, seen.shape[2]), back, first)
        back.sum(axis=0, out=bias)
        self.n_steps += 1
        rate = self.settings.rate / np.sqrt(1.0 + self.n_steps / self.settings.decay)
        parameters, *moments = self._matrix[:3]
        adam_step(self._gradient[0], rate, int(self.n_steps), *moments, parameters)
        if self._averages:
            # polynomial-decay averaging (Shamir and Zhang 2013), then an exponential one
            share = max(TAIL / (self.n_steps + TAIL - 1.0), 1.0 / self.settings.averaging)
            average_step(parameters, share, self._matrix[3])

    def hypothesis(self, averaged: bool) -> dict[str, Floats]:
        """Return the parameters by name, or their average over recent steps."""
        which = 3 if averaged else 0
        return {name: view[which].astype(np.float64) for name, view in self._views.items()}


def hidden_arrays(
    learners: Sequence[HiddenLearner], factors: Floats, offsets: Floats, inputs: Inputs,
    averaged: bool, activation: str,
) -> dict[str, Any]:  # fmt: skip
    """Return the arrays that tables of networks share."""
    sizes = factors * [learner.size for learner in learners]
    hypotheses = [learner.hypothesis(averaged) for learner in learners]
    first, bias, second, constant = (
        np.array([hypothesis[name] for hypothesis in hypotheses]) for name in HiddenLearner.arrays
    )
    return shared_arrays(learners, inputs) | {
        "offset": offsets + sizes[:, None] * constant,
        "activation": np.array([ACTIVATIONS.index(activation)]),
        "first": first,
        "bias": bias,
        "second": sizes[:, None, None] * second,
    }
