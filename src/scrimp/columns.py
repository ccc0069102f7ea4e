"""The columns of a table: their names, and the codes of those that hold categories."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

Category = str | float

#: A category that was not seen in training: present, but equal to none of the known ones.
UNSEEN = -1.0


@dataclass(frozen=True)
class Columns:
    """How a table becomes numbers: categories become codes, missing values NaN.

    Parameters
    ----------
    names : tuple of str, or None
        Column names, where the table had them.
    categories : tuple
        For each column its categories in the order of their codes, or None for a number.
    """

    names: tuple[str, ...] | None
    categories: tuple[tuple[Category, ...] | None, ...]

    def __post_init__(self) -> None:
        """Refuse names that do not tell the columns apart."""
        if self.names is not None and len(self.names) != len(self.categories):
            raise ValueError("names and categories must have one entry a column.")
        if self.names is not None and len(set(self.names)) < len(self.names):
            raise ValueError("two columns have the same name; names must differ.")

    def __len__(self) -> int:
        return len(self.categories)

    @cached_property
    def positions(self) -> dict[str, int]:
        """The position of each column, by its name or ``x<position>``."""
        return {self.name(j): j for j in range(len(self))}

    def name(self, column: int) -> str:
        """The name of a column, or ``x<position>`` where there are no names."""
        return self.names[column] if self.names else f"x{column}"

    def is_categorical(self) -> NDArray[np.bool_]:
        """Which columns hold categories."""
        return np.array([entry is not None for entry in self.categories], dtype=bool)

    def encode(self, X: Any, only: Iterable[int] | None = None) -> NDArray[Any]:
        """A table as numbers, columns in the order of training.

        Parameters
        ----------
        X : data frame or array
            A frame is matched by name, whatever its order.
        only : iterable of int, optional
            Columns that matter; the others are not looked at and become NaN.
        """
        frame = as_frame(X)
        if frame is None:
            return self._check_array(X)
        self._check_names([str(name) for name in frame.columns])
        chosen = range(len(self)) if only is None else sorted(set(only))
        out = np.full((len(frame), len(self)), np.nan)
        for column in chosen:
            series = frame.get_column(self._key(frame, column))
            out[:, column] = self._encode_series(column, series)
        return out

    def encode_value(self, column: int, value: Any) -> float:
        """One value of a column as a number."""
        if value is None:
            return float("nan")
        categories = self.categories[column]
        if categories is None:
            try:
                return float(value)
            except (TypeError, ValueError):
                raise ValueError(
                    f"Column {self.name(column)!r} is {value!r}; expected a number, "
                    "or None if it is missing."
                ) from None
        if value in categories:
            return float(categories.index(value))
        if isinstance(value, float) and np.isnan(value):
            return float("nan")
        texts = [_as_text(category) for category in categories]
        return float(texts.index(_as_text(value))) if _as_text(value) in texts else UNSEEN

    def show_value(self, column: int, code: float) -> str:
        """A number as the category or number it stands for."""
        categories = self.categories[column]
        if categories is not None and 0 <= code < len(categories):
            return _as_text(categories[int(code)])
        return f"{code:.6g}"

    def _key(self, frame: Any, column: int) -> Any:
        """What a frame calls a column: names may be numbers in pandas."""
        if self.names is None:
            return frame.columns[column]
        return {str(name): name for name in frame.columns}[self.names[column]]

    def _check_array(self, X: Any) -> NDArray[Any]:
        array = np.asarray(X)
        if array.ndim != 2 or array.shape[1] != len(self):
            raise ValueError(
                f"X has the shape {array.shape}; expected rows of {len(self)} columns as in fit."
            )
        if any(entry is not None for entry in self.categories):
            raise ValueError(
                "The model was fitted on a data frame with categories; X has no column names. "
                "Pass a data frame."
            )
        return array

    def _check_names(self, names: Sequence[str]) -> None:
        if self.names is None:
            if len(names) != len(self):
                raise ValueError(f"X has {len(names)} columns; expected {len(self)} as in fit.")
            return
        missing = [name for name in self.names if name not in set(names)]
        unknown = [name for name in names if name not in set(self.names)]
        if missing or unknown:
            parts = [f"it lacks {missing}"] if missing else []
            parts += [f"it has {unknown}, unknown to the model"] if unknown else []
            raise ValueError(f"X has other columns than in fit: {'; '.join(parts)}.")

    def _encode_series(self, column: int, series: Any) -> NDArray[np.float64]:
        categories = self.categories[column]
        if categories is None:
            return _numbers(series, self.name(column))
        values, missing = _category_values(series)
        known = _comparable(np.array(categories, dtype=object))
        values = values.astype(str) if known.dtype.kind == "U" else _comparable(values)
        order = np.argsort(known)
        out = np.full(len(missing), np.nan)
        out[~missing] = UNSEEN
        if values.dtype.kind != known.dtype.kind or not len(known):
            return out
        place = np.minimum(np.searchsorted(known[order], values), len(known) - 1)
        found = known[order][place] == values
        out[~missing] = np.where(found, order[place], UNSEEN)
        return out


def learn_columns(X: Any) -> Columns:
    """The columns of a training table."""
    frame = as_frame(X)
    if frame is None:
        return Columns(None, (None,) * np.asarray(X).shape[1])
    names = tuple(str(name) for name in frame.columns)
    return Columns(names, tuple(_categories(frame.get_column(name)) for name in frame.columns))


def as_frame(X: Any) -> Any:
    """X as a narwhals frame if it is a pandas, polars or similar frame, else None."""
    if isinstance(X, np.ndarray) or not hasattr(X, "columns"):
        return None
    import narwhals.stable.v2 as nw

    frame = nw.from_native(X, pass_through=True, eager_only=True)
    return frame if isinstance(frame, nw.DataFrame) else None


def _categories(series: Any) -> tuple[Category, ...] | None:
    """The categories of a column that holds text or categories; None for numbers."""
    if not _holds_categories(series):
        return None
    values, _ = _category_values(series)
    return tuple(np.unique(values).tolist())


def _holds_categories(series: Any) -> bool:
    import narwhals.stable.v2 as nw

    dtype = series.dtype
    if dtype.is_numeric() or dtype == nw.Boolean:
        return False
    if dtype in (nw.String, nw.Categorical, nw.Enum):
        return True
    if dtype == nw.Object:
        return not _all_numbers(series)
    if dtype == nw.Unknown and series.is_null().all():
        return False
    raise ValueError(
        f"Column {series.name!r} holds {dtype}; expected numbers, booleans, text or categories. "
        "Turn it into numbers (a date into days, say) or leave it out."
    )


def _all_numbers(series: Any) -> bool:
    return all(isinstance(v, int | float | np.number) for v in series.to_list() if v is not None)


def _category_values(series: Any) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    """The values that are there, comparable with each other, and which are missing."""
    values = np.array(series.to_list(), dtype=object)
    missing = np.array([v is None or v != v for v in values], dtype=bool)
    return _comparable(values[~missing]), missing


def _comparable(values: NDArray[Any]) -> NDArray[Any]:
    """Numbers as floats, anything else as text."""
    if all(isinstance(v, int | float | np.number) and not isinstance(v, bool) for v in values):
        return values.astype(np.float64)
    return np.array([_as_text(v) for v in values], dtype=np.str_)


def _as_text(value: Any) -> str:
    if isinstance(value, float | np.floating) and float(value).is_integer():
        return str(int(value))
    return str(value)


def _numbers(series: Any, name: str) -> NDArray[np.float64]:
    import narwhals.stable.v2 as nw

    if series.dtype == nw.Boolean or series.dtype == nw.Object:
        values = [np.nan if v is None or v is not v else v for v in series.to_list()]
        try:
            return np.array(values, dtype=np.float64)
        except (TypeError, ValueError):
            pass
    elif series.dtype.is_numeric():
        return np.asarray(series.cast(nw.Float64).to_numpy(), dtype=np.float64)
    elif series.is_null().all():
        return np.full(len(series), np.nan)
    raise ValueError(
        f"Column {name!r} held numbers in training and holds {series.dtype} now; "
        "expected numbers."
    )
