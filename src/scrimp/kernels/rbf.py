"""Sums of Gaussian bells around points."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def add_bells(scores, X, rows, columns, centers, weights, gamma):
    """Add to each row's scores ``weight * exp(-gamma * distance**2)`` of every point.

    Parameters
    ----------
    scores : float array (rows, outputs)
        Added to.
    X, rows : arrays
        The values of row i are in ``X[rows[i]]``.
    columns : int array (dimensions,)
        The columns that a point speaks of.
    centers : float array (points, dimensions)
        The points.
    weights : float array (points, outputs)
        Their weights.
    gamma : float
        How narrow the bells are.
    """
    point = np.empty(len(columns))
    for i in range(len(rows)):
        for j in range(len(columns)):
            point[j] = X[rows[i], columns[j]]
        for s in range(len(centers)):
            distance = 0.0
            for j in range(len(columns)):
                difference = point[j] - centers[s, j]
                distance += difference * difference
            bell = np.exp(-gamma * distance)
            for k in range(weights.shape[1]):
                scores[i, k] += weights[s, k] * bell
