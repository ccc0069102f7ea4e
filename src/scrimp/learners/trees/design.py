"""The table that scikit-learn's trees grow on: numbers as they are, one column a category."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...data.columns import Columns
from ...types import Floats, Ints


@dataclass(frozen=True, eq=False)
class Design:
    """A table without categories, and where its columns come from.

    Parameters
    ----------
    table : array (rows, features)
        Numbers; 0 or 1 for a category, NaN where it is missing.
    column : int array (features,)
        The column of X that each feature belongs to.
    code : float array (features,)
        The category that a feature stands for, NaN for a number.
    """

    table: NDArray[Any]
    column: Ints
    code: Floats


def design_of(table: NDArray[Any], columns: Columns) -> Design:
    """Give each category a column of its own; a table without categories is not copied."""
    sizes = [1 if own is None else len(own) for own in columns.categories]
    column = np.repeat(np.arange(len(columns)), sizes)
    code = np.concatenate(
        [[np.nan] if own is None else np.arange(float(len(own))) for own in columns.categories]
    )
    if np.isnan(code).all():
        return Design(table, column, code)
    with np.errstate(over="ignore"):  # scikit-learn refuses what float32 cannot hold
        wide = table[:, column].astype(np.float32)
    chosen = ~np.isnan(code)
    codes = wide[:, chosen]
    wide[:, chosen] = np.where(np.isnan(codes), np.nan, codes == code[chosen])
    return Design(wide, column, code)
