"""Qualities and spends of several methods, repeat by repeat, with their resamples."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..types import Floats, Ints
from .bootstrap import resampled
from .curve import distinct_answers, mean_spend
from .error_cost import ERROR_COST
from .scoring import Scorer, measure_of, on_all_rows
from .trials import OutOfFoldScores
from .weighted_metrics import Measure

#: Bootstrap resamples of the rows: more make smoother intervals.
N_RESAMPLES = 500
#: Resamples for a scorer that must be called for each of them, which is slower.
N_SLOW_RESAMPLES = 100
#: Scorers that are computed for all budgets at once.
QUICK_SCORERS = ("accuracy", "r2", "roc_auc", "neg_log_loss", ERROR_COST)


class RepeatScores:
    """Qualities and spends of the methods, repeat by repeat.

    Parameters
    ----------
    y : array (rows that take part,)
        The truth.
    scorer : Scorer
        The measure of quality.
    budgets : float array
        Budgets of the answers.
    seed : int
        Seed of the resamples.
    numbers : int array (rows that take part,)
        Their numbers among the rows given, by which a scorer made by hand knows them.
    groups : int array (rows given,), optional
        Rows that are resampled together.
    """

    def __init__(
        self, y: NDArray[Any], scorer: Scorer, budgets: Floats, seed: int, numbers: Ints,
        groups: Ints | None = None,
    ) -> None:  # fmt: skip
        self.numbers, self.groups = numbers, groups
        self.y, self.scorer, self.budgets, self.seed = y, scorer, budgets, seed
        quick = scorer.known and scorer.name in QUICK_SCORERS
        self.n_resamples = N_RESAMPLES if quick else N_SLOW_RESAMPLES
        self.n_rows = 0
        self.repeats: dict[str, list[tuple[Floats, Floats, Floats, Floats]]] = {}

    def add(self, name: str, oof: OutOfFoldScores) -> None:
        """Score the out-of-fold predictions of one repeat."""
        y = self.y[oof.rows]
        kept, answer_of = distinct_answers(oof.scores, np.arange(len(self.budgets)))
        numbers = None if _some_repeated(oof.rows) else self.numbers[oof.rows]
        measure = measure_of(self.scorer, oof.target, oof.scores[:, kept], y, None, numbers)
        quality = on_all_rows(measure, self.scorer, len(y))
        groups = self._resampled_groups(oof)
        samples = resampled(measure, len(y), len(kept), self.n_resamples, self.seed, groups)
        spends = resampled(
            _mean_of(oof.spent), len(y), len(self.budgets), self.n_resamples, self.seed, groups
        )
        self.n_rows = len(y)
        self.repeats.setdefault(name, []).append(
            (quality[answer_of], mean_spend(oof.spent), samples[:, answer_of], spends)
        )

    def _resampled_groups(self, oof: OutOfFoldScores) -> Ints | None:
        """Return what is resampled together: groups, and rows that were tested several times."""
        if self.groups is not None:
            return self.groups[self.numbers[oof.rows]]
        return oof.rows if _some_repeated(oof.rows) else None

    def stacked(
        self, names: Iterable[str], n_repeats: int
    ) -> tuple[Floats, Floats, Floats, Floats]:
        """Return quality and spend (methods, repeats, budgets), then those of the resamples.

        The shape of the latter is (resamples, methods, repeats, budgets).
        """
        parts = [list(zip(*self.repeats[name][:n_repeats], strict=True)) for name in names]
        quality, spent, samples, spends = (
            np.stack([np.stack(part[k]) for part in parts]) for k in range(4)
        )
        return quality, spent, np.moveaxis(samples, 2, 0), np.moveaxis(spends, 2, 0)


def _some_repeated(rows: Ints) -> bool:
    """Return whether some of the rows, which ascend, were tested several times."""
    return bool((np.diff(rows) == 0).any())


def _mean_of(values: Floats) -> Measure:
    def measure(rows: Any, *, strict: bool = False) -> Floats:
        return np.asarray(np.bincount(rows, minlength=len(values)) @ values / len(rows))

    return measure
