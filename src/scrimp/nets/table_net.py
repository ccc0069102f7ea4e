"""A network for tables: blocks that take in columns as they are bought, each with an exit."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from ..plans import TableBlock
from ..types import Floats
from .table_encoding import TableEncoding
from .trained_arrays import FIRST_STEP, affine, numbers, start_with

#: Sines and cosines of each number.
N_FREQUENCIES = 16


@dataclass(frozen=True)
class TableSizes:
    """The sizes of a network for tables.

    Parameters
    ----------
    width : int
        Of the hidden state.
    inner_width : int
        Of the hidden layer of each residual unit.
    n_units : int
        Residual units per block.
    dropout : float
        The part of the inner layer that is left out in each step of training.
    encoding : {"quantile", "periodic"}
        What the values at the knots of a number are made of: see `Inputs`.
    """

    width: int = 128
    inner_width: int = 256
    n_units: int = 1
    dropout: float = 0.1
    encoding: str = "quantile"


class Inputs(nn.Module):
    """What columns add to the hidden state: a table of values, and sums of its rows.

    The value of a number at a knot is a multiple of the number, and the sum of the increments of
    all knots up to it: neighbouring knots share what they learn. With periodic functions it is
    instead a linear function of sines and cosines of the number, whose frequencies are learnt.
    """

    def __init__(
        self, encoding: TableEncoding, width: int, n_inputs: int, is_periodic: bool = False
    ) -> None:
        super().__init__()
        size, spread = encoding.n_values, 1.0 / np.sqrt(max(n_inputs, 1))
        is_number = ~np.repeat(encoding.is_category, np.diff(encoding.first))
        is_number[encoding.first[1:] - 1] = False
        self.increments = nn.Parameter(torch.randn(size, width) * spread * 0.2)
        self.slope = nn.Parameter(torch.randn(len(encoding.columns), width) * spread)
        numbers = torch.tensor(encoding.standardised_knots(), dtype=torch.float32)
        self.register_buffer("numbers", numbers[:, None], persistent=False)
        owner = np.repeat(np.arange(len(encoding.columns)), np.diff(encoding.first))
        self.register_buffer("owner", torch.tensor(owner, dtype=torch.long), persistent=False)
        self.register_buffer("first", torch.tensor(encoding.first[:-1]), persistent=False)
        self.register_buffer("is_number", torch.tensor(is_number)[:, None], persistent=False)
        self.periodic = None
        if is_periodic and len(encoding.columns):
            self.periodic = Periodic(len(encoding.columns), width, spread)

    def values(self) -> Tensor:
        """Return the value of each knot, category and missing value (values, width)."""
        if self.periodic is not None:
            waves = self.periodic(self.numbers, self.owner)
            return torch.where(self.is_number, waves, self.increments)
        total = self.increments.cumsum(0)
        before = (total - self.increments)[self.first][self.owner]
        shaped = total - before + self.numbers * self.slope[self.owner]
        return torch.where(self.is_number, shaped, self.increments)

    def forward(self, index: Tensor, weight: Tensor) -> Tensor:
        """Return the sum of weighted values of each row."""
        return functional.embedding_bag(index, self.values(), per_sample_weights=weight, mode="sum")


class Periodic(nn.Module):
    """Linear functions of sines and cosines of numbers, one for each column."""

    def __init__(self, n_columns: int, width: int, spread: float) -> None:
        super().__init__()
        self.frequencies = nn.Parameter(0.3 * torch.randn(n_columns, N_FREQUENCIES))
        scale = spread / np.sqrt(N_FREQUENCIES)
        self.weight = nn.Parameter(scale * torch.randn(n_columns, 2 * N_FREQUENCIES, width))

    def forward(self, numbers: Tensor, owner: Tensor) -> Tensor:
        """Return the values (numbers, width) of numbers (numbers, 1) of some columns."""
        angles = 2.0 * np.pi * numbers * self.frequencies[owner]
        waves = torch.cat([angles.sin(), angles.cos()], dim=1)
        # the values of a column stand together
        return torch.cat([waves[owner == c] @ self.weight[c] for c in range(len(self.weight))])


class Unit(nn.Module):
    """A residual unit: normalisation, two layers, and the state it was given."""

    def __init__(self, sizes: TableSizes) -> None:
        super().__init__()
        self.norm = nn.BatchNorm1d(sizes.width)
        self.inner = nn.Linear(sizes.width, sizes.inner_width)
        self.outer = nn.Linear(sizes.inner_width, sizes.width)
        self.dropout = nn.Dropout(sizes.dropout)
        with torch.no_grad():
            self.outer.weight *= FIRST_STEP

    def forward(self, state: Tensor) -> Tensor:
        """Return the state after the unit."""
        inner = self.dropout(functional.relu(self.inner(self.norm(state))))
        step: Tensor = self.outer(inner)
        return state + step


class Exit(nn.Module):
    """Normalisation, rectifier and a linear layer, which starts with the answer of the prior."""

    def __init__(self, width: int, prior: Floats) -> None:
        super().__init__()
        self.norm = nn.BatchNorm1d(width)
        self.linear = nn.Linear(width, len(prior))
        start_with(self.linear, prior)

    def forward(self, state: Tensor) -> Tensor:
        """Return the scores."""
        scores: Tensor = self.linear(functional.relu(self.norm(state)))
        return scores


class TableNet(nn.Module):
    """Blocks of columns, residual units and exits.

    Parameters
    ----------
    encodings : sequence of TableEncoding
        The columns that each block takes in; those of blocks of pure computation are empty.
    sizes : TableSizes
        Widths.
    prior : float array (outputs,)
        The scores before anything is bought.
    """

    def __init__(
        self, encodings: Sequence[TableEncoding], sizes: TableSizes, prior: Floats
    ) -> None:
        super().__init__()
        self.encodings, self.sizes = list(encodings), sizes
        n_inputs = sum(len(encoding.columns) for encoding in encodings)
        is_periodic = sizes.encoding == "periodic"
        self.inputs = nn.ModuleList(
            Inputs(each, sizes.width, n_inputs, is_periodic) for each in encodings
        )
        self.units = nn.ModuleList(
            nn.Sequential(*(Unit(sizes) for _ in range(sizes.n_units))) for _ in encodings
        )
        self.exits = nn.ModuleList(Exit(sizes.width, prior) for _ in encodings)

    def encoded(self, table: Floats) -> list[Tensor]:
        """Return rows as the network takes them in: values and weights of each block."""
        pairs = [encoding.encoded(table) for encoding in self.encodings]
        return [torch.from_numpy(array) for pair in pairs for array in pair]

    def forward(self, *encoded: Tensor) -> Iterator[Tensor]:
        """Yield the scores of each exit."""
        state = torch.zeros(len(encoded[0]), self.sizes.width, device=encoded[0].device)
        for block, (inputs, units, way_out) in enumerate(
            zip(self.inputs, self.units, self.exits, strict=True)
        ):
            index, weight = encoded[2 * block : 2 * block + 2]
            if index.shape[1]:
                state = state + inputs(index, weight)
            state = units(state)
            yield way_out(state)

    @property
    def multiply_adds(self) -> list[int]:
        """The multiplications of each block, its exit included, for one row."""
        sizes, outputs = self.sizes, self.exits[0].linear.out_features
        unit = 2 * sizes.width * sizes.inner_width
        return [
            2 * len(each.columns) * sizes.width + sizes.n_units * unit + sizes.width * (outputs + 1)
            for each in self.encodings
        ]

    def blocks(self, has_exit: Sequence[bool], slopes: Floats, shifts: Floats) -> list[TableBlock]:
        """Return the blocks as arrays.

        Parameters
        ----------
        has_exit : sequence of bool
            Which exits are kept.
        slopes, shifts : float arrays (exits,), (exits, outputs)
            The scores of each exit are multiplied by the first, and the second is added.
        """
        with torch.no_grad():
            return [
                self._block(number, has_exit[number], slopes[number], shifts[number])
                for number in range(len(self.encodings))
            ]

    def _block(self, number: int, has_exit: bool, slope: float, shift: Floats) -> TableBlock:
        encoding, way_out = self.encodings[number], self.exits[number]
        n_outputs = way_out.linear.out_features if has_exit else 0
        scale, offset = affine(way_out.norm)
        inner, inner_bias, outer, outer_bias = zip(*map(_layers, self.units[number]), strict=True)
        return TableBlock(
            encoding.columns, encoding.is_category, encoding.knots, encoding.first,
            numbers(self.inputs[number].values()),
            np.array([0 if number == 0 else self.sizes.width]),
            np.stack(inner), np.stack(inner_bias), np.stack(outer), np.stack(outer_bias),
            scale, offset,
            slope * numbers(way_out.linear.weight).T[:, :n_outputs],
            (slope * numbers(way_out.linear.bias) + shift)[:n_outputs],
        )  # fmt: skip


def _layers(unit: Unit) -> tuple[Floats, Floats, Floats, Floats]:
    """Return the weights of a unit with its normalisation in the first layer."""
    scale, offset = affine(unit.norm)
    inner = numbers(unit.inner.weight).T
    bias = numbers(unit.inner.bias) + offset @ inner
    return inner * scale[:, None], bias, numbers(unit.outer.weight).T, numbers(unit.outer.bias)
