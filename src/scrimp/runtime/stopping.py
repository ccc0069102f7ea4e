"""Stopping early: rules beside the plan, applied before each purchase."""

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
    """Stop when nothing that is still to be bought can change the label."""
    least, most = bounded(priced.plan).reach(state, free, unsure, X, rows)
    return target.certain(least, most)


RULES: dict[str, StopRule] = {"certain": certain}


def stop_rule(name: str | None) -> StopRule | None:
    """The rule of a name; None and "none" buy all that the budget allows."""
    check_choice("stop", name, (None, "none", *RULES))
    return None if name in (None, "none") else RULES[str(name)]


def outlook(priced: PricedPlan, state: State, ledger: Ledger) -> tuple[list[int], list[int]]:
    """Stages still to come if every purchase succeeds: on owned columns, and to be bought."""
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
