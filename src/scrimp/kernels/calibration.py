"""Calibrated probabilities of two classes, of many sets of items at a time."""

from __future__ import annotations

import numpy as np

from .jit import njit


@njit(cache=True, nogil=True)
def _softplus(x):
    """Return log(1 + exp(x)) without overflow."""
    return max(x, 0.0) + np.log1p(np.exp(-abs(x)))


@njit(cache=True, nogil=True)
def write_power_mixtures(scores, scale, below, above, nearness, slope, shift, prior, out):
    """Write mixtures of two calibration maps, for each row and each set of items.

    A map gives a class of the probability q the weight q^slope e^shift.

    Parameters
    ----------
    scores : float array (rows, sets)
        Scores times scale are the log-odds of the second class.
    scale : float
        See `scores`.
    below, above : int arrays (sets,)
        The maps of each set; `below` is -1 where the answer is the prior.
    nearness : float array (sets,)
        The weight of the map `above`, from 0 to 1.
    slope, shift : float arrays (maps, 2)
        The parameters of the maps.
    prior : float array (2,)
        The answer where nothing is known.
    out : float array (rows, sets, 2)
        Written to.
    """
    for i in range(scores.shape[0]):
        for s in range(scores.shape[1]):
            if below[s] < 0:
                out[i, s, 0], out[i, s, 1] = prior[0], prior[1]
                continue
            odds, first, second = scale * scores[i, s], 0.0, 0.0
            for side in range(2):
                point = above[s] if side else below[s]
                weight = nearness[s] if side else 1.0 - nearness[s]
                if weight == 0.0:
                    continue
                z = shift[point, 1] - shift[point, 0]
                if slope[point, 0] == slope[point, 1]:
                    z += slope[point, 0] * odds
                else:  # the logarithms of the probabilities of both classes
                    z += slope[point, 0] * _softplus(odds) - slope[point, 1] * _softplus(-odds)
                small = np.exp(-abs(z))
                large, small = weight / (1.0 + small), weight * small / (1.0 + small)
                first += small if z > 0.0 else large
                second += large if z > 0.0 else small
            out[i, s, 0], out[i, s, 1] = first, second
