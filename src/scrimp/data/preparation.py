"""What is done to columns before a model reads them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..types import Arrays, Floats, Ints
from .validation import distinct, float_array, int_array

_STORED = "prepare/"


@dataclass(frozen=True, eq=False)
class Preparation:
    """Columns of a table as a model was trained on them.

    A prepared column is ``(x - center) / scale``. Before that x becomes `fill` where it is
    missing, if there is a fill; then, if there is a code, 1 where it is the category `code` and
    else 0; and, if there is a knee, ``asinh((x - fill) / knee)``, which is about linear up to the
    knee and grows as the logarithm beyond it.

    Parameters
    ----------
    source : int array
        The column of the table that each prepared one is made from.
    code, fill : float arrays
        NaN for none.
    center, scale : float arrays
        Finite.
    knee : float array, optional
        Above 0, or NaN for none; by default there is none. A column with a knee has a fill.
    """

    source: Ints
    code: Floats
    fill: Floats
    center: Floats
    scale: Floats
    knee: Floats = field(default_factory=lambda: np.empty(0))

    def __post_init__(self) -> None:
        """Bring the arrays to one type and check that they fit."""
        if not len(self.knee):
            object.__setattr__(self, "knee", np.full(len(self.source), np.nan))
        object.__setattr__(self, "source", int_array("source", self.source))
        for name in ("code", "fill", "center", "scale", "knee"):
            values = float_array(name, getattr(self, name))
            object.__setattr__(self, name, values)
            if len(values) != len(self.source):
                raise ValueError("a preparation needs one entry per column in each of its arrays.")
            if np.isinf(values).any():
                raise ValueError(f"{name} of a preparation must not be infinite.")
        if np.isnan(self.center).any() or not np.abs(self.scale).min(initial=1.0) > 0:
            raise ValueError("center and scale must be finite, and scale not 0.")
        bent = ~np.isnan(self.knee)
        if not (self.knee[bent] > 0).all() or np.isnan(self.fill[bent]).any():
            raise ValueError("a knee must be above 0, and its column have a fill.")
        if self.source.min(initial=0) < 0:
            raise ValueError("columns must not be negative.")

    @classmethod
    def plain(cls, columns: Sequence[int] | Ints) -> Preparation:
        """Return the preparation that takes some columns as they are."""
        n = len(columns)
        none = np.full(n, np.nan)
        return cls(np.array(columns, dtype=np.int64), none, none, np.zeros(n), np.ones(n))

    @cached_property
    def columns(self) -> Ints:
        """The columns of the table that are looked at, ascending."""
        return distinct(self.source)

    @cached_property
    def is_plain(self) -> bool:
        """Whether columns are taken as they are."""
        none = all(np.isnan(part).all() for part in (self.code, self.fill, self.knee))
        return bool(none and not self.center.any() and (self.scale == 1.0).all())

    @cached_property
    def fills(self) -> bool:
        """Whether no missing value is left."""
        return not (np.isnan(self.code) & np.isnan(self.fill)).any()

    def table(self, X: NDArray[Any], rows: Ints) -> Floats:
        """Return the prepared columns of ``X[rows]``."""
        from ..kernels.model_scores import prepare_columns

        out = np.empty((len(rows), len(self.source)))
        own = (self.source, self.code, self.fill, self.knee, self.center, self.scale)
        prepare_columns(X, rows, *own, out)
        return out

    def taken(self, columns: Ints) -> Preparation:
        """Return some of the prepared columns, in a given order."""
        return Preparation(*(getattr(self, one.name)[columns] for one in fields(self)))

    def arrays(self) -> Arrays:
        """Return the arrays of the preparation, for storage."""
        stored = {_STORED + one.name: getattr(self, one.name) for one in fields(self)}
        if np.isnan(self.knee).all():  # as files had it before there were knees
            del stored[_STORED + "knee"]
        return stored

    @classmethod
    def from_arrays(cls, arrays: Arrays) -> Preparation:
        """The inverse of `arrays`."""
        stored = (_STORED + one.name for one in fields(cls))
        return cls(*(arrays[name] for name in stored if name in arrays))
