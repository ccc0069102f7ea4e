"""Slow twins of the layers of networks on images, from their definitions, in double precision."""

from __future__ import annotations

import numpy as np


def conv(image, weight, stride, padding):
    """Each filter's sum of products with the square of pixels at each position."""
    padded = np.pad(image, ((0, 0), (padding, padding), (padding, padding)))
    n, _, size, _ = weight.shape
    height = (padded.shape[1] - size) // stride + 1
    width = (padded.shape[2] - size) // stride + 1
    out = np.zeros((n, height, width))
    for f in range(n):
        for y in range(height):
            for x in range(width):
                top, left = y * stride, x * stride
                square = padded[:, top : top + size, left : left + size]
                out[f, y, x] = (weight[f] * square).sum()
    return out


def pool(image, size, stride, reduce, ceil=False):
    """Each square's maximum or mean; with `ceil` also of squares that the edge cuts."""
    starts = []
    for length in image.shape[1:]:
        whole = [at for at in range(0, length, stride) if at + size <= length]
        cut = [at for at in range(0, length, stride) if at + size > length][:1]
        starts.append(whole + (cut if ceil and (whole[-1] + size < length) else []))
    return np.array(
        [
            [[reduce(c[y : y + size, x : x + size]) for x in starts[1]] for y in starts[0]]
            for c in image
        ]
    )


def layer(one, inputs, weights):
    """The value of any layer for one row."""
    first, options = inputs[0], one.options
    size, stride = options.get("size", 1), options.get("stride", 1)
    if one.kind == "conv":
        return conv(first, weights["weight"], stride, options.get("padding", 0))
    if one.kind == "affine":
        return np.array(
            [
                scale * c + shift
                for c, scale, shift in zip(first, weights["scale"], weights["shift"], strict=True)
            ]
        )
    if one.kind == "max-pool":
        return pool(first, size, stride, np.max, bool(options.get("ceil")))
    if one.kind == "average-pool":
        return pool(first, size, stride, np.mean)
    if one.kind == "global-pool":
        return np.array([c.mean() for c in first])
    if one.kind == "linear":
        return weights["weight"] @ first + weights["bias"]
    if one.kind == "relu":
        return np.where(first > 0, first, 0.0)
    if one.kind == "add":
        return sum(inputs)
    if one.kind == "concat":
        return np.concatenate(inputs)
    return first.reshape(-1) if one.kind == "flatten" else first


def answers(programs, weights, image):
    """The answers of the exits of a network for one row, as lists of blocks' weights have it."""
    values, found = {"x": image}, []
    for program, own in zip(programs, weights, strict=True):
        for one in (*program.layers, *program.exit_layers):
            named = {
                name.split("/")[1]: a for name, a in own.items() if name.split("/")[0] == one.output
            }
            values[one.output] = layer(one, [values[name] for name in one.inputs], named)
        found.append(values[program.exit_layers[-1].output])
    return found


def confidence(scores, scale):
    """The probability of the likeliest class, by the softmax, or the logistic function of one."""
    if len(scores) == 1:
        second = 1.0 / (1.0 + np.exp(-scale * scores[0]))
        return max(second, 1.0 - second)
    powers = np.exp(scale * scores)
    return powers.max() / powers.sum()
