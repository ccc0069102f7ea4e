"""From codes and numbers to the columns that models are fitted on."""

import numpy as np
import pytest

from scrimp.data.columns import UNSEEN, Columns
from scrimp.data.encoding import Encoder
from scrimp.data.linear_design import LinearDesign
from scrimp.data.preparation import Preparation

COLUMNS = Columns(("age", "colour", "site"), (None, ("blue", "green", "red"), ("a", "b")))
TABLE = np.array(
    [[1.0, 0.0, 0.0], [np.nan, 2.0, 1.0], [5.0, 2.0, 1.0], [6.0, np.nan, 1.0], [3.0, 0.0, 0.0]]
)


def test_categories_that_occur_have_an_indicator():
    encoding = Encoder().fit(TABLE, COLUMNS)
    assert encoding.preparation.source.tolist() == [0, 1, 1, 2, 2]
    assert encoding.preparation.code.tolist()[1:] == [0.0, 2.0, 0.0, 1.0]
    wide = encoding.table(TABLE)
    assert wide[1].tolist()[1:] == [0.0, 1.0, 0.0, 1.0]
    assert wide[3].tolist() == [6.0, 0.0, 0.0, 0.0, 1.0]
    assert encoding.table(np.array([[1.0, UNSEEN, UNSEEN]])).tolist() == [[1.0, 0, 0, 0, 0]]


def test_all_categories_or_the_most_frequent_ones():
    everything = Encoder(of_all_categories=True).fit(TABLE, COLUMNS).preparation
    assert everything.code.tolist()[1:4] == [0.0, 1.0, 2.0]
    few = Encoder(max_indicators=1).fit(TABLE, COLUMNS).preparation
    assert few.code.tolist()[1:] == [0.0, 1.0]  # equally frequent: the first


def test_one_of_two_categories_is_enough_where_none_is_missing():
    codes = Encoder(one_of_two=True).fit(TABLE, COLUMNS).preparation.code.tolist()
    assert codes[1:] == [0.0, 2.0, 1.0]


def test_codes_stay_if_indicators_are_not_wanted_or_categories_are_native():
    ordinal = Encoder(indicators=False, fill=True).fit(TABLE, COLUMNS)
    assert np.isnan(ordinal.preparation.code).all()
    assert ordinal.preparation.fill.tolist() == [4.0, 1.0, 1.0]
    native = Encoder().fit(TABLE, COLUMNS, native=np.array([False, True, False]))
    assert native.native.tolist() == [False, True, False, False]
    assert native.of(np.array([1])).native.tolist() == [True]


def test_numbers_are_filled_and_standardised():
    preparation = Encoder(fill=True, standardise=True).fit(TABLE, COLUMNS).preparation
    known = np.array([1.0, 5.0, 6.0, 3.0])
    assert preparation.fill[0] == np.median(known)
    assert preparation.center[0] == known.mean()
    assert preparation.scale[0] == known.std()
    assert preparation.scale[1:].tolist() == [1.0] * 4


def test_an_indicator_may_have_a_fill_of_its_own():
    preparation = Preparation(
        np.array([0, 0]), np.array([0.0, 1.0]), np.array([0.25, np.nan]), np.zeros(2), np.ones(2)
    )
    values = np.array([[np.nan], [0.0], [UNSEEN]])
    assert preparation.table(values, np.arange(3)).tolist() == [[0.25, 0.0], [1.0, 0.0], [0.0, 0.0]]


class TestLinearDesign:
    def test_without_categories_the_table_is_not_copied(self):
        numbers = np.array([[1.0, 2.0], [3.0, 4.0]])
        design = LinearDesign.learn(numbers, Columns(None, (None, None)), "error")
        assert design.transform(numbers) is numbers
        assert design.fill is None
        assert design.name(1) == "x1"

    def test_names_of_indicators(self):
        design = LinearDesign.learn(TABLE, COLUMNS, 0.0)
        names = [design.name(j) for j in range(5)]
        assert names == ["age", "colour=blue", "colour=red", "site=a", "site=b"]

    def test_names_that_would_clash_become_positions(self):
        columns = Columns(("a", "a=u"), (("u",), None))
        design = LinearDesign.learn(np.array([[0.0, 1.0], [0.0, 2.0]]), columns, "error")
        assert [design.name(0), design.name(1)] == ["x0", "x1"]

    def test_missing_values(self):
        with pytest.raises(ValueError, match=r"The columns \['age', 'colour'\] hold NaN"):
            LinearDesign.learn(TABLE, COLUMNS, "error").transform(TABLE)
        by_mean = LinearDesign.learn(TABLE, COLUMNS, "mean").transform(TABLE)
        assert by_mean[1, 0] == 3.75
        assert by_mean[3, 1:3].tolist() == [0.5, 0.5]
        by_number = LinearDesign.learn(TABLE, COLUMNS, 7.0).transform(TABLE)
        assert by_number[1, 0] == 7.0
        assert by_number[3, 1:3].tolist() == [0.0, 0.0]
