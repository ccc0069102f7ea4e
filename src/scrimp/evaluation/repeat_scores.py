"""Qualities and spends of several methods, repeat by repeat, with their resamples."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..types import Floats
from .bootstrap import resampled
from .curve import distinct_answers, mean_spend
from .scoring import Scorer, measure_of, on_all_rows
from .trials import Answers
from .weighted_metrics import Measure

#: Resamples of the rows; a scorer that must be called for each is slower.
_RESAMPLES, _SLOW_RESAMPLES = 500, 100
_QUICK = ("accuracy", "r2", "roc_auc")


class RepeatScores:
    """Qualities and spends of the methods, repeat by repeat."""

    def __init__(self, y: NDArray[Any], scorer: Scorer, budgets: Floats, seed: int) -> None:
        self.y, self.scorer, self.budgets, self.seed = y, scorer, budgets, seed
        quick = scorer.known and scorer.name in _QUICK
        self.n_resamples = _RESAMPLES if quick else _SLOW_RESAMPLES
        self.n_rows = 0
        self.found: dict[str, list[tuple[Floats, Floats, Floats, Floats]]] = {}

    def add(self, name: str, answers: Answers) -> None:
        """Score the answers of one repeat."""
        y = self.y[answers.rows]
        kept, answer_of = distinct_answers(answers.scores, np.arange(len(self.budgets)))
        measure = measure_of(self.scorer, answers.target, answers.scores[:, kept], y, None)
        quality = on_all_rows(measure, self.scorer, len(y))
        samples = resampled(measure, len(y), len(kept), self.n_resamples, self.seed)
        spends = resampled(
            _mean_of(answers.spent), len(y), len(self.budgets), self.n_resamples, self.seed
        )
        self.n_rows = len(y)
        self.found.setdefault(name, []).append(
            (quality[answer_of], mean_spend(answers.spent), samples[:, answer_of], spends)
        )

    def stacked(self, names: Iterable[str], repeats: int) -> tuple[Floats, Floats, Floats, Floats]:
        """Quality and spend (methods, repeats, budgets), then those of the resamples.

        Resamples come first: (resamples, methods, repeats, budgets).
        """
        parts = [list(zip(*self.found[name][:repeats], strict=True)) for name in names]
        quality, spent, samples, spends = (
            np.stack([np.stack(part[k]) for part in parts]) for k in range(4)
        )
        return quality, spent, np.moveaxis(samples, 2, 0), np.moveaxis(spends, 2, 0)


def _mean_of(values: Floats) -> Measure:
    def measure(rows: Any, *, strict: bool = False) -> Floats:
        return np.asarray(np.bincount(rows, minlength=len(values)) @ values / len(rows))

    return measure
