"""Errors of the methods of `huang2015` at budgets, and their differences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scrimp.types import Floats

from ..trials import Record
from ..verdicts import Interval, interval

RecordsByDataset = Mapping[str, Sequence[Record]]
#: Curves that differ by no more than this, in points, are almost identical.
ALIKE = 1.0


class Curves:
    """Errors per trial; budgets in the lowest third are small, in the highest third large."""

    def __init__(self, by_dataset: RecordsByDataset, budgets: Floats) -> None:
        self.by_dataset, self.budgets = by_dataset, budgets
        thirds = np.quantile(budgets, [1 / 3, 2 / 3])
        self.small, self.large = budgets <= thirds[0], budgets >= thirds[1]
        self.up_to = f"up to {budgets[self.small].max():g}"
        self.from_on = f"from {budgets[self.large].min():g} on"

    def errors(self, name: str, costs: str, method: str) -> Floats:
        """Return errors in percent (trials x budgets)."""
        return 100.0 * np.array([r[costs]["error"][method] for r in self.by_dataset[name]])

    def gains(self, name: str, costs: str, one: str, other: str) -> Floats:
        """Return how much lower the error of one method is (trials x budgets)."""
        return self.errors(name, costs, other) - self.errors(name, costs, one)

    def up_to_half(self, name: str, costs: str) -> NDArray[np.bool_]:
        """Return which budgets are at most half the price of AdaBoost's full vote."""
        full = float(np.mean([r[costs]["full"] for r in self.by_dataset[name]]))
        return self.budgets <= full / 2.0

    def cells(self, costs: str, one: str, other: str, where: Any = None) -> list[Interval]:
        """Return one gain per dataset and selected budget."""
        intervals = []
        for name in self.by_dataset:
            chosen = np.ones(len(self.budgets), bool) if where is None else where(name)
            intervals += [
                interval(column) for column in self.gains(name, costs, one, other).T[chosen]
            ]
        return intervals
