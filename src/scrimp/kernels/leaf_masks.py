"""Bounds of sums of trees by the leaves that rows can still reach, as sets of bits.

The leaves of a tree are the bits of a word. A value of a column leaves some of them within reach,
whatever the other columns hold; those within reach of several values are the intersection. Words
for all values of a column, of which there are as many as the trees have cuts, are made once, as
in QuickScorer (Lucchese et al., SIGIR 2015). Votes are whole multiples of a unit, so that sums do
not depend on the order in which columns become known.
"""

from __future__ import annotations

import numpy as np
from llvmlite import ir
from numba import config, types
from numba.extending import intrinsic

from .copying import add_rows_to, copy_rows_to, copy_to
from .jit import njit

#: Bounds are clearly on one side of a threshold if they are further away, relative to the largest
#: number involved: twice as far as decisions need to be certain.
CLEARLY = 2e-9


def _lowest_bit(word):
    """Return the position of the lowest bit of a word that is set."""
    word = int(word)
    return (word & -word).bit_length() - 1


def _highest_bit(word):
    """Return the position of the highest bit of a word that is set."""
    return int(word).bit_length() - 1


if not getattr(config, "DISABLE_JIT"):  # noqa: B009 - Numba sets its options at import
    # one instruction each

    @intrinsic
    def _lowest_bit(typing_context, word):
        def generate(context, builder, signature, arguments):
            return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 1))

        return types.int64(types.uint64), generate

    @intrinsic
    def _highest_bit(typing_context, word):
        def generate(context, builder, signature, arguments):
            zeros = builder.ctlz(arguments[0], ir.Constant(ir.IntType(1), 1))
            return builder.sub(ir.Constant(ir.IntType(64), 63), zeros)

        return types.int64(types.uint64), generate


@njit(cache=True, nogil=True)
def _leaves_within_reach(links, cut, root, end, bit, column, goes_to, within):
    """Return the leaves of one tree within reach, where one column is known.

    `goes_to` is the largest cut that sends the value of the column to the right, or NaN if the
    value is missing.
    """
    one = np.uint64(1)
    for node in range(end - 1, root - 1, -1):
        if links[node, 0] < 0:
            within[node] = one << np.uint64(bit[node])
            continue
        taken = 0
        if links[node, 0] == column:
            taken = 3 if goes_to != goes_to else (2 if cut[node] <= goes_to else 1)
        word = np.uint64(0)
        for side in range(1, 4):
            if taken == 0 or taken == side:
                child = links[node, side]
                word |= within[child] if child >= 0 else one << np.uint64(bit[node])
        within[node] = word
    return within[root]


@njit(cache=True, nogil=True)
def write_leaf_masks(
    links, cut, ends, bit, first_cut, cuts, first_pair, tree_of, first_mask, masks,
    everything
):  # fmt: skip
    """Write the leaves of each tree that each value of each column leaves within reach.

    Parameters
    ----------
    links : int array (nodes, 4)
        The column and the next nodes (left, right, missing) of each node.
    cut : float array (nodes,)
        The largest value that goes left.
    ends : int array (trees + 1,)
        The nodes of a tree are those from one end to before the next, parents first.
    bit : int array (nodes,)
        The bit of each leaf, and of missing values that lead nowhere from a node.
    first_cut, cuts, first_pair, tree_of, first_mask
        As in `write_leaf_bounds`.
    masks : uint64 array
        Written to: for each column (cuts + 2, trees) the leaves of values up to each cut, of
        larger ones, and of missing ones.
    everything : uint64 array (trees,)
        Written to: the leaves within reach where nothing is known.
    """
    within = np.empty(len(links), np.uint64)
    for t in range(len(ends) - 1):
        everything[t] = _leaves_within_reach(links, cut, ends[t], ends[t + 1], bit, -2, 0.0, within)
    for c in range(len(first_cut) - 1):
        column_cuts = cuts[first_cut[c] : first_cut[c + 1]]
        n_cuts, n_pairs = len(column_cuts), first_pair[c + 1] - first_pair[c]
        is_tested = np.empty(n_cuts, np.bool_)
        for p in range(n_pairs):
            t = tree_of[first_pair[c] + p]
            is_tested[:] = False
            for node in range(ends[t], ends[t + 1]):
                if links[node, 0] == c:
                    is_tested[np.searchsorted(column_cuts, cut[node])] = True
            word = np.uint64(0)
            for place in range(n_cuts + 2):
                if place == 0 or place > n_cuts or is_tested[place - 1]:
                    goes_to = -np.inf if place == 0 else np.nan
                    if 0 < place <= n_cuts:
                        goes_to = column_cuts[place - 1]
                    word = _leaves_within_reach(
                        links, cut, ends[t], ends[t + 1], bit, c, goes_to, within
                    )
                masks[first_mask[c] + place * n_pairs + p] = word


