"""Blocks plans: a network divided into blocks, some of which have an exit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..costs.ledger import Ledger
from ..data.validation import float_array
from ..types import Arrays, Flags, Floats, Ints
from .components.image_blocks import ImageBlock, by_kernels, pixels
from .components.image_networks import ImageNetwork
from .components.network_blocks import Block, NetworkBlock, TableBlock
from .contract import Plan, StageTable, State, owned_in_order
from .early_exits import ExitRule

#: The kinds of block that a model file may name.
BLOCK_KINDS: dict[str, type[NetworkBlock]] = {
    kind.kind: kind for kind in (Block, TableBlock, ImageBlock)
}
#: Rows that are followed to their exits together: the hidden state of more fits in no cache.
_ROWS_AT_ONCE = 256


@dataclass
class BlocksState(State):
    """The hidden state and the last answer."""

    position: int
    hidden: Floats
    scores: Floats


class BlocksPlan(Plan[BlocksState]):
    """A plan of blocks in a fixed order that carry a hidden state; a refusal ends it.

    A block of a table or of images that carries nothing starts another network.

    Parameters
    ----------
    stages : StageTable
        The items of each block: columns, computation, or both.
    blocks : sequence of NetworkBlock
        The network.
    prior : float array (outputs,)
        The answer before the first exit.
    """

    kind = "blocks"

    def __init__(
        self, stages: StageTable, blocks: Sequence[NetworkBlock], prior: ArrayLike
    ) -> None:
        self.stages = stages.in_sequence()
        self.blocks = list(blocks)
        self.prior = float_array("prior", np.atleast_1d(prior))
        self.n_outputs = len(self.prior)
        self.reads = tuple(tuple(block.columns.tolist()) for block in self.blocks)
        self.accepts_missing = all(block.accepts_missing for block in self.blocks)
        if len(stages) != len(self.blocks):
            raise ValueError(f"{len(stages)} stages but {len(self.blocks)} blocks.")
        width = 0
        for block in self.blocks:
            before, after = block.widths
            restarts = before == 0 and not isinstance(block, Block)
            if before != width and not restarts:
                raise ValueError("a block must carry the width of the block before it.")
            if block.n_outputs not in (0, self.n_outputs):
                raise ValueError("exits and prior must have the same number of outputs.")
            width = after

    def start(self, keys: NDArray[np.uint64], ledger: Ledger) -> BlocksState:
        """Return an empty hidden state and the prior."""
        n = len(keys)
        return BlocksState(n, 0, np.empty((n, 0)), np.tile(self.prior, (n, 1)))

    def ask(self, state: BlocksState) -> int:
        """Return the next block."""
        return state.position if state.position < len(self.blocks) else -1

    def tell(self, state: BlocksState, stage: int, X: NDArray[Any], rows: Ints) -> None:
        """Compute the block, and its exit if it has one."""
        block = self.blocks[stage]
        state.hidden = block.forward(state.hidden, X, rows)
        if block.n_outputs:
            state.scores = block.answer(state.hidden)
        state.position = stage + 1

    def refuse(self, state: BlocksState, stage: int, ledger: Ledger) -> None:
        """End the plan, as the next block needs the hidden state of this one."""
        state.position = len(self.blocks)

    def read(self, state: BlocksState) -> Floats:
        """Return the answer of the last exit."""
        return state.scores.copy()

    def free_stages(self, state: BlocksState, owned: Flags) -> list[int]:
        """Return the blocks that can be computed next from what is owned."""
        return owned_in_order(owned, state.position, "stop")

    def leading(self, n_stages: int) -> BlocksPlan:
        """Return the plan of the first blocks alone."""
        items, blocks = self.stages.items[:n_stages], self.blocks[:n_stages]
        return BlocksPlan(StageTable(items), blocks, self.prior)

    def answer_with_exits(self, X: NDArray[Any], rule: ExitRule) -> tuple[Floats, Ints] | None:
        """Return scores and the number of blocks computed; None if a value is not finite."""
        if by_kernels(len(X)) and rule.thresholds is not None:
            network = self._image_network
            if network is not None:
                return network.answer(X, rule.thresholds, rule.target.scale)
        n = len(X)
        scores, n_told = np.tile(self.prior, (n, 1)), np.full(n, rule.n_stages)
        for start in range(0, n, _ROWS_AT_ONCE):
            rows = np.arange(start, min(start + _ROWS_AT_ONCE, n))
            if not self._follow_to_exits(X, rows, rule, scores, n_told):
                return None
        return scores, n_told

    def _follow_to_exits(
        self, X: NDArray[Any], rows: Ints, rule: ExitRule, scores: Floats, n_told: Ints
    ) -> bool:
        """Write the answers of some rows; return whether all values that were read are finite."""
        hidden, current = np.empty((len(rows), 0)), scores[rows]
        for stage in range(rule.n_stages):
            sure = rule.settled(current, stage)
            if sure.any():
                n_told[rows[sure]] = stage
                rows, hidden, current = rows[~sure], hidden[~sure], current[~sure]
                if not len(rows):
                    break
            block = self.blocks[stage]
            is_checked = len(block.columns) and not self.accepts_missing
            if is_checked and not np.isfinite(pixels(X, rows, block.columns)).all():
                return False
            hidden = block.forward(hidden, X, rows)
            if block.n_outputs:
                current = scores[rows] = block.answer(hidden)
        return True

    @cached_property
    def _image_network(self) -> ImageNetwork | None:
        """The whole network as a program of kernels, if all its blocks are of images."""
        blocks = [block for block in self.blocks if isinstance(block, ImageBlock)]
        are_all = blocks and len(blocks) == len(self.blocks)
        return ImageNetwork.of(blocks, self.prior) if are_all else None

    def parts(self) -> tuple[dict[str, Any], Arrays]:
        """Return the header and the arrays of the plan."""
        arrays = {"prior": self.prior} | self.stages.arrays()
        for number, block in enumerate(self.blocks):
            arrays.update({f"{number}/{name}": value for name, value in block.arrays().items()})
        kinds = [block.kind for block in self.blocks]
        are_dense = all(kind == Block.kind for kind in kinds)
        return {"n_blocks": len(kinds)} if are_dense else {"kinds": kinds}, arrays

    @classmethod
    def from_parts(cls, header: dict[str, Any], arrays: Arrays) -> BlocksPlan:
        """Return the plan of stored `parts`."""
        stages = StageTable.from_arrays(arrays)
        are_dense = "kinds" not in header
        if (header["n_blocks"] if are_dense else len(header["kinds"])) != len(stages):
            raise ValueError("the number of blocks and of stages differ.")
        kinds = [Block.kind] * len(stages) if are_dense else header["kinds"]
        of_block: list[Arrays] = [{} for _ in kinds]
        for name, array in arrays.items():
            number, slash, inner = name.partition("/")
            if slash and number.isdecimal() and int(number) < len(kinds):
                of_block[int(number)][inner] = array
        blocks = [_block(n, kind, of_block[n]) for n, kind in enumerate(kinds)]
        return cls(stages, blocks, arrays["prior"])


def _block(number: int, kind: str, arrays: Arrays) -> NetworkBlock:
    """Return a block of stored arrays; one that is lacking is named as in the file."""
    if kind not in BLOCK_KINDS:
        raise ValueError(f"there is no kind of block {kind!r}; expected one of {[*BLOCK_KINDS]}.")
    try:
        return BLOCK_KINDS[kind].from_arrays(arrays)
    except KeyError as error:
        raise KeyError(f"{number}/{error.args[0]}") from error
