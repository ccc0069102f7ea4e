"""Prepared columns are those of the formula, and the same after storage."""

import numpy as np
import pytest

from scrimp.data.preparation import Preparation

NAN = np.nan


def preparation(knee):
    return Preparation(
        [0, 1, 1], [NAN, NAN, 2.0], [1.0, 0.5, NAN], [0.2, 0.0, 0.1], [2.0, 1.0, 3.0], knee
    )


def naive(row, one):
    """Follow the docstring of `Preparation`, value by value."""
    out = []
    for j, source in enumerate(one.source):
        x = row[source]
        if not np.isnan(one.code[j]):
            x = float(x == one.code[j])
        elif not np.isfinite(x) and not np.isnan(one.fill[j]):
            x = one.fill[j]
        if not np.isnan(one.knee[j]):
            x = np.arcsinh((x - one.fill[j]) / one.knee[j])
        out.append((x - one.center[j]) / one.scale[j])
    return out


@pytest.mark.parametrize("knee", [[], [NAN, NAN, NAN], [0.3, NAN, NAN], [1e-3, 2.0, NAN]])
def test_columns_are_filled_transformed_and_scaled(knee):
    one = preparation(knee)
    X = np.array([[3.0, 2.0], [NAN, 7.0], [-50.0, 2.0], [1.0, np.inf], [1e300, 2.0]])
    expected = [naive(row, one) for row in X]
    np.testing.assert_allclose(one.table(X, np.arange(len(X))), expected, rtol=1e-12)
    again = Preparation.from_arrays(one.arrays())
    np.testing.assert_array_equal(again.knee, one.knee)
    np.testing.assert_array_equal(one.taken(np.array([1])).knee, one.knee[[1]])


def test_without_knees_there_is_no_array_of_them():
    assert "prepare/knee" not in preparation([]).arrays()
    assert "prepare/knee" in preparation([0.3, NAN, NAN]).arrays()


@pytest.mark.parametrize("knee", [[0.0, NAN, NAN], [-1.0, NAN, NAN], [NAN, NAN, 1.0]])
def test_a_knee_is_above_0_and_has_a_fill(knee):
    with pytest.raises(ValueError, match="a knee must be above 0, and its column have a fill"):
        preparation(knee)


def test_knees_fit_the_columns():
    with pytest.raises(ValueError, match="one entry per column"):
        preparation([0.3])
