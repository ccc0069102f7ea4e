"""The model of any estimator refitted on prefixes, without a plan: a loop over budgets."""

from __future__ import annotations

import numpy as np
from sklearn.base import clone, is_classifier


def owned_after(costs, order, budget):
    """Items of the longest affordable prefix, each with what it requires."""
    owned = set()
    todo = list(order)
    while todo:
        free = [item for item in todo if costs.price_of([item], owned) == 0]
        item = free[0] if free else todo[0]
        wanted = owned | set(costs.closure([item]))
        if costs.price_of(wanted) > budget * (1 + 1e-9):
            break
        owned = wanted
        todo.remove(item)
    return owned


def predict(estimator, X, y, X_new, costs, order, budget, weights=None):
    """Probabilities or numbers, and what they cost."""
    owned = owned_after(costs, order, budget)
    columns = sorted(c for item in owned for c in costs.columns[item])
    options = {} if weights is None else {"sample_weight": weights}
    price = costs.price_of(owned)
    if columns:
        model = clone(estimator).fit(X[:, columns], y, **options)
        ask = model.predict_proba if is_classifier(model) else model.predict
        return ask(X_new[:, columns]), price
    weights = np.ones(len(y)) if weights is None else weights
    if not is_classifier(estimator):
        return np.full(len(X_new), np.average(y, weights=weights)), price
    shares = [weights[y == label].sum() for label in np.unique(y)]
    return np.tile(np.array(shares) / np.sum(shares), (len(X_new), 1)), price
