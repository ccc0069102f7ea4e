"""What is predicted: how scores become labels and probabilities."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, log_expit, log_softmax, softmax

from ..types import Floats
from .validation import check_choice

#: A share of 0 says "seldom", not "never": its logarithm is that of this one.
_LEAST_SHARE = 1e-4


@dataclass(frozen=True, eq=False)
class Target:
    """The meaning of a plan's scores.

    Parameters
    ----------
    kind : {"binary", "multiclass", "shares", "regression", "counts"}
        One score for the second class; one per class; one per class in proportion to its
        probability, as forests have it; the prediction itself; or its logarithm.
    classes : array
        Class labels, sorted. Of several responses their numbers; empty for one.
    scale : float
        Scores times scale are log-odds; 2 for AdaBoost's votes (Friedman et al. 2000).
    """

    kind: str
    classes: NDArray[Any]
    scale: float = 1.0

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

    @property
    def is_number(self) -> bool:
        """Whether numbers are predicted, not classes."""
        return self.kind in ("regression", "counts")

    @property
    def n_outputs(self) -> int:
        """Return the number of scores per row."""
        return 1 if self.kind == "binary" else max(len(self.classes), 1)

    def labels(self, scores: Floats) -> NDArray[Any]:
        """Return labels (...), or predictions, from scores (..., outputs).

        Of several responses (..., responses).
        """
        if self.is_number:
            values = scores if len(self.classes) else scores[..., 0]
            return np.exp(values) if self.kind == "counts" else values
        if self.kind == "binary":
            return np.asarray(self.classes[(scores[..., 0] > 0).astype(np.intp)])
        return np.asarray(self.classes[scores.argmax(axis=-1)])

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
        # more than rounding apart: sums in another order must give the same label
        margin = 1e-9 * np.maximum(np.abs(lower), np.abs(upper)).max(axis=1)
        if self.kind == "binary":
            return np.asarray((lower[:, 0] > margin) | (upper[:, 0] < -margin))
        best = lower.argmax(axis=1)
        others = upper.copy()
        np.put_along_axis(others, best[:, None], -np.inf, axis=1)
        floor = np.take_along_axis(lower, best[:, None], axis=1)[:, 0]
        return np.asarray(floor > others.max(axis=1) + margin)
