"""Small tables with prices that several tests share."""

import numpy as np

from scrimp import BudgetedSVC, BudgetedSVR, Costs
from tests.naive import ltb as naive

LOSSES = naive.LOSSES
LABELS = [0, 0, 1, 2, 2, 3, 4, 4]
GROUPS = [np.flatnonzero(np.array(LABELS) == group).tolist() for group in range(5)]
PRICES = [2.0, 1.0, 3.0, 0.5, 1.5]
COSTS = Costs.per_group(LABELS, PRICES)
EPSILON = 0.1


def table(loss, seed=0, n=40):
    """Correlated columns; labels -1 and 1, or numbers."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 8)) @ (np.eye(8) + 0.4 * rng.normal(size=(8, 8)))
    signal = X @ rng.normal(size=8) + rng.normal(size=n)
    return X, signal if naive.is_regression(loss) else np.where(signal > np.median(signal), 1.0, -1)


def model(loss, costs=COSTS, budget=4.0, **settings):
    """The estimator of a loss."""
    if naive.is_regression(loss):
        return BudgetedSVR(costs, budget, loss=loss, epsilon=EPSILON, **settings)
    return BudgetedSVC(costs, budget, loss=loss, **settings)


def trained_on(X, y, columns, C, loss):
    """The naive SVM trained on some of the columns."""
    bought = np.zeros(X.shape[1])
    bought[list(columns)] = 1.0
    return naive.svm(X, y, bought, C, loss, EPSILON)
