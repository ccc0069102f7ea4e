"""How a table becomes what an estimator can be fitted on, column by column."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor

from ..types import Floats, Ints
from .columns import Columns
from .preparation import Preparation

ENCODINGS = ("auto", "standard", "ordinal")
#: A column of more categories has flags for the most frequent ones only.
MOST_FLAGS = 255
_NATIVE = (HistGradientBoostingClassifier, HistGradientBoostingRegressor)


@dataclass(frozen=True, eq=False)
class Encoding:
    """The preparation of all columns, and which of them an estimator takes as categories.

    Parameters
    ----------
    preparation : Preparation
        Of all columns of the table, in their order.
    native : bool array (prepared columns,)
        Columns of codes that are named to the estimator as categories.
    fill : bool
        Whether missing values are filled; if not, the estimator takes them.
    """

    preparation: Preparation
    native: NDArray[np.bool_]
    fill: bool

    def of(self, columns: Ints) -> Encoding:
        """The encoding of some columns of the table."""
        kept = np.flatnonzero(np.isin(self.preparation.source, columns))
        return replace(self, preparation=self.preparation.taken(kept), native=self.native[kept])

    def tell(self, estimator: Any) -> Any:
        """The estimator, once it knows which of its columns hold categories."""
        if self.native.any():
            estimator.set_params(categorical_features=np.flatnonzero(self.native).tolist())
        return estimator


def learn_encoding(
    table: NDArray[Any], columns: Columns, estimator: Any, encode: str, fill: bool
) -> Encoding:
    """Categories as flags or as they are, missing values filled or not.

    Parameters
    ----------
    table : array (rows, columns)
        The rows of the training.
    columns : Columns
        Which of them hold categories.
    estimator : estimator
        Whether it takes categories.
    encode : {"auto", "standard", "ordinal"}
        As in `scrimp.RefitClassifier`.
    fill : bool
        Whether a missing number becomes the median.
    """
    coded = columns.is_categorical()
    native = np.zeros(len(columns), dtype=bool)
    if coded.any() and encode != "ordinal" and isinstance(estimator, _NATIVE):
        _refuse_own_categories(estimator)
        counts = np.array([len(own or ()) for own in columns.categories])
        native = coded & (counts > 0) & (counts <= min(estimator.max_bins, MOST_FLAGS))
    parts, flags = [], []
    for column in range(len(columns)):
        own = coded[column] and encode != "ordinal" and not native[column]
        values = table[:, column]
        part = (
            _flags(column, values)
            if own
            else _number(column, values, fill, encode == "standard" and not coded[column])
        )
        parts.append(part)
        flags += [native[column]] * len(part)
    whole = np.concatenate([np.empty((0, 5)), *parts])
    preparation = Preparation(whole[:, 0].astype(np.int64), *whole.T[1:])
    return Encoding(preparation, np.array(flags, dtype=bool), fill)


def _number(column: int, values: NDArray[Any], fill: bool, standard: bool) -> Floats:
    """A column as it is, or with its median for what is missing, or standardised."""
    middle, center, scale = np.nan, 0.0, 1.0
    known = values[np.isfinite(values)].astype(np.float64) if fill or standard else values
    if fill:
        middle = float(np.median(known)) if len(known) else 0.0
    if standard and len(known):
        center, spread = float(known.mean()), float(known.std())
        scale = spread if spread > 1e-12 * abs(center) and spread > 0 else 1.0
    return np.array([[column, np.nan, middle, center, scale]])


def _flags(column: int, values: NDArray[Any]) -> Floats:
    """A flag a category; nothing at all for a column without any."""
    codes, counts = np.unique(values[~np.isnan(values)], return_counts=True)
    if len(codes) > MOST_FLAGS:
        codes = np.sort(codes[np.argsort(-counts, kind="stable")[:MOST_FLAGS]])
    part = np.full((len(codes), 5), np.nan)
    part[:, 0], part[:, 1], part[:, 3], part[:, 4] = column, codes, 0.0, 1.0
    return part


def _refuse_own_categories(estimator: Any) -> None:
    own = estimator.categorical_features
    if own is not None and not (isinstance(own, str) and own == "from_dtype"):
        raise ValueError(
            f"categorical_features of the {type(estimator).__name__} is {own!r}, but it is fitted "
            "on parts of the columns. Leave it out: columns of text and categories in a data "
            "frame are told to it."
        )
