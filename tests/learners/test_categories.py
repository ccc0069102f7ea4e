"""Linear models and support vector machines on data frames with text."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.preprocessing import OneHotEncoder

from scrimp import (
    BudgetedSVC,
    BudgetedSVR,
    Costs,
    Item,
    SequencedClassifier,
    SequencedPoissonRegressor,
    SequencedRegressor,
    load,
    save,
)
from scrimp.checks import check_frames

pytestmark = pytest.mark.filterwarnings("ignore:The cheapest purchase")

N = 120
RNG = np.random.default_rng(3)
WORDS = np.array(["red", "green", "blue", "grey"])
WORD = WORDS[RNG.integers(0, 4, N)]
AGE = RNG.normal(size=N)
SITE = np.where(RNG.random(N) < 0.4, "north", "south")
NUMBER = AGE + 2.0 * (WORD == "red") - (WORD == "blue") + 0.5 * (SITE == "north")
NUMBER = NUMBER + 0.1 * RNG.normal(size=N)
CLASS = np.where(np.median(NUMBER) < NUMBER, "yes", "no")
COUNT = np.floor(np.exp(NUMBER / 2))
PRICES = {"age": 1.0, "word": 2.0, "site": 4.0}

LEARNERS = [
    (SequencedRegressor(PRICES), NUMBER),
    (SequencedRegressor(PRICES, criterion="omp", doubling=True), NUMBER),
    (SequencedClassifier(PRICES), CLASS),
    (SequencedPoissonRegressor(PRICES), COUNT),
    (BudgetedSVC(PRICES, budget=[3.0, 7.0]), CLASS),
    (BudgetedSVR(PRICES, budget=[3.0, 7.0]), NUMBER),
]
IDS = [type(learner).__name__ + str(k) for k, (learner, _) in enumerate(LEARNERS)]


def table(word=WORD):
    return pl.DataFrame({"age": AGE, "word": pl.Series(list(word), dtype=pl.String), "site": SITE})


def wide():
    """The table with indicators made by hand, and prices that follow."""
    encoder = OneHotEncoder(sparse_output=False).fit(np.column_stack([WORD, SITE]))
    X = np.column_stack([AGE, encoder.transform(np.column_stack([WORD, SITE]))])
    groups = ["age"] + ["word"] * 4 + ["site"] * 2
    return X, Costs.per_group(groups, PRICES)


@pytest.fixture(params=LEARNERS, ids=IDS)
def case(request):
    return request.param


def test_answers_are_those_of_indicators_made_by_hand(case):
    learner, y = case
    X, costs = wide()
    # items in the order of the frame's columns, so that ties fall alike
    order = [costs.names.index(name) for name in PRICES]
    costs = Costs.from_items(
        [Item(costs.names[i], costs.prices[i], costs.columns[i]) for i in order]
    )
    by_hand = type(learner)(**(learner.get_params() | {"costs": costs})).fit(X, y)
    model = type(learner)(**learner.get_params()).fit(table(), y)
    for budget in (0.0, 1.0, 3.0, 7.0, None):
        np.testing.assert_array_equal(
            model.spend(table(), budget), by_hand.spend(X, budget), err_msg=str(budget)
        )
        one, other = model.predict(table(), budget), by_hand.predict(X, budget)
        if one.dtype.kind == "f":
            np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-9)
        else:
            assert (one == other).all()


def test_prices_are_those_of_the_columns(case):
    learner, y = case
    model = learner.fit(table(), y)
    assert set(model.plan_.costs.names) == set(PRICES)
    assert set(np.unique(model.spend(table(), 3.0)).tolist()) <= {0.0, 1.0, 2.0, 3.0}
    assert model.spend(table()).max() <= 7.0


def test_frames_of_any_library_and_order(case):
    learner, y = case
    model = learner.fit(table(), y)
    frame = table()
    expected = model.predict(frame)
    for other in (frame.select("site", "age", "word"), frame.to_pandas()):
        assert (model.predict(other) == expected).all()
    as_categories = pd.DataFrame(
        {"age": AGE, "word": pd.Categorical(WORD), "site": pd.Categorical(SITE)}
    )
    again = type(learner)(**learner.get_params()).fit(as_categories, y)
    assert (again.predict(as_categories) == expected).all()
    with pytest.raises(ValueError, match="fitted on a data frame with categories, and X is an arr"):
        model.predict(np.ones((2, 3)))


def test_saved_and_loaded(case, tmp_path):
    learner, y = case
    model = learner.fit(table(), y)
    save(model, tmp_path / "m.scrimp")
    loaded = load(tmp_path / "m.scrimp")
    for budget in (0.0, 2.0, None):
        assert (loaded.predict(table(), budget) == model.predict(table(), budget)).all()
        assert (loaded.spend(table(), budget) == model.spend(table(), budget)).all()


def test_a_session_answers_as_a_batch(case):
    learner, y = case
    model = learner.fit(table(), y)
    for row in table().head(5).to_dicts():
        frame = pl.DataFrame([row], schema=table().schema)
        for budget in (1.0, 3.0, 7.0):
            session = model.session(budget)
            while (request := session.ask()) is not None:
                session.tell({name: row[name] for name in request.columns})
            label, expected = session.read().label, model.predict(frame, budget)[0]
            if isinstance(expected, str):
                assert label == expected
            else:
                assert label == pytest.approx(expected, rel=1e-9)
            assert session.spent == model.spend(frame, budget)[0]


def test_owned_columns_are_free(case):
    learner, y = case
    model = learner.fit(table(), y)
    owned = np.array([False, True, False])
    spent = model.spend(table(), 3.0, owned=owned)
    assert spent.max() <= 1.0
    full, known = model.predict(table(), 7.0), model.predict(table(), 7.0, owned=owned)
    assert (full == known).all()
    session = model.session(0.0, known={"word": "red"})
    assert session.spent == 0.0


def test_an_unseen_category_counts_as_none(case):
    learner, y = case
    model = learner.fit(table(), y)
    unseen = table().with_columns(word=pl.lit("violet"))
    other = table().with_columns(word=pl.lit("black"))
    assert (model.predict(unseen) == model.predict(other)).all()
    assert (model.spend(unseen) == model.spend(table())).all()
    if isinstance(learner, SequencedRegressor) and set(model.sequence_) == set(PRICES):
        last = model.plan_.plan.models.models[-1]
        rows = np.column_stack([AGE, np.full(N, -1.0), (SITE == "south") * 1.0])
        flags = last.preparation.table(rows, np.arange(N))[:, last.preparation.source == 1]
        assert not flags.any()


def test_missing_categories_are_refused_or_filled(case):
    learner, y = case
    gaps = np.where(np.arange(N) % 7 == 0, None, WORD)
    assert learner.missing == "error"
    with pytest.raises(ValueError, match=r"The columns \['word'\] hold NaN"):
        type(learner)(**learner.get_params()).fit(table(gaps), y)
    model = learner.fit(table(), y)
    with pytest.raises(ValueError, match=r"NaN|missing"):
        model.predict(table(gaps))
    params = learner.get_params()
    for missing in ("mean", 0.0):
        filled = type(learner)(**(params | {"missing": missing})).fit(table(gaps), y)
        assert len(filled.predict(table(gaps))) == N
        session = filled.session(7.0, known={"age": None, "word": None, "site": None})
        assert session.read() is not None


def test_a_model_of_categories_alone_refuses_missing_ones_too(tmp_path):
    frame = table().select("word", "site")
    model = SequencedRegressor({"word": 1.0, "site": 1.0}).fit(frame, NUMBER)
    save(model, tmp_path / "m.scrimp")
    gaps = frame.with_columns(word=pl.lit(None, dtype=pl.String))
    for reader in (model, load(tmp_path / "m.scrimp")):
        with pytest.raises(ValueError, match=r"NaN|missing"):
            reader.predict(gaps)
        assert np.isfinite(reader.predict(frame)).all()


def test_a_missing_category_is_the_mean_of_its_indicators():
    gaps = np.where(np.arange(N) % 7 == 0, None, WORD)
    model = SequencedRegressor(PRICES, missing="mean").fit(table(gaps), NUMBER)
    known = WORD[np.arange(N) % 7 != 0]
    shares = np.array([(known == word).mean() for word in sorted(WORDS)])
    last = model.plan_.plan.models.models[-1]
    word = last.preparation.source == 1
    np.testing.assert_allclose(last.preparation.fill[word], shares, rtol=1e-12)
    row = last.preparation.table(np.array([[0.0, np.nan, 0.0]]), np.array([0]))
    np.testing.assert_allclose(row[0, word], shares, rtol=1e-12)


def test_rows_in_chunks_give_the_sequence_of_one_fit():
    whole = SequencedRegressor(PRICES).fit(table(), NUMBER)
    model = SequencedRegressor(PRICES)
    for start in range(0, N, 40):  # all categories are in the first chunk
        rows = slice(start, start + 40)
        model.partial_fit(table()[rows], NUMBER[rows])
    assert model.sequence_ == whole.sequence_
    np.testing.assert_allclose(model.predict(table()), whole.predict(table()), rtol=1e-9)


def test_dependent_indicators_are_named():
    frame = table().with_columns(again=pl.col("site"))
    model = SequencedRegressor(PRICES | {"again": 1.0}, alpha=0.0).fit(frame, NUMBER)
    assert any(name.startswith(("again=", "site=")) for name in model.dependent_)


def test_indicators_follow_their_item_through_fees_and_repricing():
    costs = Costs.from_items(
        [
            Item("visit", 2.0, ()),
            Item("questions", 1.0, ("word", "site"), ("visit",)),
            Item("age", 0.5, ("age",)),
        ]
    )
    model = SequencedRegressor(costs).fit(table(), NUMBER)
    assert set(model.spend(table()).tolist()) == {3.5}
    dearer = model.reprice([4.0, 1.0, 0.5])
    assert set(dearer.spend(table()).tolist()) == {5.5}
    assert np.isfinite(model.sequence_bounds().gamma)


@pytest.mark.parametrize(
    "learner", [SequencedRegressor(), SequencedClassifier()], ids=["numbers", "classes"]
)
def test_frames_of_numbers_pass_the_check(learner):
    check_frames(learner, max_examples=5)
