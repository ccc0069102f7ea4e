"""The least-squares stump of a column from histograms, and a step along the gradient.

A leaf with the sum s of weighted targets and the mass m explains s^2 / m of their sum of squares.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from ..types import Floats
from .stumps import BLOCK, CODE, NOTHING, PRESENT, THRESHOLD

#: The best split of a column: the sum of squares it explains, and the bin of its cut or code.
SPLIT = np.dtype([("explained", "f8"), ("at", "i8"), ("kind", "i8")])
#: A leaf with less than this part of a column's mass is lost in rounding.
_LEAST_MASS = 1e-12
#: Of splits that tie up to rounding, the first wins.
_TIE = 1.0 + 1e-12
#: A residual below this part of the largest target is rounding.
_ROUNDING = 1e-13


@njit(cache=True, nogil=True)
def explained_by(inside, mass, total, total_mass):
    """What two leaves explain; nothing if one of them is empty."""
    rest = total_mass - mass
    if min(mass, rest) <= _LEAST_MASS * total_mass:
        return -1.0
    return inside * inside / mass + (total - inside) * (total - inside) / rest


@njit(cache=True, nogil=True)
def best_split(sums, masses, categorical):
    """The first cut, or code against the rest, that explains most of the present values."""
    total, total_mass = sums.sum(), masses.sum()
    best, at, inside, mass = -1.0, -1, 0.0, 0.0
    for b in range(len(sums) if categorical else len(sums) - 1):
        inside = sums[b] if categorical else inside + sums[b]
        mass = masses[b] if categorical else mass + masses[b]
        explained = explained_by(inside, mass, total, total_mass)
        if explained >= 0.0 and (at < 0 or explained > best * _TIE):
            best, at = explained, b
    return best, at


@njit(cache=True, nogil=True)
def best_splits(hist, columns, masses, first, categorical, found):
    """The best split of each column from its histogram.

    Parameters
    ----------
    hist : float array (k, bins)
        Sums of weighted targets of k columns; the last bin is the missing one.
    columns : int array (k,)
        These columns.
    masses : float array
        Sums of weights, for all columns of X one after the other, the missing bin at the end.
    first : int array (columns of X + 1,)
        Where a column begins in ``masses``.
    categorical : bool array (columns of X,)
        Which columns hold codes.
    found : `SPLIT` array (columns of X,)
        Where the results go.
    """
    for c in range(len(columns)):
        j = columns[c]
        own = masses[first[j] : first[j + 1]]
        n_bins = len(own) - 1
        explained, at = best_split(hist[c, :n_bins], own[:n_bins], categorical[j])
        kind = CODE if categorical[j] else THRESHOLD
        if own[n_bins] > 0.0:
            # Two leaves explain at least as much as one: this matters where nothing splits.
            if at < 0:
                present, mass = hist[c, :n_bins].sum(), own[:n_bins].sum()
                explained, at, kind = present * present / mass if mass > 0.0 else 0.0, 0, PRESENT
            explained += hist[c, -1] * hist[c, -1] / own[n_bins]
        found[j]["explained"] = explained if at >= 0 else 0.0
        found[j]["at"] = at
        found[j]["kind"] = kind if at >= 0 else NOTHING


@njit(cache=True, nogil=True)
def descend(residuals, weights, bins, steps, absolute, floor, signed, sums, start, stop):
    """Take a step in some rows, and note their new targets and the targets' squares.

    Parameters
    ----------
    residuals : float array (rows,)
        Changed in place: less the step of the row's bin.
    weights : float array (rows,)
        Weights of the rows.
    bins : int array (rows,)
        Bins of the chosen column.
    steps : float array (bins,)
        The step of each bin.
    absolute : bool
        Whether targets are signs of residuals, or the residuals.
    floor : float
        A residual that is not larger counts as none.
    signed : float array (rows,)
        Where the weighted targets go.
    sums : float array (blocks,)
        Where the weighted sums of squared targets go.
    start, stop : int
        Blocks to do.
    """
    for block in range(start, stop):
        total = 0.0
        for i in range(block * BLOCK, min((block + 1) * BLOCK, len(residuals))):
            r = residuals[i] - steps[bins[i]]
            residuals[i] = r
            target = r if abs(r) > floor else 0.0
            if absolute:
                target = np.sign(target)
            signed[i] = weights[i] * target
            total += signed[i] * target
        sums[block] = total


def weighted_median(values: NDArray[Any], weights: Floats | None) -> float:
    """The middle by weight, or between two values if half the weight is on either side."""
    if weights is None:
        return float(np.median(values))
    order = np.argsort(values, kind="stable")
    below = np.cumsum(weights[order])
    at = int(np.searchsorted(below, below[-1] / 2.0))
    other = at + 1 if below[at] == below[-1] / 2.0 else at
    return float((values[order[at]] + values[order[other]]) / 2.0)


def power_of_two(values: Floats) -> float:
    """The largest power of two that is not above all sizes; dividing by it loses no digit."""
    largest = float(np.abs(values).max())
    return math.ldexp(1.0, math.frexp(largest)[1] - 1) if largest > 0 else 1.0


def first_residuals(
    y: Floats, weights: Floats | None, absolute: bool
) -> tuple[Floats, float, float, float]:
    """Residuals from the mean or median, this start, the residuals' unit, and their rounding.

    In this unit the squares of huge and tiny targets are neither infinite nor 0.
    """
    unit = power_of_two(y)
    values = y / unit
    floor = _ROUNDING * float(np.abs(values).max())
    start = weighted_median(values, weights) if absolute else np.average(values, weights=weights)
    residuals = values - start
    residuals[np.abs(residuals) <= floor] = 0.0
    return residuals, unit * float(start), unit, floor
