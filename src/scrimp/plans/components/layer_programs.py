"""Layers of networks on images as plain data: what is computed from what, and at which cost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

Shape = tuple[int, ...]

#: The kinds of layer: see `Layer`.
LAYERS = (
    "conv", "affine", "relu", "add", "concat", "average-pool", "max-pool", "global-pool", "linear",
    "flatten", "drop",
)  # fmt: skip


@dataclass(frozen=True)
class Layer:
    """One layer, which makes a named value from others.

    Parameters
    ----------
    kind : str
        ``conv``: a convolution without bias, of `channels` filters of `size` x `size`, with a
        `stride`, padded by `padding` on each side. ``affine``: a factor and a summand per channel,
        in training a normalisation of batches. ``relu``. ``add`` and ``concat``: of several
        values, the latter by channels. ``average-pool`` and ``max-pool``: of squares of `size` x
        `size`, `stride` apart; maxima also of squares that the edge cuts, if `ceil` is 1.
        ``global-pool``: the mean over all positions. ``linear``: a dense layer with `channels`
        outputs and a bias. ``flatten``. ``drop``: nothing, in training dropout with a probability
        of `percent` / 100.
    inputs : tuple of str
        The values that it is made from.
    output : str
        The name of the value, unique in the network.
    options : mapping of str to int
        `channels`, `size`, `stride`, `padding`, `ceil`, `percent`.
    """

    kind: str
    inputs: tuple[str, ...]
    output: str
    options: Mapping[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Refuse a kind that there is not."""
        if self.kind not in LAYERS:
            raise ValueError(f"there is no layer {self.kind!r}; expected one of {LAYERS}.")

    def shape(self, shapes: Mapping[str, Shape]) -> Shape:
        """Return the shape of the value for one row, from those of the inputs."""
        own = [shapes[name] for name in self.inputs]
        first, options = own[0], self.options
        if self.kind in ("conv", "average-pool", "max-pool"):
            channels = options.get("channels", first[0])
            return (channels, *(self._reduced(length) for length in first[1:]))
        if self.kind == "concat":
            if len({each[1:] for each in own}) > 1:
                raise ValueError(f"{self.output} joins values of the shapes {own}.")
            return (sum(each[0] for each in own), *first[1:])
        if self.kind == "add" and len(set(own)) > 1:
            raise ValueError(f"{self.output} adds values of the shapes {own}.")
        if self.kind == "global-pool":
            return (first[0],)
        if self.kind == "flatten":
            return (int(np.prod(first)),)
        if self.kind == "linear":
            return (options["channels"],)
        return first

    def _reduced(self, length: int) -> int:
        """Return how many positions there are along a side."""
        options = self.options
        size, stride = options.get("size", 1), options.get("stride", 1)
        rest = length + 2 * options.get("padding", 0) - size
        reduced = rest // stride + 1
        if options.get("ceil") and rest % stride and reduced * stride < length:
            reduced += 1
        if reduced < 1:
            raise ValueError(f"{self.output}: an image of side {length} is too small.")
        return reduced

    def weight_shapes(self, shapes: Mapping[str, Shape]) -> dict[str, Shape]:
        """Return the shapes of its arrays."""
        first = shapes[self.inputs[0]]
        if self.kind == "conv":
            size = self.options["size"]
            return {"weight": (self.options["channels"], first[0], size, size)}
        if self.kind == "affine":
            return {"scale": (first[0],), "shift": (first[0],)}
        if self.kind == "linear":
            outputs = self.options["channels"]
            return {"weight": (outputs, first[0]), "bias": (outputs,)}
        return {}

    def multiply_adds(self, shapes: Mapping[str, Shape]) -> int:
        """Return the multiplications for one row."""
        own = self.shape(shapes)
        if self.kind == "conv":
            per_place = shapes[self.inputs[0]][0] * self.options["size"] ** 2
            return int(np.prod(own)) * per_place
        if self.kind == "linear":
            return own[0] * shapes[self.inputs[0]][0]
        return int(np.prod(own)) if self.kind == "affine" else 0


@dataclass(frozen=True)
class BlockProgram:
    """The layers of a block, and of its exit.

    Parameters
    ----------
    layers : tuple of Layer
        In order; each uses values of the block before it, or of layers before it.
    carried : tuple of str
        The values that the next block is given.
    exit_layers : tuple of Layer
        Of the exit, whose last value is the answer; none without one.
    """

    layers: tuple[Layer, ...]
    carried: tuple[str, ...]
    exit_layers: tuple[Layer, ...] = ()

    def shapes(self, given: Mapping[str, Shape]) -> dict[str, Shape]:
        """Return the shapes of all values for one row, from those it is given."""
        shapes = dict(given)
        for layer in (*self.layers, *self.exit_layers):
            unknown = [name for name in layer.inputs if name not in shapes]
            if unknown:
                raise ValueError(f"{layer.output} is made from {unknown[0]!r}, which there is not.")
            shapes[layer.output] = layer.shape(shapes)
        return shapes

    def multiply_adds(self, given: Mapping[str, Shape]) -> int:
        """Return the multiplications of the block and its exit for one row."""
        shapes = self.shapes(given)
        return sum(layer.multiply_adds(shapes) for layer in (*self.layers, *self.exit_layers))

    def without_exit(self) -> BlockProgram:
        """Return the block without its exit."""
        return BlockProgram(self.layers, self.carried)

    def header(self) -> dict[str, Any]:
        """Return the block as JSON can hold it."""
        return {
            "layers": [_packed(layer) for layer in self.layers],
            "carried": list(self.carried),
            "exit": [_packed(layer) for layer in self.exit_layers],
        }

    @classmethod
    def from_header(cls, header: Mapping[str, Any]) -> BlockProgram:
        """Return the block of a stored `header`."""
        return cls(
            tuple(map(_unpacked, header["layers"])),
            tuple(map(str, header["carried"])),
            tuple(map(_unpacked, header["exit"])),
        )


def carried_shapes(programs: Sequence[BlockProgram], image: Shape) -> list[dict[str, Shape]]:
    """Return the shapes of the values that each block is given; the first has the image ``x``."""
    given: list[dict[str, Shape]] = [{"x": image}]
    for program in programs[:-1]:
        shapes = program.shapes(given[-1])
        given.append({name: shapes[name] for name in program.carried})
    return given


def _packed(layer: Layer) -> list[Any]:
    return [layer.kind, list(layer.inputs), layer.output, dict(layer.options)]


def _unpacked(packed: Sequence[Any]) -> Layer:
    kind, inputs, output, options = packed
    whole = {str(name): int(value) for name, value in options.items()}
    return Layer(str(kind), tuple(map(str, inputs)), str(output), whole)
