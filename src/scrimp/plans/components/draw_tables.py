"""The tables that the kernel of sampled plans reads: members, sets of items, and items."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...costs.ledger import Ledger
from ...types import Flags, Floats, Ints


@dataclass(frozen=True, eq=False)
class PurchaseTables:
    """The members of an ensemble, the sets of items that they need, and the items.

    Parameters
    ----------
    members, sets, items : record arrays
        With the types of `scrimp.kernels.accounts`.
    set_items : int array
        The items of all sets, one set after the other.
    item_sets : int array
        The sets of all items, one item after the other.
    """

    members: NDArray[Any]
    sets: NDArray[Any]
    items: NDArray[Any]
    set_items: Ints
    item_sets: Ints


@dataclass(frozen=True, eq=False)
class InitialSlot:
    """The state of rows before their first draw, as `scrimp.kernels.accounts` describes it."""

    slot: NDArray[Any]
    owned: Flags
    missing: Ints
    partials: Floats
    totals: Floats


def kernel_arguments(*tables: PurchaseTables | InitialSlot) -> list[NDArray[Any]]:
    """Return the arrays of tables in order; records as bytes, whose type Numba finds faster."""
    arrays = [getattr(table, field.name) for table in tables for field in fields(table)]
    return [array.view(np.uint8) if array.dtype.names else array for array in arrays]


def purchase_tables(
    probability: Floats, headroom: Sequence[float], ledger: Ledger, needs: Sequence[Sequence[int]]
) -> PurchaseTables:
    """Return the tables of members with a probability each, and of the items they need.

    Parameters
    ----------
    probability : float array (members,)
        The probability of each member in a draw.
    headroom : sequence of float
        The headroom of each member.
    ledger : Ledger
        It holds the prices.
    needs : sequence of sequences of int
        The items of each member with all they require.
    """
    from ...kernels.accounts import MEMBER

    drawn = probability > 0
    needed = [tuple(items) for items, is_drawn in zip(needs, drawn, strict=True) if is_drawn]
    numbers = {items: number for number, items in enumerate(dict.fromkeys(needed))}
    members = np.zeros(len(needs), dtype=MEMBER)
    members["item_set"] = len(numbers)
    members["item_set"][drawn] = [numbers[items] for items in needed]
    members["probability"], members["headroom"] = probability, headroom
    members["scale"][drawn] = 1.0 / probability[drawn]
    set_probability = np.bincount(members["item_set"][drawn], probability[drawn], len(numbers))
    return _with_items(
        members, list(numbers), set_probability.astype(np.float64), ledger.costs.prices
    )


def _with_items(
    members: NDArray[Any],
    item_sets: list[tuple[int, ...]],
    set_probability: Floats,
    prices: Sequence[float],
) -> PurchaseTables:
    """Return the tables of members, the sets of items that they need, and the items."""
    from ...kernels.accounts import ITEM, SET

    sets = np.zeros(len(item_sets), dtype=SET)
    sets["start"], sets["stop"] = _bounds(item_sets)
    sets["price"] = [math.fsum(prices[i] for i in items) for items in item_sets]
    sets["by_price"] = np.argsort(-sets["price"], kind="stable")
    sets["probability"] = set_probability
    sets_of_item: list[list[int]] = [[] for _ in prices]
    for number, set_items in enumerate(item_sets):
        for item in set_items:
            sets_of_item[item].append(number)
    items = np.zeros(len(prices), dtype=ITEM)
    items["start"], items["stop"] = _bounds(sets_of_item)
    items["price"] = prices
    return PurchaseTables(members, sets, items, _flat(item_sets), _flat(sets_of_item))


def _bounds(lists: Iterable[Sequence[int]]) -> tuple[Ints, Ints]:
    """Return the start and the end of each list in their concatenation."""
    ends = np.cumsum([0, *map(len, lists)])
    return ends[:-1], ends[1:]


def _flat(lists: Iterable[Sequence[int]]) -> Ints:
    """Return the concatenation of lists."""
    return np.array([i for numbers in lists for i in numbers], dtype=np.int64)


def initial_slot(
    tables: PurchaseTables, probability: Floats, n_outputs: int, before: Ledger, after: Ledger
) -> InitialSlot:
    """Return the state of rows whose ledger was `before`, and is `after` the first purchases."""
    from ...kernels.accounts import LEFT_OUT, SLOT
    from ...kernels.exact_sum import PARTIALS, add_to_sum

    sets, items = tables.sets, tables.items
    owned = np.zeros(len(items), dtype=bool)
    owned[list(after.owned)] = True
    gaps = np.append(0, np.cumsum(~owned[tables.set_items]))
    missing = gaps[sets["stop"]] - gaps[sets["start"]]
    partials, n = np.zeros(PARTIALS), 0
    for price in items["price"][sorted(after.owned - before.owned)].tolist():
        n = add_to_sum(partials, n, price) if price > 0 else n
    slot = np.zeros(1, dtype=SLOT)
    slot["n_partials"], slot["n_open"] = n, np.count_nonzero(missing)
    slot["spent"], slot["fitting"] = after.spent, -1.0
    slot["mass"] = slot["summed_mass"] = np.cumsum(probability)[-1]
    totals = np.zeros((1, 2, n_outputs))
    missing = np.append(missing, LEFT_OUT)
    return InitialSlot(slot, owned[None], missing[None], partials[None], totals)


def cumulative_with_guide(probability: Floats) -> tuple[Floats, NDArray[Any]]:
    """Return running sums of probabilities, and a guide table for searches in them."""
    from ...kernels.guide_table import GUIDE, make_guide

    guide = np.empty(GUIDE, dtype=np.int32)
    sums = np.cumsum(probability)
    make_guide(sums, guide)
    return sums, guide
