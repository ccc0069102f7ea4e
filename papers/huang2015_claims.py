"""The claims of Huang, Powers and Reyzin (2015), put to the test."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from scrimp.types import Floats

from .huang2015_curves import ALIKE, Curves, Every
from .huang2015_named import ecoli, smoothed_wins, trap
from .huang2015_overfitting import trees
from .verdicts import (
    CONFIRMED,
    OPEN,
    REFUTED,
    Interval,
    Tally,
    Verdict,
    interval,
    joined,
    signed,
    tally,
    with_caution,
)


def verdicts(every: Every, budgets: Floats) -> list[Verdict]:
    """One verdict a claim."""
    found = Curves(every, budgets)
    claims = [
        _early_stopping(found),
        _random_costs(found),
        _small_and_large(found),
        _alike(found),
        trap(every),
        smoothed_wins(found),
        ecoli(found),
        trees(found),
    ]
    return with_caution(claims, min(map(len, every.values())))


def _mean_of(cells: Sequence[Interval]) -> str:
    means = [cell.mean for cell in cells]
    return f"mean gain {signed(float(np.mean(means)))} points" if means else "none"


def _said(cells: Sequence[Interval]) -> str:
    return f"{tally(cells)}, {_mean_of(cells)}"


def _without_chance(cells: Sequence[Interval]) -> Tally:
    """For a claim of every cell: one against it must be so beyond the chance of so many cells."""
    strict = [cell.widened(len(cells)) for cell in cells]
    return Tally(tally(cells).better, tally(strict).worse, len(cells))


def _early_stopping(found: Curves) -> Verdict:
    cells = found.cells("uniform", "BT", "RS", lambda name: found.up_to_half(name, "uniform"))
    count = _without_chance(cells)
    return Verdict(
        "with uniform costs, stopping AdaBoost early (AdaBoostBT) beats AdaBoostRS at every "
        "small and middle budget", count.always(),
        f"datasets x budgets up to half the price of AdaBoost's full vote: {count}; "
        f"{_mean_of(cells)}, least {min((c.mean for c in cells), default=math.nan):+.1f}",
    )  # fmt: skip


def _random_costs(found: Curves) -> Verdict:
    over_rs = found.cells("random", "BT", "RS", lambda name: found.up_to_half(name, "random"))
    first = _without_chance(over_rs)
    greedy = found.cells("random", "Greedy", "BT")
    smoothed = found.cells("random", "Smoothed", "BT")
    outcomes = [first.always(), tally(greedy).mostly(), tally(smoothed).mostly()]
    return Verdict(
        "with costs uniform on [0,2], AdaBoostBT beats AdaBoostRS; Greedy and Smoothed tend to "
        "improve further", joined(outcomes),
        f"BT over RS, up to half the full price: {first}, {_mean_of(over_rs)} ({outcomes[0]}). "
        f"Greedy over BT at all budgets: {_said(greedy)} ({outcomes[1]}); "
        f"{_by_thirds(found)}. "
        f"Smoothed over BT: {_said(smoothed)} ({outcomes[2]})",
    )  # fmt: skip


def _by_thirds(found: Curves) -> str:
    small = found.cells("random", "Greedy", "BT", lambda _: found.small)
    large = found.cells("random", "Greedy", "BT", lambda _: found.large)
    return f"{found.up_to} {_said(small)}; {found.from_on} {_said(large)}"


def _small_and_large(found: Curves) -> Verdict:
    small = found.cells("random", "Greedy", "Smoothed", lambda _: found.small)
    large = found.cells("random", "Smoothed", "Greedy", lambda _: found.large)
    outcomes = [tally(small).mostly(), tally(large).mostly()]
    return Verdict(
        "Greedy tends to win at small budgets, Smoothed at larger ones",
        joined(outcomes),
        f"Greedy over Smoothed at budgets {found.up_to}: {_said(small)} ({outcomes[0]}). Smoothed "
        f"over Greedy {found.from_on}: {_said(large)} ({outcomes[1]}). Greedy over Smoothed at "
        f"the smallest budget: {_at_smallest(found)}",
    )


def _at_smallest(found: Curves) -> str:
    return ", ".join(
        f"{name} {interval(found.gains(name, 'random', 'Greedy', 'Smoothed')[:, 0])}"
        for name in found.every
    )


def _alike(found: Curves) -> Verdict:
    texts, within, beyond = [], [], []
    for name in found.every:
        cells = [interval(c) for c in found.gains(name, "random", "SpeedBoost", "Greedy").T]
        within += [cell.low > -ALIKE and cell.high < ALIKE for cell in cells]
        wide = [cell.widened(len(cells) * len(found.every)) for cell in cells]
        beyond += [cell.low > ALIKE or cell.high < -ALIKE for cell in wide]
        widest = max(cells, key=lambda cell: abs(cell.mean))
        texts.append(f"{name} {widest}")
    outcome = REFUTED if any(beyond) else CONFIRMED if all(within) else OPEN
    return Verdict(
        "SpeedBoost and Greedy are almost identical (their curves overlap)", outcome,
        f"difference within {ALIKE:g} point in {sum(within)} of {len(within)} cells, beyond it in "
        f"{sum(beyond)}; the widest of each, Greedy less SpeedBoost: {', '.join(texts)}",
    )  # fmt: skip
