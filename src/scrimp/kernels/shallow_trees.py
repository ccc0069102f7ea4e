"""Exact search for the best tree of depth two, by the sums of rows that pass pairs of tests.

From the sums of all pairs of tests follow those of the four leaves of every tree of depth two, so
that no row is looked at twice (Demirovic et al. 2022). The cost of a leaf is the squared error of
its rows; a test costs a constant, and its price for each row that comes to it.

References
----------
Demirovic, Lukina, Hebrard, Chan, Bailey, Leckie, Ramamohanarao, Stuckey. MurTree: Optimal Decision
Trees via Dynamic Programming and Search. JMLR 23, 2022. Van der Linden, de Weerdt, Demirovic.
Necessary and Sufficient Conditions for Optimal Decision Trees using Dynamic Programming (STreeD).
NeurIPS 2023.
"""

from __future__ import annotations

import numpy as np

from .jit import njit


@njit(cache=True, nogil=True)
def pair_sums(starts, passed, rows, statistics, out):
    """Add the statistics of rows to all pairs of tests that they pass, the first not the larger.

    Parameters
    ----------
    starts, passed : int arrays
        The tests that row r passes are ``passed[starts[r]:starts[r + 1]]``, ascending.
    rows : int array
        What is summed.
    statistics : float array (rows, 2 + targets + 1)
        1, the weight, the weighted targets, and the weighted squares of targets.
    out : float array (tests, tests, statistics)
        Added to.
    """
    for i in range(len(rows)):
        r = rows[i]
        row = statistics[r]
        for a in range(starts[r], starts[r + 1]):
            sums = out[passed[a]]
            for b in range(a, starts[r + 1]):
                cell = sums[passed[b]]
                for k in range(len(row)):
                    cell[k] += row[k]


@njit(cache=True, nogil=True)
def leaf_cost(sums, less, sign, least):
    """Return the squared error of rows: of ``sums - less`` if sign is -1, else of ``less``.

    It is infinite where there are fewer rows than `least`.
    """
    last = len(sums) - 1
    count = less[0] if sign > 0 else sums[0] - less[0]
    if count < least:
        return np.inf
    weight = less[1] if sign > 0 else sums[1] - less[1]
    explained = 0.0
    for k in range(2, last):
        part = less[k] if sign > 0 else sums[k] - less[k]
        explained += part * part
    squares = less[last] if sign > 0 else sums[last] - less[last]
    return max(squares - explained / weight, 0.0)


@njit(cache=True, nogil=True)
def best_of_depth_two(pairs, total, item, first, then, rest, least, per_test, per_price):
    """Return the least cost of a tree of depth up to two, its root and its two other tests.

    Parameters
    ----------
    pairs : float array (tests, tests, statistics)
        As `pair_sums` has them.
    total : float array (statistics,)
        The sums over all rows.
    item : int array (tests,)
        The item of each test.
    first : float array (items,)
        What each item costs at the root.
    then : float array (items, items)
        What the second item costs once the first is bought.
    rest : float
        The most that a path may cost.
    least : float
        The fewest rows in a leaf.
    per_test, per_price : float
        What a test costs, and what a unit of price costs for each unit of weight.

    Returns
    -------
    (cost, root, inside, outside)
        The tests, -1 for none.
    """
    n = len(item)
    best, root, best_in, best_out = leaf_cost(total, total, 1, least), -1, -1, -1
    rest_out = np.zeros(len(total))
    for i in range(n):
        price = first[item[i]]
        inside = pairs[i, i]
        if price > rest or inside[0] < least or total[0] - inside[0] < least:
            continue
        outside = total - inside
        base = per_test + per_price * price * total[1]
        cost_in, cost_out = (
            leaf_cost(inside, inside, 1, least),
            leaf_cost(outside, outside, 1, least),
        )
        at_in, at_out = -1, -1
        for j in range(n):
            second = then[item[i], item[j]]
            if j == i or price + second > rest:
                continue
            both = pairs[i, j] if i < j else pairs[j, i]
            cost = per_test + per_price * second * inside[1]
            if cost < cost_in:
                cost += leaf_cost(inside, both, 1, least) + leaf_cost(inside, both, -1, least)
                if cost < cost_in:
                    cost_in, at_in = cost, j
            cost = per_test + per_price * second * outside[1]
            if cost < cost_out:
                for k in range(len(total)):
                    rest_out[k] = pairs[j, j, k] - both[k]
                cost += leaf_cost(outside, rest_out, 1, least)
                cost += leaf_cost(outside, rest_out, -1, least)
                if cost < cost_out:
                    cost_out, at_out = cost, j
        if base + cost_in + cost_out < best:
            best, root, best_in, best_out = base + cost_in + cost_out, i, at_in, at_out
    return best, root, best_in, best_out
