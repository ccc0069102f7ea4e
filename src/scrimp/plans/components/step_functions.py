"""Step functions of single columns: what all stumps on a column say together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...data.validation import float_array, int_array
from ...kernels.threads import run_over_rows
from ...types import Arrays, Floats, Ints
from .stumps import StumpTable

#: Votes of single stumps that are held at a time; the sum of more is a product of matrices.
_MAX_CELLS = 2**22


@dataclass(frozen=True, eq=False)
class StepFunctions:
    """Functions of one column each, constant between breaks.

    Parameters
    ----------
    column : int array (functions,)
        The column that each function reads.
    starts : int array (functions + 1,)
        Where the breaks of each function begin; the last is the number of all breaks.
    breaks : float array
        The breaks of all functions, ascending within each. A value x lies in the step whose
        number is the number of breaks below x.
    values : float array (breaks + functions, outputs)
        The values of the steps, one more than breaks for each function.
    missing : float array (functions, outputs)
        The values where the column is missing.
    """

    column: Ints
    starts: Ints
    breaks: Floats
    values: Floats
    missing: Floats

    def __post_init__(self) -> None:
        """Convert the arrays and check their shapes."""
        for name in ("column", "starts"):
            object.__setattr__(self, name, int_array(name, getattr(self, name)))
        for name, ndim in (("breaks", 1), ("values", 2), ("missing", 2)):
            object.__setattr__(self, name, float_array(name, getattr(self, name), ndim))
        n = len(self.column)
        starts = self.starts.tolist()
        if len(starts) != n + 1 or starts[0] != 0 or starts[-1] != len(self.breaks):
            raise ValueError("starts must lead from 0 to the number of breaks.")
        if sorted(starts) != starts or self.column.min(initial=0) < 0:
            raise ValueError("starts must be ascending and columns not negative.")
        if self.missing.shape != (n, self.n_outputs) or len(self.values) != len(self.breaks) + n:
            raise ValueError("values and missing must be (steps x outputs), (functions x outputs).")
        if not (np.isfinite(self.values).all() and np.isfinite(self.missing).all()):
            raise ValueError("values must be finite.")
        if np.isnan(self.breaks).any():
            raise ValueError("breaks must not be NaN.")

    @classmethod
    def from_stumps(cls, stumps: StumpTable, scale: float = 1.0) -> StepFunctions:
        """Return the sums of stumps by column, times a scale, columns in order of first use."""
        columns = list(dict.fromkeys(stumps.column.tolist()))
        parts = [_sum_of(stumps, np.flatnonzero(stumps.column == c)) for c in columns]
        k = stumps.n_outputs
        return cls(
            np.array(columns, dtype=np.int64),
            np.cumsum([0, *(len(breaks) for breaks, _, _ in parts)]),
            np.concatenate([np.empty(0), *(breaks for breaks, _, _ in parts)]),
            scale * np.concatenate([np.empty((0, k)), *(values for _, values, _ in parts)]),
            scale * np.array([missing for _, _, missing in parts]).reshape(len(columns), k),
        )

    @classmethod
    def joined(cls, parts: Sequence[StepFunctions]) -> StepFunctions:
        """Return the functions of all parts."""
        counts = np.concatenate([np.diff(part.starts) for part in parts])
        columns, breaks, values, missing = (
            np.concatenate([getattr(part, name) for part in parts])
            for name in ("column", "breaks", "values", "missing")
        )
        return cls(columns, np.cumsum([0, *counts.tolist()]), breaks, values, missing)

    def taken(self, order: Ints) -> StepFunctions:
        """Return some of the functions, in the given order."""
        bounds = [(self.starts[f], self.starts[f + 1], f) for f in order.tolist()]
        return StepFunctions(
            self.column[order],
            np.cumsum([0, *(end - start for start, end, _ in bounds)]),
            np.concatenate([np.empty(0), *(self.breaks[a:b] for a, b, _ in bounds)]),
            np.concatenate(
                [self.values[:0], *(self.values[a + f : b + f + 1] for a, b, f in bounds)]
            ),
            self.missing[order],
        )

    def distinct(self) -> Ints:
        """Return the functions that equal no earlier one, those of a column side by side."""
        of_column: dict[int, dict[bytes, int]] = {}
        for f, column in enumerate(self.column.tolist()):
            start, end = self.starts[f], self.starts[f + 1]
            parts = self.breaks[start:end], self.values[start + f : end + f + 1], self.missing[f]
            same = of_column.setdefault(column, {})
            same.setdefault(b"".join(part.tobytes() for part in parts), f)
        return np.array([f for same in of_column.values() for f in same.values()], dtype=np.int64)

    def __len__(self) -> int:
        return len(self.column)

    @property
    def n_outputs(self) -> int:
        """The number of outputs of a value."""
        return int(self.values.shape[1])

    def arrays(self) -> Arrays:
        """Return the functions as arrays, for storage."""
        return {f"step_{field.name}": getattr(self, field.name) for field in fields(self)}

    @classmethod
    def from_arrays(cls, arrays: Arrays) -> StepFunctions:
        """Return the functions of stored `arrays`."""
        return cls(**{field.name: arrays[f"step_{field.name}"] for field in fields(cls)})

    def lowered(self, by: Floats) -> StepFunctions:
        """Return the functions less a constant each (functions x outputs)."""
        counts = np.diff(self.starts) + 1
        return replace(
            self, values=self.values - np.repeat(by, counts, axis=0), missing=self.missing - by
        )

    def scaled(self, scale: float) -> StepFunctions:
        """Return the functions times a number."""
        return replace(self, values=scale * self.values, missing=scale * self.missing)

    def breaks_of(self, members: Ints) -> Floats:
        """Return the breaks of some functions, ascending and distinct."""
        parts = [self.breaks[self.starts[f] : self.starts[f + 1]] for f in members]
        return np.unique(np.concatenate([np.empty(0), *parts]))

    def values_at(self, members: Ints, points: Floats) -> Floats:
        """Return values of some functions at points (functions x outputs x points)."""
        values = np.empty((len(members), self.n_outputs, len(points)))
        for position, f in enumerate(members):
            steps = np.searchsorted(self.breaks[self.starts[f] : self.starts[f + 1]], points)
            values[position] = self.values[self.starts[f] + f + steps].T
            values[position, :, np.isnan(points)] = self.missing[f]
        return values

    def on(self, X: NDArray[Any], rows: Ints) -> Floats:
        """Return the values on ``X[rows]`` (rows x functions x outputs)."""
        from ...kernels.steps import step_values

        out = np.empty((len(rows), len(self), self.n_outputs))
        step_values(X, rows, self.column, self.starts, self.breaks, self.values, self.missing, out)
        return out

    def add(self, scores: Floats, X: NDArray[Any], rows: Ints, weights: Floats) -> None:
        """Add the functions, times their weights, to scores (rows x outputs)."""
        from ...kernels.steps import add_steps

        functions = self.column, self.starts, self.breaks, self.values, self.missing

        def add(a: int, b: int) -> None:
            add_steps(X, rows[a:b], *functions, weights, scores[a:b])

        n_used = int(np.count_nonzero(weights))
        run_over_rows(add, len(rows), len(rows) * n_used * 4)

    def ranges(self) -> tuple[Floats, Floats]:
        """Return the lowest and the highest value of each function (functions x outputs)."""
        firsts = self.starts[:-1] + np.arange(len(self))
        if not len(self):
            return self.missing, self.missing
        lowest = np.minimum.reduceat(self.values, firsts, axis=0)
        highest = np.maximum.reduceat(self.values, firsts, axis=0)
        return np.minimum(lowest, self.missing), np.maximum(highest, self.missing)


def _sum_of(stumps: StumpTable, which: Ints) -> tuple[Floats, Floats, Floats]:
    """Return the breaks, values and missing value of the sum of stumps on one column."""
    breaks = stumps.breaks_of(which)
    points = np.append(breaks, np.inf)
    if len(which) * len(points) * stumps.n_outputs > _MAX_CELLS:
        return breaks, stumps.sums_at(which, points), stumps.missing[which].sum(axis=0)
    values = stumps.values_at(which, np.append(points, np.nan)).sum(axis=0).T
    return breaks, values[:-1], values[-1]
