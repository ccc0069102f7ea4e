"""Rules for stopping early, which are applied before each purchase."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ..costs.ledger import Ledger
from ..data.target import Target
from ..data.validation import check_choice
from ..plans.capabilities import bounded, free_stages
from ..plans.contract import State
from ..plans.priced_plan import PricedPlan
from ..types import Flags, Ints


class StopRule(Protocol):
    """Decides which rows buy nothing more."""

    def decide(
        self,
        priced: PricedPlan,
        target: Target,
        state: State,
        ledger: Ledger,
        X: NDArray[Any],
        rows: Ints,
    ) -> tuple[Flags, list[int]]:
        """Return which rows stop, and the free stages that are then told."""

    def settle(self, priced: PricedPlan, state: State) -> None:
        """Make the state of rows that stop, to which free stages were told, answer."""


class Certain:
    """Stops where no purchase to come can change the label."""

    def decide(
        self,
        priced: PricedPlan,
        target: Target,
        state: State,
        ledger: Ledger,
        X: NDArray[Any],
        rows: Ints,
    ) -> tuple[Flags, list[int]]:
        """Compare the bounds of what the scores can still become."""
        free, unsure = coming_stages(priced, state, ledger)
        lower, upper = bounded(priced.plan).reach(state, free, unsure, X, rows)
        return target.certain(lower, upper), free

    def settle(self, priced: PricedPlan, state: State) -> None:
        """Answer with the label that is certain."""
        bounded(priced.plan).settle(state)


class Confident:
    """Stops where the predicted class is as probable as the target's `confidence` says."""

    def decide(
        self,
        priced: PricedPlan,
        target: Target,
        state: State,
        ledger: Ledger,
        X: NDArray[Any],
        rows: Ints,
    ) -> tuple[Flags, list[int]]:
        """Answer as if nothing more could be bought."""
        plan = priced.plan
        free = list(free_stages(plan, state, priced.owned_stages(ledger.owned)))
        if free:
            state = state.fork()
            for stage in free:
                plan.tell(state, stage, X, rows)
        threshold = 1.0 if target.confidence is None else target.confidence
        return np.asarray(target.confidences(plan.read(state)) >= threshold), free

    def settle(self, priced: PricedPlan, state: State) -> None:
        """Change nothing: the answer is that of what is owned."""


#: The stop rules by name.
RULES: dict[str, StopRule] = {"certain": Certain(), "confident": Confident()}


def stop_rule(name: str | None, target: Target) -> StopRule | None:
    """Return the rule of a name; None for "none", which buys all that the budget allows."""
    check_choice("stop", name, (None, "none", *RULES))
    if name == "confident" and target.is_number:
        raise TypeError("stop='confident' is about classes, and a regression has none.")
    if name == "confident" and target.confidence is None:
        raise TypeError(
            "stop='confident' needs a threshold, which rows that the model was not trained on "
            "tell: call model.calibrate_stop(X, y, ...) first."
        )
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
