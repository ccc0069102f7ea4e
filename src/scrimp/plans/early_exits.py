"""Early exits: rows that make the same purchases in the same order, until each is sure enough."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from ..data.target import Target
from ..types import Flags, Floats, Ints


@dataclass(frozen=True, eq=False)
class ExitRule:
    """The stages that a budget pays for, and which rows stop before each of them.

    Parameters
    ----------
    target : Target
        Says which rows are settled.
    spent : float array (stages + 1,)
        The spend before each stage, and after the last.
    may_stop : bool array (stages,)
        Whether a row may stop before a stage: where it has something to buy, and a stop rule.
    """

    target: Target
    spent: Floats
    may_stop: Flags

    @property
    def n_stages(self) -> int:
        """The stages that are told at most."""
        return len(self.may_stop)

    def settled(self, scores: Floats, stage: int) -> Flags:
        """Return which rows stop before a stage."""
        if not self.may_stop[stage]:
            return np.zeros(len(scores), dtype=bool)
        return self.target.settled(scores, float(self.spent[stage]))

    @cached_property
    def thresholds(self) -> Floats | None:
        """The probability of the likeliest class at which rows stop before each stage.

        Infinite where none stops; None if another quantity decides.
        """
        levels = [
            self.target.stop_confidence(float(spent)) if may_stop else np.inf
            for spent, may_stop in zip(self.spent[:-1], self.may_stop, strict=True)
        ]
        return None if None in levels else np.array(levels, dtype=np.float64)


@runtime_checkable
class EarlyExits(Protocol):
    """A plan that follows rows which differ only in when they stop, all in one call."""

    def answer_with_exits(self, X: NDArray[Any], rule: ExitRule) -> tuple[Floats, Ints] | None:
        """Return scores (rows x outputs) and the number of stages told (rows,).

        They are those of driving the rows. None is returned if the rows must be driven: where
        values that were bought cannot be used.
        """
