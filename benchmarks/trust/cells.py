"""Paired comparisons of losses, and which of many are significant."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.stats import norm

from benchmarks.study.measuring import holm

LEVEL = 0.05
#: Losses of a row that differ by a smaller part are the same.
ROUNDING = 1e-9
#: A mean that is larger by a smaller part of the reference is no defect, however sure it is.
SMALLEST_PART = 1e-3


@dataclass(frozen=True)
class Cell:
    """A loss against that of a reference on the same rows.

    Parameters
    ----------
    kind : str
        What is tried, one of the `KINDS` of the report.
    situation : str
        The budget, and what is owned, failed or lacking.
    loss : str
        "wrong", "log loss" or "squared error".
    mean, reference : float
        Mean losses.
    z : float
        Their difference over its standard error; positive where the reference is better.
    """

    kind: str
    situation: str
    loss: str
    mean: float
    reference: float
    z: float


def cell(
    kind: str,
    situation: str,
    loss: str,
    losses: np.ndarray,
    references: np.ndarray,
    groups: np.ndarray | None = None,
) -> Cell:
    """Return the comparison of two losses; rows of a group count as one observation.

    >>> compared = cell("budget", "1%", "wrong", np.array([1.0, 1, 1, 0]), np.zeros(4))
    >>> round(compared.z, 3)
    3.0
    """
    differences = losses - references
    # equal answers that are rounded otherwise are equal
    differences[np.abs(differences) <= ROUNDING * np.abs(references)] = 0.0
    z = paired_z(differences, groups)
    return Cell(kind, situation, loss, float(losses.mean()), float(references.mean()), z)


def paired_z(differences: np.ndarray, groups: np.ndarray | None = None) -> float:
    """Return the mean of differences over its standard error; 0 where all of them are 0."""
    residuals = differences - differences.mean()
    if groups is not None:
        residuals = np.bincount(groups, residuals)
    n = len(residuals)
    error = np.sqrt((residuals**2).sum() * n / (n - 1)) / len(differences)
    if error == 0:
        return float(np.sign(differences.mean()) * 1e3)
    return float(differences.mean() / error)


def significant(cells: Sequence[Cell]) -> list[Cell]:
    """Return the cells that are worse than their reference, after Holm over all of them."""
    adjusted = holm(norm.sf([each.z for each in cells]).tolist()) if cells else []
    worse = [
        each
        for each, p in zip(cells, adjusted, strict=True)
        if p < LEVEL and each.mean > (1.0 + SMALLEST_PART) * each.reference
    ]
    return sorted(worse, key=lambda each: -each.z)
