"""Votes of stumps and trees on rows, added up or written out.

Rows are added up in blocks. A block's values of a column are gathered once, and all stumps on it
run over contiguous memory without branches, so that the compiler can vectorise them. Votes that
are written out (members x outputs x rows) include those that a row cannot pay, which are never
used: a vote takes less time than the test whether it is paid.
"""

from __future__ import annotations

import numpy as np

from .copying import copy_rows_to, copy_to
from .jit import njit, njit_inline

#: Rows whose sums are updated together: their values of some columns fit the first-level cache.
_BLOCK = 512
#: Rows that go through a tree before the next tree: the nodes stay in the cache meanwhile.
_TREE_BLOCK = 4096


@njit(cache=True, nogil=True)
def _gather(X, rows, start, column, values):
    for i in range(min(_BLOCK, len(rows) - start)):
        values[i] = X[rows[start + i], column]


@njit(cache=True, nogil=True)
def _stump_vote(values, low, high, inside, outside, missing, votes):
    """Write the votes of one stump, without branches that the processor would mispredict."""
    for i in range(len(values)):
        x = values[i]
        vote = inside if (x >= low) & (x <= high) else outside
        votes[i] = vote if x == x else missing


@njit(cache=True, nogil=True)
def _answer(totals, base, prior, out):
    """Write the sums of a block of rows, or the prior where they still equal the base."""
    for i in range(out.shape[0]):
        moved = False
        for k in range(out.shape[1]):
            out[i, k] = totals[k, i]
            moved = moved or totals[k, i] != base[k]
        if not moved:
            copy_to(out[i], prior)


