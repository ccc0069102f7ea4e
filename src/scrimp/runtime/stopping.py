"""Rules for stopping early, which are applied before each purchase."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numpy.typing import NDArray

from ..costs.ledger import Ledger
from ..data.target import Target
from ..data.validation import check_choice
from ..plans.capabilities import bounded
from ..plans.contract import State
from ..plans.priced_plan import PricedPlan
from ..types import Flags, Ints

#: Returns whether each row stops, given the stages to come that are free and that are unsure.
StopRule = Callable[[PricedPlan, Target, State, list[int], list[int], NDArray[Any], Ints], Flags]


def certain(
    priced: PricedPlan,
    target: Target,
    state: State,
    free: list[int],
    unsure: list[int],
    X: NDArray[Any],
    rows: Ints,
) -> Flags:
    """Return whether no purchase to come can change the label of a row."""
    lower, upper = bounded(priced.plan).reach(state, free, unsure, X, rows)
    return target.certain(lower, upper)


#: The stop rules by name.
RULES: dict[str, StopRule] = {"certain": certain}


def stop_rule(name: str | None) -> StopRule | None:
    """Return the rule of a name; None for "none", which buys all that the budget allows."""
    check_choice("stop", name, (None, "none", *RULES))
    return None if name in (None, "none") else RULES[str(name)]


def coming_stages(priced: PricedPlan, state: State, ledger: Ledger) -> tuple[list[int], list[int]]:
    """Return the stages to come if every purchase succeeds: the free, and the unsure ones.

    Free stages need owned items only; unsure ones must still be bought.
    """
    plan, scratch = priced.plan, ledger.at(0, 1)
    free: list[int] = []
    unsure: list[int] = []
    future = bounded(plan).future(state)
    for stage in future.stages:
        needs = priced.needs[stage]
        if scratch.first_affording(needs, plan.headroom(state, stage)):
            if future.ends_at_refusal:
                break
            continue
        (unsure if ledger.missing(needs) else free).append(stage)
        scratch.buy(needs)
    return free, unsure
