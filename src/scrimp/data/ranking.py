"""Rankings of the rows of a query: NDCG, and which rows are on top."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..types import Flags, Floats


def query_ndcg(truth: Floats, scores: Floats, queries: NDArray[np.intp], k: int) -> Floats:
    """Return NDCG at k per query; NaN where all rows are equally relevant.

    Rows of equal score share their gains, as in scikit-learn's `ndcg_score`.
    """
    n = int(queries.max()) + 1
    order = np.lexsort((-scores, queries))
    query, score, gain = queries[order], scores[order], truth[order]
    starts_tie = np.r_[True, (np.diff(query) != 0) | (np.diff(score) != 0)]
    tie = np.cumsum(starts_tie) - 1
    tied_gain = (np.bincount(tie, gain) / np.bincount(tie))[tie]
    ideal_gain = truth[np.lexsort((-truth, queries))]
    rank = _ranks(query)
    discount = np.where(rank < k, 1.0 / np.log2(rank + 2.0), 0.0)
    dcg, ideal_dcg = (np.bincount(query, g * discount, n) for g in (tied_gain, ideal_gain))
    lowest, highest = np.full(n, np.inf), np.full(n, -np.inf)
    np.minimum.at(lowest, queries, truth)
    np.maximum.at(highest, queries, truth)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(highest > lowest, dcg / ideal_dcg, np.nan)


def top_rows(scores: Floats, queries: NDArray[np.intp], k: int) -> Flags:
    """Return which rows are among the k of highest score of their query.

    >>> top_rows(np.array([3.0, 1.0, 2.0, 5.0]), np.array([0, 0, 0, 1]), 2).tolist()
    [True, False, True, True]
    """
    order = np.lexsort((-scores, queries))
    is_top = np.empty(len(scores), dtype=bool)
    is_top[order] = _ranks(queries[order]) < k
    return is_top


def _ranks(sorted_queries: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return the position of each row within its query, for rows in the order of queries."""
    return np.arange(len(sorted_queries)) - np.searchsorted(sorted_queries, sorted_queries)
