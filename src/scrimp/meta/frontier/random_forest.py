"""Forests of extremely randomised trees on item sets.

Geurts, Ernst, Wehenkel. Extremely randomized trees. Machine Learning 63, 2006.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...costs.item_sets import Items
from ...kernels.random_trees import grow_random_tree
from ...plans.components.models import TreesModel
from ...plans.components.tree_table import TreeTable
from ...types import Floats, Ints
from .problem import TrainingSet


@dataclass(frozen=True)
class ForestOptions:
    """Sizes of forests.

    Parameters
    ----------
    n_trees : int
        Trees; half of them on large tables, and of many rows; a quarter of them for a regression on
        large tables, whose splits are looked for in all columns.
    max_tree_rows : int
        Rows per tree, at most, drawn again for each: more take longer and hardly help.
    large_cells : int
        Table cells from which on a table is large.
    min_leaf_rows : int
        Rows per leaf, at least, for a regression; twice as many on large tables.
    many_rows : int
        Rows from which on the leaves of classes have several rows too: trees are much smaller,
        and as good together.
    min_class_rows : int
        Rows per leaf, at least, of classes on so many rows.
    max_leaves : int
        About how many leaves a tree has, at most: it bounds the memory of many forests. A quarter
        of it where trees see a part of the rows.
    """

    n_trees: int = 100
    max_tree_rows: int = 60_000
    large_cells: int = 1_000_000
    min_leaf_rows: int = 5
    many_rows: int = 10_000
    min_class_rows: int = 2
    max_leaves: int = 16_000


OPTIONS = ForestOptions()


def forest(rows: TrainingSet, items: Items) -> TreesModel:
    """Return extremely randomised trees on the columns of an item set."""
    target, columns = rows.target, rows.design.columns(items)
    preparation, table = rows.design.filled
    X, n = np.ascontiguousarray(table[:, columns].T), len(target.y)
    is_large = n * len(columns) > OPTIONS.large_cells
    n_tried = max(int(np.sqrt(len(columns))), 1) if target.n_classes else len(columns)
    min_leaf = _min_leaf(n, is_large, bool(target.n_classes))
    seed, rng = np.uint64(rows.problem.seed), np.random.default_rng(rows.problem.seed)
    trees = []
    for number in range(_n_trees(n, is_large, bool(target.n_classes))):
        some = np.arange(n)
        if n > OPTIONS.max_tree_rows:
            some = np.sort(rng.integers(n, size=OPTIONS.max_tree_rows))
        size = max(2 * len(some) // min_leaf - 1, 1)
        nodes, cuts = np.empty((size, 3), np.int64), np.zeros(size)
        values = np.empty((size, max(target.n_classes, 1)))
        used = grow_random_tree(
            X, target.y, target.weights, some, n_tried, min_leaf, target.n_classes, seed,
            np.uint64(number), nodes, cuts, values,
        )  # fmt: skip
        trees.append((nodes[:used].copy(), cuts[:used].copy(), values[:used].copy()))
    table_of_trees = _tree_table(trees)
    base = np.zeros(table_of_trees.n_outputs)
    return TreesModel(preparation.taken(columns), table_of_trees, base, "identity")


def _n_trees(n_rows: int, is_large: bool, classes: bool) -> int:
    """Return the number of trees."""
    if is_large and not classes:
        return OPTIONS.n_trees // 4
    return OPTIONS.n_trees // 2 if is_large or n_rows > OPTIONS.many_rows else OPTIONS.n_trees


def _min_leaf(n_rows: int, is_large: bool, classes: bool) -> int:
    """Return the number of rows per leaf, at least."""
    if classes and n_rows <= OPTIONS.many_rows:
        return 1
    smallest = OPTIONS.min_class_rows if classes else OPTIONS.min_leaf_rows * (1 + is_large)
    if n_rows <= OPTIONS.max_tree_rows:
        return max(smallest, n_rows // OPTIONS.max_leaves)
    return max(smallest, 4 * OPTIONS.max_tree_rows // OPTIONS.max_leaves)


def _tree_table(trees: list[tuple[Ints, Floats, Floats]]) -> TreeTable:
    """Return the trees as one table, whose votes sum to their mean."""
    sizes = np.array([len(cuts) for _, cuts, _ in trees])
    roots = np.cumsum(sizes) - sizes
    column, left, right = np.concatenate([nodes for nodes, _, _ in trees]).T
    inner, shift = column >= 0, np.repeat(roots, sizes)
    left, right = np.where(inner, left + shift, -1), np.where(inner, right + shift, -1)
    values = np.concatenate([values for _, _, values in trees]) / len(trees)
    cuts = np.concatenate([cuts for _, cuts, _ in trees])
    return TreeTable(roots, column, cuts, left, right, np.full_like(left, -1), values)
