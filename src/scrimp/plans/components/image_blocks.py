"""Blocks of networks on images, computed by PyTorch, or by kernels where there are few rows."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from ...types import Arrays, Floats, Ints
from .compiled_layers import CompiledLayers, LayerCompiler
from .layer_programs import BlockProgram, Layer, Shape
from .network_blocks import NetworkBlock

#: The most rows that kernels compute: each row takes longer than in a batch of PyTorch, but there
#: is less to do around it.
KERNEL_ROWS = 8


@dataclass(frozen=True, eq=False)
class ImageBlock(NetworkBlock):
    """Layers on images; the hidden state of a row is the flattened values that are carried.

    Parameters
    ----------
    columns : int array
        The pixels that the block reads: those of the image for the first, none for others.
    program : BlockProgram
        What is computed.
    given : mapping of str to shapes
        The values that the block is given.
    weights : dict of float arrays
        By ``layer/array``.
    """

    kind: ClassVar[str] = "image"

    columns: Ints
    program: BlockProgram
    given: Mapping[str, Shape]
    weights: Arrays

    def __post_init__(self) -> None:
        """Check that the weights fit the layers."""
        weights = {name: np.asarray(array, np.float64) for name, array in self.weights.items()}
        object.__setattr__(self, "weights", weights)
        for layer in (*self.program.layers, *self.program.exit_layers):
            for name, shape in layer.weight_shapes(self._shapes).items():
                array = self.weights.get(f"{layer.output}/{name}")
                if array is None or array.shape != shape or not np.isfinite(array).all():
                    raise ValueError(f"{name} of {layer.output} must be finite and {shape}.")

    @cached_property
    def _shapes(self) -> dict[str, Shape]:
        return self.program.shapes(self.given)

    @property
    def widths(self) -> tuple[int, int]:
        """The width of the hidden state before the block and after it."""
        before = 0 if len(self.columns) else sum(map(_size, self.given.values()))
        return before, sum(_size(self._shapes[name]) for name in self.program.carried)

    @property
    def n_outputs(self) -> int:
        """The outputs of the exit after this block; 0 if there is none."""
        layers = self.program.exit_layers
        return self._shapes[layers[-1].output][0] if layers else 0

    @property
    def multiply_adds(self) -> int:
        """The multiplications of the block and its exit for one row."""
        return self.program.multiply_adds(self.given)

    @cached_property
    def _tensors(self) -> dict[str, dict[str, Any]]:
        """The weights of each layer; per channel, they are of the shape of an image."""
        torch, tensors = imported_torch(), {}
        for layer in (*self.program.layers, *self.program.exit_layers):
            own = {}
            for name in layer.weight_shapes(self._shapes):
                array = np.ascontiguousarray(self.weights[f"{layer.output}/{name}"], np.float32)
                if layer.kind == "affine":
                    array = array.reshape(-1, *[1] * (len(self._shapes[layer.output]) - 1))
                own[name] = torch.from_numpy(array)
            tensors[layer.output] = own
        return tensors

    @cached_property
    def _kernels(self) -> tuple[CompiledLayers, tuple[int, ...]]:
        """The layers as a program of kernels, and the numbers of the values that are carried."""
        compiler = LayerCompiler()
        compiler.inputs(self.given)
        self.compile_layers(compiler)
        return compiler.compiled(), tuple(compiler.number[name] for name in self.program.carried)

    @cached_property
    def _exit_kernels(self) -> tuple[CompiledLayers, int]:
        """The exit as a program of kernels, and the number of the value that is the answer."""
        compiler = LayerCompiler()
        compiler.inputs(self._carried)
        answer = self.compile_exit(compiler)
        return compiler.compiled(), answer

    def compile_layers(self, compiler: LayerCompiler) -> None:
        """Append the layers to a program."""
        compiler.add(self.program.layers, self.weights, self._shapes, self.program.carried)

    def compile_exit(self, compiler: LayerCompiler) -> int:
        """Append the layers of the exit to a program; return the number of the answer's value."""
        answer = self.program.exit_layers[-1].output
        compiler.add(self.program.exit_layers, self.weights, self._shapes, (answer,))
        return compiler.number[answer]

    @property
    def _carried(self) -> dict[str, Shape]:
        return {name: self._shapes[name] for name in self.program.carried}

    def forward(self, hidden: Floats, X: NDArray[Any], rows: Ints) -> Floats:
        """Return the hidden state after the block."""
        flat = pixels(X, rows, self.columns) if len(self.columns) else hidden
        if by_kernels(len(rows)):
            compiled, carried = self._kernels
            return np.asarray(compiled.compute(flat, *carried))
        values = _split(flat, self.given)
        self._run(self.program.layers, values)
        return _joined([values[name] for name in self.program.carried])

    def answer(self, hidden: Floats) -> Floats:
        """Return the answer of the exit."""
        if by_kernels(len(hidden)):
            compiled, answer = self._exit_kernels
            return compiled.compute(hidden, answer).astype(np.float64)
        values = _split(hidden, self._carried)
        self._run(self.program.exit_layers, values)
        return _joined([values[self.program.exit_layers[-1].output]]).astype(np.float64)

    def _run(self, layers: tuple[Layer, ...], values: dict[str, Any]) -> None:
        """Compute layers; the values are added."""
        torch = imported_torch()
        with torch.inference_mode():
            for layer in layers:
                inputs = [values[name] for name in layer.inputs]
                values[layer.output] = computed(layer, inputs, self._tensors[layer.output])

    def arrays(self) -> Arrays:
        """Return the arrays of the block; its layers are text, as bytes."""
        given = {name: list(shape) for name, shape in self.given.items()}
        header = {"program": self.program.header(), "given": given}
        text = np.frombuffer(json.dumps(header).encode(), dtype=np.uint8).astype(np.int64)
        arrays: Arrays = {"columns": self.columns, "layers": text}
        return arrays | {f"weights/{name}": array for name, array in self.weights.items()}

    @classmethod
    def from_arrays(cls, arrays: Arrays) -> Self:
        """Return the block of stored `arrays`."""
        header = json.loads(np.asarray(arrays["layers"], dtype=np.uint8).tobytes())
        given = {str(name): tuple(map(int, shape)) for name, shape in header["given"].items()}
        weights = {
            name.partition("/")[2]: array
            for name, array in arrays.items()
            if name.startswith("weights/")
        }
        return cls(arrays["columns"], BlockProgram.from_header(header["program"]), given, weights)


