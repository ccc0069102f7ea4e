"""Sums of step functions of single columns: of one set of them, or of many sets at a time."""

from __future__ import annotations

import numpy as np

from .copying import copy_to
from .jit import njit

#: Rows that are looked up and added together: their sums stay in the first-level cache.
_BLOCK = 64
#: The most breaks that are all compared with a value: without branches to mispredict, and several
#: values at a time, that takes less time than a binary search.
_MAX_COMPARED = 128


@njit(cache=True, nogil=True)
def step_at(breaks, start, stop, x):
    """Return how many of the ascending breaks between two positions are below a number."""
    low, high = start, stop
    while low < high:
        middle = (low + high) // 2
        if breaks[middle] < x:
            low = middle + 1
        else:
            high = middle
    return low - start


@njit(cache=True, nogil=True)
def add_steps(X, rows, columns, starts, breaks, values, missing, weights, scores):
    """Add weighted values of functions to scores (rows x outputs), one after the other.

    Function c has its breaks from ``starts[c]`` on and one value more than breaks from
    ``starts[c] + c`` on; those with the weight 0 are not read.
    """
    for i in range(len(rows)):
        for c in range(len(columns)):
            if weights[c] == 0.0:
                continue
            x = X[rows[i], columns[c]]
            if x == x:
                value = values[starts[c] + c + step_at(breaks, starts[c], starts[c + 1], x)]
            else:
                value = missing[c]
            for k in range(scores.shape[1]):
                scores[i, k] += weights[c] * value[k]


@njit(cache=True, nogil=True)
def step_values(X, rows, columns, starts, breaks, values, missing, out):
    """Write the values of functions (rows x functions x outputs)."""
    for i in range(len(rows)):
        for c in range(len(columns)):
            x = X[rows[i], columns[c]]
            if x == x:
                step = starts[c] + c + step_at(breaks, starts[c], starts[c + 1], x)
                copy_to(out[i, c], values[step])
            else:
                copy_to(out[i, c], missing[c])


@njit(cache=True, nogil=True)
def _find_steps(values, breaks, start, stop, steps):
    """Write the steps of a block of values; that of missing values is the last."""
    if stop - start > _MAX_COMPARED:
        for i in range(_BLOCK):
            steps[i] = step_at(breaks, start, stop, values[i])
    else:
        for i in range(_BLOCK):
            steps[i] = 0
        for b in range(start, stop):
            at = breaks[b]
            for i in range(_BLOCK):
                steps[i] += 1 if values[i] > at else 0
    for i in range(_BLOCK):
        steps[i] = steps[i] if values[i] == values[i] else stop - start + 1


@njit(cache=True, nogil=True)
def write_step_sums(
    X, rows, columns, starts, breaks, functions, offsets, values, sets, set_of, weights, base, sums
):
    """Write weighted sums of functions, of many sets at a time.

    The functions of a column share its breaks, so that a value is looked up once for all of them.
    A block of rows is added up side by side, without branches.

    Parameters
    ----------
    X, rows : arrays
        The values of row i are in ``X[rows[i]]``.
    columns : int array (columns,)
        The columns of X.
    starts, breaks : arrays
        Column c has its breaks from ``starts[c]`` on, ascending.
    functions : int array (columns + 1,)
        Where the functions of each column begin.
    offsets, values : int array (functions,), float array (outputs, entries)
        Where the values of each function begin: those of the steps of its column, one more than
        breaks, and that of missing values.
    sets, set_of, weights : arrays
        Function f is part of the sets ``set_of[sets[f] : sets[f + 1]]``, with these weights.
    base : float array (sets, outputs)
        The sums without any function.
    sums : float array (rows, sets, outputs), C-contiguous
        Written to.
    """
    n_outputs = base.shape[1]
    block, steps, terms = np.zeros(_BLOCK), np.empty(_BLOCK, np.int64), np.empty(_BLOCK)
    initial, flat = base.reshape(-1), sums.reshape(len(rows), base.size)
    totals = np.empty((len(initial), _BLOCK))
    for start in range(0, len(rows), _BLOCK):
        n = min(_BLOCK, len(rows) - start)
        for s in range(len(initial)):
            totals[s] = initial[s]
        for c in range(len(columns)):
            for i in range(n):
                block[i] = X[rows[start + i], columns[c]]
            _find_steps(block, breaks, starts[c], starts[c + 1], steps)
            for f in range(functions[c], functions[c + 1]):
                for k in range(n_outputs):
                    for i in range(_BLOCK):
                        terms[i] = values[k, offsets[f] + steps[i]]
                    for j in range(sets[f], sets[f + 1]):
                        total, weight = totals[set_of[j] * n_outputs + k], weights[j]
                        for i in range(_BLOCK):
                            total[i] += weight * terms[i]
        for i in range(n):
            row = flat[start + i]
            for s in range(len(initial)):
                row[s] = totals[s, i]


@njit(cache=True, nogil=True)
def mark_near(sums, base, tolerance, near):
    """Mark the rows of which some sum is near a number.

    Parameters
    ----------
    sums : float array (rows, sums)
        The sums.
    base, tolerance : float arrays (sums,)
        The number, and the largest difference that is near.
    near : bool array (rows,)
        Written to.
    """
    for i in range(len(sums)):
        total, is_near = sums[i], 0
        for s in range(len(base)):
            is_near |= 1 if abs(total[s] - base[s]) <= tolerance[s] else 0
        near[i] = is_near > 0
