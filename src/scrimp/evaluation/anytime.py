"""Anytime measures of an order of purchases that may be interrupted (Hu 2019, Sec. 3.5.2)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..data.ranking import query_ndcg
from ..types import Floats


def stopping_cost(spent: ArrayLike, explained: ArrayLike, alpha: float) -> float:
    """Return the smallest cost at which a share alpha of the final explained variance is reached.

    Beyond it a curve is mostly a plateau, on which all orders look alike.

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
    """Return the mean explained variance when interrupted at a cost uniform in 0 to `until`.

    It is normalised by cost times total variance, so that 1 means all is explained at once.

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
    """Return the curve of the same purchases, ordered by their gain per price.

    Gains are taken as independent of earlier purchases. No order can do much better, so the
    curve shows how much is left to gain (Karayev et al. 2012).

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
    """Return a curve as arrays; costs must ascend."""
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


def ndcg_scorer(queries: ArrayLike, k: int | None = 5) -> Callable[..., float]:
    """Return a scorer for `Curve` and `compare`: mean NDCG at k over queries.

    Queries whose rows are all equally relevant are left out. The queries are the ``groups`` of
    the scorer, so that the intervals of a `Curve` are over whole queries, and `compare` keeps
    the rows of a query in one fold.

    Parameters
    ----------
    queries : array (rows,)
        The query of each row, in the order of the rows.
    k : int or None
        Number of ranks that count; None for all of them, as in scikit-learn's `ndcg_score`.

    Examples
    --------
    >>> from scrimp import Curve, SequencedRegressor
    >>> X = np.random.default_rng(0).normal(size=(40, 2))
    >>> relevance = (X[:, 0] > 0).astype(int)
    >>> model = SequencedRegressor().fit(X, relevance)
    >>> queries = np.repeat(range(4), 10)
    >>> curve = Curve.from_estimator(model, X, relevance, [1.0], scoring=ndcg_scorer(queries))
    >>> round(curve.at(1.0).quality, 2)
    1.0
    """
    query_of = np.unique(np.asarray(queries), return_inverse=True)[1]
    n_ranks = _checked_ranks(k, len(query_of))

    def ndcg(answers: Any, rows: Any, y: Any) -> float:
        kept, first, times = np.unique(rows, return_index=True, return_counts=True)
        if kept[-1] >= len(query_of):
            raise ValueError(f"There are {len(query_of)} queries; expected one per row.")
        truth = np.asarray(y, dtype=np.float64)[first]
        values = query_ndcg(truth, answers.predict(rows)[first], query_of[kept], n_ranks)
        # a query that was drawn twice counts twice
        repeats = np.bincount(query_of[kept], times) / np.maximum(np.bincount(query_of[kept]), 1)
        defined = np.isfinite(values)
        if not defined.any():
            return float("nan")
        return float(np.average(values[defined], weights=repeats[defined]))

    ndcg.__name__ = "ndcg" if k is None else f"ndcg@{k}"
    ndcg.groups = query_of  # type: ignore[attr-defined]
    return ndcg


def _checked_ranks(k: Any, n_rows: int) -> int:
    """Return the number of ranks that count."""
    if k is None:
        return n_rows
    if isinstance(k, bool) or not isinstance(k, int | np.integer) or k < 1:
        raise ValueError(f"k is {k!r}; expected a whole number >= 1, or None for all ranks.")
    return int(k)
