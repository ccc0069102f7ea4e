"""What a menu does where items cannot be had: parts of its entries, answered by one model."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..costs.ledger import Ledger
from ..data.validation import float_array
from ..types import Arrays, Floats
from .kinds import plan_from_parts, plan_to_parts
from .subset import SubsetPlan

_STORED = "fallback/"


@dataclass(frozen=True, eq=False)
class Fallback:
    """A subset plan of all items of a menu, and estimates of the loss without some of them.

    Parameters
    ----------
    plan : SubsetPlan
        Answers from any of the items.
    losses : float array (entries,)
        The estimated loss of each entry of the menu.
    added : float array (entries, stages of the plan)
        How much larger the loss of an entry is estimated to be without an item; 0 for items
        that it does not buy. Several add up, up to the largest of `losses`.
    """

    plan: SubsetPlan
    losses: Floats
    added: Floats

    def __post_init__(self) -> None:
        """Refuse estimates that do not fit the plan."""
        float_array("losses", self.losses)
        float_array("added", self.added, 2)
        if self.added.shape != (len(self.losses), len(self.plan.stages)):
            raise ValueError("added must be (entries x stages of the fallback).")
        if not (np.isfinite(self.losses).all() and np.isfinite(self.added).all()):
            raise ValueError("losses and added must be finite.")

    def wanted(
        self, entries: Sequence[set[int]], ledger: Ledger, complete: int
    ) -> list[int] | None:
        """Return the stages to follow where a part of an entry is better than a complete one.

        Parameters
        ----------
        entries : sequence of sets of int
            The items of each entry.
        ledger : Ledger
            What is owned, what has failed, and the budgets.
        complete : int
            The best entry that can be paid for in full.

        Returns
        -------
        list of int or None
            The stages of the part with the smallest estimated loss and of all owned items;
            None if the complete entry is at least as good. Where that buys nothing, owned items
            are always better.
        """
        best, lowest = None, self.losses[complete]
        for entry, items in enumerate(entries):
            part = self._obtainable(items, ledger)
            loss = self._loss(entry, items - part)
            if part and part != items and loss < lowest:
                best, lowest = part, loss
        if best is None and entries[complete]:
            return None
        having = ledger.owned if best is None else best | ledger.owned
        stages = [s for s, (item,) in enumerate(self.plan.stages.items) if item in having]
        return stages or None

    def items_of(self, stages: Iterable[int]) -> set[int]:
        """Return the items of some stages."""
        return {item for stage in stages for item in self.plan.stages.items[stage]}

    def _obtainable(self, items: set[int], ledger: Ledger) -> set[int]:
        """Return the items that have not failed, or those owned if the budget is too small."""
        part = items.intersection(ledger.obtainable(items))
        return part if ledger.can_pay(part) else items & ledger.owned

    def _loss(self, entry: int, lacking: set[int]) -> float:
        """Return the estimated loss of an entry without some of its items."""
        stages = [s for s, (item,) in enumerate(self.plan.stages.items) if item in lacking]
        loss = self.losses[entry] + self.added[entry, stages].sum()
        return float(min(loss, self.losses.max()))

    def parts(self) -> tuple[dict[str, Any], Arrays]:
        """Return the header and the arrays, for storage."""
        header, arrays = plan_to_parts(self.plan)
        arrays = arrays | {"losses": self.losses, "added": self.added}
        return header, {_STORED + name: array for name, array in arrays.items()}

    @classmethod
    def from_parts(cls, header: dict[str, Any], arrays: Arrays) -> Fallback:
        """Return the fallback of stored `parts`, whose names have lost their prefix."""
        plan = plan_from_parts(header["kind"], header["header"], arrays)
        if not isinstance(plan, SubsetPlan):
            raise ValueError(f"the fallback of a menu is a {plan.kind} plan; expected a subset.")
        losses, added = float_array("losses", arrays["losses"]), arrays["added"]
        return cls(plan, losses, float_array("added", added, 2))
