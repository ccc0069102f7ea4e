"""A counter-based RNG: numbers that depend on a seed, a row's key and a counter alone."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...types import Floats

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)


def _mix(z: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Apply the finaliser of SplitMix64 (Steele, Lea and Flood 2014)."""
    z = (z ^ (z >> np.uint64(30))) * _MIX_1
    z = (z ^ (z >> np.uint64(27))) * _MIX_2
    return z ^ (z >> np.uint64(31))


def uniforms(seed: int, keys: NDArray[np.uint64], counters: NDArray[np.uint64]) -> Floats:
    """Return uniform numbers in [0, 1), one per row; none depends on another row.

    >>> keys = np.arange(3, dtype=np.uint64)
    >>> numbers = uniforms(7, keys, keys * np.uint64(0))
    >>> bool((numbers[1:] == uniforms(7, keys[1:], keys[1:] * np.uint64(0))).all())
    True
    """
    with np.errstate(over="ignore"):
        stream = _mix(np.uint64(seed % 2**64) * _GOLDEN + _mix(keys + _GOLDEN))
        bits = _mix(stream + (counters + np.uint64(1)) * _GOLDEN)
    return (bits >> np.uint64(11)).astype(np.float64) * 2.0**-53
