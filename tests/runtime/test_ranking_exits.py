"""Early exits of rankers: what they keep, what they save, and the same for one row."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.metrics import ndcg_score

from scrimp import BudgetedBoostingRegressor, SequencedRegressor, load, save
from scrimp.checks.driving import feed
from scrimp.data.ranking import query_ndcg, top_rows
from scrimp.runtime.ranking_exits import RankingGoal, ScorePath, chosen_exits

N_QUERIES, N_ROWS = 120, 40
NAMES = tuple(f"x{column}" for column in range(6))


def _queries(seed=0, n_queries=N_QUERIES):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_queries * N_ROWS, 6))
    merit = X @ [1.0, 0.9, 0.5, 0.4, 0.2, 0.1] + rng.normal(size=len(X)) * 0.5
    return X, np.clip(np.round(merit), 0, 4), np.repeat(np.arange(n_queries), N_ROWS)


@pytest.fixture(scope="module")
def ranker():
    X, y, _ = _queries(0)
    model = SequencedRegressor([1.0, 1.0, 2.0, 2.0, 4.0, 4.0]).fit(X, y)
    X, y, queries = _queries(1)
    return model.calibrate_stop(X, y, queries=queries, max_loss=0.01)


def _mean_ndcg(y, scores, queries):
    return np.nanmean(query_ndcg(y, scores, queries, 10))


def test_ndcg_is_that_of_scikit_learn():
    rng = np.random.default_rng(0)
    y, scores = rng.integers(0, 3, size=40).astype(float), rng.integers(0, 9, size=40).astype(float)
    queries = np.repeat([0, 1], 20)
    expected = [ndcg_score([y[queries == q]], [scores[queries == q]], k=5) for q in (0, 1)]
    assert query_ndcg(y, scores, queries, 5) == pytest.approx(expected)


def test_new_queries_keep_their_ndcg_and_cost_less(ranker):
    X, y, queries = _queries(2)
    full = _mean_ndcg(y, ranker.predict(X), queries)
    early = _mean_ndcg(y, ranker.predict(X, stop="confident"), queries)
    assert early > full - 0.01
    assert ranker.spend(X, stop="confident").mean() < 0.7 * ranker.spend(X).mean()
    reached = ranker.stop_calibration_
    assert reached.full_ndcg - reached.ndcg <= 0.01
    assert reached.n_queries == N_QUERIES


def test_a_row_exits_by_itself_as_in_a_session_and_after_loading(ranker, tmp_path):
    X, _, _ = _queries(3, n_queries=1)
    batch = ranker.predict(X, stop="confident"), ranker.spend(X, stop="confident")
    for row in (0, 7, 20):
        alone = ranker.predict(X[[row]], stop="confident")
        assert alone[0] == pytest.approx(batch[0][row])
        session = feed(ranker.session(stop="confident"), X[row], NAMES)
        assert session.spent == batch[1][row]
        assert session.read().label == pytest.approx(batch[0][row])
    save(ranker, tmp_path / "ranker.scrimp")
    loaded = load(tmp_path / "ranker.scrimp")
    assert loaded.spend(X, stop="confident").tolist() == batch[1].tolist()


def test_each_threshold_misses_at_most_its_share_of_the_top_rows():
    rng = np.random.default_rng(0)
    full = rng.normal(size=1000)
    scores = np.column_stack([np.zeros(1000), full + rng.normal(size=1000)])
    path = ScorePath(np.array([0.0, 1.0]), scores, full, np.full(1000, 5.0))
    is_top = top_rows(full, np.repeat(np.arange(20), 50), 10)
    for share in (0.0, 0.05, 0.2):
        thresholds = path.thresholds(is_top, share)
        assert thresholds[0] == 0.0  # the same score for all rows lets none exit
        missed = (scores[is_top, 1] < thresholds[1]).mean()
        assert share - 0.01 <= missed <= share


def test_noise_that_tells_nothing_lets_hardly_any_row_exit():
    rng = np.random.default_rng(0)
    full, queries = rng.normal(size=2000), np.repeat(np.arange(40), 50)
    path = ScorePath(np.ones(1), rng.normal(size=(2000, 1)), full, np.full(2000, 5.0))
    _, reached = chosen_exits(RankingGoal(0.002), path, np.round(np.exp(full)), queries)
    assert reached.spend > 4.8


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"max_loss": 0.0}, "max_loss is 0.0; expected a number between 0 and 1"),
        ({"max_loss": "x"}, "max_loss is 'x'; expected a number between 0 and 1"),
        ({"k": 0}, "k is 0; expected a whole number >= 1"),
        ({"delta": 2.0}, "delta is 2.0"),
        ({"queries": [1, 2]}, "queries have 2 entries; expected one per row"),
        ({"queries": np.arange(N_QUERIES * N_ROWS)}, "0 queries have rows that differ"),
    ],
)
def test_goals_and_queries_that_cannot_be(ranker, options, words):
    X, y, queries = _queries(1)
    with pytest.raises(ValueError, match=words):
        ranker.calibrate_stop(X, y, **({"queries": queries} | options))


def test_without_exits_the_error_says_how_to_get_them():
    X, y, _ = _queries(0, n_queries=3)
    model = BudgetedBoostingRegressor(n_rounds=3).fit(X, y)
    with pytest.raises(TypeError, match=r"calibrate_stop\(X, y, queries=\.\.\.\)"):
        model.predict(X, stop="confident")


def test_a_ranker_that_no_row_may_leave_is_saved_too(ranker, tmp_path):
    target = replace(ranker.target_, exits=np.empty((0, 2)))
    save(replace(ranker.predictor_, target=target), tmp_path / "never.scrimp")
    X, _, _ = _queries(3, n_queries=1)
    spend = load(tmp_path / "never.scrimp").spend(X, stop="confident")
    assert spend.tolist() == ranker.spend(X).tolist()


@pytest.mark.parametrize(
    ("exits", "words"),
    [
        ([[1.0, 0.0], [1.0, 2.0]], "spends of 0 or more that ascend"),
        ([[-1.0, 0.0]], "spends of 0 or more that ascend"),
        ([[1.0, np.nan]], "pairs of a spend and a score, both finite"),
        ([[1.0, 2.0, 3.0]], "pairs of a spend and a score"),
    ],
)
def test_exits_that_make_no_sense_are_refused(ranker, exits, words):
    with pytest.raises(ValueError, match=words):
        replace(ranker.target_, exits=np.array(exits))
