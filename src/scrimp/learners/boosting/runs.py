"""Runs of a booster: what a training chose, in order, and the plan that this makes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np

from ...costs.costs import Costs
from ...costs.ledger import Ledger
from ...plans import AdditivePlan, MenuPlan, StumpTable
from ...plans.contract import StageTable
from ...plans.priced_plan import PricedPlan
from ...types import Floats
from .binned import Stump

#: What votes of stumps (stumps,) add to the scores, before they are weighed (stumps x outputs).
Coding = Callable[[Floats], Floats]
#: Why nothing is bought that could be paid for.
NOTHING_TO_GAIN = "No column has an edge, or the first choice is too dear"


@dataclass
class Run:
    """One training at one budget: stumps with their weights, and what they cost."""

    budget: float
    ledger: Ledger
    rounds: list[tuple[Stump, float]] = field(default_factory=list)

    @property
    def edges(self) -> Floats:
        """The edge of each stump when it was chosen."""
        return np.array([stump.edge for stump, _ in self.rounds])


def named(runs: list[Run]) -> Iterator[tuple[str, Run]]:
    """Each run with a name for its progress."""
    for number, run in enumerate(runs, start=1):
        yield "fit" if len(runs) == 1 else f"fit {number}/{len(runs)}", run


def train_and_adopt(runs: list[Run], train: Callable[[], None], adopt: Callable[[], None]) -> None:
    """Train, then become the model; when interrupted, that of the rounds done, if any."""
    try:
        train()
    except KeyboardInterrupt:
        if any(run.rounds for run in runs):
            adopt()
        raise
    adopt()


def last_edges(runs: list[Run]) -> Floats:
    """The edges of the last run that has rounds."""
    return next((run.edges for run in reversed(runs) if run.rounds), np.empty(0))


def as_number(votes: Floats) -> Floats:
    """One output: the vote itself."""
    return votes.reshape(-1, 1)


def coding_of(n_classes: int) -> Coding:
    """One output for two classes; else one a class, so that what a vote adds sums to zero.

    The class voted for gets 1 and each other one -1/(K-1). A vote of -1 abstains.
    """
    if n_classes == 2:
        return as_number
    codes = (n_classes * np.eye(n_classes) - 1.0) / (n_classes - 1)
    with_none = np.vstack([codes, np.zeros(n_classes)])
    return lambda votes: with_none[votes.astype(np.intp)]


def plan_of(
    runs: list[Run],
    costs: Costs,
    prior: float | Floats,
    refusal: str,
    base: float = 0.0,
    coding: Coding = as_number,
) -> PricedPlan:
    """One additive plan, or a menu of them; runs without a round are left out."""
    kept = [run for run in runs if run.rounds] or runs[-1:]
    priors = np.atleast_1d(np.asarray(prior, dtype=np.float64))
    bases = np.full_like(priors, base)
    entries = [
        AdditivePlan(_stages(run, costs), _table(run, coding), priors, bases, refusal)
        for run in kept
    ]
    return PricedPlan(entries[0] if len(entries) == 1 else MenuPlan(entries), costs)


def _stages(run: Run, costs: Costs) -> StageTable:
    return StageTable(tuple((costs.item_of[stump.column],) for stump, _ in run.rounds))


def _table(run: Run, coding: Coding) -> StumpTable:
    stumps = [stump for stump, _ in run.rounds]
    alpha = np.array([alpha for _, alpha in run.rounds]).reshape(-1, 1)

    def part(name: str) -> Floats:
        return np.array([getattr(stump, name) for stump in stumps], dtype=np.float64)

    return StumpTable(
        np.array([stump.column for stump in stumps], dtype=np.int64),
        part("low"),
        part("high"),
        *(coding(part(side)) * alpha for side in ("inside", "outside", "missing")),
    )
