"""Labels of two classes as signs, with weights."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.multiclass import check_classification_targets, type_of_target

from ..estimator import rows_that_count


@dataclass(frozen=True, eq=False)
class SignedRows:
    """The rows that count in a training.

    Parameters
    ----------
    table : array (rows, columns)
        Those with a positive weight.
    signs : int array (rows,)
        -1 for the first class, +1 for the second.
    weights : float array (rows,), or None if they are all equal
        At most 1.
    classes : array (2,)
        Sorted.
    prior : float
        Half the log-odds of the second class, the scale of AdaBoost's votes.
    """

    table: NDArray[Any]
    signs: NDArray[np.int8]
    weights: NDArray[np.float64] | None
    classes: NDArray[Any]
    prior: float


def signed_rows(table: NDArray[Any], y: NDArray[Any], sample_weight: Any) -> SignedRows:
    """Check labels and weights; leave out rows of weight 0."""
    check_classification_targets(y)
    kind = type_of_target(y, input_name="y")
    if kind != "binary":
        raise ValueError(
            f"Only binary classification is supported. The type of the target is {kind}."
        )
    table, y, weights = rows_that_count(table, y, sample_weight)
    classes = np.unique(y)
    if len(classes) < 2:
        raise ValueError(
            f"y holds one class only, {classes.tolist()}, among the rows with a positive "
            "weight; expected two classes."
        )
    second = y == classes[1]
    weights /= weights.max()
    share = weights[second].sum() / weights.sum()
    return SignedRows(
        table,
        np.where(second, 1, -1).astype(np.int8),
        None if (weights == 1.0).all() else weights,
        classes,
        0.5 * math.log(share / (1.0 - share)),
    )
