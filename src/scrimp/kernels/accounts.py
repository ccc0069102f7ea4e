"""Purchases of rows that draw members: items owned, prices paid, item sets still affordable.

Sums of prices are kept as Shewchuk's partials and rounded once, so that money is compared
exactly as by a Ledger. A row has two slots: one shared by its budgets, and one for a budget that
has left the others.
"""

from __future__ import annotations

import numpy as np

from .exact_sum import add_to_sum, round_sum
from .jit import njit_inline, njit_no_refcount

#: A member needs an item set. Members with probability 0 need a set numbered after all others,
#: which is always left out. `scale` is 1 / probability.
MEMBER = np.dtype(
    [("item_set", np.int64), ("probability", np.float64), ("scale", np.float64),
     ("headroom", np.float64)]
)  # fmt: skip
#: A set holds ``set_items[start:stop]``. `by_price` lists the sets by falling price, which is that
#: for a row that owns nothing. `probability` is that one of its members is drawn.
SET = np.dtype(
    [("start", np.int64), ("stop", np.int64), ("by_price", np.int64), ("price", np.float64),
     ("probability", np.float64)]
)  # fmt: skip
#: An item is in the sets ``item_sets[start:stop]``.
ITEM = np.dtype([("start", np.int64), ("stop", np.int64), ("price", np.float64)])
#: The state of a slot. `skipped` counts the tries since the last draw, which led to sets left out;
#: `renewed` says whether such sets were taken out of the distribution. `n_open` sets are neither
#: owned nor left out; `first_open` is where they begin by price. `mass` is the probability of all
#: members not left out, `summed_mass` its value when last summed. `fitting` is a headroom that is
#: known to fit.
SLOT = np.dtype(
    [("draws", np.int64), ("tries", np.int64), ("skipped", np.int64), ("renewed", np.int64),
     ("n_partials", np.int64), ("n_open", np.int64), ("first_open", np.int64),
     ("spent", np.float64), ("mass", np.float64), ("summed_mass", np.float64),
     ("fitting", np.float64)]
)  # fmt: skip
#: Stands in place of the number of missing items of a set that can no longer be paid.
LEFT_OUT = -1
#: A factor above the relative rounding error of the sum of two rounded sums.
_ROUNDING = 1.0 + 2.0**-50


@njit_inline
def copy_slot(
    slot, state_0, owned_0, missing_0, partials_0, totals_0, state, owned, missing, partials,
    totals
):  # fmt: skip
    """Copy the first slot of other arrays to a slot."""
    state[slot] = state_0[0]
    for item in range(owned.shape[1]):
        owned[slot, item] = owned_0[0, item]
    for s in range(missing.shape[1]):
        missing[slot, s] = missing_0[0, s]
    for i in range(state_0[0]["n_partials"]):
        partials[slot, i] = partials_0[0, i]
    for k in range(totals.shape[2]):
        totals[slot, 0, k], totals[slot, 1, k] = totals_0[0, 0, k], totals_0[0, 1, k]


@njit_inline
def buy(slot, s, sets, items, set_items, item_sets, state, owned, missing, partials):
    """Pay for all items of set s that are not owned."""
    for j in range(sets[s]["start"], sets[s]["stop"]):
        item = set_items[j]
        if owned[slot, item]:
            continue
        owned[slot, item] = True
        if items[item]["price"] > 0.0:
            state[slot]["n_partials"] = add_to_sum(
                partials[slot], state[slot]["n_partials"], items[item]["price"]
            )
        for k in range(items[item]["start"], items[item]["stop"]):
            other = item_sets[k]
            if missing[slot, other] > 0:
                missing[slot, other] -= 1
                if missing[slot, other] == 0:
                    state[slot]["n_open"] -= 1
    state[slot]["spent"] = round_sum(partials[slot], state[slot]["n_partials"])
    state[slot]["fitting"] = -1.0


@njit_inline
def _total_with(slot, s, sets, items, set_items, state, owned, partials, spare):
    """Return what would be spent in all if set s were bought."""
    n = state[slot]["n_partials"]
    for i in range(n):
        spare[i] = partials[slot, i]
    for j in range(sets[s]["start"], sets[s]["stop"]):
        item = set_items[j]
        if not owned[slot, item] and items[item]["price"] > 0.0:
            n = add_to_sum(spare, n, items[item]["price"])
    return round_sum(spare, n)


@njit_inline
def total_for(
    slot, m, limit, members, sets, items, set_items, state, owned, missing, partials, spare
):  # fmt: skip
    """Return what would be spent with member m or, if that is more, with its headroom.

    Any total within the limit may be returned as 0.
    """
    s, headroom = members[m]["item_set"], members[m]["headroom"]
    price = sets[s]["price"] if missing[slot, s] > 0 else 0.0
    if (state[slot]["spent"] + max(price, headroom)) * _ROUNDING <= limit:
        return 0.0
    total = _total_with(slot, s, sets, items, set_items, state, owned, partials, spare)
    if headroom > 0.0:
        n = state[slot]["n_partials"]
        for i in range(n):
            spare[i] = partials[slot, i]
        n = add_to_sum(spare, n, headroom)
        total = max(total, round_sum(spare, n))
    return total if price > 0.0 or headroom > 0.0 else 0.0


@njit_inline
def _exceeds(slot, s, limit, sets, items, set_items, state, owned, missing, partials, spare):
    """Return whether set s takes the spend above a limit; sum exactly only near the limit."""
    all_missing = missing[slot, s] == sets[s]["stop"] - sets[s]["start"]
    if all_missing and state[slot]["spent"] + sets[s]["price"] > limit * _ROUNDING:
        return True
    return _total_with(slot, s, sets, items, set_items, state, owned, partials, spare) > limit


@njit_inline
def any_unaffordable(
    slot, limit, leave_out, sets, items, set_items, state, owned, missing, partials, spare
):  # fmt: skip
    """Return whether a limit cannot pay some open set; with ``leave_out`` leave out all such."""
    exceeded, position = False, state[slot]["first_open"]
    while position < len(sets):
        s = sets[position]["by_price"]
        if missing[slot, s] <= 0:
            if position == state[slot]["first_open"]:
                state[slot]["first_open"] += 1
        elif (state[slot]["spent"] + sets[s]["price"]) * _ROUNDING <= limit:
            break  # all later sets are cheaper
        elif _exceeds(
            slot, s, limit, sets, items, set_items, state, owned, missing, partials, spare
        ):  # fmt: skip
            exceeded = True
            if not leave_out:
                break
            missing[slot, s] = LEFT_OUT
            state[slot]["n_open"] -= 1
            state[slot]["mass"] -= sets[s]["probability"]
        position += 1
    if exceeded and leave_out and state[slot]["mass"] < 0.5 * state[slot]["summed_mass"]:
        _sum_mass(slot, sets, state, missing)  # before cancellation leaves mostly rounding
    return exceeded


@njit_no_refcount
def _sum_mass(slot, sets, state, missing):
    """Sum the probabilities of the sets that are not left out."""
    total = 0.0
    for s in range(len(sets)):
        if missing[slot, s] != LEFT_OUT:
            total += sets[s]["probability"]
    state[slot]["mass"] = state[slot]["summed_mass"] = total
