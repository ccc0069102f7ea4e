"""Naive twin of the sampled vote: Reyzin (2011), Algorithms 2 and 3, for one row.

A plain loop written from the paper. It differs from the paper where the library does: the
loop runs while the dearest hypothesis still fits (<=, the paper has <), a budget for all
features takes the full vote, free hypotheses are always voted, and ``remaining`` passes over
what the rest cannot pay and ends once all that it can pay is owned.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

SLACK = 1e-9
PATIENCE = 16


@dataclass(frozen=True)
class Hypothesis:
    """A weighted vote, and the priced things that it looks at."""

    alpha: float
    vote: float  # h_i(x): -1, 0 or +1
    features: frozenset[int]


def sampled_vote(
    ensemble: Sequence[Hypothesis],
    prices: Sequence[float],
    budget: float,
    uniform: Callable[[int], float],
    *,
    cost_aware: bool,
    paper: bool,
    max_draws: int,
) -> tuple[float, float, int]:
    """The estimate of the full vote (0 if nothing is known), the spend, and the draws tau."""
    limit = budget * (1 + SLACK)

    def cost(features):
        return math.fsum(prices[j] for j in features)

    everything = frozenset().union(*(h.features for h in ensemble))
    if cost(everything) <= limit:
        return sum(h.alpha * h.vote for h in ensemble), cost(everything), 0
    free = [h for h in ensemble if cost(h.features) == 0]
    drawn = [h for h in ensemble if cost(h.features) > 0]
    dearest = max(cost(h.features) for h in drawn)
    weight = [h.alpha / cost(h.features) if cost_aware else h.alpha for h in drawn]
    whole = sum(weight)
    p = [w / whole for w in weight]
    owned: frozenset[int] = frozenset().union(*(h.features for h in free))
    sure = sum(h.alpha * h.vote for h in free)
    total, tau, tries, passed = 0.0, 0, 0, 0
    left = list(p)
    while True:
        within = [cost(owned | h.features) <= limit for h in drawn]
        if not paper and all(h.features <= owned for h, w in zip(drawn, within, strict=True) if w):
            mine = [h for h in drawn if h.features <= owned]
            return sure + sum(h.alpha * h.vote for h in mine), cost(owned), tau
        if tau == max_draws or (paper and cost(owned) + dearest > limit):
            break
        target, i = uniform(tries) * sum(left), 0
        tries += 1
        while target >= left[i]:
            target -= left[i]
            i += 1
        if not within[i]:  # never in the paper: its loop leaves room for any hypothesis
            passed += 1
            if passed == PATIENCE:  # what is passed over has no chance any more
                left, passed = [q * w for q, w in zip(p, within, strict=True)], 0
            continue
        passed = 0
        owned |= drawn[i].features
        whole = 1.0 if paper else sum(q for q, w in zip(p, within, strict=True) if w)
        total += drawn[i].alpha * drawn[i].vote * whole / p[i]
        tau += 1
    return sure + (total / tau if tau else 0.0), cost(owned), tau
