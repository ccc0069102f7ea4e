"""Naive twin of multiclass boosting on a budget: SAMME with the rules of Huang et al. (2015).

Explicit loops over rows, splits and pairs of classes, written from the definitions and not
from the fast code. Slow on purpose. The binary booster's sqrt(1 - gamma^2), the factor by
which a round shrinks the exponential loss, becomes Z(eps) below; K = 2 gives it back.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike, NDArray

MIN_EDGE = 1e-12  # a stump must beat chance by more than this
PERFECT = 1.0 - 1e-12  # an edge from here on is a perfect stump
MAX_EDGE = 1.0 - 1e-4  # the edge is capped here, so that L is finite
TIE = 1e-12  # a later candidate must be better by more than this, relatively
BUDGET_SLACK = 1e-9  # relative

INSIDE, OUTSIDE, MISSING = 0, 1, 2  # the branches of a stump
RULES = ("edge", "greedy", "smoothed", "speedboost", "hybrid")


@dataclass(frozen=True)
class Round:
    """One round: a stump, what it got wrong, its weight and the bill so far."""

    column: int
    low: float  # a present value x is inside when low <= x <= high
    high: float
    inside: int
    outside: int
    missing: int | None  # None (abstain) when the column has no missing value in training
    error: float
    alpha: float  # L = ln((1 - eps) (K - 1) / eps), eps from the capped edge
    spent: float


@dataclass(frozen=True)
class Split:
    """A way to send the training rows into branches; the votes are chosen each round."""

    column: int
    low: float
    high: float
    branches: list[int]  # of every training row
    has_missing: bool


def edge_of(error: float, K: int) -> float:
    """gamma = (K (1 - eps) - 1) / (K - 1): 0 at chance, 1 when nothing is wrong."""
    return (K * (1.0 - error) - 1.0) / (K - 1.0)


def error_of(edge: float, K: int) -> float:
    """eps back from gamma."""
    return (K - 1.0) * (1.0 - edge) / K


def z_value(error: float, K: int) -> float:
    """Z(eps): what the weights sum to after the update, before they are normalised."""
    return K / (K - 1.0) * error ** ((K - 1.0) / K) * ((K - 1.0) * (1.0 - error)) ** (1.0 / K)


def log_z(edge: float, K: int) -> float:
    """ln Z, in gamma: Z = (1 - gamma)^((K-1)/K) (1 + (K-1) gamma)^(1/K), exact near chance."""
    if edge >= 1.0:
        return -math.inf
    return ((K - 1.0) * math.log1p(-edge) + math.log1p((K - 1.0) * edge)) / K


def log_odds(error: float, K: int) -> float:
    """L = ln((1 - eps) (K - 1) / eps), with gamma capped."""
    capped = error_of(min(edge_of(error, K), MAX_EDGE), K)
    return math.log((1.0 - capped) * (K - 1.0) / capped)


def quality(rule: str, edge: float, price: float, spent: float, tau: float, K: int) -> float:
    """Quality of a stump under a rule; the largest is taken."""
    if rule == "edge":
        return edge
    if rule == "speedboost":
        return -math.expm1(log_z(edge, K)) / price  # (1 - Z) / c
    gain = -log_z(min(edge, PERFECT), K)
    if rule == "greedy":
        return gain / price
    if rule == "smoothed":
        return gain / (tau * spent + price)
    raise ValueError(f"unknown rule: {rule!r}")


def midpoint(a: float, b: float) -> float:
    """Threshold t between a < b, such that a <= t < b even for neighbouring floats."""
    t = 0.5 * (a + b)
    return t if a <= t < b else a


def branch_of(value: float, low: float, high: float) -> int:
    """Branch that one value of the column goes to."""
    if math.isnan(value):
        return MISSING
    return INSIDE if low <= value <= high else OUTSIDE


def splits_of(x: Sequence[float], categorical: bool, column: int) -> list[Split]:
    """List every split of one column, in the order that breaks ties."""
    present = sorted({v for v in x if not math.isnan(v)})
    has_missing = any(math.isnan(v) for v in x)
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

    splits = []
    for low, high in intervals:
        branches = [branch_of(v, low, high) for v in x]
        splits.append(Split(column, low, high, branches, has_missing))
    return splits


def better(value: float, best: float) -> bool:
    """Whether a later candidate beats an earlier one, by more than rounding."""
    return value > best + TIE * abs(best)


def best_pair(one: Sequence[float], two: Sequence[float]) -> tuple[int, int]:
    """Classes a != b that maximise one[a] + two[b]; the first pair of equals."""
    K = len(one)
    pair = (0, 1)
    for a in range(K):
        for b in range(K):
            if a != b and better(one[a] + two[b], one[pair[0]] + two[pair[1]]):
                pair = (a, b)
    return pair


def heaviest(weights: Sequence[float]) -> int:
    """Class of largest weight; the first of equals."""
    best = 0
    for k in range(len(weights)):
        if better(weights[k], weights[best]):
            best = k
    return best


def choose_votes(
    split: Split, D: Sequence[float], y: Sequence[int], K: int
) -> tuple[int, int, int | None]:
    """Classes voted inside, outside and where the value is missing."""
    terms: list[list[list[float]]] = [[[] for _ in range(K)] for _ in range(3)]
    for i in range(len(y)):
        terms[split.branches[i]][y[i]].append(D[i])
    weights = [[math.fsum(terms[branch][k]) for k in range(K)] for branch in range(3)]

    if split.low == -math.inf and split.high == math.inf:  # 'present': nothing is outside
        inside, missing = best_pair(weights[INSIDE], weights[MISSING])
        outside = 1 if inside == 0 else 0
        return inside, outside, missing
    inside, outside = best_pair(weights[INSIDE], weights[OUTSIDE])
    return inside, outside, heaviest(weights[MISSING]) if split.has_missing else None


def update(D: Sequence[float], wrong: Sequence[bool], L: float, K: int) -> list[float]:
    """Weights after a round, before they are normalised."""
    new = []
    for i in range(len(D)):
        new.append(D[i] * math.exp(L / K if wrong[i] else -(K - 1.0) / K * L))
    return new


def normalised(weights: Sequence[float]) -> list[float]:
    """Weights that sum to 1."""
    total = math.fsum(weights)
    return [w / total for w in weights]


def boost(
    X: ArrayLike,
    y: ArrayLike,
    prices: Sequence[float],
    rule: str,
    budget: float,
    n_rounds: int,
    tau: float = 1.0,
    switch: float = 0.1,
    unaffordable: str = "skip",
    sample_weight: ArrayLike | None = None,
    categorical: Sequence[bool] | None = None,
) -> list[Round]:
    """Boost stumps under a budget; classes are 0..K-1, K - 1 the largest label in y."""
    if rule not in RULES:
        raise ValueError(f"unknown rule: {rule!r}")
    if unaffordable not in ("skip", "stop"):
        raise ValueError(f"unknown unaffordable: {unaffordable!r}")
    rows = np.asarray(X, dtype=float)
    labels = [int(label) for label in np.asarray(y)]
    K = max(labels) + 1
    if K < 2:
        raise ValueError("at least two classes are needed")
    n_columns = rows.shape[1]
    is_code = [False] * n_columns if categorical is None else [bool(c) for c in categorical]
    own = [float(p) for p in prices]
    smallest = min((p for p in own if p > 0.0), default=1.0)

    # A row of weight 0 is not a row.
    weight = np.ones(len(rows)) if sample_weight is None else np.asarray(sample_weight, dtype=float)
    kept = [i for i in range(len(rows)) if weight[i] > 0.0]
    rows = rows[kept]
    labels = [labels[i] for i in kept]
    D = normalised([float(weight[i]) for i in kept])

    splits = []
    for j in range(n_columns):
        splits.extend(splits_of([float(v) for v in rows[:, j]], is_code[j], j))

    def total_with(column: int) -> float:
        return math.fsum(own[j] for j in owned | {column})

    def affordable(column: int) -> bool:
        return column in owned or total_with(column) <= budget * (1.0 + BUDGET_SLACK)

    owned: set[int] = set()
    spent = 0.0
    rounds: list[Round] = []
    now = "greedy" if rule == "hybrid" else rule
    first_value = None
    for _ in range(n_rounds):
        best = None
        best_value = 0.0
        for split in splits:
            if unaffordable == "skip" and not affordable(split.column):
                continue
            votes = choose_votes(split, D, labels, K)
            wrong = [votes[split.branches[i]] != labels[i] for i in range(len(labels))]
            error = math.fsum(D[i] for i in range(len(labels)) if wrong[i])
            if edge_of(error, K) <= MIN_EDGE:
                continue
            price = own[split.column] if own[split.column] > 0.0 else smallest
            value = quality(now, edge_of(error, K), price, spent, tau, K)
            if best is None or better(value, best_value):
                best = (split, votes, wrong, error)
                best_value = value
        if best is None:
            break
        split, votes, wrong, error = best
        if not affordable(split.column):  # 'stop' only
            break

        if first_value is None:
            first_value = best_value
        if rule == "hybrid" and now == "greedy" and best_value < switch * first_value:
            now = "smoothed"  # from the next round on

        spent = total_with(split.column)
        owned.add(split.column)
        L = log_odds(error, K)
        rounds.append(Round(split.column, split.low, split.high, *votes, error, L, spent))
        if edge_of(error, K) >= PERFECT:
            break
        D = normalised(update(D, wrong, L, K))
    return rounds


def vote(r: Round, value: float) -> int | None:
    """Class a round votes for on one value of its column; None when it abstains."""
    return (r.inside, r.outside, r.missing)[branch_of(value, r.low, r.high)]


def scores(rounds: Sequence[Round], X: ArrayLike, K: int) -> NDArray[np.float64]:
    """Sums of votes, rows x K: beta for the class voted, -beta / (K - 1) for the others."""
    matrix = np.asarray(X, dtype=float)
    sums = np.zeros((len(matrix), K))
    for i in range(len(matrix)):
        for k in range(K):
            terms = []
            for r in rounds:
                voted = vote(r, float(matrix[i, r.column]))
                if voted is None:
                    continue
                beta = (K - 1.0) ** 2 / K * r.alpha
                terms.append(beta if voted == k else -beta / (K - 1.0))
            sums[i, k] = math.fsum(terms)
    return sums
