"""Streaming boosters as estimators of river, by river's own checks."""

import builtins
import copy

import numpy as np
import pytest

from scrimp import StreamingBoostingClassifier, StreamingBoostingRegressor, to_river

try:
    from river import checks

    from scrimp.learners.streaming.river_wrapper import RiverClassifier, RiverRegressor
except ImportError:
    checks = None

needs_river = pytest.mark.skipif(checks is None, reason="river is not installed")
SLOW = ("check_bounded_memory_growth", "check_shuffle_features_no_impact")
RNG = np.random.default_rng(0)
X = RNG.normal(size=(600, 3))


def rows():
    return [dict(zip("abc", row, strict=True)) for row in X.tolist()]


def all_checks():
    """River's checks for both kinds of estimators."""
    if checks is None:
        return []
    found = []
    for kind in (RiverRegressor, RiverClassifier):
        model = kind(**next(kind._unit_test_params()))
        for number, check in enumerate(checks.yield_checks(model)):
            name = f"{kind.__name__}-{check.__name__}-{number}"
            # a classifier has three datasets, which take 20 seconds together
            is_slow = kind is RiverClassifier or check.__name__ in SLOW
            marks = pytest.mark.slow if is_slow else ()
            found.append(pytest.param(model, check, id=name, marks=marks))
    return found


@needs_river
@pytest.mark.parametrize(("model", "check"), all_checks())
def test_rivers_own_checks(model, check):
    check(copy.deepcopy(model))


@needs_river
def test_it_is_the_booster_row_by_row():
    y = X[:, 0] + X[:, 1] ** 2
    prices = {"a": 1.0, "b": 2.0, "c": 4.0}
    booster = StreamingBoostingRegressor(prices, 3.0, n_learners=4)
    wrapped = to_river(booster)
    for row, value in zip(rows(), y.tolist(), strict=True):
        wrapped.learn_one(row, value)
    assert not hasattr(booster, "_stream")
    booster.partial_fit(rows(), y)
    expected = booster.predict(rows()[:20], budget=1.0)
    np.testing.assert_array_equal(
        [wrapped.predict_one(row, budget=1.0) for row in rows()[:20]], expected
    )
    assert wrapped.model_.plan_.price <= 3.0


@needs_river
def test_classes_are_learnt_as_they_come_or_named():
    signal = X[:, 0] + 0.1 * X[:, 1]
    y = np.select([signal < -0.5, signal > 0.5], ["low", "high"], "middle").tolist()
    y[:100] = ["low" if value < 0 else "middle" for value in signal[:100]]
    growing = to_river(StreamingBoostingClassifier(n_learners=8))
    known = to_river(StreamingBoostingClassifier(n_learners=8), ["low", "middle", "high"])
    assert growing.predict_one(rows()[0]) is None
    assert growing.predict_proba_one(rows()[0]) == {}
    assert known.predict_proba_one(rows()[0]) == dict.fromkeys(["high", "low", "middle"], 1 / 3)
    for row, label in zip(rows(), y, strict=True):
        growing.learn_one(row, label)
        known.learn_one(row, label)
    for model in (growing, known):
        assert set(model.predict_proba_one({"a": 2.0})) == {"low", "middle", "high"}
        assert model.predict_one({"a": 2.0}) == "high"
        answers = [model.predict_one(row) for row in rows()[300:]]
        assert np.mean(np.array(answers) == y[300:]) > 0.7


@needs_river
def test_other_models_are_refused():
    with pytest.raises(TypeError, match="model is a int; expected a StreamingBoostingClassifier"):
        to_river(3)
    with pytest.raises(ValueError, match="classes are for a StreamingBoostingClassifier"):
        to_river(StreamingBoostingRegressor(), [1, 2])


def test_the_extra_is_named_where_it_is_missing(monkeypatch):
    real = builtins.__import__

    def without_river(name, *args, **kwargs):
        if name == "river":
            raise ImportError("No module named 'river'")
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", without_river)
    with pytest.raises(ImportError, match=r"pip install 'scrimp\[river\]'"):
        to_river(StreamingBoostingRegressor())
