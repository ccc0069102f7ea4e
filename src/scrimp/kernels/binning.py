"""Cut points of columns and bins of values.

A column is cut between all its distinct values where these are few, else at quantiles.

A present value v falls into bin b = number of cuts < v, so that ``v <= cuts[b]`` is the test
"bin <= b". A missing value falls into the largest number of the bins' type.
"""

from __future__ import annotations

from concurrent.futures import Executor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..types import Flags, Floats
from .jit import njit
from .threads import run_pieces

#: Rows read together: their cache lines fit the first-level cache.
_ROWS = 256
#: Rows that one thread bins before it takes the next piece.
_PIECE = 16_384
#: Cells of the uniform grid per column that replaces the binary search among its cuts: more of
#: them separate closer cuts and take more cache.
_GRID = 2048
#: Columns sampled together: one cache line of a float32 row holds them.
_TILE = 16
_HUGE = np.finfo(np.float64).max


def find_cuts(
    X: NDArray[Any],
    categorical: Flags,
    max_bins: int,
    rows: NDArray[np.intp],
    weight: Floats | None = None,
    pool: Executor | None = None,
) -> list[Floats]:
    """Return the cut points of every column, ascending.

    A column with at most ``max_bins`` distinct present values in all of X is cut between any
    two of them; any other at quantiles of a sample. Codes 0, 1, ... are cut at 0.5, 1.5, ...

    Parameters
    ----------
    X : float array (rows x columns)
        The data; it is never copied as a whole.
    categorical : bool array (columns,)
        Which columns hold codes.
    max_bins : int
        Maximum number of bins of a numeric column.
    rows : int array
        The rows of the sample, ascending and each once.
    weight : float array (rows of X,), optional
        Weights of the rows of X in the quantiles.
    pool : Executor, optional
        Threads to use.
    """
    cuts: dict[int, Floats] = {}
    masses = np.ones(len(rows)) if weight is None else weight[rows]

    def cut_tile(start: int) -> None:
        sample = np.ascontiguousarray(X[rows, start : start + _TILE].T)
        few: dict[int, Floats] = {}
        for j, values in enumerate(sample, start):
            if categorical[j]:
                n_codes = int(np.fmax.reduce(X[:, j], initial=0.0)) + 1
                cuts[j] = np.arange(n_codes - 1, dtype=np.float64) + 0.5
                continue
            distinct, mass = weighted_runs(*_ranked(values, masses, weight is not None))
            cuts[j] = quantile_cuts(distinct, mass, max_bins)
            if len(distinct) <= max_bins and len(rows) < len(X):
                few[j] = distinct
        cuts.update(_cuts_of_few(X, few, max_bins))

    run_pieces(pool, cut_tile, range(0, X.shape[1], _TILE))
    return [cuts[j] for j in range(X.shape[1])]


def _ranked(values: NDArray[Any], masses: Floats, weighted: bool) -> tuple[NDArray[Any], Floats]:
    """Return values ascending, NaN last, with their masses; equal masses need no argsort."""
    if not weighted:
        return np.sort(values), masses
    order = np.argsort(values)
    return values[order], masses[order]


def _cuts_of_few(X: NDArray[Any], few: dict[int, Floats], max_bins: int) -> dict[int, Floats]:
    """Return exact cuts of columns with few values in the sample and in all rows."""
    if not few:
        return {}
    size = 1 << max_bins.bit_length()
    known = np.full((len(few), size), np.inf)
    counts = np.array([len(values) for values in few.values()])
    for row, values in zip(known, few.values(), strict=True):
        row[: len(values)] = values
    collect_values(X, np.array(list(few)), known, counts, max_bins)
    return {
        j: quantile_cuts(values[:count], np.ones(count), max_bins)
        for j, values, count in zip(few, known, counts.tolist(), strict=True)
        if count <= max_bins
    }


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
def weighted_runs(ranked, masses):
    """Return the distinct values of an ascending array (NaN last) and the mass of each."""
    values = np.empty(len(ranked))
    sums = np.zeros(len(ranked))
    count = 0
    for value, mass in zip(ranked, masses):  # noqa: B905 - numba has no strict
        if value != value:
            break
        if count == 0 or value != values[count - 1]:
            values[count] = value
            count += 1
        sums[count - 1] += mass
    return values[:count].copy(), sums[:count].copy()


@njit(cache=True, nogil=True)
def cut_between(low, high):
    """Return a number c with low <= c < high: their midpoint where rounding allows it."""
    if low == -np.inf:
        return -_HUGE if high > -_HUGE else low
    if high == np.inf:
        return _HUGE if low < _HUGE else low
    middle = low + (high - low) / 2.0
    return middle if middle < high else low


@njit(cache=True, nogil=True)
def quantile_cuts(values, masses, max_bins):
    """Return cuts between distinct values for bins of about equal mass; all gaps if few."""
    cuts = np.empty(max(min(len(values), max_bins) - 1, 0))
    share = masses.sum() / max_bins
    # A value heavier than a fair share gets its own bin; the others share what is left.
    left = masses[masses < share].sum()
    bins_left = max_bins - np.sum(masses >= share)
    mass = 0.0
    count = 0
    for k in range(len(values) - 1):
        if count == len(cuts):
            break
        heavy = masses[k] >= share
        mass += masses[k]
        target = left / max(bins_left, 1)
        before_heavy = masses[k + 1] >= share and mass >= target / 2.0
        if not (heavy or before_heavy or mass >= target or len(values) <= max_bins):
            continue
        cuts[count] = cut_between(values[k], values[k + 1])
        count += 1
        left -= mass - masses[k] if heavy else mass
        bins_left -= 0 if heavy else 1
        mass = 0.0
    return cuts[:count]


@njit(cache=True, nogil=True)
def collect_values(X, columns, known, counts, limit):
    """Add the values of some columns to the known ones, until a column exceeds the limit."""
    values = np.empty(_ROWS, X.dtype)
    places = np.empty(_ROWS, np.int64)
    for first in range(0, X.shape[0], _ROWS):
        n = min(_ROWS, X.shape[0] - first)
        for c in range(len(columns)):
            if counts[c] > limit:
                continue
            read_column(X, columns[c], first, values[:n])
            search_block(known[c], steps_for(counts[c]), values[:n], places[:n])
            for i in range(n):
                v = values[i]
                if v == v and not (places[i] < counts[c] and known[c, places[i]] == v):
                    counts[c] = insert_value(known[c], counts[c], v, limit)


@njit(cache=True, nogil=True)
def insert_value(known, count, v, limit):
    """Insert a value among ascending ones, unless it is there, and return their number."""
    at = 0
    while at < count and known[at] < v:
        at += 1
    if count > limit or (at < count and known[at] == v):
        return count
    if count < limit:
        for k in range(count, at, -1):
            known[k] = known[k - 1]
        known[at] = v
    return count + 1


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
