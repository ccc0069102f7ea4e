"""Boosted trees against a slow twin, and their gradients against differences of the loss."""

import numpy as np
import pytest

from scrimp.kernels.boosted_trees import boost
from scrimp.kernels.packed_gradients import column_gains, pack_scores
from scrimp.kernels.tree_histograms import MISSING
from scrimp.kernels.tree_losses import LOGISTIC as TWO_CLASSES
from scrimp.kernels.tree_losses import SOFTMAX as CLASSES
from scrimp.kernels.tree_losses import SQUARED, mean_loss, write_gradients
from tests.naive import boosted_trees as naive

KINDS = {"numbers": SQUARED, "two classes": TWO_CLASSES, "three classes": CLASSES}
OUTPUTS = {SQUARED: 1, TWO_CLASSES: 1, CLASSES: 3}


def problem(kind, seed, n=90, d=4, missing=0.15):
    """Bins with missing values, a response, weights, rows to learn from, others, first scores."""
    rng = np.random.default_rng(seed)
    n_bins = rng.integers(3, 12, d)
    bins = np.stack([rng.integers(0, b, n) for b in n_bins]).astype(np.uint8)
    signal = bins[0] / n_bins[0] - bins[1] / n_bins[1] + 0.3 * rng.normal(size=n)
    bins[rng.random((d, n)) < missing] = MISSING
    if kind == SQUARED:
        y = signal
    else:
        edges = [0.0] if kind == TWO_CLASSES else [-0.3, 0.3]
        y = np.searchsorted(edges, signal).astype(np.float64)
    order = rng.permutation(n)
    start = rng.normal(scale=0.3, size=OUTPUTS[kind])
    return bins, n_bins, y, rng.uniform(0.5, 2.0, n), order[:60], order[60:], start


def fast(kind, data, columns, options, patience, others=None, shown=None, directions=None):
    """What the kernel finds: rounds, loss, rounds run, best scores, trees, values."""
    bins, n_bins, y, weights, rows, default, start = data
    others = default if others is None else others
    leaves, rounds = int(options[0]), int(options[5])
    best = np.zeros((len(y), len(start)))
    trees = np.full((rounds, 2 * leaves - 1, 5), -1, dtype=np.int64)
    values = np.zeros((rounds, leaves, len(start)))
    found = boost(
        bins, n_bins, columns, np.empty((rounds, 0), np.int64) if shown is None else shown,
        np.empty((rounds, 0, len(start))) if directions is None else directions,
        kind, y, weights, rows, others, start,
        np.array(options, dtype=np.float64), patience, best, trees, values,
    )  # fmt: skip
    return *found, best, trees, values


def slow(kind, data, columns, options, others=None, shown=None, directions=None):
    bins, _, y, weights, rows, default, start = data
    others = default if others is None else others
    return naive.Boosting(
        bins, columns, kind, y, weights, rows, others, start, options, shown, directions
    )


SHOWN = {
    "all columns": None,
    "two a tree": np.sort([np.random.default_rng(s).permutation(3)[:2] for s in range(12)]),
}


def assert_as_the_twin(kind, data, columns, **more):
    options, patience = (5, 4, 0.7, 0.6, 4.0, 12), 3
    rounds, loss, done, best, trees, values = fast(kind, data, columns, options, patience, **more)
    twin = slow(kind, data, columns, options, **more)
    expected = twin.run(patience)
    assert (rounds, done) == (expected[0], expected[2])
    assert loss == pytest.approx(expected[1], rel=1e-9)
    for r, scores in expected[3].items():
        np.testing.assert_allclose(best[r], scores, atol=1e-9)
    for number, (nodes, steps) in enumerate(zip(twin.trees, twin.values, strict=True)):
        assert [tuple(node) for node in trees[number, : len(nodes)].tolist()] == nodes
        assert (trees[number, len(nodes) :] == -1).all()
        np.testing.assert_allclose(values[number, : len(steps)], steps, atol=1e-9)


@pytest.mark.parametrize("shown", SHOWN.values(), ids=SHOWN)
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_trees_scores_and_the_best_round_are_the_slow_twins(kind, seed, shown):
    assert_as_the_twin(kind, problem(kind, seed), np.array([2, 0, 1]), shown=shown)


def test_splits_of_many_classes_are_found_on_projections_and_leaves_have_all_classes():
    directions = np.random.default_rng(4).normal(size=(12, 2, 3))
    assert_as_the_twin(CLASSES, problem(CLASSES, 0), np.array([2, 0, 1]), directions=directions)


@pytest.mark.parametrize("scale", [1e-9, 1e9])
def test_trees_are_the_same_in_any_unit(scale):
    data = list(problem(SQUARED, 1))
    options, columns = (5, 4, 0.7, 0.6, 4.0, 12), np.arange(4)
    rounds, loss, *_, trees, values = fast(SQUARED, data, columns, options, 3)
    data[2], data[6] = data[2] * scale, data[6] * scale
    other = fast(SQUARED, data, columns, options, 3)
    assert other[0] == rounds
    assert other[1] == pytest.approx(loss * scale**2, rel=1e-9)
    np.testing.assert_array_equal(other[4], trees)
    np.testing.assert_allclose(other[5], values * scale, rtol=1e-7)


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_without_others_all_rounds_are_run(kind):
    data, columns, none = problem(kind, 5), np.arange(4), np.empty(0, dtype=np.int64)
    options = (4, 5, 1.0, 0.3, 4.0, 6)
    rounds, loss, done, _, trees, _ = fast(kind, data, columns, options, 1, none)
    assert (rounds, done, loss) == (6, 6, np.inf)
    twin = slow(kind, data, columns, options, none)
    twin.run(1)
    assert [tuple(node) for node in trees[-1].tolist()][: len(twin.trees[-1])] == twin.trees[-1]


