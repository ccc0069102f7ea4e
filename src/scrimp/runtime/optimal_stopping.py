r"""Thresholds by spend for the least spend plus cost of errors: optimal stopping.

Before each purchase a row may stop, and pay what its answer costs if it is wrong, or go on, and
pay for what it buys from then on and for a wrong answer at its end. It should go on while the
expected gain of going on exceeds the price. Backward induction over levels of spend finds, from
the last to the first, the confidence from which on stopping was cheaper for held-out rows, given
the thresholds of later levels (Bellman's equation, with the expectation over rows of like
confidence taken on a sample, as in Longstaff and Schwartz 2001). How many levels there are is
chosen by cross-validation on these rows: one level is one threshold for every spend.
"""

from __future__ import annotations

import numpy as np

from ..types import Floats, Ints
from .confidence_path import ConfidencePath, Outcome

#: Numbers of levels that are tried, fewest first.
N_LEVELS = (1, 2, 4, 8, 16, 32)
#: Folds of the held-out rows by which one of them is chosen.
N_FOLDS = 5
#: A confidence that no row has: it never stops.
NEVER = 2.0


def total_costs(outcome: Outcome, costs: Floats) -> Floats:
    """Return spend plus cost of errors of each row."""
    return np.asarray(outcome.spend + costs[outcome.truth, outcome.decided])


def cheapest_levels(path: ConfidencePath, costs: Floats, thresholds: Floats) -> Floats:
    """Return spends and thresholds (levels, 2) of the least spend plus cost of errors.

    Parameters
    ----------
    path : ConfidencePath
        Held-out rows.
    costs : float array (classes, classes)
        The cost of predicting the class of a column where that of a row is true.
    thresholds : float array
        Those that are tried.
    """
    n = len(path.full.truth)
    fold = np.random.default_rng(0).permutation(n) % N_FOLDS
    means = []
    for n_levels in N_LEVELS:
        total = 0.0
        for k in range(N_FOLDS):
            levels = _induced_levels(path.taken(fold != k), costs, thresholds, n_levels)
            held_out = path.taken(fold == k).outcome_of_levels(levels)
            total += float(total_costs(held_out, costs).sum())
        means.append(total)
    return _induced_levels(path, costs, thresholds, N_LEVELS[int(np.argmin(means))])


def _induced_levels(
    path: ConfidencePath, costs: Floats, thresholds: Floats, n_levels: int
) -> Floats:
    """Return the levels of backward induction, at most so many."""
    ascending = np.append(np.sort(thresholds), NEVER)
    starts = _level_starts(path.spent, n_levels)
    level = np.searchsorted(starts, path.spent, side="right") - 1
    reached = np.searchsorted(ascending, path.confidence, side="right")
    now = path.spent + costs[path.full.truth[path.row], path.decided]
    later = total_costs(path.full, costs)
    chosen = np.full(len(starts), NEVER)
    for k in range(len(starts) - 1, -1, -1):
        at = np.flatnonzero(level == k)
        before = _reached_before(path.row[at], reached[at], len(ascending))
        first = reached[at] > before  # a threshold that no purchase before has reached
        at, before = at[first], before[first]
        gain = now[at] - later[path.row[at]]
        change = np.zeros(len(ascending) + 1)
        np.add.at(change, before, gain)
        np.add.at(change, reached[at], -gain)
        best = int(np.argmin(np.cumsum(change)[: len(ascending)][::-1]))  # the highest at a tie
        best = len(ascending) - 1 - best
        stops = (before <= best) & (best < reached[at])
        later[path.row[at[stops]]] = now[at[stops]]
        chosen[k] = ascending[best]
    is_new = np.append(True, chosen[1:] != chosen[:-1])
    return np.asarray(np.column_stack([starts, chosen])[is_new])


def _level_starts(spent: Floats, n_levels: int) -> Floats:
    """Return the least spend of each level, with about as many purchases in each."""
    if not len(spent):
        return np.zeros(1)
    quantiles = np.quantile(spent, np.arange(n_levels) / n_levels, method="lower")
    return np.concatenate([[0.0], np.unique(quantiles[quantiles > spent.min()])])


def _reached_before(rows: Ints, reached: Ints, n_thresholds: int) -> Ints:
    """Return how many thresholds earlier purchases of the same row have reached at most.

    Purchases are ordered by row. The running maximum of a row is one of all, as numbers of later
    rows are above all those of earlier ones.
    """
    is_first = np.append(True, rows[1:] != rows[:-1])[: len(rows)]
    offsets = (n_thresholds + 1) * np.cumsum(is_first)
    running = np.maximum.accumulate(reached + offsets) - offsets
    return np.asarray(np.where(is_first, 0, np.append(0, running[:-1])[: len(rows)]))
