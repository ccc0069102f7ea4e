"""The training rows of boosted trees, and those of them that are held out."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...data.folds import Splits, splits_of, spread_folds
from ...types import Ints
from .tree_grower import TreeGrower
from .tree_loss import TreeLoss

#: Rows up to which the number of trees is chosen by cross-validation. Of more a part is held out.
MAX_CV_ROWS = 4_000
#: The folds of that cross-validation.
N_FOLDS = 5
#: Rows of several classes that are held out in a cross-validation: folds are tested until there
#: are so many, because each score per row makes a training dearer.
ENOUGH_HELD_OUT = 1_000
#: Held-out rows, at most: more tell hardly more.
MAX_HELD_OUT = 20_000


@dataclass(frozen=True)
class StoppingOptions:
    """How the number of trees is chosen.

    Parameters
    ----------
    early : bool
        Whether held-out rows choose it.
    part : float
        The part of the rows that is held out, where these are many.
    """

    early: bool = True
    part: float = 0.1


@dataclass(frozen=True, eq=False)
class TreeRows:
    """Training rows, their loss, and how columns are binned.

    Parameters
    ----------
    table : float array (rows, columns)
        Numbers, codes of categories, NaN where a value is missing.
    loss : TreeLoss
        The loss of the rows.
    bin_options : dict
        As in `TreeGrower`.
    """

    table: NDArray[Any]
    loss: TreeLoss
    bin_options: dict[str, Any]

    def grower(self) -> TreeGrower:
        """Return the binned table, a context manager."""
        weights = self.loss.weights
        return TreeGrower(self.table, weights if len(weights) > 1 else None, **self.bin_options)

    def taken(self, rows: Ints) -> TreeRows:
        """Return some of the rows."""
        loss = self.loss
        weights = loss.weights[rows] if len(loss.weights) > 1 else loss.weights
        part = replace(loss, y=loss.y[rows], weights=weights)
        return replace(self, table=self.table[rows], loss=part)

    def splits(self, stopping: StoppingOptions, seed: int) -> Splits:
        """Return folds, or one split where there are many rows; none without early stopping."""
        n, rng = len(self.loss.y), np.random.default_rng(seed)
        if not stopping.early or n < 2:
            return []
        is_class = self.loss.n_classes > 0
        if n <= MAX_CV_ROWS:
            n_folds = n_tested = min(N_FOLDS, n)
            if self.loss.n_outputs > 1:
                n_tested = min(n_folds, -(-ENOUGH_HELD_OUT * n_folds // n))
        else:
            n_folds, n_tested = round(1.0 / min(stopping.part, MAX_HELD_OUT / n)), 1
        return splits_of(spread_folds(self.loss.y, n_folds, rng, is_class), n_tested)
