"""SequencedRegressor: what it promises, wherever its rows come from."""

import re

import numpy as np
import polars as pl
import pytest
from scipy import sparse
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LinearRegression
from sklearn.utils.estimator_checks import parametrize_with_checks

from scrimp import (
    Costs,
    SequencedClassifier,
    SequencedRegressor,
    check_budgeted_estimator,
    load,
    save,
)

SETTINGS = [{}, {"criterion": "omp", "doubling": True}, {"missing": "mean"}]


@pytest.fixture
def rows():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(500, 8)) @ rng.normal(size=(8, 8)) + 100.0
    y = X @ rng.normal(size=8) + rng.normal(size=500)
    return X, y


@parametrize_with_checks([SequencedRegressor(**settings) for settings in SETTINGS[1:]])
@pytest.mark.filterwarnings("ignore")
def test_it_is_a_scikit_learn_estimator(estimator, check):
    check(estimator)


@pytest.mark.parametrize("settings", SETTINGS)
def test_it_keeps_the_promises_of_every_estimator(settings):
    check_budgeted_estimator(SequencedRegressor(**settings))


def test_each_prefix_has_the_least_squares_fit_of_its_own_columns(rows):
    X, y = rows
    costs = Costs.per_group([0, 0, 1, 1, 2, 2, 3, 3], [4.0, 3.0, 2.0, 1.0])
    model = SequencedRegressor(costs, alpha=0.0).fit(X, y)
    for k, spent in enumerate(np.cumsum([costs.prices[int(g)] for g in model.sequence_]), 1):
        known = [c for g in model.sequence_[:k] for c in costs.columns[int(g)]]
        own = LinearRegression().fit(X[:, known], y)
        np.testing.assert_allclose(model.predict(X, spent), own.predict(X[:, known]))
        assert model.explained_[k] == pytest.approx(own.score(X[:, known], y))
    assert model.predict(X, 0.5) == pytest.approx(y.mean())


def test_rows_from_anywhere_give_one_sequence(rows, tmp_path):
    X, y = rows
    costs = Costs.per_group([0, 0, 1, 1, 2, 2, 3, 3], [4.0, 3.0, 2.0, 1.0])
    whole = SequencedRegressor(costs).fit(X, y)
    parts = [(X[a : a + 77], y[a : a + 77]) for a in range(0, len(X), 77)]
    piecewise = SequencedRegressor(costs)
    for part in parts:
        piecewise.partial_fit(*part)
    stored = np.lib.format.open_memmap(tmp_path / "X.npy", mode="w+", shape=X.shape)
    stored[:] = X
    frame = pl.DataFrame(X, schema=[f"c{i}" for i in range(8)]).with_columns(y=pl.Series(y))
    frame.write_parquet(tmp_path / "rows.parquet")
    named = Costs(
        costs.names, costs.prices, costs.columns, costs.requires, tuple(frame.columns[:8])
    )
    others = [
        piecewise,
        SequencedRegressor(costs).fit_chunks(parts),
        SequencedRegressor(costs).fit(stored, y),
        SequencedRegressor(costs).fit(sparse.csr_array(X), y),
        SequencedRegressor(named).fit_chunks(tmp_path / "rows.parquet", target="y"),
        SequencedRegressor(named).fit_chunks(frame.iter_slices(100), target="y"),
    ]
    for model in others:
        assert model.sequence_ == whole.sequence_
        np.testing.assert_allclose(model.explained_, whole.explained_, atol=1e-9)
        np.testing.assert_allclose(
            model.plan_.plan.models.coefficients, whole.plan_.plan.models.coefficients, rtol=1e-6
        )


def test_float32_chooses_as_float64_does(rows):
    X, y = rows
    X = X - 100.0
    small = SequencedRegressor().fit(X.astype(np.float32), y)
    assert small.sequence_ == SequencedRegressor().fit(X, y).sequence_


