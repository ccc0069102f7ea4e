r"""Exponentially deepening networks (EANN): how far behind the best network they can be.

Networks of depth 1, b, b^2, ... are computed one after the other, or by several workers. If a
network of depth L is as good as the best one of every depth above L/b that it has come to, then
after B layers the answer is as good as that of the best network of depth B/C. Hu, PhD thesis,
Carnegie Mellon University 2019, Sec. 4.4 and Proposition 4.4.1.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..types import Floats

#: Networks of a simulation, beyond which nothing changes any more, and points of time.
_N_NETWORKS, _N_TIMES = 60, 200_001


@dataclass(frozen=True)
class CompetitiveRatio:
    """The factor C by which more layers are computed than the best network of that quality has.

    Parameters
    ----------
    largest, mean : float
        Over all moments at which the computation may be cut off.
    """

    largest: float
    mean: float


def simulated_ratio(base: float, n_workers: int = 1, plain: bool = False) -> CompetitiveRatio:
    """Return the ratios of a long run, at all moments between the starts of two late networks.

    Parameters
    ----------
    base : float
        How much deeper each network is, above 1.
    n_workers : int
        Networks computed at a time; a worker that is done takes the next one.
    plain : bool
        Whether the networks have one exit each, at their end.

    Examples
    --------
    >>> ratio = simulated_ratio(2.0)
    >>> round(ratio.largest, 2), round(ratio.mean, 2)
    (3.0, 2.44)
    """
    if not base > 1.0:
        raise ValueError(f"base is {base!r}; expected a number above 1.")
    depths, starts = _run(base, n_workers)
    late = len(depths) - 3
    times = np.linspace(starts[late], starts[late + 1], _N_TIMES)[1:]
    best = np.zeros(len(times))
    for depth, start in zip(depths, starts, strict=True):
        done = np.clip(times - start, 0.0, depth)
        least = depth * (1 - 1e-12) if plain else depth / base
        best = np.maximum(best, np.where(done >= least, done, 0.0))
    ratios = times / best
    return CompetitiveRatio(float(ratios.max()), float(ratios.mean()))


def _run(base: float, n_workers: int) -> tuple[Floats, Floats]:
    """Return the depths of networks and when each starts."""
    n = min(_N_NETWORKS, int(300 / np.log2(base)))  # larger depths would overflow
    depths = base ** np.arange(n, dtype=float)
    starts = np.zeros(n)
    for k in range(n_workers, n):
        starts[k] = starts[k - n_workers] + depths[k - n_workers]
    return depths, starts


def largest_ratio(base: float, n_workers: int = 1) -> float:
    r"""Return :math:`1+b/(b^M-1)`, the supremum of the ratio with M workers.

    With one worker it is the :math:`2+1/(b-1)` of Proposition 4.4.1. The thesis replaces b by
    :math:`b^M` there, which is a valid but loose bound: see `printed_ratio`.
    """
    return 1.0 + base / (base**n_workers - 1.0)


def printed_ratio(base: float, n_workers: int = 1) -> CompetitiveRatio:
    """Return the bounds that the thesis prints for a base and some workers."""
    b = base**n_workers
    return CompetitiveRatio(
        2.0 + 1.0 / (b - 1.0), 1.0 - 1.0 / (2.0 * b) + (1.0 + np.log(b)) / (b - 1.0)
    )


def plain_ratio(base: float) -> CompetitiveRatio:
    """Return the bounds for networks that answer only at their end."""
    return CompetitiveRatio(base**2 / (base - 1.0), base / 2.0 + base / (base - 1.0))