@njit(cache=True, nogil=True)
def _place_of(x, cuts, start, end):
    """Return the place of the masks of x: that of the first cut that it is not above."""
    if x != x:
        return end - start + 1
    low, n = start, end - start
    while n > 0:
        half = n // 2
        if cuts[low + half] < x:
            low += half + 1
            n -= half + 1
        else:
            n = half
    return low - start


@njit(cache=True, nogil=True)
def write_leaf_bounds(
    lower, upper, X, rows, columns, lacking, ends, base, threshold, unit, first_cut, cuts,
    first_pair, tree_of, first_mask, masks, everything, values
):  # fmt: skip
    """Write bounds of the sums of all trees as more and more columns are known, for one output.

    Parameters
    ----------
    lower, upper : float arrays (steps, rows, 1)
        Written to.
    X, rows : arrays
        The values of row i are in ``X[rows[i]]``.
    columns : int array (columns known at last,)
        Columns of X in the order in which they become known.
    lacking : bool array (columns known at last,)
        Columns that are known to be missing, whatever X holds.
    ends : int array (steps,)
        How many of the columns are known at each step.
    base : float array (1,)
        The sum before the first tree.
    threshold : float
        A row whose bounds are clearly on one side of this number keeps them at later steps; NaN
        for none.
    unit : float
        What a vote of 1 in `values` stands for.
    first_cut, cuts, first_pair, tree_of, first_mask, masks
        For each column of X its cuts, the trees that test it, and the masks of
        `write_leaf_masks` (cuts + 2, trees): concatenated, and where those of a column begin.
    everything : uint64 array (trees,)
        All leaves of each tree.
    values : int64 array (trees, leaves, 1)
        The votes of the leaves of each tree, ascending.
    """
    n_trees = len(everything)
    word, left = np.empty(n_trees, np.uint64), np.empty(n_trees, np.int64)
    right, first_left, first_right = np.empty_like(left), np.empty_like(left), np.empty_like(left)
    votes = values[:, :, 0]
    total_low, total_high = np.int64(0), np.int64(0)
    for t in range(n_trees):
        first_left[t] = votes[t, _lowest_bit(everything[t])]
        first_right[t] = votes[t, _highest_bit(everything[t])]
        total_low += first_left[t]
        total_high += first_right[t]
    for i in range(len(rows)):
        copy_to(word, everything)
        copy_to(left, first_left)
        copy_to(right, first_right)
        sum_low, sum_high, known, is_clear = total_low, total_high, 0, False
        for step in range(len(ends)):
            while known < ends[step] and not is_clear:
                c = columns[known]
                x = np.nan if lacking[known] else np.float64(X[rows[i], c])
                place = _place_of(x, cuts, first_cut[c], first_cut[c + 1])
                n_pairs = first_pair[c + 1] - first_pair[c]
                within = masks[first_mask[c] + place * n_pairs :]
                testing = tree_of[first_pair[c] :]
                for p in range(n_pairs):
                    tree = np.uint64(testing[p])  # without a sign there is no test for it
                    reached = word[tree] & within[p]
                    word[tree] = reached
                    lowest = votes[tree, np.uint64(_lowest_bit(reached))]
                    highest = votes[tree, np.uint64(_highest_bit(reached))]
                    sum_low += lowest - left[tree]
                    sum_high += highest - right[tree]
                    left[tree], right[tree] = lowest, highest
                known += 1
            # each vote was rounded by half a unit at most
            low = base[0] + (sum_low - n_trees) * unit
            high = base[0] + (sum_high + n_trees) * unit
            lower[step, i, 0], upper[step, i, 0] = low, high
            if not is_clear:
                margin = CLEARLY * max(abs(low), abs(high), abs(threshold))
                is_clear = low > threshold + margin or high < threshold - margin


