"""Trees of bounded depth that are fitted again to all past rows, as the thesis most likely did."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.tree import DecisionTreeRegressor

from scrimp.types import Floats


class RefitTree:
    """A tree that follows the leader: it is fitted to all past rows at each block.

    Its memory and time grow with the stream, so that it is no learner for streams.

    Parameters
    ----------
    max_depth : int
        The depth, which is the regularisation.
    min_samples_leaf : int
        Rows of a leaf, at least.
    """

    def __init__(self, max_depth: int = 5, min_samples_leaf: int = 10) -> None:
        self.max_depth, self.min_samples_leaf = max_depth, min_samples_leaf
        self._past: list[tuple[Floats, Floats, Floats]] = []
        self._tree: Any = None

    def predict(self, inputs: Floats) -> Floats:
        """Return the answers of the last tree."""
        return np.asarray(self._tree.predict(inputs)).reshape(len(inputs), -1)

    def update(self, inputs: Floats, targets: Floats, weights: Floats) -> None:
        """Fit a tree to all rows so far, with the targets that they had."""
        self._past.append((inputs, targets, weights))
        X, T, w = map(np.concatenate, zip(*self._past, strict=True))
        self._tree = DecisionTreeRegressor(
            max_depth=self.max_depth, min_samples_leaf=self.min_samples_leaf, random_state=0
        ).fit(X, T, sample_weight=w)
