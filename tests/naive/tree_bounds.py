"""Naive twin of the bounds of sums of trees: every leaf that some values could lead to, by hand."""

from __future__ import annotations

import math


def leaves_within_reach(trees, node, row, known, lacking):
    """The votes of all leaves that a row may end in; None for a tree that does not vote."""
    if node < 0:
        return [None]
    column = int(trees.column[node])
    if column < 0:
        return [trees.value[node].tolist()]
    sides = [int(side[node]) for side in (trees.left, trees.right, trees.missing)]
    if column in lacking:
        sides = sides[2:]
    elif column in known:
        x = float(row[column])
        sides = [sides[2] if math.isnan(x) else sides[0] if x <= trees.cut[node] else sides[1]]
    return [
        vote for side in sides for vote in leaves_within_reach(trees, side, row, known, lacking)
    ]


def bounds(trees, base, row, known, lacking=()):
    """The lowest and the highest sum per output, over all values of columns that are not known."""
    lower, upper = list(base), list(base)
    for root in trees.roots.tolist():
        votes = leaves_within_reach(trees, root, row, set(known), set(lacking))
        votes = [[0.0] * len(lower) if vote is None else vote for vote in votes]
        for k in range(len(lower)):
            lower[k] += min(vote[k] for vote in votes)
            upper[k] += max(vote[k] for vote in votes)
    return lower, upper
