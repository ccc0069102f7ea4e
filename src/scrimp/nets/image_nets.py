"""Architectures for images, as layers: residual, dense, multi-scale dense networks, and LeNet.

Settings of the first three: Hu, PhD thesis, Carnegie Mellon University 2019, Sec. 4.6; of the last:
Teerapittayanon, McDanel, Kung. BranchyNet: Fast Inference via Early Exiting. ICPR 2016.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from ..plans.components.layer_programs import BlockProgram, Layer


@dataclass
class _Builder:
    """Layers that are added one after the other, each with a name of its own."""

    layers: list[Layer] = field(default_factory=list)
    n_names: int = 0

    def add(self, kind: str, *inputs: str, **options: int) -> str:
        """Add a layer, and return the name of its value."""
        self.n_names += 1
        name = f"{kind}{self.n_names}"
        self.layers.append(Layer(kind, inputs, name, options))
        return name

    def taken(self) -> tuple[Layer, ...]:
        """Return the layers since the last call."""
        layers, self.layers = tuple(self.layers), []
        return layers

    def first_conv(self, channels: int, size: int = 3, stride: int = 1) -> str:
        """Add a convolution of the normalised image ``x``, whose size is divided by `stride`."""
        normal = self.add("affine", "x")
        return self.add(
            "conv", normal, channels=channels, size=size, stride=stride, padding=size // 2
        )

    def normal_conv(self, value: str, channels: int, size: int = 3, stride: int = 1) -> str:
        """Add normalisation, rectifier and a convolution that keeps the size of the image."""
        active = self.add("relu", self.add("affine", value))
        return self.add(
            "conv", active, channels=channels, size=size, stride=stride, padding=size // 2
        )

    def conv_pool(self, value: str, channels: int, size: int, padding: int) -> str:
        """Add a convolution, normalisation, the maxima of 2x2 squares, and a rectifier."""
        conv = self.add("conv", value, channels=channels, size=size, stride=1, padding=padding)
        pooled = self.add("max-pool", self.add("affine", conv), size=2, stride=2, ceil=1)
        return self.add("relu", pooled)

    def exit(self, value: str, n_outputs: int) -> tuple[Layer, ...]:
        """Return the layers of an exit: normalisation, rectifier, global mean, a linear layer."""
        pooled = self.add("global-pool", self.add("relu", self.add("affine", value)))
        self.add("linear", pooled, channels=n_outputs)
        return self.taken()


def resnet(
    n_outputs: int, n: int = 5, channels: int = 16, exit_every: int = 1, drop_percent: int = 0,
    first_stride: int = 1,
) -> list[BlockProgram]:  # fmt: skip
    """Return ResANN(n, c): three parts of n basic residual units, an exit after some units.

    A unit is normalisation, rectifier and 3x3 convolution, twice, added to its input. The second
    and third part halve the image and double the channels; their first unit then adds a 1x1
    convolution of its input.

    Parameters
    ----------
    n_outputs : int
        Outputs of each exit.
    n : int
        Units per part.
    channels : int
        Filters of the first part.
    exit_every : int
        Units between exits; the last unit always has one.
    drop_percent : int
        The probability, in percent, that training leaves out the step of a unit for a row.
    first_stride : int
        The stride of the first convolution. With 2 all units see images of half the height and
        width, for a quarter of the multiply-adds.
    """
    made, blocks = _Builder(), []
    state = made.first_conv(channels, stride=first_stride)
    for unit in range(3 * n):
        width, stride = channels * 2 ** (unit // n), 2 if unit and unit % n == 0 else 1
        step = made.normal_conv(made.normal_conv(state, width, stride=stride), width)
        if drop_percent:
            step = made.add("drop", step, percent=drop_percent, whole=1)
        if stride == 2:
            state = made.add("conv", state, channels=width, size=1, stride=2, padding=0)
        state = made.add("add", state, step)
        layers, has_exit = made.taken(), (unit + 1) % exit_every == 0 or unit == 3 * n - 1
        blocks.append(
            BlockProgram(layers, (state,), made.exit(state, n_outputs) if has_exit else ())
        )
    return joined(blocks)


def densenet(
    n_outputs: int, growth: int = 12, parts: Sequence[int] = (6, 6, 6), exit_every: int = 3,
    drop_percent: int = 0,
) -> list[BlockProgram]:  # fmt: skip
    """Return a dense network: each layer sees all before it in its part.

    A layer is a 1x1 convolution to 4 k channels and a 3x3 one to k, each after normalisation and
    rectifier. Between parts a 1x1 convolution halves the channels, and a mean the image.

    Parameters
    ----------
    n_outputs : int
        Outputs of each exit.
    growth : int
        Channels k that a layer adds.
    parts : sequence of int
        Layers of each part.
    exit_every : int
        Layers between exits; the last always has one.
    drop_percent : int
        The probability, in percent, with which training leaves out a channel of a layer.
    """
    made, blocks, width = _Builder(), [], 2 * growth
    state = made.first_conv(width)
    done, total = 0, sum(parts)
    for number, n_layers in enumerate(parts):
        if number:
            width //= 2
            state = made.normal_conv(state, width, size=1)
            state = made.add("average-pool", state, size=2, stride=2)
        for _ in range(n_layers):
            step = made.normal_conv(made.normal_conv(state, 4 * growth, size=1), growth)
            if drop_percent:
                step = made.add("drop", step, percent=drop_percent)
            state, width, done = made.add("concat", state, step), width + growth, done + 1
            layers, has_exit = made.taken(), done % exit_every == 0 or done == total
            blocks.append(
                BlockProgram(layers, (state,), made.exit(state, n_outputs) if has_exit else ())
            )
    return joined(blocks)


def msdnet(
    n_outputs: int, growth: int = 8, n_layers: int = 9, n_scales: int = 3, exit_every: int = 3
) -> list[BlockProgram]:
    """Return a multi-scale dense network: several scales in each layer, exits on the coarsest.

    Each layer adds to every scale a convolution of all there is of it, and of the next finer scale
    at half its size. After each part of the layers the finest scale is dropped.

    Parameters
    ----------
    n_outputs : int
        Outputs of each exit.
    growth : int
        Channels that a layer adds to the finest scale; each coarser one gets twice as many.
    n_layers, n_scales : int
        Layers, and scales of the image, each half as fine as the one before.
    exit_every : int
        Layers between exits; the last always has one.
    """
    made, blocks = _Builder(), []
    scales = [made.first_conv(2 * growth)]
    for scale in range(1, n_scales):
        scales.append(made.normal_conv(scales[-1], 2 * growth * 2**scale, stride=2))
    per_part, finest = -(-n_layers // n_scales), 0
    for layer in range(n_layers):
        finest = min(layer // per_part, n_scales - 1)
        grown = dict(enumerate(scales))
        for scale in range(finest, n_scales):
            channels, steps = (
                growth * 2**scale,
                [made.normal_conv(scales[scale], growth * 2**scale)],
            )
            if scale > finest:
                steps.append(made.normal_conv(scales[scale - 1], channels, stride=2))
            grown[scale] = made.add("concat", scales[scale], *steps)
        scales = [grown[scale] for scale in range(n_scales)]
        layers, has_exit = made.taken(), (layer + 1) % exit_every == 0 or layer == n_layers - 1
        carried = tuple(dict.fromkeys(scales[finest:]))
        blocks.append(
            BlockProgram(layers, carried, made.exit(scales[-1], n_outputs) if has_exit else ())
        )
        scales = [*([""] * finest), *scales[finest:]]
    return joined(blocks)


def lenet(n_outputs: int) -> list[BlockProgram]:
    """Return BranchyNet's LeNet: an exit after the first convolution, and one at the end.

    The layers and their sizes are those of the authors' code, with a normalisation of batches
    after each convolution, which prediction folds into it.
    """
    made = _Builder()
    state = made.conv_pool("x", 5, size=5, padding=3)
    layers = made.taken()
    side = made.conv_pool(state, 10, size=3, padding=1)
    made.add("linear", made.add("flatten", side), channels=n_outputs)
    blocks = [BlockProgram(layers, (state,), made.taken())]
    for channels in (10, 20):
        state = made.conv_pool(state, channels, size=5, padding=3)
    state = made.add("relu", made.add("linear", made.add("flatten", state), channels=84))
    layers = made.taken()
    made.add("linear", state, channels=n_outputs)
    return [*blocks, BlockProgram(layers, (state,), made.taken())]


def joined(blocks: Sequence[BlockProgram]) -> list[BlockProgram]:
    """Return blocks of which each has an exit: those without are part of the next."""
    whole: list[BlockProgram] = []
    layers: tuple[Layer, ...] = ()
    for block in blocks:
        layers += block.layers
        if block.exit_layers:
            whole.append(BlockProgram(layers, block.carried, block.exit_layers))
            layers = ()
    return whole


#: Architectures by name.
ARCHITECTURES = {"resnet": resnet, "densenet": densenet, "msdnet": msdnet, "lenet": lenet}
#: The option that is the depth of an architecture, and its default.
DEPTHS = {"resnet": "n", "msdnet": "n_layers"}
DEFAULT_DEPTH = {"resnet": 5, "msdnet": 9}
