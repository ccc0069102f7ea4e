"""Conversion of the names and values that a session receives to columns, items and numbers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from ..data.columns import Columns
from ..plans.priced_plan import PricedPlan


class SessionValues:
    """Converts names and values, and refuses those that do not fit the plan.

    Parameters
    ----------
    priced : PricedPlan
        The plan and its costs.
    columns : Columns
        The names and the categories of the columns.
    """

    def __init__(self, priced: PricedPlan, columns: Columns) -> None:
        self._priced, self._columns = priced, columns

    def columns_of(self, items: Iterable[int]) -> list[str]:
        """Return the names of the columns that items bring."""
        brought = self._priced.costs.columns
        return [self._columns.name(column) for item in items for column in brought[item]]

    def numbers(self, values: Any, requested: list[int]) -> dict[int, float]:
        """Return values by column name as numbers by column; only requested items are allowed."""
        costs = self._priced.costs
        encoded = {}
        for name, value in by_name("values", values).items():
            column = self.position(name)
            if costs.item_of[column] not in requested:
                raise ValueError(
                    f"{name!r} was not asked for; expected {self.columns_of(requested)}. "
                    "Values that are there from the start go into `known`."
                )
            encoded[column] = self.number(column, value)
        return encoded

    def check_whole(self, arrived: set[int], encoded: Mapping[int, float]) -> None:
        """Refuse items that arrived without some of their columns."""
        costs = self._priced.costs
        for item in sorted(arrived | {costs.item_of[column] for column in encoded}):
            lacking = [self._columns.name(c) for c in costs.columns[item] if c not in encoded]
            if lacking:
                raise ValueError(
                    f"Item {costs.names[item]!r} also brings {lacking}: "
                    "tell all columns of an item together, None for a missing one."
                )

    def number(self, column: int, value: Any) -> float:
        """Return a value as a number that the plan can use."""
        number = self._columns.encode_value(column, value)
        plan = self._priced.plan
        if plan.accepts_missing or np.isfinite(number):
            return number
        if column in plan.columns_read:
            raise ValueError(
                f"Column {self._columns.name(column)!r} is {value!r}, which this model cannot "
                "use. Call fail() if it cannot be had."
            )
        return number

    def position(self, name: str) -> int:
        """Return the column with a name."""
        if name not in self._columns.positions:
            raise ValueError(
                f"There is no column {name!r}; expected one of {list(self._columns.positions)}."
            )
        return self._columns.positions[name]

    def items(self, names: Iterable[str]) -> set[int]:
        """Return the items with some names."""
        if isinstance(names, str):
            raise TypeError(f"{names!r} is one name; expected a list of them: [{names!r}].")
        costs, names = self._priced.costs, list(names)
        unknown = [name for name in names if name not in costs.names]
        if unknown:
            raise ValueError(f"There are no items {unknown}; expected some of {costs.names}.")
        return {costs.names.index(name) for name in names}

    def owned_items(self, known: Mapping[str, Any], owned: Iterable[str]) -> list[int]:
        """Return the items of known values and of fees that are owned, ancestors included."""
        costs = self._priced.costs
        columns = {self.position(name) for name in known}
        fees = self.items(owned)
        for item in fees:
            if not columns.issuperset(costs.columns[item]):
                raise ValueError(
                    f"Item {costs.names[item]!r} brings columns: "
                    "give their values in `known` instead of naming it in `owned`."
                )
        whole = [
            item for item, brought in enumerate(costs.columns)
            if brought and columns.issuperset(brought)
        ]  # fmt: skip
        owned_items = list(costs.closure([*whole, *fees]))
        self._check_required(owned_items, columns)
        return owned_items

    def _check_required(self, owned: list[int], known: set[int]) -> None:
        """Refuse required items whose values are not given, unless they may be missing."""
        plan, brought = self._priced.plan, self._priced.costs.columns
        if plan.accepts_missing:
            return
        read = set(plan.columns_read.tolist()) - known
        lacking = [self._columns.name(c) for item in owned for c in brought[item] if c in read]
        if lacking:
            raise ValueError(
                f"What is known requires items that bring {lacking}, and this model cannot use "
                "missing values. Give them in `known` too."
            )


def by_name(what: str, values: Any) -> dict[str, Any]:
    """Return values by column name, from a mapping or a pandas Series."""
    if values is None:
        return {}
    if not hasattr(values, "items"):
        raise TypeError(
            f"{what} is a {type(values).__name__}; expected a mapping from column names to values."
        )
    return dict(values.items())
