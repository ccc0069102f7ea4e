"""Selection rules: how a booster weighs an edge against a price (Huang et al. 2015)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

#: An edge of 1 would make the logarithm infinite and all perfect columns equal.
_EDGE_LIMIT = 1.0 - 1e-12


def edge(edges: Floats, prices: Floats) -> Floats:
    """AdaBoostBT: the largest edge, whatever it costs."""
    return edges


def greedy(edges: Floats, prices: Floats) -> Floats:
    """AdaBoostBT_Greedy, Eq. (1) in logarithms: the fall of the error bound per price."""
    gain: Floats = -np.log1p(-(np.minimum(edges, _EDGE_LIMIT) ** 2))
    return gain / prices


RULES: dict[str, Callable[[Floats, Floats], Floats]] = {"edge": edge, "greedy": greedy}
