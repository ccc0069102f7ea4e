from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from scrimp.kernels.binning import find_cuts
from tests.naive import kernels as naive

NONE = np.zeros(1, dtype=bool)


def cuts_of(values, max_bins=255, rows=None, weight=None):
    X = np.asarray(values)[:, None]
    rows = np.arange(len(X)) if rows is None else rows
    return find_cuts(X, NONE, max_bins, rows, weight)[0]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(
    "values",
    [
        [1.0, 2.0, 2.0, np.nan, 5.0],
        [3.0, 3.0],
        [np.nan, np.nan],
        [-np.inf, 0.0, np.inf],
        [-np.inf, np.inf],
        [-np.inf, naive.LOWEST, naive.HIGHEST, np.inf],
        [1.0, np.nextafter(1.0, 2.0), 2.0],
        [-1e308, 1e308],
        [-0.0, 0.0, 1.0],
    ],
)
def test_few_values_are_cut_between_all(values, dtype):
    with np.errstate(over="ignore"):
        column = np.array(values).astype(dtype)
    assert cuts_of(column).tolist() == naive.gap_cuts(column.tolist())


def test_rare_values_outside_the_sample_are_cut_as_well():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 9, (3000, 20)).astype(np.float32)
    X[1234, :] = 100.5
    X[2999, 3] = -np.inf
    X[5, 4] = np.nan
    X[6, 5] = np.inf
    cuts = find_cuts(X, np.zeros(20, dtype=bool), 11, np.arange(100))
    for j in range(20):
        assert cuts[j].tolist() == naive.gap_cuts(X[:, j].tolist())


def test_sample_serves_when_all_rows_have_too_many_values():
    column = np.repeat([0.0, 1.0], 500)
    column[100:400] = np.arange(300.0) + 5
    cuts = cuts_of(column, max_bins=4, rows=np.r_[0:50, 900:1000])
    assert cuts.tolist() == [0.5]


@pytest.mark.parametrize("max_bins", [1, 2, 7, 255])
def test_quantile_bins_have_equal_mass(max_bins):
    column = np.random.default_rng(0).standard_normal(5100)
    cuts = cuts_of(column, max_bins)
    masses = np.bincount(np.searchsorted(cuts, column), minlength=max_bins)
    assert len(cuts) == max_bins - 1
    assert masses.max() <= 5100 // max_bins + 1


def test_heavy_value_has_its_own_bin_and_leaves_the_others_to_the_rest():
    column = np.random.default_rng(0).standard_normal(4000)
    column[:2000] = 0.0
    cuts = cuts_of(column, 20)
    masses = np.bincount(np.searchsorted(cuts, column))
    assert len(cuts) == 19
    assert masses.max() == 2000
    assert np.sort(masses)[-2] < 150


def test_quantiles_are_weighted():
    column = np.arange(1000.0)
    weight = np.where(column < 100, 9.0, 1.0)
    cuts = cuts_of(column, 18, weight=weight)
    assert np.searchsorted(cuts, 100) in (8, 9, 10)
    shuffled = np.random.default_rng(0).permutation(1000)
    assert np.array_equal(cuts, cuts_of(column[shuffled], 18, weight=weight[shuffled]))


def test_codes_are_cut_at_halves_found_in_all_rows():
    X = np.array([[0.0, np.nan], [2.0, np.nan], [np.nan, np.nan], [4.0, np.nan]])
    cuts = find_cuts(X, np.ones(2, dtype=bool), 255, np.array([0, 1]))
    assert cuts[0].tolist() == [0.5, 1.5, 2.5, 3.5]
    assert cuts[1].tolist() == []


def test_order_and_threads_do_not_matter():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((2000, 40)).astype(np.float32)
    X[:, ::3] = np.round(X[:, ::3])
    rows = np.sort(rng.choice(2000, 500, replace=False))
    flags = np.zeros(40, dtype=bool)
    cuts = find_cuts(X, flags, 50, rows)
    with ThreadPoolExecutor(3) as pool:
        for same in (np.asfortranarray(X), X.astype(np.float64), X[::-1][::-1]):
            again = find_cuts(same, flags, 50, rows, None, pool)
            assert all(np.array_equal(a, b) for a, b in zip(cuts, again, strict=True))
