"""What a row owns, has paid and can still pay, for members that need sets of items.

Sums of prices are kept as Shewchuk's partials and rounded once, so that money is compared
just as a Ledger does it. A row has two slots d: one that its budgets share, and one for a
budget that goes on alone.
"""

from __future__ import annotations

import numpy as np

from .exact import add_price, rounded
from .leaf import bare, leaf

#: A member needs a set of items; its scale is 1 / chance. Those that are never drawn need one that
#: comes after all others and is left out.
MEMBER = np.dtype(
    [("own", np.int64), ("chance", np.float64), ("scale", np.float64), ("headroom", np.float64)]
)
#: A set holds ``set_items[start:stop]``; `dearest` lists the sets by price. Its price is that for
#: a row that owns nothing, its chance that one of its members is drawn.
SET = np.dtype(
    [("start", np.int64), ("stop", np.int64), ("dearest", np.int64), ("price", np.float64),
     ("chance", np.float64)]
)  # fmt: skip
#: An item is in the sets ``item_sets[start:stop]``.
ITEM = np.dtype([("start", np.int64), ("stop", np.int64), ("price", np.float64)])
#: Counts and measures of a slot: `open` sets are neither owned nor left out, `first` is where
#: they begin among the dearest; `mass` is the chance of all that is not left out, `base` what it
#: was when last summed up; `fits` is a headroom that is known to fit.
SLOT = np.dtype(
    [("draws", np.int64), ("tries", np.int64), ("passed", np.int64), ("renewed", np.int64),
     ("n_partials", np.int64), ("open", np.int64), ("first", np.int64), ("spent", np.float64),
     ("mass", np.float64), ("base", np.float64), ("fits", np.float64)]
)  # fmt: skip
#: In place of how many items of a set are missing: it cannot be paid any more.
LEFT_OUT = -1
#: More than what rounding adds to the sum of two rounded sums.
_ROUNDING = 1.0 + 2.0**-50


@leaf
def copy_slot(
    d, state_0, owned_0, missing_0, partials_0, totals_0, state, owned, missing, partials, totals
):  # fmt: skip
    """Make slot d what the first slot of other arrays is."""
    state[d] = state_0[0]
    for item in range(owned.shape[1]):
        owned[d, item] = owned_0[0, item]
    for own in range(missing.shape[1]):
        missing[d, own] = missing_0[0, own]
    for i in range(state_0[0].n_partials):
        partials[d, i] = partials_0[0, i]
    for k in range(totals.shape[2]):
        totals[d, 0, k], totals[d, 1, k] = totals_0[0, 0, k], totals_0[0, 1, k]


@leaf
def buy(d, own, sets, items, set_items, item_sets, state, owned, missing, partials):
    """Pay for all items of a set that are not owned."""
    for j in range(sets[own].start, sets[own].stop):
        item = set_items[j]
        if owned[d, item]:
            continue
        owned[d, item] = True
        if items[item].price > 0.0:
            state[d].n_partials = add_price(partials[d], state[d].n_partials, items[item].price)
        for k in range(items[item].start, items[item].stop):
            other = item_sets[k]
            if missing[d, other] > 0:
                missing[d, other] -= 1
                if missing[d, other] == 0:
                    state[d].open -= 1
    state[d].spent = rounded(partials[d], state[d].n_partials)
    state[d].fits = -1.0


@leaf
def _total_with(d, own, sets, items, set_items, state, owned, partials, spare):
    """What would be spent with a set too."""
    n = state[d].n_partials
    for i in range(n):
        spare[i] = partials[d, i]
    for j in range(sets[own].start, sets[own].stop):
        item = set_items[j]
        if not owned[d, item] and items[item].price > 0.0:
            n = add_price(spare, n, items[item].price)
    return rounded(spare, n)


@leaf
def total_for(
    d, m, limit, members, sets, items, set_items, state, owned, missing, partials, spare
):  # fmt: skip
    """What would be spent with a member too or, if that is more, with its headroom.

    0 stands for anything within the limit.
    """
    own, room = members[m].own, members[m].headroom
    price = sets[own].price if missing[d, own] > 0 else 0.0
    if (state[d].spent + max(price, room)) * _ROUNDING <= limit:
        return 0.0
    total = _total_with(d, own, sets, items, set_items, state, owned, partials, spare)
    if room > 0.0:
        n = state[d].n_partials
        for i in range(n):
            spare[i] = partials[d, i]
        n = add_price(spare, n, room)
        total = max(total, rounded(spare, n))
    return total if price > 0.0 or room > 0.0 else 0.0


@leaf
def _is_too_dear(d, own, limit, sets, items, set_items, state, owned, missing, partials, spare):
    """Whether a limit cannot pay for a set; summed up exactly only where that matters."""
    whole = missing[d, own] == sets[own].stop - sets[own].start
    if whole and state[d].spent + sets[own].price > limit * _ROUNDING:
        return True
    return _total_with(d, own, sets, items, set_items, state, owned, partials, spare) > limit


@leaf
def too_dear(
    d, limit, leave_out, sets, items, set_items, state, owned, missing, partials, spare
):  # fmt: skip
    """Whether there are sets that a limit cannot pay; leave all of them out if asked to."""
    found, position = False, state[d].first
    while position < len(sets):
        own = sets[position].dearest
        if missing[d, own] <= 0:
            if position == state[d].first:
                state[d].first += 1
        elif (state[d].spent + sets[own].price) * _ROUNDING <= limit:
            break  # and so can all that are cheaper
        elif _is_too_dear(
            d, own, limit, sets, items, set_items, state, owned, missing, partials, spare
        ):  # fmt: skip
            found = True
            if not leave_out:
                break
            missing[d, own] = LEFT_OUT
            state[d].open -= 1
            state[d].mass -= sets[own].chance
        position += 1
    if found and leave_out and state[d].mass < 0.5 * state[d].base:
        _sum_up(d, sets, state, missing)  # before what is left is mostly rounding
    return found


@bare
def _sum_up(d, sets, state, missing):
    total = 0.0
    for own in range(len(sets)):
        if missing[d, own] != LEFT_OUT:
            total += sets[own].chance
    state[d].mass = state[d].base = total