def computed(layer: Layer, inputs: list[Any], weights: Mapping[str, Any]) -> Any:
    """Return the value of a layer for a batch of tensors, as after training."""
    from torch.nn import functional

    torch, first, options = imported_torch(), inputs[0], layer.options
    size, stride = options.get("size", 1), options.get("stride", 1)
    if layer.kind == "conv":
        padding = options.get("padding", 0)
        return functional.conv2d(first, weights["weight"], stride=stride, padding=padding)
    if layer.kind == "affine":
        return first * weights["scale"] + weights["shift"]
    if layer.kind == "linear":
        return functional.linear(first, weights["weight"], weights["bias"])
    if layer.kind == "concat":
        return torch.cat(inputs, dim=1)
    if layer.kind == "add":
        return torch.stack(inputs).sum(0) if len(inputs) > 2 else inputs[0] + inputs[1]
    simple: dict[str, Any] = {
        "relu": functional.relu,
        "average-pool": lambda x: functional.avg_pool2d(x, size, stride),
        "max-pool": lambda x: functional.max_pool2d(
            x, size, stride, ceil_mode=bool(options.get("ceil"))
        ),
        "global-pool": lambda x: x.mean(dim=(2, 3)),
        "flatten": lambda x: x.flatten(1),
        "drop": lambda x: x,
    }
    return simple[layer.kind](first)


def by_kernels(n_rows: int) -> bool:
    """Return whether so many rows are computed by kernels: few, or all without PyTorch."""
    return 0 < n_rows <= KERNEL_ROWS or not _has_torch()


@cache
def _has_torch() -> bool:
    try:
        imported_torch()
    except ImportError:
        return False
    return True


def pixels(X: NDArray[Any], rows: Ints, columns: Ints) -> NDArray[Any]:
    """Return some columns of some rows, all columns faster than by their numbers."""
    n = X.shape[1]
    is_all = len(columns) == n and columns[0] == 0 and columns[-1] == n - 1
    if is_all and (columns[1:] > columns[:-1]).all():
        return X[rows]
    return X[np.ix_(rows, columns)]


def imported_torch() -> Any:
    """Return PyTorch; raise ImportError with what to install if it is not there."""
    try:
        import torch
    except ImportError as error:
        raise ImportError(
            "This network needs PyTorch, which is not installed: pip install 'scrimp[nets]'"
        ) from error
    return torch


def _size(shape: Shape) -> int:
    return int(np.prod(shape))


def _split(flat: NDArray[Any], shapes: Mapping[str, Shape]) -> dict[str, Any]:
    """Return the values of a flattened state as tensors."""
    torch, start, values = imported_torch(), 0, {}
    whole = torch.from_numpy(np.ascontiguousarray(flat, dtype=np.float32))
    for name, shape in shapes.items():
        end = start + _size(shape)
        values[name] = whole[:, start:end].reshape(len(flat), *shape)
        start = end
    return values


def _joined(values: list[Any]) -> Floats:
    """Return values as one flattened state."""
    flat = [value.flatten(1).numpy() for value in values]
    return flat[0] if len(flat) == 1 else np.hstack(flat)
