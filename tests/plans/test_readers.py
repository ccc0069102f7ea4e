"""Readers of several histories, joined where they share work."""

import numpy as np
import pytest

from scrimp.plans import StumpTable
from scrimp.plans.components.linear_reader import LinearReader
from scrimp.plans.components.readers import MappedReader, join
from scrimp.plans.components.step_readers import StumpReader

RNG = np.random.default_rng(0)
X, ROWS = RNG.integers(-2, 3, (200, 4)).astype(np.float64), np.arange(200)[::-1]


def stumps(n=12, outputs=1, votes=None):
    votes = RNG.normal(size=(3, n, outputs)) if votes is None else votes
    low = np.full(n, -np.inf)
    return StumpTable(RNG.integers(0, 4, n), low, RNG.integers(-2, 2, n) + 0.5, *votes)


def stump_readers(table, *, base=0.0, prior=0.3):
    start, answer = np.full(table.n_outputs, base), np.full(table.n_outputs, prior)
    sets = [[], [0], [0, 1, 3], [2, 4, 5, 6], list(range(len(table)))]
    return [StumpReader(table, told, start, answer) for told in sets]


def linear_readers():
    fill = np.array([0.5, -0.5, 1.0])
    full = LinearReader(np.array([2, 0, 3]), RNG.normal(size=(3, 2)), RNG.normal(size=2), fill)
    other = LinearReader(np.array([0, 1]), RNG.normal(size=(2, 2)), RNG.normal(size=2), fill[:2])
    unfilled = LinearReader(np.array([1]), RNG.normal(size=(1, 2)), np.zeros(2), np.empty(0))
    return [LinearReader(full.columns[:0], full.weights[:0], full.base, fill[:0]),
            full, other, unfilled]  # fmt: skip


@pytest.mark.parametrize(
    "readers",
    [
        stump_readers(stumps()),
        stump_readers(stumps(outputs=3), base=1.0),
        stump_readers(stumps()) + stump_readers(stumps(20), base=-1.0),
        linear_readers(),
        [*linear_readers(), lambda X, rows: X[rows, :2]],
        [MappedReader("doubled", reader, lambda s: 2 * s, 2) for reader in linear_readers()],
    ],
    ids=["stumps", "classes", "two tables", "linear", "mixed", "mapped"],
)
def test_joined_readers_answer_as_each_of_them(readers):
    expected = np.stack([reader(X, ROWS) for reader in readers], axis=1)
    np.testing.assert_allclose(join(readers)(X, ROWS), expected, rtol=0, atol=1e-12)


def test_values_that_are_not_finite_are_filled_by_the_reader_that_reads_them():
    holes = X.copy()
    holes[::3, 0] = np.nan
    readers = linear_readers()[:3]
    expected = np.stack([reader(holes, ROWS) for reader in readers], axis=1)
    assert np.isfinite(expected).all()
    np.testing.assert_allclose(join(readers)(holes, ROWS), expected, rtol=0, atol=1e-12)


def test_votes_that_cancel_out_are_answered_with_the_prior_in_any_order_of_additions():
    weights = np.array([0.1, 0.2, 0.3, 0.1, 0.2, 0.7])
    votes = np.stack([weights, -weights, 0 * weights])[:, :, None]
    readers = stump_readers(stumps(6, votes=votes))[:3]
    readers += [StumpReader(readers[0].stumps, told, *(np.array([v]) for v in (0.0, 0.3)))
                for told in ([0, 3], [1, 4], [0, 1, 3, 4])]  # fmt: skip
    expected = np.stack([reader(X, ROWS) for reader in readers], axis=1)
    joined = join(readers)(X, ROWS)
    assert (joined == 0.3).any()
    np.testing.assert_array_equal(joined == 0.3, expected == 0.3)
