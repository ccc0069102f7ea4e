r"""Points of the relaxation: their objective, and the lower bounds that dual variables prove.

For fixed coefficients the best fractional selection d of Eq. (1) has a closed form, so that the
relaxation is a problem in w and b alone, with the penalty

.. math:: P(w) = \min_{0\le d\le 1,\ c^\top d\le B}\ \tfrac12\sum_m \|w_m\|^2/d_m.

Dual variables alpha that sum to 0 (Eq. 3) prove the lower bound of Eq. (12),

.. math:: S(\alpha) - \tfrac12\max_d \sum_m d_m\|X_m^\top\alpha\|^2,

where the maximum is a fractional knapsack.

References
----------
Wang, Zhu, Chi. Efficient Test-Time Predictor Learning with Group-Based Budget. AAAI 2018.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from ...kernels.knapsacks import fractional_knapsack, norm_selection
from ...types import Floats, Ints
from .problem import Losses, SVMProblem


@dataclass(frozen=True, eq=False)
class Iterate:
    """Coefficients and intercepts, and the state that a solver continues from.

    Parameters
    ----------
    w, b : float arrays (outputs, columns), (outputs,)
        Coefficients and intercepts.
    smoothing : float
        Smoothing parameter of a non-smooth loss; 0 for smooth ones.
    multipliers : float array (outputs, rows), optional
        Multipliers of the augmented Lagrangian: dual variables at which the smoothed loss equals
        the loss. By default 0.
    curvature : float
        Estimate of the curvature of the loss along a gradient step.
    """

    w: Floats
    b: Floats
    smoothing: float
    multipliers: Floats | None = None
    curvature: float = 1.0

    def take(self, columns: Ints) -> Iterate:
        """Return the iterate restricted to some columns."""
        return replace(self, w=np.ascontiguousarray(self.w[:, columns]))

    def expand(self, columns: Ints, n_columns: int) -> Iterate:
        """Return the iterate of a larger table, where its columns are `columns`; others are 0."""
        w = np.zeros((len(self.w), n_columns))
        w[:, columns] = self.w
        return replace(self, w=w)


@dataclass(frozen=True, eq=False)
class DualBound:
    """Dual variables and the lower bound that they prove.

    Parameters
    ----------
    alpha : float array (outputs, rows)
        Dual variables; they sum to 0.
    gains : float array (groups,)
        Squared gradient norms ||X_m' alpha||^2: twice what the selection of a group takes off the
        bound, and so a score of the group.
    selection : float array (groups,)
        The fractional knapsack of these gains.
    value : float
        The lower bound: no solution within the budget has a smaller objective.
    """

    alpha: Floats
    gains: Floats
    selection: Floats
    value: float

    def expand(self, groups: Ints, n_groups: int) -> DualBound:
        """Return the bound of a larger problem, where its groups are `groups`; others gain 0."""
        gains, selection = np.zeros(n_groups), np.zeros(n_groups)
        gains[groups], selection[groups] = self.gains, self.selection
        return replace(self, gains=gains, selection=selection)


class Objective(NamedTuple):
    """The two terms of Eq. (1): the penalty P(w), and the losses."""

    penalty: float
    losses: Losses

    @property
    def smoothed(self) -> float:
        """The objective with the smoothed loss."""
        return self.penalty + self.losses.smoothed

    @property
    def exact(self) -> float:
        """The objective."""
        return self.penalty + self.losses.exact


def penalty(norms: Floats, prices: Floats, budget: float) -> float:
    """Return P(w), given the norm of each group's coefficients."""
    return float(norm_selection(norms, prices, budget, np.empty(len(norms)))) / 2


def objective(
    problem: SVMProblem, prices: Floats, budget: float, norms: Floats, z: Floats, b: Floats,
    smoothing: float,
) -> Objective:  # fmt: skip
    """Return both terms of the objective, given group norms and scores z without intercepts."""
    return Objective(penalty(norms, prices, budget), problem.losses(z, b, smoothing))


def dual_bound(
    problem: SVMProblem, prices: Floats, budget: float, alpha: Floats, groups: Ints | None = None
) -> DualBound:
    """Return what dual variables prove about all solutions on `groups` within the budget."""
    alpha = balance(alpha)
    gains = problem.squared_gradient_norms(alpha, groups)
    selection = np.empty(len(gains))
    total_gain = fractional_knapsack(gains, prices, budget, selection)
    linear, quadratic = problem.dual_terms(alpha)
    scale = linear / max(2.0 * quadratic + total_gain, 1e-300)  # the multiple that proves most
    scale = min(max(scale, 0.0), 1.0 if problem.is_nonsmooth else np.inf)  # stay in the domain
    value = scale * linear - scale**2 * (quadratic + total_gain / 2)  # Eq. (12)
    value = value if np.isfinite(value) else -np.inf
    return DualBound(scale * alpha, scale**2 * gains, selection, value)


def balance(alpha: Floats) -> Floats:
    """Return dual variables that sum to 0 exactly, as Eq. (3) asks.

    At the best intercept they do up to rounding. Those of the larger sign are scaled down, so that
    none leaves its domain.
    """
    signs = np.stack([np.maximum(alpha, 0.0), np.minimum(alpha, 0.0)])
    sums = np.abs(signs.sum(axis=2, keepdims=True))
    factors = sums.min(axis=0) / np.maximum(sums, 1e-300)
    return np.asarray((signs * factors).sum(axis=0))
