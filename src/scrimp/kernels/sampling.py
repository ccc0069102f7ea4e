"""Draws of members per row, at several budgets at once.

The budgets of a row draw the same members until one of them ends or must leave a set of items
out; that budget then continues in a copy of the state. Arrays are passed one by one: in tuples,
Numba would count references to each of them at each draw.
"""

from __future__ import annotations

import numpy as np

from .accounts import ITEM, LEFT_OUT, MEMBER, SET, SLOT, any_unaffordable, buy, copy_slot, total_for
from .counter_rng import stream_of, uniform
from .exact_sum import PARTIALS
from .guide_table import REMEMBERED, member_at, search
from .jit import njit, njit_inline, njit_no_refcount

#: Votes that cancel up to this part of their sizes give the prior: rounding must not decide.
_TIE = 1e-12
#: Rows whose votes are transposed together: as many as a cache line holds.
_TILE = 8


@njit_no_refcount
def _transpose_votes(all_votes, start, tile):
    """Copy the votes of a tile of rows from member-major to row-major order."""
    n = min(len(tile), all_votes.shape[2] - start)
    for m in range(all_votes.shape[0]):
        for k in range(all_votes.shape[1]):
            for i in range(n):
                tile[i, m, k] = all_votes[m, k, start + i]


@njit_inline
def _answer_mean(slot, row, low, high, sure_votes, prior, state, totals, scores, spent):
    """Write the sure votes plus the mean of the draws to the lanes from low to high."""
    draws = max(state[slot]["draws"], 1)
    for lane in range(low, high):
        no_votes = True
        for k in range(len(prior)):
            score = sure_votes[k] + totals[slot, 0, k] / draws
            size = abs(sure_votes[k]) + totals[slot, 1, k] / draws
            no_votes = no_votes and abs(score) <= _TIE * size
            scores[lane, row, k] = score
        if no_votes:
            for k in range(len(prior)):
                scores[lane, row, k] = prior[k]
        spent[lane, row] = state[slot]["spent"]


@njit_no_refcount
def _sum_votes_by_set(votes, members, set_votes):
    """Write the sum of the votes of the members of each item set, and of their sizes."""
    set_votes[:] = 0.0
    for m in range(len(members)):
        for k in range(votes.shape[1]):
            set_votes[members[m]["item_set"], 0, k] += votes[m, k]
            set_votes[members[m]["item_set"], 1, k] += abs(votes[m, k])


@njit_inline
def _answer_owned(
    slot, row, low, high, set_votes, sure_votes, prior, state, missing, scores, spent
):
    """Write the votes of all members whose items are owned to the lanes from low to high."""
    no_votes = True
    for k in range(len(prior)):
        total, size = sure_votes[k], abs(sure_votes[k])
        for s in range(missing.shape[1]):
            vote, large = set_votes[s, 0, k], set_votes[s, 1, k]
            total += vote if missing[slot, s] == 0 else 0.0
            size += large if missing[slot, s] == 0 else 0.0
        no_votes = no_votes and abs(total) <= _TIE * size
        for lane in range(low, high):
            scores[lane, row, k] = total
    for lane in range(low, high):
        if no_votes:
            for k in range(len(prior)):
                scores[lane, row, k] = prior[k]
        spent[lane, row] = state[slot]["spent"]


@njit_inline
def _draw_owned(slot, max_draws, patience, remembered, members, votes, state, missing, totals):
    """Draw while remembered tries lead to members that are owned or left out."""
    if state[slot]["renewed"]:
        return
    tries, draws, skipped = state[slot]["tries"], state[slot]["draws"], state[slot]["skipped"]
    mass, fitting = state[slot]["mass"], state[slot]["fitting"]
    while tries < remembered[REMEMBERED] and draws < max_draws and skipped < patience - 1:
        m = remembered[tries]
        n_missing, headroom = missing[slot, members[m]["item_set"]], members[m]["headroom"]
        if n_missing > 0 or (headroom > 0.0 and headroom != fitting):
            break
        tries += 1
        if n_missing == LEFT_OUT:
            skipped += 1
            continue
        scale = mass * members[m]["scale"]
        for k in range(totals.shape[2]):
            vote = votes[m, k] * scale
            totals[slot, 0, k] += vote
            totals[slot, 1, k] += abs(vote)
        draws += 1
        skipped = 0
    state[slot]["tries"], state[slot]["draws"], state[slot]["skipped"] = tries, draws, skipped


@njit_inline
def _next_member(
    slot, stream, patience, sums, guide, remaining_sums, remembered, members, state, missing
):
    """Return the next member drawn that is not left out."""
    while True:
        if state[slot]["renewed"]:
            m = search(remaining_sums, uniform(stream, state[slot]["tries"]))
        else:
            m = member_at(sums, guide, stream, state[slot]["tries"], remembered)
        state[slot]["tries"] += 1
        if missing[slot, members[m]["item_set"]] != LEFT_OUT:
            state[slot]["skipped"] = 0
            return m
        state[slot]["skipped"] += 1
        if state[slot]["skipped"] == patience:
            total = 0.0
            for other in range(len(members)):
                s = members[other]["item_set"]
                if missing[slot, s] != LEFT_OUT:
                    total += members[other]["probability"]
                remaining_sums[other] = total
            state[slot]["renewed"], state[slot]["skipped"] = 1, 0


