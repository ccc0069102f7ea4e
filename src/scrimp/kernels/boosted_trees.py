"""Gradient boosting of small trees in one compiled loop, for many trainings on one binned table.

Histograms, splits and losses are those of `tree_histograms` and `tree_losses`, as in
`learners.boosting`. There a tree is grown level by level and may pay for its splits; here the
leaf of the largest gain is split next, and nothing is left to Python, so that a training on few
rows takes little more than its sums, and several run in threads.
"""

from __future__ import annotations

import numpy as np

from .copying import copy_multiple_to, copy_rows_to, copy_to, subtract_from
from .jit import njit
from .packed_gradients import find_cuts, pack, split_targets
from .tree_histograms import MISSING, N_BINS, add_histograms, bins_of_cut, partition_rows
from .tree_losses import SQUARED, add_leaf_sums, add_step, mean_loss, write_gradients

#: Boosting ends when the sum of squared gradients is this part of the first: the rest is rounding.
NO_ENERGY = 1e-20


@njit(cache=True, nogil=True)
def sum_of_squares(gradient, rows):
    """Return the sum of squared gradients of some rows."""
    total = 0.0
    for r in rows:
        for k in range(gradient.shape[1]):
            total += gradient[r, k] * gradient[r, k]
    return total


@njit(cache=True, nogil=True)
def find_split(hist, n_bins, options, words, split):
    """Write the best split of a leaf: gain, column, last bin that goes left, side of missing."""
    gains, cuts = np.empty(len(n_bins)), np.empty(len(n_bins), np.int64)
    sides = np.empty(len(n_bins), np.int8)
    find_cuts(hist, n_bins, options, words, gains, cuts, sides)
    best = gains.argmax()
    split[0], split[1], split[2], split[3] = gains[best], best, cuts[best], sides[best]
    if not gains[best] > 0:
        split[0], split[1] = -np.inf, -1


@njit(cache=True, nogil=True)
def clear(hist, n_bins):
    """Set the histograms of columns to 0; only bins that occur are touched."""
    for c in range(len(n_bins)):
        hist[c, : n_bins[c]] = 0
        hist[c, MISSING] = 0


@njit(cache=True, nogil=True)
def subtract(hist, part, n_bins):
    """Take the histograms of a part of the rows from those of all."""
    for c in range(len(n_bins)):
        for b in range(n_bins[c]):
            for w in range(hist.shape[2]):
                hist[c, b, w] -= part[c, b, w]
        subtract_from(hist[c, MISSING], part[c, MISSING])


@njit(cache=True, nogil=True)
def leaf_histogram(bins, columns, n_bins, rows, packed, place, gathered, hist):
    """Write the histograms of a leaf; `place` has the position of a row in `packed`."""
    for i in range(len(rows)):
        for w in range(packed.shape[1]):
            gathered[i, w] = packed[place[rows[i]], w]
    clear(hist, n_bins)
    add_histograms(bins, columns, rows, gathered[: len(rows)], hist)