@pytest.mark.parametrize("kind", [np.float32, sparse.csr_array])
@pytest.mark.parametrize("weighted", [False, True])
def test_responses_far_from_0_keep_their_digits(rows, kind, weighted):
    X, y = rows
    X, y = X - 100.0, y + 1.7e9
    weight = np.random.default_rng(1).integers(0, 4, len(y)) if weighted else None
    plain = SequencedRegressor().fit(X, y, weight)
    model = SequencedRegressor().fit(kind(X), y, weight)
    assert model.sequence_ == plain.sequence_
    np.testing.assert_allclose(model.explained_, plain.explained_, atol=1e-5)
    np.testing.assert_allclose(model.predict(X), plain.predict(X), atol=0.01, rtol=0.0)


def test_weights_are_repetitions(rows):
    X, y = rows
    weight = np.random.default_rng(1).integers(0, 4, len(y))
    weighted = SequencedRegressor().fit(X, y, sample_weight=weight)
    repeated = SequencedRegressor().fit(np.repeat(X, weight, axis=0), np.repeat(y, weight))
    assert weighted.sequence_ == repeated.sequence_
    np.testing.assert_allclose(weighted.predict(X), repeated.predict(X))


def test_several_responses_share_one_order(rows, tmp_path):
    X, y = rows
    Y = np.column_stack([y, X[:, 3], np.full(len(y), 2.0)])
    model = SequencedRegressor().fit(X, Y)
    assert model.predict(X, 3.0).shape == Y.shape
    assert model.sweep(X, [0.0, 2.0, 8.0]).labels().shape == (len(X), 3, 3)
    np.testing.assert_allclose(model.predict(X)[:, 2], 2.0)
    save(model, tmp_path / "m.scrimp")
    np.testing.assert_array_equal(
        load(tmp_path / "m.scrimp").predict(X, 4.0), model.predict(X, 4.0)
    )


def test_more_columns_than_rows():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 100))
    y = X[:, 5] * 3.0 + X[:, 50]
    for alpha in (1e-5, 0.0):
        model = SequencedRegressor(alpha=alpha).fit(X, y)
        assert model.sequence_[:2] == ["x5", "x50"]
        assert np.isfinite(model.plan_.plan.models.coefficients).all()


def test_free_columns_come_first_and_with_what_they_require(rows):
    X, y = rows
    costs = Costs(
        (*tuple("abcdefgh"), "fee"), (0.0, 1.0, 1.0, 1.0, 1.0, 1.0, 0.0, 9.0, 2.0),
        (*tuple((i,) for i in range(8)), ()), ((),) * 6 + ((8,), (8,), ()),
    )  # fmt: skip
    model = SequencedRegressor(costs).fit(X, y)
    assert model.sequence_[0] == "a"
    assert model.spend(X[:1], 0.0) == 0.0
    assert "fee" not in model.sequence_
    full = model.spend(X[:1])
    assert full == pytest.approx(16.0)


def test_what_no_budget_pays_is_passed_over(rows):
    X, y = rows
    model = SequencedRegressor([1e9, *[1.0] * 7], budget=5.0).fit(X, y)
    assert "x0" not in model.sequence_
    assert len(model.sequence_) == 5


def test_missing_values_are_refused_by_name_or_filled_in(rows):
    X, y = rows
    X = X.copy()
    X[::7, 2] = np.nan
    X[3, 5] = np.inf
    with pytest.raises(ValueError, match=re.escape("The columns ['x2', 'x5'] hold NaN")):
        SequencedRegressor().fit(X, y)
    with pytest.raises(ValueError, match="Input y contains infinity"):
        SequencedRegressor().fit(X[:, :2], np.where(np.arange(500) == 3, np.inf, y))
    for missing in ("mean", 100.0):
        model = SequencedRegressor(missing=missing).fit(X, y)
        assert np.isfinite(model.predict(X)).all()
        answer = model.session(8.0, known=dict.fromkeys(f"x{i}" for i in range(8))).read()
        assert np.isfinite(answer.label)


def test_a_chunk_with_other_columns_is_refused_and_the_sums_stand(rows):
    X, y = rows
    model = SequencedRegressor().partial_fit(X[:400], y[:400])
    before = model.predict(X)
    with pytest.raises(ValueError, match="features"):
        model.partial_fit(X[400:, :5], y[400:])
    with pytest.raises(ValueError, match="2 responses; expected 1 as before"):
        model.partial_fit(X[400:], np.column_stack([y, y])[400:])
    np.testing.assert_array_equal(model.predict(X), before)


