"""Draws from a discrete distribution by inversion, with a guide table (Chen and Asau, 1974).

The table says for each of `GUIDE` equal parts of [0, 1) where the search among the cumulative
probabilities begins, so that a draw takes one step or two.
"""

from __future__ import annotations

import numpy as np

from .counter_rng import uniform
from .jit import njit_inline, njit_no_refcount

#: Parts of [0, 1): more of them take memory and save steps of a search.
GUIDE = 4096
#: Tries per row whose members are remembered for the row's other budgets.
REMEMBERED = 1024
#: Remembered tries are made this many at a time.
_CHUNK = 32


@njit_no_refcount
def make_guide(sums, guide):
    """Write for each part of [0, 1) the first member that its numbers can lead to."""
    mass, member = sums[-1], 0
    for part in range(len(guide)):
        lower_bound = part / len(guide) * mass
        while member < len(sums) - 1 and sums[member] <= lower_bound:
            member += 1
        guide[part] = member


@njit_inline
def _search_guided(sums, guide, u):
    """Return how many sums are at most u times the last; at most the first that equals it."""
    target, member = u * sums[-1], guide[int(u * GUIDE)]
    while sums[member] <= target:
        member += 1
        if member == len(sums):  # by rounding
            return np.searchsorted(sums, sums[-1])
    return member


@njit_inline
def search(sums, u):
    """Return the same as a guided search, by bisection."""
    target, low, size = u * sums[-1], 0, len(sums)
    while size > 0:
        half = size >> 1
        right = sums[low + half] <= target
        low = low + half + 1 if right else low
        size = size - half - 1 if right else half
    return low if low < len(sums) else np.searchsorted(sums, sums[-1])


@njit_inline
def member_at(sums, guide, stream, count, remembered):
    """Return the member that try ``count`` of a row leads to.

    ``remembered`` holds the members of the first tries and, at the end, the number of them.
    """
    if count < remembered[REMEMBERED]:
        return remembered[count]
    if count >= REMEMBERED:
        return _search_guided(sums, guide, uniform(stream, count))
    stop = min(count + _CHUNK, REMEMBERED)
    for i in range(remembered[REMEMBERED], stop):
        remembered[i] = _search_guided(sums, guide, uniform(stream, i))
    remembered[REMEMBERED] = stop
    return remembered[count]
