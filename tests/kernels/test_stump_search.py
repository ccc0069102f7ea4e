from __future__ import annotations

import math

import numpy as np
import pytest

from scrimp.learners.boosting import binned_search, stump_search
from scrimp.learners.boosting.stump_search import Stump, StumpSearch
from tests.naive import kernels as naive


def mixed_data(n=3000, d=90, seed=0):
    """Informative, few-valued, constant, copied, categorical and missing columns."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d)).astype(np.float32)
    score = X[:, :12] @ rng.standard_normal(12) + rng.standard_normal(n)
    X[:, 5] = np.round(X[:, 5])
    X[:, 6] = 1.0
    X[:, -1] = X[:, 3]
    X[:, 7:10] = rng.integers(0, 5, (n, 3))
    X[rng.random((n, d)) < 0.02] = np.nan
    X[:, 30:50] = np.nan_to_num(X[:, 30:50])
    categorical = np.zeros(d, dtype=bool)
    categorical[7:10] = True
    return X, np.where(score > 0, 1, -1), categorical


def alpha_of(stump):
    return 0.5 * math.log((1 + stump.edge) / (1 - stump.edge))


def boost(search, quality, rounds, full=False, allowed=None):
    """Stumps of some rounds of AdaBoost, if asked by scanning all columns in each."""
    d = len(search._best)
    stumps = []
    for _ in range(rounds):
        if full:
            search._scan(np.arange(d))
        stumps.append(search.best(quality, np.ones(d, dtype=bool) if allowed is None else allowed))
        search.update(stumps[-1], alpha_of(stumps[-1]))
    return stumps


def priced(prices):
    return lambda columns, edges: -np.log1p(-(edges**2)) / prices[columns]


def by_edge(columns, edges):
    return edges


QUALITIES = [by_edge, priced(np.random.default_rng(1).uniform(0.01, 2, 90))]


@pytest.mark.parametrize("quality", QUALITIES, ids=["edge", "priced"])
def test_pruned_search_equals_full_search(quality):
    X, y, categorical = mixed_data()
    pruned = StumpSearch(X, y, None, categorical)
    full = StumpSearch(X, y, None, categorical)
    assert boost(pruned, quality, 50) == boost(full, quality, 50, full=True)
    assert pruned.n_scanned < full.n_scanned


@pytest.mark.parametrize("slots", [2, 3])
def test_pruned_search_equals_full_search_with_few_reference_weights(slots):
    X, y, categorical = mixed_data()
    pruned = StumpSearch(X[:, : 32 * slots], y, None, categorical[: 32 * slots])
    full = StumpSearch(X[:, : 32 * slots], y, None, categorical[: 32 * slots])
    assert boost(pruned, QUALITIES[1], 50) == boost(full, QUALITIES[1], 50, full=True)


def test_bounds_hold_in_every_round():
    X, y, categorical = mixed_data()
    search = StumpSearch(X, y, None, categorical)
    for _ in range(30):
        boost(search, QUALITIES[1], 1)
        bounds = search._base + search._current[1][search._refers] + 1e-9
        twin = search._best.copy()
        before = search._base.copy(), search._refers.copy()
        search._scan(np.arange(90))
        assert (search._best["edge"] <= bounds).all()
        search._best[:] = twin
        search._base[:], search._refers[:] = before
        search._fresh[:] = False


@pytest.mark.parametrize("quality", QUALITIES, ids=["edge", "priced"])
def test_threads_do_not_matter(quality, monkeypatch):
    monkeypatch.setattr(binned_search, "_THREAD_CELLS", 0)
    monkeypatch.setattr(binned_search, "_BLOCKS", 1)
    X, y, categorical = mixed_data(n=5000)
    runs = []
    for n_threads in (1, 2, 3):
        with StumpSearch(X, y, None, categorical, n_threads=n_threads) as search:
            runs.append(boost(search, quality, 20))
    assert runs[0] == runs[1] == runs[2]


def test_order_and_type_do_not_matter():
    X, y, categorical = mixed_data()
    runs = [
        boost(StumpSearch(same, y, None, categorical, sample_rows=900), by_edge, 10)
        for same in (X, np.asfortranarray(X), X.astype(np.float64), np.repeat(X, 2, 1)[:, ::2])
    ]
    assert runs[0] == runs[1] == runs[2] == runs[3]


def test_first_rounds_equal_the_slow_twin():
    X, y, categorical = mixed_data(n=150, d=12)
    weight = np.random.default_rng(0).uniform(0.5, 2, 150)
    search = StumpSearch(X, y, weight, categorical)
    signed = (y * weight / weight.sum()).tolist()
    for _ in range(4):
        stump = search.best(by_edge, np.ones(12, dtype=bool))
        columns = [X[:, j].astype(float).tolist() for j in range(12)]
        slow = [
            naive.best_stump(columns[j], signed, naive.gap_cuts(columns[j]), categorical[j])[0]
            for j in range(12)
        ]
        votes = (stump.low, stump.high, stump.inside, stump.outside, stump.missing)
        assert stump.column == int(np.argmax(slow))
        assert stump.edge == pytest.approx(max(slow), abs=1e-12)
        assert naive.edge_of(columns[stump.column], signed, votes) == pytest.approx(stump.edge)
        signed = naive.reweighed(columns[stump.column], signed, votes, alpha_of(stump))
        search.update(stump, alpha_of(stump))


def test_disallowed_columns_are_not_chosen_and_ties_go_to_the_lowest():
    x = np.array([0.0, 0.0, 1.0, 1.0, 1.0])
    X = np.column_stack([x, x, x])
    search = StumpSearch(X, np.array([-1, -1, 1, 1, -1]))
    assert search.best(by_edge, np.ones(3, dtype=bool)).column == 0
    assert search.best(by_edge, np.array([False, True, True])).column == 1
    assert search.best(by_edge, np.zeros(3, dtype=bool)) is None
    infinite = search.best(lambda columns, edges: np.full(len(columns), np.inf), np.ones(3, bool))
    assert infinite.column == 0


def test_intervals_and_votes_of_all_kinds():
    one, missing = np.array([True]), np.array([[np.nan], [np.nan], [3.0], [3.0]])
    y = np.array([-1, -1, 1, 1])
    present = StumpSearch(missing, y).best(by_edge, one)
    assert present == Stump(0, -math.inf, math.inf, 1.0, -1.0, -1.0, 1.0)
    codes = StumpSearch(np.array([[0.0], [2.0], [1.0], [1.0]]), y, None, one).best(by_edge, one)
    assert codes == Stump(0, 0.5, 1.5, 1.0, -1.0, 0.0, 1.0)
    numbers = StumpSearch(np.array([[-np.inf], [2.0], [3.0], [9.0]]), y).best(by_edge, one)
    assert numbers == Stump(0, -math.inf, 2.5, -1.0, 1.0, 0.0, 1.0)


def test_constant_columns_have_no_stump():
    assert (
        StumpSearch(np.ones((4, 2)), np.array([1, 1, -1, 1])).best(by_edge, np.ones(2, bool))
        is None
    )


def test_many_bins():
    X, y, categorical = mixed_data()
    X[:, 8] = np.arange(len(X)) % 700
    fine = StumpSearch(X, y, None, categorical, max_bins=2000)
    full = StumpSearch(X, y, None, categorical, max_bins=2000)
    assert fine._bins.dtype == np.uint16
    assert boost(fine, QUALITIES[1], 10) == boost(full, QUALITIES[1], 10, full=True)


@pytest.mark.parametrize(
    ("module", "kernel"),
    [
        (stump_search, "reweigh"),
        (stump_search, "normalise"),
        (stump_search, "add_histograms"),
        (stump_search, "best_stumps"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_interrupt_leaves_a_state_to_go_on_from(module, kernel, monkeypatch):
    X, y, categorical = mixed_data()
    expected = boost(StumpSearch(X, y, None, categorical), QUALITIES[1], 12)
    search = StumpSearch(X, y, None, categorical)
    stumps = boost(search, QUALITIES[1], 6)
    inner = getattr(module, kernel)

    def interrupted(*arguments):
        inner(*arguments)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(module, kernel, interrupted)
        with pytest.raises(KeyboardInterrupt):
            boost(search, QUALITIES[1], 1)
    assert stumps + boost(search, QUALITIES[1], 6) == expected


@pytest.mark.parametrize("missing", [False, True])
def test_histograms_carried_from_round_to_round_find_what_new_ones_do(missing):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(25_000, 6)).astype(np.float32)
    y = np.where(X[:, 0] + X[:, 1] * X[:, 2] + rng.normal(size=len(X)) > 0, 1, -1)
    if missing:  # in training, so that stumps vote there too
        X[rng.random(X.shape) < 0.2] = np.nan
    every = np.ones(6, dtype=bool)
    with StumpSearch(X, y) as carried, StumpSearch(X, y) as anew:
        assert carried._cache is not None
        anew._cache = None
        for _ in range(40):
            ours, theirs = (s.best(lambda columns, edges: edges, every) for s in (carried, anew))
            assert ours.edge == pytest.approx(theirs.edge, abs=1e-13)
            assert (ours.column, ours.high) == (theirs.column, theirs.high)
            for search in (carried, anew):
                search.update(theirs, 0.5 * np.log((1 + theirs.edge) / (1 - theirs.edge)))
        kept = carried._cache
        hist = kept.histograms(carried._bins, np.arange(6), carried._weights[carried._current[0]])
        assert kept._steps.max() > 1
        for column, bins in enumerate(carried._bins):
            signed = carried._weights[carried._current[0]]
            np.testing.assert_allclose(hist[column], np.bincount(bins, signed, 256), atol=1e-14)
