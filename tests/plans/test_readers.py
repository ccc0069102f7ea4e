"""Readers of several histories, joined where they share work."""

import numpy as np
import pytest

from scrimp.data.target import Target
from scrimp.plans import StumpTable
from scrimp.plans.components.calibrated_reader import CalibratedReader, Calibration, Mixture
from scrimp.plans.components.calibrators import PowerCalibrators
from scrimp.plans.components.linear_reader import LinearReader
from scrimp.plans.components.readers import join
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


MIXTURES = [Mixture(), Mixture(0, 1, 0.3), Mixture(1, 2, 1.0), Mixture(2, 2, 0.5), Mixture(0, 0)]


def maps(equal_slopes=False):
    slope = RNG.uniform(0, 3, (3, 1 if equal_slopes else 2)) * np.ones((1, 2))
    return PowerCalibrators(slope, RNG.normal(size=(3, 2)))


def calibrated_readers(readers, target):
    calibration = Calibration(target, maps(), np.array([0.2, 0.8]))
    return [
        CalibratedReader(reader, calibration, mixture)
        for reader, mixture in zip(readers, MIXTURES, strict=False)
    ]


@pytest.mark.parametrize("equal_slopes", [True, False])
def test_the_kernel_of_two_classes_calibrates_as_the_definition_does(equal_slopes):
    scores = np.concatenate([RNG.normal(size=40) * 4, [0.0, 800.0, -800.0, 1e308, -1e308]])
    table = np.tile(scores[:, None, None], (1, len(MIXTURES), 1))
    calibration = Calibration(
        Target("binary", np.arange(2), 0.7), maps(equal_slopes), np.array([0.2, 0.8])
    )
    answers = calibration.apply(table, MIXTURES)
    for number, mixture in enumerate(MIXTURES):
        expected = calibration._mixed(scores[:, None], mixture)
        np.testing.assert_allclose(answers[:, number], expected, rtol=1e-10, atol=1e-300)
    np.testing.assert_allclose(answers.sum(axis=2), 1.0)


@pytest.mark.parametrize(
    "readers",
    [
        stump_readers(stumps()),
        stump_readers(stumps(outputs=3), base=1.0),
        stump_readers(stumps()) + stump_readers(stumps(20), base=-1.0),
        linear_readers(),
        [*linear_readers(), lambda X, rows: X[rows, :2]],
        calibrated_readers(stump_readers(stumps()), Target("binary", np.arange(2), 2.0)),
        calibrated_readers(linear_readers(), Target("multiclass", np.arange(2))),
    ],
    ids=["stumps", "classes", "two tables", "linear", "mixed", "calibrated", "calibrated classes"],
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
