"""The cross-validated loss of item sets, by ridge regression on moments that are summed once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from ...costs.item_sets import Items
from ...types import Flags, Floats, Ints
from .design import Design
from .training_target import TrainingTarget


@dataclass(frozen=True)
class LinearScorerOptions:
    """The ridge regression that item sets are scored by.

    Parameters
    ----------
    penalties : tuple of float
        Ridge penalties, of which each set has the best, on columns of variance 1.
    n_folds : int
        Folds of the cross-validation.
    max_cells : float
        Cells of all folds of all divisions, which bounds how often the rows are divided.
    max_repeats : int
        How often the rows are divided into folds, at most.
    """

    penalties: tuple[float, ...] = (0.3, 3.0, 30.0)
    n_folds: int = 5
    max_cells: float = 2e6
    max_repeats: int = 3


OPTIONS = LinearScorerOptions()


class LinearScorer:
    """Cross-validates ridge regression on item sets.

    Classes are fitted by least squares on indicators, so that the loss is a Brier score.

    Parameters
    ----------
    design : Design
        The prepared columns.
    target : TrainingTarget
        The training target.
    rng : Generator
        Draws the folds.
    """

    def __init__(self, design: Design, target: TrainingTarget, rng: np.random.Generator) -> None:
        self.design = design
        table = np.column_stack([np.ones(len(target.y)), design.filled[1]])
        cells = OPTIONS.n_folds * table.shape[1] ** 2
        n_repeats = int(np.clip(OPTIONS.max_cells // cells, 1, OPTIONS.max_repeats))
        self._folds = [
            _FoldMoments.of(table, target, fold_of == fold)
            for fold_of in (target.folds(OPTIONS.n_folds, rng) for _ in range(n_repeats))
            for fold in range(OPTIONS.n_folds)
        ]
        self._losses: dict[Items, float] = {}

    def compute_losses(self, sets: Sequence[Items]) -> None:
        """Compute the losses of the sets that are not known yet."""
        for items in sets:
            self.loss(items)

    def loss(self, items: Items) -> float:
        """Return the loss of one set, which is computed once."""
        key = tuple(sorted(items))
        if key not in self._losses:
            columns = np.append(0, 1 + self.design.columns(key))
            losses = np.mean([fold.losses(columns) for fold in self._folds], axis=0)
            self._losses[key] = float(losses.min())
        return self._losses[key]


@dataclass(frozen=True, eq=False)
class _FoldMoments:
    """Weighted moments of the rows to train on and of those held out; column 0 is constant."""

    gram: Floats
    cross: Floats
    test_gram: Floats
    test_cross: Floats
    test_square: float
    test_weight: float

    @classmethod
    def of(cls, table: Floats, target: TrainingTarget, is_test: Flags) -> _FoldMoments:
        """Sum the moments of the training rows and of the test rows."""
        weights, encoded = target.weights[:, None], target.encoded
        (gram, cross), (test_gram, test_cross) = (
            (Z.T @ (w * Z), Z.T @ (w * y))
            for Z, w, y in ((table[r], weights[r], encoded[r]) for r in (~is_test, is_test))
        )
        square = float((weights[is_test] * encoded[is_test] ** 2).sum())
        total = float(weights[is_test].sum())
        return cls(gram, cross, test_gram, test_cross, square, total)

    def losses(self, columns: Ints) -> Floats:
        """Return the mean loss on held-out rows, for each penalty."""
        gram, cross = self.gram[np.ix_(columns, columns)], self.cross[columns]
        test_gram, test_cross = self.test_gram[np.ix_(columns, columns)], self.test_cross[columns]
        losses = []
        for penalty in OPTIONS.penalties:
            system = gram + np.diag(np.append(1e-9, np.full(len(columns) - 1, penalty)))
            b = cho_solve(cho_factor(system, overwrite_a=True), cross)
            square = self.test_square + (b * (test_gram @ b - 2.0 * test_cross)).sum()
            losses.append(square / max(self.test_weight, 1e-300))
        return np.array(losses)
