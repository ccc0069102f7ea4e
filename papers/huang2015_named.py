"""What Huang, Powers and Reyzin (2015) claim of datasets by name."""

from __future__ import annotations

import math

import numpy as np

from scrimp.types import Floats

from .huang2015_curves import Curves, Every
from .verdicts import CONFIRMED, OPEN, REFUTED, Verdict, interval, tally

#: Where the paper says that Smoothed beats SpeedBoost, and where Greedy is trapped.
SMOOTHED_WINS = ("ecoli", "heart", "sonar", "ionosphere")
TRAPS = ("sonar", "ionosphere")
#: "On the ecoli data set, AdaBoost needs a budget of 18 to achieve what Smoothed does with 6."
ECOLI = (18.0, 6.0)


def trap(every: Every) -> Verdict:
    """Whether Greedy leaves most of its budget where features are very many."""
    spent = {
        name: [r["random"]["spent"]["Greedy"] for r in every[name]]
        for name in TRAPS
        if name in every
    }
    text = ", ".join(
        f"{name} {np.mean(own):.2f} on average, {max(own):.2f} at most"
        for name, own in spent.items()
    )
    claim = (
        "with very many features (sonar 11196, ionosphere 8114) Greedy falls into the "
        "cheap-feature trap: after 500 rounds on sonar it has not spent a budget of 2"
    )
    if "sonar" not in spent:
        return Verdict(claim, OPEN, "sonar was not run")
    outcome = CONFIRMED if max(spent["sonar"]) < 2.0 else REFUTED
    return Verdict(claim, outcome, f"spent by Greedy after 500 rounds, of a budget of 40: {text}")


def smoothed_wins(found: Curves) -> Verdict:
    """Whether Smoothed is better than SpeedBoost, over all budgets."""
    names = [name for name in SMOOTHED_WINS if name in found.every]
    gains = [
        interval(found.gains(name, "random", "Smoothed", "SpeedBoost").mean(axis=1))
        for name in names
    ]
    text = ", ".join(f"{name} {gain}" for name, gain in zip(names, gains, strict=True))
    outcome = tally(gains).always() if len(names) == len(SMOOTHED_WINS) else OPEN
    return Verdict(
        "Smoothed avoids the trap and beats SpeedBoost on ecoli, heart, sonar and ionosphere",
        outcome, f"gain in points, mean over all budgets: {text or 'not run'}",
    )  # fmt: skip


def ecoli(found: Curves) -> Verdict:
    """What AdaBoost needs for the error that Smoothed has with little."""
    claim = "on ecoli AdaBoost needs a budget of 18 to reach what Smoothed reaches with 6"
    if "ecoli" not in found.every:
        return Verdict(claim, OPEN, "ecoli was not run")
    stated, cheap = ECOLI
    place = int(np.flatnonzero(np.isclose(found.budgets, cheap))[0])
    target = found.errors("ecoli", "random", "Smoothed")[:, place]
    early = found.errors("ecoli", "random", "BT")
    needed = _needed(found.budgets, target.mean(), early.mean(axis=0))
    low, high = _resampled(found.budgets, target, early)
    outcome = CONFIRMED if cheap < low <= stated <= high else OPEN
    outcome = REFUTED if high < 2.0 * cheap else outcome
    return Verdict(
        claim, outcome,
        f"Smoothed has {target.mean():.1f}% at {cheap:g}; AdaBoost stopped early comes to that "
        f"with {_words(needed, found.budgets)} (95% of resampled trials: "
        f"{_words(low, found.budgets)} to {_words(high, found.budgets)})",
    )  # fmt: skip


def _needed(budgets: Floats, target: float, errors: Floats) -> float:
    """The least budget with an error as low; infinite if there is none."""
    low = np.flatnonzero(errors <= target)
    return float(budgets[low[0]]) if len(low) else math.inf


def _resampled(budgets: Floats, target: Floats, early: Floats) -> tuple[float, float]:
    rng = np.random.default_rng(0)
    found = []
    for _ in range(1000):
        rows = rng.integers(len(target), size=len(target))
        found.append(_needed(budgets, target[rows].mean(), early[rows].mean(axis=0)))
    ordered = np.sort(found)
    return float(ordered[25]), float(ordered[974])


def _words(budget: float, budgets: Floats) -> str:
    return f"{budget:g}" if math.isfinite(budget) else f"more than {budgets[-1]:g}"
