"""What is predicted: how scores become labels and probabilities."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, log_expit, log_softmax, softmax

from ..types import Floats
from .error_costs import ROUNDING, certain_decision, check_costs
from .validation import check_choice

#: A share of 0 says "seldom", not "never": its logarithm is that of this one.
_LEAST_SHARE = 1e-4


#: The largest logarithm of a predicted count: its exponential, 1.8e308, is still finite.
MAX_LOG_COUNT = 709.78


def finite_exp(logs: Floats, max_log: float = MAX_LOG_COUNT) -> Floats:
    """Return the exponential of logarithms, which count as `max_log` if they are larger."""
    return np.asarray(np.exp(np.minimum(logs, max_log)))


@dataclass(frozen=True, eq=False)
class Target:
    """The meaning of a plan's scores.

    Parameters
    ----------
    kind : {"binary", "multiclass", "shares", "regression", "counts"}
        One score for the second class; one per class; one per class in proportion to its
        probability, as forests have it; the prediction itself; or its logarithm, up to
        `max_log_count`.
    classes : array
        Class labels, sorted. Of several responses their numbers; empty for one.
    scale : float
        Scores times scale are log-odds; 2 for AdaBoost's votes (Friedman et al. 2000).
    error_costs : float array (classes, classes), optional
        The cost of predicting the class of a column where that of a row is true; 0 on the
        diagonal. The label is then the class of least expected cost under the probabilities
        (Elkan 2001). Without them, all errors cost the same.
    max_log_count : float
        Of counts: the largest logarithm of a prediction. Greater scores count as this.
    confidence : float, optional
        The probability of the predicted class from which on ``stop="confident"`` buys nothing
        more.
    exits : float array (levels, 2), optional
        Thresholds by spend, for rows that have spent as much as the first number of a level, and
        less than that of the next. Of classes: the confidence from which on
        ``stop="confident"`` buys nothing more, in place of `confidence`. Of rankers: the score
        below which it buys nothing more.
    """

    kind: str
    classes: NDArray[Any]
    scale: float = 1.0
    error_costs: Floats | None = None
    max_log_count: float = MAX_LOG_COUNT
    confidence: float | None = None
    exits: Floats | None = None

    def __post_init__(self) -> None:
        """Check that kind and classes fit."""
        kinds = ("binary", "multiclass", "shares", "regression", "counts")
        check_choice("kind", self.kind, kinds)
        n = len(self.classes)
        fewest, largest = 0 if self.is_number else 2, 2 if self.kind == "binary" else n
        if self.classes.ndim != 1:
            raise ValueError(f"classes have {self.classes.ndim} dimensions; expected 1.")
        if not fewest <= n <= largest:
            raise ValueError(f"a {self.kind} target cannot have {n} classes.")
        if not np.isfinite(self.scale):
            raise ValueError("scale must be finite.")
        if not -math.inf < self.max_log_count <= MAX_LOG_COUNT:
            raise ValueError(
                f"max_log_count is {self.max_log_count}; expected a number <= {MAX_LOG_COUNT}."
            )
        if self.kind != "counts" and self.max_log_count != MAX_LOG_COUNT:
            raise ValueError(f"max_log_count is for counts, and this is a {self.kind} target.")
        if self.confidence is not None and not (0 <= self.confidence <= 1 and not self.is_number):
            raise ValueError("confidence must be a probability of classes, from 0 to 1.")
        if self.exits is not None:
            _check_exits(self)
        if self.error_costs is not None:
            if self.is_number:
                raise ValueError("error_cost is for classes, and numbers are predicted.")
            check_costs(self.error_costs, n)

    @property
    def is_number(self) -> bool:
        """Whether numbers are predicted, not classes."""
        return self.kind in ("regression", "counts")

    @property
    def n_outputs(self) -> int:
        """Return the number of scores per row."""
        return 1 if self.kind == "binary" else max(len(self.classes), 1)

    @property
    def moves_decisions(self) -> bool:
        """Whether errors cost unequally, so that a label need not be the likeliest class."""
        return self._deciding_costs is not None

    @cached_property
    def _deciding_costs(self) -> Floats | None:
        """The costs of errors; None if they are all equal, and the likeliest class is predicted."""
        costs = self.error_costs
        if costs is None or np.ptp(costs[~np.eye(len(costs), dtype=bool)]) == 0:
            return None
        return costs

    @cached_property
    def _threshold(self) -> float:
        """The log-odds of two classes above which the second one has the lower expected cost."""
        costs = self._deciding_costs
        if costs is None:
            return 0.0
        false_second, false_first = costs[0, 1], costs[1, 0]
        if not false_second or not false_first:
            return -math.inf if false_first else math.inf
        return math.log(false_second) - math.log(false_first)

    @property
    def score_threshold(self) -> float:
        """The score of two classes above which the second is predicted; NaN if there is none."""
        if self.kind != "binary" or math.isinf(self._threshold):
            return math.nan
        if self._deciding_costs is None:
            return 0.0
        return self._threshold / self.scale if self.scale > 0 else math.nan

    def labels(self, scores: Floats) -> NDArray[Any]:
        """Return labels (...), or predictions, from scores (..., outputs).

        Of several responses (..., responses). Given costs of errors, the label is the class of
        least expected cost.
        """
        if self.is_number:
            values = scores if len(self.classes) else scores[..., 0]
            return finite_exp(values, self.max_log_count) if self.kind == "counts" else values
        return np.asarray(self.classes[self.decided(scores)])

    def decided(self, scores: Floats) -> NDArray[np.intp]:
        """Return the positions of the predicted classes."""
        costs = self._deciding_costs
        if self.kind == "binary":
            odds = scores[..., 0] if costs is None else self.scale * scores[..., 0]
            return np.asarray(odds > self._threshold, dtype=np.intp)
        if costs is None:
            return np.asarray(scores.argmax(axis=-1))
        return np.asarray((self.probabilities(scores) @ costs).argmin(axis=-1))

    def expected_costs(self, scores: Floats) -> Floats:
        """Return the expected cost (...) of errors of the labels, under the probabilities."""
        if self.error_costs is None:
            raise TypeError("The model has no error_cost; give it one to know what errors cost.")
        costs = self.probabilities(scores) @ self.error_costs
        decided = self.decided(scores)[..., None]
        return np.asarray(np.take_along_axis(costs, decided, axis=-1)[..., 0])

    def decisions(self, scores: Floats) -> Floats:
        """Return scores in scikit-learn's shape: (...) for two classes, else (..., classes)."""
        if self.kind == "shares":
            shares = self.probabilities(scores)
            return np.asarray(shares[..., 1] - shares[..., 0]) if self.n_outputs == 2 else shares
        return scores if self.n_outputs > 1 else scores[..., 0]

    def probabilities(self, scores: Floats) -> Floats:
        """Return class probabilities (..., classes)."""
        if self.is_number:
            raise TypeError("A regression has no class probabilities; use predict.")
        if self.kind == "multiclass":
            return np.asarray(softmax(self.scale * scores, axis=-1))
        if self.kind == "shares":
            parts = np.maximum(scores, 0.0)
            total = parts.sum(axis=-1, keepdims=True)
            even = np.full_like(parts, 1.0 / len(self.classes))
            return np.asarray(np.divide(parts, total, out=even, where=total > 0))
        second = expit(self.scale * scores[..., 0])
        return np.stack([1.0 - second, second], axis=-1)

    def confidences(self, scores: Floats) -> Floats:
        """Return the probability (...) of the predicted class."""
        chosen = self.decided(scores)[..., None]
        return np.asarray(np.take_along_axis(self.probabilities(scores), chosen, axis=-1)[..., 0])

    def settled(self, scores: Floats, spent: float) -> NDArray[np.bool_]:
        """Return which rows ``stop="confident"`` lets stop, that have spent so much."""
        if self.is_number:
            return np.asarray(scores[..., 0] < self._exit_at(spent, -np.inf))
        return np.asarray(self.confidences(scores) >= self._confidence_at(spent))

    def stop_confidence(self, spent: float) -> float | None:
        """Return the probability of the likeliest class at which rows stop that have spent so much.

        None if `settled` asks for something else: of numbers, of shares, and where errors cost
        unequally.
        """
        is_likeliest = self.kind in ("binary", "multiclass") and not self.moves_decisions
        return self._confidence_at(spent) if is_likeliest and self.scale > 0 else None

    def _confidence_at(self, spent: float) -> float:
        """Return the confidence at which rows stop that have spent so much."""
        if self.exits is not None:
            return self._exit_at(spent, np.inf)
        return 1.0 if self.confidence is None else self.confidence

    def _exit_at(self, spent: float, none: float) -> float:
        """Return the threshold of a spend, or `none` below the first level."""
        levels = np.empty((0, 2)) if self.exits is None else self.exits
        level = int(np.searchsorted(levels[:, 0], spent * (1.0 + ROUNDING), side="right")) - 1
        return none if level < 0 else float(levels[level, 1])

    def log_probabilities(self, scores: Floats) -> Floats:
        """Return logarithms of class probabilities (..., classes), finite wherever scores are."""
        if self.kind == "multiclass":
            return np.asarray(log_softmax(self.scale * scores, axis=-1))
        if self.kind == "binary":
            odds = self.scale * scores[..., 0]
            return np.stack([log_expit(-odds), log_expit(odds)], axis=-1)
        return np.log(np.maximum(self.probabilities(scores), _LEAST_SHARE))

    def certain(self, lower: Floats, upper: Floats) -> NDArray[np.bool_]:
        """Return which rows have one label wherever the scores end between two bounds."""
        if self.is_number:
            raise TypeError("stop='certain' keeps a label, and a regression has none.")
        costs = self._deciding_costs
        if self.kind == "binary":
            scale = 1.0 if costs is None else self.scale
            return self._certain_side(scale * lower[:, 0], scale * upper[:, 0])
        # more than rounding apart: sums in another order must give the same label
        margin = ROUNDING * np.maximum(np.abs(lower), np.abs(upper)).max(axis=1)
        if costs is not None:
            with np.errstate(invalid="ignore"):  # without finite bounds nothing is certain
                weights = self._weights(lower - margin[:, None], upper + margin[:, None])
                return certain_decision(*weights, costs)
        best = lower.argmax(axis=1)
        others = upper.copy()
        np.put_along_axis(others, best[:, None], -np.inf, axis=1)
        floor = np.take_along_axis(lower, best[:, None], axis=1)[:, 0]
        return np.asarray(floor > others.max(axis=1) + margin)

    def _certain_side(self, one: Floats, other: Floats) -> NDArray[np.bool_]:
        """Return which rows are on one side of the threshold wherever they end between two."""
        threshold = self._threshold
        if math.isinf(threshold):
            return np.ones(len(one), dtype=bool)
        margin = ROUNDING * np.maximum(np.maximum(np.abs(one), np.abs(other)), abs(threshold))
        above = np.minimum(one, other) > threshold + margin
        return np.asarray(above | (np.maximum(one, other) < threshold - margin))

    def _weights(self, lower: Floats, upper: Floats) -> tuple[Floats, Floats]:
        """Return bounds of what is proportional to the probabilities, from bounds of scores."""
        if self.kind == "shares":
            return np.maximum(lower, 0.0), np.maximum(upper, 0.0)
        one, other = self.scale * lower, self.scale * upper
        low, high = np.minimum(one, other), np.maximum(one, other)
        top = high.max(axis=1, keepdims=True)
        return np.exp(low - top), np.exp(high - top)


def _check_exits(target: Target) -> None:
    """Refuse exits of several numbers, spends that do not ascend, and what is not finite."""
    levels = target.exits
    assert levels is not None
    if target.is_number and target.n_outputs > 1:
        raise ValueError("exits are for classes, or for one predicted number.")
    if levels.ndim != 2 or levels.shape[1] != 2 or not np.isfinite(levels).all():
        raise ValueError("exits must be pairs of a spend and a score, both finite.")
    if (levels[:, 0] < 0).any() or (np.diff(levels[:, 0]) <= 0).any():
        raise ValueError("exits must have spends of 0 or more that ascend.")
