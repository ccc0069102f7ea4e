"""Offers: what each column costs in a booster's choice, and which columns can be had."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...costs.costs import Costs
from ...costs.ledger import Ledger
from ...types import Floats
from .rules import RULES


class Offers:
    """The columns on offer to one training, at the prices of the moment.

    In a choice an item counts with its own price, even when it is paid for, plus what it
    requires and is not owned. An item that is free counts as the cheapest one that is not.

    Parameters
    ----------
    costs : Costs
        Prices and requirements.
    ledger : Ledger
        What has been bought.
    rule : str
        How an edge is weighed against a price.
    only_affordable : bool
        Whether columns that the rest of the budget cannot pay are off the table.
    tau : float
        How much what is spent counts in ``smoothed``.
    switch : float
        ``hybrid`` goes over from greedy to smoothed when the quality of its choice falls
        below this part of the first one's. No unused column is better than the choice, so
        then all of these are below it too.
    n_classes : int
        Classes to tell apart: what an edge is worth depends on their number.
    """

    def __init__(
        self,
        costs: Costs,
        ledger: Ledger,
        rule: str,
        only_affordable: bool,
        *,
        tau: float = 1.0,
        switch: float = 0.1,
        n_classes: int = 2,
    ) -> None:
        self._costs, self._ledger = costs, ledger
        self._rule, self._next_rule = RULES[rule]
        self._tau, self._switch = tau, switch
        self._n_classes = n_classes
        self._first_quality: float | None = None
        self._only_affordable = only_affordable
        self._item_of = np.array(costs.item_of)
        self._own = np.array(costs.prices)
        self._free_counts_as = min((p for p in costs.prices if p > 0), default=1.0)
        self._dependent = [i for i, needs in enumerate(costs.closures) if len(needs) > 1]
        self._prices = np.empty(0)
        self.allowed = np.empty(0, dtype=bool)
        self.refresh()

    @classmethod
    def to(cls, booster: Any, costs: Costs, ledger: Ledger, n_classes: int = 2) -> Offers:
        """What is on offer to a booster, by its parameters."""
        only_affordable = booster.unaffordable == "skip"
        options = {"tau": booster.tau, "switch": booster.switch, "n_classes": n_classes}
        return cls(costs, ledger, booster.rule, only_affordable, **options)

    def quality(self, columns: NDArray[np.intp], edges: Floats) -> Floats:
        """The rule's value of columns with given edges."""
        spent = self._tau * self._ledger.spent
        return self._rule.quality(edges, self._prices[columns], spent, self._n_classes)

    def notice(self, column: int, edge: float) -> None:
        """Take note of a choice: it may be time for the next rule."""
        if self._rule is self._next_rule:
            return
        quality = float(self.quality(np.array([column]), np.array([edge]))[0])
        if self._first_quality is None:
            self._first_quality = quality
        elif quality < self._switch * self._first_quality:
            self._rule = self._next_rule

    def needs(self, column: int) -> tuple[int, ...]:
        """The item that brings a column, with all it requires."""
        return self._costs.closures[self._item_of[column]]

    def buy(self, column: int) -> bool:
        """Pay for a column unless it is owned; if the budget does not allow it, strike it off."""
        needs = self.needs(column)
        if self._ledger.first_affording(needs):
            self.allowed[self._item_of == self._item_of[column]] = False
            return False
        if self._ledger.missing(needs):
            self._ledger.buy(needs)
            self.refresh()
        return True

    def refresh(self) -> None:
        """Look at the prices again: what was bought makes other things cheaper."""
        fees = np.zeros_like(self._own)
        for item in self._dependent:
            above = self._ledger.missing(self._costs.closures[item][:-1])
            fees[item] = math.fsum(self._own[above])
        counts = self._own + fees
        counts[counts == 0] = self._free_counts_as
        self._prices = counts[self._item_of]
        if not self._only_affordable:
            self.allowed = np.ones(len(self._item_of), dtype=bool)
            return
        due = self._own.copy()
        due[list(self._ledger.owned)] = 0.0
        self.allowed = self._ledger.affords(due + fees)[self._item_of]
