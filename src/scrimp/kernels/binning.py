"""Bins of values, given the cut points of their columns.

A present value v falls into bin b = number of cuts < v, so that ``v <= cuts[b]`` is the test
"bin <= b". A missing value falls into the largest number of the bins' type.
"""

from __future__ import annotations

from concurrent.futures import Executor
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from ..types import Floats
from . import run_pieces

#: Rows binned together: their cache lines fit the first-level cache.
_ROWS = 256
#: Rows that one thread bins before it takes the next piece.
_PIECE = 16_384
#: Cells of the uniform grid per column that replaces the binary search among its cuts: more of
#: them separate closer cuts and take more cache.
_GRID = 2048


def bin_columns(
    X: NDArray[Any], cuts: list[Floats], pool: Executor | None = None
) -> NDArray[np.uint8] | NDArray[np.uint16]:
    """Return the bins of X (columns x rows), as uint8 if no column has more than 255, else uint16.

    Parameters
    ----------
    X : float32 or float64 array (rows x columns)
        The data, in any order; it is not copied.
    cuts : list of float arrays
        For each column its cut points, ascending, at most 65534.
    pool : Executor, optional
        Threads to use.
    """
    max_cuts = max((len(c) for c in cuts), default=0)
    table = np.full((len(cuts), 1 << max_cuts.bit_length()), np.inf, dtype=X.dtype)
    for row, column_cuts in zip(table, cuts, strict=True):
        row[: len(column_cuts)] = round_down(column_cuts, X.dtype)
    out = np.empty(X.shape[::-1], dtype=np.uint8 if max_cuts < 255 else np.uint16)
    counts = np.array([len(c) for c in cuts], dtype=np.int64)
    grid = np.zeros((len(cuts), _GRID), dtype=out.dtype)
    scale = np.zeros(len(cuts), dtype=X.dtype)
    fill_grid(table, counts, scale, grid)

    def bin_piece(start: int) -> None:
        bin_rows(X, table, counts, scale, grid, out, start, min(start + _PIECE, len(X)))

    run_pieces(pool, bin_piece, range(0, len(X), _PIECE))
    return out


def codes_that_occur(
    bins: NDArray[Any], n_cuts: NDArray[np.intp], categorical: NDArray[np.bool_]
) -> tuple[NDArray[np.bool_], NDArray[np.intp]]:
    """Return which codes occur, concatenated over categorical columns, and where columns begin."""
    lengths = np.where(categorical, n_cuts + 1, 0)
    flags = [np.isin(np.arange(lengths[j]), bins[j]) for j in np.flatnonzero(categorical)]
    occurs = np.concatenate([np.zeros(0, dtype=bool), *flags])
    return occurs, np.concatenate([[0], np.cumsum(lengths)])


def round_down(cuts: Floats, dtype: np.dtype[Any]) -> NDArray[Any]:
    """Return the largest numbers of a type that are <= the cuts, so that no value changes sides."""
    with np.errstate(over="ignore"):
        rounded = cuts.astype(dtype)
    above = rounded > cuts
    rounded[above] = np.nextafter(rounded[above], dtype.type(-np.inf))
    return rounded


@njit(cache=True, nogil=True)
def grid_cell(v, low, scale):
    """Return the grid cell of a value, which is monotone in the value."""
    cell = max(min(np.float64((v - low) * scale), _GRID - 1.0), 0.0)
    return np.intp(cell if cell == cell else 0.0)


@njit(cache=True, nogil=True)
def fill_grid(table, counts, scale, grid):
    """Write for each cell the number of cuts in lower cells; scale is 0 if two share a cell."""
    for j in range(len(counts)):
        span = table[j, counts[j] - 1] - table[j, 0] if counts[j] > 0 else np.inf
        scale[j] = (_GRID - 1) / span if span > 0 else 1
        if not 0 < scale[j] < np.inf:
            scale[j] = 0
        next_cell = 0
        for k in range(counts[j]):
            cell = grid_cell(table[j, k], table[j, 0], scale[j])
            if cell < next_cell:
                scale[j] = 0
                break
            grid[j, next_cell : cell + 1] = k
            next_cell = cell + 1
        grid[j, next_cell:] = counts[j]


@njit(cache=True, nogil=True)
def steps_for(count):
    """Return the number of steps of a binary search among ``count`` numbers."""
    steps = 0
    while (1 << steps) <= count:
        steps += 1
    return steps


@njit(cache=True, nogil=True)
def search_block(table, steps, values, places):
    """Write for each value how many of the first 2**steps - 1 ascending numbers are below it.

    All values take a step before any takes the next, so that their loads overlap.
    """
    places[:] = 0
    half = 1 << steps
    while half > 1:
        half >>= 1
        for i in range(len(values)):
            places[i] += half * (table[places[i] + half - 1] < values[i])


@njit(cache=True, nogil=True)
def read_column(X, j, first, values):
    """Copy the values of a column from row ``first`` on."""
    for i in range(len(values)):
        values[i] = X[first + i, j]


@njit(cache=True, nogil=True)
def bin_rows(X, table, counts, scale, grid, out, start, stop):
    """Write the bins of the rows from start to stop, in blocks that fit the cache."""
    missing = np.iinfo(out.dtype).max
    buffer = np.empty(_ROWS, X.dtype)
    place_buffer = np.empty(_ROWS, np.int64)
    for first in range(start, stop, _ROWS):
        n = min(_ROWS, stop - first)
        values, places = buffer[:n], place_buffer[:n]
        for j in range(X.shape[1]):
            read_column(X, j, first, values)
            if scale[j] > 0:
                search_grid(table[j], scale[j], grid[j], values, places)
            else:
                search_block(table[j], steps_for(counts[j]), values, places)
            for i in range(n):
                out[j, first + i] = places[i] if values[i] == values[i] else missing


@njit(cache=True, nogil=True)
def search_grid(table, scale, grid, values, places):
    """Write the same as `search_block`, in one step, for a column that has a grid."""
    for i in range(len(values)):
        below = np.intp(grid[grid_cell(values[i], table[0], scale)])
        places[i] = below + (table[below] < values[i])
