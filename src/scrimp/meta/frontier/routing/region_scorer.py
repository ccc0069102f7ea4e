"""The cross-validated loss of item sets in a region of the rows."""

from __future__ import annotations

from concurrent.futures import Executor

import numpy as np

from ....costs.item_sets import Items
from ....plans.components.models.links import LINKS
from ....types import Flags, Floats
from ..design import Design
from ..set_scorer import SetScorer, TreeOptions
from ..training_target import TrainingTarget

#: The weight of rows outside a region in the models of the region: they know less of it, and
#: help where its own rows are few.
OUTSIDE_WEIGHT = 0.2


def link_of(target: TrainingTarget) -> str:
    """Return the name of the link from boosting scores to predictions."""
    if not target.n_classes:
        return "identity"
    return "logistic" if target.n_classes == 2 else "softmax"


def learning_rows(inside: Flags, enough: int, rng: np.random.Generator) -> Flags:
    """Return the rows to learn from: those of a region and, up to a number, some others."""
    learns, outside = inside.copy(), np.flatnonzero(~inside)
    lacking = enough - int(inside.sum())
    if lacking > 0:
        learns[rng.permutation(outside)[:lacking]] = True
    return learns


def region_target(target: TrainingTarget, inside: Flags) -> TrainingTarget:
    """Return the target with smaller weights of the rows outside a region."""
    weights = np.where(inside, target.weights, OUTSIDE_WEIGHT * target.weights)
    return TrainingTarget(target.y, weights, target.n_classes)


class RegionScorer(SetScorer):
    """Cross-validates boosted trees on item sets, on the rows of a region.

    Parameters
    ----------
    design, target
        The prepared columns and the training target of all rows.
    inside : bool array (rows,)
        The rows of the region, on which losses are estimated.
    learns : bool array (rows,)
        The rows that models learn from: those of the region, and maybe others with a smaller
        weight.
    n_folds, rng, pool
        As in `SetScorer`.
    """

    def __init__(
        self, design: Design, target: TrainingTarget, inside: Flags, learns: Flags, n_folds: int,
        rng: np.random.Generator, pool: Executor | None = None,
    ) -> None:  # fmt: skip
        super().__init__(design, region_target(target, inside), n_folds, rng, pool)
        self.inside = np.flatnonzero(inside)
        self._fold_rows = [
            (
                np.flatnonzero(learns & (self._fold_of != fold)),
                np.flatnonzero(inside & (self._fold_of == fold)),
            )
            for fold in range(n_folds)
        ]

    def _boost(
        self, columns: np.ndarray, fold: int, options: TreeOptions, scores: Floats
    ) -> tuple[float, float]:
        return self._boost_rows(columns, *self._fold_rows[fold], options, scores)

    def gains(self, scores: Floats) -> dict[int, float]:
        """Return how much one split by each item would lower the loss in the region."""
        return self._gains_of(self.inside, scores)

    def row_losses(self, items: Items) -> Floats:
        """Return the out-of-fold log loss or squared error of each row of the region."""
        scores = self.score([items])[0].scores[self.inside]
        predictions = LINKS[link_of(self.target)](scores)
        return self.target.subset(self.inside).row_log_losses(predictions)
