"""Rules for stopping early, which are applied before each purchase."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ..costs.ledger import Ledger
from ..data.target import Target
from ..data.validation import check_choice
from ..plans.capabilities import bounded, free_stages, reach_in_order
from ..plans.contract import State
from ..plans.priced_plan import PricedPlan
from ..types import Flags, Floats, Ints

#: Bounds of scores that are computed at a time: it bounds the memory of large batches.
_BLOCK_BOUNDS = 2**21


#: The spend of rows before a purchase, the rows, and their scores then.
Seen = tuple[float, Ints, Floats]


@dataclass(frozen=True, eq=False)
class StopContext:
    """What a stop rule looks at: rows with one history, before a purchase.

    Parameters
    ----------
    priced : PricedPlan
        The plan and its costs.
    target : Target
        The meaning of the scores.
    state : State
        The state of the rows.
    ledger : Ledger
        What they own and have spent, at one budget.
    X, rows : arrays
        Their values are in ``X[rows]``.
    """

    priced: PricedPlan
    target: Target
    state: State
    ledger: Ledger
    X: NDArray[Any]
    rows: Ints


@dataclass(frozen=True, eq=False)
class StopsAhead:
    """Where rows stop, and their answers, for a whole sequence of purchases.

    Parameters
    ----------
    stops : bool array (rows,)
        Which rows stop before some purchase; the others make all of them.
    scores : float array (rows that stop, outputs)
        Their answers.
    spent : float array (rows that stop,)
        Their spend.
    """

    stops: Flags
    scores: Floats
    spent: Floats


class StopRule(Protocol):
    """Decides which rows buy nothing more."""

    def decide(self, context: StopContext) -> tuple[Flags, list[int]]:
        """Return which rows stop, and the free stages that are then told."""

    def decide_ahead(self, context: StopContext) -> StopsAhead | None:
        """Return the decisions before this purchase and all later ones; None if it cannot.

        They are those of `decide` before each purchase.
        """

    def settle(self, priced: PricedPlan, state: State) -> None:
        """Make the state of rows that stop, to which free stages were told, answer."""


class Certain:
    """Stops where no purchase to come can change the label."""

    def decide(self, context: StopContext) -> tuple[Flags, list[int]]:
        """Compare the bounds of what the scores can still become."""
        free, unsure = coming_stages(context.priced, context.state, context.ledger)
        plan = bounded(context.priced.plan)
        lower, upper = plan.reach(context.state, free, unsure, context.X, context.rows)
        return context.target.certain(lower, upper), free

    def decide_ahead(self, context: StopContext) -> StopsAhead | None:
        """Compare the bounds at all steps of the sequence of purchases."""
        priced, target, state, X = context.priced, context.target, context.state, context.X
        if not priced.accepts_missing:  # what each row buys must then be checked
            return None
        steps, spent = purchases_ahead(priced, state, context.ledger)
        n, n_outputs = len(context.rows), priced.n_outputs
        stops, scores, spent_by = np.zeros(n, dtype=bool), np.empty((n, n_outputs)), np.empty(n)
        size = max(_BLOCK_BOUNDS // (len(steps) * n_outputs), 1)
        for start in range(0, n, size):
            part = slice(start, start + size)
            rows = context.rows[part]
            bounds = reach_in_order(priced.plan, state, steps, X, rows, target.score_threshold)
            if bounds is None:
                return None
            first = _first_certain(target, bounds.lower, bounds.upper)
            stops[part], spent_by[part] = first < len(spent), np.append(spent, np.nan)[first]
            scores[part] = bounds.answers(first)
        return StopsAhead(stops, scores[stops], spent_by[stops])

    def settle(self, priced: PricedPlan, state: State) -> None:
        """Answer with the label that is certain."""
        bounded(priced.plan).settle(state)


def _first_certain(target: Target, lower: Floats, upper: Floats) -> Ints:
    """Return the first step, but the last, at which each row's label is certain, or the last."""
    first = np.full(lower.shape[1], len(lower) - 1)
    rows = np.arange(lower.shape[1])
    for step in range(len(lower) - 1):
        everyone = len(rows) == lower.shape[1]
        low, high = (b[step] if everyone else b[step][rows] for b in (lower, upper))
        sure = target.certain(low, high)
        first[rows[sure]] = step
        rows = rows[~sure]
    return first


class Confident:
    """Stops where the target says that a row is settled.

    A classifier's row is settled if the predicted class is as probable as its `confidence`, or
    the level of its spend in `exits`, says; a ranker's if the score is below that of its `exits`.
    """

    def decide(self, context: StopContext) -> tuple[Flags, list[int]]:
        """Answer as if nothing more could be bought."""
        scores, free = _answer_now(context)
        return context.target.settled(scores, context.ledger.spent), free

    def decide_ahead(self, context: StopContext) -> None:
        """Leave it to `decide`: the answer before each purchase is read from the plan."""

    def settle(self, priced: PricedPlan, state: State) -> None:
        """Change nothing: the answer is that of what is owned."""


class Recording:
    """Stops no row, and keeps the scores before each purchase."""

    def __init__(self) -> None:
        self.seen: list[Seen] = []

    def decide(self, context: StopContext) -> tuple[Flags, list[int]]:
        """Keep spend, rows and scores."""
        scores, _ = _answer_now(context)
        self.seen.append((context.ledger.spent, context.rows, scores))
        return np.zeros(len(context.rows), dtype=bool), []

    def decide_ahead(self, context: StopContext) -> None:
        """Leave it to `decide`, which is to see each purchase."""

    def settle(self, priced: PricedPlan, state: State) -> None:
        """Change nothing: no row stops."""


def _answer_now(context: StopContext) -> tuple[Floats, list[int]]:
    """Return the scores if nothing more is bought, and the free stages that they include."""
    plan, state = context.priced.plan, context.state
    free = list(free_stages(plan, state, context.priced.owned_stages(context.ledger.owned)))
    if free:
        state = state.fork()
        for stage in free:
            plan.tell(state, stage, context.X, context.rows)
    return plan.read(state), free


#: The stop rules by name.
RULES: dict[str, StopRule] = {"certain": Certain(), "confident": Confident()}


def stop_rule(stop: str | StopRule | None, target: Target) -> StopRule | None:
    """Return the rule of a name; None for "none", which buys all that the budget allows."""
    if isinstance(stop, Recording):
        return stop
    check_choice("stop", stop, (None, "none", *RULES))
    if stop == "confident" and target.is_number and target.exits is None:
        raise TypeError(
            "stop='confident' is about classes, and about rankings: for these, call "
            "model.calibrate_stop(X, y, queries=...) first, with queries that the model was not "
            "trained on."
        )
    has_threshold = target.confidence is not None or target.exits is not None
    if stop == "confident" and not (target.is_number or has_threshold):
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


def purchases_ahead(
    priced: PricedPlan, state: State, ledger: Ledger
) -> tuple[list[list[int]], Floats]:
    """Return the stages to come by the purchase that makes them known, and spend before each.

    The first stages are free; each further purchase is that of the first stage not known yet.
    """
    free, unsure = coming_stages(priced, state, ledger)
    scratch = ledger.at(0, 1)
    steps, spent = [free], []
    while unsure:
        spent.append(scratch.spent)
        scratch.buy(priced.needs[unsure[0]])
        steps.append([stage for stage in unsure if not scratch.missing(priced.needs[stage])])
        unsure = [stage for stage in unsure if scratch.missing(priced.needs[stage])]
    return steps, np.array(spent)
