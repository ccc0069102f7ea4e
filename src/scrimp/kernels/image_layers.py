"""Layers of networks on images, one row at a time: no sum depends on the rows beside it.

A value is a part of one array of memory, and is described by six numbers: where it begins, its
channels, height and width, and the distance of two rows and of two channels. A vector has as many
channels as entries, of one pixel each.
"""

from __future__ import annotations

import numpy as np

from .jit import njit

AT, CHANNELS, HEIGHT, WIDTH, PITCH, PLANE = range(6)
#: Filter weights that are applied in one pass over the positions; filters are padded to a multiple.
TAPS_AT_ONCE = 5

# `contract` lets a product and a sum be one instruction, which halves the time of convolutions.
_compiled = njit(cache=True, nogil=True, _nrt=False, fastmath={"contract"})


@_compiled
def copy_run(source, start, target, at, n):
    """Copy a run of numbers; an assignment of slices would look for overlaps."""
    own, other = target[at : at + n], source[start : start + n]
    for k in range(n):
        own[k] = other[k]


@_compiled
def copy_every(source, start, step, target, at, n):
    """Copy every step-th number."""
    if step == 1:
        copy_run(source, start, target, at, n)
    elif step == 2:  # as a constant, several times as fast
        own, other = target[at : at + n], source[start : start + 2 * n - 1]
        for k in range(n):
            own[k] = other[2 * k]
    else:
        for k in range(n):
            target[at + k] = source[start + step * k]


@_compiled
def _add_taps(out, at, n, image, taps, t, weights, w):
    """Add five shifted copies of an image, times weights, to `n` positions of a channel."""
    w0, w1, w2, w3, w4 = weights[w], weights[w + 1], weights[w + 2], weights[w + 3], weights[w + 4]
    sums = out[at : at + n]
    x0, x1 = image[taps[t] : taps[t] + n], image[taps[t + 1] : taps[t + 1] + n]
    x2, x3 = image[taps[t + 2] : taps[t + 2] + n], image[taps[t + 3] : taps[t + 3] + n]
    x4 = image[taps[t + 4] : taps[t + 4] + n]
    for p in range(n):
        sums[p] = sums[p] + w0 * x0[p] + w1 * x1[p] + w2 * x2[p] + w3 * x3[p] + w4 * x4[p]


@_compiled
def _add_taps_to_two(out, at, other, n, image, taps, t, weights, w, v):
    """Do as `_add_taps` for two channels, which share what is read."""
    w0, w1, w2, w3, w4 = weights[w], weights[w + 1], weights[w + 2], weights[w + 3], weights[w + 4]
    v0, v1, v2, v3, v4 = weights[v], weights[v + 1], weights[v + 2], weights[v + 3], weights[v + 4]
    sums, others = out[at : at + n], out[other : other + n]
    x0, x1 = image[taps[t] : taps[t] + n], image[taps[t + 1] : taps[t + 1] + n]
    x2, x3 = image[taps[t + 2] : taps[t + 2] + n], image[taps[t + 3] : taps[t + 3] + n]
    x4 = image[taps[t + 4] : taps[t + 4] + n]
    for p in range(n):
        y0, y1, y2, y3, y4 = x0[p], x1[p], x2[p], x3[p], x4[p]
        sums[p] = sums[p] + w0 * y0 + w1 * y1 + w2 * y2 + w3 * y3 + w4 * y4
        others[p] = others[p] + v0 * y0 + v1 * y1 + v2 * y2 + v3 * y3 + v4 * y4


