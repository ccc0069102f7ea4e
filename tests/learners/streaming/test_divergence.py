"""Steps that are too large: named in an error, while the last good state is kept."""

import re

import numpy as np
import pytest

from scrimp import StreamingBoostingClassifier, StreamingBoostingRegressor
from scrimp.learners.streaming.divergence import DivergenceMonitor, StreamDiverged

RNG = np.random.default_rng(0)
X = RNG.normal(size=(4_000, 3))
Y = 2.0 * X[:, 0] + X[:, 1] ** 2 + 0.1 * RNG.normal(size=4_000)


@pytest.mark.parametrize("step", [3.0, 50.0, 1e9])
def test_a_step_that_diverges_is_named(step):
    model = StreamingBoostingRegressor(step=step, n_learners=20)
    named = re.escape(f"Its steps, up to {step:.6g}, are too large")
    with pytest.raises(StreamDiverged, match=named):
        model.partial_fit(X, Y)
    assert np.isfinite(model.predict(X)).all()
    assert np.abs(model.predict(X)).max() < 10.0


def test_a_step_that_diverges_is_found_for_classes_and_counts():
    with pytest.raises(StreamDiverged, match="It begins again"):
        StreamingBoostingClassifier(step=400.0).partial_fit(X, Y > 1.0)
    counts = RNG.poisson(np.exp(0.5 * X[:, 0]))
    with pytest.raises(StreamDiverged, match="diverges"):
        StreamingBoostingRegressor(loss="poisson", step=30.0).partial_fit(X, counts)


def test_the_last_good_state_is_kept():
    model = StreamingBoostingRegressor(n_learners=20).partial_fit(X[:2_000], Y[:2_000])
    good = model.score(X, Y)
    assert good > 0.8
    model._stream.booster.steps[:] = 40.0  # as a schedule of steps gone wrong
    with pytest.raises(StreamDiverged, match=r"It is as it was after \d+ rows"):
        model.partial_fit(X[2_000:], Y[2_000:])
    model._stream.booster.steps[:] = 0.3
    model._plan = None
    assert model.score(X, Y) > 0.7
    model.partial_fit(X[2_000:], Y[2_000:])
    assert model.score(X, Y) > 0.8


def test_steps_within_the_theory_and_changes_of_the_stream_do_not_diverge():
    turned = np.where(np.arange(4_000) < 2_000, Y, -Y)
    constant = np.where(np.arange(4_000) < 2_000, Y, 1.0)
    louder = np.where(np.arange(4_000) < 2_000, Y, 20.0 * Y)
    for y in (turned, constant, louder):
        for step in (1.0, 0.3):
            StreamingBoostingRegressor(step=step, drift=None).partial_fit(X, y)
    labels = np.where(np.arange(4_000) < 2_000, Y > 1.0, Y < 1.0)
    StreamingBoostingClassifier(learning_rate=1.0, drift=None).partial_fit(X, labels)


def test_the_monitor_compares_with_a_constant():
    monitor = DivergenceMonitor()
    assert not monitor.update(np.full(499, 1e6), np.ones(499))  # too few rows
    assert monitor.update(np.full(1, 1e6), np.ones(1))
    monitor.restart()
    assert not monitor.update(np.full(1_000, 9.0), np.ones(1_000))
    assert not monitor.is_good
    monitor.restart()
    monitor.update(np.ones(10_000), np.full(10_000, 2.0))
    assert monitor.is_good
    assert not monitor.update(np.ones(1_000), np.zeros(1_000))  # the target stands still
    monitor.restart()
    assert monitor.update(np.full(500, np.inf), np.ones(500))


def test_rows_of_nan_and_infinite_gradients_in_mid_stream():
    rows, y = X.copy(), Y.copy()
    rows[500:700] = np.nan
    y[1_000] = 1e300
    y[1_001] = -1e300
    model = StreamingBoostingRegressor(loss="absolute").partial_fit(rows, y)
    assert model.n_clipped_ == 0  # signs are bounded
    assert model.score(X[2_000:], Y[2_000:]) > 0.6
    smooth = StreamingBoostingRegressor()
    for start in range(0, 4_000, 500):
        smooth.partial_fit(rows[start : start + 500], y[start : start + 500])
    assert smooth.n_clipped_ == 2
    assert np.isfinite(smooth.predict(rows)).all()
