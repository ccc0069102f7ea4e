"""Where to begin: what the slopes of an earlier solution would mean for other shares."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np

from ...kernels.knapsacks import spread
from ...types import Floats
from .descent import Bound, Point
from .machine import Machine

#: How far shares go over from the first to the last of those tried, and how much smaller slopes
#: are then.
_PARTS, _SCALES = (0.25, 0.5, 0.75, 1.0), (0.6, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95, 1.0)


def best_start(
    machine: Machine, prices: Floats, budget: float, point: Point, proof: Bound,
    *shares: Floats,
) -> Point:  # fmt: skip
    """An earlier point, or a better one that is made of its slopes, with some shares of groups.

    At the optimum coefficients are shares times pulls of the slopes. With other shares the slopes
    change little but for their scale.

    Parameters
    ----------
    point, proof : Point, Bound
        The earlier point, with nothing but what may be bought now, and its slopes.
    *shares : float arrays (groups,)
        One or two; if two, all between them are tried.
    """
    pulls, roots = machine.pulls(proof.alpha), np.sqrt(proof.values)

    def coefficients(own: Floats) -> Floats:
        return np.asarray(pulls * np.repeat(own, machine.sizes))

    def objective(sums: Floats, norms: Floats) -> float:
        b = machine.intercepts(sums, point.b, point.width)
        loss = machine.losses(sums, b, point.width)[1]
        return float(loss + spread(norms, prices, budget, np.empty(len(norms))) / 2)

    sums = [machine.sums(coefficients(own)) for own in shares]
    best, least = None, objective(machine.sums(point.w), np.sqrt(machine.squares(point.w)))
    for part, scale in product(_PARTS if len(shares) > 1 else _PARTS[-1:], _SCALES):
        mixed = scale * ((1.0 - part) * shares[0] + part * shares[-1])
        value = objective(scale * ((1.0 - part) * sums[0] + part * sums[-1]), mixed * roots)
        if value < least:
            least, best = value, mixed
    return point if best is None else replace(point, w=coefficients(best))
