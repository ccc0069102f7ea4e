"""A table in bins, and stumps on its columns."""

from __future__ import annotations

import math
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...kernels.binning import bin_columns
from ...kernels.cuts import find_cuts
from ...kernels.stumps import CODE, PRESENT
from ...types import Floats


@dataclass(frozen=True)
class Stump:
    """A vote on one column: inside if ``low <= x <= high``, outside, or missing."""

    column: int
    low: float
    high: float
    inside: float
    outside: float
    missing: float
    edge: float


def bin_table(
    X: NDArray[Any],
    weight: Floats | None,
    categorical: NDArray[np.bool_],
    max_bins: int,
    sample_rows: int,
    random_state: int | np.random.Generator,
    pool: Executor | None,
) -> tuple[list[Floats], NDArray[Any]]:
    """Return the cuts of each column, by quantiles of some rows, and its bins (columns x rows)."""
    rng = np.random.default_rng(random_state)
    n = len(X)
    rows = np.sort(rng.choice(n, min(n, sample_rows), replace=False, shuffle=False))
    cuts = find_cuts(X, categorical, max_bins, rows, weight, pool)
    return cuts, bin_columns(X, cuts, pool)


def interval(kind: int, at: int, cuts: Floats) -> tuple[float, float]:
    """Return what is inside: one code, all that is present, or all up to a cut."""
    if kind == CODE:
        return at - 0.5, at + 0.5
    return -math.inf, math.inf if kind == PRESENT else float(cuts[at])


def bins_inside(low: float, high: float, cuts: Floats, categorical: bool) -> NDArray[np.bool_]:
    """Return which bins of a column are inside an interval, except the bin of missing values."""
    # a number of each bin that is inside if the whole bin is
    numbers = np.arange(len(cuts) + 1.0) if categorical else np.append(cuts, np.inf)
    return np.asarray((low <= numbers) & (numbers <= high))
