"""A trainable network on images, made from layers, and as blocks of a plan."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from ..plans.components.image_blocks import ImageBlock, computed
from ..plans.components.layer_programs import BlockProgram, Layer, Shape, carried_shapes
from ..types import Arrays, Floats
from .trained_arrays import affine, numbers, start_with


class ImageNet(nn.Module):
    """Blocks of layers with exits.

    Parameters
    ----------
    programs : sequence of BlockProgram
        The blocks, each with an exit.
    image : tuple of int
        Channels, height and width.
    prior : float array (outputs,)
        The scores that the exits start with.
    """

    def __init__(self, programs: Sequence[BlockProgram], image: Shape, prior: Floats) -> None:
        super().__init__()
        self.programs, self.image = list(programs), image
        self.given = carried_shapes(programs, image)
        self.made = nn.ModuleDict()
        for program, given in zip(self.programs, self.given, strict=True):
            shapes = program.shapes(given)
            for layer in (*program.layers, *program.exit_layers):
                module = _module(layer, shapes)
                if module is not None:
                    self.made[layer.output] = module
            start_with(self.made[program.exit_layers[-1].output], prior)

    def forward(self, images: Tensor) -> Iterator[Tensor]:
        """Yield the scores of each exit."""
        values = {"x": images}
        for program in self.programs:
            self._run(program.layers, values)
            values = {name: values[name] for name in program.carried}
            on_the_way_out = dict(values)
            self._run(program.exit_layers, on_the_way_out)
            yield on_the_way_out[program.exit_layers[-1].output]

    def _run(self, layers: tuple[Layer, ...], values: dict[str, Tensor]) -> None:
        for layer in layers:
            inputs = [values[name] for name in layer.inputs]
            if layer.output in self.made:
                values[layer.output] = self.made[layer.output](inputs[0])
            elif layer.kind == "drop":
                values[layer.output] = _dropped(layer, inputs[0], self.training)
            else:
                values[layer.output] = computed(layer, inputs, {})

    @property
    def multiply_adds(self) -> list[int]:
        """The multiplications of each block, its exit included, for one row."""
        pairs = zip(self.programs, self.given, strict=True)
        return [program.multiply_adds(given) for program, given in pairs]

    def blocks(self, has_exit: Sequence[bool], slopes: Floats, shifts: Floats) -> list[ImageBlock]:
        """Return the blocks as arrays: see `TableNet.blocks`."""
        blocks = []
        for k, (program, given) in enumerate(zip(self.programs, self.given, strict=True)):
            kept = program if has_exit[k] else program.without_exit()
            weights = self._weights(kept, given)
            if has_exit[k]:
                last = program.exit_layers[-1].output
                weights[f"{last}/weight"] = slopes[k] * weights[f"{last}/weight"]
                weights[f"{last}/bias"] = slopes[k] * weights[f"{last}/bias"] + shifts[k]
            columns = np.arange(int(np.prod(self.image)) if k == 0 else 0)
            blocks.append(ImageBlock(columns, kept, given, weights))
        return blocks

    def _weights(self, program: BlockProgram, given: dict[str, Shape]) -> Arrays:
        weights: Arrays = {}
        for layer in (*program.layers, *program.exit_layers):
            if layer.output in self.made:
                for name, array in _arrays(layer, self.made[layer.output]).items():
                    weights[f"{layer.output}/{name}"] = array
        return weights


def _module(layer: Layer, shapes: dict[str, Shape]) -> nn.Module | None:
    """Return the module of a layer that has weights."""
    channels = shapes[layer.inputs[0]][0]
    options = layer.options
    if layer.kind == "conv":
        conv = nn.Conv2d(
            channels, options["channels"], options["size"], options.get("stride", 1),
            options.get("padding", 0), bias=False,
        )  # fmt: skip
        nn.init.kaiming_normal_(conv.weight, mode="fan_out", nonlinearity="relu")
        return conv
    if layer.kind == "affine":
        return nn.BatchNorm2d(channels)
    if layer.kind == "linear":
        return nn.Linear(channels, options["channels"])
    return None


def _dropped(layer: Layer, value: Tensor, training: bool) -> Tensor:
    """Leave out channels at random, or the whole value of a row."""
    share = layer.options.get("percent", 0) / 100.0
    if not training or not share:
        return value
    if not layer.options.get("whole"):
        return functional.dropout2d(value, share)
    kept = torch.rand(len(value), *([1] * (value.ndim - 1)), device=value.device) >= share
    return value * kept / (1.0 - share)


def _arrays(layer: Layer, module: nn.Module) -> Arrays:
    """Return the arrays of a layer as they are after training."""
    if layer.kind == "affine":
        scale, shift = affine(module)
        return {"scale": scale, "shift": shift}
    if layer.kind == "linear":
        return {"weight": numbers(module.weight), "bias": numbers(module.bias)}
    return {"weight": numbers(module.weight)}
