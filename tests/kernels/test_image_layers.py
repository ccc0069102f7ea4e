"""Kernels of networks on images against their definitions; they need no PyTorch."""

from __future__ import annotations

import numpy as np
import pytest

from scrimp.kernels import image_layers, image_programs
from scrimp.plans.components import compiled_layers
from scrimp.plans.components.compiled_layers import LayerCompiler
from scrimp.plans.components.image_blocks import ImageBlock
from scrimp.plans.components.image_networks import ImageNetwork
from scrimp.plans.components.layer_programs import BlockProgram, Layer, carried_shapes
from tests.naive import image_layers as naive

IMAGE = (2, 7, 9)


def computed(layers, weights, image, outputs):
    """Values of some layers by kernels, flattened."""
    shapes = BlockProgram(layers, tuple(outputs)).shapes({"x": image.shape})
    compiler = LayerCompiler()
    compiler.inputs({"x": image.shape})
    compiler.add(layers, weights, shapes, outputs)
    numbers = [compiler.number[name] for name in outputs]
    return compiler.compiled().compute(image.reshape(1, -1), *numbers)[0]


def weights_of(layers, image, rng):
    shapes, weights = BlockProgram(tuple(layers), ()).shapes({"x": image}), {}
    for layer in layers:
        for name, shape in layer.weight_shapes(shapes).items():
            weights[f"{layer.output}/{name}"] = rng.normal(size=shape)
    return weights


LAYERS = {
    "conv": Layer("conv", ("x",), "v", {"channels": 3, "size": 3, "padding": 1}),
    "conv of one position": Layer("conv", ("x",), "v", {"channels": 1, "size": 7}),
    "conv by two": Layer(
        "conv", ("x",), "v", {"channels": 4, "size": 3, "stride": 2, "padding": 1}
    ),
    "conv by three": Layer("conv", ("x",), "v", {"channels": 2, "size": 2, "stride": 3}),
    "1x1 conv by two": Layer("conv", ("x",), "v", {"channels": 5, "size": 1, "stride": 2}),
    "affine": Layer("affine", ("x",), "v"),
    "relu": Layer("relu", ("x",), "v"),
    "add": Layer("add", ("x", "x", "x"), "v"),
    "concat": Layer("concat", ("x", "x"), "v"),
    "max-pool": Layer("max-pool", ("x",), "v", {"size": 2, "stride": 2}),
    "cut max-pool": Layer("max-pool", ("x",), "v", {"size": 2, "stride": 2, "ceil": 1}),
    "max-pool of threes": Layer("max-pool", ("x",), "v", {"size": 3, "stride": 2, "ceil": 1}),
    "average-pool": Layer("average-pool", ("x",), "v", {"size": 2, "stride": 2}),
    "global-pool": Layer("global-pool", ("x",), "v"),
    "flatten": Layer("flatten", ("x",), "v"),
    "drop": Layer("drop", ("x",), "v", {"percent": 10}),
}


@pytest.mark.parametrize("name", LAYERS)
def test_a_layer_is_what_its_definition_says(name):
    rng = np.random.default_rng(0)
    layer, image = LAYERS[name], rng.normal(size=IMAGE)
    weights = weights_of([layer], IMAGE, rng)
    named = {key.split("/")[1]: array for key, array in weights.items()}
    expected = naive.layer(layer, [image] * len(layer.inputs), named)
    assert expected.shape == layer.shape({"x": IMAGE})
    got = computed((layer,), weights, image, ["v"])
    np.testing.assert_allclose(got, expected.ravel(), rtol=1e-5, atol=1e-5)


def test_a_dense_layer_reads_a_vector():
    rng = np.random.default_rng(1)
    layers = (Layer("flatten", ("x",), "flat"), Layer("linear", ("flat",), "v", {"channels": 3}))
    weights, image = weights_of(layers, IMAGE, rng), rng.normal(size=IMAGE)
    expected = weights["v/weight"] @ image.ravel() + weights["v/bias"]
    got = computed(layers, weights, image, ["v"])
    np.testing.assert_allclose(got, expected, rtol=1e-5, atol=1e-5)


