"""The base of plans that wrap another plan: they buy as it does, and answer otherwise."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from ..costs.ledger import Ledger
from ..types import Flags, Ints
from .capabilities import Future, bounded, free_stages
from .contract import Outline, Plan, State


@dataclass
class DelegatingState(State):
    """The state of the plan within."""

    inner: Any


D = TypeVar("D", bound=DelegatingState)


class DelegatingPlan(Plan[D], Generic[D]):
    """A plan that is followed as the plan within.

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
        self.decisive = inner.decisive
        order, noun = inner.outline.order, inner.outline.stage_noun
        self.outline = Outline(order, noun, buyer=inner.outline.buyer or inner)

    def ask(self, state: D) -> int | Ints:
        """Return the next stage of the plan within."""
        return self.inner.ask(state.inner)

    def refuse(self, state: D, stage: int, ledger: Ledger) -> None:
        """Let the plan within go on without a stage."""
        self.inner.refuse(state.inner, stage, ledger)

    def headroom(self, state: D, stage: int) -> float:
        """Return the headroom that the plan within wants."""
        return self.inner.headroom(state.inner, stage)

    def extents(self) -> Sequence[Sequence[int]]:
        """Return what the plan within buys at most."""
        return self.inner.extents()

    def free_stages(self, state: D, owned: Flags) -> Sequence[int]:
        """Return the stages that count for the plan within."""
        return free_stages(self.inner, state.inner, owned)

    def future(self, state: D) -> Future:
        """Return the stages to come of the plan within."""
        return bounded(self.inner).future(state.inner)

    def settle(self, state: D) -> None:
        """Let the plan within answer with its running stages."""
        bounded(self.inner).settle(state.inner)
