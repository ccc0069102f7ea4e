"""A table as families read it."""

import numpy as np
import pytest

from scrimp import Costs
from scrimp.data.columns import Columns
from scrimp.meta.frontier.design import MAX_INDICATORS, Design
from tests.naive.kernels import bin_of

NAN = np.nan


def design(*columns, categorical=()):
    X = np.array(columns, dtype=np.float64).T.copy()
    categories = tuple(() if c in categorical else None for c in range(X.shape[1]))
    return Design.of(X, Columns(None, categories), Costs.uniform(X.shape[1])), X


def test_numbers_stay_as_they_are():
    own, X = design([1.0, NAN, 3.0, 2.0], [0.0, 5.0, 5.0, 1.0])
    np.testing.assert_array_equal(own.table, X)
    assert own.item_of.tolist() == [0, 1]


def test_categories_become_indicators_and_a_missing_one_is_none_of_them():
    own, _ = design([0, 1, 2, NAN, 1], categorical=[0])
    np.testing.assert_array_equal(
        own.table, [[1, 0, 0], [0, 1, 0], [0, 0, 1], [0, 0, 0], [0, 1, 0]]
    )
    assert own.item_of.tolist() == [0, 0, 0]


def test_of_two_categories_one_indicator_is_enough_unless_some_are_missing():
    assert design([0, 1, 1, 0], categorical=[0])[0].table.T.tolist() == [[0, 1, 1, 0]]
    assert design([0, 1, NAN, 0], categorical=[0])[0].table.shape == (4, 2)


def test_a_column_without_any_category_has_an_indicator_of_none():
    own, _ = design([NAN] * 4, categorical=[0])
    assert own.table.T.tolist() == [[0, 0, 0, 0]]
    assert own.columns([0]).tolist() == []


def test_of_many_categories_the_frequent_ones_have_indicators():
    codes = np.repeat(np.arange(MAX_INDICATORS + 20.0), 2)
    often = np.repeat(np.arange(30.0, MAX_INDICATORS + 20.0), 3)
    own, _ = design(np.append(codes, often), categorical=[0])
    kept = set(own.preparation.code.tolist())
    assert len(kept) == MAX_INDICATORS
    assert set(often.tolist()) <= kept


def test_constants_say_nothing_but_what_is_missing_may():
    own, _ = design(
        [2.0] * 4, [2.0, NAN, 2.0, 2.0], [1, 1, 1, 1], [1.0, 2.0, 3.0, 4.0], [NAN] * 4,
        categorical=[2],
    )  # fmt: skip
    assert 0 not in own.columns_of
    assert 2 not in own.columns_of
    assert {1, 3} <= set(own.columns_of)
    assert own.columns([0, 2]).tolist() == []
    assert own.columns([3, 1]).tolist() == [1, 3]


def test_items_bring_all_their_columns():
    costs = Costs.per_group(["g", "h", "g"], {"g": 1.0, "h": 2.0})
    X = np.random.default_rng(0).normal(size=(50, 3))
    own = Design.of(X, Columns(None, (None,) * 3), costs)
    g, h = costs.names.index("g"), costs.names.index("h")
    assert own.columns([g]).tolist() == [0, 2]
    assert own.columns([h]).tolist() == [1]
    assert own.columns([h, g]).tolist() == [0, 1, 2]


def test_bins_count_the_cuts_below_a_value():
    rng = np.random.default_rng(1)
    own, X = design(rng.normal(size=300), rng.integers(0, 3, 300), np.append([NAN] * 5, range(295)))
    for column, (cuts, bins) in enumerate(zip(own.cuts, own.bins, strict=True)):
        assert bins.tolist() == [bin_of(value, cuts, 255) for value in X[:, column]]
        assert own.n_bins[column] == len(cuts) + 1


def test_filled_columns_have_mean_0_and_variance_1_and_are_prepared_alike_later():
    rng = np.random.default_rng(2)
    first = rng.normal(5.0, 3.0, 60)
    first[:9] = [NAN, np.inf, -np.inf, *[NAN] * 6]
    own, X = design(first, rng.integers(0, 3, 60), [4.0] * 60, [NAN] * 60, categorical=[1])
    preparation, filled = own.filled
    assert np.isfinite(filled).all()
    np.testing.assert_allclose(filled.mean(axis=0), 0.0, atol=1e-12)
    np.testing.assert_allclose(filled.std(axis=0), [1, 1, 1, 1, 0, 0], atol=1e-12)
    np.testing.assert_allclose(preparation.table(X, np.arange(60)), filled, atol=1e-12)
    middle = np.median(first[9:])
    expected = (middle - preparation.center[0]) / preparation.scale[0]
    assert filled[:9, 0] == pytest.approx(expected)


def test_heavy_tailed_columns_are_transformed_and_others_are_not():
    rng = np.random.default_rng(3)
    heavy, even = np.exp(2.0 * rng.normal(size=400)), rng.normal(size=400)
    far = rng.normal(size=400)
    far[:2] = 1e300, -1e300
    own, X = design(heavy, even, far, np.r_[np.zeros(399), 1.0])
    preparation, filled = own.filled
    assert np.isnan(preparation.knee).tolist() == [False, True, False, False]
    distances = np.abs(heavy - np.median(heavy))
    assert preparation.knee[0] == pytest.approx(0.5 * np.median(distances[distances > 0]))
    assert np.abs(filled[:, 0]).max() < 4.0 < ((heavy - heavy.mean()) / heavy.std()).max()
    assert np.isfinite(filled).all()
    np.testing.assert_allclose(preparation.table(X, np.arange(400)), filled, atol=1e-12)
    np.testing.assert_array_equal(np.argsort(filled[:, 0]), np.argsort(heavy))
