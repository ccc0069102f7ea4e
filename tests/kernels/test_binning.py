from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from scrimp.kernels.binning import bin_columns, codes_that_occur
from scrimp.kernels.threads import run_pieces
from tests.naive import kernels as naive


def columns_of_all_sorts(n):
    """Columns that take the grid, the binary search, and the odd ways, with their cuts."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, 6))
    X[:, 1] = np.exp(4 * X[:, 1])  # crowded cuts: no grid
    X[:, 2] = np.round(X[:, 2])
    X[:, 3] = 7.0
    X[::7, 4] = -np.inf
    X[1::7, 4] = np.inf
    X[::3, 5] = np.nan
    quantiles = np.linspace(0, 1, 256)[1:-1]
    cuts = [np.unique(np.quantile(X[:, j], quantiles)) for j in range(2)]
    cuts += [np.array([-1.5, -0.5, 0.5, 1.5]), np.empty(0)]
    cuts += [np.array([naive.LOWEST, 0.0, naive.HIGHEST]), np.array([0.25])]
    return X, cuts


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_bins_equal_the_slow_twin(dtype, order):
    X, cuts = columns_of_all_sorts(700)
    X = np.asarray(X, dtype=dtype, order=order)
    bins = bin_columns(X, cuts)
    assert bins.dtype == np.uint8
    for j in range(X.shape[1]):
        slow = [naive.bin_of(v, cuts[j], 255) for v in X[:, j].tolist()]
        assert bins[j].tolist() == slow


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_values_at_and_next_to_cuts(dtype):
    cuts = np.sort(np.random.default_rng(0).standard_normal(200))
    at = cuts.astype(dtype)
    x = np.concatenate([at, np.nextafter(at, dtype(-9)), np.nextafter(at, dtype(9))])
    bins = bin_columns(x[:, None], [cuts])
    assert np.array_equal(bins[0], np.searchsorted(cuts, x.astype(np.float64)))


@pytest.mark.parametrize(
    ("n_cuts", "dtype"), [(254, np.uint8), (255, np.uint16), (3000, np.uint16)]
)
def test_type_of_bins_follows_their_number(n_cuts, dtype):
    x = np.random.default_rng(0).uniform(0, n_cuts + 1, 5000)
    x[0] = np.nan
    cuts = np.arange(n_cuts) + 1.0
    bins = bin_columns(x[:, None], [cuts])
    assert bins.dtype == dtype
    assert bins[0, 0] == np.iinfo(dtype).max
    assert np.array_equal(bins[0, 1:], np.searchsorted(cuts, x[1:]))


def test_threads_and_views_do_not_matter():
    X, cuts = columns_of_all_sorts(40_000)
    X = X.astype(np.float32)
    bins = bin_columns(X, cuts)
    with ThreadPoolExecutor(3) as pool:
        assert np.array_equal(bins, bin_columns(X, cuts, pool))
    X.flags.writeable = False
    assert np.array_equal(bins[:, ::-1], bin_columns(X[::-1], cuts))


def test_codes_that_occur():
    bins = np.array([[0, 2, 255], [1, 1, 0], [1, 1, 3]], dtype=np.uint8)
    categorical = np.array([True, False, True])
    occurs, first = codes_that_occur(bins, np.array([2, 1, 3]), categorical)
    assert first.tolist() == [0, 3, 3, 7]
    assert occurs.tolist() == [True, False, True, False, True, False, True]


def test_an_error_in_a_piece_is_raised_after_all_pieces_ended():
    def fail_on_two(piece):
        if piece == 2:
            raise ArithmeticError("two")

    with ThreadPoolExecutor(2) as pool, pytest.raises(ArithmeticError, match="two"):
        run_pieces(pool, fail_on_two, range(5))
