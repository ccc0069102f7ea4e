"""Tables of networks with one hidden layer, each of which is a member of an ensemble."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from ...data.validation import int_array
from ...types import Floats, Ints
from .inputs import InputTable

#: Functions of hidden units by their number in model files, which is that of
#: `scrimp.kernels.network_answers`; the cosine is of random features.
ACTIVATIONS = ("sigmoid", "leaky-relu", "cosine")
#: The slope of the leaky rectifier where its argument is negative.
LEAK = 0.01


@dataclass(frozen=True, eq=False)
class _HiddenTable(InputTable):
    """What networks share: an activation and a linear layer on the hidden units.

    Parameters
    ----------
    column, code, center, scale, mask, offset
        As in `InputTable`.
    activation : int array (1,)
        The position of the activation in `ACTIVATIONS`.
    first : float array (members, inputs of a unit, units)
        Weights of the hidden units, or of the channels of a convolution.
    bias : float array (members, units)
        What is added to their arguments.
    second : float array (members, hidden values, outputs)
        Weights of the linear layer.
    """

    activation: Ints
    first: Floats
    bias: Floats
    second: Floats

    def __post_init__(self) -> None:
        """Convert the arrays and check their shapes."""
        super().__post_init__()
        object.__setattr__(self, "activation", int_array("activation", self.activation))
        for name, ndim in (("first", 3), ("bias", 2), ("second", 3)):
            self._set_floats(name, ndim)
        if self.activation.shape != (1,) or not 0 <= self.activation[0] < len(ACTIVATIONS):
            raise ValueError(
                f"activation is {self.activation.tolist()}; expected one number from 0 to "
                f"{len(ACTIVATIONS) - 1}."
            )
        n, units, (positions, n_inputs) = len(self), self.bias.shape[1], self._windows.shape
        self._check_shape("first", n, n_inputs, units)
        self._check_shape("bias", n, units)
        self._check_shape("second", n, positions * units, self.n_outputs)

    @property
    def _windows(self) -> Ints:
        """The inputs that the hidden units see at each position (positions, inputs of a unit)."""
        return np.arange(len(self.column))[None]

    def _answer(self, member: int, Z: Floats) -> Floats:
        from ...kernels.network_answers import network_answers

        answers = np.empty((len(Z), self.n_outputs))
        network_answers(
            Z, self._windows, self.first[member], self.bias[member], self.second[member],
            int(self.activation[0]), LEAK, answers,
        )  # fmt: skip
        return answers

    @classmethod
    def _per_member(cls) -> tuple[str, ...]:
        return (*super()._per_member(), "first", "bias", "second")


@dataclass(frozen=True, eq=False)
class NetworkTable(_HiddenTable):
    """Networks with one hidden layer: each hidden unit sees all inputs that the member reads."""

    kind: ClassVar[str] = "networks"


@dataclass(frozen=True, eq=False)
class ConvolutionTable(_HiddenTable):
    """Networks whose hidden layer is a convolution of an image.

    Parameters
    ----------
    geometry : int array (4,)
        Height and width of the image, whose pixels are the inputs, row by row; the side of the
        square that a hidden unit sees, and the pixels between two of them.
    """

    kind: ClassVar[str] = "convolutions"

    geometry: Ints

    def __post_init__(self) -> None:
        """Convert the arrays and check their shapes."""
        object.__setattr__(self, "geometry", int_array("geometry", self.geometry))
        if self.geometry.shape != (4,) or (self.geometry < 1).any():
            raise ValueError("geometry must be height, width, side and stride, each 1 or more.")
        if self.geometry[2] > min(self.geometry[:2].tolist()):
            raise ValueError("the side of a convolution must not exceed that of the image.")
        if int(self.geometry[0]) * int(self.geometry[1]) != len(self.column):
            raise ValueError("an image must have one input per pixel.")
        super().__post_init__()

    @property
    def _windows(self) -> Ints:
        return windows(*self.geometry.tolist())


def windows(height: int, width: int, side: int, stride: int) -> Ints:
    """Return the pixels that a convolution sees at each position (positions, side * side)."""
    pixels = np.arange(height * width).reshape(height, width)
    squares = sliding_window_view(pixels, (side, side))[::stride, ::stride]
    return np.ascontiguousarray(squares).reshape(-1, side * side)
