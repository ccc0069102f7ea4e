"""Streams of dicts: columns that come and go, their prices, and sessions meanwhile."""

import numpy as np
import polars as pl
import pytest

from scrimp import Costs, Item, StreamingBoostingClassifier, StreamingBoostingRegressor

RNG = np.random.default_rng(0)
X = RNG.normal(size=(4_000, 3))
Y = np.where(np.arange(4_000) < 1_500, X[:, 0], X[:, 0] + 3.0 * X[:, 1]) + 0.1 * X[:, 2]
LATE = 1_500
PRICES = {"a": 2.0, "b": 3.0, "c": 1.0, "d": 5.0}


def rows(start=0, stop=4_000):
    """Dicts: the column b is there from row 1,500 on."""
    names = ("a", "b", "c")
    return [
        {name: float(X[i, j]) for j, name in enumerate(names) if name != "b" or i >= LATE}
        for i in range(start, stop)
    ]


def streamed(model, size, stop=4_000):
    for start in range(0, stop, size):
        end = min(start + size, stop)
        model.partial_fit(rows(start, end), Y[start:end])
    return model


def test_a_column_that_appears_is_learnt():
    model = streamed(StreamingBoostingRegressor(), 100)
    assert model.feature_names_in_.tolist() == ["a", "c", "b"]
    assert model.n_features_in_ == 3
    assert 2 in model.plan_.columns_read
    assert model.score(rows(3_500), Y[3_500:]) > 0.8
    without = [{"a": row["a"], "c": row["c"]} for row in rows(3_500)]
    assert model.score(without, Y[3_500:]) < 0.3


def test_a_late_column_is_as_one_that_was_missing_before():
    """Until the decision that it brings about, answers are those of a table with NaN in it."""
    b = np.where(np.arange(4_000) < LATE, np.nan, X[:, 1])
    frame = pl.DataFrame({"a": X[:, 0], "c": X[:, 2], "b": b})
    late = streamed(StreamingBoostingRegressor(n_learners=4), 100, 2_400)
    table = StreamingBoostingRegressor(n_learners=4)
    for start in range(0, 2_400, 100):
        table.partial_fit(frame[start : start + 100], Y[start : start + 100])
    np.testing.assert_array_equal(late.predict(rows(0, 500)), table.predict(frame[:500]))
    known, other = (each._stream.booster.learners[0].state() for each in (late, table))
    np.testing.assert_allclose(known["histograms"], other["histograms"], rtol=1e-3, atol=1e-3)
    assert known["histograms"][:, 2, -1].any()


@pytest.mark.parametrize("size", [1, 77])
def test_how_dicts_are_divided_among_calls_does_not_matter(size):
    stop = 200 if size == 1 else 4_000
    whole = streamed(StreamingBoostingRegressor(PRICES, 5.0, n_learners=4), 1_000, stop)
    parts = streamed(StreamingBoostingRegressor(PRICES, 5.0, n_learners=4), size, stop)
    np.testing.assert_array_equal(whole.predict(rows()), parts.predict(rows()))
    np.testing.assert_array_equal(whole.edges_, parts.edges_)


@pytest.mark.parametrize("costs", [PRICES, Costs.per_feature(PRICES), None])
def test_the_plan_never_overspends_while_columns_come(costs):
    limit = 5.0 if costs is not None else 2.0
    model = StreamingBoostingRegressor(costs, limit, n_learners=6)
    for start in range(0, 4_000, 100):
        model.partial_fit(rows(start, start + 100), Y[start : start + 100])
        assert model.plan_.price <= limit
        assert model.spend(rows(start, start + 5), budget=3.0).max() <= 3.0
    names = [model.plan_.costs.names[item] for item in model.plan_.items]
    assert "b" in names
    assert model.score(rows(3_500), Y[3_500:]) > 0.6


def test_items_of_several_columns_and_fees_wait_for_their_columns():
    costs = Costs.from_items(
        [Item("visit", 1.0, ()), Item("lab", 2.0, ("a", "b"), ("visit",)), Item("c", 1.0, ("c",))]
    )
    model = streamed(StreamingBoostingRegressor(costs, 3.0), 500)
    assert model.plan_.price == 3.0
    assert model.score(rows(3_500), Y[3_500:]) > 0.7


