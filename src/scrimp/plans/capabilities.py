"""What some kinds of plan can do beyond the contract: small protocols, one use each.

Each protocol comes with a function that uses it where a plan has it and else does what the
contract alone allows. Drivers, and plans that wrap plans, call these functions.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from ..costs.costs import Costs
from ..costs.ledger import Ledger
from ..types import Flags, Floats, Ints
from .contract import Plan

#: Scores (rows x outputs) of ``X[rows]``.
Reader = Callable[[NDArray[Any], Ints], Floats]


@dataclass(frozen=True)
class Future:
    """Stages still to come, in order, and whether the first that is refused ends them."""

    stages: Sequence[int]
    ends_at_refusal: bool


@runtime_checkable
class Bounded(Protocol):
    """Bounds its final scores, so that ``stop="certain"`` can stop early."""

    def future(self, state: Any) -> Future:
        """Return the stages still to come."""

    def reach(
        self, state: Any, free: Sequence[int], unsure: Sequence[int], X: NDArray[Any], rows: Ints
    ) -> tuple[Floats, Floats]:
        """Return a lower and an upper bound of the final scores.

        Parameters
        ----------
        state : State
            The rows.
        free : sequence of int
            Stages to come whose columns are owned: they count as they are.
        unsure : sequence of int
            Stages to come that may still be bought: they count with their range.
        X, rows
            As in `Plan.tell`.
        """

    def settle(self, state: Any) -> None:
        """Let `read` answer with the running stages: nothing more is bought."""


def bounded(plan: Plan[Any]) -> Bounded:
    """Return a plan as one that bounds itself; raise TypeError if it cannot."""
    if isinstance(plan, Bounded):
        return plan
    raise no_bounds(plan.kind)


def no_bounds(kind: str) -> TypeError:
    """Return the error of a plan that cannot bound itself."""
    return TypeError(
        f"A {kind} plan cannot bound what is still to come, so stop='certain' is not possible. "
        "Use stop=None."
    )


@runtime_checkable
class CohortAnswers(Protocol):
    """Answers fresh rows at once, as stages driven one by one would."""

    def answer_cohort(
        self,
        X: NDArray[Any],
        rows: Ints,
        keys: NDArray[np.uint64],
        ledger: Ledger,
        needs: Sequence[Sequence[int]],
        budget_of: Ints | None,
    ) -> tuple[Floats, Floats] | None:
        """Return scores (lanes x rows x outputs) and spend (lanes x rows); None if it cannot.

        Parameters
        ----------
        X, rows, keys
            As in `Plan.tell` and `Plan.start`.
        ledger : Ledger
            What the rows own, and the budgets: each is a lane, ...
        needs : sequence of sequences of int
            The items of each stage with all they require.
        budget_of : int array (rows,), optional
            ... unless each row has its own among them; then there is one lane.
        """


def answer_cohort(
    plan: Plan[Any],
    X: NDArray[Any],
    rows: Ints,
    keys: NDArray[np.uint64],
    ledger: Ledger,
    needs: Sequence[Sequence[int]],
    budget_of: Ints | None,
) -> tuple[Floats, Floats] | None:
    """Return what a plan answers to fresh rows at once, None if it must be driven."""
    if not isinstance(plan, CohortAnswers):
        return None
    return plan.answer_cohort(X, rows, keys, ledger, needs, budget_of)


@runtime_checkable
class JointReads(Protocol):
    """Shares the work of reading several states of the same rows."""

    def read_all(self, states: Sequence[Any]) -> Floats:
        """Return what `read` gives for each of the states (states x rows x outputs)."""


def read_all(plan: Plan[Any], states: Sequence[Any]) -> Floats:
    """Return what `read` gives for each of several states of the same rows."""
    if isinstance(plan, JointReads):
        return plan.read_all(states)
    return np.stack([plan.read(state) for state in states])


@runtime_checkable
class HistoryReads(Protocol):
    """Answers any rows that have the history of a given state: what was told and refused."""

    def reader(self, state: Any) -> Reader | None:
        """Return a function that answers rows with the history of a state; None if it cannot."""


def reader(plan: Plan[Any], state: Any) -> Reader | None:
    """Return a function that answers rows with the history of a state, if there is one."""
    return plan.reader(state) if isinstance(plan, HistoryReads) else None


@runtime_checkable
class OwnedStages(Protocol):
    """Counts owned columns of stages to come in an answer that is asked for early."""

    def free_stages(self, state: Any, owned: Flags) -> Sequence[int]:
        """Return stages to come that would still count if nothing more could be bought.

        `owned` says of each stage whether all it needs is owned.
        """


def free_stages(plan: Plan[Any], state: Any, owned: Flags) -> Sequence[int]:
    """Return the stages to come that count without any more purchase."""
    return plan.free_stages(state, owned) if isinstance(plan, OwnedStages) else ()


@runtime_checkable
class Repriceable(Protocol):
    """Follows from prices in more than what can be paid: draws, orders, plans within."""

    def repriced(self, costs: Costs) -> Plan[Any]:
        """Return the plan for other prices of the same items, without training."""


def repriced(plan: Plan[Any], costs: Costs) -> Plan[Any]:
    """Return a plan for other prices; itself where its order is part of what was learnt."""
    return plan.repriced(costs) if isinstance(plan, Repriceable) else plan
