"""What Huang, Powers and Reyzin (2015) claim of trees and of boosting as the budget grows."""

from __future__ import annotations

import math

import numpy as np

from .huang2015_curves import ALIKE, Curves
from .verdicts import (
    CONFIRMED,
    OPEN,
    REFUTED,
    Interval,
    Tally,
    Verdict,
    interval,
    joined,
    rise,
    signed,
    tally,
)


def trees(found: Curves) -> Verdict:
    """Rise of the error from its best budget to the largest: above zero is overfitting."""
    prices = {"tree, full": "uniform", "tree, pruned": "uniform", "BT": "uniform",
              "Smoothed": "random"}  # fmt: skip
    rises = {
        method: [interval(rise(found.errors(name, costs, method))) for name in found.every]
        for method, costs in prices.items()
    }
    outcomes = {
        method: _overfits(own) if method.startswith("tree") else _keeps_improving(own)
        for method, own in rises.items()
    }
    below = ", ".join(
        f"the {kind} tree: {_tally_at_last(found, f'tree, {kind}')}" for kind in ("full", "pruned")
    )
    text = "; ".join(
        f"{method} on {tally(own).better} of {len(own)} datasets (mean rise "
        f"{signed(float(np.mean([one.mean for one in own])))} points: {outcomes[method]})"
        for method, own in rises.items()
    )
    return Verdict(
        "pruned decision trees overfit as budget grows; budgeted boosting keeps improving",
        joined([outcome for method, outcome in outcomes.items() if method != "tree, full"]),
        f"error rises beyond chance from the best budget to {found.budgets[-1]:g}: {text}. The "
        "best budget is chosen on one half of the trials and looked at on the other; pruning by "
        "cross-validation prevents what happens to full trees. With equal prices and a budget of "
        f"{found.budgets[-1]:g}, BT is below {below}",
    )


def _tally_at_last(found: Curves, tree: str) -> Tally:
    """Datasets on which BT is better than a tree at the largest budget, with equal prices."""
    gains = [found.gains(name, "uniform", "BT", tree)[:, -1] for name in found.every]
    return tally([interval(gain) for gain in gains])


def _overfits(rises: list[Interval]) -> str:
    """Whether the error rises on most datasets, or by no more than half a point on most."""
    if 2 * tally(rises).better > len(rises):
        return CONFIRMED
    flat = sum(one.high < ALIKE / 2.0 for one in rises)
    return REFUTED if 2 * flat > len(rises) else OPEN


def _keeps_improving(rises: list[Interval]) -> str:
    """Whether the error rises beyond chance on few datasets only, a third at most."""
    rising = tally(rises).better
    few = all(math.isfinite(one.low) for one in rises) and 3 * rising <= len(rises)
    return CONFIRMED if few else REFUTED if 2 * rising > len(rises) else OPEN
