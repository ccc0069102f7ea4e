"""Tests of the claims of Hu (2019, Sec. 5.6.1) about regret, depth and edges."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from scrimp.types import Floats

from ..trials import Record
from ..verdicts import (
    CONFIRMED,
    IN_PART,
    REFUTED,
    Tally,
    Verdict,
    interval,
    joined,
    tally,
    with_caution,
)
from .claims import RecordsByDataset
from .streams import DEPTHS, N_LEARNERS

#: Learners over which the fall of the regret is compared with a geometric one.
FIRST = 5
#: The least share of the logarithm's variance that a straight line explains there.
STRAIGHT = 0.95


def verdicts(by_dataset: RecordsByDataset) -> list[Verdict]:
    """Return the verdicts on Fig. 5.1."""
    results = [
        *_falls(by_dataset, "Alg. 6"), _depth(by_dataset, "Alg. 6"), _rows(by_dataset),
        _edges(by_dataset), _other_losses(by_dataset),
    ]  # fmt: skip
    return with_caution(results, min(map(len, by_dataset.values())))


def regrets(records: Sequence[Record], algorithm: str, depth: int) -> Floats:
    """Return regret per trial (rows) and number of learners (columns)."""
    return np.array([r[algorithm][str(depth)]["by_learners"] for r in records])


def _fall(by_dataset: RecordsByDataset, algorithm: str) -> Tally:
    """Count where regret with all learners is lower than with one."""
    gains = []
    for records in by_dataset.values():
        for depth in DEPTHS:
            found = regrets(records, algorithm, depth)
            gains.append(interval(found[:, 1] - found[:, -1]))
    return tally(gains)


def _falls(by_dataset: RecordsByDataset, algorithm: str) -> list[Verdict]:
    count, fits, examples = _fall(by_dataset, algorithm), [], []
    for name, records in by_dataset.items():
        for depth in DEPTHS:
            means = regrets(records, algorithm, depth).mean(axis=0)
            fits.append(straightness(np.log(np.maximum(means[: FIRST + 1], 1e-12))))
            if depth in (DEPTHS[0], DEPTHS[-1]):
                examples.append(f"{name}, depth {depth}: {means[0]:.3f}, {means[1]:.3f}, "
                                f"{means[FIRST]:.3f}, {means[-1]:.3f}")  # fmt: skip
    straight = sum(fit >= STRAIGHT for fit in fits)
    listed = "; ".join(examples)
    return [
        Verdict(
            "Average regret falls as the number of weak learners rises (Fig. 5.1b)",
            count.mostly(),
            f"from 1 to {N_LEARNERS} learners, by dataset and depth, beyond chance {count}. With "
            f"0, 1, {FIRST} and {N_LEARNERS} learners: {listed}",
        ),
        Verdict(
            "At first it falls geometrically: straight lines on a logarithmic axis",
            CONFIRMED if straight == len(fits) else IN_PART if straight else REFUTED,
            f"over the first {FIRST} learners a line explains {min(fits):.2f} to {max(fits):.2f} "
            f"of the variance of the logarithm, at least {STRAIGHT} in {straight} of {len(fits)} "
            "cases; then it levels off, at what T rows do not tell",
        ),
    ]


def straightness(values: Floats) -> float:
    """Return the share of the variance of values that a straight line explains.

    >>> straightness(np.array([3.0, 2.0, 1.0]))
    1.0
    """
    place = np.arange(len(values))
    return float(np.round(np.corrcoef(place, values)[0, 1] ** 2, 12))


def _deeper(by_dataset: RecordsByDataset, algorithm: str) -> Tally:
    """Count where a deeper tree has the lower regret, of neighbouring depths."""
    gains = [
        interval(regrets(records, algorithm, a)[:, -1] - regrets(records, algorithm, b)[:, -1])
        for records in by_dataset.values()
        for a, b in pairwise(DEPTHS)
    ]
    return tally(gains)


def _depth(by_dataset: RecordsByDataset, algorithm: str) -> Verdict:
    count = _deeper(by_dataset, algorithm)
    listed = "; ".join(
        f"{name} " + ", ".join(f"{regrets(records, algorithm, depth)[:, -1].mean():.3f}"
                               for depth in DEPTHS)
        for name, records in by_dataset.items()
    )  # fmt: skip
    return Verdict(
        "Average regret shrinks as trees are deeper", count.mostly(),
        f"neighbouring depths, beyond chance {count}. With {N_LEARNERS} trees of depths "
        f"{', '.join(map(str, DEPTHS))}: {listed}",
    )  # fmt: skip


def _rows(by_dataset: RecordsByDataset) -> Verdict:
    deep, falls = [], []
    for records in by_dataset.values():
        shallow, deepest = (
            np.array([r["Alg. 6"][str(depth)]["by_rows"] for r in records])
            for depth in (DEPTHS[0], DEPTHS[-1])
        )
        deep += [interval(column) for column in (shallow - deepest).T]
        falls.append(interval(deepest[:, 0] - deepest[:, -1]))
    count, fall = tally(deep), tally(falls)
    return Verdict(
        "Average regret falls with the rows, and faster for deeper trees (Fig. 5.1d)",
        joined([fall.always(), count.mostly()]),
        f"from the first to the last number of rows, beyond chance {fall}; trees of depth "
        f"{DEPTHS[-1]} below those of depth {DEPTHS[0]}, by dataset and number of rows, {count}",
    )


def _edges(by_dataset: RecordsByDataset) -> Verdict:
    gains, listed = [], []
    for name, records in by_dataset.items():
        edges = np.array([[r["Alg. 6"][str(depth)]["edges"] for depth in DEPTHS] for r in records])
        first = edges[:, :, 0]
        gains += [interval(first[:, k + 1] - first[:, k]) for k in range(len(DEPTHS) - 1)]
        means, least = first.mean(axis=0), edges.mean(axis=0).min(axis=1)
        listed.append(f"{name} first {figures(means)}, least {figures(least)}")
    count = tally(gains)
    return Verdict(
        "Deeper trees have larger edges (assumed in the thesis)", count.mostly(),
        f"edge of the first learner, neighbouring depths, beyond chance {count}. Depths "
        f"{', '.join(map(str, DEPTHS))}: {'; '.join(listed)}. The least edge of all learners is "
        "near 0, where the theorems say nothing",
    )  # fmt: skip


def _other_losses(by_dataset: RecordsByDataset) -> Verdict:
    fall, deeper = _fall(by_dataset, "Alg. 7"), _deeper(by_dataset, "Alg. 7")
    least = []
    for name, records in by_dataset.items():
        for depth in (DEPTHS[0], DEPTHS[-1]):
            means = regrets(records, "Alg. 7", depth).mean(axis=0)
            least.append(
                f"{name}, depth {depth}: {means[0]:.3f} at the start, {means.min():.3f} with "
                f"{means.argmin()}, {means[-1]:.3f} with {N_LEARNERS}"
            )
    return Verdict(
        "Alg. 7 with the hinge loss and the absolute loss gives very similar pictures",
        joined([fall.mostly(), deeper.mostly()]),
        f"regret falls from the start to {N_LEARNERS} learners: {fall}; deeper trees have less: "
        f"{deeper}. It is least at a smaller N and rises again, sooner for deeper trees: "
        f"{'; '.join(least)}. The steps 1/(λi) come from the ridge, which is not printed, and the "
        "first of them are large",
    )


def figures(values: Sequence[float] | Floats, digits: int = 2) -> str:
    """Return numbers one after the other."""
    return ", ".join(f"{round(float(value), digits) + 0.0:.{digits}f}" for value in values)  # no -0
