"""Draws of stumps, row by row, at several budgets at once.

The budgets of a row draw the same stumps until one of them cannot pay: then the state is
copied and the poorer ones go their own way later. Chances are searched in running sums that
are, bit for bit, those of a session, or are known to lead to the same stump; sums of prices
are kept as Shewchuk's partials and rounded once, as in `math.fsum`.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from .chances import (
    ALIVE,
    DRAWS,
    FIRST,
    GUIDE,
    GUIDED,
    HIGH,
    LOW,
    MODE,
    N_PARTIALS,
    ROOM,
    ROOM_OF,
    SINCE,
    TRIES,
    drop,
    follow_guide,
    make_guide,
    search,
)
from .exact import PARTIALS, add_price, rounded

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)
_TIE = 1e-12


@njit(cache=True, nogil=True)
def _mix(z):
    z = (z ^ (z >> np.uint64(30))) * _MIX_1
    z = (z ^ (z >> np.uint64(27))) * _MIX_2
    return z ^ (z >> np.uint64(31))


@njit(cache=True, nogil=True)
def _total(items, begin, end, prices, owned, partials, count, spare):
    """What would be spent with some items too."""
    n = count[N_PARTIALS]
    spare[:n] = partials[:n]
    for j in range(begin, end):
        if not owned[items[j]] and prices[items[j]] > 0.0:
            n = add_price(spare, n, prices[items[j]])
    return rounded(spare, n)


@njit(cache=True, nogil=True)
def _buy(items, begin, end, prices, owned, partials, count):
    for j in range(begin, end):
        if not owned[items[j]]:
            owned[items[j]] = True
            if prices[items[j]] > 0.0:
                count[N_PARTIALS] = add_price(partials, count[N_PARTIALS], prices[items[j]])


@njit(cache=True, nogil=True)
def _answer(
    sure, drawn, size, count, partials, prior, offset, row, low, high, scores, spent
):  # fmt: skip
    """Write down how lanes end that share a state."""
    paid = rounded(partials, count[N_PARTIALS])
    draws = max(count[DRAWS], 1)
    for lane in range(low - offset, high - offset):
        nothing = True
        for k in range(len(drawn)):
            score = sure[k] + drawn[k] / draws
            least = _TIE * (abs(sure[k]) + size[k] / draws) if count[DRAWS] > 0 else 0.0
            nothing = nothing and abs(score) <= least
            scores[lane, row, k] = score
        if nothing:
            scores[lane, row] = prior
        spent[lane, row] = paid


@njit(cache=True, nogil=True)
def draw_votes(
    seed, X, keys, rows, place, sure, first, last, shift, limits, prior, max_draws, skip, chance,
    headroom, set_of, set_start, set_items, prices, owned_before, paid_before, scores, spent,
    column, low, high, inside, outside, missing
):  # fmt: skip
    """Scores and spend of rows that draw stumps until they cannot pay, or often enough.

    Parameters
    ----------
    seed : uint64
        As in `scrimp.plans.chance.uniforms`, with the keys.
    X, keys, rows, place
        The values of row i are in ``X[rows[i]]``, its answers go to ``place[i]``.
    sure : float array (rows, outputs)
        What is added to the mean of the draws.
    first, last : int arrays (rows,)
        The range of budgets, the lanes, that a row is answered at.
    shift : bool
        Whether a row's first lane is written to place 0 instead of its own.
    limits : float array (budgets,)
        The most that may be spent, ascending.
    skip : bool
        Whether a stump that cannot be paid is dropped, or ends the draws.
    chance, headroom : float arrays (stumps,)
        As in the plan.
    set_of : int array (stumps,)
        Which set of items a stump needs; set s is ``set_items[set_start[s]:set_start[s + 1]]``.
    prices, owned_before : arrays (items,)
        Prices, and what rows own already.
    paid_before : float array
        Prices paid already.
    scores, spent : float arrays (lanes, rows, outputs), (lanes, rows)
        Written to.
    column, low, high, inside, outside, missing
        The table of stumps.
    """
    n_stumps, n_outputs = inside.shape
    n_slots = 1
    for i in range(len(rows)):
        n_slots = max(n_slots, last[i] - first[i])
    first_sums = np.cumsum(chance)
    first_guide = np.empty(GUIDE, np.int64)
    make_guide(first_sums, first_guide)
    n_alive = np.count_nonzero(chance)
    weights, sums = np.empty((n_slots, n_stumps)), np.empty((n_slots, n_stumps))
    guide, count = np.empty((n_slots, GUIDE), np.int64), np.zeros((n_slots, 9), np.int64)
    measure = np.zeros((n_slots, 3))
    drawn, size = np.zeros((n_slots, n_outputs)), np.zeros((n_slots, n_outputs))
    owned = np.empty((n_slots, len(prices)), np.bool_)
    have = np.empty((n_slots, len(set_start) - 1), np.bool_)
    partials, spare = np.empty((n_slots, PARTIALS)), np.empty(PARTIALS)
    for i in range(len(rows)):
        row = rows[i]
        offset = first[i] if shift else 0
        stream = _mix(seed * _GOLDEN + _mix(keys[i] + _GOLDEN))
        count[0] = 0
        count[0, LOW], count[0, HIGH], count[0, ALIVE] = first[i], last[i], n_alive
        for price in paid_before:
            count[0, N_PARTIALS] = add_price(partials[0], count[0, N_PARTIALS], price)
        measure[0, ROOM_OF] = -1.0
        drawn[0], size[0], owned[0], have[0] = 0.0, 0.0, owned_before, False
        d = 0
        while d >= 0:
            # views are taken once for all draws of a state: they cost more than a draw
            at, own, weight, total_of, paid = count[d], have[d], weights[d], sums[d], partials[d]
            votes, sizes, guided, room = drawn[d], size[d], guide[d], measure[d]
            forked = False
            while at[DRAWS] < max_draws and at[ALIVE] > 0 and at[LOW] < at[HIGH]:
                bits = _mix(stream + (np.uint64(at[TRIES]) + np.uint64(1)) * _GOLDEN)
                u = np.float64(bits >> np.uint64(11)) * 2.0**-53
                at[TRIES] += 1
                if at[MODE] == FIRST:
                    s, mass = follow_guide(first_sums, first_guide, u), first_sums[-1]
                elif at[MODE] == GUIDED:
                    s, mass = follow_guide(total_of, guided, u), total_of[-1]
                else:
                    s = search(u, weight, total_of, guided, at, room)
                    mass = total_of[-1]
                begin, end = set_start[set_of[s]], set_start[set_of[s] + 1]
                total = 0.0
                if not own[set_of[s]]:
                    total = _total(set_items, begin, end, prices, owned[d], paid, at, spare)
                if headroom[s] > 0.0:
                    if room[ROOM_OF] != headroom[s]:
                        spare[: at[N_PARTIALS]] = paid[: at[N_PARTIALS]]
                        n = add_price(spare, at[N_PARTIALS], headroom[s])
                        room[ROOM_OF], room[ROOM] = headroom[s], rounded(spare, n)
                    total = max(total, room[ROOM])
                if limits[at[LOW]] < total:
                    poor = at[LOW] + 1
                    while poor < at[HIGH] and limits[poor] < total:
                        poor += 1
                    if not skip:
                        _answer(sure[i], votes, sizes, at, paid, prior, offset, place[i],
                                at[LOW], poor, scores, spent)  # fmt: skip
                        at[LOW] = poor
                        at[TRIES] -= 1  # those that can pay draw it again
                        continue
                    if poor < at[HIGH]:
                        # those that can pay go on in a copy, the others later from here
                        count[d + 1], measure[d + 1] = at, room
                        drawn[d + 1], size[d + 1] = votes, sizes
                        owned[d + 1], have[d + 1], partials[d + 1] = owned[d], own, paid
                        if at[MODE] != FIRST:
                            weights[d + 1], sums[d + 1] = weight, total_of
                            guide[d + 1] = guided
                        count[d + 1, LOW], count[d + 1, TRIES] = poor, at[TRIES] - 1
                        at[HIGH] = poor
                        forked = True
                    drop(s, chance, first_sums, weight, total_of, at, room)
                    if forked:
                        break
                    continue
                if not own[set_of[s]]:
                    _buy(set_items, begin, end, prices, owned[d], paid, at)
                    own[set_of[s]] = True
                    room[ROOM_OF] = -1.0
                x = X[row, column[s]]
                is_in = (x >= low[s]) & (x <= high[s])
                scale = mass / chance[s]
                for k in range(n_outputs):
                    vote = inside[s, k] if is_in else outside[s, k]
                    vote = (vote if x == x else missing[s, k]) * scale
                    votes[k] += vote
                    sizes[k] += abs(vote)
                at[DRAWS] += 1
                at[SINCE] += 1
            if forked:
                d += 1
                continue
            _answer(sure[i], votes, sizes, at, paid, prior, offset, place[i], at[LOW],
                    at[HIGH], scores, spent)  # fmt: skip
            d -= 1
