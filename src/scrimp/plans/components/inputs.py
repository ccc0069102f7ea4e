"""Inputs of members that are no trees, and what the tables of such members share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from ...data.validation import float_array, int_array
from ...types import Floats, Ints
from .members import Members

#: Standardised inputs are at most this large: one outlier does not outweigh all other rows.
LARGEST_INPUT = 10.0
#: Rows whose inputs are held at a time.
_BLOCK = 512


@dataclass(frozen=True, eq=False)
class Inputs:
    """How columns become inputs: numbers are standardised, categories have one input each.

    A missing value is 0, the mean, in all inputs of its column.

    Parameters
    ----------
    column : int array (inputs,)
        The column of each input.
    code : int array (inputs,)
        The category that an input stands for, or -1 for a number.
    center, scale : float arrays (inputs,)
        What is taken from an input, and what it is then divided by.
    """

    column: Ints
    code: Ints
    center: Floats
    scale: Floats

    def __len__(self) -> int:
        return len(self.column)

    def of(self, X: NDArray[Any], rows: Ints) -> Floats:
        """Return the inputs of ``X[rows]`` (rows, inputs); they are finite whatever X holds."""
        from ...kernels.online_inputs import encode

        out = np.empty((len(rows), len(self)))
        encode(X, rows, self.column, self.code, self.center, self.scale, LARGEST_INPUT, out)
        return out


@dataclass(frozen=True, eq=False)
class InputTable(Members):
    """Members that answer from inputs; a kind of them adds its arrays and `_answer`.

    Parameters
    ----------
    column, code, center, scale
        As in `Inputs`.
    mask : int array (members, inputs)
        1 for the inputs that a member reads, else 0.
    offset : float array (members, outputs)
        What is added to each answer.
    """

    accepts_missing: ClassVar[bool] = True

    column: Ints
    code: Ints
    center: Floats
    scale: Floats
    mask: Ints
    offset: Floats

    def __post_init__(self) -> None:
        """Convert the arrays and check their shapes."""
        for name, ndim in (("column", 1), ("code", 1), ("mask", 2)):
            object.__setattr__(self, name, int_array(name, getattr(self, name), ndim))
        for name, ndim in (("center", 1), ("scale", 1), ("offset", 2)):
            self._set_floats(name, ndim)
        n = len(self.column)
        if not len(self.code) == len(self.center) == len(self.scale) == n:
            raise ValueError("column, code, center and scale must have one entry per input.")
        if self.mask.shape != (len(self.offset), n):
            raise ValueError("mask must have one row per member and one column per input.")
        if self.column.min(initial=0) < 0 or self.code.min(initial=0) < -1:
            raise ValueError("columns must not be negative, nor codes, other than -1 for a number.")
        if not np.isin(self.mask, (0, 1)).all():
            raise ValueError("mask must hold 0 and 1.")
        if not (self.scale > 0).all():
            raise ValueError("scales must be > 0.")

    def _set_floats(self, name: str, ndim: int) -> None:
        """Convert an array to floats; refuse what is not finite."""
        values = float_array(name, getattr(self, name), ndim)
        if not np.isfinite(values).all():
            raise ValueError(f"{name} must be finite.")
        object.__setattr__(self, name, values)

    def _check_shape(self, name: str, *shape: int) -> None:
        given = getattr(self, name).shape
        if given != shape:
            raise ValueError(f"{name} has the shape {given}; expected {shape}.")

    def __len__(self) -> int:
        return len(self.offset)

    @property
    def n_outputs(self) -> int:
        """The number of outputs of a vote."""
        return int(self.offset.shape[1])

    @cached_property
    def inputs(self) -> Inputs:
        """How columns become inputs."""
        return Inputs(self.column, self.code, self.center, self.scale)

    @cached_property
    def reads(self) -> tuple[tuple[int, ...], ...]:
        """The columns that each member reads, ascending."""
        return tuple(tuple(np.unique(self.column[reads == 1]).tolist()) for reads in self.mask)

    def _answer(self, member: int, Z: Floats) -> Floats:
        """Return the answers (rows, outputs) of a member to its inputs, without its offset."""
        raise NotImplementedError

    def votes_on(
        self,
        X: NDArray[Any],
        rows: Ints,
        members: Sequence[int] | None = None,
        out: Floats | None = None,
    ) -> Floats:
        """Return the votes of members, by default all, on ``X[rows]`` (members, outputs, rows)."""
        which = list(range(len(self))) if members is None else list(members)
        votes = np.empty((len(which), self.n_outputs, len(rows))) if out is None else out
        for start in range(0, len(rows), _BLOCK):
            part = slice(start, start + _BLOCK)
            Z = self.inputs.of(X, rows[part])
            for k, member in enumerate(which):
                seen = Z if self.mask[member].all() else Z * self.mask[member]
                votes[k, :, part] = (self._answer(member, seen) + self.offset[member]).T
        return votes

    def bounds(self) -> Floats:
        """Return infinity for each member."""
        return np.full(len(self), np.inf)

    def taken(self, members: Ints) -> Self:
        """Return the table of some of the members, in the given order."""
        return replace(self, **{name: getattr(self, name)[members] for name in self._per_member()})

    @classmethod
    def _per_member(cls) -> tuple[str, ...]:
        """Names of the arrays with one entry per member."""
        return ("mask", "offset")
