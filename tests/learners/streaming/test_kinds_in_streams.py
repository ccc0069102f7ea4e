"""Weak learners of all kinds where columns come, blocks freeze, steps diverge and streams drift."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from scrimp import (
    SampledBoostingClassifier,
    StreamingBoostingClassifier,
    StreamingBoostingRegressor,
)
from scrimp.data.columns import Columns
from scrimp.learners.streaming import (
    Convolution,
    Linear,
    Network,
    Newton,
    RandomFeatures,
    StreamDiverged,
)
from scrimp.learners.streaming.stream_rows import InputMoments
from scrimp.learners.streaming.user_learner import UserKind
from scrimp.learners.streaming.weak_learner import LearnerContext

from .test_learner_kinds import Sgd
from .test_learners import plain_rows

RNG = np.random.default_rng(0)
X = RNG.normal(size=(3_000, 4))
Y = X[:, 0] + 2.0 * X[:, 1] + 0.1 * RNG.normal(size=3_000)
IMAGE = Convolution((2, 2), side=2, stride=1, rate=0.02)
#: Kinds that take new columns, and all.
GROWING = [Linear(0.5), Newton(), Network(rate=0.1), RandomFeatures(30, bandwidth=4.0), Sgd(0.3)]
KINDS = [*GROWING, IMAGE]


def name(kind):
    return kind if isinstance(kind, str) else getattr(kind, "name", "user")


def each(kinds):
    return pytest.mark.parametrize("learner", kinds, ids=name)


LATE = 600


def rows(start=0, stop=3_000):
    """Dicts: the column b is there from row 600 on."""
    return [
        {"a": float(X[i, 0]), "c": float(X[i, 2])} | ({"b": float(X[i, 1])} if i >= LATE else {})
        for i in range(start, stop)
    ]


def fed(model, size, stop=3_000, y=Y):
    for start in range(0, stop, size):
        end = min(start + size, stop)
        model.partial_fit(rows(start, end), y[start:end])
    return model


@each(GROWING)
def test_a_column_that_appears_is_learnt(learner):
    model = fed(StreamingBoostingRegressor(learner=learner, n_learners=6), 300)
    assert 2 in model.plan_.columns_read
    assert model.score(rows(2_500), Y[2_500:]) > 0.8
    gone = [{"a": row["a"]} for row in rows(2_500)]
    as_missing = [{"a": row["a"], "b": None, "c": float("nan")} for row in rows(2_500)]
    np.testing.assert_array_equal(model.predict(gone), model.predict(as_missing))
    model.partial_fit({}, 1.0)


@each(GROWING)
@pytest.mark.parametrize("priced", [False, True])
def test_how_dicts_are_divided_among_calls_does_not_matter(learner, priced):
    costs = ({"a": 2.0, "b": 3.0, "c": 1.0}, 5.0) if priced else ()
    model = StreamingBoostingRegressor(*costs, learner=learner, n_learners=3)
    whole, parts = fed(clone(model), 3_000), fed(model, 77)
    np.testing.assert_allclose(whole.predict(rows()), parts.predict(rows()), rtol=1e-7)
    np.testing.assert_allclose(whole.edges_, parts.edges_, rtol=1e-7)
    if priced:
        assert parts.plan_.price <= 5.0
        assert parts.spend(rows(2_900), budget=3.0).max() <= 3.0


@each(["network", "random-features", "linear"])
def test_categories_that_appear_are_learnt_however_rows_are_divided(learner):
    letters = np.array(list("uvwxyz"))[np.arange(3_000) // 500]
    letters[2_000:] = RNG.choice(list("uvwxyz"), 1_000)
    y = Y + 5.0 * (letters == "y")
    frame = pd.DataFrame({"b": X[:, 1], "letter": letters, "a": X[:, 0]})
    model = StreamingBoostingRegressor(learner=learner, n_learners=3, drift=None)
    parts = clone(model)
    for start in range(0, 3_000, 250):
        part = slice(start, start + 250)
        parts.partial_fit(frame[part], y[part])
    whole = model.partial_fit(frame, y)
    np.testing.assert_allclose(whole.predict(frame), parts.predict(frame), rtol=1e-7)
    assert sorted(parts.columns_.categories[1]) == list("uvwxyz")
    with pytest.raises(ValueError, match="y"):
        parts.partial_fit(frame[:2].assign(letter=["new", "q"]), [np.nan, 1.0])
    parts.partial_fit(frame[:60], y[:60])
    assert np.isfinite(parts.predict(frame)).all()


def test_images_have_all_pixels_from_the_beginning():
    pixels = [dict(zip("abcd", row, strict=True)) for row in X.tolist()]
    model = StreamingBoostingRegressor(learner=IMAGE, n_learners=3)
    model.partial_fit(pixels[:500], Y[:500])
    before = model.predict(pixels)
    with pytest.raises(ValueError, match=r"X has the new columns \['e'\], and the learner 'conv"):
        model.partial_fit({"e": 1.0}, 1.0)
    np.testing.assert_array_equal(model.predict(pixels), before)
    model.partial_fit([{"a": 1.0}], [1.0])
    assert model.n_features_in_ == 4


@each(KINDS)
def test_blocks_are_frozen_and_learn_again(learner):
    model = StreamingBoostingRegressor(learner=learner, n_learners=4, block_size=2, drift=None)
    model.partial_fit(X[:1_000], Y[:1_000])
    booster = model._stream.booster
    booster.schedule.begin(2)
    rows = plain_rows(X[:50])
    frozen = [each.predict(rows) for each in booster.learners[:2]]
    model.partial_fit(X[1_000:1_500], Y[1_000:1_500])
    for learnt, before in zip(booster.learners, frozen, strict=False):
        np.testing.assert_array_equal(learnt.predict(rows), before)
    assert booster.learners[2].has_learnt
    booster.learners[1].reset()
    booster.unfreeze_new()
    assert booster.schedule.first == 0


@each(KINDS)
def test_a_step_that_diverges_is_named_and_the_last_good_state_is_kept(learner):
    model = StreamingBoostingRegressor(learner=learner, n_learners=6)
    model.partial_fit(X[:2_000], Y[:2_000])
    good = model.score(X, Y)
    assert good > 0.5
    model._stream.booster.steps[:] = 40.0  # as a schedule of steps gone wrong
    with pytest.raises(StreamDiverged, match=r"It is as it was after \d+ rows"):
        model.partial_fit(X, Y)
    model._stream.booster.steps[:] = 0.3
    model._plan = None
    assert model.score(X, Y) > good - 0.3
    model.partial_fit(X[2_000:], Y[2_000:])
    assert model.score(X, Y) > good - 0.1


@each(GROWING)
def test_a_state_of_before_columns_came_is_gone_back_to(learner):
    model = fed(StreamingBoostingRegressor(learner=learner, n_learners=3), 500, 2_000)
    stream = model._stream
    assert stream._kept
    model.partial_fit({"a": 1.0, "new": 3.0, "text": "t"}, 1.0)
    stream._go_back()
    model._plan = None
    assert model.score(rows(1_500, 2_000), Y[1_500:2_000]) > 0.3
    model.partial_fit(rows(2_000), Y[2_000:])


@each(KINDS)
def test_learners_that_do_harm_after_a_change_begin_again(learner):
    y = np.where(np.arange(6_000) < 3_000, np.tile(Y, 2), -np.tile(Y, 2))
    model = StreamingBoostingRegressor(learner=learner, n_learners=4)
    model.partial_fit(np.tile(X, (2, 1)), y)
    assert model.n_drifts_ > 0
    assert model.score(X, -Y) > 0.5


@each([*GROWING[:4], IMAGE, UserKind(Sgd)])
def test_states_are_restored_exactly_and_checked(learner):
    moments = InputMoments(Columns(None, (None,) * 4))
    moments.add(X[:10])
    made = [learner.make(LearnerContext(4, 1, moments, np.random.default_rng(s))) for s in (0, 1)]
    rows = plain_rows(X[:200])
    for _ in range(3):
        made[0].update(rows, Y[:200, None], np.ones(200))
    made[1].restore(made[0].state())
    made[1].update(rows, Y[:200, None], np.ones(200))
    made[0].update(rows, Y[:200, None], np.ones(200))
    np.testing.assert_array_equal(made[0].predict(rows), made[1].predict(rows))
    for each in made:  # what is drawn next is the same as well
        each.reset()
        assert not each.has_learnt
        each.update(rows, Y[:200, None], np.ones(200))
    np.testing.assert_array_equal(made[0].predict(rows), made[1].predict(rows))
    state = made[0].state()
    for key in state:
        with pytest.raises(ValueError, match="expected the arrays"):
            made[1].restore({k: a for k, a in state.items() if k != key})
        with pytest.raises(ValueError, match=f"the array '{key}' is"):
            made[1].restore(state | {key: np.zeros((1, 1, 1, 1))})
    with pytest.raises(ValueError, match="counts that are negative"):
        made[1].restore(state | {"numbers": -state["numbers"]})
    with pytest.raises(ValueError, match="not finite"):
        made[1].restore(state | {"numbers": state["numbers"] * np.nan})
    with pytest.raises(ValueError, match="a column that it may not read"):
        made[1].restore(state | {"allowed": np.zeros(4, dtype=bool)})


def test_the_vote_of_other_learners_than_trees_is_not_drawn():
    model = StreamingBoostingClassifier(learner="linear", n_learners=3).fit(X, Y > 0)
    with pytest.raises(ValueError, match="weak learners of the kind 'linear', whose votes have no"):
        SampledBoostingClassifier.from_ensemble(model)


@pytest.mark.parametrize("combine", ["weighted", "momentum", "average"])
def test_however_trees_are_combined_their_vote_is_drawn(combine):
    model = StreamingBoostingClassifier(combine=combine, n_learners=5).fit(X, Y > 0)
    sampled = SampledBoostingClassifier.from_ensemble(model, random_state=0)
    np.testing.assert_allclose(sampled.decision_function(X), model.decision_function(X))