def test_an_interrupted_stream_leaves_what_was_summed(rows):
    X, y = rows

    def stream():
        yield X[:200], y[:200]
        yield X[200:400], y[200:400]
        raise KeyboardInterrupt

    model = SequencedRegressor()
    with pytest.raises(KeyboardInterrupt):
        model.fit_chunks(stream())
    assert model.sums_.n_rows == 400
    expected = SequencedRegressor().fit(X[:400], y[:400])
    assert model.sequence_ == expected.sequence_
    np.testing.assert_allclose(model.predict(X), expected.predict(X))


@pytest.mark.parametrize(
    ("settings", "text"),
    [
        ({"criterion": "best"}, "criterion is 'best'; expected"),
        ({"alpha": -1.0}, "alpha is -1.0; expected a finite number >= 0"),
        ({"missing": "median"}, "missing is 'median'; expected 'error', 'mean' or a finite number"),
        ({"costs": [1.0, 2.0]}, "The prices cover 2 columns but X has 8"),
        ({"budget": -1.0}, "budget"),
    ],
)
def test_bad_parameters_are_refused(rows, settings, text):
    with pytest.raises(ValueError, match=text):
        SequencedRegressor(**settings).fit(*rows)


@pytest.mark.parametrize(
    ("chunks", "target", "text"),
    [
        ([], None, "chunks holds no rows"),
        (["x"], None, "Chunk 0 is a str; expected"),
        ([pl.DataFrame({"a": [1.0]})], "y", "Chunk 0 has no column 'y'"),
        ("rows.parquet", None, "name the column of the file"),
    ],
)
def test_bad_chunks_are_refused(chunks, target, text):
    with pytest.raises(ValueError, match=text):
        SequencedRegressor().fit_chunks(chunks, target)


def test_a_refused_chunk_is_not_summed_in_part() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(5000, 300)), rng.normal(size=5000)
    model = SequencedRegressor().partial_fit(X, y)
    spoilt = X.copy()
    spoilt[-1, 7] = np.nan
    with pytest.raises(ValueError, match=r"columns \['x7'\] hold NaN"):
        model.partial_fit(spoilt, y)
    assert model.sums_.n_rows == 5000


def test_a_refused_fit_leaves_no_model() -> None:
    model = SequencedRegressor()
    with pytest.raises(ValueError, match="hold NaN"):
        model.fit([[1.0], [np.nan]], [0.0, 1.0])
    with pytest.raises(NotFittedError):
        model.predict([[1.0]])


def test_numbers_too_large_to_be_squared_are_refused_by_name() -> None:
    X = np.random.default_rng(0).normal(size=(50, 2)) * [1.0, 1e200]
    with pytest.raises(ValueError, match=r"columns \['x1'\].*too large"), np.errstate(all="ignore"):
        SequencedRegressor().fit(X, X[:, 0])


def test_empty_chunks_are_passed_over() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 3)), rng.normal(size=60)
    parts = [(X[:0], y[:0]), (X[:20], y[:20]), (X[20:20], y[20:20]), (X[20:], y[20:])]
    chunked = SequencedRegressor().fit_chunks(parts)
    np.testing.assert_allclose(chunked.predict(X), SequencedRegressor().fit(X, y).predict(X))


def test_a_column_without_any_value_in_the_first_rows_is_remarked_on() -> None:
    X = np.random.default_rng(0).normal(size=(30, 2))
    X[:, 1] = np.nan
    with pytest.warns(UserWarning, match=r"The columns \[1\].*count as 0"):
        SequencedRegressor(missing="mean").partial_fit(X, X[:, 0])


@pytest.mark.parametrize("learner", [SequencedRegressor, SequencedClassifier])
def test_warns_when_no_item_is_affordable(learner):
    X = np.arange(12.0).reshape(6, 2) ** 2
    with pytest.warns(UserWarning, match="The cheapest item 'x0' costs 2 but the budget is 1"):
        model = learner([2.0, 3.0], budget=1.0).fit(X, [0, 1, 0, 1, 1, 1])
    assert len(np.unique(model.predict(X))) == 1
