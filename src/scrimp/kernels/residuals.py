"""Kernels of L2 and L1 boosting: best least-squares stumps per column, gradient steps.

A leaf with the sum s of weighted targets and the mass m explains s^2 / m of their sum of squares.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..types import Floats
from .jit import njit
from .stumps import BLOCK, CODE, NOTHING, PRESENT, THRESHOLD

#: The best split of a column: the sum of squares that it explains, and the bin of its cut or code.
SPLIT = np.dtype([("explained", "f8"), ("at", "i8"), ("kind", "i8")])
#: A leaf with a smaller part of a column's mass counts as empty: its sums are rounding errors.
_MIN_MASS = 1e-12
#: Splits that tie up to this factor are equal, and the first wins.
_TIE = 1.0 + 1e-12
#: A residual below this part of the largest target counts as 0.
_ROUNDING = 1e-13


@njit(cache=True, nogil=True)
def explained_by(inside, mass, total, total_mass):
    """Return the sum of squares explained by two leaves; -1 if one of them is empty."""
    rest = total_mass - mass
    if min(mass, rest) <= _MIN_MASS * total_mass:
        return -1.0
    return inside * inside / mass + (total - inside) * (total - inside) / rest


@njit(cache=True, nogil=True)
def best_split(sums, masses, categorical):
    """Return the largest sum of squares explained by a cut or code, and the first that has it."""
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
def best_splits(hist, columns, masses, first, categorical, best):
    """Write the best split of each column from its histogram.

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
    best : `SPLIT` array (columns of X,)
        Written to.
    """
    for c in range(len(columns)):
        j = columns[c]
        mass = masses[first[j] : first[j + 1]]
        n_bins = len(mass) - 1
        explained, at = best_split(hist[c, :n_bins], mass[:n_bins], categorical[j])
        kind = CODE if categorical[j] else THRESHOLD
        if mass[n_bins] > 0.0:
            # Two leaves explain at least as much as one, so this matters only where nothing splits.
            if at < 0:
                present, total = hist[c, :n_bins].sum(), mass[:n_bins].sum()
                explained, at, kind = present * present / total if total > 0.0 else 0.0, 0, PRESENT
            explained += hist[c, -1] * hist[c, -1] / mass[n_bins]
        best[j]["explained"] = explained if at >= 0 else 0.0
        best[j]["at"] = at
        best[j]["kind"] = kind if at >= 0 else NOTHING


@njit(cache=True, nogil=True)
def descend(residuals, weights, bins, steps, absolute, floor, signed, sums, start, stop):
    """Update the residuals of some rows, and write their new targets and sums of squares.

    Parameters
    ----------
    residuals : float array (rows,)
        Updated in place: the step of the row's bin is subtracted.
    weights : float array (rows,)
        Weights of the rows.
    bins : int array (rows,)
        Bins of the chosen column.
    steps : float array (bins,)
        The step of each bin.
    absolute : bool
        Whether targets are signs of residuals, or the residuals.
    floor : float
        A residual that is not larger counts as 0.
    signed : float array (rows,)
        The weighted targets, written to.
    sums : float array (blocks,)
        The weighted sums of squared targets, written to.
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
    """Return the weighted median: the mean of two values if half the weight is on either side."""
    if weights is None:
        return float(np.median(values))
    order = np.argsort(values, kind="stable")
    below = np.cumsum(weights[order])
    at = int(np.searchsorted(below, below[-1] / 2.0))
    other = at + 1 if below[at] == below[-1] / 2.0 else at
    return float((values[order[at]] + values[order[other]]) / 2.0)


def power_of_two(values: Floats) -> float:
    """Return the largest power of two not above the largest size: dividing by it is exact."""
    largest = float(np.abs(values).max())
    return math.ldexp(1.0, math.frexp(largest)[1] - 1) if largest > 0 else 1.0


def first_residuals(
    y: Floats, weights: Floats | None, absolute: bool
) -> tuple[Floats, float, float, float]:
    """Return residuals from the mean or median, this start, their unit, and their rounding error.

    In this unit the squares of huge and tiny targets neither overflow nor vanish.
    """
    unit = power_of_two(y)
    values = y / unit
    floor = _ROUNDING * float(np.abs(values).max())
    start = weighted_median(values, weights) if absolute else np.average(values, weights=weights)
    residuals = values - start
    residuals[np.abs(residuals) <= floor] = 0.0
    return residuals, unit * float(start), unit, floor
