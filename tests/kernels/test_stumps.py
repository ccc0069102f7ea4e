from __future__ import annotations

import math

import numpy as np
import pytest

from scrimp.kernels import stumps
from scrimp.kernels.binning import bin_columns, codes_that_occur
from tests.naive import kernels as naive


def signed_weights(n, seed=0):
    signed = np.random.default_rng(seed).standard_normal(n)
    return signed / np.abs(signed).sum()


def found(x, signed, cuts, categorical=False):
    """The kernel's best stump of one column."""
    bins = bin_columns(x[:, None], [np.asarray(cuts, dtype=float)])
    hist = np.zeros((1, int(np.iinfo(bins.dtype).max) + 1))
    column = np.array([0])
    stumps.add_histograms(bins, column, signed, 0, len(x), hist)
    n_cuts = np.array([len(cuts)])
    codes = codes_that_occur(bins, n_cuts, np.array([categorical]))
    result = np.zeros(1, dtype=stumps.BEST_STUMP)
    stumps.best_stumps(hist, column, n_cuts, np.array([np.isnan(x).any()]), *codes, result)
    return result[0]


@pytest.mark.parametrize("n_columns", [1, 3, 4, 7, 9])
@pytest.mark.parametrize("dtype", [np.uint8, np.uint16])
def test_histograms_equal_the_slow_twin_and_add_up_over_rows(n_columns, dtype):
    rng = np.random.default_rng(0)
    bins = rng.integers(0, np.iinfo(dtype).max, (12, 501), endpoint=True).astype(dtype)
    signed = signed_weights(501)
    columns = rng.choice(12, n_columns, replace=False)
    hist = np.zeros((n_columns, np.iinfo(dtype).max + 1))
    stumps.add_histograms(bins, columns, signed, 0, 200, hist)
    stumps.add_histograms(bins, columns, signed, 200, 501, hist)
    for row, j in zip(hist, columns, strict=True):
        assert row.tolist() == naive.histogram(bins[j], signed, len(row))


@pytest.mark.parametrize("categorical", [False, True])
@pytest.mark.parametrize("missing", [0.0, 0.3])
@pytest.mark.parametrize("n_values", [1, 2, 6])
@pytest.mark.parametrize("seed", range(5))
def test_best_stump_equals_the_slow_twin(categorical, missing, n_values, seed):
    rng = np.random.default_rng(seed)
    x = rng.integers(0, n_values, 60).astype(float) * 2  # odd codes never occur
    x[rng.random(60) < missing] = np.nan
    signed = signed_weights(60, seed)
    cuts = np.arange(2 * n_values - 2) + 0.5 if categorical else naive.gap_cuts(x)
    edge, stump = naive.best_stump(x, signed, cuts, categorical)
    best = found(x, signed, cuts, categorical)
    assert best["edge"] == pytest.approx(edge, abs=1e-12)
    assert (best["kind"] == stumps.NOTHING) == (stump is None)
    if stump is None:
        return
    low, high, inside, _, lost = stump
    assert (best["inside"], best["missing"]) == (inside, lost)
    if best["kind"] == stumps.PRESENT:
        assert (low, high) == (-np.inf, np.inf)
    else:
        assert high == cuts[best["at"]] if not categorical else high == best["at"] + 0.5


def test_ties_go_to_the_lowest_cut():
    x = np.array([0.0, 1.0, 2.0, 3.0])
    best = found(x, np.array([0.25, -0.25, 0.25, -0.25]), [0.5, 1.5, 2.5])
    assert (best["at"], best["edge"], best["inside"]) == (0, 0.5, 1.0)


def test_missing_rows_without_weight_vote_plus_one():
    best = found(np.array([0.0, 1.0, np.nan]), np.array([0.5, -0.5, 0.0]), [0.5])
    assert (best["edge"], best["missing"]) == (1.0, 1.0)


def test_all_missing_column_tests_presence():
    best = found(np.full(3, np.nan), np.array([0.5, -0.25, 0.25]), [])
    assert (best["kind"], best["edge"], best["missing"]) == (stumps.PRESENT, 0.5, 1.0)


def test_reweighing_equals_the_slow_twin():
    rng = np.random.default_rng(0)
    n = 3 * stumps.BLOCK + 17
    x = rng.standard_normal(n)
    x[::5] = np.nan
    weights = np.zeros((3, n))
    weights[0], weights[2] = signed_weights(n), signed_weights(n, 1)
    bins = bin_columns(x[:, None], [np.array([0.1])])[0]
    votes = np.full(256, 0.0)
    votes[:2] = -1.0, 1.0
    sums, parts = np.empty(4), np.empty((4, 3))
    factors = np.exp(np.outer([-0.3, 0.3], votes))
    for blocks in ((0, 3), (3, 4)):
        stumps.reweigh(weights[0], bins, factors, weights[1], sums, *blocks)
    for blocks in ((0, 1), (1, 4)):
        stumps.normalise(weights, 1, 1.0 / math.fsum(sums), parts, *blocks)
    slow = naive.reweighed(x, weights[0], (-np.inf, 0.1, -1.0, 1.0, 0.0), 0.3)
    assert weights[1] == pytest.approx(slow, rel=1e-12)
    assert parts.sum(axis=0) == pytest.approx(np.abs(weights - slow).sum(axis=1), abs=1e-12)
    assert math.fsum(np.abs(weights[1])) == pytest.approx(1.0, abs=1e-15)
