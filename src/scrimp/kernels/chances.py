"""Searching the running sums of chances from which stumps are dropped now and then."""

from __future__ import annotations

import numpy as np
from numba import njit

GUIDE = 512
#: So many draws without a stump dropped make a guide to the sums worth its while.
_CALM = 48
_EPS = 2.0**-52
# what is counted in a state
LOW, HIGH, DRAWS, TRIES, N_PARTIALS, ALIVE, ERRORS, SINCE, MODE = range(9)
# how sums are searched: the first ones, own ones, own ones with a guide
FIRST, OWN, GUIDED = range(3)
# measures of a state: the sum at the last rebuild, what the headroom comes to, and which one
BASE, ROOM, ROOM_OF = range(3)


@njit(cache=True, nogil=True)
def make_guide(sums, guide):
    """The first stump that numbers of each part of [0, 1) can lead to."""
    mass, stump = sums[-1], 0
    for part in range(GUIDE):
        least = part / GUIDE * mass
        while stump < len(sums) and sums[stump] <= least:
            stump += 1
        guide[part] = stump


@njit(cache=True, nogil=True)
def follow_guide(sums, guide, u):
    """How many sums are at most u times the last; not beyond the first that equals it."""
    mass = sums[-1]
    target, stump = u * mass, guide[int(u * GUIDE)]
    while stump < len(sums) and sums[stump] <= target:
        stump += 1
    if stump == len(sums):  # by rounding
        stump = np.searchsorted(sums, mass)
    return stump


@njit(cache=True, nogil=True)
def _halve(sums, target):
    """How many sums are at most the target."""
    low, size = 0, len(sums)
    while size > 0:
        half = size >> 1
        right = sums[low + half] <= target
        low = low + half + 1 if right else low
        size = size - half - 1 if right else half
    return low


@njit(cache=True, nogil=True)
def _rebuild(weights, sums, count, measure):
    total = 0.0
    for i in range(len(weights)):
        total += weights[i]
        sums[i] = total
    count[ERRORS] = 0
    measure[BASE] = total


@njit(cache=True, nogil=True)
def search(u, weights, sums, guide, count, measure):
    """The stump that u leads to, where some are dropped."""
    if count[SINCE] >= _CALM:
        _rebuild(weights, sums, count, measure)
        make_guide(sums, guide)
        count[MODE] = GUIDED
        return follow_guide(sums, guide, u)
    n = len(sums)
    target = u * sums[-1]
    stump = _halve(sums, target)
    if count[ERRORS] == 0 and stump < n:
        return stump
    # twice n + errors roundings at most, in each of both sums and in the target
    doubt = 8.0 * (n + count[ERRORS]) * _EPS * measure[BASE]
    before = sums[stump - 1] if stump else 0.0
    if stump < n and sums[stump] - target > doubt and target - before > doubt:
        return stump
    _rebuild(weights, sums, count, measure)
    stump = _halve(sums, u * sums[-1])
    return stump if stump < n else np.searchsorted(sums, sums[-1])


@njit(cache=True, nogil=True)
def drop(stump, first_weights, first_sums, weights, sums, count, measure):
    """Leave a stump out from now on."""
    if count[MODE] == FIRST:
        weights[:] = first_weights
        sums[:] = first_sums
        measure[BASE] = first_sums[-1]
    count[MODE] = OWN
    weight = weights[stump]
    weights[stump] = 0.0
    for i in range(stump, len(sums)):
        sums[i] -= weight
    count[ALIVE] -= 1
    count[ERRORS] += 1
    count[SINCE] = 0
    if sums[-1] < 0.5 * measure[BASE]:  # so that errors stay small beside the sums
        _rebuild(weights, sums, count, measure)