@njit(cache=True, nogil=True)
def grow_tree(
    bins, columns, n_bins, packed, place, rows, held_out, max_leaves, options, hist, spans,
    buffer, gathered, tree
):  # fmt: skip
    """Grow one tree, best first; return the number of leaves.

    Rows and held-out rows are put in the order of the leaves. `spans` (leaves, 4) receives where
    the rows and held-out rows of each leaf begin and end. `tree` (2 leaves - 1, 5) receives for
    each node the column, the last bin that goes left, whether missing values do, the left child
    (the right one is next to it), and the leaf; the column is -1 at a leaf.
    """
    n_words, node_of = packed.shape[1], np.zeros(max_leaves, np.int64)
    words = np.zeros((max_leaves, n_words), np.int64)
    split, goes_left = np.zeros((max_leaves, 4)), np.empty(N_BINS, np.bool_)
    slot, n_leaves, n_nodes = np.zeros(max_leaves, np.int64), 1, 1
    spans[0, 0], spans[0, 1], spans[0, 2], spans[0, 3] = 0, len(rows), 0, len(held_out)
    tree[:] = -1
    tree[0, 4] = 0
    for i in range(len(packed)):
        for w in range(n_words):
            words[0, w] += packed[i, w]
    leaf_histogram(bins, columns, n_bins, rows, packed, place, gathered, hist[0])
    find_split(hist[0], n_bins, options, words[0], split[0])
    while n_leaves < max_leaves:
        leaf, new = split[:n_leaves, 0].argmax(), n_leaves
        c, last_bin, missing_left = int(split[leaf, 1]), int(split[leaf, 2]), int(split[leaf, 3])
        if c < 0:
            break
        n_leaves += 1
        sums = hist[slot[leaf]]
        bins_of_cut(sums[c], n_bins[c], False, last_bin, missing_left, options, goes_left)
        copy_to(words[new], words[leaf])
        copy_multiple_to(words[leaf], missing_left, sums[c, MISSING])
        for b in range(last_bin + 1):
            for w in range(n_words):
                words[leaf, w] += sums[c, b, w]
        subtract_from(words[new], words[leaf])
        copy_to(spans[new], spans[leaf])
        for side, order in ((0, rows), (2, held_out)):
            begin, end = spans[leaf, side], spans[leaf, side + 1]
            n = partition_rows(order[begin:end], bins[columns[c]], goes_left, buffer)
            spans[leaf, side + 1] = spans[new, side] = begin + n
        for field, entry in enumerate((c, last_bin, missing_left, n_nodes, -1)):
            tree[node_of[leaf], field] = entry
        node_of[leaf], node_of[new] = n_nodes, n_nodes + 1
        tree[n_nodes, 4], tree[n_nodes + 1, 4] = leaf, new
        n_nodes += 2
        if n_leaves == max_leaves:
            break
        is_smaller = spans[leaf, 1] - spans[leaf, 0] <= spans[new, 1] - spans[new, 0]
        small, large = (leaf, new) if is_smaller else (new, leaf)
        if small == leaf:  # the histograms of the parent become those of the larger child
            slot[leaf], slot[new] = new, slot[leaf]
        else:
            slot[new] = new
        part = rows[spans[small, 0] : spans[small, 1]]
        ours, others = hist[slot[small]], hist[slot[large]]
        leaf_histogram(bins, columns, n_bins, part, packed, place, gathered, ours)
        subtract(others, ours, n_bins)
        find_split(hist[slot[leaf]], n_bins, options, words[leaf], split[leaf])
        find_split(hist[slot[new]], n_bins, options, words[new], split[new])
    return n_leaves


@njit(cache=True, nogil=True)
def leaf_step(kind, gradient, hessian, rows, ridge, max_step, step):
    """Write the Newton step of a leaf with some rows."""
    sums = np.zeros((2, gradient.shape[1]))
    add_leaf_sums(gradient, hessian, rows, sums)
    for k in range(len(step)):
        step[k] = sums[0, k] / (sums[1, k] + ridge)
        if kind != SQUARED:
            step[k] = min(max(step[k], -max_step), max_step)


