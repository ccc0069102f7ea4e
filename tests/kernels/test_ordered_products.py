"""Products of matrices in order: as NumPy's, and untouched by terms that are 0."""

import numpy as np

from scrimp.kernels.ordered_products import multiply, multiply_transposed


def products(a, b, c):
    forward, backward = np.empty((len(a), b.shape[1])), np.empty(b.shape)
    multiply(a, b, forward)
    multiply_transposed(a, c, backward)
    return forward, backward


def test_products_are_those_of_numpy_and_zeros_change_no_bit():
    rng = np.random.default_rng(0)
    a, b, c = rng.normal(size=(37, 11)), rng.normal(size=(11, 5)), rng.normal(size=(37, 5))
    forward, backward = products(a, b, c)
    np.testing.assert_allclose(forward, a @ b, rtol=1e-12)
    np.testing.assert_allclose(backward, a.T @ c, rtol=1e-12)
    places = np.arange(0, 33, 3)
    wide, weights = np.zeros((37, 33)), rng.normal(size=(33, 5))
    wide[:, places], weights[places] = a, b
    same, parts = products(wide, weights, c)
    np.testing.assert_array_equal(same, forward)
    np.testing.assert_array_equal(parts[places], backward)