def network(n_outputs=3):
    """Two blocks with values that several layers read, and some that are joined."""
    first = (
        Layer("conv", ("x",), "c", {"channels": 4, "size": 3, "padding": 1}),
        Layer("affine", ("c",), "n"),
        Layer("relu", ("n",), "r"),
        Layer("conv", ("r",), "d", {"channels": 4, "size": 3, "padding": 1}),
        Layer("add", ("r", "d"), "s"),
    )
    exit_one = (
        Layer("affine", ("s",), "e"),
        Layer("relu", ("e",), "f"),
        Layer("global-pool", ("f",), "g"),
        Layer("linear", ("g",), "one", {"channels": n_outputs}),
    )
    second = (
        Layer("conv", ("s",), "t", {"channels": 6, "size": 3, "stride": 2, "padding": 1}),
        Layer("max-pool", ("t",), "p", {"size": 2, "stride": 2, "ceil": 1}),
        Layer("relu", ("p",), "q"),
        Layer("concat", ("q", "p"), "z"),
    )
    exit_two = (
        Layer("flatten", ("z",), "h"),
        Layer("linear", ("h",), "two", {"channels": n_outputs}),
    )
    return [BlockProgram(first, ("s",), exit_one), BlockProgram(second, ("z",), exit_two)]


def blocks_of(programs, rng):
    blocks = []
    for k, (program, given) in enumerate(
        zip(programs, carried_shapes(programs, IMAGE), strict=True)
    ):
        shapes, weights = program.shapes(given), {}
        for layer in (*program.layers, *program.exit_layers):
            for name, shape in layer.weight_shapes(shapes).items():
                weights[f"{layer.output}/{name}"] = rng.normal(size=shape)
        columns = np.arange(int(np.prod(IMAGE)) if k == 0 else 0)
        blocks.append(ImageBlock(columns, program, given, weights))
    return blocks


@pytest.mark.parametrize("n_outputs", [1, 3])
def test_rows_leave_at_the_first_exit_that_is_sure(n_outputs):
    rng = np.random.default_rng(2)
    programs = network(n_outputs)
    blocks, prior = blocks_of(programs, rng), 0.1 * rng.normal(size=n_outputs)
    X, scale = rng.normal(size=(20, int(np.prod(IMAGE)))), 0.1
    made = ImageNetwork.of(blocks, prior)
    exits = [naive.answers(programs, [b.weights for b in blocks], x.reshape(IMAGE)) for x in X]
    sure = np.median([naive.confidence(each[0], scale) for each in exits])
    thresholds = np.array([np.inf, sure])
    scores, n_blocks = made.answer(X, thresholds, scale)
    for row, each in enumerate(exits):
        stops = naive.confidence(each[0], scale) >= sure
        assert n_blocks[row] == (1 if stops else 2)
        np.testing.assert_allclose(scores[row], each[0 if stops else 1], rtol=1e-4, atol=1e-4)
    assert set(n_blocks.tolist()) == {1, 2}
    alone = [made.answer(X[i : i + 1], thresholds, scale)[0][0] for i in range(len(X))]
    assert (np.array(alone) == scores).all()
    scores, n_blocks = made.answer(X, np.array([0.0, 0.0]), scale)
    assert (scores == prior).all()
    assert (n_blocks == 0).all()


def test_blocks_one_by_one_are_the_whole_network_bit_for_bit():
    rng = np.random.default_rng(3)
    blocks, X = blocks_of(network(), rng), rng.normal(size=(4, int(np.prod(IMAGE))))
    scores, _ = ImageNetwork.of(blocks, np.zeros(3)).answer(X, np.full(2, np.inf), 1.0)
    hidden = np.empty((4, 0))
    for block in blocks:
        hidden = block.forward(hidden, X, np.arange(4))
    assert (blocks[-1].answer(hidden) == scores).all()


def test_pixels_that_are_not_finite_are_reported():
    rng = np.random.default_rng(4)
    made = ImageNetwork.of(blocks_of(network(), rng), np.zeros(3))
    X = rng.normal(size=(2, int(np.prod(IMAGE))))
    X[1, 5] = np.nan
    assert made.answer(X, np.full(2, np.inf), 1.0) is None
    assert made.answer(X, np.array([0.0, np.inf]), 1.0) is not None  # nothing is read


def test_numbers_are_those_of_the_kernels():
    assert compiled_layers._TAPS_AT_ONCE == image_layers.TAPS_AT_ONCE
    kinds = ("conv", "affine", "copy", "add", "max-pool", "average-pool", "global-pool", "linear")
    names = ["CONV", "AFFINE", "COPY", "ADD", "MAX_POOL", "AVERAGE_POOL", "GLOBAL_POOL", "DENSE"]
    for kind, name in zip(kinds, names, strict=True):
        assert compiled_layers._NUMBERS[kind] == getattr(image_programs, name)
