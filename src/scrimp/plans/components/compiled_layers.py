"""Layers of networks on images as arrays that `scrimp.kernels.image_programs` computes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...types import Arrays, Floats, Ints
from .layer_programs import Layer, Shape

#: Filter weights that a kernel applies at a time: `scrimp.kernels.image_layers.TAPS_AT_ONCE`.
_TAPS_AT_ONCE = 5
#: The number of a kind of layer in `scrimp.kernels.image_programs`.
_NUMBERS = {
    "conv": 0, "affine": 1, "copy": 2, "relu": 2, "add": 3, "max-pool": 4, "average-pool": 5,
    "global-pool": 6, "linear": 7,
}  # fmt: skip
#: Kinds that a rectifier may be part of.
_RECTIFIABLE = ("conv", "affine", "add", "max-pool", "average-pool", "global-pool", "linear")


@dataclass(frozen=True, eq=False)
class CompiledLayers:
    """A program of `scrimp.kernels.image_programs`.

    Parameters
    ----------
    arrays : tuple of arrays
        Layers, values, blocks, weights and taps.
    memory_size : int
        The numbers of scratch memory that a row needs.
    """

    arrays: tuple[Ints, Ints, Ints, NDArray[np.float32], Ints]
    memory_size: int

    def compute(self, inputs: NDArray[Any], *outputs: int) -> NDArray[np.float32]:
        """Return values (rows, numbers), by their numbers, from inputs (rows, numbers)."""
        from ...kernels.image_programs import compute_rows

        width = sum(int(self.arrays[1][value, 1:4].prod()) for value in outputs)
        out = np.empty((len(inputs), width), dtype=np.float32)
        memory = np.empty(self.memory_size, dtype=np.float32)
        rows = np.ascontiguousarray(inputs, dtype=np.float32)
        compute_rows(rows, self.arrays, np.array(outputs), memory, out)
        return out


@dataclass(frozen=True, eq=False)
class FusedLayer:
    """A layer with what follows it: a normalisation of a convolution, and a rectifier."""

    layer: Layer
    weights: Arrays
    rectified: bool = False


def fused(layers: Sequence[Layer], weights: Arrays, kept: Iterable[str]) -> list[FusedLayer]:
    """Return layers of which some are joined; the values `kept` are computed as they are."""
    uses = [name for layer in layers for name in layer.inputs]
    kept, done = set(kept), dict[str, FusedLayer]()
    for layer in layers:
        own = {
            name.rpartition("/")[2]: array
            for name, array in weights.items()
            if name.rpartition("/")[0] == layer.output
        }
        first = layer.inputs[0]
        before = done.get(first)
        if before is not None and uses.count(first) == 1 and first not in kept:
            joined = _joined(before, layer, own)
            if joined is not None:
                del done[first]
                done[layer.output] = joined
                continue
        done[layer.output] = FusedLayer(layer, own)
    return list(done.values())


def _joined(before: FusedLayer, layer: Layer, weights: Arrays) -> FusedLayer | None:
    """Return a layer that also does what the next one does, or None if it cannot."""
    if before.rectified:
        return None
    named = replace(before.layer, output=layer.output)
    if layer.kind == "affine" and before.layer.kind == "conv" and "bias" not in before.weights:
        scaled = before.weights["weight"] * weights["scale"][:, None, None, None]
        return FusedLayer(named, {"weight": scaled, "bias": weights["shift"]})
    if layer.kind == "relu" and before.layer.kind in _RECTIFIABLE:
        return FusedLayer(named, before.weights, rectified=True)
    return None


@dataclass
class _Memory:
    """Scratch memory of a row: parts that no later layer needs are used again."""

    size: int = 0
    holes: list[tuple[int, int]] = field(default_factory=list)

    def take(self, size: int) -> int:
        """Return where a part of some size begins: in the first hole that it fits in."""
        for number, (at, length) in enumerate(self.holes):
            if length >= size:
                self.holes[number] = (at + size, length - size)
                return at
        self.size += size
        return self.size - size

    def give(self, at: int, size: int) -> None:
        """Make a part free, and join it with the holes beside it."""
        joined: list[tuple[int, int]] = []
        for start, length in sorted([*self.holes, (at, size)]):
            if joined and sum(joined[-1]) == start:
                joined[-1] = (joined[-1][0], joined[-1][1] + length)
            elif length:
                joined.append((start, length))
        self.holes = joined


class LayerCompiler:
    """Appends layers to a program; the inputs are at the beginning of the memory."""

    def __init__(self) -> None:
        self.memory = _Memory()
        self.lines: list[list[int]] = []
        self.values: list[list[int]] = []
        self.blocks: list[list[int]] = []
        self.weights: list[Floats] = []
        self.taps: list[int] = []
        self.number: dict[str, int] = {}
        self.parts: dict[str, tuple[int, int]] = {}

    def inputs(self, shapes: Mapping[str, Shape]) -> None:
        """Forget all values, and name those that a row is read into."""
        self.release(*self.parts)
        sizes = [int(np.prod(shape)) for shape in shapes.values()]
        if not self.memory.size:
            self.memory.take(sum(sizes))
        starts = np.cumsum([0, *sizes]).tolist()
        named = zip(shapes.items(), starts, strict=False)
        self.number = {name: self._value(shape, at) for (name, shape), at in named}

    def add(
        self, layers: Sequence[Layer], weights: Arrays, shapes: Mapping[str, Shape],
        kept: Sequence[str],
    ) -> None:  # fmt: skip
        """Append layers; of their values, only those in `kept` are there afterwards."""
        before, steps = set(self.parts), fused(layers, weights, kept)
        for position, step in enumerate(steps):
            self._append(step, shapes)
            later = {name for each in steps[position + 1 :] for name in each.layer.inputs}
            self.release(*set(self.parts) - before - later - set(kept))

    def release(self, *names: str) -> None:
        """Make the memory of values free."""
        for name in names:
            self.memory.give(*self.parts.pop(name))

    def compiled(self) -> CompiledLayers:
        """Return the program."""
        weights = np.concatenate([np.empty(0), *self.weights]).astype(np.float32)
        lines = np.array(self.lines, dtype=np.int64).reshape(len(self.lines), 11)
        values = np.array(self.values, dtype=np.int64)
        blocks = np.array(self.blocks, dtype=np.int64).reshape(len(self.blocks), 4)
        taps = np.array(self.taps, dtype=np.int64)
        return CompiledLayers((lines, values, blocks, weights, taps), self.memory.size)

    def _value(self, shape: Shape, at: int, pitch: int | None = None) -> int:
        """Note a value; return its number."""
        channels, height, width = shape if len(shape) == 3 else (*shape, 1, 1)
        pitch = width if pitch is None else pitch
        self.values.append([at, channels, height, width, pitch, height * pitch])
        return len(self.values) - 1

    def _append(self, step: FusedLayer, shapes: Mapping[str, Shape]) -> None:
        """Append the lines of a layer, and note its value."""
        layer, options = step.layer, step.layer.options
        shape, pitch = shapes[layer.output], None
        if layer.kind == "conv":
            given = shapes[layer.inputs[0]]
            pitch = _phase_sides(given, options)[1]
        size = int(np.prod(shape)) if pitch is None else shape[0] * shape[1] * pitch
        at = self.memory.take(size)
        self.parts[layer.output] = at, size
        if layer.kind in ("add", "concat", "flatten", "drop"):
            self._append_copies(layer, shapes, at)
            target = self._value(shape, at)
        else:
            target = self._value(shape, at, pitch)
            self._append_computed(step, shapes, target)
        self.number[layer.output] = target
        if step.rectified:
            self.lines[-1][-1] = 1

    def _append_copies(self, layer: Layer, shapes: Mapping[str, Shape], at: int) -> None:
        """Append lines that copy the inputs of a layer side by side, or add them up."""
        for position, name in enumerate(layer.inputs):
            shape = shapes[name]
            kind = "add" if layer.kind == "add" and position else "copy"
            self._line(kind, self.number[name], self._value(shape, at))
            at += 0 if layer.kind == "add" else int(np.prod(shape))

    def _append_computed(
        self, step: FusedLayer, shapes: Mapping[str, Shape], target: int
    ) -> None:  # fmt: skip
        layer, options = step.layer, step.layer.options
        given, scratch, taps = shapes[layer.inputs[0]], 0, np.empty(0, dtype=np.int64)
        weights = step.weights
        if layer.kind == "conv":
            scratch = given[0] * int(np.prod(_phase_sides(given, options)))
            scratch *= options.get("stride", 1) ** 2
            taps = _taps(given, options)
            filters = weights["weight"].reshape(len(weights["weight"]), -1)
            padded = np.zeros((len(filters), len(taps)))
            padded[:, : filters.shape[1]] = filters
            arrays = [weights.get("bias", np.zeros(len(filters))), padded]
        elif layer.kind == "linear":
            arrays = [weights["bias"], weights["weight"]]
        else:
            arrays = [weights["shift"], weights["scale"]] if weights else []
        at = self.memory.take(scratch)
        self.memory.give(at, scratch)
        start, first_tap = sum(map(len, self.weights)), len(self.taps)
        self.weights += [np.ravel(array) for array in arrays]
        self.taps += taps.tolist()
        self._line(
            layer.kind, self.number[layer.inputs[0]], target, options.get("size", 1),
            options.get("stride", 1), options.get("padding", 0), start, first_tap, len(taps), at,
            int(layer.kind == "relu"),
        )  # fmt: skip

    def _line(self, kind: str, source: int, target: int, *others: int) -> None:
        numbers = others or (1, 1, 0, 0, 0, 0, 0, 0)
        self.lines.append([_NUMBERS[kind], source, target, *numbers])


def _phase_sides(image: Shape, options: Mapping[str, int]) -> tuple[int, int]:
    """Return height and width of the images that `pad_phases` makes."""
    stride, around = options.get("stride", 1), 2 * options.get("padding", 0)
    return -(-(image[1] + around) // stride), -(-(image[2] + around) // stride)


def _taps(image: Shape, options: Mapping[str, int]) -> Ints:
    """Return where each weight of a filter finds its first pixel; padded with the first place."""
    stride, size = options.get("stride", 1), options["size"]
    height, width = _phase_sides(image, options)
    channel, dy, dx = np.indices((image[0], size, size)).reshape(3, -1)
    phase = (channel * stride + dy % stride) * stride + dx % stride
    taps = phase * height * width + dy // stride * width + dx // stride
    return np.pad(taps, (0, -len(taps) % _TAPS_AT_ONCE))
