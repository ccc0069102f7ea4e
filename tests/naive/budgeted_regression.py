"""Naive twin of the budgeted regressor: gradient boosting of stumps with a choice per price.

There is no paper for this algorithm. The loops below follow its formulas, not the fast code:
stumps by weighted least squares on the negative gradient (Friedman 2001), and the choice by
a gain per price, as SpeedBoost (Grubb and Bagnell 2012) defines it for any loss. A stump that
explains the share g^2 of the gradient's sum of squares counts with the edge g.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from .budgeted_boosting import affordable, bill, candidates, selection_price

NOTHING = 1e-12  # a stump must explain a larger share than this
TIE = 1e-12  # a later candidate must be better by more than this, relatively
ROUNDING = 1e-13  # a residual below this part of the largest target is none


@dataclass(frozen=True)
class NaiveStep:
    """One round: an interval on a column, the leaf values before shrinkage, the share."""

    column: int
    low: float
    high: float
    leaves: tuple[float, float, float]  # inside, outside, missing
    share: float
    spent: float


def leaf_of(x, low, high):
    """0 inside, 1 outside, 2 missing."""
    if math.isnan(x):
        return 2
    return 0 if low <= x <= high else 1


def mean(values, weights):
    return math.fsum(v * w for v, w in zip(values, weights, strict=True)) / math.fsum(weights)


def median(values, weights):
    """The value with less than half the weight on either side, or the middle of two."""
    half = math.fsum(weights) / 2
    pairs = sorted(zip(values, weights, strict=True))
    below = 0.0
    for k, (value, weight) in enumerate(pairs):
        below += weight
        if below == half:
            return (value + pairs[k + 1][0]) / 2
        if below > half:
            return value
    raise AssertionError("weights must be positive")


def by_leaf(x, low, high):
    """Which rows are in which leaf."""
    rows = ([], [], [])
    for i, value in enumerate(x):
        rows[leaf_of(value, low, high)].append(i)
    return rows


def explained(rows, targets, weights):
    """Sum of squares that the means of the leaves explain."""
    total = 0.0
    for leaf in rows:
        if leaf:
            level = mean([targets[i] for i in leaf], [weights[i] for i in leaf])
            total += math.fsum(weights[i] * level**2 for i in leaf)
    return total


def best_of_column(x, intervals, targets, weights):
    """The first interval that explains most."""
    best = None
    for low, high in intervals:
        value = explained(by_leaf(x, low, high), targets, weights)
        if best is None or value > best[0] * (1 + TIE):
            best = value, low, high
    return best


def leaf_values(x, low, high, residuals, weights, loss):
    """Means or medians of the residuals; 0 for a leaf without rows."""
    middle = mean if loss == "squared" else median
    return tuple(
        middle([residuals[i] for i in leaf], [weights[i] for i in leaf]) if leaf else 0.0
        for leaf in by_leaf(x, low, high)
    )


def quality(rule, share, price, spent):
    share = min(share, (1 - 1e-12) ** 2)
    if rule == "edge":
        return math.sqrt(share)
    if rule == "speedboost":
        return share / price
    return -math.log1p(-share) / (price + spent if rule == "smoothed" else price)


def intervals_of(X, categorical):
    """All intervals that a stump on each column may test."""
    columns = []
    for j in range(X.shape[1]):
        found = candidates(X[:, j], j in categorical, j)
        intervals = list(dict.fromkeys((stump.low, stump.high) for stump in found))
        if j in categorical and len({v for v in X[:, j] if not math.isnan(v)}) < 2:
            intervals = [interval for interval in intervals if interval[1] == math.inf]
        columns.append(intervals)
    return columns


def targets_of(residuals, loss, floor):
    """The negative gradient."""
    targets = [r if abs(r) > floor else 0.0 for r in residuals]
    return targets if loss == "squared" else [float(np.sign(t)) for t in targets]


def choices_of(X, columns, targets, weights, rule, purse):
    """(quality, column, low, high, share, bill) of the best stump of each column on offer."""
    prices, fees, paid, most = purse
    total = math.fsum(w * t * t for w, t in zip(weights, targets, strict=True))
    choices = []
    for j, intervals in enumerate(columns):
        new = bill(j, prices, fees, paid)
        if not intervals or not affordable(paid, new, most):
            continue
        value, low, high = best_of_column(X[:, j], intervals, targets, weights)
        if value > NOTHING * total:
            share = min(value / total, 1.0)
            price = selection_price(j, prices, fees, paid)
            worth = quality(rule, share, price, math.fsum(paid.values()))
            choices.append((worth, j, low, high, share, new))
    return choices


def naive_regress(
    X, y, prices, *, budget=math.inf, rule="greedy", loss="squared", n_rounds=50,
    learning_rate=0.1, unaffordable="skip", sample_weight=None, categorical=(), requires=None,
):  # fmt: skip
    """The start, and the rounds."""
    weights = np.ones(len(X)) if sample_weight is None else np.asarray(sample_weight)
    kept = [i for i in range(len(X)) if weights[i] > 0]
    X = np.asarray(X, dtype=float)[kept]
    y, weights = [float(y[i]) for i in kept], [float(weights[i]) for i in kept]
    start = (mean if loss == "squared" else median)(y, weights)
    residuals = [v - start for v in y]
    floor = ROUNDING * max(abs(v) for v in y)
    columns = intervals_of(X, categorical)
    paid, steps = {}, []
    purse = prices, requires or {}, paid, budget if unaffordable == "skip" else math.inf
    now, first = ("greedy" if rule == "hybrid" else rule), None
    for _ in range(n_rounds):
        targets = targets_of(residuals, loss, floor)
        choices = choices_of(X, columns, targets, weights, now, purse)
        chosen = choose(choices, X, residuals, weights, loss, floor)
        if chosen is None:
            break
        (value, j, low, high, share, new), leaves = chosen
        first = value if first is None else first
        if rule == "hybrid" and value < 0.1 * first:
            now = "smoothed"
        if not affordable(paid, new, budget):
            break
        paid.update(new)
        steps.append(NaiveStep(j, low, high, leaves, share, math.fsum(paid.values())))
        for i, x in enumerate(X[:, j]):
            residuals[i] -= learning_rate * leaves[leaf_of(x, low, high)]
    return start, steps


def choose(choices, X, residuals, weights, loss, floor):
    """The best column whose leaf values move some row, the first at a tie."""
    choices = list(choices)
    while choices:
        top = max(choice[0] for choice in choices)
        choice = next(choice for choice in choices if choice[0] >= top - TIE * abs(top))
        _, j, low, high, _, _ = choice
        leaves = leaf_values(X[:, j], low, high, residuals, weights, loss)
        if any(abs(value) > floor for value in leaves):
            return choice, leaves
        choices.remove(choice)
    return None


def naive_predict(start, steps, X, learning_rate):
    answers = []
    for row in np.asarray(X, dtype=float):
        votes = [step.leaves[leaf_of(row[step.column], step.low, step.high)] for step in steps]
        answers.append(start + math.fsum(learning_rate * vote for vote in votes))
    return np.array(answers)
