"""Weak learners with one hidden layer: dense, or a convolution of an image, trained by Adam."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ...data.validation import check_choice
from ...kernels.adam import adam_step
from ...plans.components.inputs import Inputs
from ...plans.components.network_table import (
    ACTIVATIONS,
    LEAK,
    ConvolutionTable,
    NetworkTable,
    windows,
)
from ...types import Arrays, Floats
from .input_learner import InputLearner, shared_arrays
from .parameter_checks import check_range, check_whole
from .stream_rows import StreamRows
from .weak_learner import LearnerContext

#: Activations that a network may be given.
TRAINED = ("sigmoid", "leaky-relu")


def activate(name: str, a: NDArray[Any]) -> NDArray[Any]:
    """Return the values of hidden units for their arguments."""
    if name == "sigmoid":
        return np.asarray(0.5 + 0.5 * np.tanh(0.5 * a))  # which does not overflow
    return np.asarray(np.maximum(a, LEAK * a))


class HiddenLearner(InputLearner):
    """A hidden layer and a linear one, trained by Adam.

    Each array holds parameters and Adam's means of their gradients and of the squares of these, one
    after the other; all are views of one matrix. The linear layer begins at 0, so that a learner
    that knows nothing answers nothing.
    """

    arrays: ClassVar[Mapping[str, tuple[int, ...]]] = {
        "first": (1,), "bias": (), "second": (), "constant": (),
    }  # fmt: skip
    numbers = (*InputLearner.numbers, "n_steps")
    n_steps: float
    dtype: np.dtype[Any] = np.dtype(np.float64)

    def __init__(self, context: LearnerContext, settings: Network | Convolution) -> None:
        check_choice("activation", settings.activation, TRAINED)
        check_range("rate", settings.rate, 0.0, np.inf, open_low=True)
        check_range("decay", settings.decay, 0.0, np.inf, open_low=True)
        check_whole("batch", settings.batch, 1, 100_000)
        self.settings = settings
        super().__init__(context)

    def _sizes(self, n_inputs: int) -> tuple[int, int, int]:
        """Return the inputs of a hidden unit, the units, and the positions of each."""
        raise NotImplementedError

    def _seen(self, rows: StreamRows) -> NDArray[Any]:
        """Return what the hidden units see (rows, positions, inputs of a unit)."""
        raise NotImplementedError

    def _blank(self, n_inputs: int) -> Arrays:
        n_seen, units, positions = self._sizes(n_inputs)
        shapes = (n_seen, units), (units,), (positions * units, self.n_outputs), (self.n_outputs,)
        return {
            name: np.zeros((3, *shape), dtype=self.dtype)
            for name, shape in zip(self.arrays, shapes, strict=True)
        }

    def _get_arrays(self) -> Arrays:
        return dict(self._views)

    def _set_arrays(self, arrays: Arrays) -> None:
        blocks = [arrays[name] for name in self.arrays]
        self._matrix = np.concatenate([array.reshape(3, -1) for array in blocks], axis=1)
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
        self.second *= factor
        self.constant *= factor

    def _forward(self, seen: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return the hidden values (rows, positions, units) and the answers."""
        n = len(seen)
        arguments = seen.reshape(-1, seen.shape[2]) @ self.first + self.bias
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
        np.matmul(seen.reshape(-1, seen.shape[2]).T, back, out=first)
        back.sum(axis=0, out=bias)
        self.n_steps += 1
        rate = self.settings.rate / np.sqrt(1.0 + self.n_steps / self.settings.decay)
        parameters, *moments = self._matrix
        adam_step(self._gradient[0], rate, int(self.n_steps), *moments, parameters)


def _hidden_arrays(
    learners: Sequence[HiddenLearner], factors: Floats, offsets: Floats, inputs: Inputs,
    activation: str,
) -> dict[str, Any]:  # fmt: skip
    """Return the arrays that tables of networks share."""
    sizes = factors * [learner.size for learner in learners]
    constants = np.array([learner.constant for learner in learners], dtype=np.float64)
    seconds = np.array([learner.second for learner in learners], dtype=np.float64)
    return shared_arrays(learners, inputs) | {
        "offset": offsets + sizes[:, None] * constants,
        "activation": np.array([ACTIVATIONS.index(activation)]),
        "first": np.array([learner.first for learner in learners], dtype=np.float64),
        "bias": np.array([learner.bias for learner in learners], dtype=np.float64),
        "second": sizes[:, None, None] * seconds,
    }


class NetworkLearner(HiddenLearner):
    """A network whose hidden units see all inputs."""

    settings: Network

    def _sizes(self, n_inputs: int) -> tuple[int, int, int]:
        return n_inputs, int(self.settings.hidden), 1

    def _seen(self, rows: StreamRows) -> NDArray[Any]:
        return self._inputs(rows)[:, None]

    def _draw(self, rng: np.random.Generator) -> None:
        """Draw the weights of the inputs that are read; new ones will begin at 0."""
        bound = 1.0 / np.sqrt(max(len(self.positions), 1))
        shape = len(self.positions), self.first.shape[1]
        self.first[self.positions] = rng.uniform(-bound, bound, shape)


