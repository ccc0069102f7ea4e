"""Sequences by refits on the rows wherever the thesis has one, to time them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scrimp.types import Floats, Ints


@dataclass(frozen=True, eq=False)
class Rows:
    """Columns and a response of mean 0 and variance 1, the groups, their prices, and a ridge."""

    X: Floats
    y: Floats
    groups: list[Ints]
    prices: Floats
    ridge: float

    @classmethod
    def of(
        cls, X: NDArray[np.float32], y: Floats, groups: list[Ints], prices: Floats, ridge: float
    ) -> Rows:
        """Standardise the rows; a constant column is 0."""
        spread = X.std(axis=0, dtype=np.float64)
        columns = (X - X.mean(axis=0, dtype=np.float64)) / np.where(spread > 0, spread, 1.0)
        return cls(columns, (y - y.mean()) / y.std(), groups, prices, ridge)

    def fitted(self, chosen: list[int]) -> Floats:
        """Return the predictions of the ridge regression on some groups."""
        if not chosen:
            return np.zeros_like(self.y)
        part = self.X[:, np.concatenate([self.groups[g] for g in chosen])]
        answers: Floats = part @ np.linalg.solve(self.matrix(part), part.T @ self.y / len(part))
        return answers

    def matrix(self, part: Floats) -> Floats:
        """Return correlations with the ridge added."""
        correlations: Floats = part.T @ part / len(part) + self.ridge * np.eye(part.shape[1])
        return correlations

    def left(self, chosen: list[int]) -> list[int]:
        """Return the groups that are not chosen."""
        return [g for g in range(len(self.groups)) if g not in chosen]


def forward_by_refits(rows: Rows) -> list[int]:
    """Return the order of CS-G-FR, by one refit per candidate and step."""
    chosen: list[int] = []
    before = 0.0
    while left := rows.left(chosen):
        after = np.array([rows.y @ rows.fitted([*chosen, g]) / len(rows.y) for g in left])
        best = int(np.argmax((after - before) / rows.prices[left]))
        before = float(after[best])
        chosen.append(left[best])
    return chosen


def omp_by_refits(rows: Rows) -> list[int]:
    """Return the order of CS-G-OMP, by one refit per step."""
    inverses = [np.linalg.inv(rows.matrix(rows.X[:, group])) for group in rows.groups]
    chosen: list[int] = []
    while left := rows.left(chosen):
        gradient = rows.X.T @ (rows.y - rows.fitted(chosen)) / len(rows.y)
        parts = [(gradient[rows.groups[g]], inverses[g]) for g in left]
        values = np.array([part @ inverse @ part for part, inverse in parts])
        chosen.append(left[int(np.argmax(values / rows.prices[left]))])
    return chosen
