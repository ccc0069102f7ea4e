"""Draws of members, row by row, at several budgets at once.

The budgets of a row draw the same members until one of them ends or must leave something out:
that one then goes on alone, in a copy of the state. Arrays are handed on one by one: in tuples,
Numba would count references to each of them at each draw.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from .accounts import ITEM, LEFT_OUT, MEMBER, SET, SLOT, buy, copy_slot, too_dear, total_for
from .exact import PARTIALS
from .guide_table import KNOWN, member_at, search, stream_of, uniform
from .leaf import bare, leaf

_TIE = 1e-12
#: The votes of so many rows are brought together by row at a time: what a cache line holds.
_TILE = 8


@bare
def _turn(all_votes, start, tile):
    """Votes that lie member by member, row by row."""
    n = min(len(tile), all_votes.shape[2] - start)
    for m in range(all_votes.shape[0]):
        for k in range(all_votes.shape[1]):
            for i in range(n):
                tile[i, m, k] = all_votes[m, k, start + i]


@leaf
def _answer_mean(d, row, low, high, sure, prior, state, totals, scores, spent):
    """The sure votes and the mean of the draws, for some lanes."""
    draws = max(state[d].draws, 1)
    for lane in range(low, high):
        nothing = True
        for k in range(len(prior)):
            score = sure[k] + totals[d, 0, k] / draws
            size = abs(sure[k]) + totals[d, 1, k] / draws
            nothing = nothing and abs(score) <= _TIE * size
            scores[lane, row, k] = score
        if nothing:
            for k in range(len(prior)):
                scores[lane, row, k] = prior[k]
        spent[lane, row] = state[d].spent


@bare
def _sum_sets(votes, members, of_sets):
    """The votes of the members of each set, and their sizes."""
    of_sets[:] = 0.0
    for m in range(len(members)):
        for k in range(votes.shape[1]):
            of_sets[members[m].own, 0, k] += votes[m, k]
            of_sets[members[m].own, 1, k] += abs(votes[m, k])


@leaf
def _answer_owned(d, row, low, high, of_sets, sure, prior, state, missing, scores, spent):
    """The votes of all that is owned, for some lanes."""
    nothing = True
    for k in range(len(prior)):
        total, size = sure[k], abs(sure[k])
        for own in range(missing.shape[1]):
            vote, large = of_sets[own, 0, k], of_sets[own, 1, k]
            total += vote if missing[d, own] == 0 else 0.0
            size += large if missing[d, own] == 0 else 0.0
        nothing = nothing and abs(total) <= _TIE * size
        for lane in range(low, high):
            scores[lane, row, k] = total
    for lane in range(low, high):
        if nothing:
            for k in range(len(prior)):
                scores[lane, row, k] = prior[k]
        spent[lane, row] = state[d].spent


@leaf
def _draw_owned(d, max_draws, patience, known, members, votes, state, missing, totals):
    """Draw for as long as tries that are known lead to members that are owned or left out."""
    if state[d].renewed:
        return
    tries, draws, passed = state[d].tries, state[d].draws, state[d].passed
    mass, fits = state[d].mass, state[d].fits
    while tries < known[KNOWN] and draws < max_draws and passed < patience - 1:
        m = known[tries]
        gap, headroom = missing[d, members[m].own], members[m].headroom
        if gap > 0 or (headroom > 0.0 and headroom != fits):
            break
        tries += 1
        if gap == LEFT_OUT:
            passed += 1
            continue
        scale = mass * members[m].scale
        for k in range(totals.shape[2]):
            vote = votes[m, k] * scale
            totals[d, 0, k] += vote
            totals[d, 1, k] += abs(vote)
        draws += 1
        passed = 0
    state[d].tries, state[d].draws, state[d].passed = tries, draws, passed


@leaf
def _next_member(d, stream, patience, sums, guide, own_sums, known, members, state, missing):
    """The next member drawn that is not left out."""
    while True:
        if state[d].renewed:
            m = search(own_sums, uniform(stream, state[d].tries))
        else:
            m = member_at(sums, guide, stream, state[d].tries, known)
        state[d].tries += 1
        if missing[d, members[m].own] != LEFT_OUT:
            state[d].passed = 0
            return m
        state[d].passed += 1
        if state[d].passed == patience:
            total = 0.0
            for other in range(len(members)):
                own = members[other].own
                if missing[d, own] != LEFT_OUT:
                    total += members[other].chance
                own_sums[other] = total
            state[d].renewed, state[d].passed = 1, 0


@bare
def _follow(
    d, row, low, high, offset, stream, votes, of_sets, sure, prior, scores, spent, limits,
    max_draws, patience, affordable, sums, guide, own_sums, known, members, sets, items, set_items,
    item_sets, state, owned, missing, partials, totals, spare
):  # fmt: skip
    """Draw until all budgets have ended, or the poorest must part; returns the first left."""
    bought = affordable
    while True:
        if bought:
            alone = low + 1 == high
            if too_dear(d, limits[low], alone, sets, items, set_items, state, owned, missing,
                        partials, spare) and not alone:  # fmt: skip
                return low
            if state[d].open == 0:
                _answer_owned(d, row, low - offset, high - offset, of_sets, sure, prior, state,
                              missing, scores, spent)  # fmt: skip
                return high
        _draw_owned(d, max_draws, patience, known, members, votes, state, missing, totals)
        if state[d].draws == max_draws:
            _answer_mean(d, row, low - offset, high - offset, sure, prior, state, totals, scores,
                         spent)  # fmt: skip
            return high
        m = _next_member(d, stream, patience, sums, guide, own_sums, known, members, state,
                         missing)  # fmt: skip
        own = members[m].own
        if not affordable:
            total = total_for(d, m, limits[low], members, sets, items, set_items, state, owned,
                              missing, partials, spare)  # fmt: skip
            while limits[low] < total:
                _answer_mean(d, row, low - offset, low + 1 - offset, sure, prior, state, totals,
                             scores, spent)  # fmt: skip
                low += 1
                if low == high:
                    return high
            state[d].fits = members[m].headroom
        scale = state[d].mass * members[m].scale
        for k in range(len(prior)):
            vote = votes[m, k] * scale
            totals[d, 0, k] += vote
            totals[d, 1, k] += abs(vote)
        state[d].draws += 1
        bought = affordable and missing[d, own] > 0
        if missing[d, own] > 0:
            buy(d, own, sets, items, set_items, item_sets, state, owned, missing, partials)


@njit(cache=True, nogil=True)
def draw_rows(
    seed, keys, place, first, last, shift, all_votes, sure, prior, scores, spent, limits, max_draws,
    patience, affordable, sums, guide, member_bytes, set_bytes, item_bytes, set_items, item_sets,
    slot_bytes, owned_before, missing_before, partials_before, totals_before
):  # fmt: skip
    """Scores and spend of rows that draw members until they cannot pay, or often enough.

    Parameters
    ----------
    seed, keys : uint64
        As in `scrimp.plans.components.counter_rng.uniforms`.
    place : int array (rows,)
        Where the answers of a row go.
    first, last : int arrays (rows,)
        The range of budgets that a row is answered at; each is a lane of the answers, ...
    shift : bool
        ... unless a row's first budget is to be lane 0.
    all_votes : float array (members, outputs, rows)
        The votes of all members.
    sure : float array (rows, outputs)
        What is added to the mean of the draws.
    prior : float array (outputs,)
        The answer where there are no votes.
    scores, spent : float arrays (lanes, places, outputs), (lanes, places)
        Written to.
    limits : float array (budgets,)
        The most that may be spent, ascending.
    max_draws : int
        The most draws of a row.
    patience : int
        So many tries in a row that lead to what is left out make new sums of the others.
    affordable : bool
        Whether what cannot be paid is left out, or ends the draws.
    sums, guide : arrays
        Running sums of the chances of members, and a guide to them.
    member_bytes, set_bytes, item_bytes, set_items, item_sets
        What is drawn and what it needs; see `scrimp.kernels.accounts`. Records are passed as bytes:
        Numba takes long to find out the type of a record.
    slot_bytes, owned_before, missing_before, partials_before, totals_before
        The state of all rows before their first draw.
    """
    members, sets = member_bytes.view(MEMBER), set_bytes.view(SET)
    items, slot_before = item_bytes.view(ITEM), slot_bytes.view(SLOT)
    state, totals = np.zeros(2, SLOT), np.zeros((2, 2, len(prior)))
    owned, missing = np.empty((2, len(items)), np.bool_), np.empty((2, len(sets) + 1), np.int64)
    partials, spare = np.empty((2, PARTIALS)), np.empty(PARTIALS)
    own_sums, known = np.empty(len(members)), np.empty(KNOWN + 1, np.int64)
    tile = np.empty((_TILE, len(members), len(prior)))
    of_sets = np.empty((len(sets) + 1, 2, len(prior)))
    for i in range(len(keys)):
        copy_slot(0, slot_before, owned_before, missing_before, partials_before, totals_before,
                  state, owned, missing, partials, totals)  # fmt: skip
        known[KNOWN] = 0
        if i % _TILE == 0:
            _turn(all_votes, i, tile)
        votes = tile[i % _TILE]
        if affordable:
            _sum_sets(votes, members, of_sets)
        stream = stream_of(seed, keys[i])
        offset = first[i] if shift else 0
        d, low = 0, first[i]
        while low < last[i]:
            # a budget in slot 1 is alone: it ends there
            high = last[i] if d == 0 else low + 1
            after = _follow(
                d, place[i], low, high, offset, stream, votes, of_sets, sure[i], prior, scores,
                spent, limits, max_draws, patience, affordable, sums, guide, own_sums, known,
                members, sets, items, set_items, item_sets, state, owned, missing, partials,
                totals, spare
            )  # fmt: skip
            d = 1 if d == 0 and after < high else 0
            if d == 1:
                copy_slot(1, state, owned, missing, partials, totals, state, owned, missing,
                          partials, totals)  # fmt: skip
            low = after
