"""The group lasso as a baseline."""

import time
from itertools import count

import numpy as np
import polars as pl
import pytest
from numba.core import event

from scrimp import Costs, GroupLassoRegressor, SequencedRegressor
from scrimp.runtime import time_limit

skglm = pytest.importorskip("skglm")


def test_text_becomes_indicators_that_are_bought_together():
    rng = np.random.default_rng(0)
    word = np.array(["red", "green", "blue"])[rng.integers(0, 3, 90)]
    frame = pl.DataFrame({"age": rng.normal(size=90), "word": word})
    y = frame["age"].to_numpy() + 2.0 * (word == "red")
    model = GroupLassoRegressor({"age": 1.0, "word": 2.0}, n_penalties=20).fit(frame, y)
    assert model.score(frame, y) > 0.99
    assert set(model.spend(frame).tolist()) == {3.0}


def test_cheap_groups_come_first_and_each_prefix_is_refitted():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 6))
    y = X @ [1.0, 1.0, 1.0, 1.0, 0.0, 0.0] + 0.1 * rng.normal(size=400)
    costs = Costs.per_group([0, 0, 1, 1, 2, 2], [3.0, 1.0, 1.0])
    model = GroupLassoRegressor(costs).fit(X, y)
    assert model.sequence_[:2] == ["1", "0"]
    best = SequencedRegressor(costs).fit(X, y)
    np.testing.assert_allclose(model.predict(X, 4.0), best.predict(X, 4.0), rtol=1e-6)


def test_several_responses_are_refused():
    X = np.random.default_rng(0).normal(size=(50, 3))
    with pytest.raises(ValueError, match="y should be a 1d array"):
        GroupLassoRegressor().fit(X, X[:, :2])


def test_no_bound_is_claimed_of_its_order():
    rng = np.random.default_rng(0)
    X = np.linalg.qr(rng.normal(size=(400, 3)))[0]
    X = np.linalg.qr(X - X.mean(axis=0))[0][:, :2]
    model = GroupLassoRegressor([1.0, 4.0]).fit(X, X @ np.sqrt([0.1, 0.9]))
    assert model.sequence_ == ["x0", "x1"]
    bounds = model.sequence_bounds()
    assert bounds.at_most(4.0) >= 0.9
    assert "order of a group lasso" in bounds.reason


@pytest.mark.parametrize(
    ("settings", "text"),
    [
        ({"n_penalties": 1}, "n_penalties is 1; expected a whole number >= 2"),
        ({"n_penalties": "x"}, "n_penalties is 'x'"),
        ({"least": 2.0}, "least is 2.0; expected a number between 0 and 1"),
        ({"least": 0}, "least is 0; expected"),
    ],
)
def test_paths_that_lead_nowhere_are_refused(settings, text):
    X = np.random.default_rng(0).normal(size=(50, 2))
    with pytest.raises(ValueError, match=text):
        GroupLassoRegressor(**settings).fit(X, X[:, 0])


def test_the_path_so_far_is_the_order_when_the_time_is_over(monkeypatch):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    y = X @ [4.0, 2.0, 1.0]
    whole = GroupLassoRegressor(n_penalties=20).fit(X, y)
    enough = GroupLassoRegressor(n_penalties=20, max_seconds=1e6).fit(X, y)
    assert enough.predict(X).tolist() == whole.predict(X).tolist()
    clock = count()
    monkeypatch.setattr(time_limit, "monotonic", lambda: float(next(clock)))
    part = GroupLassoRegressor(n_penalties=20, max_seconds=2.5).fit(X, y)
    assert 0 < len(part.sequence_) < 3
    assert part.sequence_ == whole.sequence_[: len(part.sequence_)]
    assert not part.in_time_


def test_compiling_does_not_count_in_the_time(monkeypatch):
    solve = skglm.GroupLasso.fit

    def compile_and_solve(self, X, y):  # as the first solution does, for some 15 seconds
        event.start_event("numba:compiler_lock")
        time.sleep(0.3)
        event.end_event("numba:compiler_lock")
        return solve(self, X, y)

    X = np.random.default_rng(0).normal(size=(60, 3))
    settings = {"n_penalties": 20, "max_seconds": 5.0}
    GroupLassoRegressor(n_penalties=2).fit(X, X[:, 0])
    monkeypatch.setattr(skglm.GroupLasso, "fit", compile_and_solve)
    assert GroupLassoRegressor(**settings).fit(X, X @ [4.0, 2.0, 1.0]).in_time_
