"""Whole networks on images as one program of kernels, which answers rows at their exits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ...types import Floats, Ints
from .compiled_layers import CompiledLayers, LayerCompiler
from .image_blocks import ImageBlock


@dataclass(frozen=True, eq=False)
class ImageNetwork:
    """Blocks of a network on images, or of several one after the other, as a program of kernels.

    Parameters
    ----------
    program : CompiledLayers
        All layers.
    columns : int array
        The pixels.
    prior : float array (outputs,)
        The answer before the first exit.
    """

    program: CompiledLayers
    columns: Ints
    prior: Floats

    @classmethod
    def of(cls, blocks: Sequence[ImageBlock], prior: Floats) -> Self | None:
        """Return the network of some blocks; None if they read different pixels."""
        firsts = [block for block in blocks if len(block.columns)]
        columns = firsts[0].columns if firsts else np.empty(0, dtype=np.int64)
        if not all(np.array_equal(block.columns, columns) for block in firsts):
            return None
        compiler = LayerCompiler()
        for block in blocks:
            _add_block(compiler, block)
        return cls(compiler.compiled(), columns, prior)

    def answer(
        self, X: NDArray[Any], thresholds: Floats, scale: float
    ) -> tuple[Floats, Ints] | None:
        """Return scores and the number of blocks computed; None if a pixel is not finite.

        Parameters
        ----------
        X : float array (rows, columns)
            What is answered.
        thresholds, scale
            As in `scrimp.kernels.image_programs.answer_rows`.
        """
        from ...kernels.image_programs import answer_rows

        n = len(X)
        scores, n_told = np.empty((n, len(self.prior))), np.empty(n, dtype=np.int64)
        memory = np.empty(self.program.memory_size, dtype=np.float32)
        rows = X if X.flags.c_contiguous else np.ascontiguousarray(X)
        are_finite = answer_rows(
            rows, self.columns, self.program.arrays, thresholds, self.prior, scale, memory, scores,
            n_told,
        )  # fmt: skip
        return (scores, n_told) if are_finite else None


def _add_block(compiler: LayerCompiler, block: ImageBlock) -> None:
    """Append a block and its exit to a program; afterwards there are only its carried values."""
    is_first, first, answer = bool(len(block.columns)), len(compiler.lines), -1
    if is_first:
        compiler.inputs(block.given)
    before = set(compiler.parts)
    block.compile_layers(compiler)
    if block.n_outputs:
        answer = block.compile_exit(compiler)
        compiler.release(block.program.exit_layers[-1].output)
    compiler.release(*before.difference(block.program.carried))
    compiler.blocks.append([first, len(compiler.lines), answer, int(is_first)])
