"""Which columns the walks of rows through trees look at, and what they cost."""

from __future__ import annotations

import numpy as np
from numba import njit

from .exact_sum import PARTIALS, add_to_sum, round_sum


@njit(cache=True, nogil=True)
def mark_path_columns(leaves, parent, column, reads):
    """Mark, for each row, the columns of all nodes from its leaves up to their roots.

    Parameters
    ----------
    leaves : int array (rows, trees)
        The node at which each row ends in each tree.
    parent, column : int arrays (nodes,)
        The node above, and the column that a node compares; -1 for none.
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
    """The price of the items, with all they require, of the columns that each row reads.

    Parameters
    ----------
    reads : bool array (rows, columns)
        Which columns are read.
    item_of : int array (columns,)
        The item that brings each column.
    first, needs : int arrays
        An item needs ``needs[first[item] : first[item + 1]]``, itself included.
    prices : float array (items,)
        Of each item alone.

    Returns
    -------
    float array (rows,)
        Correctly rounded sums, as `math.fsum` has them.
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
