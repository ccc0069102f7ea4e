"""Columns collapsed to 0/1 features, and the papers' counts of them."""

import os

import numpy as np
import polars as pl
import pytest

from papers.features import (
    NAMES,
    binary,
    category_features,
    range_features,
    threshold_features,
)
from papers.huang2015.published import SETTINGS

#: Counted otherwise than in the paper: see the reports.
DIFFERENT = {"ocr17": 423, "ocr49": 425, "breast_cancer": 81}


def test_thresholds_lie_between_neighbouring_values():
    features = threshold_features([[1.0, 5.0], [4.0, 5.0], [2.0, 5.0]])
    assert features.tolist() == [[0, 0], [1, 1], [1, 0]]  # a constant column has none


def test_a_missing_value_is_above_no_threshold():
    assert threshold_features([[1.0], [np.nan], [2.0]]).tolist() == [[0], [0], [1]]


def test_categories():
    assert category_features(pl.Series(["x", "z", "y"])).tolist() == [
        [1, 0, 0], [0, 0, 1], [0, 1, 0],
    ]  # fmt: skip
    assert category_features(pl.Series(["m", "f", "m"])).tolist() == [[1], [0], [1]]


def test_ranges_cover_every_value_once():
    x = np.array([0.0, 1.0, 29.0, 30.0, 100.0])
    features = range_features(x, 3)
    assert features.sum(axis=1).tolist() == [1] * 5
    assert features.argmax(axis=1).tolist() == [0, 0, 0, 0, 2]


@pytest.mark.skipif(not os.environ.get("SCRIMP_DATA"), reason="SCRIMP_DATA is not set")
@pytest.mark.parametrize("name", NAMES)
def test_counts_of_features_are_those_of_table_1(name):
    data = binary(name)
    assert data.X.shape[1] == DIFFERENT.get(name, SETTINGS[name].n_features)
    assert set(np.unique(data.X)) == set(np.unique(data.y)) == {0, 1}
    assert len(data.y) >= SETTINGS[name].train + SETTINGS[name].test
    assert (data.X.min(axis=0) < data.X.max(axis=0)).all() or name == "census"


@pytest.mark.skipif(not os.environ.get("SCRIMP_DATA"), reason="SCRIMP_DATA is not set")
@pytest.mark.parametrize("name", ["ocr17", "ocr49"])
def test_about_402_pixels_vary_in_the_rows_of_a_trial(name):
    X = binary(name).X
    rng = np.random.default_rng(0)
    counts = [
        len(set(np.flatnonzero(np.ptp(X[rng.permutation(len(X))[:6000]], axis=0))))
        for _ in range(5)
    ]
    assert abs(np.mean(counts) - 402) < 8
