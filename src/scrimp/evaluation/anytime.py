"""How good an order of purchases is if it may be cut off anywhere (Hu 2019, Sec. 3.5.2)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..types import Floats


def stopping_cost(spent: ArrayLike, explained: ArrayLike, alpha: float) -> float:
    """The least cost at which a part of all that is explained in the end is reached.

    Beyond it a curve is mostly a plateau, which would make all orders look alike.

    Parameters
    ----------
    spent, explained : arrays (prefixes,)
        Of a sequence in training, ascending in cost.
    alpha : float
        From 0 to 1.

    Examples
    --------
    >>> stopping_cost([0, 1, 3, 10], [0.0, 0.5, 0.79, 0.8], alpha=0.97)
    3.0
    """
    if not 0.0 <= alpha <= 1.0:
        raise ValueError(f"alpha is {alpha}; expected a number from 0 to 1.")
    costs, values = _curve(spent, explained)
    return float(costs[np.argmax(values >= alpha * values[-1] - 1e-12)])


def timeliness(spent: ArrayLike, explained: ArrayLike, until: float) -> float:
    """The mean of what is explained when cut off at a cost drawn evenly from 0 to `until`.

    It is normalised by cost times total variance, so that 1 is to explain all from the start.

    Examples
    --------
    >>> timeliness([0, 1, 3], [0.0, 0.5, 0.8], until=4.0)
    0.45
    """
    if not 0 < until < np.inf:
        raise ValueError(f"until is {until}; expected a finite cost > 0.")
    costs, values = _curve(spent, explained)
    edges = np.minimum(np.append(costs, np.inf), until)
    return float(values @ np.diff(edges) / until)


def oracle_order(spent: ArrayLike, explained: ArrayLike) -> tuple[Floats, Floats]:
    """The curve of the same purchases in the order of their gain per price.

    As if what each explains more did not depend on what was bought before it: no order can
    do much better, so it says how much is left to gain (Karayev et al. 2012).

    Examples
    --------
    >>> spent, explained = oracle_order([0, 1, 2], [0.0, 0.2, 0.6])
    >>> explained.round(2).tolist()
    [0.0, 0.4, 0.6]
    """
    costs, values = _curve(spent, explained)
    prices, gains = np.diff(costs), np.diff(values)
    paid = prices > 0
    rate = np.where(paid, gains / np.where(paid, prices, 1.0), np.inf)
    order = np.argsort(-rate, kind="stable")
    return (
        np.cumsum(np.append(costs[0], prices[order])),
        np.cumsum(np.append(values[0], gains[order])),
    )


def _curve(spent: ArrayLike, explained: ArrayLike) -> tuple[Floats, Floats]:
    """A curve as arrays; costs must ascend."""
    costs, values = np.asarray(spent, dtype=np.float64), np.asarray(explained, dtype=np.float64)
    if costs.ndim != 1 or costs.shape != values.shape or not len(costs):
        raise ValueError(
            f"spent has the shape {costs.shape} and explained {values.shape}; expected as many "
            "costs as values, one at least."
        )
    if not (np.isfinite(costs).all() and np.isfinite(values).all()):
        raise ValueError("spent and explained must be finite.")
    if (np.diff(costs) < 0).any():
        raise ValueError("spent must ascend.")
    return costs, values


def ndcg_scorer(queries: ArrayLike, k: int = 5) -> Callable[..., float]:
    """A scorer for `Curve`: mean NDCG at k over queries, of rows in the order of `queries`.

    Queries whose rows are all equally relevant are left out. Give `Curve` the queries as
    `groups` too, so that its intervals are over queries.

    Parameters
    ----------
    queries : array (rows,)
        The query of each row.
    k : int
        Ranks that count.

    Examples
    --------
    >>> from scrimp import Curve, SequencedRegressor
    >>> X = np.random.default_rng(0).normal(size=(40, 2))
    >>> relevance = (X[:, 0] > 0).astype(int)
    >>> model = SequencedRegressor().fit(X, relevance)
    >>> queries = np.repeat(range(4), 10)
    >>> curve = Curve.from_estimator(
    ...     model, X, relevance, [1.0], scoring=ndcg_scorer(queries), groups=queries
    ... )
    >>> round(curve.at(1.0).quality, 2)
    1.0
    """
    known = np.unique(np.asarray(queries), return_inverse=True)[1]

    def ndcg(answers: Any, rows: Any, y: Any) -> float:
        kept, first, times = np.unique(rows, return_index=True, return_counts=True)
        if kept[-1] >= len(known):
            raise ValueError(f"There are {len(known)} queries; expected one a row.")
        truth = np.asarray(y, dtype=np.float64)[first]
        values = query_ndcg(truth, answers.predict(rows)[first], known[kept], k)
        # a query that was drawn twice counts twice
        often = np.bincount(known[kept], times) / np.maximum(np.bincount(known[kept]), 1)
        told = np.isfinite(values)
        return float(np.average(values[told], weights=often[told])) if told.any() else float("nan")

    ndcg.__name__ = f"ndcg@{k}"
    return ndcg


def query_ndcg(truth: Floats, scores: Floats, queries: NDArray[np.intp], k: int) -> Floats:
    """NDCG at k of each query, by number; NaN where all rows are equally relevant, or none.

    Rows of equal score share their gains, as in scikit-learn's `ndcg_score`.
    """
    n = int(queries.max()) + 1
    order = np.lexsort((-scores, queries))
    own, said, gain = queries[order], scores[order], truth[order]
    new = np.r_[True, (np.diff(own) != 0) | (np.diff(said) != 0)]
    tie = np.cumsum(new) - 1
    shared = (np.bincount(tie, gain) / np.bincount(tie))[tie]
    best = truth[np.lexsort((-truth, queries))]
    begin = np.searchsorted(own, np.arange(n))
    rank = np.arange(len(own)) - begin[own]
    discount = np.where(rank < k, 1.0 / np.log2(rank + 2.0), 0.0)
    most = np.bincount(own, best * discount, n)
    least, top = np.full(n, np.inf), np.full(n, -np.inf)
    np.minimum.at(least, queries, truth)
    np.maximum.at(top, queries, truth)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(top > least, np.bincount(own, shared * discount, n) / most, np.nan)
