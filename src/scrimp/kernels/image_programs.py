"""Networks on images, computed row by row from a table of layers, up to an exit that is sure.

A program is a `weights` array, a table of values (see `image_layers`), and a table with a line per
layer: its kind, the values that it reads and writes, size, stride and padding, where its weights,
its taps and its scratch memory begin, how many taps there are, and whether a rectifier follows.
"""

from __future__ import annotations

import numpy as np

from . import image_layers as layers
from .image_layers import AT, CHANNELS, HEIGHT, PITCH, PLANE, WIDTH
from .jit import njit

CONV, AFFINE, COPY, ADD, MAX_POOL, AVERAGE_POOL, GLOBAL_POOL, DENSE = range(8)
(KIND, INPUT, OUTPUT, SIZE, STRIDE, PADDING, WEIGHTS, TAPS, N_TAPS, SCRATCH, RECTIFIED) = range(11)
#: Of a block: the lines of its layers, its exit included, the value of its answer or -1, and
#: whether it reads the image.
FIRST, LAST, ANSWER, IS_FIRST = range(4)


@njit(cache=True, nogil=True, _nrt=False)
def run_layer(line, values, weights, taps, memory):
    """Compute one layer of a row."""
    kind, source, target = line[KIND], values[line[INPUT]], values[line[OUTPUT]]
    size, stride, channels = line[SIZE], line[STRIDE], target[CHANNELS]
    bias = weights[line[WEIGHTS] : line[WEIGHTS] + channels]
    others = weights[line[WEIGHTS] + channels :]
    scratch = memory[line[SCRATCH] :]
    if kind == CONV:
        own = taps[line[TAPS] : line[TAPS] + line[N_TAPS]]
        layers.convolve(memory, source, target, stride, line[PADDING], own, bias, others, scratch)
    elif kind == AFFINE:
        layers.affine(memory, source, target, others, bias)
    elif kind == COPY:
        layers.copy_value(memory, source, target)
    elif kind == ADD:
        layers.add_value(memory, source, target)
    elif kind == MAX_POOL:
        layers.max_pool(memory, source, target, size, stride)
    elif kind == AVERAGE_POOL:
        layers.average_pool(memory, source, target, size, stride)
    elif kind == GLOBAL_POOL:
        layers.global_pool(memory, source, target)
    else:
        layers.dense(memory, source, target, bias, others)
    if line[RECTIFIED]:
        layers.rectify(memory, target)


@njit(cache=True, nogil=True, _nrt=False)
def confidence(scores, scale):
    """Return the probability of the predicted class; of two classes there is one score."""
    if len(scores) == 1:
        return 1.0 / (1.0 + np.exp(-abs(scale * scores[0])))
    largest, total = scores[0], 0.0
    for score in scores:
        largest = max(largest, score)
    for score in scores:
        total += np.exp(scale * (score - largest))
    return 1.0 / total


@njit(cache=True, nogil=True, _nrt=False, fastmath={"reassoc"})
def _total(numbers):
    """Return the sum of numbers: it is finite if all of them are, and not too large."""
    total = np.float32(0.0)
    for number in numbers:
        total += number
    return total


@njit(cache=True, nogil=True, _nrt=False)
def load_row(X, i, columns, memory):
    """Write some columns of a row to the beginning of the memory; return whether all are finite."""
    for j in range(len(columns)):
        memory[j] = X[i, columns[j]]
    return np.isfinite(_total(memory[: len(columns)]))


@njit(cache=True, nogil=True, _nrt=False)
def compute_rows(inputs, program, outputs, memory, out):
    """Compute all layers of a program for rows of inputs; `out` is given the values `outputs`."""
    layer_table, values, _, weights, taps = program
    for i in range(len(inputs)):
        layers.copy_run(inputs[i], 0, memory, 0, inputs.shape[1])
        for layer in range(len(layer_table)):
            run_layer(layer_table[layer], values, weights, taps, memory)
        k = 0
        for value in outputs:
            own = values[value]
            for c in range(own[CHANNELS]):
                for y in range(own[HEIGHT]):
                    at = own[AT] + c * own[PLANE] + y * own[PITCH]
                    for x in range(own[WIDTH]):
                        out[i, k] = memory[at + x]
                        k += 1


@njit(cache=True, nogil=True, _nrt=False)
def answer_rows(X, columns, program, thresholds, prior, scale, memory, scores, n_blocks):
    """Answer rows, each with the first exit that is sure, or with the last.

    Parameters
    ----------
    X : float array (rows, columns)
        What is answered.
    columns : int array
        The pixels, in the order of the image.
    program : tuple of arrays
        Layers, values, blocks, weights, taps: see above.
    thresholds : float array (blocks,)
        The confidence from which on the block is not computed any more; above 1 for always.
    prior : float array (outputs,)
        The scores before the first exit.
    scale : float
        Scores times it are log-odds.
    memory : float array
        Scratch memory of one row.
    scores, n_blocks : float array (rows, outputs), int array (rows,)
        The answers, and the blocks that were computed, are written to these.

    Returns
    -------
    bool
        Whether all pixels that were read are finite.
    """
    layer_table, values, blocks, weights, taps = program
    for i in range(len(X)):
        for k in range(len(prior)):
            scores[i, k] = prior[k]
        n_blocks[i] = len(thresholds)
        for b in range(len(thresholds)):
            if thresholds[b] <= 1.0 and confidence(scores[i], scale) >= thresholds[b]:
                n_blocks[i] = b
                break
            if blocks[b, IS_FIRST] and not load_row(X, i, columns, memory):
                return False
            for layer in range(blocks[b, FIRST], blocks[b, LAST]):
                run_layer(layer_table[layer], values, weights, taps, memory)
            if blocks[b, ANSWER] >= 0:
                at = values[blocks[b, ANSWER], AT]
                for k in range(scores.shape[1]):
                    scores[i, k] = memory[at + k]
    return True
