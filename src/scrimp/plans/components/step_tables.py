"""Weighted sums of step functions, many at a time: one look-up per column for all of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from ...kernels.threads import run_over_rows
from ...types import Floats, Ints

#: Additions that take as long as a vote of a stump, in which the work of threads is measured.
_ADDITIONS_PER_VOTE = 4


class Functions(Protocol):
    """Functions of single columns, constant between breaks."""

    @property
    def column(self) -> Ints:
        """The column that each function reads."""

    def breaks_of(self, members: Ints) -> Floats:
        """Return the breaks of some functions; a break is the last value of a step."""

    def values_at(self, members: Ints, points: Floats) -> Floats:
        """Return the values of some functions at points (functions x outputs x points)."""


@dataclass(frozen=True, eq=False)
class WeightedSum:
    """A weighted sum of functions.

    Parameters
    ----------
    base : float array (outputs,)
        The sum without any function.
    functions : Functions
        Functions of single columns.
    weights : float array (functions,)
        The weight of each; 0 for those that are no part of the sum.
    """

    base: Floats
    functions: Functions
    weights: Floats


@dataclass(frozen=True, eq=False)
class StepTables:
    """Several weighted sums, in the form that they are evaluated in together.

    The functions of a column get the breaks of all of them, so that a row takes one look-up per
    column, and functions with the same weights in every sum become one.

    Parameters
    ----------
    columns, starts, breaks, functions, offsets, values, sets, set_of, weights, base : arrays
        As in `scrimp.kernels.steps.write_step_sums`.
    """

    columns: Ints
    starts: Ints
    breaks: Floats
    functions: Ints
    offsets: Ints
    values: Floats
    sets: Ints
    set_of: Ints
    weights: Floats
    base: Floats

    @classmethod
    def of(cls, sums: Sequence[WeightedSum]) -> Self:
        """Return the tables of some sums."""
        base = np.array([part.base for part in sums])
        columns = _by_column(sums)
        breaks = [_breaks(terms) for terms in columns.values()]
        merged = [
            [pair for part in terms for pair in _merged(part, column_breaks)]
            for terms, column_breaks in zip(columns.values(), breaks, strict=True)
        ]
        values = [value for pairs in merged for value, _ in pairs]
        weights = np.array([weight for pairs in merged for _, weight in pairs])
        weights = weights.reshape(len(values), len(sums))
        function, set_of = np.nonzero(weights)
        return cls(
            np.array(list(columns), dtype=np.int64),
            np.cumsum([0, *map(len, breaks)]),
            np.concatenate([np.empty(0), *breaks]),
            np.cumsum([0, *map(len, merged)]),
            np.cumsum([0, *(value.shape[1] for value in values)])[:-1],
            np.concatenate([np.empty((base.shape[1], 0)), *values], axis=1),
            np.searchsorted(function, np.arange(len(values) + 1)),
            set_of,
            weights[function, set_of],
            base,
        )

    def read(self, X: NDArray[Any], rows: Ints) -> Floats:
        """Return the sums of ``X[rows]`` (rows x sums x outputs)."""
        from ...kernels.steps import write_step_sums

        sums = np.empty((len(rows), *self.base.shape))
        arrays = [getattr(self, field.name) for field in fields(self)]

        def write(a: int, b: int) -> None:
            write_step_sums(X, rows[a:b], *arrays, sums[a:b])

        additions = len(self.breaks) + len(self.weights) * self.base.shape[1]
        run_over_rows(write, len(rows), len(rows) * additions // _ADDITIONS_PER_VOTE)
        return sums


@dataclass(frozen=True, eq=False)
class _Terms:
    """Functions of one column, and their weights in each sum (functions x sums)."""

    functions: Functions
    members: Ints
    weights: Floats


def _by_column(sums: Sequence[WeightedSum]) -> dict[int, list[_Terms]]:
    """Return the functions of each column that some sum reads, columns in their order."""
    columns: dict[int, list[_Terms]] = {}
    for functions in {id(part.functions): part.functions for part in sums}.values():
        weights = np.zeros((len(functions.column), len(sums)))
        for position, part in enumerate(sums):
            if part.functions is functions:
                weights[:, position] = part.weights
        used = np.flatnonzero(weights.any(axis=1))
        used = used[np.argsort(functions.column[used], kind="stable")]
        ends = np.flatnonzero(np.diff(functions.column[used])) + 1
        for members in sorted(np.split(used, ends), key=lambda m: m[0]) if len(used) else ():
            terms = _Terms(functions, members, weights[members])
            columns.setdefault(int(functions.column[members[0]]), []).append(terms)
    return columns


def _breaks(terms: Sequence[_Terms]) -> Floats:
    """Return the breaks of all functions of a column."""
    return np.unique(np.concatenate([part.functions.breaks_of(part.members) for part in terms]))


def _merged(terms: _Terms, breaks: Floats) -> Iterator[tuple[Floats, Floats]]:
    """Yield sums of functions with equal weights (outputs x points), and these weights.

    They come in the order of the functions, so that sums are rounded as one by one.
    """
    points = np.array([*breaks, np.inf, np.nan])
    values = terms.functions.values_at(terms.members, points)
    rows, first, group = np.unique(terms.weights, axis=0, return_index=True, return_inverse=True)
    for number in np.argsort(first).tolist():
        yield values[group.reshape(-1) == number].sum(axis=0), rows[number]
