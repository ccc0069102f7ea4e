import numpy as np
import pytest
from sklearn.model_selection import ShuffleSplit

from scrimp import SequencedRegressor, compare
from scrimp.evaluation import ndcg_scorer

random = np.random.default_rng(0)
QUERIES = random.permutation(np.repeat(np.arange(20), 12))
X = random.normal(size=(240, 2))
RELEVANCE = random.integers(0, 3, 240) + (X[:, 0] > 1)


class Watched(SequencedRegressor):
    """Remembers the queries of the rows of each training and test."""

    seen = None

    def fit(self, X, y, sample_weight=None):
        type(self).seen.append([X[:, 0].astype(int), None])
        return super().fit(X, y, sample_weight)

    def sweep(self, X, *args, **options):
        type(self).seen[-1][1] = X[:, 0].astype(int)
        return super().sweep(X, *args, **options)


def ranked(**options):
    given = {"budgets": [0, 1, 2], "methods": ["linear"], "n_repeats": 1, **options}
    scorer = ndcg_scorer(QUERIES, 5)
    return compare(X, RELEVANCE, task="regression", scoring=scorer, **given)


def test_queries_of_a_scorer_are_the_groups_of_a_comparison():
    curve, given = ranked().curve("linear"), ranked(groups=QUERIES).curve("linear")
    assert (curve.low <= curve.quality).all()
    assert (curve.quality <= curve.high).all()
    for part in ("quality", "low", "high"):
        assert getattr(curve, part).tolist() == getattr(given, part).tolist()


def test_queries_of_a_scorer_stay_in_one_fold(monkeypatch):
    monkeypatch.setattr(Watched, "seen", [])
    table = np.column_stack([QUERIES, X])
    compare(
        table, RELEVANCE, budgets=[3], methods={"own": Watched()}, task="regression",
        scoring=ndcg_scorer(QUERIES, 5), n_repeats=1,
    )  # fmt: skip
    folds = Watched.seen[1:]  # the first training is the warm-up
    assert len(folds) == 5
    assert not any(set(train) & set(test) for train, test in folds)


def test_folds_in_the_order_of_time_need_not_keep_queries_together():
    curve = ranked(cv="time").curve("linear")
    assert ((curve.low <= curve.quality) & (curve.quality <= curve.high)).all()


def test_a_scorer_knows_rows_by_their_numbers_in_the_table_given():
    """Of a sample of the rows, or of folds that do not test all of them."""
    seen = []

    def scorer(answers, rows, y):
        seen.append((rows, y))
        return -float(np.mean((answers.predict(rows) - y) ** 2))

    options = {"budgets": [2], "methods": ["linear"], "task": "regression", "scoring": scorer}
    compare(X, RELEVANCE, max_rows=100, n_repeats=1, **options)
    compare(X, RELEVANCE, cv="time", **options)
    assert all((RELEVANCE[rows] == y).all() for rows, y in seen)
    assert max(len(rows) for rows, _ in seen) == 200


def test_refuses_a_scorer_of_groups_where_rows_are_tested_several_times():
    with pytest.raises(ValueError, match=r"cv tests some rows several times.*test each row once"):
        ranked(cv=ShuffleSplit(3, random_state=0))


def test_refuses_a_scorer_of_other_rows():
    with pytest.raises(ValueError, match="groups of the scorer have 240 entries; expected one per"):
        compare(X[:9], RELEVANCE[:9], methods=["linear"], scoring=ndcg_scorer(QUERIES))


def test_an_interval_of_a_comparison_includes_its_estimate():
    ndcg = ndcg_scorer(QUERIES, 5)

    def without_groups(answers, rows, y):
        return ndcg(answers, rows, y) - 0.5 * (len(np.unique(rows)) < len(rows))

    options = {"budgets": [2], "methods": ["linear"], "task": "regression", "n_repeats": 1}
    found = compare(X, RELEVANCE, scoring=without_groups, **options)
    with pytest.warns(UserWarning, match="excludes its estimate at 1 of 1 budgets.*as groups"):
        curve = found.curve("linear")
    assert curve.low[0] <= curve.quality[0] <= curve.high[0]
