"""A counter-based random number generator, bit for bit as `plans.components.counter_rng`.

A number is the SplitMix64 finaliser of a counter, so that any draw of any row can be made
without those before it.
"""

from __future__ import annotations

import numpy as np

from .jit import njit_wrapping

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)


@njit_wrapping
def _mix(z):
    z = (z ^ (z >> np.uint64(30))) * _MIX_1
    z = (z ^ (z >> np.uint64(27))) * _MIX_2
    return z ^ (z >> np.uint64(31))


@njit_wrapping
def stream_of(seed, key):
    """Return the start of the stream of a row, from the plan's seed and the row's key."""
    return _mix(seed * _GOLDEN + _mix(key + _GOLDEN))


@njit_wrapping
def uniform(stream, count):
    """Return number ``count`` of a stream, uniform in [0, 1)."""
    bits = _mix(stream + (np.uint64(count) + np.uint64(1)) * _GOLDEN)
    return np.float64(bits >> np.uint64(11)) * 2.0**-53
