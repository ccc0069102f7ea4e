"""Areas under error curves, and tests of their differences."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

RESAMPLES = 10_000


def row_areas(losses: np.ndarray, budgets: np.ndarray) -> np.ndarray:
    """Return the mean loss per row over the logarithm of the budget, by the trapezoid rule.

    The area of a method is the mean over its rows: the error at a budget drawn at random, where
    each doubling is as likely as another.

    >>> row_areas(np.array([[1.0, 0.0, 0.0]]), np.array([1.0, 2.0, 4.0])).tolist()
    [0.25]
    """
    steps = np.diff(np.log(budgets))
    inner = 0.5 * (losses[:, 1:] + losses[:, :-1]) @ steps
    return np.asarray(inner / steps.sum())


@dataclass(frozen=True)
class Gap:
    """The difference of two areas, with its interval and p-value.

    Parameters
    ----------
    value : float
        Their difference; below 0 the first is better.
    low, high : float
        A 95% interval from resampled test rows, the same rows for both.
    p : float
        The two-sided p-value of the hypothesis that there is none.
    """

    value: float
    low: float
    high: float
    p: float


def gap(
    ours: Sequence[np.ndarray],
    theirs: Sequence[np.ndarray],
    groups: Sequence[np.ndarray | None],
    seed: int = 0,
) -> Gap:
    """Return the difference of two areas, mean over seeds; groups of rows are resampled together.

    Parameters
    ----------
    ours, theirs : sequences of float arrays
        The areas of the test rows, one array per seed.
    groups : sequence of int arrays or None
        The groups of the rows, from 0; None makes each row a group.
    """
    rng = np.random.default_rng(seed)
    drawn = np.zeros(RESAMPLES)
    value = 0.0
    for our_areas, their_areas, group in zip(ours, theirs, groups, strict=True):
        differences = our_areas - their_areas
        value += float(differences.mean()) / len(ours)
        drawn += _resampled_means(differences, group, rng) / len(ours)
    low, high = np.quantile(drawn, [0.025, 0.975])
    tail = min(int((drawn <= 0).sum()), int((drawn >= 0).sum()))
    return Gap(value, float(low), float(high), min(1.0, 2.0 * (tail + 1) / (RESAMPLES + 1)))


def _resampled_means(
    values: np.ndarray, groups: np.ndarray | None, rng: np.random.Generator
) -> np.ndarray:
    """Return means of resamples; equal values are drawn together, by their counts."""
    if groups is None:
        distinct, counts = np.unique(values, return_counts=True)
        sums, sizes = distinct, np.ones(len(distinct))
    else:
        sums, sizes = np.bincount(groups, weights=values), np.bincount(groups).astype(float)
        counts = np.ones(len(sums), dtype=np.int64)
    n = int(counts.sum())
    means = np.empty(RESAMPLES)
    for start in range(0, RESAMPLES, 500):
        times = rng.multinomial(n, counts / n, size=500)
        means[start : start + 500] = (times @ sums) / (times @ sizes)
    return means


def holm(p: Sequence[float]) -> list[float]:
    """Return Holm's adjusted p-values.

    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    order = np.argsort(p, kind="stable")
    adjusted, largest = [0.0] * len(p), 0.0
    for rank, position in enumerate(order):
        largest = max(largest, min(1.0, (len(p) - rank) * p[position]))
        adjusted[position] = largest
    return adjusted


def ndcg(scores: np.ndarray, relevance: np.ndarray, queries: np.ndarray, top: int = 10) -> float:
    """Return NDCG of the first rows per query, gain 2^relevance - 1; ties in the order of the rows.

    Queries without a relevant row are left out.

    >>> ndcg(np.array([2.0, 1.0]), np.array([0.0, 1.0]), np.array([7, 7])).__round__(3)
    0.631
    """
    by_query = []
    for query in np.unique(queries):
        rows = np.flatnonzero(queries == query)
        gains = 2.0 ** relevance[rows] - 1.0
        discounts = 1.0 / np.log2(np.arange(2, min(top, len(rows)) + 2))
        best = np.sort(gains)[::-1][:top] @ discounts
        if best > 0:
            order = np.argsort(-scores[rows], kind="stable")[:top]
            by_query.append(gains[order] @ discounts / best)
    return float(np.mean(by_query))
