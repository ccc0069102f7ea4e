"""Draws from the counter-based generator, bit for bit as `plans.components.counter_rng`."""

from __future__ import annotations

import numpy as np

from .leaf import bare, leaf

#: Parts of [0, 1) whose first member is noted; most of them belong to one member alone.
GUIDE = 4096
#: So many tries of a row are remembered, for budgets that come to them again ...
KNOWN = 1024
#: ... and made so many at a time.
_CHUNK = 32

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)


@leaf
def _mix(z):
    z = (z ^ (z >> np.uint64(30))) * _MIX_1
    z = (z ^ (z >> np.uint64(27))) * _MIX_2
    return z ^ (z >> np.uint64(31))


@leaf
def stream_of(seed, key):
    """Where the numbers of a row begin."""
    return _mix(seed * _GOLDEN + _mix(key + _GOLDEN))


@leaf
def uniform(stream, count):
    """A number in [0, 1)."""
    bits = _mix(stream + (np.uint64(count) + np.uint64(1)) * _GOLDEN)
    return np.float64(bits >> np.uint64(11)) * 2.0**-53


@bare
def make_guide(sums, guide):
    """The first member that numbers of each part of [0, 1) can lead to."""
    mass, member = sums[-1], 0
    for part in range(len(guide)):
        least = part / len(guide) * mass
        while member < len(sums) - 1 and sums[member] <= least:
            member += 1
        guide[part] = member


@leaf
def _follow_guide(sums, guide, u):
    """How many sums are at most u times the last; not beyond the first that equals it."""
    target, member = u * sums[-1], guide[int(u * GUIDE)]
    while sums[member] <= target:
        member += 1
        if member == len(sums):  # by rounding
            return np.searchsorted(sums, sums[-1])
    return member


@leaf
def search(sums, u):
    """As with a guide, in sums that have none."""
    target, low, size = u * sums[-1], 0, len(sums)
    while size > 0:
        half = size >> 1
        right = sums[low + half] <= target
        low = low + half + 1 if right else low
        size = size - half - 1 if right else half
    return low if low < len(sums) else np.searchsorted(sums, sums[-1])


@leaf
def member_at(sums, guide, stream, count, known):
    """The member that a row's try leads to.

    Tries are kept for other budgets: `known` has room for them, and for how many there are.
    """
    if count < known[KNOWN]:
        return known[count]
    if count >= KNOWN:
        return _follow_guide(sums, guide, uniform(stream, count))
    stop = min(count + _CHUNK, KNOWN)
    for i in range(known[KNOWN], stop):
        known[i] = _follow_guide(sums, guide, uniform(stream, i))
    known[KNOWN] = stop
    return known[count]
