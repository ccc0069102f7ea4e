"""The votes of all members of an ensemble on rows (members x outputs x rows).

Rows differ in what they have bought, but a vote is cheaper to work out than to ask for:
votes that a row cannot pay are worked out too, and never looked at.
"""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def _stump_vote(values, low, high, inside, outside, missing, votes):
    """The votes of one stump; which way a row goes cannot be foreseen, so do not branch."""
    for i in range(len(values)):
        x = values[i]
        vote = inside if (x >= low) & (x <= high) else outside
        votes[i] = vote if x == x else missing


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


#: Rows that go through a tree together, while it is near the processor.
_TOGETHER = 4096


@njit(cache=True, nogil=True)
def add_tree_votes(scores, X, rows, roots, cut, links, value):
    """Add to each row's scores the votes of all trees; see `TreeTable`.

    `links` has the column and the next nodes (left, right, missing) of each node together, so
    that a step looks at few places in memory.
    """
    for start in range(0, len(rows), _TOGETHER):
        for root in roots:
            for i in range(start, min(start + _TOGETHER, len(rows))):
                values, node = X[rows[i]], np.int64(root)
                column = links[node, 0]
                while column >= 0:
                    x = values[column]
                    side = 1 if x <= cut[node] else 2
                    node = np.int64(links[node, side if x == x else 3])
                    column = links[node, 0] if node >= 0 else -1
                if node >= 0:
                    for k in range(value.shape[1]):
                        scores[i, k] += value[node, k]
