"""The base class of plans that buy as an inner plan does, and answer differently."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from ..costs.ledger import Ledger
from ..types import Flags, Ints
from .capabilities import Future, bounded, free_stages, key_groups
from .contract import Outline, Plan, State


@dataclass
class DelegatingState(State):
    """The state of the inner plan."""

    inner: Any


D = TypeVar("D", bound=DelegatingState)


class DelegatingPlan(Plan[D], Generic[D]):
    """A plan that follows the stages of an inner plan.

    Parameters
    ----------
    inner : Plan
        The plan that buys.
    """

    def __init__(self, inner: Plan[Any]) -> None:
        self.inner = inner
        self.stages, self.reads = inner.stages, inner.reads
        self.accepts_missing, self.accepts_sparse = inner.accepts_missing, inner.accepts_sparse
        self.refusal, self.one_budget = inner.refusal, inner.one_budget
        self.decisive, self.spare = inner.decisive, inner.spare
        self.answers_without = inner.answers_without
        order, noun = inner.outline.order, inner.outline.stage_noun
        self.outline = Outline(order, noun, buyer=inner.outline.buyer or inner)

    def key_groups(self, keys: NDArray[np.uint64]) -> Ints:
        """Return the groups of the inner plan."""
        return key_groups(self.inner, keys)

    def ask(self, state: D) -> int | Ints:
        """Return the next stage of the inner plan."""
        return self.inner.ask(state.inner)

    def refuse(self, state: D, stage: int, ledger: Ledger) -> None:
        """Let the inner plan continue without a stage."""
        self.inner.refuse(state.inner, stage, ledger)

    def headroom(self, state: D, stage: int) -> float:
        """Return the headroom of the inner plan."""
        return self.inner.headroom(state.inner, stage)

    def extents(self) -> Sequence[Sequence[int]]:
        """Return the extents of the inner plan."""
        return self.inner.extents()

    def free_stages(self, state: D, owned: Flags) -> Sequence[int]:
        """Return the free stages of the inner plan."""
        return free_stages(self.inner, state.inner, owned)

    def future(self, state: D) -> Future:
        """Return the stages to come of the inner plan."""
        return bounded(self.inner).future(state.inner)

    def settle(self, state: D) -> None:
        """Make the inner plan answer with its running stages."""
        bounded(self.inner).settle(state.inner)
