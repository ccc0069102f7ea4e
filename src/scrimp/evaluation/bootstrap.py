"""Bootstrap intervals over rows."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from ..runtime.events import Progress, emit
from ..types import Floats
from .weighted_metrics import Measure

#: An interval of fewer resamples may exclude its estimate by chance.
MIN_RESAMPLES = 50
#: Differences between equal values that come from the order of their sums.
_ROUNDING = 1e-9


def bootstrap_interval(
    measure: Measure, n_rows: int, n_answers: int, n_bootstrap: int, level: float,
    random_state: Any, groups: Any = None,
) -> tuple[Floats, Floats]:  # fmt: skip
    """Return percentile intervals of a measure.

    All answers have the same resamples. A resample on which the measure is undefined is left
    out; an interval of which less than half the resamples remain is NaN, with a warning.

    Returns
    -------
    low, high : float arrays (answers,)
    """
    low, high = np.full((2, n_answers), np.nan)
    if n_bootstrap == 0:
        return low, high
    values = resampled(measure, n_rows, n_answers, n_bootstrap, random_state, groups)
    defined = np.isfinite(values)
    tail = (1.0 - level) / 2.0
    for answer, kept in enumerate(defined.T):
        if 2 * kept.sum() >= n_bootstrap:
            low[answer], high[answer] = np.quantile(values[kept, answer], [tail, 1.0 - tail])
    if np.isnan(low).any():
        warnings.warn(
            f"The scorer is undefined on more than half of {n_bootstrap} resamples of the "
            f"{n_rows} rows, so some intervals are NaN. Give more rows, of every class.",
            UserWarning,
            stacklevel=3,
        )
    return low, high


def including(
    quality: Floats, low: Floats, high: Floats, name: str | None
) -> tuple[Floats, Floats]:
    """Return intervals that include their estimates; warn where one of a named metric did not.

    Resampled rows are repeated rows, and a metric of groups of rows, such as one of rankings, is
    biased on these.
    """
    n = int(((quality < low - _ROUNDING) | (quality > high + _ROUNDING)).sum())
    if n and name is not None:
        warnings.warn(
            f"The interval of {name} over resampled rows excludes its estimate at {n} of "
            f"{len(quality)} budgets, and is extended to it. If the metric is one of groups of "
            "rows, such as queries, give these as groups.",
            UserWarning,
            stacklevel=3,
        )
    return np.minimum(low, quality), np.maximum(high, quality)


def resampled(
    measure: Measure, n_rows: int, n_answers: int, n_bootstrap: int, random_state: Any,
    groups: Any = None,
) -> Floats:  # fmt: skip
    """Return values of a measure (resamples, answers); the same seed draws the same resamples.

    Rows of one of `groups` are drawn together.
    """
    random = check_random_state(random_state)
    units = _units(n_rows, groups)
    values = np.empty((n_bootstrap, n_answers))
    with warnings.catch_warnings():
        # a scorer has already warned once, about all rows
        warnings.simplefilter("ignore")
        for b in range(n_bootstrap):
            drawn = random.randint(len(units), size=len(units))
            values[b] = measure(
                drawn if groups is None else np.concatenate([units[i] for i in drawn])
            )
            emit(Progress("bootstrap", b + 1, n_bootstrap))
    return values


def _units(n_rows: int, groups: Any) -> Any:
    """Return what is drawn: rows, or the rows of each group."""
    if groups is None:
        return range(n_rows)
    labels = np.asarray(groups)
    if labels.shape != (n_rows,):
        raise ValueError(
            f"groups has the shape {labels.shape}; expected one group per row: ({n_rows},)."
        )
    number = np.unique(labels, return_inverse=True)[1]
    return np.split(np.argsort(number, kind="stable"), np.cumsum(np.bincount(number))[:-1])
