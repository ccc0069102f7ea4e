"""Runs of a booster: what a training chose, in order, and the plan that this makes."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ..costs import Costs
from ..ledger import Ledger
from ..plan import StageTable
from ..plans import AdditivePlan, MenuPlan, StumpTable
from ..priced_plan import PricedPlan
from .stump_search import Stump

Floats = NDArray[np.float64]


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


def plan_of(
    runs: list[Run], costs: Costs, prior: float, refusal: str, base: float = 0.0
) -> PricedPlan:
    """One additive plan, or a menu of them; runs without a round are left out."""
    kept = [run for run in runs if run.rounds] or runs[-1:]
    entries = [_additive(run, costs, prior, refusal, base) for run in kept]
    return PricedPlan(entries[0] if len(entries) == 1 else MenuPlan(entries), costs)


def _additive(run: Run, costs: Costs, prior: float, refusal: str, base: float) -> AdditivePlan:
    stumps = [stump for stump, _ in run.rounds]
    alpha = np.array([alpha for _, alpha in run.rounds]).reshape(-1, 1)

    def part(name: str) -> Floats:
        return np.array([getattr(stump, name) for stump in stumps], dtype=np.float64)

    table = StumpTable(
        np.array([stump.column for stump in stumps], dtype=np.int64),
        part("low"),
        part("high"),
        *(part(side).reshape(-1, 1) * alpha for side in ("inside", "outside", "missing")),
    )
    stages = StageTable(tuple((costs.item_of[stump.column],) for stump in stumps))
    return AdditivePlan(stages, table, [prior], [base], refusal)


def warn_of_prior(costs: Costs, budget: float) -> None:
    """Say why a training bought nothing."""
    price, item = min((costs.price_of([i]), costs.names[i]) for i in set(costs.item_of))
    if Ledger(costs, [budget]).can_pay([costs.names.index(item)]):
        reason = "No column has an edge, or the first choice is too dear"
    else:
        reason = f"The cheapest item {item!r} costs {price:g} but the budget is {budget:g}"
    warnings.warn(
        f"{reason}, so nothing is bought and every answer is the prior. Raise the budget.",
        UserWarning,
        stacklevel=3,
    )
