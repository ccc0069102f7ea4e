"""Weak learners with one hidden layer: dense, or a convolution of an image, trained by Adam."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ...data.validation import check_whole
from ...kernels.ordered_products import multiply, multiply_transposed
from ...plans.components.inputs import Inputs
from ...plans.components.network_table import ConvolutionTable, NetworkTable, windows
from ...types import Floats
from .hidden_learner import HiddenLearner, hidden_arrays
from .stream_rows import StreamRows
from .weak_learner import LearnerContext


class NetworkLearner(HiddenLearner):
    """A network whose hidden units see all inputs.

    Inputs come as categories and columns are seen, which depends on the chunks in which rows
    arrive; sums are taken in order, so that what is learnt does not.
    """

    settings: Network

    def _sizes(self, n_inputs: int) -> tuple[int, int, int]:
        return n_inputs, int(self.settings.hidden), 1

    def _seen(self, rows: StreamRows) -> NDArray[Any]:
        return self._inputs(rows)[:, None]

    def _weighted(self, seen: NDArray[Any]) -> NDArray[Any]:
        out = np.empty((len(seen), self.first.shape[1]))
        multiply(seen, self.first, out)
        return out

    def _add_up(self, seen: NDArray[Any], back: NDArray[Any], out: NDArray[Any]) -> None:
        multiply_transposed(seen, back, out)

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
    averaging : float
        With ``iterate="average"`` of the booster, weights are averaged over about the last tenth of
        all steps, and at most over so many.

    References
    ----------
    Kingma, Ba. Adam: a method for stochastic optimization. ICLR 2015. Shamir, Zhang.
    Stochastic gradient descent for non-smooth optimization: convergence results and optimal
    averaging schemes. ICML 2013.
    """

    name: ClassVar[str] = "network"
    averages: ClassVar[bool] = True
    sees_image: ClassVar[bool] = False

    hidden: int = 5
    activation: str = "sigmoid"
    rate: float = 0.02
    decay: float = 100.0
    batch: int = 10
    averaging: float = 10_000.0

    def make(self, context: LearnerContext) -> NetworkLearner:
        """Return a learner that has not learnt anything."""
        check_whole("hidden", self.hidden, 1, 10_000)
        return NetworkLearner(context, self)

    def members(
        self, learners: Sequence[NetworkLearner], factors: Floats, offsets: Floats, inputs: Inputs,
        averaged: bool,
    ) -> NetworkTable:  # fmt: skip
        """Return learners as members."""
        arrays = hidden_arrays(learners, factors, offsets, inputs, averaged, self.activation)
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
    activation, rate, decay, batch, averaging
        As in `Network`.
    """

    name: ClassVar[str] = "convolution"
    averages: ClassVar[bool] = True
    sees_image: ClassVar[bool] = True

    image_shape: tuple[int, int] | None = None
    channels: int = 5
    side: int = 5
    stride: int = 2
    activation: str = "leaky-relu"
    rate: float = 0.003
    decay: float = 2_000.0
    batch: int = 25
    averaging: float = 10_000.0

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
        arrays = hidden_arrays(learners, factors, offsets, inputs, averaged, self.activation)
        return ConvolutionTable(**arrays, geometry=learners[0].geometry)
