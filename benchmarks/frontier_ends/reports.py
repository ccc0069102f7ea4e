"""What a frontier reports against the truth on rows that it has not seen."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from benchmarks.frontier_ends.small import Answers, Fold, errors, frontier


def z_of(fold: Fold, answers: Answers) -> list[float]:
    """Return the difference of reported and true error of each entry, in standard errors.

    Below 0 an entry reports less than the truth.
    """
    true = errors(answers.probabilities, fold.problem.y[fold.test])
    zs = []
    for entry in answers.entries:
        at = int(np.searchsorted(fold.budgets, entry["budget"] * (1 - 1e-9)))
        variance = true[at] * (1 - true[at]) / len(fold.test) + entry["standard_error"] ** 2
        zs.append(float((entry["loss"] - true[at]) / np.sqrt(max(variance, 1e-6))))
    return zs


def mean_z(folds: Sequence[Fold], max_seconds: float | None) -> tuple[float, int]:
    """Return the mean z over the entries of all folds, and how many there are."""
    zs = [z for fold in folds for z in z_of(fold, frontier(fold, max_seconds))]
    return (float(np.mean(zs)) if zs else 0.0), len(zs)
