"""The papers' datasets: every feature and the label collapsed to 0 or 1.

A number becomes one feature for each threshold between two of its values, a category one for
each of its values; each of these features has its own price.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from scrimp.datasets import fetch, fetch_arrays

Bits = NDArray[np.uint8]
#: Census: the number of ranges that each number is cut into, which makes 131 features in all.
CENSUS_RANGES = 6


@dataclass(frozen=True, eq=False)
class Binary:
    """A dataset of 0/1 features with two classes.

    Parameters
    ----------
    name : str
        The papers' name for it.
    X : uint8 array (rows, features)
        0 and 1.
    y : int array (rows,)
        0 and 1.
    remark : str
        What it was made of.
    """

    name: str
    X: Bits
    y: NDArray[np.int64]
    remark: str


def binary(name: str) -> Binary:
    """Return a dataset of the papers, made from public data.

    Parameters
    ----------
    name : str
        One of `NAMES`.

    Raises
    ------
    DatasetUnavailable
        If the data is not available.
    """
    return _MAKERS[name]()


def threshold_features(X: Any) -> Bits:
    """Return one 0/1 feature per midpoint between neighbouring values of each column.

    A missing value is above no threshold.

    >>> threshold_features([[1.0], [3.0], [2.0], [1.0]]).tolist()
    [[0, 0], [1, 1], [1, 0], [0, 0]]
    """
    columns = np.asarray(X, dtype=np.float64).T
    return _stacked([_above(x, _midpoints(x)) for x in columns])


def category_features(column: pl.Series) -> Bits:
    """Return one 0/1 feature per category, missing included; of two, only the last.

    >>> category_features(pl.Series(["b", "a", None])).tolist()
    [[0, 0, 1], [0, 1, 0], [1, 0, 0]]
    >>> category_features(pl.Series(["no", "yes", "no"])).tolist()
    [[0], [1], [0]]
    """
    names = column.unique().sort().to_list()
    indicators = [column.eq_missing(name).to_numpy()[:, None] for name in names]
    return _stacked(indicators[1:] if len(indicators) == 2 else indicators)


def range_features(x: NDArray[Any], ranges: int) -> Bits:
    """Return one 0/1 feature per range, of some ranges of equal width."""
    inner = np.linspace(x.min(), x.max(), ranges + 1)[1:-1]
    return np.asarray(np.searchsorted(inner, x)[:, None] == np.arange(ranges), dtype=np.uint8)


def _midpoints(x: NDArray[Any]) -> NDArray[Any]:
    values = np.unique(x[~np.isnan(x)])
    return np.asarray((values[:-1] + values[1:]) / 2.0)


def _above(x: NDArray[Any], cuts: NDArray[Any]) -> Bits:
    return np.asarray(x[:, None] > cuts, dtype=np.uint8)


def _stacked(parts: list[Any]) -> Bits:
    return np.hstack(parts).astype(np.uint8)


def _numbers(name: str, dataset: str, positive: str | None = None, remark: str = "") -> Binary:
    data = fetch(dataset)
    y = data.y if positive is None else data.y == positive
    X = threshold_features(data.X.cast(pl.Float64).to_numpy())
    return Binary(name, X, y.astype(np.int64), remark or "every threshold of its numbers")


def _breast_cancer() -> Binary:
    numbers = _numbers("breast_cancer", "breast_cancer_wisconsin")
    missing = fetch("breast_cancer_wisconsin").X["bare_nuclei"].is_null().to_numpy()
    X = np.hstack([numbers.X, missing[:, None].astype(np.uint8)])
    remark = "every threshold of its numbers, and whether `bare_nuclei` is missing"
    return Binary("breast_cancer", X, numbers.y, remark)


def _splice() -> Binary:
    data = fetch("splice")
    plain = np.array([set(row) <= set("ACGT") for row in data.X.rows()])
    X = _stacked([category_features(column) for column in data.X.filter(plain)])
    remark = "each of four letters at 60 places; both kinds of splice against neither; without "
    remark += f"the {int((~plain).sum())} rows that hold an ambiguous letter"
    return Binary("splice", X, (data.y[plain] != "N").astype(np.int64), remark)


def _census() -> Binary:
    data = fetch("adult")
    parts = [
        category_features(column)
        if column.dtype == pl.String
        else range_features(column.to_numpy(), CENSUS_RANGES)
        for column in data.X
    ]
    remark = "UCI adult without `fnlwgt`: its categories (missing is one), and its numbers by "
    remark += f"{CENSUS_RANGES} ranges of equal width"
    return Binary("census", _stacked(parts), data.y.astype(np.int64), remark)


def _ocr(name: str, no: int, yes: int) -> Binary:
    """Return two digits as 14 x 14 pixels of four grey levels: means of 2 x 2 pixels."""
    data = fetch_arrays("mnist")
    rows = np.isin(data.y, (no, yes))
    means = data.X[rows].reshape(-1, 14, 2, 14, 2).mean(axis=(2, 4)).reshape(-1, 196)
    X = threshold_features(np.floor(means / 64.0))
    remark = f"MNIST's {no} and {yes} in place of NIST's, as 14 x 14 pixels of four levels"
    return Binary(name, X, (data.y[rows] == yes).astype(np.int64), remark)


_MAKERS: dict[str, Callable[[], Binary]] = {
    "ocr17": lambda: _ocr("ocr17", 1, 7),
    "ocr49": lambda: _ocr("ocr49", 4, 9),
    "splice": _splice,
    "census": _census,
    "breast_cancer": _breast_cancer,
    "ecoli": lambda: _numbers("ecoli", "ecoli", "cp", "every threshold; `cp` against the rest"),
    "sonar": lambda: _numbers("sonar", "sonar"),
    "heart": lambda: _numbers("heart", "heart_statlog", None, "Statlog heart, every threshold"),
    "ionosphere": lambda: _numbers("ionosphere", "ionosphere"),
}
NAMES = tuple(_MAKERS)
