"""The mean cost of errors, as a scorer and from confusion matrices."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..data.error_costs import cost_matrix
from ..types import Floats, Ints

#: The name of the scorer, beside those of scikit-learn.
ERROR_COST = "neg_error_cost"


def class_positions(y: NDArray[Any], classes: NDArray[Any]) -> Ints:
    """Return the position of each label among sorted classes; -1 if it is none of them."""
    places = np.minimum(np.searchsorted(classes, y), len(classes) - 1)
    return np.where(classes[places] == y, places, -1)


def row_costs(
    y: NDArray[Any], labels: NDArray[Any], classes: NDArray[Any], costs: Floats
) -> Floats:
    """Return the cost of the label of each row; `labels` may have further axes."""
    true, predicted = class_positions(y, classes), class_positions(labels, classes)
    if (true < 0).any():
        unknown = y[true < 0][0]
        raise ValueError(
            f"y holds {unknown!r}, whose errors have no cost; expected one of "
            f"{', '.join(map(str, classes.tolist()))}."
        )
    return np.asarray(costs[true.reshape(-1, *[1] * (predicted.ndim - 1)), predicted])


def confusion_matrices(
    y: NDArray[Any], labels: NDArray[Any], classes: NDArray[Any], weight: Floats | None
) -> Floats | None:
    """Return the shares (answers, true, predicted) of rows, from labels (rows, answers).

    None if y holds other classes.
    """
    true, n = class_positions(y, classes), len(classes)
    if (true < 0).any():
        return None
    cells = true[:, None] * n + class_positions(labels, classes)
    counts = [np.bincount(column, weight, n * n) for column in cells.T]
    return np.stack([count.reshape(n, n) / count.sum() for count in counts])


def error_cost_scorer(error_cost: Any) -> Callable[..., float]:
    """Return a scorer (estimator, X, y) of minus the mean cost of errors.

    It fits scikit-learn's `GridSearchCV` and `cross_val_score` as well as `Curve`.

    Parameters
    ----------
    error_cost : mapping, array (classes, classes) or float
        What errors cost, as in `BudgetedBoostingClassifier`.

    Examples
    --------
    >>> from sklearn.dummy import DummyClassifier
    >>> never = DummyClassifier(strategy="constant", constant="well")
    >>> y = ["sick", "well", "well", "well"]
    >>> scorer = error_cost_scorer({"sick->well": 1000, "well->sick": 200})
    >>> scorer(never.fit([[0]] * 4, y), [[0]] * 4, y)
    -250.0
    """

    def score(estimator: Any, X: Any, y: Any, sample_weight: Any = None) -> float:
        classes = np.asarray(estimator.classes_)
        costs, labels = cost_matrix(error_cost, classes), np.asarray(estimator.predict(X))
        rows = row_costs(np.asarray(y), labels, classes, costs)
        return -float(np.average(rows, weights=sample_weight))

    score.__name__ = "error_cost"
    return score