@njit(cache=True, nogil=True)
def add_stumps(
    sums, stumps, slots, X, rows, counts, base, prior, out, column, low, high, inside, outside,
    missing
):  # fmt: skip
    """Add votes to sums, stumps in their order, and write the answers after some of them.

    Parameters
    ----------
    sums : float array (rows, outputs)
        Changed in place.
    stumps, slots : int arrays
        The stumps to add; those that share a column share a slot 0, 1, ...
    X, rows
        The values are in ``X[rows]``.
    counts : int array, ascending
        Numbers of stumps after which answers are written.
    out : float array (len(counts), rows, outputs)
        The answers: the sums, or `prior` where they equal `base`.
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
        copy_rows_to(totals[:, : stop - start], sums[start:stop].T)
        seen[:] = False
        noted = 0
        for t in range(len(stumps) + 1):
            while noted < len(counts) and counts[noted] == t:
                _answer(totals, base, prior, out[noted, start:stop])
                noted += 1
            if t == len(stumps):
                break
            s, slot_values = stumps[t], values[slots[t]]
            if not seen[slots[t]]:
                _gather(X, rows, start, column[s], slot_values)
                seen[slots[t]] = True
            for k in range(n_outputs):
                _stump_vote(
                    slot_values, low[s], high[s], inside[s, k], outside[s, k], missing[s, k], votes
                )
                total = totals[k]
                for i in range(_BLOCK):
                    total[i] += votes[i]
        copy_rows_to(sums[start:stop], totals[:, : stop - start].T)


@njit(cache=True, nogil=True)
def stump_votes(X, rows, members, votes, column, low, high, inside, outside, missing):
    """Write the votes of some stumps; see `scrimp.plans.components.stumps.StumpTable`."""
    slot_of, n_slots = np.full(X.shape[1], -1), 0
    for s in members:
        if slot_of[column[s]] < 0:
            slot_of[column[s]] = n_slots
            n_slots += 1
    values, seen = np.empty((n_slots, len(rows))), np.zeros(n_slots, np.bool_)
    for m in range(len(members)):
        s = members[m]
        slot = slot_of[column[s]]
        if not seen[slot]:
            seen[slot] = True
            for i in range(len(rows)):
                values[slot, i] = X[rows[i], column[s]]
        for k in range(inside.shape[1]):
            _stump_vote(
                values[slot], low[s], high[s], inside[s, k], outside[s, k], missing[s, k],
                votes[m, k]
            )  # fmt: skip


@njit(cache=True, nogil=True)
def tree_votes(X, rows, members, votes, roots, column, cut, left, right, missing, value):
    """Write the votes of some trees; see `scrimp.plans.components.tree_table.TreeTable`."""
    for m in range(len(members)):
        for i in range(len(rows)):
            node = roots[members[m]]
            while node >= 0 and column[node] >= 0:
                x = X[rows[i], column[node]]
                side = left[node] if x <= cut[node] else right[node]
                node = side if x == x else missing[node]
            for k in range(value.shape[1]):
                votes[m, k, i] = value[node, k] if node >= 0 else 0.0


@njit_inline
def _child(x, node, cut, links):
    """Return the node that a value leads to, -1 for none."""
    side = 1 if x <= cut[node] else 2
    return np.int64(links[node, side if x == x else 3])


@njit_inline
def _column(node, links):
    """Return the column that a node tests; -1 at a leaf, and where there is no node."""
    return links[node, 0] if node >= 0 else -1


@njit_inline
def _add_vote(scores, i, node, value):
    if node >= 0:
        for k in range(value.shape[1]):
            scores[i, k] += value[node, k]


@njit(cache=True, nogil=True)
def add_tree_votes(scores, X, rows, roots, cut, links, value):
    """Add the votes of all trees to the scores of each row; see `TreeTable`.

    `links` holds the column and the next nodes (left, right, missing) of each node together, so
    that a step reads few cache lines. Four rows go down a tree side by side, as each step of one
    row must wait for the step before.
    """
    for start in range(0, len(rows), _TREE_BLOCK):
        stop = min(start + _TREE_BLOCK, len(rows))
        in_fours = stop - (stop - start) % 4
        for root in roots:
            first = links[root, 0]
            for i in range(start, in_fours, 4):
                a = b = c = d = np.int64(root)
                of_a = of_b = of_c = of_d = first
                while (of_a >= 0) | (of_b >= 0) | (of_c >= 0) | (of_d >= 0):
                    if of_a >= 0:
                        a = _child(X[rows[i], of_a], a, cut, links)
                        of_a = _column(a, links)
                    if of_b >= 0:
                        b = _child(X[rows[i + 1], of_b], b, cut, links)
                        of_b = _column(b, links)
                    if of_c >= 0:
                        c = _child(X[rows[i + 2], of_c], c, cut, links)
                        of_c = _column(c, links)
                    if of_d >= 0:
                        d = _child(X[rows[i + 3], of_d], d, cut, links)
                        of_d = _column(d, links)
                _add_vote(scores, i, a, value)
                _add_vote(scores, i + 1, b, value)
                _add_vote(scores, i + 2, c, value)
                _add_vote(scores, i + 3, d, value)
            for i in range(in_fours, stop):
                node, column = np.int64(root), first
                while column >= 0:
                    node = _child(X[rows[i], column], node, cut, links)
                    column = _column(node, links)
                _add_vote(scores, i, node, value)


@njit(cache=True, nogil=True)
def add_tree_ranges(
    lower, upper, X, rows, is_known, is_lacking, roots, cut, links, value, lowest, highest
):  # fmt: skip
    """Add the smallest and the largest vote that each tree can still give to the bounds of rows.

    Parameters
    ----------
    lower, upper : float arrays (rows, outputs)
        Added to.
    is_known : bool array (columns of X,)
        The columns whose values are known; others may hold anything, or be missing.
    is_lacking : bool array (columns of X,)
        Known columns that are missing, whatever X holds.
    roots, cut, links, value
        As in `add_tree_votes`.
    lowest, highest : float arrays (nodes, outputs)
        The smallest and the largest vote of the leaves under each node under which no known
        column is tested; NaN at others.
    """
    stack, outputs = np.empty(len(links), np.int64), value.shape[1]
    low, high = np.empty(outputs), np.empty(outputs)
    for start in range(0, len(rows), _TREE_BLOCK):
        for root in roots:
            for i in range(start, min(start + _TREE_BLOCK, len(rows))):
                values = X[rows[i]]
                low[:], high[:] = np.inf, -np.inf
                stack[0], depth = root, 1
                while depth > 0:
                    depth -= 1
                    node = stack[depth]
                    while node >= 0 and lowest[node, 0] != lowest[node, 0]:
                        column = links[node, 0]
                        if is_known[column]:
                            x = np.nan if is_lacking[column] else np.float64(values[column])
                            side = 1 if x <= cut[node] else 2
                            node = np.int64(links[node, side if x == x else 3])
                            continue
                        stack[depth] = np.int64(links[node, 2])
                        depth += 1
                        if links[node, 3] != links[node, 1] and links[node, 3] != links[node, 2]:
                            stack[depth] = np.int64(links[node, 3])
                            depth += 1
                        node = np.int64(links[node, 1])
                    for k in range(outputs):
                        low[k] = min(low[k], lowest[node, k] if node >= 0 else 0.0)
                        high[k] = max(high[k], highest[node, k] if node >= 0 else 0.0)
                for k in range(outputs):
                    lower[i, k] += low[k]
                    upper[i, k] += high[k]


@njit(cache=True, nogil=True)
def subtree_ranges(is_known, links, value, lowest, highest):
    """Write the range of the leaves under each node, NaN where a known column is tested below."""
    for node in range(len(links) - 1, -1, -1):
        column = links[node, 0]
        if column < 0:
            copy_to(lowest[node], value[node])
            copy_to(highest[node], value[node])
            continue
        lowest[node], highest[node] = np.inf, -np.inf
        for side in range(1, 4):
            child = links[node, side]
            for k in range(value.shape[1]):
                low = lowest[child, k] if child >= 0 else 0.0
                high = highest[child, k] if child >= 0 else 0.0
                if is_known[column] or low != low:
                    low, high = np.nan, np.nan
                # a NaN stays, whatever it is compared with
                if lowest[node, k] == lowest[node, k] and not lowest[node, k] < low:
                    lowest[node, k] = low
                if highest[node, k] == highest[node, k] and not highest[node, k] > high:
                    highest[node, k] = high


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
        copy_to(sums, base)
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
            copy_to(sums, prior)
