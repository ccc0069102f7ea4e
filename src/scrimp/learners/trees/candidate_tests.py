"""The tests among which an optimal tree is searched for."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...kernels.node_splits import node_sums
from ...kernels.shallow_trees import leaf_cost
from ...types import Flags, Ints
from .priced_grower import TreeTable

#: The most tests among which trees are searched: time grows with their cube.
MAX_TESTS = 192
#: The most cuts of a numeric column, or categories of another, that are tried.
MAX_CUTS = 16


@dataclass(frozen=True, eq=False)
class CandidateTests:
    """The tests among which trees are searched.

    Parameters
    ----------
    column, place : int arrays (tests,)
        As the splits of `TreeTable.interval`.
    with_missing : bool array (tests,)
        Whether missing values are inside.
    inside : bool array (tests, rows)
        Which rows of the table are inside.
    """

    column: Ints
    place: Ints
    with_missing: Flags
    inside: Flags

    def taken(self, tests: Ints) -> CandidateTests:
        """Return some of the tests."""
        return CandidateTests(
            self.column[tests], self.place[tests], self.with_missing[tests], self.inside[tests]
        )


def candidate_tests(data: TreeTable, rows: Ints, columns: Ints) -> CandidateTests:
    """Return at most `MAX_TESTS` tests of some columns: those that by themselves tell the most.

    Cuts are at quantiles of the rows, or between all values where these are few; categories are
    the most frequent ones.
    """
    found = [
        (int(column), place, side)
        for column in columns
        for place in _places(data, rows, int(column))
        for side in _sides(data, rows, int(column), place)
    ]
    n = data.bins.shape[1]
    flags = np.zeros((len(found), n), dtype=bool)
    for at, (column, place, side) in enumerate(found):
        flags[at, data.divided(column, place, side, np.arange(n))[0]] = True
    listed = np.array(found, dtype=np.int64).reshape(-1, 3)
    tests = CandidateTests(listed[:, 0], listed[:, 1], listed[:, 2].astype(bool), flags)
    if len(found) <= MAX_TESTS:
        return tests
    gains = [_gain(data, rows, inside) for inside in flags]
    return tests.taken(np.sort(np.argsort(gains, kind="stable")[-MAX_TESTS:]))


def _places(data: TreeTable, rows: Ints, column: int) -> list[int]:
    bins = data.bins[column, rows]
    counts = np.bincount(bins[bins != data.missing], minlength=data.n_bins[column])
    present = np.flatnonzero(counts)
    lacks = [int(data.n_bins[column])] if (bins == data.missing).any() and len(present) else []
    if data.categorical[column]:
        kept = present[np.argsort(-counts[present], kind="stable")[:MAX_CUTS]]
        return sorted(kept.tolist()) + lacks
    shares = np.cumsum(counts[present])[:-1] / max(counts.sum(), 1)
    if len(shares) > MAX_CUTS:
        wanted = np.arange(1, MAX_CUTS + 1) / (MAX_CUTS + 1)
        kept = np.unique(np.minimum(np.searchsorted(shares, wanted), len(shares) - 1))
    else:
        kept = np.arange(len(shares))
    # a cut is in the middle of the empty bins, as in the greedy tree
    return [int((present[k] + present[k + 1] - 1) // 2) for k in kept] + lacks


def _sides(data: TreeTable, rows: Ints, column: int, place: int) -> tuple[bool, ...]:
    has_missing = (data.bins[column, rows] == data.missing).any()
    return (False, True) if has_missing and place < data.n_bins[column] else (False,)


def _gain(data: TreeTable, rows: Ints, inside: Flags) -> float:
    total = node_sums(data.statistics, rows)
    part = node_sums(data.statistics, rows[inside[rows]])
    after = leaf_cost(total, part, 1, 1.0) + leaf_cost(total, part, -1, 1.0)
    return float(-after)
