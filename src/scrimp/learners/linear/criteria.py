"""What a group of columns is worth: criteria by which the next one is chosen (Hu 2019, ch. 3)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ...types import Floats
from .factor import GroupFactor


def _largest(factor: GroupFactor) -> Floats:
    """The square of the largest correlation of one column with what is not explained."""
    return factor.over_groups(np.maximum, factor.squares())


def _length(factor: GroupFactor) -> Floats:
    """The squared length of the gradient."""
    return factor.over_groups(np.add, factor.squares())


#: A value for each group of a factor that is not chosen yet; of chosen ones it says nothing.
CRITERIA: dict[str, Callable[[GroupFactor], Floats]] = {
    "forward": GroupFactor.gains,
    "omp": GroupFactor.whitened,
    "single": _largest,
    "no-whiten": _length,
}
