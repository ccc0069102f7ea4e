"""Optional capabilities of plans: one small protocol per use.

Each protocol comes with a function that uses it if a plan implements it, and otherwise falls
back on the contract or raises TypeError. Drivers, learners and plans that wrap plans call these
functions rather than check the kind of a plan.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol, cast, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from ..costs.costs import Costs
from ..costs.ledger import Ledger, within
from ..types import Flags, Floats, Ints
from .components.members import Members
from .components.readers import JointReader, Reader, join
from .contract import Plan


@dataclass(frozen=True)
class Future:
    """The stages still to come, in order, and whether the first refusal ends them."""

    stages: Sequence[int]
    ends_at_refusal: bool


@runtime_checkable
class Bounded(Protocol):
    """A plan that bounds its final scores, as ``stop="certain"`` needs."""

    def future(self, state: Any) -> Future:
        """Return the stages still to come."""

    def reach(
        self, state: Any, free: Sequence[int], unsure: Sequence[int], X: NDArray[Any], rows: Ints
    ) -> tuple[Floats, Floats]:
        """Return a lower and an upper bound of the final scores.

        Parameters
        ----------
        state : State
            The state of the rows.
        free : sequence of int
            Stages to come whose columns are owned: their values are used.
        unsure : sequence of int
            Stages to come that may still be bought: their ranges are used.
        X, rows
            As in `Plan.tell`.
        """

    def settle(self, state: Any) -> None:
        """Make `read` answer with the running stages, as nothing more will be bought."""


@dataclass(frozen=True, eq=False)
class ReachInOrder:
    """Bounds of the final scores at all points of a sequence of purchases.

    Parameters
    ----------
    lower, upper : float arrays (steps, rows, outputs)
        The bounds.
    settled : float array (steps, rows, outputs), optional
        The answers of rows that buy nothing more; without it the middle of the bounds.
    """

    lower: Floats
    upper: Floats
    settled: Floats | None = None

    def answers(self, step: Ints) -> Floats:
        """Return the answers of rows that stop at one step each (rows x outputs)."""
        at = step, np.arange(len(step))
        if self.settled is not None:
            return np.asarray(self.settled[at])
        return np.asarray((self.lower[at] + self.upper[at]) / 2.0)


@runtime_checkable
class BoundedInOrder(Bounded, Protocol):
    """A plan that bounds its final scores at all points of a sequence of purchases at once."""

    def reach_in_order(
        self,
        state: Any,
        steps: Sequence[Sequence[int]],
        X: NDArray[Any],
        rows: Ints,
        threshold: float,
    ) -> ReachInOrder | None:
        """Return bounds of the final scores, or None if it cannot.

        Parameters
        ----------
        state : State
            The state of the rows.
        steps : sequence of sequences of int
            All stages to come, by the step at which their values become known. The bounds of a
            step are those of `reach` with the stages of it and of all before it as the free ones.
        X, rows
            As in `Plan.tell`.
        threshold : float
            The score that decides between two classes, or NaN. The bounds of a row that are
            clearly on one side of it may be used for all later steps.
        """


def reach_in_order(
    plan: Plan[Any],
    state: Any,
    steps: Sequence[Sequence[int]],
    X: NDArray[Any],
    rows: Ints,
    threshold: float,
) -> ReachInOrder | None:
    """Return bounds at all points of a sequence of purchases; None if it must be followed."""
    if not isinstance(plan, BoundedInOrder):
        return None
    return plan.reach_in_order(state, steps, X, rows, threshold)


def bounded(plan: Plan[Any]) -> Bounded:
    """Return a plan that bounds its scores; raise TypeError if it cannot."""
    if isinstance(plan, Bounded):
        return plan
    raise no_bounds(plan.kind)


def no_bounds(kind: str) -> TypeError:
    """Return the error for a kind of plan that cannot bound its scores."""
    return TypeError(
        f"A {kind} plan cannot bound what is still to come, so stop='certain' is not possible. "
        "Use stop=None."
    )


@runtime_checkable
class CohortAnswers(Protocol):
    """A plan that answers fresh rows at once, with the results of driving its stages."""

    def answer_cohort(
        self,
        X: NDArray[Any],
        rows: Ints,
        keys: NDArray[np.uint64],
        ledger: Ledger,
        needs: Sequence[Sequence[int]],
        budget_of: Ints | None,
    ) -> tuple[Floats, Floats] | None:
        """Return scores (lanes x rows x outputs) and spend (lanes x rows), or None if it cannot.

        Parameters
        ----------
        X, rows, keys
            As in `Plan.tell` and `Plan.start`.
        ledger : Ledger
            The items that the rows own, and the budgets.
        needs : sequence of sequences of int
            The items of each stage with all they require.
        budget_of : int array (rows,), optional
            The position of each row's budget among those of the ledger; there is then one
            lane. Without it every budget is a lane that holds all rows.
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
    """Return scores and spend of fresh rows, or None if the plan must be driven."""
    if not isinstance(plan, CohortAnswers):
        return None
    return plan.answer_cohort(X, rows, keys, ledger, needs, budget_of)