def test_rows_may_be_told_apart_by_what_is_missing_alone():
    bins = np.zeros((1, 20), dtype=np.uint8)
    bins[0, ::2] = MISSING
    y = np.where(np.arange(20) % 2, 1.0, -1.0)
    rows, others = np.arange(12), np.arange(12, 20)
    data = bins, np.array([1]), y, np.ones(20), rows, others, np.zeros(1)
    options = (2, 2, 0.0, 1.0, 4.0, 1)
    rounds, loss, _, best, trees, _ = fast(SQUARED, data, np.array([0]), options, 5)
    assert rounds == 1
    assert loss == pytest.approx(0.0, abs=1e-12)
    assert trees[0, 0, :3].tolist() == [0, 0, 0]
    np.testing.assert_allclose(best[others, 0], y[others])


@pytest.mark.parametrize("columns", [[], [3]], ids=["no column", "a constant"])
def test_where_nothing_can_be_split_the_first_scores_stay(columns):
    data = list(problem(TWO_CLASSES, 1))
    data[0][3] = 0
    rounds, loss, done, best, *_ = fast(
        TWO_CLASSES, data, np.array(columns, dtype=np.int64), (4, 2, 1.0, 0.3, 4.0, 9), 3
    )
    _, _, y, weights, _, others, start = data
    assert (rounds, done) == (0, 0)
    scores = dict.fromkeys(others, start)
    expected = naive.mean_loss(TWO_CLASSES, y, weights, scores, others)
    assert loss == pytest.approx(expected, rel=1e-12)
    np.testing.assert_array_equal(best[others], np.tile(start, (len(others), 1)))


def test_a_weight_of_two_is_a_row_given_twice():
    bins, n_bins, y, _, rows, others, start = problem(CLASSES, 3, missing=0.0)
    n, twice = len(y), rows[:20]
    weights = np.ones(n)
    weights[twice] = 2.0
    options, columns = (4, 1, 1.0, 0.5, 4.0, 5), np.arange(4)
    one = fast(CLASSES, (bins, n_bins, y, weights, rows, others, start), columns, options, 5)
    bins, y = np.hstack([bins, bins[:, twice]]), np.append(y, y[twice])
    rows = np.append(rows, np.arange(n, n + 20))
    two = fast(
        CLASSES, (bins, n_bins, y, np.ones(n + 20), rows, others, start), columns, options, 5
    )
    assert one[:3] == pytest.approx(two[:3], rel=1e-12)
    np.testing.assert_array_equal(one[4], two[4])
    np.testing.assert_allclose(one[5], two[5], atol=1e-12)
    np.testing.assert_allclose(one[3], two[3][:n], atol=1e-12)


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_gradients_are_differences_of_the_loss(kind):
    _, _, y, weights, _, _, start = problem(kind, 8, n=30)
    rng, n, step = np.random.default_rng(0), 30, 1e-5
    scores = rng.normal(size=(n, len(start)))
    gradient, hessian = np.zeros_like(scores), np.zeros_like(scores)
    write_gradients(kind, 0.0, y, weights, scores, gradient, hessian, 0, n)
    scale = 0.5 if kind == SQUARED else 1.0  # of squared errors, half
    curvature = np.zeros_like(scores)
    for r in range(n):
        for k in range(len(start)):

            def loss(by, r=r, k=k):
                moved = scores.copy()
                moved[r, k] += by
                return scale * weights[r] * mean_loss(kind, 0.0, y, weights, moved, np.array([r]))

            assert gradient[r, k] == pytest.approx((loss(-step) - loss(step)) / 2e-5, abs=1e-6)
            curvature[r, k] = (loss(1e-3) - 2 * loss(0.0) + loss(-1e-3)) / 1e-6
    np.testing.assert_allclose(hessian, curvature, atol=1e-5)


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_losses_are_the_slow_twins_and_bear_large_scores(kind):
    _, _, y, weights, rows, _, start = problem(kind, 2)
    scores = np.random.default_rng(1).normal(scale=3.0, size=(len(y), len(start)))
    expected = naive.mean_loss(kind, y, weights, scores, rows)
    assert mean_loss(kind, 0.0, y, weights, scores, rows) == pytest.approx(expected, rel=1e-12)
    if kind != SQUARED:
        scores *= 1e4
        assert np.isfinite(mean_loss(kind, 0.0, y, weights, scores, rows))
        gradient, hessian = np.zeros_like(scores), np.zeros_like(scores)
        write_gradients(kind, 0.0, y, weights, scores, gradient, hessian, 0, len(y))
        assert np.isfinite(gradient).all()
        assert (hessian[rows] > 0).all()


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_the_gain_of_a_column_is_that_of_its_best_split(kind):
    bins, n_bins, y, weights, _, _, start = problem(kind, 4)
    bins[2] = 1  # nothing to split
    scores = np.random.default_rng(3).normal(size=(len(y), len(start)))
    columns, gains = np.array([3, 2, 0]), np.empty(3)
    packed, options = pack_scores(kind, y, weights, scores, np.empty((0, len(start))), 5.0, 0.5)
    column_gains(bins, n_bins, columns, packed, options, gains)
    for column, gain in zip(columns, gains, strict=True):
        rows = range(len(y))
        twin = naive.Boosting(
            bins, [column], kind, y, weights, rows, [], start, (2, 5, 0.5, 1.0, 4.0, 1)
        )
        twin.found = {r: twin.weighted(r, *naive.direction(kind, y[r], scores[r])) for r in rows}
        assert gain == pytest.approx(twin.best_split(list(rows))[0], rel=1e-5)  # quantised
    assert gains[1] == 0 < min(gains[0], gains[2])
