"""Rows that are dicts: columns in the order of their first values, categories that grow."""

import numpy as np
import polars as pl
import pytest
from scipy import sparse

from scrimp.data.columns import UNSEEN, Columns
from scrimp.data.dict_rows import (
    MAX_CATEGORIES,
    encode_dicts,
    frame_of_dicts,
    is_dict_rows,
    with_new_categories,
)


def test_a_dict_and_a_list_of_dicts_are_rows_and_nothing_else_is():
    assert is_dict_rows({})
    assert is_dict_rows([{"a": 1}])
    for other in (
        [],
        [[1.0]],
        sparse.dok_array((2, 2)),
        np.zeros((1, 1)),
        pl.DataFrame({"a": [1]}),
        "a",
        None,
    ):
        assert not is_dict_rows(other)


def test_columns_begin_with_their_first_value():
    columns, table = encode_dicts([{"b": None, "a": 1}, {"b": float("nan")}, {"c": True}], None)
    assert columns.names == ("a", "c")
    np.testing.assert_array_equal(table, [[1.0, np.nan], [np.nan, np.nan], [np.nan, 1.0]])
    more, table = encode_dicts({"b": 2.5}, columns)
    assert more.names == ("a", "c", "b")
    np.testing.assert_array_equal(table, [[np.nan, np.nan, 2.5]])
    assert more.ranges.low.tolist() == [1.0, 1.0, np.inf]


def test_how_rows_are_divided_does_not_matter():
    rows = [{"x": 1, "s": "u"}, {"s": "v", "t": "w"}, {"s": "u", "x": 3}, {"s": 7}]
    whole, table = encode_dicts(rows, None)
    known, parts = None, []
    for row in rows:
        known, part = encode_dicts(row, known)
        parts.append(part)
    assert (known.names, known.categories) == (whole.names, whole.categories)
    assert whole.categories == (None, ("u", "v", "7"), ("w",))
    for i, part in enumerate(parts):
        np.testing.assert_array_equal(part[0], table[i, : part.shape[1]])


def test_categories_are_bounded():
    rows = [{"s": f"k{i}"} for i in range(MAX_CATEGORIES + 5)]
    columns, table = encode_dicts(rows, None)
    assert len(columns.categories[0]) == MAX_CATEGORIES
    assert table[-1, 0] == UNSEEN


def test_categories_of_tables_grow_as_well():
    columns = Columns(("s", "x"), (("a", "b"), None))
    more = with_new_categories(columns, pl.DataFrame({"s": ["c", None, "a"], "x": [1, 2, 3]}))
    assert more.categories == (("a", "b", "c"), None)
    assert with_new_categories(columns, pl.DataFrame({"s": ["a"], "x": [1]})) is columns


def test_text_where_numbers_were_is_refused():
    columns, _ = encode_dicts({"a": 1}, None)
    with pytest.raises(ValueError, match="Column 'a' is 'one'; expected a number"):
        encode_dicts({"a": "one"}, columns)
    with pytest.raises(ValueError, match=r"Column 'a' is \[1, 2\]; expected a number"):
        encode_dicts({"a": [1, 2]}, None)
    with pytest.raises(ValueError, match="Row 1 of X is a list; expected dicts"):
        encode_dicts([{"a": 1}, [2]], None)
    with pytest.raises(ValueError, match="the columns of earlier rows have no names"):
        encode_dicts({"a": 1}, Columns(None, (None,)))


def test_a_frame_has_the_columns_of_the_model():
    columns = Columns(("a", "s"), (None, ("u",)))
    frame = frame_of_dicts([{"s": "u", "z": 9}, {"a": 2, "s": 4.0}], columns)
    assert frame.to_dict(as_series=False) == {"a": [None, 2.0], "s": ["u", "4"]} or np.isnan(
        frame["a"][0]
    )
    assert frame["s"].to_list() == ["u", "4"]
    with pytest.raises(ValueError, match="the model was fitted on arrays"):
        frame_of_dicts({"a": 1}, Columns(None, (None,)))
