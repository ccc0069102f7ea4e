"""Blocks plans: a network cut in blocks, with an answer at some of its exits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..costs.ledger import Ledger
from ..data.validation import float_array, int_array
from ..types import Arrays, Floats, Ints
from .contract import Plan, StageTable, State


@dataclass(frozen=True, eq=False)
class Block:
    """One step of the hidden state, ``relu(hidden @ carry + x[columns] @ take + bias)``.

    Parameters
    ----------
    columns : int array (inputs,)
        Columns the block reads; none for a block of pure compute.
    carry : float array (width before, width after)
        From the hidden state before.
    take : float array (inputs, width after)
        From the columns.
    bias : float array (width after,)
        Added before the rectifier.
    exit : tuple of float arrays (width after, outputs) and (outputs,), optional
        The answer after this block; without one the answer before stands.
    """

    columns: Ints
    carry: Floats
    take: Floats
    bias: Floats
    exit: tuple[Floats, Floats] | None = None

    def __post_init__(self) -> None:
        """Bring the arrays to one type and check that they fit."""
        object.__setattr__(self, "columns", int_array("columns", self.columns))
        for name, ndim in (("carry", 2), ("take", 2), ("bias", 1)):
            object.__setattr__(self, name, float_array(name, getattr(self, name), ndim))
        if self.exit is not None:
            weights, bias = self.exit
            own = float_array("exit weights", weights, 2), float_array("exit bias", bias)
            object.__setattr__(self, "exit", own)
        width = len(self.bias)
        if self.carry.shape[1] != width:
            raise ValueError("carry must be (width before x width after).")
        if self.take.shape != (len(self.columns), width):
            raise ValueError("take must be (inputs x width after).")
        if self.exit is not None and self.exit[0].shape != (width, len(self.exit[1])):
            raise ValueError("an exit must be (width after x outputs) and (outputs).")


@dataclass
class BlocksState(State):
    """The hidden state and the last answer."""

    position: int
    hidden: Floats
    scores: Floats


class BlocksPlan(Plan[BlocksState]):
    """Blocks in a fixed order that carry a hidden state; a refusal ends the walk.

    Parameters
    ----------
    stages : StageTable
        The items of each block: columns, compute, or both.
    blocks : sequence of Block
        The network.
    prior : float array (outputs,)
        The answer before the first exit.
    """

    kind = "blocks"

    def __init__(self, stages: StageTable, blocks: Sequence[Block], prior: ArrayLike) -> None:
        self.stages = stages.in_sequence()
        self.blocks = list(blocks)
        self.prior = float_array("prior", np.atleast_1d(prior))
        self.n_outputs = len(self.prior)
        self.reads = tuple(tuple(block.columns.tolist()) for block in self.blocks)
        if len(stages) != len(self.blocks):
            raise ValueError(f"{len(stages)} stages but {len(self.blocks)} blocks.")
        width = 0
        for block in self.blocks:
            if block.carry.shape[0] != width:
                raise ValueError("a block must carry the width of the block before it.")
            if block.exit is not None and len(block.exit[1]) != self.n_outputs:
                raise ValueError("exits and prior must have the same number of outputs.")
            width = len(block.bias)

    def start(self, keys: NDArray[np.uint64], ledger: Ledger) -> BlocksState:
        """An empty hidden state and the prior."""
        n = len(keys)
        return BlocksState(n, 0, np.empty((n, 0)), np.tile(self.prior, (n, 1)))

    def ask(self, state: BlocksState) -> int:
        """The next block."""
        return state.position if state.position < len(self.blocks) else -1

    def tell(self, state: BlocksState, stage: int, X: NDArray[Any], rows: Ints) -> None:
        """Compute the block, and its exit if it has one."""
        block = self.blocks[stage]
        inputs = X[np.ix_(rows, block.columns)]
        hidden = _product(state.hidden, block.carry) + _product(inputs, block.take) + block.bias
        state.hidden = np.maximum(hidden, 0.0)
        if block.exit is not None:
            weights, bias = block.exit
            state.scores = _product(state.hidden, weights) + bias
        state.position = stage + 1

    def refuse(self, state: BlocksState, stage: int, ledger: Ledger) -> None:
        """Without a block there is no hidden state for the next."""
        state.position = len(self.blocks)

    def read(self, state: BlocksState) -> Floats:
        """The last exit's answer."""
        return state.scores.copy()

    def parts(self) -> tuple[dict[str, Any], Arrays]:
        """All there is to the plan."""
        arrays = {"prior": self.prior} | self.stages.arrays()
        for number, block in enumerate(self.blocks):
            own: Arrays = {"columns": block.columns, "carry": block.carry, "take": block.take}
            own["bias"] = block.bias
            if block.exit is not None:
                own["exit_weights"], own["exit_bias"] = block.exit
            arrays.update({f"{number}/{name}": value for name, value in own.items()})
        return {"n_blocks": len(self.blocks)}, arrays

    @classmethod
    def from_parts(cls, header: dict[str, Any], arrays: Arrays) -> BlocksPlan:
        """The inverse of `parts`."""
        stages = StageTable.from_arrays(arrays)
        if header["n_blocks"] != len(stages):
            raise ValueError("the number of blocks and of stages differ.")
        return cls(stages, [_block(arrays, n) for n in range(len(stages))], arrays["prior"])


def _block(arrays: Arrays, number: int) -> Block:
    exit_ = None
    if f"{number}/exit_weights" in arrays:
        exit_ = (arrays[f"{number}/exit_weights"], arrays[f"{number}/exit_bias"])
    columns, carry, take, bias = (
        arrays[f"{number}/{name}"] for name in ("columns", "carry", "take", "bias")
    )
    return Block(columns, carry, take, bias, exit_)


def _product(left: NDArray[Any], right: Floats) -> Floats:
    """A matrix product whose rows do not depend on how many there are, as BLAS's may."""
    out = np.zeros((len(left), right.shape[1]))
    for k in range(right.shape[0]):
        out += left[:, k, None] * right[k]
    return out
