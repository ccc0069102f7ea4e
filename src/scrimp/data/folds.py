"""Folds for cross-validation: drawn at random, or given by the user."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import column_or_1d

from ..types import Ints
from .validation import int_array, is_missing

#: Positions of the training rows and of the test rows of each fold.
Splits = list[tuple[Ints, Ints]]


def spread_folds(y: NDArray[Any], n_folds: int, rng: np.random.Generator, stratified: bool) -> Ints:
    """Return the fold of each row; if stratified, the rows of each class are spread evenly.

    >>> spread_folds(np.array([0, 1, 0, 1]), 2, np.random.default_rng(0), True).tolist()
    [1, 0, 0, 1]
    """
    order = rng.permutation(len(y))
    if stratified:
        order = order[np.argsort(y[order], kind="stable")]
    fold_of = np.empty(len(y), dtype=np.int64)
    fold_of[order] = np.arange(len(y)) % n_folds
    return fold_of


def splits_of(fold_of: Ints, n_tested: int) -> Splits:
    """Return the splits that test the first folds, given the fold of each row."""
    return [
        (np.flatnonzero(fold_of != fold), np.flatnonzero(fold_of == fold))
        for fold in range(n_tested)
    ]


def repeated_splits(
    X: Any, y: Any, n_folds: int, n_repeats: int, random_state: Any, stratified: bool
) -> Splits:
    """Return scikit-learn's shuffled folds, first all folds of the first repeat, and so on."""
    from sklearn.model_selection import RepeatedKFold, RepeatedStratifiedKFold

    kind = RepeatedStratifiedKFold if stratified else RepeatedKFold
    folds = kind(n_splits=n_folds, n_repeats=n_repeats, random_state=random_state)
    return list(folds.split(X, y))


def group_numbers(groups: Any, n_rows: int, name: str = "groups") -> Ints:
    """Return the number of the group of each row.

    >>> group_numbers(["b", "a", "b"], 3).tolist()
    [1, 0, 1]
    """
    values = column_or_1d(groups, warn=False)
    have, are = ("has", "is") if name == "groups" else ("have", "are")
    if len(values) != n_rows:
        raise ValueError(f"{name} {have} {len(values)} entries; expected one per row: {n_rows}.")
    if any(map(is_missing, values.tolist())):
        raise ValueError(f"{name} {are} missing in some rows; every row needs its group.")
    return np.unique(values, return_inverse=True)[1]


def group_splits(
    y: NDArray[Any], groups: Ints, n_folds: int, n_repeats: int, seed: int, stratified: bool
) -> Splits:
    """Return shuffled folds that keep the rows of a group together, repeat after repeat.

    If stratified, the classes are spread as evenly as whole groups allow.

    >>> groups = np.array([0, 0, 1, 1, 2, 2])
    >>> splits = group_splits(np.zeros(6), groups, 3, 1, 0, False)
    >>> sorted(test.tolist() for _, test in splits)
    [[0, 1], [2, 3], [4, 5]]
    """
    from sklearn.model_selection import GroupKFold, StratifiedGroupKFold

    splits: Splits = []
    for repeat in range(n_repeats):
        options = {"n_splits": n_folds, "shuffle": True, "random_state": seed + repeat}
        folds = []
        if stratified:
            folds = list(StratifiedGroupKFold(**options).split(groups, y, groups))
        if not folds or not all(len(test) for _, test in folds):
            folds = list(GroupKFold(**options).split(groups, y, groups))
        splits += folds
    return splits


def given_splits(
    cv: Any, X: Any, y: Any, kept: Ints | None = None, groups: NDArray[Any] | None = None
) -> Splits:
    """Return the splits of a splitter, or of an iterable of (train, test), given by the user.

    Parameters
    ----------
    cv : splitter of scikit-learn, or iterable of (train, test)
        Positions, or masks, in the rows as given.
    X, y : table and array
        All rows as given.
    kept : int array, optional
        The positions of the rows with a positive weight, ascending; by default all rows.
        Folds that train on none of them, or test none, are left out.
    groups : array (rows,), optional
        Rows that belong together, for splitters that want to know.
    """
    splits = _split(cv, X, y, groups) if hasattr(cv, "split") else cv
    if kept is None:
        return kept_positions(splits, np.arange(len(y)), len(y))
    usable = [
        (train, test)
        for train, test in kept_positions(splits, kept, len(y))
        if len(train) and len(test)
    ]
    if not usable:
        raise ValueError(
            "cv has no folds with rows of positive weight to train on and to test. Give other "
            "folds."
        )
    return usable


def _split(cv: Any, X: Any, y: Any, groups: NDArray[Any] | None) -> list[tuple[Any, Any]]:
    """Return the splits of a splitter of scikit-learn, which may need groups."""
    try:
        return list(cv.split(X, y, groups))
    except ValueError as error:
        if groups is not None or "groups" not in str(error):
            raise
        raise ValueError(
            f"cv is a {type(cv).__name__}, which needs the group of each row, and there are none. "
            "Give groups, or positions: cv=list(splitter.split(X, y, groups))."
        ) from error


def kept_positions(splits: Iterable[tuple[Any, Any]], kept: Ints, n: int | None = None) -> Splits:
    """Return splits of all rows as splits of the rows that were kept.

    Parameters
    ----------
    splits : iterable of (train, test)
        Positions, or masks, in the rows as given.
    kept : int array
        The positions of the rows that were kept, ascending. Others are left out of the folds.
    n : int, optional
        The number of rows given; a position beyond them is an error.

    Examples
    --------
    >>> [(train, test)] = kept_positions([([0, 1, 4], [2, 3])], np.array([1, 3, 4]))
    >>> train.tolist(), test.tolist()
    ([0, 2], [1])
    """
    return [(_among(train, kept, n), _among(test, kept, n)) for train, test in splits]


def _among(given: Any, kept: Ints, n: int | None) -> Ints:
    """Return the places of given positions among those kept."""
    given = np.asarray(given)
    positions = int_array("cv", np.flatnonzero(given) if given.dtype == bool else given)
    lowest, highest = positions.min(initial=0), positions.max(initial=-1)
    if lowest < 0 or (n is not None and highest >= n):
        bound = "" if n is None else f" and < {n}"
        wrong = lowest if lowest < 0 else highest
        raise ValueError(f"cv names the row {wrong}; expected positions >= 0{bound}.")
    places = np.searchsorted(kept, positions)
    is_kept = places < len(kept)
    is_kept[is_kept] = kept[places[is_kept]] == positions[is_kept]
    return int_array("cv", places[is_kept])
