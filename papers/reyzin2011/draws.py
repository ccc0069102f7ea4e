"""The draws of a sampled vote, counted: how many, and of how many different features.

A `SampledPlan` answers and pays; here its draws are followed, the same ones from the same
seed and keys, to count them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scrimp.plans import SampledPlan
from scrimp.plans.components.counter_rng import uniforms
from scrimp.types import Floats, Ints


@dataclass(frozen=True, eq=False)
class Counts:
    """Counts of what rows draw within a bound.

    Parameters
    ----------
    draws, features : int arrays (rows,)
        Draws, and different features among them.
    spent : float array (rows,)
        What these cost.
    votes : float array (rows,)
        The mean of the drawn votes, each divided by its probability.
    """

    draws: Ints
    features: Ints
    spent: Floats
    votes: Floats


class Drawing:
    """Rows that draw, all of them at first.

    Parameters
    ----------
    plan : SampledPlan
        Of members that look at one column each, without free ones, and with one output.
    prices : float array (columns,)
        What each column costs.
    X : array (rows, columns)
        Rows with the keys 0, 1, 2, ...
    """

    def __init__(self, plan: SampledPlan, prices: Floats, X: NDArray[np.float32]) -> None:
        if not (plan.probability > 0).all():
            raise ValueError("The plan has free members, which are not drawn; expected none.")
        n = len(X)
        columns, self._feature = np.unique(columns_of(plan), return_inverse=True)
        self._plan, self._prices = plan, np.asarray(prices)[columns]
        self._chance = np.cumsum(plan.probability)
        self._votes = plan.members.votes_on(X, np.arange(n))[:, 0].T / plan.probability
        self._keys = np.arange(n, dtype=np.uint64)
        self._owned = np.zeros((n, len(columns)), dtype=bool)
        self.draws, self.features = np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.int64)
        self.spent, self.sums = np.zeros(n), np.zeros(n)

    def draw(self, rows: Ints) -> None:
        """Make one draw for each of some rows."""
        counters = self.draws[rows].astype(np.uint64)
        target = uniforms(self._plan.seed, self._keys[rows], counters) * self._chance[-1]
        last = len(self._chance) - 1
        member = np.minimum(np.searchsorted(self._chance, target, side="right"), last)
        feature = self._feature[member]
        new = ~self._owned[rows, feature]
        self._owned[rows, feature] = True
        self.spent[rows] += np.where(new, self._prices[feature], 0.0)
        self.features[rows] += new
        self.sums[rows] += self._votes[rows, member]
        self.draws[rows] += 1


def columns_of(plan: SampledPlan) -> Ints:
    """Return the column that each member looks at."""
    return np.array([column for (column,) in plan.reads], dtype=np.int64)


def counts_within(
    plan: SampledPlan, prices: Floats, X: NDArray[np.float32], bounds: Sequence[float]
) -> list[Counts]:
    """Run the loop of Alg. 3 at ascending bounds B: draw while spent + max c(h) < B.

    A bound that pays for everything takes the full vote, without draws; shortly before that,
    rows stop at the plan's `max_draws`.
    """
    drawing = Drawing(plan, prices, X)
    used = np.asarray(prices)[np.unique(columns_of(plan))]
    dearest, total = float(used.max()), float(used.sum())
    counts = []
    for bound in bounds:
        if total < bound:
            counts.append(_full_vote(plan, X, len(used), total))
            continue
        rows = np.arange(len(X))
        while len(rows := rows[_may_draw(drawing, rows, dearest, bound, plan.max_draws)]):
            drawing.draw(rows)
        votes = drawing.sums / np.maximum(drawing.draws, 1)
        counts.append(
            Counts(drawing.draws.copy(), drawing.features.copy(), drawing.spent.copy(), votes)
        )
    return counts


def _full_vote(plan: SampledPlan, X: NDArray[np.float32], n_features: int, total: float) -> Counts:
    n = len(X)
    votes = plan.members.votes_on(X, np.arange(n))[:, 0].sum(axis=0)
    return Counts(np.zeros(n, dtype=np.int64), np.full(n, n_features), np.full(n, total), votes)


def _may_draw(
    drawing: Drawing, rows: Ints, dearest: float, bound: float, max_draws: int
) -> NDArray[np.bool_]:
    return (drawing.spent[rows] + dearest < bound) & (drawing.draws[rows] < max_draws)


def path_of(
    plan: SampledPlan, X: NDArray[np.float32], y: NDArray[np.int64], counts: Ints
) -> tuple[list[float], list[float]]:
    """Return the error and the mean number of features used, at ascending counts of draws.

    Without prices; a tie counts as an error of one half.
    """
    drawing = Drawing(plan, np.zeros(X.shape[1]), X)
    everyone, signs = np.arange(len(X)), 2.0 * y - 1.0
    errors, features = [], []
    wanted = set(counts.tolist())
    for count in range(1, max(wanted) + 1):
        drawing.draw(everyone)
        if count in wanted:
            agreement = np.sign(np.where(np.abs(drawing.sums) < 1e-9, 0.0, drawing.sums)) * signs
            errors.append(float((1.0 - agreement).mean() / 2.0))
            features.append(float(drawing.features.mean()))
    return errors, features
