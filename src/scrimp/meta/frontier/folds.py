"""The folds of a frontier: by the size of the table, of whole groups, or those of the user."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...data.folds import Splits, given_splits, group_splits, splits_of
from ...types import Ints
from .svm_candidate import WIDE
from .training_target import TrainingTarget


@dataclass(frozen=True)
class FoldCount:
    """The folds of tables up to a size: large tables need fewer to compare candidates.

    Parameters
    ----------
    max_rows : float
        The size of the table.
    n_tested : int
        Folds that are tested.
    n_folds : int
        Folds that the rows are divided into.
    n_repeats : int
        How often the rows are divided anew: on few rows chance decides less often then.
    """

    max_rows: float
    n_tested: int
    n_folds: int
    n_repeats: int = 1


FOLD_COUNTS = (
    FoldCount(400, 5, 5, n_repeats=2),
    FoldCount(2_000, 5, 5),
    FoldCount(10_000, 3, 3),
    FoldCount(np.inf, 1, 4),
)


#: The folds of few rows with very many columns, which take long: each tests more rows, so that
#: the figures of a fit that is cut short rest on more of them.
WIDE_FOLDS = FoldCount(400, 3, 3, n_repeats=2)


def default_folds(n_rows: int, n_columns: int = 1) -> FoldCount:
    """Return how many folds the rows are divided into, and how many are tested."""
    if n_rows <= WIDE_FOLDS.max_rows and n_columns > WIDE:
        return WIDE_FOLDS
    return next(count for count in FOLD_COUNTS if n_rows <= count.max_rows)


def race_splits(
    cv: Any, target: TrainingTarget, table: Any, y: NDArray[Any], kept: Ints, seed: int,
    groups: Ints | None = None,
) -> Splits:  # fmt: skip
    """Return the folds: those of the user, of whole groups, or stratified ones.

    Parameters
    ----------
    cv : int, splitter, iterable of (train, test) or None
        As in `FrontierClassifier`.
    target : TrainingTarget
        The target of the rows of positive weight.
    table, y : table and array
        All rows as given.
    kept : int array
        The positions of the rows of positive weight.
    seed : int
        Seed of the folds.
    groups : int array (all rows as given,), optional
        The group of each row.
    """
    is_number = cv is None or isinstance(cv, int | np.integer)
    if isinstance(cv, str | float) or (is_number and cv is not None and cv < 2):
        raise ValueError(f"cv is {cv!r}; expected a whole number >= 2, or splits.")
    if not is_number:
        _refuse_unused(groups, cv)
        return given_splits(cv, table, y, kept, groups)
    n = len(target.y)
    count = default_folds(n, table.shape[1]) if cv is None else FoldCount(np.inf, int(cv), int(cv))
    if groups is not None:
        return _group_folds(target, groups[kept], count, seed)
    rng = np.random.default_rng(seed)
    n_folds, n_tested = min(count.n_folds, n), min(count.n_tested, n)
    folds = [target.folds(n_folds, rng) for _ in range(count.n_repeats)]
    return [split for fold_of in folds for split in splits_of(fold_of, n_tested)]


def _refuse_unused(groups: Ints | None, cv: Any) -> None:
    """Refuse groups beside folds that are given as positions."""
    if groups is not None and not hasattr(cv, "split"):
        raise ValueError(
            "groups are given, and cv holds positions, which know no groups. Leave groups out, or "
            "give cv as a number or a splitter."
        )


def _group_folds(target: TrainingTarget, groups: Ints, count: FoldCount, seed: int) -> Splits:
    """Return folds that keep the rows of a group together, as many as there are groups."""
    n_groups = len(np.unique(groups))
    if n_groups < 2:
        raise ValueError(f"groups has {n_groups} group; expected at least 2 to divide into folds.")
    n_folds, n_tested = min(count.n_folds, n_groups), min(count.n_tested, n_groups)
    stratified = target.n_classes > 0
    splits = group_splits(target.y, groups, n_folds, count.n_repeats, seed, stratified)
    return [split for fold, split in enumerate(splits) if fold % n_folds < n_tested]