@njit(cache=True, nogil=True)
def write_leaf_bounds_of_classes(
    lower, upper, X, rows, columns, lacking, ends, base, threshold, unit, first_cut, cuts,
    first_pair, tree_of, first_mask, masks, everything, values
):  # fmt: skip
    """Write bounds as `write_leaf_bounds` does, for several outputs, without a threshold.

    The leaves of `values` (trees, leaves, outputs) may then be in any order.
    """
    n_trees, outputs = len(everything), values.shape[2]
    word = np.empty(n_trees, np.uint64)
    low, high = np.empty((n_trees, outputs), np.int64), np.empty((n_trees, outputs), np.int64)
    first_low, first_high = np.empty_like(low), np.empty_like(high)
    for t in range(n_trees):
        _range_of(everything[t], values[t], first_low[t], first_high[t])
    total_low, total_high = np.zeros(outputs, np.int64), np.zeros(outputs, np.int64)
    add_rows_to(total_low, first_low)
    add_rows_to(total_high, first_high)
    new_low, new_high = np.empty(outputs, np.int64), np.empty(outputs, np.int64)
    sum_low, sum_high = np.empty(outputs, np.int64), np.empty(outputs, np.int64)
    for i in range(len(rows)):
        copy_to(word, everything)
        copy_rows_to(low, first_low)
        copy_rows_to(high, first_high)
        copy_to(sum_low, total_low)
        copy_to(sum_high, total_high)
        known = 0
        for step in range(len(ends)):
            while known < ends[step]:
                c = columns[known]
                x = np.nan if lacking[known] else np.float64(X[rows[i], c])
                place = _place_of(x, cuts, first_cut[c], first_cut[c + 1])
                n_pairs = first_pair[c + 1] - first_pair[c]
                for p in range(n_pairs):
                    t = tree_of[first_pair[c] + p]
                    reached = word[t] & masks[first_mask[c] + place * n_pairs + p]
                    if reached == word[t]:
                        continue
                    word[t] = reached
                    _range_of(reached, values[t], new_low, new_high)
                    for k in range(outputs):
                        sum_low[k] += new_low[k] - low[t, k]
                        sum_high[k] += new_high[k] - high[t, k]
                        low[t, k], high[t, k] = new_low[k], new_high[k]
                known += 1
            for k in range(outputs):
                lower[step, i, k] = base[k] + (sum_low[k] - n_trees) * unit
                upper[step, i, k] = base[k] + (sum_high[k] + n_trees) * unit


@njit(cache=True, nogil=True)
def _range_of(word, values, low, high):
    """Write the smallest and the largest value of the leaves in a word, for each output."""
    one = np.uint64(1)
    first = _lowest_bit(word)
    copy_to(low, values[first])
    copy_to(high, values[first])
    word &= word - one
    while word:
        leaf = _lowest_bit(word)
        for k in range(len(low)):
            low[k] = min(low[k], values[leaf, k])
            high[k] = max(high[k], values[leaf, k])
        word &= word - one
