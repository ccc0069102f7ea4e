"""Random trees for tests: with equal cuts, tests of one column in turn, and shared children."""

from __future__ import annotations

import numpy as np

from scrimp.plans import TreeTable


def random_trees(seed, n_trees=6, columns=4, depth=3, outputs=1, abstains=True):
    """Trees of some depth, some of whose nodes send missing values elsewhere or nowhere."""
    rng = np.random.default_rng(seed)
    nodes, values, roots = [], [], []

    def grow(level):
        place = len(nodes)
        nodes.append([-1, 0.0, -1, -1, -1])
        values.append(rng.normal(size=outputs).round(2))
        if level == 0 or (level < depth and rng.random() < 0.2):
            return place
        cut = np.inf if rng.random() < 0.1 else round(rng.normal(), 1)
        left = grow(level - 1)
        right = left if rng.random() < 0.1 else grow(level - 1)
        missing = [left, right, -1 if abstains else right][rng.integers(3)]
        nodes[place] = [int(rng.integers(columns)), cut, left, right, missing]
        return place

    for _ in range(n_trees):
        roots.append(len(nodes))
        grow(depth)
    column, cut, left, right, missing = map(np.array, zip(*nodes, strict=True))
    return TreeTable(np.array(roots), column, cut, left, right, missing, np.array(values))
