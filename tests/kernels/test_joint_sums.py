"""The kernels of many sums at a time, against their slow twins."""

import numpy as np
import pytest

from scrimp.kernels.model_scores import write_nested_linear_scores
from scrimp.kernels.steps import mark_near, write_step_sums
from tests.naive import joint_sums as naive


def table(rng, n, d, dtype=np.float64):
    X = rng.integers(-3, 4, (n, d)) / 2.0
    X[rng.random(X.shape) < 0.1] = np.nan
    X[0], X[1] = np.inf, -np.inf
    return X.astype(dtype)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n_outputs", [1, 3])
@pytest.mark.parametrize("n_breaks", [0, 5, 200])  # 200 are searched, not compared
def test_step_sums_of_many_sets(dtype, n_outputs, n_breaks):
    rng = np.random.default_rng(n_breaks)
    X, rows = table(rng, 150, 4, dtype), rng.permutation(150)[:130]
    columns, n_sets = np.array([3, 0, 2]), 4
    breaks = [np.unique(rng.integers(-4 * n, 4 * n + 1, n) / n) for n in (n_breaks, 1, n_breaks)]
    functions = [
        [
            (rng.normal(size=(len(own) + 2, n_outputs)), {s: rng.normal() for s in sets})
            for sets in ([0, 2], [], [1])[:count]
        ]
        for own, count in zip(breaks, (3, 1, 2), strict=True)
    ]
    flat = [function for own in functions for function in own]
    base, sums = rng.normal(size=(n_sets, n_outputs)), np.empty((len(rows), n_sets, n_outputs))
    write_step_sums(
        X, rows, columns,
        np.cumsum([0, *map(len, breaks)]), np.concatenate(breaks),
        np.cumsum([0, *map(len, functions)]),
        np.cumsum([0, *(len(values) for values, _ in flat)])[:-1],
        np.concatenate([values for values, _ in flat]).T.copy(),
        np.cumsum([0, *(len(weights) for _, weights in flat)]),
        np.array([s for _, weights in flat for s in weights]),
        np.array([weight for _, weights in flat for weight in weights.values()]),
        base, sums,
    )  # fmt: skip
    expected = naive.step_sums(X, rows, columns, breaks, functions, base)
    np.testing.assert_allclose(sums, expected, rtol=0, atol=1e-12)


def test_rows_with_a_sum_near_a_number():
    rng = np.random.default_rng(0)
    sums, base = rng.normal(size=(50, 3)), np.array([0.0, 0.5, -0.5])
    tolerance, marked = np.array([0.1, 0.2, -1.0]), np.empty(50, dtype=bool)
    mark_near(sums, base, tolerance, marked)
    assert marked.tolist() == naive.near(sums, base, tolerance)
    assert 0 < marked.sum() < 50


@pytest.mark.parametrize("n_outputs", [1, 2])
def test_linear_scores_of_many_models(n_outputs):
    rng = np.random.default_rng(1)
    X, rows = table(rng, 40, 5), np.arange(40)[::-1][:21]
    columns, counts = np.array([4, 1, 2]), np.array([0, 3, 1, 2])
    weights, bases = rng.normal(size=(4, n_outputs, 3)), rng.normal(size=(4, n_outputs))
    fill, scores = rng.normal(size=3), np.empty((len(rows), 4, n_outputs))
    write_nested_linear_scores(scores, X, rows, columns, weights, counts, bases, fill)
    expected = naive.linear_scores(X, rows, columns, weights, counts, bases, fill)
    np.testing.assert_allclose(scores, expected, rtol=0, atol=1e-12)
