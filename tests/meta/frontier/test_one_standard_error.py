"""Which candidate is chosen at which budget, on losses made by hand."""

import numpy as np

from scrimp.meta.frontier.one_standard_error import choose, clearly_better, smoothed

RNG = np.random.default_rng(0)
NOISE = RNG.normal(scale=0.1, size=(3, 400))


def losses(*levels, noise=NOISE):
    """Of three budgets, around a level each."""
    return np.array(levels)[:, None] + noise


PRIOR = losses(1.0, 1.0, 1.0)[0]


def test_the_best_at_each_budget_if_it_is_clearly_so():
    other = NOISE[:, ::-1]
    found = {"a": losses(0.2, 0.5, 0.9), "b": losses(0.9, 0.5, 0.1, noise=other)}
    chosen = choose(found, PRIOR)
    assert chosen[0] == "a"
    assert chosen[2] == "b"


def test_the_best_overall_unless_another_is_better_by_a_standard_error():
    noise = RNG.normal(size=(3, 400))  # a standard error of 0.05 for each difference
    noise -= noise.mean(axis=1, keepdims=True)
    a = np.array([0.50, 0.50, 0.50])[:, None] + 0.0 * noise
    slightly = np.array([0.48, 0.60, 0.60])[:, None] + noise
    assert choose({"a": a, "b": slightly}, np.full(400, 2.0)) == ["a", "a", "a"]
    clearly = np.array([0.10, 0.90, 0.90])[:, None] + noise
    assert choose({"a": a, "b": clearly}, np.full(400, 2.0)) == ["b", "a", "a"]


def test_of_those_that_are_as_good_as_the_best_the_first():
    noise = RNG.normal(size=(1, 400))
    noise -= noise.mean()
    best = np.full((3, 400), 0.50)
    near = 0.52 + np.repeat(noise, 3, axis=0)  # a standard error of 0.05
    far = 0.60 + np.repeat(noise, 3, axis=0)
    prior = np.full(400, 9.0)
    assert choose({"near": near, "best": best}, prior) == ["near"] * 3
    assert choose({"far": far, "near": near, "best": best}, prior) == ["near"] * 3
    assert choose({"far": far, "best": best, "near": near}, prior) == ["best"] * 3


def test_what_is_not_better_than_the_prior_by_a_standard_error_is_not_bought():
    noise = RNG.normal(size=(3, 400))
    noise -= noise.mean(axis=1, keepdims=True)
    own = np.array([0.99, 0.5, 1.2])[:, None] + noise
    assert choose({"a": own}, np.ones(400)) == [None, "a", None]


def test_of_one_budget_alone():
    assert choose({"a": losses(0.5)[:1], "b": losses(0.1)[:1]}, PRIOR) == ["b"]


def test_neighbours_have_a_say():
    rows = np.array([[4.0], [0.0], [8.0]])
    np.testing.assert_allclose(smoothed(rows), [[3.0], [3.0], [6.0]])
    np.testing.assert_array_equal(smoothed(rows[:1]), rows[:1])


def test_differences_are_within_rows():
    level = RNG.normal(scale=100.0, size=50)  # between rows, much; between candidates, little
    assert clearly_better(level, level + 0.01)
    assert not clearly_better(level + 0.01, level)
    assert not clearly_better(level, level)


def test_what_is_free_only_has_to_be_better():
    noise = RNG.normal(size=(3, 400))
    noise -= noise.mean(axis=1, keepdims=True)
    own = np.array([0.99, 0.99, 1.2])[:, None] + noise
    assert choose({"a": own}, np.ones(400), first_is_free=True) == ["a", None, None]
    assert choose({"a": own[::-1]}, np.ones(400), first_is_free=True) == [None, None, None]


def test_on_few_rows_the_best_overall_is_the_default_even_if_it_is_not_clearly_so():
    noise = RNG.normal(size=(3, 400))
    noise -= noise.mean(axis=1, keepdims=True)
    simple = np.full((3, 400), 0.52)
    better = np.full((3, 400), 0.50) + noise  # a standard error of 0.05
    found = {"simple": simple, "better": better}
    assert choose(found, np.full(400, 2.0)) == ["simple"] * 3
    assert choose(found, np.full(400, 2.0), default_errors=0.0) == ["better"] * 3