@_compiled
def pad_phases(memory, source, stride, padding, phases):
    """Write a padded image to `phases`, as stride x stride images of every stride-th pixel.

    Within one of them, neighbouring positions of a convolution read neighbouring pixels.
    """
    height, width = source[HEIGHT], source[WIDTH]
    rows = -(-(height + 2 * padding) // stride)
    pitch = -(-(width + 2 * padding) // stride)
    size = rows * pitch
    phases[: source[CHANNELS] * stride * stride * size] = 0.0
    for c in range(source[CHANNELS]):
        for y in range(height):
            start = source[AT] + c * source[PLANE] + y * source[PITCH]
            py = y + padding
            first = (c * stride + py % stride) * stride
            line = (py // stride) * pitch
            for shift in range(min(stride, width)):
                px = padding + shift
                at = (first + px % stride) * size + line + px // stride
                n = (width - shift - 1) // stride + 1
                copy_every(memory, start + shift, stride, phases, at, n)


@_compiled
def convolve(memory, source, target, stride, padding, taps, bias, weights, phases):
    """Write a convolution of the value `source` to the value `target`.

    Parameters
    ----------
    memory : float array
        Holds the values.
    source, target : int arrays (6,)
        Values; the pitch of `target` is that of the phases.
    stride, padding : int
        Of the convolution.
    taps : int array (weights of a filter,)
        Where each weight of a filter finds the pixel of the first position in `phases`.
    bias, weights : float arrays (channels,), (channels * weights of a filter,)
        Of the filters.
    phases : float array
        Scratch memory: see `pad_phases`.
    """
    pad_phases(memory, source, stride, padding, phases)
    n_taps, channels = len(taps), target[CHANNELS]
    n = (target[HEIGHT] - 1) * target[PITCH] + target[WIDTH]
    for c in range(channels):
        at = target[AT] + c * target[PLANE]
        memory[at : at + n] = bias[c]
    for c in range(0, channels, 2):
        at, w = target[AT] + c * target[PLANE], c * n_taps
        for t in range(0, n_taps, TAPS_AT_ONCE):
            if c + 1 < channels:
                _add_taps_to_two(
                    memory, at, at + target[PLANE], n, phases, taps, t, weights, w + t,
                    w + n_taps + t,
                )  # fmt: skip
            else:
                _add_taps(memory, at, n, phases, taps, t, weights, w + t)


@_compiled
def max_pool(memory, source, target, size, stride):
    """Write the maxima of squares; those that the edge cuts have fewer pixels."""
    width = source[WIDTH]
    whole = max(min((width - size) // stride + 1, target[WIDTH]), 0)
    for c in range(source[CHANNELS]):
        for y in range(target[HEIGHT]):
            start = source[AT] + c * source[PLANE] + y * stride * source[PITCH]
            at = target[AT] + c * target[PLANE] + y * target[PITCH]
            n_rows = min(size, source[HEIGHT] - y * stride)
            if size == 2 and stride == 2 and n_rows == 2:
                _square_maxima(memory, start, start + source[PITCH], memory, at, whole)
            else:
                for x in range(whole):
                    memory[at + x] = _maximum(
                        memory, start + x * stride, n_rows, size, source[PITCH]
                    )
            for x in range(whole, target[WIDTH]):
                n_columns = width - x * stride
                memory[at + x] = _maximum(
                    memory, start + x * stride, n_rows, n_columns, source[PITCH]
                )


@_compiled
def _square_maxima(memory, upper, lower, out, at, n):
    """Write the maxima of `n` squares of 2 x 2: constant sizes are several times as fast."""
    own = out[at : at + n]
    above, below = memory[upper : upper + 2 * n], memory[lower : lower + 2 * n]
    for x in range(n):
        own[x] = max(max(above[2 * x], above[2 * x + 1]), max(below[2 * x], below[2 * x + 1]))


@_compiled
def _maximum(memory, at, n_rows, n_columns, pitch):
    """Return the maximum of a rectangle of pixels."""
    largest = memory[at]
    for dy in range(n_rows):
        for dx in range(n_columns):
            largest = max(largest, memory[at + dy * pitch + dx])
    return largest


@_compiled
def average_pool(memory, source, target, size, stride):
    """Write the means of squares."""
    for c in range(source[CHANNELS]):
        for y in range(target[HEIGHT]):
            for x in range(target[WIDTH]):
                corner = source[AT] + c * source[PLANE] + y * stride * source[PITCH] + x * stride
                total = 0.0
                for dy in range(size):
                    for dx in range(size):
                        total += memory[corner + dy * source[PITCH] + dx]
                at = target[AT] + c * target[PLANE] + y * target[PITCH] + x
                memory[at] = total / (size * size)


@_compiled
def global_pool(memory, source, target):
    """Write the mean of each channel."""
    for c in range(source[CHANNELS]):
        total = 0.0
        for y in range(source[HEIGHT]):
            start = source[AT] + c * source[PLANE] + y * source[PITCH]
            for x in range(source[WIDTH]):
                total += memory[start + x]
        memory[target[AT] + c * target[PLANE]] = total / (source[HEIGHT] * source[WIDTH])


@_compiled
def affine(memory, source, target, scale, shift):
    """Write each channel times its factor plus its summand."""
    for c in range(source[CHANNELS]):
        factor, summand = scale[c], shift[c]
        for y in range(source[HEIGHT]):
            start = source[AT] + c * source[PLANE] + y * source[PITCH]
            at = target[AT] + c * target[PLANE] + y * target[PITCH]
            for x in range(source[WIDTH]):
                memory[at + x] = factor * memory[start + x] + summand


@_compiled
def copy_value(memory, source, target):
    """Write a value as it is."""
    width, n_rows = source[WIDTH], source[HEIGHT]
    if source[PITCH] == width and target[PITCH] == width:  # a channel is one run
        width, n_rows = n_rows * width, 1
    for c in range(source[CHANNELS]):
        for y in range(n_rows):
            start = source[AT] + c * source[PLANE] + y * source[PITCH]
            at = target[AT] + c * target[PLANE] + y * target[PITCH]
            copy_run(memory, start, memory, at, width)


@_compiled
def add_value(memory, source, target):
    """Add a value to another one."""
    for c in range(source[CHANNELS]):
        for y in range(source[HEIGHT]):
            start = source[AT] + c * source[PLANE] + y * source[PITCH]
            at = target[AT] + c * target[PLANE] + y * target[PITCH]
            for x in range(source[WIDTH]):
                memory[at + x] += memory[start + x]


@njit(cache=True, nogil=True, _nrt=False, fastmath={"contract", "reassoc"})
def _inner_product(one, other):
    """Return the sum of products, in an order that the length alone decides."""
    total = np.float32(0.0)
    for j in range(len(one)):
        total += one[j] * other[j]
    return total


@_compiled
def dense(memory, source, target, bias, weights):
    """Write a dense layer of a vector; `weights` holds (outputs, inputs), row by row."""
    n = source[CHANNELS]
    inputs = memory[source[AT] : source[AT] + n]
    for k in range(target[CHANNELS]):
        product = _inner_product(inputs, weights[k * n : k * n + n])
        memory[target[AT] + k] = bias[k] + product


@_compiled
def rectify(memory, value):
    """Set what is negative in a value to 0."""
    width, n_rows = value[WIDTH], value[HEIGHT]
    if value[PITCH] == width:  # a channel is one run
        width, n_rows = n_rows * width, 1
    for c in range(value[CHANNELS]):
        for y in range(n_rows):
            at = value[AT] + c * value[PLANE] + y * value[PITCH]
            own = memory[at : at + width]
            for x in range(width):
                own[x] = max(own[x], np.float32(0.0))
