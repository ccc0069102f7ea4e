"""The rows and folds of a comparison, with remarks on what was sampled or left out."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..data.folds import Splits, given_splits, group_splits, repeated_splits
from ..data.validation import check_choice
from ..types import Ints
from .methods import MOST_CLASSES

#: A row that is tested must have another one of its class to learn from.
MIN_CLASS_ROWS = 2


@dataclass(frozen=True, eq=False)
class Division:
    """Rows of a table, divided into folds several times.

    Parameters
    ----------
    rows : int array
        The rows of the table that take part, ascending.
    splits : list of (train, test)
        Positions in `rows`; first all folds of the first repeat, then those of the second.
    n_folds : int
        Folds per repeat.
    remarks : tuple of str
        Sentences on rows and folds that differ from what was asked for.
    """

    rows: Ints
    splits: Splits
    n_folds: int
    remarks: tuple[str, ...] = ()


def divide(
    y: NDArray[Any], task: str, n_folds: int, n_repeats: int, max_rows: int | None, seed: int,
    groups: NDArray[Any] | None = None, cv: Any = None,
) -> Division:  # fmt: skip
    """Return rows and folds such that every training set has every class.

    Classes with one row are left out, because nothing could be learnt of them when it is
    tested. The rows of a class with fewer rows than folds are in different folds.

    Parameters
    ----------
    y : array (rows,)
        The target.
    task : {"classification", "regression"}
        What is predicted.
    n_folds, n_repeats, max_rows, seed : int
        As in `compare`.
    groups : array (rows,), optional
        Rows that belong together: those of a group are in one fold.
    cv : int, "time", splitter or iterable of (train, test), optional
        A number of folds, folds in the order of time, or given ones; the latter are one repeat.
    """
    if isinstance(cv, int | np.integer):
        n_folds, cv = int(cv), None
    remarks: list[str] = []
    classes = task == "classification"
    rows = _sampled(y, classes, max_rows, seed, remarks)
    if classes:
        rows = _without_singles(y, rows, remarks)
    if cv is not None:
        splits = _splits_of_cv(cv, y, rows, groups, n_folds, remarks)
        _check_training_classes(y[rows], splits, classes)
        return Division(rows, splits, len(splits), tuple(remarks))
    n_folds = _feasible_folds(y[rows], classes, n_folds, remarks)
    if groups is not None:
        n_folds = _folds_of_groups(groups[rows], n_folds, remarks)
        splits = group_splits(y[rows], groups[rows], n_folds, n_repeats, seed, stratified=classes)
        _check_training_classes(y[rows], splits, classes)
        return Division(rows, splits, n_folds, tuple(remarks))
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="The least populated class")
        splits = repeated_splits(rows, y[rows], n_folds, n_repeats, seed, stratified=classes)
    return Division(rows, splits, n_folds, tuple(remarks))


def _splits_of_cv(
    cv: Any, y: NDArray[Any], rows: Ints, groups: NDArray[Any] | None, n_folds: int,
    remarks: list[str],
) -> Splits:  # fmt: skip
    """Return the folds of the user, or those that train on earlier rows and test on later ones."""
    from sklearn.model_selection import TimeSeriesSplit

    if isinstance(cv, str):
        check_choice("cv", cv, ("time",))
        if groups is not None:
            raise ValueError(
                "groups and cv='time' exclude each other. Leave one of them out, or give cv a "
                "splitter that keeps groups together and in the order of time."
            )
        splits = list(TimeSeriesSplit(n_folds).split(rows))
        remarks.append(
            f"Each fold trains on the rows before those it tests; the first {len(splits[0][0]):,} "
            "rows are never tested."
        )
        return splits
    splits = given_splits(cv, np.zeros((len(y), 1)), y, rows, groups)
    if not splits or not all(len(train) and len(test) for train, test in splits):
        raise ValueError("cv has no folds, or one without rows to train on or to test.")
    return splits


def _folds_of_groups(groups: NDArray[Any], n_folds: int, remarks: list[str]) -> int:
    """Return the number of folds, reduced where groups are too few."""
    n_groups = len(np.unique(groups))
    if n_groups < 2:
        raise ValueError(f"groups has {n_groups} group; expected at least 2 to divide into folds.")
    if n_groups < n_folds:
        remarks.append(f"{n_groups} folds instead of {n_folds}: there are no more groups.")
    return min(n_folds, n_groups)


def _check_training_classes(y: NDArray[Any], splits: Splits, classes: bool) -> None:
    """Refuse folds that cannot learn a class because all of its rows are tested, or come later."""
    labels = np.unique(y)
    for number, (train, _) in enumerate(splits if classes else (), start=1):
        lacking = np.setdiff1d(labels, y[train])
        if len(lacking):
            raise ValueError(
                f"{_few(lacking)} no row to learn from in fold {number} of {len(splits)}. Use "
                "fewer folds, or leave the class out."
            )


def _sampled(
    y: NDArray[Any], classes: bool, max_rows: int | None, seed: int, remarks: list[str]
) -> Ints:
    """Return all rows, or a sample of them with the same shares of the classes."""
    if max_rows is None or len(y) <= max_rows:
        return np.arange(len(y))
    draws = np.random.default_rng(seed).random(len(y))
    order = (
        np.lexsort((draws, np.unique(y, return_inverse=True)[1])) if classes else draws.argsort()
    )
    places = np.linspace(0, len(y) - 1, max_rows).round().astype(np.intp)
    remarks.append(f"Compared on {max_rows:,} of {len(y):,} rows, drawn at random.")
    return np.sort(order[places])


def _without_singles(y: NDArray[Any], rows: Ints, remarks: list[str]) -> Ints:
    """Return the rows of classes that have two rows or more."""
    classes, counts = np.unique(y[rows], return_counts=True)
    single = classes[counts < MIN_CLASS_ROWS]
    if len(single):
        remarks.append(
            f"{_few(single)} 1 row only, which cannot be both learnt from and tested: left out."
        )
        rows = rows[~np.isin(y[rows], single)]
    if len(classes) - len(single) < 2:
        many = len(classes) > MOST_CLASSES
        raise ValueError(
            f"{len(classes) - len(single)} of {len(classes)} classes have at least "
            f"{MIN_CLASS_ROWS} rows; a comparison needs two such classes. "
            + ("Is this the right target, or an identifier?" if many else "Give more rows.")
        )
    return rows


def _feasible_folds(y: NDArray[Any], classes: bool, n_folds: int, remarks: list[str]) -> int:
    """Return the number of folds, reduced where rows are too few."""
    if n_folds < 2:
        raise ValueError(f"There are to be {n_folds} folds; expected at least 2.")
    if not classes:
        min_rows = 2 * MIN_CLASS_ROWS
        if len(y) < min_rows:
            raise ValueError(f"A comparison needs at least {min_rows} rows; here are {len(y)}.")
        return min(n_folds, len(y) // MIN_CLASS_ROWS)
    labels, counts = np.unique(y, return_counts=True)
    n = min(n_folds, int(counts.max()))
    if n < n_folds:
        remarks.append(f"{n} folds instead of {n_folds}: no class has more rows.")
    if len(rare := labels[counts < n]):
        remarks.append(
            f"{_few(rare)} fewer rows than the {n} folds: not every fold tests them, and "
            "what is learnt of them is little."
        )
    return n


def _few(labels: NDArray[Any], limit: int = 6) -> str:
    """Return the beginning of a sentence about classes."""
    names = ", ".join(map(str, labels[:limit].tolist()))
    more = f" and {len(labels) - limit} more" if len(labels) > limit else ""
    return f"Class {names} has" if len(labels) == 1 else f"Classes {names}{more} have"
