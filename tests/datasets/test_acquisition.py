"""Generated problems: their stated facts, and exact probabilities against the definition."""

import numpy as np
import pytest
from scipy.stats import norm

from scrimp.datasets import (
    context_posterior,
    cube_nm_costs,
    cube_nm_posterior,
    cube_posterior,
    make_context,
    make_cube,
    make_cube_nm,
    make_syn,
    syn_relevant,
)

N = 20_000


def bits(label):
    return [(label >> place) & 1 for place in range(3)]


def accuracy(shares, y):
    return 100 * (shares.argmax(axis=1) == y).mean()


def test_cube_has_bits_in_three_columns_and_uniform_ones():
    X, y = make_cube(N, noise=0.1, random_state=0)
    assert np.bincount(y).min() > 0.9 * N / 8
    for label in range(8):
        rows = X[y == label]
        others = np.delete(rows, [label, label + 1, label + 2], axis=1)
        np.testing.assert_allclose(rows[:, label : label + 3].mean(axis=0), bits(label), atol=0.02)
        np.testing.assert_allclose(rows[:, label : label + 3].std(axis=0), 0.1, atol=0.01)
        assert 0 <= others.min() <= others.max() <= 1
        np.testing.assert_allclose(others.mean(axis=0), 0.5, atol=0.03)


@pytest.mark.parametrize("noise", [0.1, 0.3])
def test_the_posterior_of_cube_is_that_of_the_definition(noise):
    X, _ = make_cube(20, noise=noise, random_state=1)
    known = np.random.default_rng(0).random(X.shape) < 0.4
    shares = cube_posterior(X, known, noise=noise)
    for row, seen, share in zip(X, known, shares, strict=True):
        likelihood = np.ones(8)
        for label in range(8):
            for column in np.flatnonzero(seen):
                place = column - label
                density = float(0 <= row[column] <= 1)
                if 0 <= place < 3:
                    density = norm.pdf(row[column], bits(label)[place], noise)
                likelihood[label] *= density
        np.testing.assert_allclose(share, likelihood / likelihood.sum(), atol=1e-12)


def test_reference_accuracies():
    """With all columns known."""
    X, y = make_cube(N, noise=0.1, random_state=0)
    assert accuracy(cube_posterior(X, noise=0.1), y) == pytest.approx(97.4, abs=0.7)
    X, y = make_cube(N, random_state=0)
    assert accuracy(cube_posterior(X), y) == pytest.approx(88.9, abs=0.7)
    X, y = make_cube_nm(N, random_state=0)
    assert accuracy(cube_nm_posterior(X), y) == pytest.approx(86.7, abs=1.0)
    np.testing.assert_allclose(cube_posterior(X[:, :20], np.zeros(20, dtype=bool)), 1 / 8)


def test_the_context_of_cube_nm_tells_nothing_of_the_class_and_costs_one():
    X, y = make_cube_nm(N, random_state=0)
    context = np.arange(55) < 5
    np.testing.assert_allclose(cube_nm_posterior(X, context), 1 / 8, atol=1e-9)
    costs = cube_nm_costs()
    assert (costs.n_items, costs.n_columns, costs.total) == (51, 55, 51.0)
    assert costs.columns[costs.names.index("context")] == (0, 1, 2, 3, 4)
    first = X[:, :5].argmax(axis=1)
    block = X[:, 5:].reshape(N, 5, 10)[np.arange(N), first]
    for label in (0, 3, 7):
        own = block[y == label][:, label : label + 3]
        np.testing.assert_allclose(own.mean(axis=0), bits(label), atol=0.05)


def test_the_posterior_is_calibrated_whatever_is_known():
    rng = np.random.default_rng(0)
    X, y = make_cube_nm(N, random_state=2)
    known = np.repeat(rng.random((N, 51)) < 0.3, [5] + [1] * 50, axis=1)
    shares = cube_nm_posterior(X, known)
    X2, y2 = make_context(N, random_state=2)
    shares2 = context_posterior(X2, rng.random(X2.shape) < 0.6)
    for share, truth in ((shares, y), (shares2, y2)):
        sure = share.max(axis=1)
        assert accuracy(share, truth) == pytest.approx(100 * sure.mean(), abs=1.5)


def test_the_context_problem_needs_its_context():
    X, y = make_context(N, random_state=0)
    assert accuracy(context_posterior(X), y) == pytest.approx(94.5, abs=1.5)
    assert accuracy(context_posterior(X, np.arange(21) == 0), y) == pytest.approx(50.0, abs=1.5)
    assert accuracy(context_posterior(X, np.arange(21) < 5), y) < 65


@pytest.mark.parametrize(("rule", "optimum"), [(1, 4.0), (2, 4.0), (3, 5.0)])
def test_syn_depends_on_relevant_columns_alone(rule, optimum):
    X, y = make_syn(N, rule=rule, random_state=0)
    relevant = syn_relevant(X, rule=rule)
    assert relevant.sum(axis=1).mean() == pytest.approx(optimum, abs=0.05)
    changed = np.where(relevant, X, 0.0)
    from scrimp.datasets.acquisition import _syn_logit

    np.testing.assert_allclose(_syn_logit(changed, rule), _syn_logit(X, rule))
    assert accuracy(np.column_stack([_syn_logit(X, rule), -_syn_logit(X, rule)]), y) > 80


def test_an_unknown_rule_is_named():
    with pytest.raises(ValueError, match="rule is 4; expected 1, 2 or 3"):
        make_syn(10, rule=4)
