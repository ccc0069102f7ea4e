"""The online tree against its slow twin."""

import numpy as np
import pytest

from scrimp.learners.streaming.online_tree import OnlineTree, TreeSettings, tree_table
from scrimp.learners.streaming.stream_rows import StreamRows
from tests.naive.online_tree import OnlineTree as NaiveTree


def rows_of(n, seed, missing):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3)).round(2)
    if missing:
        X[rng.random(X.shape) < 0.1] = np.nan
    known = np.nan_to_num(X, nan=0.7)
    T = np.column_stack([np.where(known[:, 0] > 0.3, 2.0, -1.0), known[:, 1] * known[:, 2]])
    return X, T + 0.3 * rng.normal(size=T.shape)


def cuts_of(n_cuts=7):
    own = np.linspace(-1.5, 1.5, n_cuts) + 0.005 * np.arange(3)[:, None]
    table = np.zeros((3, n_cuts + 1))  # as many columns as there are bins
    table[:, :n_cuts] = own
    return own, table, np.full(3, n_cuts, dtype=np.int64)


@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize("outputs", [1, 2])
@pytest.mark.parametrize("seed", range(3))
def test_it_grows_and_answers_as_the_twin(missing, outputs, seed):
    X, T = rows_of(900, seed, missing)
    T = T[:, :outputs]
    own, cuts, n_cuts = cuts_of()
    settings = TreeSettings(max_depth=4, max_bins=8, memory=60.0, grace=20.0, chance=0.1)
    tree = OnlineTree(3, outputs, settings)
    twin = NaiveTree(outputs, own, 4, 60.0, 20.0, 0.1)
    for start in range(0, len(X), 37):  # the division into blocks does not matter to a tree
        part = slice(start, start + 37)
        rows = StreamRows(X[part], cuts, n_cuts)
        answers, expected = tree.predict(rows), [twin.predict(x) for x in X[part]]
        np.testing.assert_allclose(answers, expected, rtol=1e-4, atol=1e-5)
        tree.update(rows, T[part], np.ones(len(answers)))
        for x, target in zip(X[part], T[part], strict=True):
            twin.update(x, target)
    assert tree.nodes(1.0)[0].size >= 5


def test_a_table_of_trees_votes_as_they_answer():
    X, T = rows_of(600, 0, True)
    _, cuts, n_cuts = cuts_of()
    trees = [OnlineTree(3, 2, TreeSettings(max_depth=3, max_bins=8)) for _ in range(3)]
    for k, tree in enumerate(trees):
        tree.update(StreamRows(X, cuts, n_cuts), T * (k + 1.0), np.ones(len(X)))
    table = tree_table([tree.nodes(-0.5) for tree in trees])
    votes = table.votes_on(X, np.arange(len(X)))
    for vote, tree in zip(votes, trees, strict=True):
        np.testing.assert_allclose(vote.T, -0.5 * tree.predict(StreamRows(X, cuts, n_cuts)))


def test_only_allowed_columns_are_tested():
    X, T = rows_of(600, 0, False)
    _, cuts, n_cuts = cuts_of()
    tree = OnlineTree(3, 1, TreeSettings(max_depth=3, max_bins=8))
    tree.update(StreamRows(X, cuts, n_cuts), T[:, :1], np.ones(len(X)))
    assert 0 in tree.reads
    tree.allow(np.array([False, True, True]))
    assert len(tree.reads) == 0
    tree.update(StreamRows(X, cuts, n_cuts), T[:, :1], np.ones(len(X)))
    assert 0 not in tree.reads


def test_noise_hardly_splits():
    rng = np.random.default_rng(0)
    _, cuts, n_cuts = cuts_of()
    split = 0
    for _ in range(100):
        tree = OnlineTree(3, 1, TreeSettings(max_depth=1, max_bins=8, grace=200.0, chance=0.05))
        rows = StreamRows(rng.normal(size=(200, 3)), cuts, n_cuts)
        tree.update(rows, rng.normal(size=(200, 1)), np.ones(200))
        split += len(tree.reads)
    assert split <= 5


def test_the_mean_of_hypotheses_answers_with_the_mean_of_answers():
    X, T = rows_of(900, 1, True)
    _, cuts, n_cuts = cuts_of()
    everything = StreamRows(X, cuts, n_cuts)
    tree = OnlineTree(3, 2, TreeSettings(max_depth=4, max_bins=8, averages=True))
    total = np.zeros_like(T)
    for start in range(0, len(X), 45):
        part = slice(start, start + 45)
        total += 45 * tree.predict(everything)
        tree.update(StreamRows(X[part], cuts, n_cuts), T[part], np.ones(45))
    assert tree.nodes(1.0)[0].size >= 9
    table = tree_table([tree.nodes(1.0, averaged=True)])
    votes = table.votes_on(X, np.arange(len(X)))[0].T
    np.testing.assert_allclose(votes, total / len(X), atol=1e-12)
