from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from scrimp.kernels import classes, stumps
from scrimp.kernels.binning import bin_columns, codes_that_occur
from tests.naive import kernels as naive


def found(x, y, weight, cuts, K, categorical=False):
    """The kernel's best stump of one column."""
    order = np.argsort(y, kind="stable")
    bins = bin_columns(np.asarray(x)[order, None], [np.asarray(cuts, dtype=float)])
    starts = np.concatenate([[0], np.cumsum(np.bincount(y, minlength=K))])
    hist = np.zeros((K, 1, int(np.iinfo(bins.dtype).max) + 1))
    column, n_cuts = np.array([0]), np.array([len(cuts)])
    classes.add_class_histograms(bins, column, weight[order], starts, hist)
    codes = codes_that_occur(bins, n_cuts, np.array([categorical]))
    result = np.zeros(1, dtype=classes.BEST_CLASS_STUMP)
    some = np.array([np.isnan(x).any()])
    classes.best_class_stumps(hist, column, n_cuts, some, *codes, result)
    return result[0]


def right(x, y, weight, stump):
    """The weight of the rows that a stump is right about."""
    votes = [naive.vote(value, *stump) for value in x]
    return math.fsum(w for w, label, vote in zip(weight, y, votes, strict=True) if vote == label)


def best_by_trying(x, y, weight, cuts, K, categorical):
    """The best weight and stump over all intervals and all votes."""
    some_missing = any(math.isnan(value) for value in x)
    best = 0.0, None
    for low, high in naive.candidates(x, cuts, categorical):
        for a, b, m in itertools.product(range(K), range(K), range(K) if some_missing else [-1]):
            alike = a == m if high == math.inf else a == b
            value = right(x, y, weight, (low, high, a, b, m))
            if not alike and value > best[0] * (1 + 1e-12):
                best = value, (low, high, a, b, m)
    return best


@pytest.mark.parametrize("categorical", [False, True])
@pytest.mark.parametrize("missing", [0.0, 0.3])
@pytest.mark.parametrize("n_values", [1, 2, 5])
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("equal", [False, True])
def test_best_stump_equals_the_slow_twin(categorical, missing, n_values, seed, equal):
    rng = np.random.default_rng(seed)
    n, K = 40, 3 + seed % 2
    x = rng.integers(0, n_values, n).astype(float) * 2  # odd codes never occur
    x[rng.random(n) < missing] = np.nan
    y = rng.integers(0, K, n)
    weight = np.ones(n) if equal else rng.uniform(0.1, 1.0, n)
    weight /= weight.sum()
    cuts = np.arange(2 * n_values - 2) + 0.5 if categorical else naive.gap_cuts(x)
    value, stump = best_by_trying(x.tolist(), y.tolist(), weight.tolist(), cuts, K, categorical)
    best = found(x, y, weight, cuts, K, categorical)
    assert (best["kind"] == stumps.NOTHING) == (stump is None)
    if stump is None:
        return
    assert best["edge"] == pytest.approx((K * value - 1) / (K - 1), abs=1e-12)
    low, high, inside, outside, lost = stump
    assert (best["inside"], best["missing"]) == (inside, lost)
    if best["kind"] == stumps.PRESENT:
        assert (low, high) == (-np.inf, np.inf)
        return
    assert best["outside"] == outside
    assert high == cuts[best["at"]] if not categorical else high == best["at"] + 0.5


def test_ties_go_to_the_lowest_cut_and_the_lowest_classes():
    x, y = np.array([0.0, 1.0, 2.0, 3.0, 4.0, 5.0]), np.array([2, 1, 2, 0, 1, 0])
    best = found(x, y, np.full(6, 1 / 6), [0.5, 1.5, 2.5, 3.5, 4.5], 3)
    assert (best["at"], best["inside"], best["outside"]) == (2, 2, 0)
    best = found(x, y, np.array([0.3, 0.1, 0.1, 0.1, 0.1, 0.3]), [0.5, 4.5], 3)
    assert (best["at"], best["inside"], best["outside"]) == (0, 2, 0)


def test_a_side_without_a_second_class_votes_for_the_lowest_other_one():
    x, y = np.array([0.0, 1.0, np.nan, np.nan]), np.array([1, 1, 2, 0])
    best = found(x, y, np.array([0.4, 0.3, 0.1, 0.2]), [0.5], 3)
    # nothing is told apart by the cut; presence is
    assert (best["kind"], best["inside"], best["missing"]) == (stumps.PRESENT, 1, 0)
    best = found(x[:2], y[:2], np.array([0.6, 0.4]), [0.5], 3)
    assert (best["inside"], best["outside"], best["missing"]) == (1, 0, -1)
    assert best["edge"] == pytest.approx((3 * 0.6 - 1) / 2)


def test_histograms_of_classes_add_up_to_one_of_all():
    rng = np.random.default_rng(0)
    bins = rng.integers(0, 256, (7, 600)).astype(np.uint8)
    weight, starts = rng.random(600), np.array([0, 100, 100, 350, 600])
    columns, hist = np.array([6, 0, 2, 3, 5]), np.zeros((4, 5, 256))
    classes.add_class_histograms(bins, columns, weight, starts, hist)
    assert not hist[1].any()
    for label, (start, stop) in enumerate(itertools.pairwise(starts)):
        for row, j in zip(hist[label], columns, strict=True):
            assert row.tolist() == naive.histogram(bins[j, start:stop], weight[start:stop], 256)


def test_reweighing_right_wrong_and_abstaining_rows():
    n = stumps.BLOCK + 5
    rng = np.random.default_rng(0)
    weights, labels = rng.random(n), rng.integers(0, 3, n)
    bins = rng.choice(np.array([0, 1, 255], dtype=np.uint8), n)
    voted = np.full(256, -1)
    voted[:2] = 2, 0
    out, sums = np.empty(n), np.empty(2)
    for block in (0, 1):
        classes.reweigh_classes(weights, labels, bins, voted, 0.5, 3.0, out, sums, block, block + 1)
    for i in range(n):
        vote = voted[bins[i]]
        factor = 1.0 if vote < 0 else 0.5 if vote == labels[i] else 3.0
        assert out[i] == weights[i] * factor
    assert sums == pytest.approx([out[: stumps.BLOCK].sum(), out[stumps.BLOCK :].sum()])


@pytest.mark.parametrize("categorical", [False, True])
def test_classes_are_held_some_at_a_time(categorical):
    rng = np.random.default_rng(0)
    n, K = 300, 2 * classes._CLASSES_AT_A_TIME + 5
    x, y = rng.integers(0, 4, n).astype(float), rng.permutation(np.arange(n) % K)
    weight = rng.uniform(0.1, 1.0, n)
    weight /= weight.sum()
    stump = found(x, y, weight, [0.5, 1.5, 2.5], K, categorical)
    totals = np.zeros((K, 4))
    np.add.at(totals, (y, x.astype(int)), weight)
    best = 0.0
    for at in range(4 if categorical else 3):
        chosen = np.arange(4) == at if categorical else np.arange(4) <= at
        inside, outside = totals[:, chosen].sum(axis=1), totals[:, ~chosen].sum(axis=1)
        pairs = inside[:, None] + outside
        np.fill_diagonal(pairs, 0.0)
        best = max(best, pairs.max())
    assert stump["edge"] == pytest.approx((K * best - 1) / (K - 1))
