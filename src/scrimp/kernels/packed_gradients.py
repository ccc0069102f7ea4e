"""Gradients as the histograms of `tree_histograms` take them, and what one split would gain."""

from __future__ import annotations

import numpy as np

from .copying import add_rows_to
from .jit import njit
from .tree_histograms import LARGEST, N_BINS, add_histograms, best_cuts, quantise
from .tree_losses import write_gradients

#: The largest magnitude that a quantised number has, however few the rows are.
FINEST = 2.0**24
#: The least sum of Hessians on either side of a split.
LEAST_HESSIAN = 1e-3


@njit(cache=True, nogil=True)
def quantisation_scale(values, rows):
    """Return what brings the largest magnitude of some rows to that of a whole number."""
    largest = 0.0
    for r in rows:
        for k in range(values.shape[1]):
            largest = max(largest, abs(values[r, k]))
    limit = min(np.floor(LARGEST / max(len(rows), 1)), FINEST)
    return limit / largest if largest > 0 else 1.0


@njit(cache=True, nogil=True)
def split_targets(gradient, hessian, directions, rows, targets, total):
    """Write what splits of several outputs are found on: gradients and the sums of Hessians.

    With `directions` (projections, outputs) these are projections of the gradients.
    """
    for r in rows:
        total[r, 0] = hessian[r].sum()
        for k in range(targets.shape[1]):
            if len(directions):
                targets[r, k] = 0.0
                for j in range(gradient.shape[1]):
                    targets[r, k] += gradient[r, j] * directions[k, j]
            else:
                targets[r, k] = gradient[r, k]


@njit(cache=True, nogil=True)
def pack(targets, total, weights, rows, min_rows, ridge, seed, packed):
    """Quantise what splits are found on (rows, words); return the options of `best_cuts`.

    Rows are counted by their Hessians, and one of weight 2 as two rows.
    """
    scale, hessian_scale = quantisation_scale(targets, rows), quantisation_scale(total, rows)
    quantise(targets, total[:, 0], rows, scale, hessian_scale, seed, packed)
    hessian, mass = 0.0, 0.0
    for r in rows:
        hessian += total[r, 0]
        mass += weights[r]
    least = max(LEAST_HESSIAN, (min_rows - 0.5) * hessian / mass) if mass > 0 else LEAST_HESSIAN
    return np.array([1.0 / scale, 1.0 / hessian_scale, ridge, least, targets.shape[1]])


@njit(cache=True, nogil=True)
def pack_scores(kind, y, weights, scores, directions, min_rows, ridge):
    """Return the packed gradients of given scores, and the options of `best_cuts`."""
    n, outputs = scores.shape
    rows, gradient, hessian = np.arange(n), np.empty((n, outputs)), np.empty((n, outputs))
    write_gradients(kind, 0.0, y, weights, scores, gradient, hessian, 0, n)
    targets, total = gradient, hessian
    if outputs > 1:
        targets, total = np.empty((n, len(directions) or outputs)), np.empty((n, 1))
        split_targets(gradient, hessian, directions, rows, targets, total)
    packed = np.empty((n, 1 + targets.shape[1] // 2), np.int64)
    options = pack(targets, total, weights, rows, min_rows, ridge, 0, packed)
    return packed, options


@njit(cache=True, nogil=True)
def find_cuts(hist, n_bins, options, words, gains, cuts, sides):
    """Write the best cut of each column without constraints; see `best_cuts`."""
    n_columns = len(n_bins)
    no_codes, no_signs = np.zeros(n_columns, np.bool_), np.zeros(n_columns, np.int8)
    best_cuts(hist, n_bins, no_codes, no_signs, -np.inf, np.inf, options, words, gains, cuts, sides)


@njit(cache=True, nogil=True)
def column_gains(bins, n_bins, columns, packed, options, gains):
    """Write how much one split of each column would lower the loss; 0 if there is none."""
    rows, words = np.arange(len(packed)), np.zeros(packed.shape[1], np.int64)
    add_rows_to(words, packed)
    hist = np.zeros((len(columns), N_BINS, packed.shape[1]), np.int64)
    add_histograms(bins, columns, rows, packed, hist)
    cuts, sides = np.empty(len(columns), np.int64), np.empty(len(columns), np.int8)
    find_cuts(hist, n_bins[columns], options, words, gains, cuts, sides)
    for c in range(len(gains)):
        gains[c] = max(gains[c], 0.0)
