"""The threshold of confident stops, set on rows that the model was not trained on.

A row stops when its predicted class is as probable as the threshold says, and buys nothing more.
Thresholds are tried from 1, where nearly no row stops, downwards; for the least spend plus cost of
errors there is one per level of spend (see `optimal_stopping`). With a limit on errors the first
one that cannot be certified ends the search (fixed-sequence testing, Angelopoulos et al., "Learn
then Test", 2021): a threshold is certified if so few errors, or fewer, on the held-out rows would
have a probability of at most delta were the limit exceeded, by the binomial distribution.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binom, norm

from ..data.error_costs import cost_matrix
from ..data.validation import check_share, is_number
from ..types import Flags, Floats
from .confidence_path import ConfidencePath, Outcome
from .optimal_stopping import cheapest_levels

#: Thresholds that are tried, closer to each other near 1.
N_THRESHOLDS = 40


@dataclass(frozen=True)
class StopCalibration:
    """A threshold of confident stops, and what it does on the held-out rows.

    Parameters
    ----------
    confidence : float
        The threshold.
    error, full_error : float
        The share of wrong answers with the stop, and without.
    spend, full_spend : float
        The mean spend with the stop, and without.
    n_rows : int
        The number of held-out rows.
    levels : tuple of (spend, threshold), optional
        The thresholds by spend, where they are better than one; `confidence` is then the first.
    """

    confidence: float
    error: float
    full_error: float
    spend: float
    full_spend: float
    n_rows: int
    levels: tuple[tuple[float, float], ...] | None = None


@dataclass(frozen=True)
class StopGoal:
    """What a threshold is to reach: exactly one of the first four.

    Parameters
    ----------
    max_increase : float, optional
        The largest share of rows that a stop may turn from right to wrong.
    max_error : float, optional
        The largest share of wrong answers.
    average_budget : float, optional
        The largest mean spend.
    error_cost : float, mapping or array, optional
        What errors cost, as in the classifiers: spend plus cost of errors is to be least.
    delta : float
        The probability with which a limit may be exceeded.
    """

    max_increase: float | None = None
    max_error: float | None = None
    average_budget: float | None = None
    error_cost: Any = None
    delta: float = 0.05

    def __post_init__(self) -> None:
        """Refuse what no threshold can reach."""
        goals = ("max_increase", "max_error", "average_budget", "error_cost")
        given = [name for name in goals if getattr(self, name) is not None]
        if len(given) != 1:
            raise ValueError(
                f"{' and '.join(given) if given else 'No goal'} given; expected one of "
                f"{', '.join(goals)}."
            )
        for name in ("max_increase", "max_error", "delta"):
            value = getattr(self, name)
            if value is not None:
                check_share(name, value)
        cap = self.average_budget
        if cap is not None and not (is_number(cap) and cap >= 0):
            raise ValueError(f"average_budget is {cap!r}; expected a number >= 0.")

    @property
    def limit(self) -> float | None:
        """The limit on errors, if there is one."""
        return self.max_error if self.max_increase is None else self.max_increase

    def least_rows(self) -> int:
        """Return how many held-out rows certify the limit if none of them is wrong."""
        assert self.limit is not None
        return math.ceil(math.log(self.delta) / math.log1p(-self.limit))


def thresholds(n_classes: int) -> Floats:
    """Return the thresholds that are tried, descending from 1 to the share of a class."""
    steps = np.linspace(0.0, 1.0, N_THRESHOLDS)
    return np.asarray(1.0 - (1.0 - 1.0 / n_classes) * steps**2)


def chosen_threshold(
    goal: StopGoal, path: ConfidencePath, classes: NDArray[Any]
) -> StopCalibration:  # fmt: skip
    """Return the threshold that reaches a goal.

    Parameters
    ----------
    goal : StopGoal
        What is to be reached.
    path : ConfidencePath
        The answers of the held-out rows before each purchase.
    classes : array
        The classes, for costs of errors.
    """
    tried, full, levels = thresholds(len(classes)), path.full, None
    outcomes = (path.outcome(float(each)) for each in tried)
    if goal.limit is not None:
        best = certified(goal, full, outcomes)
    elif goal.average_budget is not None:
        best = within_average(goal, full, outcomes)
    else:
        table = cheapest_levels(path, cost_matrix(goal.error_cost, classes), tried)
        best = path.outcome_of_levels(table)
        levels = tuple((float(spend), float(each)) for spend, each in table)
    return StopCalibration(
        best.confidence, float(best.wrong.mean()), float(full.wrong.mean()),
        float(best.spend.mean()), float(full.spend.mean()), len(full.wrong), levels,
    )  # fmt: skip


def certified(goal: StopGoal, full: Outcome, outcomes: Iterable[Outcome]) -> Outcome:
    """Return the last outcome before the first that cannot be certified.

    Parameters
    ----------
    goal : StopGoal
        A limit on errors.
    full : Outcome
        The held-out rows without any stop.
    outcomes : iterable of Outcome
        The same rows with stops, ever more of them.
    """
    n, limit = len(full.wrong), goal.limit
    is_harmed: Callable[[Outcome], Flags] = (
        (lambda outcome: outcome.wrong & ~full.wrong)
        if goal.max_error is None
        else (lambda outcome: outcome.wrong)
    )
    best = None
    for outcome in outcomes:
        if binom.cdf(int(is_harmed(outcome).sum()), n, limit) > goal.delta:
            break
        best = outcome
    if best is not None:
        return best
    wrong = int(is_harmed(full).sum())
    if n < goal.least_rows():
        certified = 1.0 - goal.delta ** (1.0 / n)
        raise ValueError(
            f"{n} rows cannot certify a share of errors of {limit:g} with a probability of "
            f"{1 - goal.delta:g}: it takes {goal.least_rows()} rows or more. So few rows certify "
            f"{certified:.2g} at the least."
        )
    raise ValueError(
        f"Without any stop {wrong} of {n} answers are wrong, which does not certify a share of "
        f"errors of {limit:g} with a probability of {1 - goal.delta:g}. Allow more errors, or give "
        "more rows."
    )


def within_average(goal: StopGoal, full: Outcome, outcomes: Iterable[Outcome]) -> Outcome:
    """Return the first outcome whose mean spend is surely within the average budget."""
    cap = float(goal.average_budget or 0.0)
    quantile = float(norm.ppf(1.0 - goal.delta))
    least = math.inf
    for outcome in (full, *outcomes):
        spread = float(outcome.spend.std()) / math.sqrt(max(len(outcome.spend), 1))
        bound = float(outcome.spend.mean()) + quantile * spread
        if outcome.spend.any() or not full.spend.any():
            if bound <= cap:
                return outcome
            least = min(least, bound)
    raise ValueError(
        f"average_budget is {cap:g}, and no threshold that lets some row buy anything keeps the "
        f"mean spend within it. The least that one of them keeps to is {least:.4g}."
    )
