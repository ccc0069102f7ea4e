"""Published figures that the study is held against."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.stats import t as student

from benchmarks.study.results import Result

#: Accuracy in percent on UCI spam by number of columns, from I. Covert et al. (2023), Learning to
#: Maximize Mutual Information for Dynamic Feature Selection, ICML.
GDFS = {1: 78.5, 2: 82.3, 3: 85.8, 5: 90.9, 10: 92.2, 15: 93.4, 25: 93.8}


@dataclass(frozen=True)
class Accuracy:
    """Percent right at a number of columns: the mean over splits and its 95% interval."""

    columns: int
    mean: float
    low: float
    high: float


def accuracies(results: Sequence[Result]) -> list[Accuracy]:
    """Return percent right at each number of columns, over splits.

    The interval is Student's for the mean; splits share rows, so that it is a little too narrow.
    """
    right = 100.0 * (1.0 - np.array([result.errors for result in results]))
    n = len(right)
    half = np.full(right.shape[1], np.nan)
    if n > 1:
        half = student.ppf(0.975, n - 1) * right.std(axis=0, ddof=1) / np.sqrt(n)
    means = right.mean(axis=0)
    return [
        Accuracy(int(k), float(mean), float(mean - h), float(mean + h))
        for k, mean, h in zip(results[0].budgets, means, half, strict=True)
    ]
