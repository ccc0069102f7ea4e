"""A plan with its prices: the fitted artifact, and a summary of its purchases."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..costs.costs import Costs
from ..costs.ledger import within
from ..costs.repricing import at_new_prices
from ..costs.validation import check_requirements
from ..types import Ints
from .capabilities import repriced
from .contract import Outline, Plan, StageTable

#: The number of items bought together that a message names: more would hide the main point.
_MAX_NAMED = 3


@dataclass(frozen=True)
class Purchase:
    """One line of the summary of a plan: an item, its place in the order and its price."""

    order: int
    item: str
    price: float
    total: float
    stages: int
    columns: tuple[str, ...]


@dataclass(frozen=True)
class PricedPlan:
    """A plan and the Costs under which it is followed: the fitted artifact.

    Parameters
    ----------
    plan : Plan
        Stages, order and readout.
    costs : Costs
        Items, prices and columns.

    Attributes
    ----------
    cache : dict
        What whoever follows the plan keeps for the next time; it is never stored.
    """

    plan: Plan[Any]
    costs: Costs
    cache: dict[str, Any] = field(default_factory=dict, init=False, repr=False, compare=False)

    def __getstate__(self) -> dict[str, Any]:
        """Leave out what is made again when it is needed."""
        return self.__dict__ | {"cache": {}}

    def __post_init__(self) -> None:
        """Refuse a plan with items or columns that the costs lack, or that it does not buy."""
        n = self.costs.n_items
        if not all(0 <= i < n for items in self.plan.stages.items for i in items):
            raise ValueError(f"The plan names items beyond the {n} of its costs.")
        columns = self.plan.columns_read
        if columns.size and not 0 <= columns.min() <= columns.max() < self.costs.n_columns:
            raise ValueError(f"The plan reads columns beyond the {self.costs.n_columns} there are.")
        closures = self.costs.closures
        total = sum(len(closures[i]) for items in self.plan.stages.items for i in items)
        check_requirements(total, len(self.plan.stages))
        for stage, needs in enumerate(self.needs):
            owners = self.costs.owners[np.asarray(self.plan.reads[stage], dtype=np.int64)]
            unpaid = set(np.flatnonzero(np.bincount(owners)).tolist()).difference(needs)
            if unpaid:  # earlier stages may have bought them
                first = self.plan.stages.history_start[stage]
                unpaid.difference_update(*self.needs[first:stage])
            if unpaid:
                names = [self.costs.names[item] for item in sorted(unpaid)]
                raise ValueError(
                    f"Stage {stage} of the plan reads columns of {names} without buying."
                )

    def repriced(self, prices: Any) -> PricedPlan:
        """Return the plan at new prices: a Costs, a mapping by item, or one price per item.

        Nothing is trained. What was learnt stays, and what depends on prices is computed
        again: see `scrimp.plans.capabilities.Repriceable`.
        """
        costs = at_new_prices(self.costs, prices)
        return PricedPlan(repriced(self.plan, costs), costs)

    @property
    def kind(self) -> str:
        """The name of the kind of plan in model files."""
        return self.plan.kind

    @property
    def outline(self) -> Outline:
        """The description of the plan for displays."""
        return self.plan.outline

    @property
    def stages(self) -> StageTable:
        """The items and the headroom of each stage, without required items."""
        return self.plan.stages

    @property
    def columns_read(self) -> Ints:
        """All columns that some stage reads, ascending."""
        return self.plan.columns_read

    @property
    def n_outputs(self) -> int:
        """Numbers per row that are read."""
        return self.plan.n_outputs

    @property
    def accepts_sparse(self) -> bool:
        """Whether X may be a CSR matrix."""
        return self.plan.accepts_sparse

    @property
    def accepts_missing(self) -> bool:
        """Whether columns may hold NaN."""
        return self.plan.accepts_missing

    @cached_property
    def needs(self) -> tuple[tuple[int, ...], ...]:
        """The items of each stage with all they require, ancestors first."""
        return tuple(self.costs.closure(items) for items in self.plan.stages.items)

    @cached_property
    def _distinct_needs(self) -> tuple[list[tuple[int, ...]], NDArray[np.intp]]:
        """The distinct sets of needed items, and the number of the set of each stage."""
        numbers = {needs: number for number, needs in enumerate(dict.fromkeys(self.needs))}
        return list(numbers), np.array([numbers[needs] for needs in self.needs], dtype=np.intp)

    def owned_stages(self, owned: set[int]) -> NDArray[np.bool_]:
        """Return, for each stage, whether all items it needs are owned."""
        distinct, which = self._distinct_needs
        return np.array([owned.issuperset(needs) for needs in distinct], dtype=bool)[which]

    @cached_property
    def items(self) -> tuple[int, ...]:
        """All items the plan buys where none fails, in the order of its stages."""
        stages = self._regular_stages
        return tuple(dict.fromkeys(item for stage in stages for item in self.needs[stage]))

    @cached_property
    def _regular_stages(self) -> list[int]:
        """The stages that are followed where no item fails."""
        spare = set(self.plan.spare)
        return [stage for stage in range(len(self.plan.stages)) if stage not in spare]

    @cached_property
    def price(self) -> float:
        """The highest spend of a row if no purchase fails."""
        return max(self.costs.price_of(items) for items in self.plan.extents())

    @cached_property
    def _stage_prices(self) -> dict[int, float]:
        """The price of each stage that buys something, for a row that owns nothing."""
        prices = {needs: self.costs.price_of(needs) for needs in set(self.needs)}
        stages = self._regular_stages
        return {stage: prices[self.needs[stage]] for stage in stages if self.needs[stage]}

    @cached_property
    def least_budget(self) -> float:
        """The smallest budget at which something is bought; 0 if nothing ever is."""
        prices, rooms = self._stage_prices, self.plan.stages.headroom
        room = min((rooms[stage] for stage, price in prices.items() if price > 0), default=0.0)
        return max(min(prices.values(), default=0.0), room)

    def why_nothing_fits(self, budget: float) -> str:
        """Return a message on a budget that is below the least one."""
        prices = self._stage_prices
        price, item = min((prices[stage], self._named(self.needs[stage])) for stage in prices)
        if not within(price, budget):
            return (
                f"The cheapest purchase, {item}, costs {price:g} but the budget is "
                f"{budget:g}, so nothing is bought and the answer is the prior. "
                "Raise the budget or call predict(X) without one."
            )
        dearest = self._named(self.needs[max(prices, key=lambda stage: prices[stage])])
        return (
            f"Nothing is bought unless {self.least_budget:g} is left, what the dearest purchase, "
            f"{dearest}, takes, but the budget is {budget:g}. Raise the budget, call "
            "predict(X) without one, or train with bound='remaining'."
        )

    def _named(self, items: tuple[int, ...]) -> str:
        """Return the names of items bought together; of many, the last, which need the rest."""
        names = [repr(self.costs.names[item]) for item in items[-_MAX_NAMED:]]
        if len(items) == 1:
            return names[0]
        if len(items) > _MAX_NAMED:
            return f"{', '.join(names)} and {len(items) - _MAX_NAMED} more together"
        return f"{', '.join(names[:-1])} and {names[-1]} together"

    def summary(self) -> list[Purchase]:
        """Return the purchases in order, with their prices."""
        uses = dict.fromkeys(self.items, 0)
        for stage in self._regular_stages:
            for item in self.needs[stage]:
                uses[item] += 1
        costs = self.costs
        return [
            Purchase(
                order + 1,
                costs.names[item],
                costs.prices[item],
                costs.price_of(self.items[: order + 1]),
                uses[item],
                tuple(costs.column_name(c) for c in costs.columns[item]),
            )
            for order, item in enumerate(self.items)
        ]
