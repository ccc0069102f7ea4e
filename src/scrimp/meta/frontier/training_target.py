"""The training target: responses or classes, as boosted trees learn from them, with losses."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.special import softmax

from ...data.folds import spread_folds
from ...kernels.tree_losses import LOGISTIC, SOFTMAX, SQUARED
from ...types import Floats, Ints

#: Exponents that probabilities may be raised to before they are judged; 1 is first, so that
#: equal losses leave them as they are.
POWERS = (1.0, 0.03, 0.06, 0.12, 0.25, 0.5, 0.7, 1.4, 2.0, 2.8, 4.0, 5.6)
#: About how many rows select the exponent: more change it little, and take longer.
N_POWER_ROWS = 3_000
#: A smaller probability counts as this.
LEAST_PROBABILITY = 1e-6


@dataclass(frozen=True, eq=False)
class TrainingTarget:
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
        """The loss by its number in `scrimp.kernels.tree_losses`."""
        return SQUARED if not self.n_classes else LOGISTIC if self.n_classes == 2 else SOFTMAX

    @cached_property
    def prior(self) -> Floats:
        """The prediction without any purchase: the mean, or the share of each class."""
        if not self.n_classes:
            return np.array([np.average(self.y, weights=self.weights)])
        counts = np.bincount(self.y.astype(np.intp), self.weights, self.n_classes)
        return np.asarray(counts / counts.sum())

    @cached_property
    def initial_score(self) -> Floats:
        """The prior as the initial score of boosting."""
        if not self.n_classes:
            return self.prior
        logs = np.log(np.maximum(self.prior, 1e-9))
        return logs[1:] - logs[:1] if self.n_classes == 2 else logs

    @cached_property
    def encoded(self) -> Floats:
        """The response (rows, 1), or the one-hot encoded class (rows, classes)."""
        return np.eye(self.n_classes)[self.y.astype(np.intp)] if self.n_classes else self.y[:, None]

    def subset(self, rows: Ints) -> TrainingTarget:
        """Return the target of some rows; classes keep their numbers."""
        return TrainingTarget(self.y[rows], self.weights[rows], self.n_classes)

    def folds(self, n_folds: int, rng: np.random.Generator) -> Ints:
        """Return the fold of each row, with classes spread evenly."""
        return spread_folds(self.y, n_folds, rng, stratified=bool(self.n_classes))

    def row_losses(self, predictions: Floats) -> Floats:
        """Return the zero-one loss or squared error of predictions (..., rows, outputs)."""
        if not self.n_classes:
            return np.asarray((predictions[..., 0] - self.y) ** 2)
        return np.asarray(predictions.argmax(axis=-1) != self.y, dtype=np.float64)

    def row_log_losses(self, predictions: Floats) -> Floats:
        """Return the log loss or squared error of predictions (rows, outputs)."""
        if not self.n_classes:
            return self.row_losses(predictions)
        own = predictions[np.arange(len(self.y)), self.y.astype(np.intp)]
        return np.asarray(-np.log(np.clip(own, LEAST_PROBABILITY, 1.0)))

    def row_brier_scores(self, predictions: Floats) -> Floats:
        """Return half the Brier score, or the squared error, of (budgets, rows, outputs).

        Probabilities are first calibrated by a temperature. The Brier score needs fewer rows
        than the zero-one loss to tell which model is better.
        """
        if not self.n_classes:
            return self.row_losses(predictions)
        return np.asarray(((self.tempered(predictions) - self.encoded) ** 2).sum(axis=-1) / 2)

    def tempered(self, predictions: Floats) -> Floats:
        """Return (budgets, rows, outputs) with probabilities calibrated by a temperature."""
        if not self.n_classes:
            return predictions
        return np.stack([self._tempered(probabilities) for probabilities in predictions])

    def _tempered(self, probabilities: Floats) -> Floats:
        """Return probabilities raised to the power with the smallest log loss, normalised."""
        logs = np.log(np.clip(probabilities, LEAST_PROBABILITY, 1.0))
        some = slice(None, None, max(len(logs) // N_POWER_ROWS, 1))
        classes = self.y[some].astype(np.intp)

        def powered(power: float, part: slice) -> Floats:
            return np.asarray(softmax(power * logs[part], axis=1))

        def loss(power: float) -> float:
            of_class = powered(power, some)[np.arange(len(classes)), classes]
            return float(np.average(-np.log(of_class), weights=self.weights[some]))

        return powered(min(POWERS, key=loss), slice(None))
