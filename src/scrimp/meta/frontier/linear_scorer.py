"""The cross-validated loss of item sets, by ridge regression on moments that are summed once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...costs.item_sets import Items
from ...types import Flags, Floats, Ints
from .design import Design
from .set_scorer import KnownLosses, Scorer
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


class LinearScorer(KnownLosses):
    """Cross-validates ridge regression on item sets.

    Classes are fitted by least squares on indicators, so that the loss is a Brier score.

    Parameters
    ----------
    design, target, rng
        As in `SetScorer`.
    """

    def __init__(self, design: Design, target: TrainingTarget, rng: np.random.Generator) -> None:
        super().__init__()
        self.design = design
        table = design.filled[1]
        cells = OPTIONS.n_folds * (1 + table.shape[1]) ** 2
        n_repeats = int(np.clip(OPTIONS.max_cells // cells, 1, OPTIONS.max_repeats))
        self._moments = _Moments.of(
            table,
            target,
            [
                fold_of == fold
                for fold_of in (target.folds(OPTIONS.n_folds, rng) for _ in range(n_repeats))
                for fold in range(OPTIONS.n_folds)
            ],
        )

    def _computed(self, sets: Sequence[Items]) -> list[float]:
        columns = (np.append(0, 1 + self.design.columns(items)) for items in sets)
        return [float(self._moments.losses(some).min()) for some in columns]


@dataclass(frozen=True, eq=False)
class _Moments:
    """Weighted moments, per fold, of the rows to train on and of those held out.

    Column 0 is constant.
    """

    gram: Floats
    cross: Floats
    test_gram: Floats
    test_cross: Floats
    test_square: Floats
    test_weight: Floats

    @classmethod
    def of(cls, table: Floats, target: TrainingTarget, held_out: Sequence[Flags]) -> _Moments:
        """Sum the moments of each fold; those of the training rows are the rest of all."""
        grams, crosses, squares, weights = [], [], [], []
        for is_test in held_out:
            y, w = target.encoded[is_test], target.weights[is_test]
            Z = np.column_stack([np.ones(len(y)), table[is_test]])
            weighted = (w[:, None] * Z).T
            grams.append(weighted @ Z)
            crosses.append(weighted @ y)
            squares.append(float(w @ (y**2).sum(axis=1)))
            weights.append(max(float(w.sum()), 1e-300))
        gram = np.sum(grams[: OPTIONS.n_folds], axis=0)  # of all rows: the folds of one division
        cross = np.sum(crosses[: OPTIONS.n_folds], axis=0)
        test_gram, test_cross = np.stack(grams), np.stack(crosses)
        return cls(
            gram - test_gram, cross - test_cross, test_gram, test_cross,
            np.array(squares), np.array(weights),
        )  # fmt: skip

    def losses(self, columns: Ints) -> Floats:
        """Return the mean loss on held-out rows, for each penalty."""
        block = np.ix_(np.arange(len(self.gram)), columns, columns)
        gram, cross = self.gram[block], self.cross[:, columns]
        test_gram, test_cross = self.test_gram[block], self.test_cross[:, columns]
        losses = []
        for penalty in OPTIONS.penalties:
            ridge = np.diag(np.append(1e-9, np.full(len(columns) - 1, penalty)))
            b = np.linalg.solve(gram + ridge, cross)
            change = (b * (test_gram @ b - 2.0 * test_cross)).sum(axis=(1, 2))
            squares = np.maximum(self.test_square + change, 0.0)  # rounding may make it negative
            losses.append(float((squares / self.test_weight).mean()))
        return np.array(losses)


class BlendedScorer:
    """Scores item sets by the mean of two scorers, each relative to its loss without any item.

    On few rows the mean is less noisy than either, and suits linear models and trees.

    Parameters
    ----------
    first, second : scorers
        Of the same table.
    """

    def __init__(self, first: Scorer, second: Scorer) -> None:
        self.design = first.design
        self._scorers = first, second
        self._scales = [max(scorer.loss(()), 1e-300) for scorer in self._scorers]

    def loss(self, items: Items) -> float:
        """Return the mean of the relative losses of one set."""
        pairs = zip(self._scorers, self._scales, strict=True)
        return float(np.mean([scorer.loss(items) / scale for scorer, scale in pairs]))

    def compute_losses(self, sets: Sequence[Items]) -> None:
        """Compute the losses of the sets that are not known yet."""
        for scorer in self._scorers:
            scorer.compute_losses(sets)
