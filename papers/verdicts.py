"""Verdicts on claims, from paired differences over trials."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from scrimp.types import Floats

CONFIRMED = "confirmed"
REFUTED = "refuted"
OPEN = "not decided"
#: Of several parts of a claim some held and the others did not.
IN_PART = "confirmed in part"
#: The data or the means that it takes are not here.
UNTESTED = "cannot be tested here"
#: With fewer trials nothing is decided: errors on few rows may agree by chance.
FEWEST = 5


def signed(value: float, digits: int = 1) -> str:
    """Return a difference with its sign; a value that rounds to zero has none.

    >>> signed(-0.04), signed(1.26)
    ('0.0', '+1.3')
    """
    text = f"{value:+.{digits}f}"
    return text if float(text) else text[1:]


@dataclass(frozen=True)
class Interval:
    """A mean over trials and its confidence interval."""

    mean: float
    low: float
    high: float

    @property
    def sign(self) -> int:
        """Return 1 if the interval lies above zero, -1 if below, 0 if it holds zero."""
        return int(self.low > 0) - int(self.high < 0)

    def scaled(self, factor: float) -> Interval:
        """Return the interval in another unit."""
        return Interval(self.mean * factor, self.low * factor, self.high * factor)

    def widened(self, n: int) -> Interval:
        """Return an interval such that n of them hold together (Bonferroni, normal quantiles)."""
        factor = float(stats.norm.ppf(1.0 - 0.025 / n) / stats.norm.ppf(0.975))
        half = factor * (self.high - self.mean)
        return Interval(self.mean, self.mean - half, self.mean + half)

    def __str__(self) -> str:
        """Return the mean and the ends of the interval."""
        if not math.isfinite(self.low):
            return f"{signed(self.mean)} (few trials)"
        return f"{signed(self.mean)} ({signed(self.low)} to {signed(self.high)})"


def interval(values: ArrayLike, level: float = 0.95) -> Interval:
    """Return Student's interval of a mean over trials; unbounded if there are very few.

    >>> mean = interval([1.0, 2.0, 3.0, 4.0, 5.0])
    >>> round(mean.low, 2), round(mean.high, 2)
    (1.04, 4.96)
    """
    sample = np.asarray(values, dtype=np.float64)
    mean = float(sample.mean())
    if len(sample) < FEWEST:
        return Interval(mean, -math.inf, math.inf)
    half = float(sample.std(ddof=1) / math.sqrt(len(sample)))
    half *= float(stats.t.ppf(0.5 + level / 2.0, len(sample) - 1))
    return Interval(mean, mean - half, mean + half)


@dataclass(frozen=True)
class Verdict:
    """A claim of a paper, its outcome, and the figures."""

    claim: str
    outcome: str
    evidence: str


def with_caution(verdicts: Sequence[Verdict], n_trials: int) -> list[Verdict]:
    """Return the verdicts, undecided where there are very few trials."""
    if n_trials >= FEWEST:
        return list(verdicts)
    trials = "1 trial decides" if n_trials == 1 else f"{n_trials} trials decide"
    return [Verdict(v.claim, OPEN, f"{trials} nothing. {v.evidence}") for v in verdicts]


@dataclass(frozen=True)
class Tally:
    """Counts of comparisons that are for a claim and against it, beyond chance."""

    better: int
    worse: int
    total: int

    def __str__(self) -> str:
        """Return the counts in words."""
        rest = self.total - self.better - self.worse
        return f"for it {self.better} of {self.total}, against it {self.worse}, open {rest}"

    def always(self) -> str:
        """Return the outcome of a claim that something holds in every case."""
        if self.worse:
            return REFUTED
        return CONFIRMED if self.total and self.better == self.total else OPEN

    def mostly(self) -> str:
        """Return the outcome of a claim about a tendency.

        It is confirmed if half of all cases are for it and twice as many for as against it, and
        refuted if as many are against it as for it and half of all cases are decided.
        """
        if self.better >= 2 * self.worse and 2 * self.better >= self.total > 0:
            return CONFIRMED
        settled = 2 * (self.better + self.worse) >= self.total
        return REFUTED if self.total and self.worse >= self.better and settled else OPEN


def joined(outcomes: Sequence[str]) -> str:
    """Return the outcome of a claim from the outcomes of its parts.

    >>> joined(["confirmed", "refuted"])
    'confirmed in part'
    """
    if OPEN in outcomes:
        return OPEN
    return outcomes[0] if len(set(outcomes)) == 1 else IN_PART


def tally(gains: Sequence[Interval]) -> Tally:
    """Count the gains above zero and those below."""
    signs = [gain.sign for gain in gains]
    return Tally(signs.count(1), signs.count(-1), len(signs))


def rise(errors: Floats) -> Floats:
    """Return the error at the last budget less that at the best one, per trial.

    The best is chosen on the trials of even number for those of odd number, and the other
    way round: chosen on the same trials it would look too good.
    """
    if len(errors) < 2:  # nothing to choose by
        return np.zeros(len(errors))
    rises = np.empty(len(errors))
    for parity in (0, 1):
        best = int(errors[1 - parity :: 2].mean(axis=0).argmin())
        rises[parity::2] = errors[parity::2, -1] - errors[parity::2, best]
    return rises
