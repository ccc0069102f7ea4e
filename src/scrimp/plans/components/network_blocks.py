"""Blocks of networks: each changes a hidden state, and may answer from it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from ...data.validation import float_array, int_array
from ...types import Arrays, Flags, Floats, Ints

#: Rows of a matrix product. Rows are padded to a multiple of it: a product of other sizes may
#: round a row in another way, and an answer must not depend on the rows beside it.
PRODUCT_ROWS = 64
_DENSE_ARRAYS = ("columns", "carry", "take", "bias")


class NetworkBlock(ABC):
    """A step of the hidden state of rows.

    Attributes
    ----------
    kind : str
        The name of the kind in model files.
    columns : int array
        The columns that the block reads; none for a block of pure computation.
    accepts_missing : bool
        Whether these columns may hold NaN.
    """

    kind: ClassVar[str]
    accepts_missing: ClassVar[bool] = False
    columns: Ints

    @property
    @abstractmethod
    def widths(self) -> tuple[int, int]:
        """The width of the hidden state before the block and after it."""

    @property
    @abstractmethod
    def n_outputs(self) -> int:
        """The outputs of the exit after this block; 0 if there is none."""

    @abstractmethod
    def forward(self, hidden: Floats, X: NDArray[Any], rows: Ints) -> Floats:
        """Return the hidden state after the block."""

    @abstractmethod
    def answer(self, hidden: Floats) -> Floats:
        """Return the answer of the exit from the hidden state after the block."""

    @abstractmethod
    def arrays(self) -> Arrays:
        """Return the arrays of the block, for storage."""

    @classmethod
    @abstractmethod
    def from_arrays(cls, arrays: Arrays) -> Self:
        """Return the block of stored `arrays`."""


@dataclass(frozen=True, eq=False)
class Block(NetworkBlock):
    """One dense layer, ``relu(hidden @ carry + x[columns] @ take + bias)``.

    Parameters
    ----------
    columns : int array (inputs,)
        The columns that the block reads; none for a block of pure computation.
    carry : float array (width before, width after)
        The weights of the previous hidden state.
    take : float array (inputs, width after)
        The weights of the columns.
    bias : float array (width after,)
        The bias, added before the rectifier.
    exit : tuple of float arrays (width after, outputs) and (outputs,), optional
        The weights and the bias of the answer after this block; without an exit the previous
        answer stands.
    """

    kind: ClassVar[str] = "dense"

    columns: Ints
    carry: Floats
    take: Floats
    bias: Floats
    exit: tuple[Floats, Floats] | None = None

    def __post_init__(self) -> None:
        """Convert the arrays and check their shapes."""
        object.__setattr__(self, "columns", int_array("columns", self.columns))
        for name, ndim in (("carry", 2), ("take", 2), ("bias", 1)):
            object.__setattr__(self, name, float_array(name, getattr(self, name), ndim))
        if self.exit is not None:
            weights, bias = self.exit
            arrays = float_array("exit weights", weights, 2), float_array("exit bias", bias)
            object.__setattr__(self, "exit", arrays)
        width = len(self.bias)
        if self.carry.shape[1] != width:
            raise ValueError("carry must be (width before x width after).")
        if self.take.shape != (len(self.columns), width):
            raise ValueError("take must be (inputs x width after).")
        if self.exit is not None and self.exit[0].shape != (width, len(self.exit[1])):
            raise ValueError("an exit must be (width after x outputs) and (outputs).")

    @property
    def widths(self) -> tuple[int, int]:
        """The width of the hidden state before the block and after it."""
        return self.carry.shape[0], len(self.bias)

    @property
    def n_outputs(self) -> int:
        """The outputs of the exit after this block; 0 if there is none."""
        return 0 if self.exit is None else len(self.exit[1])

    def forward(self, hidden: Floats, X: NDArray[Any], rows: Ints) -> Floats:
        """Return the hidden state after the block."""
        inputs = X[np.ix_(rows, self.columns)]
        return np.maximum(product(hidden, self.carry) + product(inputs, self.take) + self.bias, 0.0)

    def answer(self, hidden: Floats) -> Floats:
        """Return the answer of the exit."""
        if self.exit is None:
            raise ValueError("the block has no exit.")
        return product(hidden, self.exit[0]) + self.exit[1]

    def arrays(self) -> Arrays:
        """Return the arrays of the block."""
        arrays: Arrays = {
            name: getattr(self, name) for name in ("columns", "carry", "take", "bias")
        }
        if self.exit is not None:
            arrays["exit_weights"], arrays["exit_bias"] = self.exit
        return arrays

    @classmethod
    def from_arrays(cls, arrays: Arrays) -> Self:
        """Return the block of stored `arrays`."""
        way_out = None
        if "exit_weights" in arrays:
            way_out = arrays["exit_weights"], arrays["exit_bias"]
        inner = {name: arrays[name] for name in _DENSE_ARRAYS}
        return cls(**inner, exit=way_out)


@dataclass(frozen=True, eq=False)
class TableBlock(NetworkBlock):
    """Columns that are added to the hidden state, residual units, and perhaps an exit.

    Each column brings a row of a table: that of its category, or of a number the interpolation
    between those of two knots (the piecewise linear encoding of Gorishniy et al. 2022, followed by
    a linear layer). A unit adds ``relu(h @ inner + inner_bias) @ outer + outer_bias`` to the state
    h, and the exit answers ``relu(h * exit_scale + exit_shift) @ exit_weights + exit_bias``.
    Normalisations of the training are part of these arrays.

    Parameters
    ----------
    columns, is_category, knots, first, values
        The inputs: see `scrimp.kernels.table_inputs.add_inputs`.
    width_before : int array (1,)
        The width of the state before the block: as after it, or 0 if the block starts a network.
    inner, inner_bias : float arrays (units, width, inner width), (units, inner width)
        The first layers of the units.
    outer, outer_bias : float arrays (units, inner width, width), (units, width)
        The second layers.
    exit_scale, exit_shift, exit_bias : float arrays (width,), (width,), (outputs,)
        Of the exit; without outputs there is none.
    exit_weights : float array (width, outputs)
        Of the exit.

    References
    ----------
    Gorishniy, Rubachev, Babenko. On Embeddings for Numerical Features in Tabular Deep Learning.
    NeurIPS 2022.
    """

    kind: ClassVar[str] = "table"
    accepts_missing: ClassVar[bool] = True

    columns: Ints
    is_category: Flags
    knots: Floats
    first: Ints
    values: Floats
    width_before: Ints
    inner: Floats
    inner_bias: Floats
    outer: Floats
    outer_bias: Floats
    exit_scale: Floats
    exit_shift: Floats
    exit_weights: Floats
    exit_bias: Floats

    def __post_init__(self) -> None:
        """Convert the arrays and check their shapes."""
        for name in ("columns", "first", "width_before"):
            object.__setattr__(self, name, int_array(name, getattr(self, name)))
        object.__setattr__(self, "is_category", np.asarray(self.is_category, dtype=bool))
        for name, ndim in _TABLE_NUMBERS.items():
            object.__setattr__(self, name, float_array(name, getattr(self, name), ndim))
        self._check_inputs()
        width, units = self.widths[1], len(self.inner)
        inner = self.inner_bias.shape[1] if self.inner_bias.ndim == 2 else -1
        shapes = {
            "inner": (units, width, inner), "inner_bias": (units, inner),
            "outer": (units, inner, width), "outer_bias": (units, width),
            "exit_scale": (width,), "exit_shift": (width,),
            "exit_weights": (width, len(self.exit_bias)),
        }  # fmt: skip
        for name, shape in shapes.items():
            array = getattr(self, name)
            if array.shape != shape or not np.isfinite(array).all():
                raise ValueError(f"{name} must be finite and of the shape {shape}.")

    def _check_inputs(self) -> None:
        n, width = len(self.columns), self.values.shape[1]
        sizes = np.diff(self.first)
        if len(self.first) != n + 1 or self.first[0] != 0 or self.first[-1] != len(self.values):
            raise ValueError("first must begin with 0 and end with the rows of values.")
        if len(self.is_category) != n or len(self.knots) != n or (sizes < 1).any():
            raise ValueError("a block of a table needs knots and at least a row for each column.")
        n_knots = np.where(self.is_category, 0, sizes - 1)
        if n and int(n_knots.max(initial=0)) > self.knots.shape[1]:
            raise ValueError("a column has more rows of values than knots.")
        known = np.arange(self.knots.shape[1]) < n_knots[:, None]
        if not np.isfinite(self.knots[known]).all() or not np.isfinite(self.values).all():
            raise ValueError("knots and values must be finite.")
        rises = np.diff(self.knots, axis=1) > 0
        if not rises[known[:, 1:]].all():
            raise ValueError("knots must be ascending.")
        if len(self.width_before) != 1 or self.width_before[0] not in (0, width):
            raise ValueError("width_before must be 0 or the width of the block.")

    @property
    def widths(self) -> tuple[int, int]:
        """The width of the hidden state before the block and after it."""
        return int(self.width_before[0]), self.values.shape[1]

    @property
    def n_outputs(self) -> int:
        """The outputs of the exit after this block; 0 if there is none."""
        return len(self.exit_bias)

    def forward(self, hidden: Floats, X: NDArray[Any], rows: Ints) -> Floats:
        """Return the hidden state after the block."""
        from ...kernels.table_inputs import add_inputs

        before, after = self.widths
        state = hidden.copy() if before else np.zeros((len(rows), after))
        if len(self.columns):
            add_inputs(
                X, rows, self.columns, self.is_category, self.knots, self.first, self.values, state
            )
        for unit in range(len(self.inner)):
            inner = np.maximum(product(state, self.inner[unit]) + self.inner_bias[unit], 0.0)
            state += product(inner, self.outer[unit]) + self.outer_bias[unit]
        return state

    def answer(self, hidden: Floats) -> Floats:
        """Return the answer of the exit."""
        active = np.maximum(hidden * self.exit_scale + self.exit_shift, 0.0)
        return product(active, self.exit_weights) + self.exit_bias

    def arrays(self) -> Arrays:
        """Return the arrays of the block."""
        arrays = {field.name: getattr(self, field.name) for field in fields(self)}
        return arrays | {"is_category": self.is_category.astype(np.int64)}  # files have no flags

    @classmethod
    def from_arrays(cls, arrays: Arrays) -> Self:
        """Return the block of stored `arrays`."""
        return cls(**{field.name: arrays[field.name] for field in fields(cls)})


_TABLE_NUMBERS = {
    "knots": 2, "values": 2, "inner": 3, "inner_bias": 2, "outer": 3, "outer_bias": 2,
    "exit_scale": 1, "exit_shift": 1, "exit_weights": 2, "exit_bias": 1,
}  # fmt: skip


def product(left: NDArray[Any], right: Floats) -> Floats:
    """Return a matrix product in which a row never depends on the rows beside it.

    >>> left, right = np.random.default_rng(0).normal(size=(2, 70, 70))
    >>> bool((product(left, right)[3] == product(left[3:4], right)[0]).all())
    True
    """
    n, step = len(left), PRODUCT_ROWS
    out = np.empty((n, right.shape[1]))
    if not n or not right.size:
        out[:] = 0.0
        return out
    whole = n - n % step
    for start in range(0, whole, step):
        np.matmul(left[start : start + step], right, out=out[start : start + step])
    if whole < n:
        padded = np.zeros((step, left.shape[1]))
        padded[: n - whole] = left[whole:]
        out[whole:] = (padded @ right)[: n - whole]
    return out
