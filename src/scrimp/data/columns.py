"""The columns of a table: their names, and the codes of those that hold categories."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ..kernels.threads import run_over_rows
from .validation import is_missing

Category = str | float

#: A category that was not seen in training: present, but equal to none of the known ones.
UNSEEN = -1.0

_NUMBERS = (int, float, np.number, np.bool_, Decimal)


@dataclass(frozen=True, eq=False)
class NumberRanges:
    """The values of numeric columns in training.

    Parameters
    ----------
    low, high : float arrays (columns,)
        The smallest and the largest value; NaN where there is none.
    binary : bool array (columns,)
        Whether a column holds nothing but 0 and 1.
    """

    low: NDArray[np.float64]
    high: NDArray[np.float64]
    binary: NDArray[np.bool_]

    @classmethod
    def of(cls, table: NDArray[Any]) -> NumberRanges:
        """Return the ranges of the columns of a table."""
        lows: list[NDArray[Any]] = []
        highs: list[NDArray[Any]] = []

        def read(start: int, stop: int) -> None:
            lows.append(np.fmin.reduce(table[start:stop], axis=0, initial=np.inf))
            highs.append(np.fmax.reduce(table[start:stop], axis=0, initial=-np.inf))

        run_over_rows(read, len(table), table.size)
        low = np.fmin.reduce(lows, axis=0).astype(np.float64)
        high = np.fmax.reduce(highs, axis=0).astype(np.float64)
        binary = (low >= 0) & (high <= 1)
        for column in np.flatnonzero(binary).tolist():
            values = table[:, column]
            binary[column] = ((values == 0) | (values == 1) | np.isnan(values)).all()
        return cls(low, high, binary)

    def joined(self, other: NumberRanges) -> NumberRanges:
        """Return the ranges of the rows of both."""
        low, high = np.minimum(self.low, other.low), np.maximum(self.high, other.high)
        return NumberRanges(low, high, self.binary & other.binary)


@dataclass(frozen=True)
class Columns:
    """How a table becomes numbers: categories become codes, missing values NaN.

    Parameters
    ----------
    names : tuple of str, or None
        Column names, where the table had them.
    categories : tuple
        For each column its categories in the order of their codes, or None for a number.
    ranges : NumberRanges, optional
        The values of numbers in training, where they are known.
    """

    names: tuple[str, ...] | None
    categories: tuple[tuple[Category, ...] | None, ...]
    ranges: NumberRanges | None = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        """Refuse names that do not tell the columns apart."""
        if self.names is not None and len(self.names) != len(self.categories):
            raise ValueError("names and categories must have one entry per column.")
        if self.names is not None and len(set(self.names)) < len(self.names):
            raise ValueError("two columns have the same name; names must differ.")

    def __len__(self) -> int:
        return len(self.categories)

    @cached_property
    def positions(self) -> dict[str, int]:
        """The position of each column, by its name or ``x<position>``."""
        return {self.name(j): j for j in range(len(self))}

    def name(self, column: int) -> str:
        """Return the name of a column, or ``x<position>`` where there are no names."""
        return self.names[column] if self.names else f"x{column}"

    def is_categorical(self) -> NDArray[np.bool_]:
        """Return which columns hold categories."""
        return np.array([entry is not None for entry in self.categories], dtype=bool)

    def with_ranges(self, table: Any) -> Columns:
        """Return the columns with the ranges of a table, and of earlier ones; none if sparse."""
        if sparse.issparse(table):
            return replace(self, ranges=None)
        ranges = NumberRanges.of(table)
        return replace(self, ranges=ranges if self.ranges is None else self.ranges.joined(ranges))

    def absent(self, X: Any) -> list[int]:
        """Return the positions of the columns that a frame lacks; none for an array."""
        frame = as_frame(X)
        if frame is None or self.names is None:
            return []
        given = set(map(str, frame.columns))
        return [column for column, name in enumerate(self.names) if name not in given]

    def encode(
        self, X: Any, only: Iterable[int] | None = None, absent: Collection[int] = ()
    ) -> NDArray[Any]:
        """Return a table as numbers, columns in the order of training.

        Parameters
        ----------
        X : data frame, array or sparse matrix
            A frame is matched by name, whatever its order. A sparse matrix stays one.
        only : iterable of int, optional
            Columns that matter; the others are not looked at and become NaN.
        absent : collection of int
            Columns that a frame may lack; they become NaN.
        """
        frame = as_frame(X)
        if frame is None:
            checked: NDArray[Any] = self.check_array(X)
            return checked
        self._check_names([str(name) for name in frame.columns], absent)
        keys = {str(name): name for name in frame.columns}  # pandas' names may be numbers
        names = self.names or tuple(keys)
        out = np.full((len(frame), len(self)), np.nan)
        wanted = set(range(len(self)) if only is None else only).difference(absent)
        for column in sorted(wanted):
            out[:, column] = self._encode_series(column, frame.get_column(keys[names[column]]))
        return out

    def encode_value(self, column: int, value: Any) -> float:
        """Return one value of a column as a number.

        As in a table, a number may be True, False or infinite, and is never text.
        """
        if is_missing(value):
            return float("nan")
        codes = self._codes[column]
        if codes is None:
            try:
                if not isinstance(value, str | bytes):
                    return float(value)
            except (TypeError, ValueError):
                pass
            raise ValueError(
                f"Column {self.name(column)!r} is {value!r}; expected a number, "
                "or None if it is missing."
            )
        return codes.get(as_text(value), UNSEEN)

    @cached_property
    def _codes(self) -> tuple[dict[str, float] | None, ...]:
        """The code of each category by its text: 1, 1.0 and "1" are the same category."""
        return tuple(
            None if known is None else {as_text(c): float(code) for code, c in enumerate(known)}
            for known in self.categories
        )

    def show_value(self, column: int, code: float) -> str:
        """Return the category or number that a code or number stands for, as text."""
        categories = self.categories[column]
        if categories is not None and 0 <= code < len(categories):
            return as_text(categories[int(code)])
        return f"{code:.6g}"

    def check_array(self, X: Any) -> Any:
        """Return an array or a sparse matrix; raise ValueError if its columns cannot be these."""
        array = X if sparse.issparse(X) else np.asarray(X)
        self.refuse_arrays_for_categories()
        if array.ndim != 2 or array.shape[1] != len(self):
            raise ValueError(
                f"X has the shape {array.shape}; expected rows of {len(self)} columns as in fit."
            )
        return array

    @cached_property
    def _has_categories(self) -> bool:
        return any(entry is not None for entry in self.categories)

    def refuse_arrays_for_categories(self) -> None:
        """Refuse arrays where there are categories, since nothing says what a number stands for."""
        if self._has_categories:
            raise ValueError(
                "The model was fitted on a data frame with categories, and X is an array. "
                "Pass a data frame with the same columns."
            )

    def _check_names(self, names: Sequence[str], absent: Collection[int] = ()) -> None:
        if self.names is None:
            if len(names) != len(self):
                raise ValueError(f"X has {len(names)} columns; expected {len(self)} as in fit.")
            return
        known, given = set(self.names), set(names)
        may_lack = {self.name(column) for column in absent}
        missing = [name for name in self.names if name not in given and name not in may_lack]
        unknown = [name for name in names if name not in known]
        if unknown:  # a column that is absent may have another name
            missing = [name for name in self.names if name not in given]
        if missing or unknown:
            parts = [f"it lacks {missing}"] if missing else []
            parts += [f"it has {unknown}, unknown to the model"] if unknown else []
            raise ValueError(f"X has other columns than in fit: {'; '.join(parts)}.")

    def _encode_series(self, column: int, series: Any) -> NDArray[np.float64]:
        if self._codes[column] is None:
            return _numbers(series, self.name(column))
        # each value as a session does it: a code must not depend on the rows beside it
        values = [(type(value), value) for value in series.to_list()]
        codes = {key: self.encode_value(column, key[1]) for key in set(values)}
        return np.array([codes[key] for key in values], dtype=np.float64)


def learn_columns(X: Any) -> Columns:
    """Return the columns of a training table."""
    frame = as_frame(X)
    if frame is None:
        return Columns(None, (None,) * np.asarray(X).shape[1])
    refuse_unusable(frame)
    names = tuple(str(name) for name in frame.columns)
    return Columns(names, tuple(_categories(frame.get_column(name)) for name in frame.columns))


def refuse_unusable(frame: Any) -> None:
    """Raise ValueError that names all columns which are neither numbers nor categories."""
    contents = {name: _unusable_content(frame.get_column(name)) for name in frame.columns}
    unusable = {str(name): content for name, content in contents.items() if content}
    if not unusable:
        return
    columns = ", ".join(f"{name!r} holds {content}" for name, content in unusable.items())
    column, them = ("Column", "it") if len(unusable) == 1 else ("Columns cannot be used:", "them")
    raise ValueError(
        f"{column} {columns}; expected numbers, booleans, text or categories. "
        f"Turn {them} into numbers (a date into days, say) or leave {them} out."
    )


def as_frame(X: Any) -> Any:
    """Return X as a narwhals frame if it is a pandas, polars or similar frame, else None."""
    if isinstance(X, np.ndarray) or not hasattr(X, "columns"):
        return None
    if hasattr(X, "collect"):
        raise TypeError(f"X is a {type(X).__name__}, not computed yet; call its collect() first.")
    import narwhals.stable.v2 as nw

    names = [str(name) for name in X.columns]
    if len(set(names)) < len(names):
        twice = sorted({name for name in names if names.count(name) > 1})
        raise ValueError(f"X has several columns named {twice}; names must differ.")
    frame = nw.from_native(X, pass_through=True, eager_only=True)
    return frame if isinstance(frame, nw.DataFrame) else None


def _categories(series: Any) -> tuple[Category, ...] | None:
    """Return the categories of a column of text or categories; None for numbers."""
    if not _holds_categories(series):
        return None
    values = [value for value in series.to_list() if not is_missing(value)]
    return tuple(np.unique(_comparable(values)).tolist())


def _holds_categories(series: Any) -> bool:
    import narwhals.stable.v2 as nw

    dtype = series.dtype
    if dtype.is_numeric() or dtype == nw.Boolean:
        return False
    if dtype in (nw.String, nw.Categorical, nw.Enum):
        return True
    if dtype == nw.Object:
        return not _all_numbers(series)
    return False  # a column without any value


def _unusable_content(series: Any) -> str:
    """Return what a column holds that is neither numbers nor categories; nothing if it is."""
    import narwhals.stable.v2 as nw

    dtype = series.dtype
    if dtype == nw.Object:
        values = (value for value in series.to_list() if not is_missing(value))
        strange = (value for value in values if not isinstance(value, (str, *_NUMBERS)))
        return next((f"{type(value).__name__} objects" for value in strange), "")
    usable = dtype.is_numeric() or dtype in (nw.Boolean, nw.String, nw.Categorical, nw.Enum)
    return "" if usable or (dtype == nw.Unknown and series.is_null().all()) else str(dtype)


def _all_numbers(series: Any) -> bool:
    """Return whether a column of objects holds numbers only; text counts as categories."""
    return not any(isinstance(value, str) for value in series.to_list())


def _comparable(values: list[Any]) -> NDArray[Any]:
    """Return numbers as floats, anything else, and whole numbers too large for that, as text."""
    numbers = all(isinstance(v, _NUMBERS) and not isinstance(v, bool | np.bool_) for v in values)
    if numbers and all(abs(v) <= 2**53 for v in values):
        return np.array(values, dtype=np.float64)
    return np.array([as_text(v) for v in values], dtype=np.str_)


def as_text(value: Any) -> str:
    """Return a category as text; a whole number has no decimal point."""
    if isinstance(value, float | np.floating) and float(value).is_integer():
        return str(int(value))
    return str(value)


def _numbers(series: Any, name: str) -> NDArray[np.float64]:
    import narwhals.stable.v2 as nw

    if series.dtype == nw.Boolean or series.dtype == nw.Object:
        values = [np.nan if is_missing(v) else v for v in series.to_list()]
        try:
            return np.array(values, dtype=np.float64)
        except (TypeError, ValueError):
            pass
    elif series.dtype.is_numeric():
        return np.asarray(series.cast(nw.Float64).to_numpy(), dtype=np.float64)
    elif series.is_null().all():
        return np.full(len(series), np.nan)
    raise ValueError(
        f"Column {name!r} held numbers in training and holds {series.dtype} now; expected numbers."
    )
