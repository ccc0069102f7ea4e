"""Adding the votes of stumps to the scores of rows.

Rows are taken in blocks. A block's values of a column are gathered once, and all stumps
on it run over contiguous memory without branches, so that the compiler can vectorise them.
"""

from __future__ import annotations

import numpy as np
from numba import njit

_BLOCK = 512


@njit(cache=True, nogil=True)
def _gather(X, rows, start, column, values):
    for i in range(min(_BLOCK, len(rows) - start)):
        values[i] = X[rows[start + i], column]


@njit(cache=True, nogil=True)
def _vote(values, low, high, inside, outside, missing, votes):
    """The votes of one stump; which way a row goes cannot be foreseen, so do not branch."""
    for i in range(len(values)):
        x = values[i]
        vote = inside if (x >= low) & (x <= high) else outside
        votes[i] = vote if x == x else missing


@njit(cache=True, nogil=True)
def _answer(totals, base, prior, out):
    """The sums of a block of rows; the prior where they are still where they began."""
    for i in range(out.shape[0]):
        moved = False
        for k in range(out.shape[1]):
            out[i, k] = totals[k, i]
            moved = moved or totals[k, i] != base[k]
        if not moved:
            out[i] = prior


@njit(cache=True, nogil=True)
def add_stumps(
    sums, stumps, slots, X, rows, counts, base, prior, out, column, low, high, inside, outside,
    missing
):  # fmt: skip
    """Add votes to sums, stumps in their order, and note the answers after some of them.

    Parameters
    ----------
    sums : float array (rows, outputs)
        Changed in place.
    stumps, slots : int arrays
        Which stumps to add; those that share a column share a slot 0, 1, ...
    X, rows
        The values are in ``X[rows]``.
    counts : int array, ascending
        After so many of the stumps ...
    out : float array (len(counts), rows, outputs)
        ... the sums are copied here, or `prior` where they equal `base`.
    base, prior : float arrays (outputs,)
        See `out`.
    column, low, high, inside, outside, missing
        The table of stumps.
    """
    n, n_outputs = sums.shape
    n_slots = slots.max() + 1 if len(slots) else 0
    values, seen = np.empty((n_slots, _BLOCK)), np.empty(n_slots, np.bool_)
    totals, votes = np.empty((n_outputs, _BLOCK)), np.empty(_BLOCK)
    for start in range(0, n, _BLOCK):
        stop = min(start + _BLOCK, n)
        totals[:, : stop - start] = sums[start:stop].T
        seen[:] = False
        noted = 0
        for t in range(len(stumps) + 1):
            while noted < len(counts) and counts[noted] == t:
                _answer(totals, base, prior, out[noted, start:stop])
                noted += 1
            if t == len(stumps):
                break
            s, own = stumps[t], values[slots[t]]
            if not seen[slots[t]]:
                _gather(X, rows, start, column[s], own)
                seen[slots[t]] = True
            for k in range(n_outputs):
                _vote(own, low[s], high[s], inside[s, k], outside[s, k], missing[s, k], votes)
                total = totals[k]
                for i in range(_BLOCK):
                    total[i] += votes[i]
        sums[start:stop] = totals[:, : stop - start].T


@njit(cache=True, nogil=True)
def add_stumps_to_lanes(
    lanes, stumps, slots, takes, X, rows, base, prior, column, low, high, inside, outside, missing
):
    """Add each stump to those of several sums that take it, with one look at the values.

    Parameters
    ----------
    lanes : float array (lanes, rows, outputs)
        Changed in place, from sums to answers: `prior` where they equal `base`.
    takes : bool array (lanes, len(stumps))
        Which lanes add which stump.
    """
    n_lanes, n, n_outputs = lanes.shape
    n_slots = slots.max() + 1 if len(slots) else 0
    values, seen = np.empty((n_slots, _BLOCK)), np.empty(n_slots, np.bool_)
    totals, votes = np.empty((n_lanes, n_outputs, _BLOCK)), np.empty(_BLOCK)
    for start in range(0, n, _BLOCK):
        stop = min(start + _BLOCK, n)
        for lane in range(n_lanes):
            totals[lane, :, : stop - start] = lanes[lane, start:stop].T
        seen[:] = False
        for t in range(len(stumps)):
            s, own = stumps[t], values[slots[t]]
            if not seen[slots[t]]:
                _gather(X, rows, start, column[s], own)
                seen[slots[t]] = True
            for k in range(n_outputs):
                _vote(own, low[s], high[s], inside[s, k], outside[s, k], missing[s, k], votes)
                for lane in range(n_lanes):
                    if takes[lane, t]:
                        total = totals[lane, k]
                        for i in range(_BLOCK):
                            total[i] += votes[i]
        for lane in range(n_lanes):
            _answer(totals[lane], base, prior, lanes[lane, start:stop])


@njit(cache=True, nogil=True)
def answer_rows(X, rows, base, prior, out, column, low, high, inside, outside, missing):
    """Write the answers of a few rows, for which gathering columns is not worth its while.

    Parameters
    ----------
    X, rows
        The values are in ``X[rows]``.
    base, prior : float arrays (outputs,)
        Where the sums start, and the answer where no vote moved them.
    out : float array (rows, outputs)
        Written to.
    column, low, high, inside, outside, missing : arrays
        The stumps in the order of their votes.
    """
    for i in range(len(rows)):
        row, sums = X[rows[i]], out[i]
        sums[:] = base
        for s in range(len(column)):
            x = np.float64(row[column[s]])
            vote = inside[s] if (x >= low[s]) & (x <= high[s]) else outside[s]
            if x != x:
                vote = missing[s]
            for k in range(len(sums)):
                sums[k] += vote[k]
        moved = False
        for k in range(len(sums)):
            moved = moved or sums[k] != base[k]
        if not moved:
            sums[:] = prior
