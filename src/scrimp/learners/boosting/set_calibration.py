"""Intercept and scale of stacked columns, fitted on rows for many sets of columns.

The quadratic models of `SubsetWeights` hold near the weights where they were made; with rare
classes they can be far off in between. So sets of columns that are likely to be at hand are
tried on held-out rows and keep what was found for them; other sets take intercept and scale
from tried sets that explain about as much, the largest scale that made none of them worse than
the prior.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from ...costs.costs import Costs
from ...costs.ledger import Ledger
from ...plans.components.subset_weights import SubsetWeights
from ...types import Flags, Floats, Ints
from .outcomes import Classes

#: Rows on which sets are tried: enough for an intercept and a scale.
MAX_ROWS = 4_000
#: Prefixes of the order that are tried, at most.
MAX_PREFIXES = 12
#: Single purchases that are tried, at most.
MAX_SINGLES = 16
#: Random sets that are tried.
N_RANDOM = 8
#: Budgets, as parts of the price of everything, whose purchases are tried.
BUDGET_SHARES = 2.0 ** -np.arange(0.0, 10.0, 0.5)
#: Groups of tried sets that explain about as much.
MAX_KNOTS = 8


def prefixes(stage_of: Ints) -> list[Flags]:
    """Return some prefixes of the order of purchases, evenly spread, as sets of functions."""
    n_stages = int(stage_of.max(initial=-1)) + 1
    return [stage_of <= stage for stage in _spread(n_stages, MAX_PREFIXES)]


def sets_to_try(costs: Costs, items: Sequence[int], stage_of: Ints) -> list[Flags]:
    """Return sets of functions that are likely to be at hand.

    Parameters
    ----------
    costs : Costs
        Prices.
    items : sequence of int
        The item of each stage.
    stage_of : int array (functions,)
        The stage that brings each function.
    """
    n = len(items)
    total = costs.price_of(items)
    bought = [_bought(costs, items, budget) for budget in (BUDGET_SHARES * total).tolist()]
    singles = [np.array([stage]) for stage in _spread(n, MAX_SINGLES)]
    rng = np.random.default_rng(0)
    random = [np.flatnonzero(rng.random(n) < 0.5) for _ in range(N_RANDOM)]
    sets = [*prefixes(stage_of), *(np.isin(stage_of, s) for s in (*bought, *singles, *random))]
    return list({flags.tobytes(): flags for flags in sets if flags.any()}.values())


def _spread(n: int, most: int) -> Ints:
    """Return at most so many of the numbers below n, evenly spread, the last included."""
    ends = np.linspace(0, n - 1, min(n, most))
    return np.unique(np.round(ends).astype(np.int64))


def _bought(costs: Costs, items: Sequence[int], budget: float) -> Ints:
    """Return the stages that a budget pays for, in order, without those that are too dear."""
    ledger, stages = Ledger(costs, [budget]), []
    for stage, item in enumerate(items):
        needs = costs.closure([item])
        if ledger.first_affording(needs) == 0:
            ledger.buy(needs)
            stages.append(stage)
    return np.array(stages, dtype=np.int64)


@dataclass(frozen=True, eq=False)
class _TriedSet:
    """A set, what it explains, its sums on the rows, and the intercept and scale of least loss."""

    functions: Flags
    share: float
    weights: Floats
    sums: Floats
    intercept: Floats
    scale: float


def calibrated(
    model: SubsetWeights, Z: Floats, outcome: Classes, sets: Sequence[Flags]
) -> SubsetWeights:
    """Return the weights with intercepts and scales, of the sets tried and of all others.

    Parameters
    ----------
    model : SubsetWeights
        Quadratic models without intercepts and scales.
    Z : float array (rows, functions, outputs)
        Centred values of the functions on rows that they were not trained on.
    outcome : Classes
        The classes of these rows.
    sets : sequence of bool arrays (functions,)
        Sets to try.
    """
    if not sets:
        return model
    step = -(-len(Z) // MAX_ROWS)
    Z, outcome = Z[::step], outcome.taken(slice(None, None, step))
    tried = [_tried(model, Z, outcome, functions) for functions in sets]
    tried.sort(key=lambda one: one.share)
    ends = np.linspace(0, len(tried), min(MAX_KNOTS, len(tried)) + 1).round().astype(int).tolist()
    groups = [tried[a:b] for a, b in pairwise(ends) if tried[b - 1].share > 0]
    knots = {0.0: (model.prior, 1.0)} | {
        round(float(np.mean([one.share for one in group])), 9): _safe(group, outcome, model.prior)
        for group in groups
    }
    shares = sorted(knots)
    return replace(
        model,
        shares=np.array(shares),
        intercepts=np.array([knots[share][0] for share in shares]),
        scales=np.array([knots[share][1] for share in shares]),
        tried=np.array([one.functions for one in tried], dtype=np.int64),
        tried_intercepts=np.array([one.intercept for one in tried]),
        tried_weights=np.array([one.scale * one.weights for one in tried]),
    )


def _tried(model: SubsetWeights, Z: Floats, outcome: Classes, functions: Flags) -> _TriedSet:
    _, weights = model.of(functions)
    sums = np.einsum("ick,c->ik", Z, weights)
    intercept, scale = outcome.calibrate(sums)
    if outcome.loss(intercept + scale * sums) > outcome.loss(model.prior + 0.0 * sums):
        intercept, scale = model.prior, 0.0
    share = model.explained_share(functions)
    return _TriedSet(functions, share, weights, sums, intercept, scale)


def _safe(group: Sequence[_TriedSet], outcome: Classes, prior: Floats) -> tuple[Floats, float]:
    """Return the intercept and the largest scale with which no set is worse than the prior."""
    limit = outcome.loss(prior + 0.0 * group[0].sums)
    for one in sorted(group, key=lambda one: -one.scale):
        losses = (outcome.loss(one.intercept + one.scale * other.sums) for other in group)
        if all(loss <= limit for loss in losses):
            return one.intercept, one.scale
    return prior, 0.0
