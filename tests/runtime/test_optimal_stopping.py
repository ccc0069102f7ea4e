"""Thresholds by spend equal plain backward induction, and pay where one threshold does not."""

import numpy as np
import pytest

from scrimp import SequencedClassifier, load, save
from scrimp.runtime import optimal_stopping
from scrimp.runtime.confidence_path import ConfidencePath, Outcome
from scrimp.runtime.optimal_stopping import _induced_levels, _level_starts, total_costs
from tests.naive.optimal_stopping import levels_of


def random_path(seed, n_rows=30, n_prices=4):
    """Rows that buy some items of integer prices, with confidences of few values."""
    rng = np.random.default_rng(seed)
    seen = {}
    spend = np.zeros(n_rows)
    for row in range(n_rows):
        for price in rng.integers(1, 4, rng.integers(0, n_prices + 1)):
            seen.setdefault(spend[row], []).append(row)
            spend[row] += price
    parts = [(spent, row) for spent, rows in seen.items() for row in rows]
    order = sorted(range(len(parts)), key=lambda i: (parts[i][1], parts[i][0]))
    n = len(parts)
    confidence, decided = rng.integers(5, 11, n) / 10.0, rng.integers(0, 2, n)
    truth = rng.integers(0, 2, n_rows)
    return ConfidencePath(
        np.array([parts[i][1] for i in order], dtype=np.int64),
        np.array([parts[i][0] for i in order], dtype=float),
        confidence, decided, Outcome(1.0, truth, rng.integers(0, 2, n_rows), spend),
    )  # fmt: skip


@pytest.mark.parametrize("seed", range(25))
@pytest.mark.parametrize("n_levels", [1, 3, 8])
def test_levels_are_those_of_plain_backward_induction(seed, n_levels):
    path = random_path(seed)
    costs = np.array([[0.0, 3.0], [7.0, 0.0]])
    tried = np.array([1.0, 0.9, 0.75, 0.6, 0.5])
    starts = _level_starts(path.spent, n_levels)
    purchases = [
        [(path.spent[i], path.confidence[i],
          path.spent[i] + costs[path.full.truth[row], path.decided[i]])
         for i in np.flatnonzero(path.row == row)]
        for row in range(len(path.full.truth))
    ]  # fmt: skip
    expected = levels_of(purchases, total_costs(path.full, costs), tried, starts)
    levels = _induced_levels(path, costs, tried, n_levels)
    kept = [0] + [k for k in range(1, len(starts)) if expected[k] != expected[k - 1]]
    np.testing.assert_allclose(levels[:, 0], starts[kept])
    np.testing.assert_allclose(levels[:, 1], np.array(expected)[kept])


def late_news(n, seed):
    """Two columns tell little and cheaply, the last tells all and is dear."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    weak = y[:, None] + rng.normal(scale=1.0, size=(n, 2))
    return np.column_stack([weak, y + rng.normal(scale=0.05, size=n)]), y


@pytest.fixture(scope="module")
def model():
    X, y = late_news(1_000, 0)
    return SequencedClassifier([0.1, 0.1, 30.0]).fit(X, y)


def total_cost(model, X, y, error_cost):
    wrong = model.predict(X, stop="confident") != y
    return float((model.spend(X, stop="confident") + error_cost * wrong).mean())


def test_a_dear_purchase_needs_more_doubt_than_a_cheap_one(model, monkeypatch):
    X, y = late_news(8_000, 1)
    totals = []
    for n_levels in ((1,), optimal_stopping.N_LEVELS):
        monkeypatch.setattr(optimal_stopping, "N_LEVELS", n_levels)
        model.calibrate_stop(X[:4_000], y[:4_000], error_cost=40.0)
        totals.append(total_cost(model, X[4_000:], y[4_000:], 40.0))
    levels = np.array(model.stop_calibration_.levels)
    assert len(levels) > 1
    assert levels[-1, 1] < levels[0, 1]
    assert totals[1] < 0.97 * totals[0]


def test_what_is_promised_on_held_out_rows_is_what_prediction_does(model, tmp_path):
    X, y = late_news(2_000, 2)
    model.calibrate_stop(X, y, error_cost=40.0)
    reached = model.stop_calibration_
    assert reached.spend == pytest.approx(model.spend(X, stop="confident").mean())
    assert reached.error == pytest.approx((model.predict(X, stop="confident") != y).mean())
    save(model, tmp_path / "model.scrimp")
    loaded = load(tmp_path / "model.scrimp")
    np.testing.assert_array_equal(
        loaded.predict(X[:50], stop="confident"), model.predict(X[:50], stop="confident")
    )
    for row in range(20):
        session = loaded.session(stop="confident")
        while (request := session.ask()) is not None:
            session.tell({name: float(X[row, int(name[1:])]) for name in request.columns})
        assert session.spent == pytest.approx(model.spend(X[[row]], stop="confident")[0])


def test_another_goal_replaces_the_levels(model):
    X, y = late_news(2_000, 3)
    model.calibrate_stop(X, y, error_cost=40.0)
    model.calibrate_stop(X, y, max_increase=0.05)
    assert model.target_.exits is None
    assert model.stop_calibration_.levels is None


def test_nothing_to_buy_is_no_purchase_to_decide_on(model):
    X, y = late_news(200, 4)
    model.calibrate_stop(X, y, error_cost=40.0, budget=0.0)
    assert model.stop_calibration_.spend == 0.0
