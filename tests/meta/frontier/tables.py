"""Small problems that the tests of the frontier share."""

from __future__ import annotations

import numpy as np

from scrimp import Costs, Item
from scrimp.data.columns import Columns
from scrimp.meta.frontier.design import Design
from scrimp.meta.frontier.problem import Problem, TrainingSet
from scrimp.meta.frontier.set_scorer import SetScorer
from scrimp.meta.frontier.training_target import TrainingTarget

#: Two tests share a fee, one is free, one brings two columns and one requires another.
COSTS = Costs.from_items(
    [
        Item("fee", 2.0, ()),
        Item("a", 1.0, ("x0",), ("fee",)),
        Item("b", 0.5, ("x1",), ("fee",)),
        Item("gift", 0.0, ("x2",)),
        Item("pair", 4.0, ("x3", "x4")),
        Item("late", 3.0, ("x5",), ("a",)),
    ]
)
COSTS = Costs(COSTS.names, COSTS.prices, COSTS.columns, COSTS.requires)


def table(n=240, seed=0, missing=0.05):
    """Six columns and what they say, the last two of them little."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 6))
    signal = X @ [1.5, 1.0, 0.3, 1.0, 0.0, 0.6]
    X[rng.random(X.shape) < missing] = np.nan
    return X, signal


def response(signal, n_classes, seed=0):
    """The signal under noise, or the class it falls in."""
    noisy = signal + 0.5 * np.random.default_rng(seed).normal(size=len(signal))
    if not n_classes:
        return noisy
    return np.searchsorted(np.quantile(noisy, np.arange(1, n_classes) / n_classes), noisy)


def rows_of(n_classes, n=240, seed=0, weighted=False, y=None):
    """Training rows, ready for a base learner; and the table."""
    X, signal = table(n, seed)
    y = response(signal, n_classes, seed) if y is None else y
    rng = np.random.default_rng(seed)
    weights = rng.uniform(0.5, 1.5, n) if weighted else np.ones(n)
    design = Design.of(X, Columns(None, (None,) * 6), COSTS)
    target = TrainingTarget(y.astype(np.float64), weights, n_classes)
    columns = Columns(None, (None,) * 6)
    problem = Problem(X, y, np.array([]), columns, X, target, COSTS, (COSTS.total,), 0)
    scorer = SetScorer(design, target, 3, rng)
    return TrainingSet(problem, np.arange(n), (design, scorer)), X
