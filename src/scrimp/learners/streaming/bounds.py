r"""Bounds on the average regret of streaming boosting, from edges that were measured.

For smooth losses the regret falls geometrically with the number of learners: at most
:math:`2B\rho^N`. For its own step Thm 5.5.1 of Hu 2019 prints
:math:`\rho = 1-\gamma^2\lambda/(16\beta)`, and its proof has
:math:`1-\gamma^2\lambda/(\beta(16-8\gamma))`. For any steps :math:`\eta_i\le 1/\beta` the edge,
:math:`2\langle\nabla,h\rangle\ge\|h\|^2+\gamma\|\nabla\|^2`, and the smoothness give
:math:`\ell(y-\eta h)\le\ell(y)-\tfrac{\eta\gamma}{2}\|\nabla\|^2`, and so the sharper
:math:`2B\prod_i(1-\gamma\lambda\eta_i)`. For other losses and steps :math:`1/(\lambda i)` Thm 5.5.2
has, with :math:`c=2/\gamma-1`, :math:`4c^2G^2/(\lambda N)\,(1+\ln N+1/(8N))`.
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
    printed, proof : float or None
        The bounds of Thm 5.5.1 and of its proof, if the steps are the theorem's for this edge.
    of_steps : float or None
        The bound of steps up to one over the smoothness.
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
    of_steps: float | None = None
    nonsmooth: float | None = None
    sharper: float | None = None
    reason: str = ""


def bounds_of(
    convexity: float, smoothness: float, edges: Floats, steps: Floats, loss_bound: float,
    is_smooth: bool, n_projected: int, reason: str = "",
) -> StreamBounds:  # fmt: skip
    """Return the bounds of a run whose conditions held; none if there is a `reason` for none."""
    n, edge = len(edges), float(np.min(edges, initial=1.0))
    reason = reason or _failed_condition(convexity, smoothness, edge, steps, is_smooth, n_projected)
    if reason:
        return StreamBounds(edge, convexity, smoothness, reason=reason)
    if is_smooth:
        return _smooth_bounds(edge, convexity, smoothness, steps, loss_bound)
    c, s = 2.0 / edge - 1.0, np.sqrt(1.0 - edge)
    answers, residuals = ((1.0 + s) / (1.0 - s)) ** 2, (s / (1.0 - s)) ** 2
    printed = 4.0 * c**2 / (convexity * n) * (1.0 + np.log(n) + 1.0 / (8.0 * n))
    root = np.sqrt(answers * residuals)
    sharper = (answers / 2.0 + root) * (1.0 + np.log(n)) + residuals / (2.0 * n)
    return StreamBounds(
        edge, convexity, smoothness, nonsmooth=float(printed),
        sharper=float(sharper / (convexity * n)),
    )  # fmt: skip


def _failed_condition(
    convexity: float, smoothness: float, edge: float, steps: Floats, is_smooth: bool,
    n_projected: int,
) -> str:  # fmt: skip
    """Return which condition of the theorems does not hold; empty if all do."""
    n = len(steps)
    wanted = 1.0 / (convexity * np.arange(1, n + 1)) if convexity > 0 else np.zeros(n)
    if not edge > 0:
        return f"a learner has no edge: the least is {edge:.3g}"
    if not convexity > 0:
        return "the loss is not strongly convex: give a ridge"
    if is_smooth and not (steps <= (1.0 + 1e-12) / smoothness).all():
        return f"a step is larger than 1 / {smoothness:g}, one over the smoothness of the loss"
    if not is_smooth and not np.allclose(steps, wanted):
        return "the steps are not one over the convexity and the number of the learner"
    if n_projected and not is_smooth:
        return f"the projection acted on {n_projected} rows, and the proof is without it"
    return ""


def _smooth_bounds(
    edge: float, convexity: float, smoothness: float, steps: Floats, loss_bound: float
) -> StreamBounds:
    """Return the bound of the steps as they are, and those of Thm 5.5.1 if they are its own."""
    n, ratio = len(steps), convexity / smoothness

    def bound(falls: Floats) -> float:
        return float(2.0 * loss_bound * np.prod(np.maximum(1.0 - falls, 0.0)))

    printed = proof = None
    if np.allclose(steps, edge / (smoothness * (8.0 - 4.0 * edge))):
        printed = bound(np.full(n, edge**2 * ratio / 16.0))
        proof = bound(np.full(n, edge**2 * ratio / (16.0 - 8.0 * edge)))
    return StreamBounds(
        edge, convexity, smoothness, printed, proof, bound(edge * convexity * steps)
    )