def test_a_column_without_a_price_is_named_and_nothing_is_lost():
    model = StreamingBoostingRegressor({"a": 1.0, "c": 1.0}, n_learners=4)
    model.partial_fit(rows(0, LATE), Y[:LATE])
    before, n_rows = model.predict(rows(0, 50)), model.n_rows_
    with pytest.raises(ValueError, match=r"no price for the columns \['b'\]"):
        model.partial_fit(rows(LATE, LATE + 9), Y[LATE : LATE + 9])
    np.testing.assert_array_equal(model.predict(rows(0, 50)), before)
    assert model.n_rows_ == n_rows
    model.partial_fit(rows(0, 100), Y[:100])
    with pytest.raises(ValueError, match="The prices go by position"):
        StreamingBoostingRegressor([1.0, 2.0]).partial_fit(rows(0, 10), Y[:10])


def test_a_session_keeps_the_columns_it_began_with():
    model = StreamingBoostingRegressor(PRICES, n_learners=4)
    model.partial_fit(rows(0, LATE), Y[:LATE])
    before = model.predict(rows(0, 1))[0]
    session, asked = model.session(), []
    for start in range(LATE, 4_000, 500):
        model.partial_fit(rows(start, start + 500), Y[start : start + 500])
    while (request := session.ask()) is not None:
        asked += request.columns
        session.tell({name: rows(0, 1)[0][name] for name in request.columns})
    assert "b" not in asked
    assert session.read().label == pytest.approx(before)
    assert "b" in [model.plan_.costs.names[item] for item in model.plan_.items]


def test_a_vanished_column_counts_as_missing():
    model = streamed(StreamingBoostingRegressor(n_learners=4), 500)
    gone = [{"a": row["a"]} for row in rows(3_500)]
    as_missing = [{"a": row["a"], "b": None, "c": float("nan")} for row in rows(3_500)]
    np.testing.assert_array_equal(model.predict(gone), model.predict(as_missing))
    model.partial_fit(gone, Y[3_500:])
    assert np.isfinite(model.predict({})).all()


def test_one_row_at_a_time_with_text_and_classes():
    model = StreamingBoostingClassifier(n_learners=4)
    colours = RNG.choice(["red", "green", "blue"], 1_500)
    for i, colour in enumerate(colours.tolist()):
        row = {"colour": colour} if i % 3 else {"colour": colour, "a": float(X[i, 0])}
        model.partial_fit(row, "hot" if colour == "red" else "cold", classes=["cold", "hot"])
    assert model.predict([{"colour": "red"}, {"colour": "blue"}]).tolist() == ["hot", "cold"]
    assert model.predict_proba({"colour": "red", "other": 3})[0, 1] > 0.7
    assert model.predict({"colour": "mauve"}).shape == (1,)


def test_a_label_never_seen_brings_no_column():
    model = StreamingBoostingClassifier(n_learners=2)
    model.partial_fit(rows(0, 10), np.arange(10) % 2)
    with pytest.raises(ValueError, match=r"y holds \[7\], which are not among the classes"):
        model.partial_fit({"z": 1.0}, 7)
    assert "z" not in model.columns_.names
    model.partial_fit({"z": 1.0}, 1)
    assert "z" in model.columns_.names


def test_rows_without_any_column_are_learnt():
    model = StreamingBoostingRegressor(budget=1.0, n_learners=2)
    for _ in range(60):
        model.partial_fit({}, 3.0)
    assert model.predict([{}, {}]).tolist() == [3.0, 3.0]
    model.partial_fit({"a": 1.0}, 3.0)
    assert model.predict({}).tolist() == [3.0]


def test_dicts_may_follow_a_table_with_names():
    frame = pl.DataFrame({"a": X[:500, 0], "c": X[:500, 2]})
    model = StreamingBoostingRegressor(n_learners=3).partial_fit(frame, Y[:500])
    model.partial_fit(rows(LATE), Y[LATE:])
    assert model.columns_.names == ("a", "c", "b")
    with pytest.raises(ValueError, match="b"):
        model.partial_fit(frame, Y[:500])
    with pytest.raises(ValueError, match="the columns of earlier rows have no names"):
        StreamingBoostingRegressor().partial_fit(X[:5], Y[:5]).partial_fit(rows(0, 5), Y[:5])
