"""How far from the best a sequence can be: the guarantees of Hu (2019), chapter 3, as numbers."""

from __future__ import annotations

import math
from collections.abc import Sequence as Several
from dataclasses import dataclass

import numpy as np
from scipy.linalg import cholesky, eigvalsh, solve_triangular

from ...types import Floats, Ints
from .factor import FLOOR

#: Groups whose subsets are listed: 10 make 3^10 pairs of a set and a subset of it.
MAX_LISTED_GROUPS = 10


@dataclass(frozen=True, eq=False)
class SequenceBounds:
    r"""What a sequence explains, beside the most that anything at its price could.

    Parameters
    ----------
    gamma : float
        The smallest eigenvalue of the correlations (ridge included) once each group is whitened.
        For groups that are white from the start it is :math:`(\lambda^*+\lambda)/(1+\lambda)`.
        0 if columns depend on each other and there is no ridge, or Thm 3.3.2 is not about the
        sequence (doubling, shared fees, a small budget): then it guarantees nothing.
    spent, explained : float arrays (items + 1,)
        Price of each prefix, and what it explains in training.
    total : float
        What all columns explain.
    doubling_gamma : float, optional
        The submodularity ratio of Eq. 3.15; often 0, where columns help each other.
    doubling_factor : float, optional
        Thm 3.4.3: at any budget B the sequence explains more than this part of what the best
        set of price B/4 does. None if that is not known.
    reason : str
        Why there is no `doubling_factor`; empty if there is one.
    """

    gamma: float
    spent: Floats
    explained: Floats
    total: float
    doubling_gamma: float | None = None
    doubling_factor: float | None = None
    reason: str = ""

    def factor(self, spent: float, price: float) -> float:
        r"""Thm 3.3.2: a prefix of price `spent` explains more than this part of the best set.

        The best is over all sets of at most `price`:
        :math:`1-e^{-\gamma\,\mathrm{spent}/\mathrm{price}}`.
        """
        if price > 0:
            return -math.expm1(-self.gamma * spent / price)
        return 1.0 if spent > 0 else 0.0  # what is free is bought before anything is paid for

    def at_most(self, price: float) -> float:
        """Return an upper bound on what any set of at most this price explains in training."""
        limits = [self.total]
        for spent, explained in zip(self.spent[1:], self.explained[1:], strict=True):
            share = self.factor(float(spent), price)
            if share > 0:
                limits.append(float(explained) / share)
        return min(limits)


def whitened_gamma(matrix: Floats, groups: Several[Ints]) -> float:
    """Return the smallest eigenvalue of a correlation matrix, ridge included, whitened by group."""
    order = np.concatenate(groups)
    white = matrix[np.ix_(order, order)].copy()
    first = 0
    for group in groups:
        part = slice(first, first + len(group))
        block = white[part, part]
        if eigvalsh(block, subset_by_index=[0, 0])[0] <= FLOOR:
            return 0.0
        lower = cholesky(block, lower=True)
        white[part] = solve_triangular(lower, white[part], lower=True)
        white[:, part] = solve_triangular(lower, white[:, part].T, lower=True).T
        first += len(group)
    return max(float(eigvalsh(white, subset_by_index=[0, 0])[0]), 0.0)


def submodularity_ratio(matrix: Floats, response: Floats, groups: Several[Ints]) -> float:
    """Return the ratio of Eq. 3.15 over all sets A, all their subsets, and all x beyond A."""
    n = len(groups)
    worth = [_explained(matrix, response, groups, members) for members in range(1 << n)]
    ratio = 1.0
    for x in range(n):
        new = 1 << x
        rest = ((1 << n) - 1) & ~new
        gains = {a: worth[a | new] - worth[a] for a in _subsets(rest)}
        for a, gain in gains.items():
            if gain > FLOOR:
                smallest = min(gains[part] for part in _subsets(a))
                ratio = min(ratio, max(smallest, 0.0) / gain)
    return ratio


def _subsets(mask: int) -> list[int]:
    subsets, part = [mask], mask
    while part:
        part = (part - 1) & mask
        subsets.append(part)
    return subsets


def _explained(matrix: Floats, response: Floats, groups: Several[Ints], members: int) -> float:
    chosen = [group for g, group in enumerate(groups) if members >> g & 1]
    if not chosen:
        return 0.0
    columns = np.concatenate(chosen)
    part = np.linalg.lstsq(matrix[np.ix_(columns, columns)], response[columns], rcond=None)[0]
    return float(0.5 * (part * response[columns]).sum())
