"""Cascades from their definition: one row at a time, and all thresholds tried."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np
from scipy.optimize import minimize


def follow_row(
    stages: Sequence[tuple[Any, list[int]]],
    prices: Sequence[float],
    thresholds: Sequence[float],
    prior: np.ndarray,
    row: np.ndarray,
    budget: float,
) -> tuple[np.ndarray, float]:
    """Return the class probabilities of a row and what it paid, with a price per column.

    `stages` are fitted models with the columns of each.
    """
    owned: set[int] = set()
    spent, answer = 0.0, prior
    for number, (model, columns) in enumerate(stages):
        price = sum(prices[column] for column in set(columns) - owned)
        if spent + price > budget * (1 + 1e-9):
            continue
        spent += price
        owned.update(columns)
        [answer] = model.predict_proba(row[None, columns])
        if number < len(thresholds) and answer.max() >= thresholds[number]:
            break
    return answer, spent


def least_cost(
    spend: np.ndarray, wrong: np.ndarray, scores: np.ndarray, error_cost: float
) -> float:
    """Return the least mean spend plus cost of errors of any thresholds (rows x stages)."""
    n, n_cuts = scores.shape
    tried = [[*np.unique(scores[:, k]), np.inf] for k in range(n_cuts)]
    best = np.inf
    for cuts in product(*tried):
        total = 0.0
        for i in range(n):
            last = next((k for k in range(n_cuts) if scores[i, k] >= cuts[k]), n_cuts)
            total += spend[i, last] + error_cost * wrong[i, last]
        best = min(best, total / n)
    return best


def sent_on(gate: np.ndarray, gains: np.ndarray, share: float) -> np.ndarray:
    """Return the q that minimise mean(-q * gains + KL(q || gate)) with mean(q) <= share."""

    def objective(q: np.ndarray) -> float:
        divergence = q * np.log(q / gate) + (1 - q) * np.log((1 - q) / (1 - gate))
        return float((-q * gains + divergence).mean())

    n = len(gate)
    found = minimize(
        objective, np.full(n, min(share, 0.5)), method="SLSQP", bounds=[(1e-9, 1 - 1e-9)] * n,
        constraints={"type": "ineq", "fun": lambda q: share - q.mean()},
        options={"maxiter": 500, "ftol": 1e-13},
    )  # fmt: skip
    return found.x
