"""Naive twin of the budgeted booster: Huang, Powers, Reyzin (2015), Algorithm 1.

Explicit loops over rows and hypotheses, written from the paper and not from the fast
code. Slow on purpose. Two corrections to the paper: line 9 prints ``exp(+alpha y h)``,
which would raise the weight of the rows already right, and is taken here with a minus;
and gamma = 1 would give an infinite alpha, so alpha is computed from a capped gamma.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike, NDArray

MIN_EDGE = 1e-12  # a hypothesis must beat chance by more than this
PERFECT = 1.0 - 1e-12  # an edge from here on is a perfect hypothesis
TIE = 1e-12  # a later candidate must be better by more than this, relatively
BUDGET_SLACK = 1e-9  # relative

Fees = Mapping[str, tuple[float, Sequence[int]]]  # name -> (price, columns needing it)
Item = int | str  # what is paid once: a column (its index) or a fee (its name)


@dataclass(frozen=True)
class NaiveStump:
    """One hypothesis h: X -> {-1, +1}, on one column."""

    column: int
    low: float  # a present value x is inside when low <= x <= high
    high: float
    inside: float
    outside: float
    missing: float  # 0 (abstain) when the column has no missing value in training


@dataclass(frozen=True)
class NaiveRound:
    """One round t of Algorithm 1."""

    stump: NaiveStump
    edge: float
    alpha: float
    spent: float


def candidates(x: ArrayLike, categorical: bool, column: int = 0) -> list[NaiveStump]:
    """List every hypothesis of one column, in the order that breaks ties."""
    values = [float(v) for v in np.asarray(x, dtype=float)]
    present = sorted({v for v in values if not math.isnan(v)})
    has_missing = any(math.isnan(v) for v in values)
    if len(present) < 2 and not has_missing:
        return []  # one distinct value: nothing to tell apart

    intervals = []
    if categorical:
        for code in present:
            intervals.append((code - 0.5, code + 0.5))
    else:
        for a, b in pairwise(present):
            intervals.append((-math.inf, midpoint(a, b)))
    if has_missing:
        intervals.append((-math.inf, math.inf))  # 'present' against missing

    stumps = []
    for low, high in intervals:
        for inside in (1.0, -1.0):
            for missing in (1.0, -1.0) if has_missing else (0.0,):
                stumps.append(NaiveStump(column, low, high, inside, -inside, missing))
    return stumps


def midpoint(a: float, b: float) -> float:
    """Threshold t between a < b, such that a <= t < b even for neighbouring floats."""
    t = 0.5 * (a + b)
    return t if a <= t < b else a


def vote(stump: NaiveStump, value: float) -> float:
    """Vote of a hypothesis on one value of its column."""
    if math.isnan(value):
        return stump.missing
    if stump.low <= value <= stump.high:
        return stump.inside
    return stump.outside


def votes(stump: NaiveStump, X: NDArray[np.float64]) -> list[float]:
    """Votes of a hypothesis on all rows."""
    return [vote(stump, float(row[stump.column])) for row in X]


def weighted_edge(D: Sequence[float], y: Sequence[float], h: Sequence[float]) -> float:
    """gamma(h) = sum_i D(i) y_i h(x_i) (Alg. 1, line 8)."""
    return math.fsum(D[i] * y[i] * h[i] for i in range(len(y)))


def update(D: Sequence[float], y: Sequence[float], h: Sequence[float], alpha: float) -> list[float]:
    """D_{t+1} from D_t (Alg. 1, line 9, with the sign corrected)."""
    new = [D[i] * math.exp(-alpha * y[i] * h[i]) for i in range(len(y))]
    Z = math.fsum(new)
    return [d / Z for d in new]


def vote_weight(edge: float) -> float:
    """alpha_t (Alg. 1, line 8), gamma capped so that it is finite."""
    g = min(edge, 1.0 - 1e-4)
    return 0.5 * math.log((1.0 + g) / (1.0 - g))


def fees_of(column: int, fees: Fees) -> list[str]:
    """Names of the fees a column needs."""
    return [name for name, (_, columns) in fees.items() if column in columns]


def smallest_positive_price(prices: Sequence[float], fees: Fees) -> float:
    """Smallest positive price of all columns and fees; 1 if all are free."""
    every = [*prices, *(price for price, _ in fees.values())]
    return min((p for p in every if p > 0.0), default=1.0)


def selection_price(
    column: int, prices: Sequence[float], fees: Fees, paid: Mapping[Item, float]
) -> float:
    """c(h): own price, paid or not (Sec. 4, 'the original cost'), plus unpaid fees."""
    unpaid = [fees[name][0] for name in fees_of(column, fees) if name not in paid]
    price = math.fsum([prices[column], *unpaid])
    return price if price > 0.0 else smallest_positive_price(prices, fees)


def bill(
    column: int, prices: Sequence[float], fees: Fees, paid: Mapping[Item, float]
) -> dict[Item, float]:
    """What using a column adds to the payments: its unpaid items (Alg. 1, line 7)."""
    new: dict[Item, float] = {}
    if column not in paid:
        new[column] = prices[column]
    for name in fees_of(column, fees):
        if name not in paid:
            new[name] = fees[name][0]
    return new


def affordable(paid: Mapping[Item, float], new: Mapping[Item, float], budget: float) -> bool:
    """Whether all payments stay within the budget (Alg. 1, line 5)."""
    total = math.fsum([*paid.values(), *new.values()])
    return total <= budget * (1.0 + BUDGET_SLACK)


def criterion(rule: str, edge: float, price: float, spent: float, tau: float) -> float:
    """What the pick of line 4 maximises: gamma, or Eq. (1), (2), (4) in minus logarithms."""
    if rule == "edge":
        return edge
    g = min(edge, PERFECT)
    if rule == "speedboost":  # Eq. (4): the fall of the exponential loss per price
        return (1.0 - math.sqrt(1.0 - g * g)) / price
    if rule == "smoothed":  # Eq. (2); B - B_t is what has been spent
        price = tau * spent + price
    return -math.log1p(-g * g) / price


def naive_boost(
    X: ArrayLike,
    y: ArrayLike,
    prices: Sequence[float],
    *,
    budget: float = math.inf,
    rule: str = "greedy",
    n_rounds: int = 50,
    unaffordable: str = "skip",
    sample_weight: ArrayLike | None = None,
    categorical: Collection[int] = (),
    requires: Fees | None = None,
    tau: float = 1.0,
    switch: float = 0.1,
) -> list[NaiveRound]:
    """Run AdaBoostBT (Alg. 1) with one of its rules, SpeedBoost's, or Greedy then Smoothed."""
    if rule not in ("edge", "greedy", "smoothed", "speedboost", "hybrid"):
        raise ValueError(f"unknown rule: {rule!r}")
    if unaffordable not in ("skip", "stop"):
        raise ValueError(f"unknown unaffordable: {unaffordable!r}")
    rows = np.asarray(X, dtype=float)
    labels = [float(label) for label in np.asarray(y)]
    weight = np.ones(len(rows)) if sample_weight is None else np.asarray(sample_weight)
    fees: Fees = {} if requires is None else requires
    prices = [float(p) for p in prices]

    # Alg. 1, lines 1 and 2; a row of weight 0 is not a row.
    kept = [i for i in range(len(rows)) if weight[i] > 0.0]
    rows = rows[kept]
    labels = [labels[i] for i in kept]
    total = math.fsum(float(weight[i]) for i in kept)
    D = [float(weight[i]) / total for i in kept]
    paid: dict[Item, float] = {}

    hypotheses = []  # the set H, each with its votes on the training rows
    for j in range(rows.shape[1]):
        for stump in candidates(rows[:, j], j in categorical, j):
            hypotheses.append((stump, votes(stump, rows)))

    rounds: list[NaiveRound] = []
    now = "greedy" if rule == "hybrid" else rule
    first_value = None
    for _ in range(n_rounds):  # Alg. 1, line 3
        # Alg. 1, line 4, with the rule of Eq. (1)
        best = None
        best_value = 0.0
        for stump, h in hypotheses:
            new = bill(stump.column, prices, fees, paid)
            if unaffordable == "skip" and not affordable(paid, new, budget):
                continue
            edge = weighted_edge(D, labels, h)
            if edge <= MIN_EDGE:
                continue
            price = selection_price(stump.column, prices, fees, paid)
            value = criterion(now, edge, price, math.fsum(paid.values()), tau)
            if best is None or value > best_value * (1.0 + TIE):
                best = (stump, h, edge, new)
                best_value = value
        if best is None:
            break
        stump, h, edge, new = best
        if first_value is None:
            first_value = best_value
        elif rule == "hybrid" and best_value < switch * first_value:
            now = "smoothed"  # from the next round on; best_value is greedy's until then

        if not affordable(paid, new, budget):  # Alg. 1, lines 5 and 6 ('stop' only)
            break
        paid.update(new)  # Alg. 1, line 7
        alpha = vote_weight(edge)  # Alg. 1, line 8
        rounds.append(NaiveRound(stump, edge, alpha, math.fsum(paid.values())))
        if edge >= PERFECT:
            break
        D = update(D, labels, h, alpha)  # Alg. 1, line 9
    return rounds


def naive_scores(rounds: Sequence[NaiveRound], X: ArrayLike) -> NDArray[np.float64]:
    """Sum of alpha_t h_t(x) for every row, before the sign (Alg. 1, line 11)."""
    matrix = np.asarray(X, dtype=float)
    scores = []
    for row in matrix:
        terms = [r.alpha * vote(r.stump, float(row[r.stump.column])) for r in rounds]
        scores.append(math.fsum(terms))
    return np.array(scores, dtype=float)
