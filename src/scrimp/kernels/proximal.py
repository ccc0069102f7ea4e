"""The least of a quadratic function and half the squared norm under a budget."""

from __future__ import annotations

import numpy as np
from numba import njit

from .knapsacks import shrunk


@njit(cache=True, nogil=True)
def shrink(point, group_of, prices, steps, budget, scale, out):
    """Write the proximal point of half the squared norm; return the scale of the shares.

    Parameters
    ----------
    point, out : float arrays (outputs, columns)
        From, and to.
    steps : float array (groups,)
        How far each group goes.
    """
    n = len(prices)
    norms, shares = np.zeros(n), np.empty(n)
    for k in range(point.shape[0]):
        for j in range(point.shape[1]):
            norms[group_of[j]] += point[k, j] * point[k, j]
    for m in range(n):
        norms[m] = np.sqrt(norms[m])
    scale = shrunk(norms, prices, steps, budget, scale, shares)
    for m in range(n):
        shares[m] = shares[m] / (steps[m] + shares[m])
    for k in range(point.shape[0]):
        for j in range(point.shape[1]):
            out[k, j] = point[k, j] * shares[group_of[j]]
    return scale


@njit(cache=True, nogil=True)
def largest_curvature(hessians):
    """About the largest eigenvalue, by powers."""
    most = 0.0
    for k in range(hessians.shape[0]):
        vector = np.ones(hessians.shape[1])
        found = 0.0
        for _ in range(20):
            vector = hessians[k] @ vector
            found = np.sqrt((vector * vector).sum())
            if found == 0.0:
                break
            vector /= found
        most = max(most, found)
    return most


@njit(cache=True, nogil=True)
def quadratic_step(hessians, pulls, w, group_of, prices, budget, tol, most_steps, v):
    """Write where -pulls u + u H u / 2 + half the squared norm of w + u is least: v = w + u.

    Accelerated proximal steps, until they are `tol` times as long as the first, or so many.
    """
    outputs = w.shape[0]
    lipschitz = max(1.1 * largest_curvature(hessians), 1e-12)
    scale, momentum, first = 1.0, 1.0, -1.0
    v[:] = w
    hv = np.zeros_like(w)  # H (v - w)
    ahead, h_ahead = v.copy(), hv.copy()
    new, h_new = np.empty_like(w), np.empty_like(w)
    for step in range(most_steps):
        while True:
            point = ahead + (pulls - h_ahead) / lipschitz
            steps = np.full(len(prices), 1.0 / lipschitz)
            scale = shrink(point, group_of, prices, steps, budget, scale, new)
            for k in range(outputs):
                h_new[k] = hessians[k] @ (new[k] - w[k])
            moved = new - ahead
            length = (moved * moved).sum()
            if (moved * (h_new - h_ahead)).sum() <= lipschitz * length * (1.0 + 1e-10):
                break
            lipschitz *= 1.5
        length = lipschitz * np.sqrt(length)
        if first < 0.0:
            first = length
        turned = ((ahead - new) * (new - v)).sum() > 0
        after = (1.0 + np.sqrt(1.0 + 4.0 * momentum * momentum)) / 2.0
        part = 0.0 if turned else (momentum - 1.0) / after
        momentum = 1.0 if turned else after
        ahead, h_ahead = new + part * (new - v), h_new + part * (h_new - hv)
        v[:] = new
        hv[:] = h_new
        if length <= tol * first:
            return step + 1
    return most_steps
