"""Bounds of sums of trees against a slow twin, by masks of leaves and by open paths."""

import numpy as np
import pytest

from scrimp.data.preparation import Preparation
from scrimp.plans.components.models import TreesModel
from tests.naive.tree_bounds import bounds

from .random_trees import random_trees

#: Columns that become known at each step, and one that never does.
STEPS, LACKING = [[2], [], [0, 3]], [1]


def problem(seed, depth, outputs, dtype=np.float64):
    """A model, a table with gaps, and rows."""
    trees = random_trees(seed, depth=depth, outputs=outputs)
    model = TreesModel(
        Preparation.plain(range(4)), trees, np.linspace(-0.4, 0.7, outputs), "identity"
    )
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(12, 4)).round(1)
    X[rng.random(X.shape) < 0.2] = np.nan
    X[0] = [np.inf, 0.0, -np.inf, -0.0]
    return model, X.astype(dtype), rng.permutation(12)[:9]


@pytest.mark.parametrize("outputs", [1, 3])
@pytest.mark.parametrize(("depth", "by_masks"), [(0, True), (1, True), (5, True), (8, False)])
@pytest.mark.parametrize("seed", range(3))
def test_bounds_equal_those_of_all_leaves_within_reach(outputs, depth, by_masks, seed):
    model, X, rows = problem(seed, depth, outputs, np.float32 if seed == 1 else np.float64)
    assert (model._masks is not None) == by_masks
    for lacking in ((), LACKING):
        lower, upper = model.ranges(X, rows, STEPS, lacking)
        known = []
        for step, columns in enumerate(STEPS):
            known += columns
            for i, row in enumerate(rows):
                low, high = bounds(model.trees, model.base, X[row], known, lacking)
                np.testing.assert_allclose(lower[step, i], low, atol=1e-12)
                np.testing.assert_allclose(upper[step, i], high, atol=1e-12)


@pytest.mark.parametrize("outputs", [1, 3])
def test_masks_give_the_same_bounds_whatever_the_order(outputs):
    model, X, rows = problem(7, 5, outputs)
    at_once = model.ranges(X, rows, [[0, 1, 3]])
    one_by_one = model.ranges(X, rows, [[3], [1], [0]])
    for whole, steps in zip(at_once, one_by_one, strict=True):
        np.testing.assert_array_equal(whole[0], steps[-1])
        np.testing.assert_array_equal(
            model.ranges(X, rows[4:5], [[1, 0, 3]])[0][0, 0], at_once[0][0, 4]
        )


@pytest.mark.parametrize("scale", [1e-300, 1e150, 3e307])
def test_votes_of_any_size_are_bounded(scale):
    model, X, rows = problem(3, 3, 1)
    trees = type(model.trees)(**model.trees.arrays() | {"value": model.trees.value * scale})
    with np.errstate(over="ignore"):
        larger = TreesModel(model.preparation, trees, [0.0], "identity")
        lower, upper = larger.ranges(X, rows, STEPS)
        for i, row in enumerate(rows):
            low, high = bounds(trees, [0.0], X[row], [0, 2, 3])
            np.testing.assert_allclose(lower[-1, i], low, rtol=1e-12)
            np.testing.assert_allclose(upper[-1, i], high, rtol=1e-12)
