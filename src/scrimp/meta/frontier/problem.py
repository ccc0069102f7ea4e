"""What is predicted, in the numbers that boosted trees learn from."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.special import softmax

from ...kernels.boosted_trees import CLASSES, SQUARED, TWO_CLASSES
from ...types import Floats, Ints

#: Powers by which chances are sharpened or softened, and about how many rows choose one.
_POWERS = (1.0, 0.03, 0.06, 0.12, 0.25, 0.5, 0.7, 1.4, 2.0, 2.8, 4.0, 5.6)
_JUDGED = 3_000


@dataclass(frozen=True, eq=False)
class Truth:
    """Responses of training rows, with weights.

    Parameters
    ----------
    y : float array (rows,)
        The response, or the number of the class.
    weights : float array (rows,)
        Positive.
    n_classes : int
        0 for a regression.
    """

    y: Floats
    weights: Floats
    n_classes: int

    @property
    def loss(self) -> int:
        """The loss by its number in `scrimp.kernels.boosted_trees`."""
        return SQUARED if not self.n_classes else TWO_CLASSES if self.n_classes == 2 else CLASSES

    @cached_property
    def shares(self) -> Floats:
        """The weight of each class, adding up to 1."""
        counts = np.bincount(self.y.astype(np.intp), self.weights, self.n_classes)
        return np.asarray(counts / counts.sum())

    @cached_property
    def prior(self) -> Floats:
        """The answer without any purchase: the mean, or the share of each class."""
        if not self.n_classes:
            return np.array([np.average(self.y, weights=self.weights)])
        return self.shares

    @cached_property
    def start(self) -> Floats:
        """The prior as the first score of boosting."""
        if not self.n_classes:
            return self.prior
        logs = np.log(np.maximum(self.shares, 1e-9))
        return logs[1:] - logs[:1] if self.n_classes == 2 else logs

    @cached_property
    def coded(self) -> Floats:
        """The response (rows, 1), or 1 for the own class and 0 for the others (rows, classes)."""
        return np.eye(self.n_classes)[self.y.astype(np.intp)] if self.n_classes else self.y[:, None]

    def taken(self, rows: Ints) -> Truth:
        """Some of the rows; classes keep their numbers."""
        return Truth(self.y[rows], self.weights[rows], self.n_classes)

    def row_losses(self, answers: Floats) -> Floats:
        """What each answer (..., rows, outputs) costs: 1 a mistake, or the squared error."""
        if not self.n_classes:
            return np.asarray((answers[..., 0] - self.y) ** 2)
        return np.asarray(answers.argmax(axis=-1) != self.y, dtype=np.float64)

    def row_distances(self, answers: Floats) -> Floats:
        """How far each answer (budgets, rows, outputs) is from the truth.

        Half the squared distance of the chances, sharpened or softened as suits them best; or
        the squared error. It tells with fewer rows than mistakes do which model is better.
        """
        if not self.n_classes:
            return self.row_losses(answers)
        suited = np.stack([self._suited(own) for own in answers])
        return np.asarray(((suited - self.coded) ** 2).sum(axis=-1) / 2)

    def _suited(self, chances: Floats) -> Floats:
        """Chances (rows, classes) to the power of the least log loss, adding up to 1."""
        logs = np.log(np.clip(chances, 1e-6, 1.0))
        some = slice(None, None, max(len(logs) // _JUDGED, 1))
        own = self.y[some].astype(np.intp)

        def powered(power: float, part: slice) -> Floats:
            return np.asarray(softmax(power * logs[part], axis=1))

        def loss(power: float) -> float:
            said = powered(power, some)[np.arange(len(own)), own]
            return float(np.average(-np.log(said), weights=self.weights[some]))

        return powered(min(_POWERS, key=loss), slice(None))


def folds_of(truth: Truth, n_folds: int, rng: np.random.Generator) -> Ints:
    """The fold of each row; classes are spread evenly."""
    n = len(truth.y)
    order = rng.permutation(n)
    if truth.n_classes:
        order = order[np.argsort(truth.y[order], kind="stable")]
    folds = np.empty(n, dtype=np.int64)
    folds[order] = np.arange(n) % n_folds
    return folds
