"""Gradient boosting in blocks, for an unknown number of learners, against its slow twin."""

import numpy as np
import pytest
from sklearn.datasets import make_friedman1

from scrimp import StreamingBoostingRegressor
from scrimp.learners.streaming import block_schedule
from scrimp.learners.streaming.block_schedule import BlockSchedule
from scrimp.learners.streaming.losses import StreamLoss
from scrimp.learners.streaming.stream_booster import StreamBooster
from scrimp.learners.streaming.stream_rows import StreamRows
from tests.naive import sgb as naive

from .test_booster import Linear, stream


@pytest.mark.parametrize("loss", ["squared", "logistic"])
@pytest.mark.parametrize("size", [1, 2, 3])
def test_blocks_are_boosted_as_by_the_twin(loss, size, monkeypatch):
    monkeypatch.setattr(block_schedule, "WINDOW", 20)
    X, y = stream(loss, n=300)
    booster = StreamBooster(
        StreamLoss(loss), [Linear(3, 1, 0.7) for _ in range(6)], np.full(6, 0.4), np.zeros(1),
        schedule=BlockSchedule(6, size),
    )  # fmt: skip
    no_cuts = np.zeros((3, 1)), np.zeros(3, np.int64)
    answers, active = [], []
    for i in range(len(X)):
        rows = StreamRows(X[i : i + 1], *no_cuts)
        answers.append(booster.learn(rows, y[i : i + 1], np.ones(1))[0])
        active.append(booster.schedule.first)
    learners = [Linear(3, 1, 0.7) for _ in range(6)]
    twin = naive.smooth_in_blocks(
        list(zip(X, y, strict=True)), [Wrapped(each) for each in learners], naive.Loss(loss), 0.4,
        np.zeros(1), size, window=20,
    )  # fmt: skip
    np.testing.assert_allclose(answers, twin.predictions, atol=1e-10)
    assert active == twin.first
    assert active[-1] > 0


class Wrapped:
    """A learner of blocks as the twin takes it."""

    def __init__(self, learner):
        self.learner = learner

    def predict(self, x):
        return self.learner.inner.predict(x) * self.learner.part

    def update(self, x, target):
        self.learner.inner.update(x, target)


def test_learners_before_the_block_are_frozen_and_those_after_it_wait():
    X, y = make_friedman1(3_000, 5, noise=1.0, random_state=0)
    model = StreamingBoostingRegressor(n_learners=9, block_size=3).partial_fit(X[:2_500], y[:2_500])
    booster = model._stream.booster
    booster.schedule.begin(3)
    before = [{n: a.copy() for n, a in each.state(False).items()} for each in booster.learners]
    model._stream.n_rows = 2_500  # no decision comes between
    model.partial_fit(X[2_500:], y[2_500:])
    for i, (learner, old) in enumerate(zip(booster.learners, before, strict=True)):
        same = all(np.array_equal(learner.state(False)[name], a) for name, a in old.items())
        assert same == (not 3 <= i < 6)


def test_blocks_learn_as_well_as_all_together():
    X, y = make_friedman1(20_000, 6, noise=1.0, random_state=0)
    together = StreamingBoostingRegressor().partial_fit(X, y).score(X, y)
    in_blocks = StreamingBoostingRegressor(block_size=5).partial_fit(X, y)
    assert in_blocks._stream.booster.schedule.first > 0
    assert in_blocks.score(X, y) > together - 0.02


def test_a_frozen_learner_that_began_again_learns_again():
    model = StreamingBoostingRegressor(n_learners=6, block_size=2)
    X, y = make_friedman1(500, 5, random_state=0)
    model.partial_fit(X, y)
    booster = model._stream.booster
    booster.schedule.begin(4)
    booster.learners[1].reset()
    booster.unfreeze_new()
    assert booster.schedule.first == 0


def test_a_block_ends_where_the_loss_falls_no_further():
    schedule = BlockSchedule(10, 4)
    rng = np.random.default_rng(0)
    for level in (9.0, 5.0, 3.0):
        schedule.update(level + rng.normal(size=1_000))
        assert schedule.first == 0
    schedule.update(3.0 + rng.normal(size=1_000))
    assert (schedule.first, schedule.stop) == (4, 8)
    for _ in range(4):
        schedule.update(3.0 + rng.normal(size=1_000))
    assert (schedule.first, schedule.stop) == (8, 10)  # the last block learns on


def test_the_size_of_a_block_is_checked():
    with pytest.raises(ValueError, match="block_size is 0; expected None or a whole number >= 1"):
        StreamingBoostingRegressor(block_size=0).fit(np.zeros((3, 1)), [0.0, 1.0, 2.0])
