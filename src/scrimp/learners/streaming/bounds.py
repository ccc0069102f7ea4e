r"""Bounds on the average regret of streaming boosting, from edges that were measured.

For smooth losses the regret falls geometrically with the number of learners: at most
:math:`2B\rho^N`. For its step Thm 5.5.1 of Hu 2019 prints
:math:`\rho = 1-\gamma^2\lambda/(16\beta)`, and its proof has
:math:`1-\gamma^2\lambda/(\beta(16-8\gamma))`. With a step of :math:`1/\beta`,
:math:`\ell(y-h/\beta)\le\ell(y)+(\|h-\nabla\|^2-\|\nabla\|^2)/(2\beta)`, so that the edge gives
:math:`\rho = 1-\gamma\lambda/\beta`. For other losses Thm 5.5.2 has, with :math:`c=2/\gamma-1`,
:math:`4c^2G^2/(\lambda N)\,(1+\ln N+1/(8N))`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...types import Floats


@dataclass(frozen=True)
class StreamBounds:
    """What is known of the average regret against the best function of the rows.

    Parameters
    ----------
    edge : float
        The least edge of the learners, as measured.
    convexity, smoothness : float
        The least and the largest second derivative of the loss.
    printed, proof, inverse : float or None
        The bounds of Thm 5.5.1, of its proof, and of steps of one over the smoothness.
    nonsmooth, sharper : float or None
        The bound of Thm 5.5.2 per squared bound of the gradients, and a sharper one.
    reason : str
        Why there is no bound; empty if there is one.
    """

    edge: float
    convexity: float
    smoothness: float
    printed: float | None = None
    proof: float | None = None
    inverse: float | None = None
    nonsmooth: float | None = None
    sharper: float | None = None
    reason: str = ""


def bounds_of(
    convexity: float, smoothness: float, edges: Floats, loss_bound: float, is_smooth: bool,
    n_projected: int,
) -> StreamBounds:  # fmt: skip
    """Return the bounds of a run whose conditions held."""
    n, edge = len(edges), float(np.min(edges, initial=1.0))
    known = StreamBounds(edge, convexity, smoothness)
    reason = ""
    if not edge > 0:
        reason = f"a learner has no edge: the least is {edge:.3g}"
    elif not convexity > 0:
        reason = "the loss is not strongly convex: give a ridge"
    elif n_projected and not is_smooth:
        reason = f"the projection acted on {n_projected} rows, and the proof is without it"
    if reason:
        return StreamBounds(edge, convexity, smoothness, reason=reason)
    if is_smooth:
        ratio = convexity / smoothness

        def bound(rate: float) -> float:
            return float(2.0 * loss_bound * max(1.0 - rate, 0.0) ** n)

        return StreamBounds(
            known.edge, convexity, smoothness, bound(edge**2 * ratio / 16.0),
            bound(edge**2 * ratio / (16.0 - 8.0 * edge)), bound(edge * ratio),
        )  # fmt: skip
    c, s = 2.0 / edge - 1.0, np.sqrt(1.0 - edge)
    answers, residuals = ((1.0 + s) / (1.0 - s)) ** 2, (s / (1.0 - s)) ** 2
    printed = 4.0 * c**2 / (convexity * n) * (1.0 + np.log(n) + 1.0 / (8.0 * n))
    root = np.sqrt(answers * residuals)
    sharper = (answers / 2.0 + root) * (1.0 + np.log(n)) + residuals / (2.0 * n)
    return StreamBounds(
        known.edge, convexity, smoothness, nonsmooth=float(printed),
        sharper=float(sharper / (convexity * n)),
    )  # fmt: skip
