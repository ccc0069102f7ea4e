"""Groups of rows in a comparison: those that the user gives, or those of the scorer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils import column_or_1d

from ..data.folds import Splits
from ..types import Ints


@dataclass(frozen=True, eq=False)
class RowGroups:
    """The group of each row, for folds and for resamples.

    Parameters
    ----------
    in_folds : int array (rows,), optional
        Rows of one group are in one fold.
    in_resamples : int array (rows,), optional
        Rows of one group are resampled together.
    """

    in_folds: Ints | None = None
    in_resamples: Ints | None = None


def row_groups(groups: Any, scoring: Any, cv: Any, n_rows: int) -> RowGroups:
    """Return the groups that are given, else those of a scorer that has some.

    Folds in the order of time do not keep the groups of a scorer together.
    """
    if groups is not None:
        given = _group_numbers(groups, n_rows, "groups")
        return RowGroups(given, given)
    of_scorer = getattr(scoring, "groups", None)
    if of_scorer is None:
        return RowGroups()
    numbers = _group_numbers(of_scorer, n_rows, "groups of the scorer")
    in_time = isinstance(cv, str) and cv == "time"
    return RowGroups(None if in_time else numbers, numbers)


def check_tested_once(scoring: Any, splits: Splits) -> None:
    """Refuse a scorer of groups where rows are tested several times, by different models."""
    if getattr(scoring, "groups", None) is None:
        return
    tested = np.concatenate([test for _, test in splits])
    if len(np.unique(tested)) < len(tested):
        raise ValueError(
            "cv tests some rows several times, and the scorer ranks the rows of a group: those "
            "of several models cannot be ranked together. Give folds that test each row once, "
            "such as GroupKFold."
        )


def _group_numbers(groups: Any, n_rows: int, name: str) -> Ints:
    """Return the number of the group of each row."""
    values = column_or_1d(groups, warn=False)
    have, are = ("has", "is") if name == "groups" else ("have", "are")
    if len(values) != n_rows:
        raise ValueError(f"{name} {have} {len(values)} entries; expected one per row: {n_rows}.")
    if any(value is None or value != value for value in values.tolist()):
        raise ValueError(f"{name} {are} missing in some rows; every row needs its group.")
    return np.unique(values, return_inverse=True)[1]
