"""Tests of the claims of Reyzin (2011)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from scrimp.types import Floats, Ints

from ..report import percent
from ..trials import Record
from ..verdicts import CONFIRMED, OPEN, REFUTED, Interval, Verdict, interval, tally, with_caution
from . import published

Records = Sequence[Record]
RecordsByDataset = Mapping[str, Records]
#: Excess errors below this are mostly chance.
_NOISE = 0.0005
#: Draws that count as the start of a path.
_START = 200


def verdicts(by_dataset: RecordsByDataset, paths: Mapping[str, Path]) -> list[Verdict]:
    """Return one verdict per claim; the first claim has two parts."""
    results = [
        _limit(paths),
        _exponential(paths),
        _slower(paths),
        _aware_beats_plain(by_dataset),
        _top_sometimes(by_dataset),
    ]
    return with_caution(results, min(map(len, by_dataset.values())))


class Path:
    """The mean error and number of features of AdaBoostRS by number of draws."""

    def __init__(self, records: Records, counts: Ints) -> None:
        self.counts = counts
        self.error: Floats = np.mean([r["path"]["error"] for r in records], axis=0)
        self.features: Floats = np.mean([r["path"]["features"] for r in records], axis=0)
        self.varying = float(np.mean([r["varying"] for r in records]))
        self.limit = float(np.mean([r["adaboost"] for r in records]))

    def reached(self, within: float) -> int | None:
        """Return where on the grid the error is within a percentage of AdaBoost's."""
        low = self.error <= self.limit * (1.0 + within / 100.0)
        return int(low.argmax()) if low.any() else None

    def straightness(self, max_draws: float = np.inf) -> tuple[float, float]:
        """Return R² of the log excess error against draws, and against their logarithm.

        Parameters
        ----------
        max_draws : float
            The limit of draws that are considered.
        """
        excess = self.error - self.limit
        used = (excess > _NOISE) & (self.counts <= max_draws)
        if used.sum() < 3:
            return np.nan, np.nan
        logs, draws = np.log(excess[used]), self.counts[used]
        return _r2(draws, logs), _r2(np.log(draws), logs)


def _r2(x: Any, y: Any) -> float:
    return float(np.corrcoef(x, y)[0, 1] ** 2)


def _limit(paths: Mapping[str, Path]) -> Verdict:
    ratios = {name: path.error[-1] / path.limit for name, path in paths.items()}
    near = [ratio <= 1.1 for ratio in ratios.values()]
    text = ", ".join(
        f"{name} {percent(path.error[-1])} against {percent(path.limit)}"
        for name, path in paths.items()
    )
    outcome = CONFIRMED if all(near) else OPEN if any(near) else REFUTED
    last = next(iter(paths.values())).counts[-1]
    return Verdict(
        "the error of AdaBoostRS tends to AdaBoost's", outcome,
        f"percent after {last} draws, against AdaBoost: {text} (confirmed if within a tenth)",
    )  # fmt: skip


def _exponential(paths: Mapping[str, Path]) -> Verdict:
    fits = {name: path.straightness() for name, path in paths.items()}
    better = [line > power for line, power in fits.values()]
    outcome = CONFIRMED if all(better) else OPEN if any(better) else REFUTED
    start = {name: path.straightness(_START) for name, path in paths.items()}
    return Verdict(
        "the error of AdaBoostRS falls about exponentially with samples drawn", outcome,
        "how straight ln(error - AdaBoost's) is against draws, and against ln(draws) (R²): "
        f"{_pairs(fits)}; over the first {_START} draws alone: {_pairs(start)}. Refuted means "
        "that a power of the draws describes the whole fall better: rows with small margins make "
        "the tail long",
    )  # fmt: skip


def _pairs(fits: Mapping[str, tuple[float, float]]) -> str:
    return ", ".join(f"{name} {line:.2f} and {power:.2f}" for name, (line, power) in fits.items())


def _slower(paths: Mapping[str, Path]) -> Verdict:
    texts, slower = [], []
    for name, path in paths.items():
        first, last = (int(np.searchsorted(path.counts, n)) for n in (100, 1000))
        draws = path.counts[last] / path.counts[first]
        features = path.features[last] / path.features[first]
        slower.append(features < draws)
        texts.append(f"{name} {path.features[first]:.0f} to {path.features[last]:.0f}")
    return Verdict(
        "features used rises more slowly than samples drawn",
        CONFIRMED if all(slower) else REFUTED,
        f"features used after 100 and after 1000 draws: {', '.join(texts)}",
    )


def gains(by_dataset: RecordsByDataset, one: str, other: str) -> dict[tuple[str, int], Interval]:
    """Return how much lower the error of one is than the other's, in points, at each bound."""
    intervals = {}
    for name, records in by_dataset.items():
        for k, bound in enumerate(published.BOUNDS):
            differences = [r[other]["error"][k] - r[one]["error"][k] for r in records]
            intervals[name, bound] = interval(differences).scaled(100.0)
    return intervals


def _listed(intervals: dict[tuple[str, int], Interval]) -> str:
    return "; ".join(f"{name} B={bound} {gain}" for (name, bound), gain in intervals.items())


def _aware_beats_plain(by_dataset: RecordsByDataset) -> Verdict:
    intervals = gains(by_dataset, "RS_AC", "RS")
    count = tally(list(intervals.values()))
    more = [
        np.mean([r["RS_AC"]["features"][k] - r["RS"]["features"][k] for r in records]) > 0
        for records in by_dataset.values()
        for k in range(len(published.BOUNDS))
    ]
    outcome = count.mostly() if all(more) else OPEN
    below = sum(gain.mean > 0 for gain in intervals.values())
    return Verdict(
        "AdaBoostRS_AC beats AdaBoostRS under random costs and takes more samples within the "
        "same budget", outcome,
        f"lower error in {below} of {count.total} cells; beyond chance {count}; more features "
        f"bought in {sum(more)} of {len(more)}. Error of RS less that of RS_AC, points: "
        f"{_listed(intervals)}",
    )  # fmt: skip


def _top_sometimes(by_dataset: RecordsByDataset) -> Verdict:
    intervals = gains(by_dataset, "top", "RS_AC")
    count = tally(list(intervals.values()))
    outcome = CONFIRMED if count.better else OPEN if count.worse < count.total else REFUTED
    return Verdict(
        "taking the top hypotheses by alpha/cost deterministically sometimes beats sampling",
        outcome,
        f"beyond chance {count}. Error of RS_AC less that of best first, points: "
        f"{_listed(intervals)}",
    )
