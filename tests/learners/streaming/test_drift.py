"""Streams that change: the detector, and what follows an alarm."""

import numpy as np
import pytest

from scrimp import Costs, StreamingBoostingRegressor
from scrimp.learners.streaming.drift import DriftDetector


def alarms(losses):
    """Return the rows at which a detector raises an alarm."""
    detector = DriftDetector()
    return [i for i in range(0, len(losses), 50) if detector.update(losses[i : i + 50])]


@pytest.mark.parametrize("shape", ["normal", "skewed"])
def test_noise_and_falling_losses_are_no_alarm(shape):
    rng = np.random.default_rng(0)
    noise = rng.normal(size=200_000) ** 2 if shape == "skewed" else rng.normal(size=200_000)
    assert alarms(noise) == []
    assert alarms(noise + np.linspace(5.0, 0.0, len(noise))) == []


def test_a_jump_is_found_soon_and_once():
    rng = np.random.default_rng(1)
    losses = rng.normal(size=20_000) ** 2
    losses[10_000:] += 1.0
    found = alarms(losses)
    assert len(found) == 1
    assert 10_000 <= found[0] < 11_000


@pytest.mark.parametrize("drift", ["reset", None])
def test_purchases_follow_a_change(drift):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(12_000, 4))
    y = np.where(np.arange(12_000) < 6_000, 3.0 * X[:, 0], 3.0 * X[:, 1])
    y = y + 0.3 * rng.normal(size=len(y))
    costs = Costs.per_feature([2.0, 2.0, 1.0, 1.0])
    model = StreamingBoostingRegressor(costs, 2.0, n_learners=10, drift=drift)
    model.partial_fit(X[:6_000], y[:6_000])
    assert list(model.plan_.items) == [0]
    assert model.n_drifts_ == 0
    model.partial_fit(X[6_000:], y[6_000:])
    assert model.plan_.price <= 2.0
    right = model.score(X[9_000:], y[9_000:])
    if drift is None:
        assert model.n_drifts_ == 0
        assert right < 0.2
    else:
        assert model.n_drifts_ >= 1
        assert list(model.plan_.items) == [1]
        assert right > 0.8


def test_what_is_to_follow_a_change_must_be_known():
    with pytest.raises(ValueError, match="drift is 'stop'"):
        StreamingBoostingRegressor(drift="stop").fit(np.zeros((3, 1)), [0.0, 1.0, 2.0])
