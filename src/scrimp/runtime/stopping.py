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
from ..types import Flags, Floats, Ints


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
    """Stops where the target says that a row is settled.

    A classifier's row is settled if the predicted class is as probable as its `confidence` says,
    a ranker's if the score is below the threshold of its `exits`.
    """

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
        scores, free = _answer_now(priced, state, ledger, X, rows)
        return target.settled(scores, ledger.spent), free

    def settle(self, priced: PricedPlan, state: State) -> None:
        """Change nothing: the answer is that of what is owned."""


class Recording:
    """Stops no row, and keeps the scores of rankers before each purchase."""

    def __init__(self) -> None:
        self.seen: list[tuple[float, Ints, Floats]] = []

    def decide(
        self,
        priced: PricedPlan,
        target: Target,
        state: State,
        ledger: Ledger,
        X: NDArray[Any],
        rows: Ints,
    ) -> tuple[Flags, list[int]]:
        """Keep spend, rows and scores."""
        scores, _ = _answer_now(priced, state, ledger, X, rows)
        self.seen.append((ledger.spent, rows, scores[:, 0]))
        return np.zeros(len(rows), dtype=bool), []

    def settle(self, priced: PricedPlan, state: State) -> None:
        """Change nothing: no row stops."""


def _answer_now(
    priced: PricedPlan, state: State, ledger: Ledger, X: NDArray[Any], rows: Ints
) -> tuple[Floats, list[int]]:
    """Return the scores if nothing more is bought, and the free stages that they include."""
    plan = priced.plan
    free = list(free_stages(plan, state, priced.owned_stages(ledger.owned)))
    if free:
        state = state.fork()
        for stage in free:
            plan.tell(state, stage, X, rows)
    return plan.read(state), free


#: The stop rules by name.
RULES: dict[str, StopRule] = {"certain": Certain(), "confident": Confident()}


def stop_rule(stop: str | StopRule | None, target: Target) -> StopRule | None:
    """Return the rule of a name; None for "none", which buys all that the budget allows."""
    if stop is not None and not isinstance(stop, str):
        return stop
    check_choice("stop", stop, (None, "none", *RULES))
    if stop == "confident" and target.is_number and target.exits is None:
        raise TypeError(
            "stop='confident' is about classes, and about rankings: for these, call "
            "model.calibrate_stop(X, y, queries=...) first, with queries that the model was not "
            "trained on."
        )
    if stop == "confident" and not target.is_number and target.confidence is None:
        raise TypeError(
            "stop='confident' needs a threshold, which rows that the model was not trained on "
            "tell: call model.calibrate_stop(X, y, ...) first."
        )
    return None if stop in (None, "none") else RULES[str(stop)]


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
