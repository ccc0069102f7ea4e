"""Columns on the decision paths of rows through trees, and their prices."""

from __future__ import annotations

import numpy as np

from .exact_sum import PARTIALS, add_to_sum, round_sum
from .jit import njit


@njit(cache=True, nogil=True)
def mark_path_columns(leaves, parent, column, reads):
    """Mark for each row the columns of all nodes from its leaves up to their roots.

    Parameters
    ----------
    leaves : int array (rows, trees)
        The leaf of each row in each tree.
    parent, column : int arrays (nodes,)
        The parent of each node, and the column that it compares; -1 for none.
    reads : bool array (rows, columns)
        Marked in place.
    """
    for row in range(leaves.shape[0]):
        for tree in range(leaves.shape[1]):
            node = leaves[row, tree]
            while node >= 0:
                if column[node] >= 0:
                    reads[row, column[node]] = True
                node = parent[node]


@njit(cache=True, nogil=True)
def price_columns_read(reads, item_of, first, needs, prices):
    """Return the price of the items, with all they require, of the columns that each row reads.

    Parameters
    ----------
    reads : bool array (rows, columns)
        Which columns are read.
    item_of : int array (columns,)
        The item that brings each column.
    first, needs : int arrays
        An item requires ``needs[first[item] : first[item + 1]]``, itself included.
    prices : float array (items,)
        The price of each item alone.

    Returns
    -------
    float array (rows,)
        Correctly rounded sums, as by `math.fsum`.
    """
    spent = np.zeros(reads.shape[0])
    owned = np.zeros(len(prices), dtype=np.bool_)
    partials = np.zeros(PARTIALS)
    for row in range(reads.shape[0]):
        owned[:] = False
        n = 0
        for column in range(reads.shape[1]):
            if not reads[row, column]:
                continue
            item = item_of[column]
            for j in range(first[item], first[item + 1]):
                other = needs[j]
                if not owned[other]:
                    owned[other] = True
                    if prices[other] > 0.0:
                        n = add_to_sum(partials, n, prices[other])
        spent[row] = round_sum(partials, n)
    return spent
