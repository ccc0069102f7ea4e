"""How good an order of purchases is if it may be cut off anywhere (Hu 2019, Sec. 3.5.2)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]


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
    costs, values = np.asarray(spent, dtype=np.float64), np.asarray(explained, dtype=np.float64)
    return float(costs[np.argmax(values >= alpha * values[-1] - 1e-12)])


def timeliness(spent: ArrayLike, explained: ArrayLike, until: float) -> float:
    """The mean of what is explained when cut off at a cost drawn evenly from 0 to `until`.

    It is normalised by cost times total variance, so that 1 is to explain all from the start.

    Examples
    --------
    >>> timeliness([0, 1, 3], [0.0, 0.5, 0.8], until=4.0)
    0.45
    """
    if not until > 0:
        raise ValueError(f"until is {until}; expected a cost > 0.")
    costs, values = np.asarray(spent, dtype=np.float64), np.asarray(explained, dtype=np.float64)
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
    prices, gains = np.diff(np.asarray(spent, float)), np.diff(np.asarray(explained, float))
    paid = prices > 0
    rate = np.where(paid, gains / np.where(paid, prices, 1.0), np.inf)
    order = np.argsort(-rate, kind="stable")
    start = np.asarray(spent, float)[0], np.asarray(explained, float)[0]
    return (
        np.cumsum(np.append(start[0], prices[order])),
        np.cumsum(np.append(start[1], gains[order])),
    )


def ndcg_scorer(queries: ArrayLike, k: int = 5) -> Callable[..., float]:
    """A scorer for `Curve`: mean NDCG at k over queries, of rows in the order of `queries`.

    Queries whose rows are all equally relevant are left out.

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
    >>> scorer = ndcg_scorer(np.repeat(range(4), 10))
    >>> curve = Curve.from_estimator(model, X, relevance, [1.0], scoring=scorer)
    >>> round(curve.at(1.0).quality, 2)
    1.0
    """
    known = np.asarray(queries)

    def ndcg(answers: Any, rows: Any, y: Any) -> float:
        from sklearn.metrics import ndcg_score

        truth, scores, own = np.asarray(y), answers.predict(rows), known[rows]
        values = []
        for query in np.unique(own):
            mine = own == query
            if np.ptp(truth[mine]) > 0:
                values.append(ndcg_score(truth[None, mine], scores[None, mine], k=k))
        return float(np.mean(values)) if values else float("nan")

    ndcg.__name__ = f"ndcg@{k}"
    return ndcg