@runtime_checkable
class KeyedOrders(Protocol):
    """A plan whose rows follow one of several orders, by their keys."""

    def key_groups(self, keys: NDArray[np.uint64]) -> Ints:
        """Return a number per row; only rows with the same number may share a state."""


def key_groups(plan: Plan[Any], keys: NDArray[np.uint64]) -> Ints:
    """Return a number per row, which is the same for rows that may be followed together."""
    if isinstance(plan, KeyedOrders):
        return plan.key_groups(keys)
    return np.zeros(len(keys), dtype=np.int64)


@runtime_checkable
class HistoryReads(Protocol):
    """A plan that can answer any rows for which the same stages were told and refused."""

    def reader(self, state: Any) -> Reader | None:
        """Return a function that answers rows with the history of a state, or None."""


def reader(plan: Plan[Any], state: Any) -> Reader | None:
    """Return a function that answers rows with the history of a state, or None."""
    return plan.reader(state) if isinstance(plan, HistoryReads) else None


def joint_reader(plan: Plan[Any], states: Sequence[Any]) -> JointReader | None:
    """Return a function that answers rows with the histories of several states, or None."""
    readers = [each for state in states if (each := reader(plan, state)) is not None]
    return join(readers) if len(readers) == len(states) else None


@runtime_checkable
class OwnedStages(Protocol):
    """A plan whose early answers include later stages that read owned columns only."""

    def free_stages(self, state: Any, owned: Flags) -> Sequence[int]:
        """Return the stages to come that would be told if nothing more could be bought.

        `owned` flags the stages whose items are all owned.
        """


def free_stages(plan: Plan[Any], state: Any, owned: Flags) -> Sequence[int]:
    """Return the stages to come that are told without any further purchase."""
    method = getattr(plan, "free_stages", None)  # a test of the protocol takes longer than the rest
    return () if method is None else cast(Sequence[int], method(state, owned))


@runtime_checkable
class Repriceable(Protocol):
    """A plan whose order, probabilities or nested plans depend on prices."""

    def repriced(self, costs: Costs) -> Plan[Any]:
        """Return the plan for other prices of the same items, without training."""


def repriced(plan: Plan[Any], costs: Costs) -> Plan[Any]:
    """Return a plan for other prices; the same plan if its order was learnt."""
    return plan.repriced(costs) if isinstance(plan, Repriceable) else plan


@runtime_checkable
class Shortenable(Protocol):
    """A plan whose first stages alone are a plan of the same kind."""

    def leading(self, n_stages: int) -> Plan[Any]:
        """Return the plan of the first stages alone."""


def affordable_part(plan: Plan[Any], costs: Costs, budget: float) -> Plan[Any] | None:
    """Return the part of a plan that a budget pays for in full; None if it pays for none.

    A plan that cannot be shortened is paid for as a whole or not at all.
    """
    if not isinstance(plan, Shortenable):
        price = max(costs.price_of(items) for items in plan.extents())
        return plan if within(price, budget) else None
    bought: list[int] = []
    n_paid = 0
    for items in plan.stages.items:
        bought += items
        if not within(costs.price_of(bought), budget):
            break
        n_paid += 1
    return plan.leading(n_paid) if n_paid else None


@runtime_checkable
class Voting(Protocol):
    """A plan that adds up or averages the votes of the members of an ensemble.

    Attributes
    ----------
    members : Members
        The ensemble.
    prior : float array (outputs,)
        The answer without a vote.
    """

    @property
    def members(self) -> Members:
        """The ensemble."""

    prior: Floats


def voting(plan: Plan[Any]) -> Voting:
    """Return a plan that has members; raise TypeError if it has none."""
    if isinstance(plan, Voting):
        return plan
    raise TypeError(f"A {plan.kind} plan has no members that vote.")


@runtime_checkable
class Summing(Voting, Protocol):
    """A plan whose answer is a base plus the votes of its members, each times its share.

    Attributes
    ----------
    base : float array (outputs,)
        Where the sums start.
    """

    base: Floats

    def shares(self) -> Floats | None:
        """Return how much the vote of each member counts; None if the answer is no such sum."""


@runtime_checkable
class Drawing(Voting, Protocol):
    """A plan that draws its members at random.

    Attributes
    ----------
    probability : float array (members,)
        The probability of each member in one draw; 0 for members that always vote.
    """

    probability: Floats
