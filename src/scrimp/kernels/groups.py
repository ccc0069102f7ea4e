"""Gram blocks of column groups: what each group would still explain as others are chosen.

The square blocks of the groups lie one after the other in one flat array; block g is
``blocks[start[g]:start[g] + size[g]**2]``, row by row, and only its lower triangle is used.
"""

from __future__ import annotations

import math

import numpy as np

from .jit import njit


@njit(cache=True, nogil=True)
def shrink_blocks(blocks, start, size, first, place, left, factor):
    """Subtract from each remaining block what new columns of the factor explain of it.

    Parameters
    ----------
    blocks, start, size
        The blocks, as described above.
    first, place : int arrays
        The columns of group g are at ``place[first[g]:first[g] + size[g]]`` in ``factor``.
    left : bool array (groups,)
        Groups that are not chosen yet.
    factor : float array (new columns, places)
        The rows of the Cholesky factor of the columns chosen last.
    """
    for g in range(len(size)):
        if not left[g]:
            continue
        for a in range(size[g]):
            row = start[g] + a * size[g]
            at = place[first[g] + a]
            for b in range(a + 1):
                other = place[first[g] + b]
                total = 0.0
                for k in range(len(factor)):
                    total += factor[k, at] * factor[k, other]
                blocks[row + b] -= total


@njit(cache=True, nogil=True)
def guarded_cholesky(block, floor, lower, dropped):
    """Write the Cholesky factor of a block; columns without a pivot above the floor are dropped.

    A dropped column has 1 on the diagonal and 0 below it.
    """
    n = len(block)
    for a in range(n):
        for b in range(a + 1):
            total = block[a, b]
            for k in range(b):
                if not dropped[k]:
                    total -= lower[a, k] * lower[b, k]
            if a == b:
                dropped[a] = not total > floor
                lower[a, a] = 1.0 if dropped[a] else math.sqrt(total)
            else:
                lower[a, b] = 0.0 if dropped[b] else total / lower[b, b]


@njit(cache=True, nogil=True)
def block_gains(blocks, start, size, first, place, left, residual, floor, gains):
    """Write half the squared norm of the block-whitened residual of each remaining group.

    Parameters
    ----------
    residual : float array (places, responses)
        Products of the column at each place with the residual responses.
    gains : float array (groups,)
        Written to.
    """
    max_size = size.max()
    lower, dropped = np.empty((max_size, max_size)), np.empty(max_size, np.bool_)
    part = np.empty(max_size)
    for g in range(len(size)):
        if not left[g]:
            continue
        n = size[g]
        block = blocks[start[g] : start[g] + n * n].reshape(n, n)
        guarded_cholesky(block, floor, lower, dropped)
        total = 0.0
        for k in range(residual.shape[1]):
            for a in range(n):
                value = residual[place[first[g] + a], k]
                for b in range(a):
                    value -= lower[a, b] * part[b]
                part[a] = 0.0 if dropped[a] else value / lower[a, a]
                total += part[a] * part[a]
        gains[g] = 0.5 * total


@njit(cache=True, nogil=True)
def squeeze(matrix, keep):
    """Move the kept rows and columns of a square matrix to the front of its memory."""
    flat = matrix.reshape(-1)
    n, to = len(matrix), 0
    for i in keep:
        for j in keep:
            flat[to] = flat[i * n + j]
            to += 1


@njit(cache=True, nogil=True)
def mirror(matrix):
    """Copy the lower triangle of a square matrix to the upper one, tile by tile."""
    n, tile = len(matrix), 64
    for first in range(0, n, tile):
        for other in range(0, first + 1, tile):
            for i in range(first, min(first + tile, n)):
                for j in range(other, min(other + tile, i)):
                    matrix[j, i] = matrix[i, j]
