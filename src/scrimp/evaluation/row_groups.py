"""Groups of rows in a comparison: those that the user gives, or those of the scorer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..data.folds import Splits, group_numbers
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
        given = group_numbers(groups, n_rows)
        return RowGroups(given, given)
    of_scorer = getattr(scoring, "groups", None)
    if of_scorer is None:
        return RowGroups()
    numbers = group_numbers(of_scorer, n_rows, "groups of the scorer")
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
