"""Kernel machines look up categories, and answer as on the prepared table."""

import numpy as np

from scrimp.data.preparation import Preparation
from scrimp.plans.components.models import KernelModel

RNG = np.random.default_rng(0)
#: Two numbers, one of which is filled, and two columns of categories, one of which is filled.
SOURCE = np.array([4, 1, 0, 0, 0, 3, 3])
CODE = np.array([np.nan, np.nan, 0.0, 2.0, 5.0, 1.0, 0.0])
FILL = np.array([0.5, np.nan, np.nan, np.nan, np.nan, 1.0, 0.0])


def test_answers_are_those_of_the_prepared_table():
    n = len(SOURCE)
    preparation = Preparation(SOURCE, CODE, FILL, RNG.normal(size=n), RNG.uniform(0.5, 2.0, n))
    centers, weights = RNG.normal(size=(9, n)), RNG.normal(size=(9, 3))
    base = RNG.normal(size=3)
    model = KernelModel(preparation, centers, weights, [0.2], base, "identity")
    X = np.column_stack([RNG.integers(-1, 7, 40) for _ in range(5)]).astype(np.float64)
    X[RNG.random(X.shape) < 0.2] = np.nan
    X[:, 1] = RNG.normal(size=40)
    X[0, [0, 3]] = np.inf
    rows = RNG.permutation(40)[:30]
    prepared = preparation.table(X, rows)
    squares = ((prepared[:, None] - centers) ** 2).sum(axis=2)
    expected = base + np.exp(-0.2 * squares) @ weights
    np.testing.assert_allclose(model.scores(X, rows), expected, rtol=1e-12)
    np.testing.assert_array_equal(model.scores(X, rows[4:5])[0], model.scores(X, rows)[4])