@njit_no_refcount
def _draw_until_split(
    slot, row, low, high, offset, stream, votes, set_votes, sure_votes, prior, scores, spent,
    limits, max_draws, patience, affordable, sums, guide, remaining_sums, remembered, members,
    sets, items, set_items, item_sets, state, owned, missing, partials, totals, spare
):  # fmt: skip
    """Draw until all budgets have ended or the smallest must split off; return the first left."""
    bought = affordable
    while True:
        if bought:
            alone = low + 1 == high
            if any_unaffordable(
                slot, limits[low], alone, sets, items, set_items, state, owned, missing, partials,
                spare
            ) and not alone:  # fmt: skip
                return low
            if state[slot]["n_open"] == 0:
                _answer_owned(
                    slot, row, low - offset, high - offset, set_votes, sure_votes, prior, state,
                    missing, scores, spent
                )  # fmt: skip
                return high
        _draw_owned(slot, max_draws, patience, remembered, members, votes, state, missing, totals)
        if state[slot]["draws"] == max_draws:
            _answer_mean(
                slot, row, low - offset, high - offset, sure_votes, prior, state, totals, scores,
                spent
            )  # fmt: skip
            return high
        m = _next_member(
            slot, stream, patience, sums, guide, remaining_sums, remembered, members, state, missing
        )  # fmt: skip
        s = members[m]["item_set"]
        if not affordable:
            total = total_for(
                slot, m, limits[low], members, sets, items, set_items, state, owned, missing,
                partials, spare
            )  # fmt: skip
            while limits[low] < total:
                _answer_mean(
                    slot, row, low - offset, low + 1 - offset, sure_votes, prior, state, totals,
                    scores, spent
                )  # fmt: skip
                low += 1
                if low == high:
                    return high
            state[slot]["fitting"] = members[m]["headroom"]
        scale = state[slot]["mass"] * members[m]["scale"]
        for k in range(len(prior)):
            vote = votes[m, k] * scale
            totals[slot, 0, k] += vote
            totals[slot, 1, k] += abs(vote)
        state[slot]["draws"] += 1
        bought = affordable and missing[slot, s] > 0
        if missing[slot, s] > 0:
            buy(slot, s, sets, items, set_items, item_sets, state, owned, missing, partials)


@njit(cache=True, nogil=True)
def draw_rows(
    seed, keys, place, first, last, shift, all_votes, sure_votes, prior, scores, spent, limits,
    max_draws, patience, affordable, sums, guide, member_bytes, set_bytes, item_bytes, set_items,
    item_sets, slot_bytes, owned_before, missing_before, partials_before, totals_before
):  # fmt: skip
    """Write scores and spend of rows that draw members until they cannot pay, or often enough.

    Parameters
    ----------
    seed, keys : uint64
        As in `scrimp.plans.components.counter_rng.uniforms`.
    place : int array (rows,)
        The position of each row in the answers.
    first, last : int arrays (rows,)
        The range of budgets of each row; each budget is a lane of the answers.
    shift : bool
        Whether the first budget of each row is lane 0 instead.
    all_votes : float array (members, outputs, rows)
        The votes of all members.
    sure_votes : float array (rows, outputs)
        Votes added to the mean of the draws.
    prior : float array (outputs,)
        The answer where votes cancel or are missing.
    scores, spent : float arrays (lanes, places, outputs), (lanes, places)
        Written to.
    limits : float array (budgets,)
        Upper bounds of the spend, ascending.
    max_draws : int
        Upper bound of the draws of a row.
    patience : int
        Consecutive tries that lead to sets left out before these leave the distribution.
    affordable : bool
        Whether sets that cannot be paid are left out; otherwise the first ends the draws.
    sums, guide : arrays
        Cumulative probabilities of the members, and their guide table.
    member_bytes, set_bytes, item_bytes, set_items, item_sets
        Members, item sets and items; see `scrimp.kernels.accounts`. Records are passed as bytes:
        Numba takes long to infer the type of an array of records at each call.
    slot_bytes, owned_before, missing_before, partials_before, totals_before
        The state of all rows before their first draw.
    """
    members, sets = member_bytes.view(MEMBER), set_bytes.view(SET)
    items, slot_before = item_bytes.view(ITEM), slot_bytes.view(SLOT)
    state, totals = np.zeros(2, SLOT), np.zeros((2, 2, len(prior)))
    owned, missing = np.empty((2, len(items)), np.bool_), np.empty((2, len(sets) + 1), np.int64)
    partials, spare = np.empty((2, PARTIALS)), np.empty(PARTIALS)
    remaining_sums, remembered = np.empty(len(members)), np.empty(REMEMBERED + 1, np.int64)
    tile = np.empty((_TILE, len(members), len(prior)))
    set_votes = np.empty((len(sets) + 1, 2, len(prior)))
    for i in range(len(keys)):
        copy_slot(0, slot_before, owned_before, missing_before, partials_before, totals_before,
                  state, owned, missing, partials, totals)  # fmt: skip
        remembered[REMEMBERED] = 0
        if i % _TILE == 0:
            _transpose_votes(all_votes, i, tile)
        votes = tile[i % _TILE]
        if affordable:
            _sum_votes_by_set(votes, members, set_votes)
        stream = stream_of(seed, keys[i])
        offset = first[i] if shift else 0
        slot, low = 0, first[i]
        while low < last[i]:
            # a budget in slot 1 has split off: it ends there
            high = last[i] if slot == 0 else low + 1
            after = _draw_until_split(
                slot, place[i], low, high, offset, stream, votes, set_votes, sure_votes[i], prior,
                scores, spent, limits, max_draws, patience, affordable, sums, guide,
                remaining_sums, remembered, members, sets, items, set_items, item_sets, state,
                owned, missing, partials, totals, spare
            )  # fmt: skip
            slot = 1 if slot == 0 and after < high else 0
            if slot == 1:
                copy_slot(1, state, owned, missing, partials, totals, state, owned, missing,
                          partials, totals)  # fmt: skip
            low = after
