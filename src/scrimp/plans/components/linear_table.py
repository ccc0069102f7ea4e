"""Tables of linear functions of many columns, each of which is a member of an ensemble."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ...types import Floats
from .inputs import InputTable


@dataclass(frozen=True, eq=False)
class LinearTable(InputTable):
    """Linear functions of inputs.

    Parameters
    ----------
    column, code, center, scale, mask, offset
        As in `InputTable`.
    weight : float array (members, inputs, outputs)
        The weight of each input.
    """

    kind: ClassVar[str] = "linear"

    weight: Floats

    def __post_init__(self) -> None:
        """Convert the arrays and check their shapes."""
        super().__post_init__()
        self._set_floats("weight", 3)
        self._check_shape("weight", len(self), len(self.column), self.n_outputs)

    def _answer(self, member: int, Z: Floats) -> Floats:
        from ...kernels.network_answers import linear_answers

        answers = np.empty((len(Z), self.n_outputs))
        linear_answers(Z, self.weight[member], answers)
        return answers

    @classmethod
    def _per_member(cls) -> tuple[str, ...]:
        return (*super()._per_member(), "weight")
