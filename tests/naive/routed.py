"""Naive twins of trees of models: one row follows a route, and gains of splits by brute force.

A route is a region (a set of items) or a test with a route on either side. The gain of an item
is what the best single cut of one of its columns takes off the second-order expansion of the log
loss, sum G^2 / (sum H + ridge) over both sides less the same of all rows. The benefit of a test
is what the best sets of both sides gain more than the best set for both.
"""

from __future__ import annotations

import math


def naive_follow(route, models, row, costs):
    """Return the answer for a row, and what it paid: for tested columns, then for its region."""
    path, bought = [], set()
    while hasattr(route, "test"):
        test = route.test
        bought |= with_required(costs.item_of[test.column], costs)
        x = row[test.column]
        inside = test.missing_inside if math.isnan(x) else test.low <= x <= test.high
        path.append(inside)
        route = route.inside if inside else route.outside
    model = models[tuple(path)]
    for column in model.columns.tolist():
        bought |= with_required(costs.item_of[column], costs)
    return model.scores(row[None], [0])[0], math.fsum(costs.prices[item] for item in bought)


def with_required(item, costs):
    """Return an item and all that it needs."""
    needed = {item}
    for other in costs.requires[item]:
        needed |= with_required(other, costs)
    return needed


def naive_gain(x, gradient, hessian, ridge, least):
    """Return the gain of the best cut of a column."""

    def value(rows):
        return sum(gradient[r] for r in rows) ** 2 / (sum(hessian[r] for r in rows) + ridge)

    everything, best = list(range(len(x))), 0.0
    for cut in sorted(set(x))[:-1]:
        left = [r for r in everything if x[r] <= cut]
        right = [r for r in everything if x[r] > cut]
        if min(sum(hessian[r] for r in side) for side in (left, right)) >= least:
            best = max(best, value(left) + value(right) - value(everything))
    return best


def naive_worth(gains, prices, budget, n_counted):
    """Return the gains of the items bought by gain per price."""
    left, total, n_bought = budget, 0.0, 0
    for item in sorted(gains, key=lambda item: -gains[item] / prices[item]):
        if gains[item] > 0 and n_bought < n_counted and prices[item] <= left:
            left, total, n_bought = left - prices[item], total + gains[item], n_bought + 1
    return total


def naive_benefit(inside, outside, prices, budget, n_counted):
    """Return what sets for each side gain more than one set for both."""
    both = {item: inside[item] + outside[item] for item in inside}
    alone = sum(naive_worth(gains, prices, budget, n_counted) for gains in (inside, outside))
    return alone - naive_worth(both, prices, budget, n_counted)
