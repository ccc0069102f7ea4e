import datetime
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pytest

from scrimp.data.columns import UNSEEN, Columns, as_frame, learn_columns

NAN = float("nan")


def codes(columns, frame):
    return columns.encode(frame).T.tolist()


def same(one, other):
    np.testing.assert_array_equal(np.array(one, dtype=float), np.array(other, dtype=float))


def people(library):
    return library.DataFrame(
        {
            "age": [40, 50, 60],
            "sex": ["f", "m", "f"],
            "smokes": [True, False, True],
            "weight": [70.5, None, 80.0],
        }
    )


@pytest.mark.parametrize("library", [pd, pl])
def test_numbers_stay_and_categories_become_codes(library):
    columns = learn_columns(people(library))
    assert columns.names == ("age", "sex", "smokes", "weight")
    assert columns.categories == (None, ("f", "m"), None, None)
    assert columns.is_categorical().tolist() == [False, True, False, False]
    same(codes(columns, people(library)), [[40, 50, 60], [0, 1, 0], [1, 0, 1], [70.5, NAN, 80]])


@pytest.mark.parametrize("library", [pd, pl])
def test_a_frame_is_matched_by_name_in_any_order_and_any_library(library):
    columns = learn_columns(people(pd))
    other = people(library)[["weight", "smokes", "sex", "age"]]
    same(columns.encode(other), columns.encode(people(pd)))


@pytest.mark.parametrize("library", [pd, pl])
def test_other_columns_than_in_training_are_refused(library):
    columns = learn_columns(people(library))
    with pytest.raises(ValueError, match=r"X has other columns than in fit: it lacks \['age'\]"):
        columns.encode(people(library)[["sex", "smokes", "weight"]])
    frame = people(library)
    more = library.DataFrame(
        {name: frame[name] for name in [*frame.columns, *[]]} | {"x": [1, 2, 3]}
    )
    with pytest.raises(ValueError, match=r"it has \['x'\], unknown to the model"):
        columns.encode(more)


def test_columns_that_do_not_matter_are_not_looked_at():
    columns = learn_columns(people(pd))
    broken = people(pd).assign(age=["?", "?", "?"])
    table = columns.encode(broken, only=[1, 3])
    assert np.isnan(table[:, [0, 2]]).all()
    same(table[:, 1], [0, 1, 0])


def test_a_category_not_seen_in_training_is_none_of_the_known_ones():
    columns = learn_columns(people(pl))
    frame = pl.DataFrame({"age": [1], "sex": ["x"], "smokes": [None], "weight": [None]})
    same(columns.encode(frame), [[1, UNSEEN, NAN, NAN]])
    assert columns.encode_value(1, "x") == UNSEEN


@pytest.mark.parametrize(
    ("series", "expected"),
    [
        (pd.Series([1, None, 3], dtype="Int64"), [1, NAN, 3]),
        (pd.Series([True, None, False], dtype="boolean"), [1, NAN, 0]),
        (pd.Series(["x", None, "y"], dtype="string"), [0, NAN, 1]),
        (pd.Series(["x", None, "y"], dtype="category"), [0, NAN, 1]),
        (pd.Series(["x", pd.NA, "y"], dtype=object), [0, NAN, 1]),
        (pd.Series([1, None, 2.5], dtype=object), [1, NAN, 2.5]),
        (pd.Series([1, pd.NA, 2.5], dtype=object), [1, NAN, 2.5]),
        (pd.Series([True, None, False], dtype=object), [1, NAN, 0]),
        (pd.Series([Decimal("1.5"), None, Decimal(2)], dtype=object), [1.5, NAN, 2]),
        (pd.Series([1, None, 3], dtype="int64[pyarrow]"), [1, NAN, 3]),
        (pl.Series([1, None, 3]), [1, NAN, 3]),
        (pl.Series([True, None, False]), [1, NAN, 0]),
        (pl.Series(["x", None, "y"]), [0, NAN, 1]),
        (pl.Series(["x", None, "y"], dtype=pl.Categorical), [0, NAN, 1]),
        (pl.Series(["y", None, "x"], dtype=pl.Enum(["y", "x"])), [1, NAN, 0]),
        (pl.Series([None, None, None]), [NAN, NAN, NAN]),
        (pl.Series([1, None, 2], dtype=pl.Decimal(10, 2)), [1, NAN, 2]),
    ],
)
def test_columns_of_any_type(series, expected):
    frame = series.to_frame("a")
    columns = learn_columns(frame)
    same(columns.encode(frame)[:, 0], expected)
    values = [None if value is pd.NA else value for value in series.to_list()]
    same([columns.encode_value(0, value) for value in values], expected)


