"""The search for K classes prunes as that for two does."""

from __future__ import annotations

import math

import numpy as np
import pytest

from scrimp.learners.boosting import binned_search, class_search, stump_search
from scrimp.learners.boosting.budgeted import vote_weight
from scrimp.learners.boosting.class_search import ClassSearch

K = 5


def mixed_data(n=3000, d=90, seed=0):
    """Informative, few-valued, constant, categorical and missing columns."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d)).astype(np.float32)
    score = X[:, :12] @ rng.standard_normal(12) + rng.standard_normal(n)
    X[:, 5] = np.round(X[:, 5])
    X[:, 6] = 1.0
    X[:, 7:10] = rng.integers(0, 5, (n, 3))
    X[rng.random((n, d)) < 0.02] = np.nan
    X[:, 30:50] = np.nan_to_num(X[:, 30:50])
    categorical = np.zeros(d, dtype=bool)
    categorical[7:10] = True
    y = np.searchsorted(np.quantile(score, [0.1, 0.4, 0.6, 0.9]), score)
    return X, y, rng.uniform(0.5, 2.0, n), categorical


def boost(search, quality, rounds, full=False):
    """Stumps of some rounds, if asked by scanning all columns in each."""
    d = len(search._best)
    stumps = []
    for _ in range(rounds):
        if full:
            search._scan(np.arange(d))
        stumps.append(search.best(quality, np.ones(d, dtype=bool)))
        search.update(stumps[-1], vote_weight(stumps[-1].edge, K))
    return stumps


def priced(columns, edges):
    prices = np.random.default_rng(1).uniform(0.01, 2, 90)
    return -np.log1p(-(edges**2)) / prices[columns]


def by_edge(columns, edges):
    return edges


@pytest.mark.parametrize("quality", [by_edge, priced])
def test_pruned_search_equals_full_search(quality):
    pruned, full = (ClassSearch(*mixed_data()) for _ in range(2))
    assert boost(pruned, quality, 50) == boost(full, quality, 50, full=True)
    if quality is priced:
        assert pruned.n_scanned < 0.8 * full.n_scanned


def test_bounds_hold_in_every_round_and_are_not_idle():
    search, closest = ClassSearch(*mixed_data()), math.inf
    for _ in range(30):
        boost(search, priced, 1)
        bounds = search._base + search._current[1][search._refers] + 1e-9
        twin, before = search._best.copy(), (search._base.copy(), search._refers.copy())
        search._scan(np.arange(90))
        assert (search._best["edge"] <= bounds).all()
        closest = min(closest, (bounds - search._best["edge"]).min())
        search._best[:] = twin
        search._base[:], search._refers[:] = before
        search._fresh[:] = False
    assert closest < 0.2


def test_threads_do_not_matter(monkeypatch):
    monkeypatch.setattr(binned_search, "_THREAD_CELLS", 0)
    monkeypatch.setattr(binned_search, "_BLOCKS", 1)
    runs = []
    for n_threads in (1, 2, 3):
        with ClassSearch(*mixed_data(n=5000), n_threads=n_threads) as search:
            runs.append(boost(search, priced, 20))
    assert runs[0] == runs[1] == runs[2]


def test_the_order_of_the_rows_does_not_matter():
    X, y, weight, categorical = mixed_data(n=800)
    order = np.random.default_rng(3).permutation(800)
    one = boost(ClassSearch(X, y, weight, categorical), by_edge, 15)
    other = boost(ClassSearch(X[order], y[order], weight[order], categorical), by_edge, 15)
    assert [s.column for s in one] == [s.column for s in other]
    np.testing.assert_allclose([s.edge for s in one], [s.edge for s in other], rtol=1e-10)


def test_a_new_start_is_the_first_one():
    search = ClassSearch(*mixed_data(n=500))
    first = boost(search, priced, 10)
    search.restart()
    assert boost(search, priced, 10) == first


def test_many_bins():
    fine, full = (ClassSearch(*mixed_data(), max_bins=2000) for _ in range(2))
    assert fine._bins.dtype == np.uint16
    assert boost(fine, priced, 8) == boost(full, priced, 8, full=True)


@pytest.mark.parametrize(
    ("module", "kernel"),
    [
        (class_search, "reweigh_classes"),
        (stump_search, "normalise"),
        (class_search, "add_class_histograms"),
        (class_search, "best_class_stumps"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_interrupt_leaves_a_state_to_go_on_from(module, kernel, monkeypatch):
    expected = boost(ClassSearch(*mixed_data()), priced, 12)
    search = ClassSearch(*mixed_data())
    stumps = boost(search, priced, 6)
    inner = getattr(module, kernel)

    def interrupted(*arguments):
        inner(*arguments)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(module, kernel, interrupted)
        with pytest.raises(KeyboardInterrupt):
            boost(search, priced, 1)
    assert stumps + boost(search, priced, 6) == expected