@njit(cache=True, nogil=True)
def boost(
    bins, all_bins, columns, sampled, directions, kind, y, weights, rows, held_out, initial_score,
    options, patience, best, trees, values
):  # fmt: skip
    """Boost trees on `rows`, and find the number of rounds with the smallest held-out loss.

    Parameters
    ----------
    bins : uint8 array (columns, rows)
        Bins; 255 is missing.
    all_bins : int array
        The number of bins of each column without the missing one.
    columns : int array
        The columns that may be used.
    sampled : int array (rounds, sampled columns)
        The columns that each tree is offered, by their positions among `columns`, ascending;
        all if it has no columns.
    directions : float array (rounds, projections, outputs)
        The projections of the gradients on which each tree finds its splits; all gradients if
        it has none.
    kind, y, weights
        The loss, by its number in `tree_losses`, the response and the weights of all rows.
    rows, held_out : int arrays
        Training rows and held-out rows, none in both; without the latter all rounds are run.
    initial_score : float array (outputs,)
        The score before the first tree.
    options : (leaves, rows per leaf at least, ridge, learning rate, largest step, rounds)
        Options of the trees and of boosting. Rows are counted by their Hessians.
    patience : int
        Rounds without improvement after which boosting ends.
    best : float array (rows, outputs)
        Receives the scores of `held_out` at their smallest loss.
    trees : int array (rounds, 2 leaves - 1, 5), values : float array (rounds, leaves, outputs)
        Receive the trees, see `grow_tree`, and the values of their leaves; both may have no
        rounds.

    Returns
    -------
    (rounds with the smallest loss, that loss, rounds run)
    """
    n, outputs, max_leaves = len(y), len(initial_score), int(options[0])
    projections = directions.shape[1] if directions.shape[1] else outputs
    offered = columns
    scores = np.empty((n, outputs))
    for r in range(n):
        copy_to(scores[r], initial_score)
    gradient, hessian = np.zeros((n, outputs)), np.zeros((n, outputs))
    targets, total = gradient, hessian
    if outputs > 1:
        targets, total = np.empty((n, projections)), np.empty((n, 1))
    given, rows, held_out = rows, rows.astype(np.uint32), held_out.astype(np.uint32)
    place = np.empty(n, np.uint32)
    for i in range(len(given)):
        place[given[i]] = i
    n_words = 1 + projections // 2
    packed = np.empty((len(rows), n_words), np.int64)
    gathered = np.empty_like(packed)
    width = sampled.shape[1] if sampled.shape[1] else len(columns)
    hist = np.empty((max_leaves, width, N_BINS, n_words), np.int64)
    spans, buffer = np.zeros((max_leaves, 4), np.int64), np.empty(n, np.uint32)
    tree, step = np.zeros((2 * max_leaves - 1, 5), np.int64), np.zeros(outputs)
    best_loss, best_round, done, first_energy = np.inf, -1, 0, 0.0
    while True:
        if len(held_out):
            loss = mean_loss(kind, 0.0, y, weights, scores, held_out)
            if loss < best_loss * (1.0 - 1e-12) or best_round < 0:
                best_loss, best_round = loss, done
                for r in held_out:
                    for k in range(outputs):
                        best[r, k] = scores[r, k]
            elif done - best_round >= patience:
                break
        if done == options[5] or not len(columns):
            break
        write_gradients(kind, 0.0, y, weights, scores, gradient, hessian, 0, n)
        energy = sum_of_squares(gradient, given)
        if done == 0:
            first_energy = energy
        if not energy > NO_ENERGY * first_energy:
            break
        if sampled.shape[1]:
            offered = columns[sampled[done]]
        if outputs > 1:
            split_targets(gradient, hessian, directions[done], given, targets, total)
        cut_options = pack(targets, total, weights, given, options[1], options[2], done, packed)
        n_leaves = grow_tree(
            bins, offered, all_bins[offered], packed, place, rows, held_out, max_leaves,
            cut_options, hist, spans, buffer, gathered, tree,
        )  # fmt: skip
        if n_leaves == 1:
            break
        for leaf in range(n_leaves):
            part = rows[spans[leaf, 0] : spans[leaf, 1]]
            leaf_step(kind, gradient, hessian, part, options[2], options[4], step)
            step *= options[3]
            add_step(scores, part, step)
            add_step(scores, held_out[spans[leaf, 2] : spans[leaf, 3]], step)
            if len(trees):
                copy_to(values[done, leaf], step)
        if len(trees):
            copy_rows_to(trees[done], tree)
            if sampled.shape[1]:
                for node in range(2 * n_leaves - 1):
                    if tree[node, 0] >= 0:
                        trees[done, node, 0] = sampled[done, tree[node, 0]]
        done += 1
    return best_round if len(held_out) else done, best_loss, done