@pytest.mark.parametrize(
    ("series", "holds"),
    [
        (pd.Series(pd.to_datetime(["2020-01-01"])), "Datetime"),
        (pd.Series([datetime.date(2020, 1, 1)]), "date objects"),
        (pd.Series([{"a": 1}]), ""),
        (pl.Series([datetime.date(2020, 1, 1)]), "Date"),
        (pl.Series([datetime.timedelta(1)]), "Duration"),
        (pl.Series([[1, 2]]), "List"),
    ],
)
def test_dates_and_the_like_are_refused_by_name(series, holds):
    text = rf"Column 'when' holds .*{holds}.*expected numbers, booleans, text or categories"
    with pytest.raises(ValueError, match=text):
        learn_columns(series.to_frame("when"))


def test_text_in_a_column_of_numbers_is_refused_by_name():
    columns = learn_columns(people(pd))
    with pytest.raises(ValueError, match="Column 'age' held numbers in training and holds String"):
        columns.encode(people(pd).assign(age=["40", "50", "?"]))
    with pytest.raises(ValueError, match="Column 'age' is 'old'; expected a number, or None"):
        columns.encode_value(0, "old")


@pytest.mark.parametrize(
    ("training", "values", "expected"),
    [
        (["a", 1, 2], [1, 2], [0, 1]),  # a batch of numbers only
        (["a", 1, 2], [1.0, "2"], [0, 1]),
        (["a", 1, 2], ["2", "b"], [1, UNSEEN]),
        ([True, "no"], [True, "True"], [0, 0]),
    ],
)
def test_a_code_does_not_depend_on_the_rows_beside_it(training, values, expected):
    columns = learn_columns(pd.DataFrame({"a": training}, dtype=object))
    same(columns.encode(pd.DataFrame({"a": values}, dtype=object))[:, 0], expected)
    same([columns.encode_value(0, value) for value in values], expected)


def test_categories_that_are_numbers():
    columns = learn_columns(pd.DataFrame({"a": pd.Categorical([3, 1, 1])}))
    assert columns.categories == ((1.0, 3.0),)
    for values in ([3, 1, 2], [3.0, 1.0, 2.0], ["3", "1", "2"], pd.Categorical([3, 1, 2])):
        same(columns.encode(pd.DataFrame({"a": values}))[:, 0], [1, 0, UNSEEN])
    assert columns.show_value(0, 1.0) == "3"
    assert columns.show_value(0, UNSEEN) == "-1"


def test_tables_without_names_go_by_position():
    columns = learn_columns(np.ones((2, 3)))
    assert columns == Columns(None, (None,) * 3)
    assert columns.name(2) == "x2"
    assert list(columns.positions) == ["x0", "x1", "x2"]
    same(columns.encode(pd.DataFrame({"p": [1], "q": [2], "r": [3]})), [[1, 2, 3]])
    with pytest.raises(ValueError, match=r"X has the shape \(2, 2\); expected rows of 3 columns"):
        columns.encode(np.ones((2, 2)))
    with pytest.raises(ValueError, match="X has 2 columns; expected 3 as in fit"):
        columns.encode(pd.DataFrame({"p": [1], "q": [2]}))


def test_names_may_be_numbers():
    frame = pd.DataFrame(np.arange(6.0).reshape(2, 3))
    columns = learn_columns(frame)
    assert columns.names == ("0", "1", "2")
    same(columns.encode(frame[[2, 0, 1]]), frame.to_numpy())


def test_a_model_of_categories_needs_a_frame():
    columns = learn_columns(people(pd))
    with pytest.raises(
        ValueError, match=r"fitted on a data frame with categories, and X is an arr"
    ):
        columns.encode(np.ones((2, 4)))


def test_only_frames_are_frames():
    assert as_frame(np.ones((2, 2))) is None
    assert as_frame([[1, 2]]) is None
    assert as_frame(people(pd)) is not None
