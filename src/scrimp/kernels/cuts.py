"""Cut points of columns: between all distinct values where these are few, else quantiles."""

from __future__ import annotations

from concurrent.futures import Executor
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from ..types import Flags, Floats
from . import run_pieces
from .binning import read_column, search_block, steps_for

#: Columns sampled together: one cache line of a float32 row holds them.
_TILE = 16
#: Rows scanned at a time: a tile of them fits the first-level cache.
_ROWS = 256
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
