"""What prices, names, columns and requirements of items must satisfy."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from .price_list import Item


def by_label(prices: Any) -> Any:
    """Return a pandas Series as a mapping by its labels unless these just count; else as it is."""
    if not hasattr(prices, "to_dict") or not hasattr(prices, "index"):
        return prices
    labelled = prices.to_dict()
    return prices.to_numpy() if list(labelled) == [*range(len(labelled))] else labelled


def price_number(name: Any, value: Any) -> float:
    """Return a price as a float, or raise an error that names its item.

    Text is refused even if it reads as a number, as it is in budgets; and so are True and False.
    """
    wrong = ValueError(f"Item {str(name)!r} has the price {value!r}; expected a number.")
    if isinstance(value, str | bytes | bool | np.bool_):
        raise wrong
    try:
        return float(value)
    except (TypeError, ValueError):
        raise wrong from None


def check_prices(names: Sequence[str], prices: Sequence[float]) -> None:
    """Refuse prices that are negative or not finite, or whose sum overflows."""
    for name, price in zip(names, prices, strict=True):
        if not (math.isfinite(price) and price >= 0):
            raise ValueError(
                f"Item {name!r} has the price {price}; expected a finite number >= 0. "
                "Leave out a column that cannot be bought at any price."
            )
    try:
        math.fsum(prices)
    except OverflowError:
        raise ValueError(
            "The prices add up to more than a number can hold. Use a larger unit of money."
        ) from None


def check_unique(kind: str, names: Sequence[str]) -> None:
    """Refuse names that occur more than once."""
    if len(set(names)) < len(names):
        twice = sorted(name for name, count in Counter(names).items() if count > 1)
        raise ValueError(f"The {kind} names {twice} occur more than once; names must differ.")


def are_positions(columns: Sequence[Any]) -> bool:
    """Whether columns are given by position; refuses a mixture of positions and names."""
    places = [isinstance(c, int | np.integer) and not isinstance(c, bool) for c in columns]
    if any(places) and not all(places):
        name = columns[places.index(False)]
        raise ValueError(
            f"Some items give their columns by position, others by name ({name!r}); expected one "
            "way for all."
        )
    return bool(places) and places[0]


def check_columns_apart(items: Sequence[Item]) -> None:
    """Refuse a column that two items bring, naming them."""
    owner: dict[str, str] = {}
    for item in items:
        for column in item.columns:
            other = owner.setdefault(column, item.name)
            if other != item.name:
                raise ValueError(
                    f"The items {other!r} and {item.name!r} both bring the column {column!r}; a "
                    "column belongs to one item."
                )


def not_brought_once(brought: list[int]) -> str:
    """Return a message that names the columns brought by several items, or by none."""
    counts = Counter(brought)
    several = [column for column, count in sorted(counts.items()) if count > 1]
    none = [column for column in range(len(brought)) if column not in counts]
    which = {"by several": several, "by none": none}
    named = [f"{columns[:10]} {how}" for how, columns in which.items() if columns]
    return f"every column must be brought by exactly one item, from 0 on: {'; '.join(named)}."


def mismatch(missing: list[str], unknown: list[str]) -> str:
    """Return a message about columns without a price, and prices without a column."""
    parts = []
    if missing:
        parts.append(f"no price for the columns {missing}: add them, with price 0 if they are free")
    if unknown:
        parts.append(
            f"prices for {unknown}, which X does not have: remove them, or give "
            "fees an empty list of columns"
        )
    return "The price list does not fit X: " + "; ".join(parts) + "."


def closures_of(
    requires: Sequence[Sequence[int]], names: Sequence[str]
) -> tuple[tuple[int, ...], ...]:
    """Return each item with all it requires, ancestors first.

    Raises
    ------
    ValueError
        If items require each other in a cycle, or too many others; `names` name them.
    """
    if not any(requires):
        return tuple((item,) for item in range(len(requires)))
    done: dict[int, tuple[int, ...]] = {}
    steps = 0
    for item in _ancestors_first(requires, names):
        needs = requires[item]
        steps += sum(len(done[r]) for r in needs)
        check_requirements(steps, len(requires))
        done[item] = (*dict.fromkeys(i for r in needs for i in done[r]), item)
    return tuple(done[item] for item in range(len(requires)))


def _ancestors_first(requires: Sequence[Sequence[int]], names: Sequence[str]) -> Iterator[int]:
    """Yield all items, each after those it requires; without recursion, in linear time."""
    done: set[int] = set()
    for item in range(len(requires)):
        path = {} if item in done else {item: iter(requires[item])}
        while path:
            current = next(reversed(path))
            waiting = next((r for r in path[current] if r not in done), None)
            if waiting is None:
                done.add(current)
                del path[current]
                yield current
            elif waiting in path:
                cycle = [*list(path)[list(path).index(waiting) :], waiting]
                text = " -> ".join(repr(names[i]) for i in cycle)
                raise ValueError(f"requires runs in a cycle: {text}. Remove one of these links.")
            else:
                path[waiting] = iter(requires[waiting])


def check_requirements(total: int, n: int) -> None:
    """Refuse items that require so many others that their closures would fill the memory."""
    limit = 2_000_000 + 64 * n
    if total > limit:
        raise ValueError(
            f"the items require each other more than {limit} times over. Merge items that are "
            "always bought together."
        )
