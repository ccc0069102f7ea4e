"""Claims put to the test: paired differences over trials, and what they say."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from scrimp.types import Floats

CONFIRMED, REFUTED, OPEN = "confirmed", "refuted", "not decided"
#: Of several parts of a claim some held and the others did not.
IN_PART = "confirmed in part"
#: Fewer trials say nothing of others: errors on few rows may agree by chance.
FEWEST = 5


def signed(value: float, digits: int = 1) -> str:
    """A difference with its sign; what rounds to zero has none.

    >>> signed(-0.04), signed(1.26)
    ('0.0', '+1.3')
    """
    text = f"{value:+.{digits}f}"
    return text if float(text) else text[1:]


@dataclass(frozen=True)
class Interval:
    """A mean over trials, and where it lies with a given confidence."""

    mean: float
    low: float
    high: float

    @property
    def sign(self) -> int:
        """1 if it lies above zero, -1 if below, 0 if it holds zero."""
        return int(self.low > 0) - int(self.high < 0)

    def scaled(self, factor: float) -> Interval:
        """In another unit."""
        return Interval(self.mean * factor, self.low * factor, self.high * factor)

    def widened(self, n: int) -> Interval:
        """So that n intervals hold together (Bonferroni, by normal quantiles)."""
        factor = float(stats.norm.ppf(1.0 - 0.025 / n) / stats.norm.ppf(0.975))
        half = factor * (self.high - self.mean)
        return Interval(self.mean, self.mean - half, self.mean + half)

    def __str__(self) -> str:
        """As it is read: mean, and from where to where."""
        if not math.isfinite(self.low):
            return f"{signed(self.mean)} (few trials)"
        return f"{signed(self.mean)} ({signed(self.low)} to {signed(self.high)})"


def interval(values: ArrayLike, level: float = 0.95) -> Interval:
    """Student's interval of a mean over trials; without bounds if these are very few.

    >>> found = interval([1.0, 2.0, 3.0, 4.0, 5.0])
    >>> round(found.low, 2), round(found.high, 2)
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
    """A claim of a paper, whether it held, and the figures."""

    claim: str
    outcome: str
    evidence: str


def with_caution(found: Sequence[Verdict], n_trials: int) -> list[Verdict]:
    """The verdicts, none of them decided where the trials are very few."""
    if n_trials >= FEWEST:
        return list(found)
    trials = "1 trial decides" if n_trials == 1 else f"{n_trials} trials decide"
    return [Verdict(v.claim, OPEN, f"{trials} nothing. {v.evidence}") for v in found]


@dataclass(frozen=True)
class Tally:
    """Comparisons of which some are for a claim and some against it, beyond chance."""

    better: int
    worse: int
    total: int

    def __str__(self) -> str:
        """In words."""
        rest = self.total - self.better - self.worse
        return f"for it {self.better} of {self.total}, against it {self.worse}, open {rest}"

    def always(self) -> str:
        """The outcome for a claim that something holds in every case."""
        if self.worse:
            return REFUTED
        return CONFIRMED if self.total and self.better == self.total else OPEN

    def mostly(self) -> str:
        """The outcome for a claim of what tends to be.

        Confirmed takes half of all cases for it and twice as many for as against it; refuted
        takes as many against it as for it, and half of all cases decided.
        """
        if self.better >= 2 * self.worse and 2 * self.better >= self.total > 0:
            return CONFIRMED
        settled = 2 * (self.better + self.worse) >= self.total
        return REFUTED if self.total and self.worse >= self.better and settled else OPEN


def joined(outcomes: Sequence[str]) -> str:
    """The outcome of a claim from those of its parts.

    >>> joined(["confirmed", "refuted"])
    'confirmed in part'
    """
    if OPEN in outcomes:
        return OPEN
    return outcomes[0] if len(set(outcomes)) == 1 else IN_PART


def tally(gains: Sequence[Interval]) -> Tally:
    """Count the gains that are above zero, and those below."""
    signs = [gain.sign for gain in gains]
    return Tally(signs.count(1), signs.count(-1), len(signs))


def rise(errors: Floats) -> Floats:
    """Error at the last budget less that at the best one, by trial.

    The best is chosen on the trials of even number for those of odd number, and the other
    way round: chosen on the same trials it would look too good.
    """
    if len(errors) < 2:  # nothing to choose by
        return np.zeros(len(errors))
    found = np.empty(len(errors))
    for parity in (0, 1):
        best = int(errors[1 - parity :: 2].mean(axis=0).argmin())
        found[parity::2] = errors[parity::2, -1] - errors[parity::2, best]
    return found
