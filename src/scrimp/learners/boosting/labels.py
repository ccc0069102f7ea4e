"""Labels of classes as numbers, with weights."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.multiclass import check_classification_targets

from ...data.validation import check_several
from ...types import Floats
from ..base import rows_that_count


@dataclass(frozen=True, eq=False)
class LabelledRows:
    """The rows that count in a training.

    Parameters
    ----------
    table : array (rows, columns)
        Those with a positive weight.
    labels : int array (rows,)
        Positions in `classes`.
    weights : float array (rows,), or None if they are all equal
        At most 1.
    classes : array
        Two or more, sorted.
    """

    table: NDArray[Any]
    labels: NDArray[np.intp]
    weights: Floats | None
    classes: NDArray[Any]

    @property
    def signs(self) -> NDArray[np.int8]:
        """Of two classes: -1 for the first, +1 for the second."""
        return np.where(self.labels == 1, 1, -1).astype(np.int8)

    @property
    def prior(self) -> float | Floats:
        """The scores, on the scale of AdaBoost's votes, of the classes' shares p.

        Of two classes half the log-odds of the second; else (K-1)(ln p - mean ln p), one a
        class (Zhu et al. 2009).
        """
        weights = np.ones(len(self.labels)) if self.weights is None else self.weights
        if len(self.classes) == 2:
            share = weights[self.labels == 1].sum() / weights.sum()
            return 0.5 * math.log(share / (1.0 - share))
        logs = np.log(np.bincount(self.labels, weights) / weights.sum())
        scores: Floats = (len(logs) - 1) * (logs - logs.mean())
        return scores


def labelled_rows(table: NDArray[Any], y: NDArray[Any], sample_weight: Any) -> LabelledRows:
    """Check labels and weights; leave out rows of weight 0."""
    check_classification_targets(y)
    table, y, weights = rows_that_count(table, y, sample_weight)
    classes, labels = np.unique(y, return_inverse=True)
    check_several(classes)
    weights /= weights.max()
    equal = bool((weights == 1.0).all())
    return LabelledRows(table, labels, None if equal else weights, classes)
