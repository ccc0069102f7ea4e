"""Rows and folds of a comparison: what is sampled or left out, and why."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import RepeatedKFold, RepeatedStratifiedKFold

from ..types import Ints
from .methods import MOST_CLASSES

#: A row that is tested must have a companion of its class to learn from.
_LEAST = 2


@dataclass(frozen=True, eq=False)
class Division:
    """Rows of a table, divided into folds again and again.

    Parameters
    ----------
    rows : int array
        Which rows of the table take part, ascending.
    splits : list of (train, test)
        Positions in `rows`; first all folds of the first repeat, then those of the second.
    n_folds : int
        Folds a repeat.
    remarks : tuple of str
        What was done about rows and folds.
    """

    rows: Ints
    splits: list[tuple[Ints, Ints]]
    n_folds: int
    remarks: tuple[str, ...] = ()


def divide(
    y: NDArray[Any], task: str, n_folds: int, n_repeats: int, max_rows: int | None, seed: int
) -> Division:
    """Choose rows and folds so that every training has every class.

    Classes with one row are left out, for nothing could be learnt of them when it is tested.
    The rows of a class with fewer rows than folds are in different folds.
    """
    remarks: list[str] = []
    classes = task == "classification"
    rows = _sampled(y, classes, max_rows, seed, remarks)
    if classes:
        rows = _without_singles(y, rows, remarks)
    n_folds = _affordable(y[rows], classes, n_folds, remarks)
    kind = RepeatedStratifiedKFold if classes else RepeatedKFold
    folds = kind(n_splits=n_folds, n_repeats=n_repeats, random_state=seed)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="The least populated class")
        splits = list(folds.split(rows, y[rows]))
    return Division(rows, splits, n_folds, tuple(remarks))


def _sampled(
    y: NDArray[Any], classes: bool, most: int | None, seed: int, remarks: list[str]
) -> Ints:
    """All rows, or so many of them, each class with its share."""
    if most is None or len(y) <= most:
        return np.arange(len(y))
    chance = np.random.default_rng(seed).random(len(y))
    order = (
        np.lexsort((chance, np.unique(y, return_inverse=True)[1])) if classes else chance.argsort()
    )
    chosen = np.linspace(0, len(y) - 1, most).round().astype(np.intp)
    remarks.append(f"Compared on {most:,} of {len(y):,} rows, drawn at random.")
    return np.sort(order[chosen])


def _without_singles(y: NDArray[Any], rows: Ints, remarks: list[str]) -> Ints:
    found, counts = np.unique(y[rows], return_counts=True)
    single = found[counts < _LEAST]
    if len(single):
        remarks.append(
            f"{_few(single)} 1 row only, which cannot be both learnt from and tested: left out."
        )
        rows = rows[~np.isin(y[rows], single)]
    if len(found) - len(single) < 2:
        many = len(found) > MOST_CLASSES
        raise ValueError(
            f"{len(found) - len(single)} of {len(found)} classes have at least {_LEAST} rows; a "
            "comparison needs two such classes. "
            + ("Is this the right target, or an identifier?" if many else "Give more rows.")
        )
    return rows


def _affordable(y: NDArray[Any], classes: bool, n_folds: int, remarks: list[str]) -> int:
    """So many folds, or fewer where rows are too few."""
    if n_folds < 2:
        raise ValueError(f"There are to be {n_folds} folds; expected at least 2.")
    if not classes:
        if len(y) < 2 * _LEAST:
            raise ValueError(f"A comparison needs at least {2 * _LEAST} rows; here are {len(y)}.")
        return min(n_folds, len(y) // _LEAST)
    found, counts = np.unique(y, return_counts=True)
    n = min(n_folds, int(counts.max()))
    if n < n_folds:
        remarks.append(f"{n} folds instead of {n_folds}: no class has more rows.")
    if len(rare := found[counts < n]):
        remarks.append(
            f"{_few(rare)} fewer rows than the {n} folds: not every fold tests them, and "
            "what is learnt of them is little."
        )
    return n


def _few(labels: NDArray[Any], most: int = 6) -> str:
    """The beginning of a sentence about classes."""
    names = ", ".join(map(str, labels[:most].tolist()))
    more = f" and {len(labels) - most} more" if len(labels) > most else ""
    return f"Class {names} has" if len(labels) == 1 else f"Classes {names}{more} have"