class ConvolutionLearner(HiddenLearner):
    """A network whose hidden units see squares of an image."""

    dtype = np.dtype(np.float32)  # twice as fast, and precise enough for steps
    settings: Convolution

    def __init__(self, context: LearnerContext, settings: Convolution) -> None:
        shape = settings.checked_shape(context)
        self.geometry = np.array([*shape, settings.side, settings.stride])
        self._windows = windows(*self.geometry.tolist())
        super().__init__(context, settings)

    def _sizes(self, n_inputs: int) -> tuple[int, int, int]:
        positions, n_seen = self._windows.shape
        return n_seen, int(self.settings.channels), positions

    def _seen(self, rows: StreamRows) -> NDArray[Any]:
        key = "windows", self.positions.tobytes()
        if key not in rows.shared:
            inputs = self._inputs(rows).astype(self.dtype)
            rows.shared[key] = inputs[:, self._windows]
        seen: NDArray[Any] = rows.shared[key]
        return seen


@dataclass(frozen=True)
class Network:
    """Weak learners with one hidden layer, which learn by Adam.

    Parameters
    ----------
    hidden : int
        Hidden units.
    activation : {"sigmoid", "leaky-relu"}
        Of the hidden units.
    rate : float
        The first step of Adam; step t is shorter by the root of ``1 + t / decay``.
    decay : float
        See there; infinite for steps that stay as long.
    batch : int
        Rows per step, at most.

    References
    ----------
    Kingma, Ba. Adam: a method for stochastic optimization. ICLR 2015.
    """

    name: ClassVar[str] = "network"
    averages: ClassVar[bool] = False
    sees_image: ClassVar[bool] = False

    hidden: int = 5
    activation: str = "sigmoid"
    rate: float = 0.02
    decay: float = 100.0
    batch: int = 10

    def make(self, context: LearnerContext) -> NetworkLearner:
        """Return a learner that has not learnt anything."""
        check_whole("hidden", self.hidden, 1, 10_000)
        return NetworkLearner(context, self)

    def members(
        self, learners: Sequence[NetworkLearner], factors: Floats, offsets: Floats, inputs: Inputs,
        averaged: bool,
    ) -> NetworkTable:  # fmt: skip
        """Return learners as members."""
        arrays = _hidden_arrays(learners, factors, offsets, inputs, self.activation)
        return NetworkTable(**arrays)


@dataclass(frozen=True)
class Convolution:
    """Weak learners with a convolution of an image as hidden layer, which learn by Adam.

    Parameters
    ----------
    image_shape : (int, int) or None
        Height and width of the image, whose pixels are the columns, row by row. None is a square.
    channels, side, stride : int
        Squares of `side` x `side` pixels, `stride` pixels apart, are each seen by so many units.
    activation, rate, decay, batch
        As in `Network`.
    """

    name: ClassVar[str] = "convolution"
    averages: ClassVar[bool] = False
    sees_image: ClassVar[bool] = True

    image_shape: tuple[int, int] | None = None
    channels: int = 5
    side: int = 5
    stride: int = 2
    activation: str = "leaky-relu"
    rate: float = 0.003
    decay: float = 2_000.0
    batch: int = 25

    def checked_shape(self, context: LearnerContext) -> tuple[int, int]:
        """Return height and width of the image; raise ValueError if the columns are none."""
        moments, n = context.moments, context.n_columns
        if (moments.code >= 0).any():
            raise ValueError(
                "the learner 'convolution' needs pixels, which are numbers; a column holds "
                "categories. Leave it out, or take another learner."
            )
        root = int(np.sqrt(n) + 0.5)
        shape = (root, root) if self.image_shape is None else tuple(self.image_shape)
        if len(shape) != 2 or shape[0] * shape[1] != n:
            raise ValueError(
                f"image_shape is {self.image_shape}; expected height and width of an image of "
                f"{n} pixels, as there are {n} columns. Give "
                "learner=Convolution(image_shape=(height, width))."
            )
        if min(shape) < self.side:
            raise ValueError(
                f"side is {self.side}; expected {min(shape)} or less, the image is "
                f"{shape[0]} x {shape[1]}."
            )
        return int(shape[0]), int(shape[1])

    def make(self, context: LearnerContext) -> ConvolutionLearner:
        """Return a learner that has not learnt anything."""
        for name in ("channels", "side", "stride"):
            check_whole(name, getattr(self, name), 1, 1_000)
        return ConvolutionLearner(context, self)

    def members(
        self, learners: Sequence[ConvolutionLearner], factors: Floats, offsets: Floats,
        inputs: Inputs, averaged: bool,
    ) -> ConvolutionTable:  # fmt: skip
        """Return learners as members."""
        arrays = _hidden_arrays(learners, factors, offsets, inputs, self.activation)
        return ConvolutionTable(**arrays, geometry=learners[0].geometry)
