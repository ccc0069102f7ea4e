"""Weak learners that are no trees against their slow twins."""

import numpy as np
import pytest

from scrimp.data.columns import Columns
from scrimp.learners.streaming import Convolution, Linear, Network, Newton, RandomFeatures
from scrimp.learners.streaming.stream_rows import InputMoments, StreamRows
from scrimp.learners.streaming.weak_learner import LearnerContext
from scrimp.plans.components.inputs import Inputs
from tests.naive import online_learners as naive

N, D, K = 240, 4, 2
CUTS = np.zeros((D, 1)), np.zeros(D, dtype=np.int64)
PLAIN = Inputs(np.arange(D), np.full(D, -1), np.zeros(D), np.ones(D))
KINDS = [Linear(), Newton(), Network(), RandomFeatures(), Convolution((2, 2), side=1, stride=1)]


def context(d=D, outputs=K, averages=False):
    moments = InputMoments(Columns(None, (None,) * d))
    moments.add(np.ones((1, d)))  # learners read what has had a value
    return LearnerContext(d, outputs, moments, np.random.default_rng(0), averages)


def stream(d=D, outputs=K, seed=0, n=N):
    """Rows and targets whose mean square is 1, so that they are learnt as they are."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    T = np.tanh(X @ rng.normal(size=(d, outputs))) + 0.3 * rng.normal(size=(n, outputs))
    return X, T / np.sqrt((T**2).mean())


def blocks(n=N, size=30):
    return [slice(start, start + size) for start in range(0, n, size)]


def plain_rows(X):
    d = X.shape[1]
    encoding = Inputs(np.arange(d), np.full(d, -1), np.zeros(d), np.ones(d))
    return StreamRows(X, np.zeros((d, 1)), np.zeros(d, dtype=np.int64), encoding)


def feed(learner, X, T, weights, size=30):
    """Fix the size of targets, as the twins have none; return the answers before each block."""
    learner.n_rows, learner.size = 1e9, 1.0
    answers = []
    for part in blocks(len(X), size):
        answers.append(learner.predict(plain_rows(X[part])))
        learner.update(plain_rows(X[part]), T[part], weights[part])
    return answers


@pytest.mark.parametrize(
    ("settings", "twin"),
    [
        (Linear(0.2, 0.5, 0.01, 0.1), naive.Ftrl(D, K, 0.2, 0.5, 0.01, 0.1)),
        (Linear(0.3, 1.0, 70.0), naive.Ftrl(D, K, 0.3, 1.0, 70.0, 0.0)),
        (Newton(0.7, 3.0), naive.Newton(D, K, 0.7, 3.0)),
    ],
)
def test_linear_learners_step_as_their_twins(settings, twin):
    X, T = stream()
    weights = np.random.default_rng(1).uniform(0.5, 2.0, N)
    learner = settings.make(context())
    answers = feed(learner, X, T, weights)
    for part, answer in zip(blocks(), answers, strict=True):
        np.testing.assert_allclose(answer, [twin.predict(x) for x in X[part]], atol=1e-9)
        for x, target, weight in zip(X[part], T[part], weights[part], strict=True):
            twin.update(x, target, weight)
    assert np.abs(learner.weight).max() > 0.1
    if getattr(settings, "l1", 0.0) > 1.0:
        assert (learner.weight[:-1] == 0).any()


@pytest.mark.parametrize("forgetting", [1.0, 0.98])
def test_random_features_are_a_ridge_regression_on_all_rows(forgetting):
    X, T = stream()
    learner = RandomFeatures(10, ridge=0.5, forgetting=forgetting).make(context())
    weights = np.random.default_rng(1).uniform(0.5, 2.0, N)
    answers = feed(learner, X, T, weights)
    phi = np.sqrt(2 / 10) * np.cos(X @ learner.first + learner.bias)
    twin = naive.LeastSquares(10, K, 0.5, forgetting)
    for part, answer in zip(blocks(), answers, strict=True):
        np.testing.assert_allclose(answer, [twin.predict(x) for x in phi[part]], atol=1e-7)
        for x, target, weight in zip(phi[part], T[part], weights[part], strict=True):
            twin.update(x, target, weight)


def test_forgetting_does_not_blow_up_where_inputs_do_not_vary():
    learner = RandomFeatures(5, forgetting=0.9).make(context())
    X, T = np.zeros((N, D)), np.ones((N, K))
    for _ in range(20):
        feed(learner, X, T, np.ones(N))
    assert learner.inverse.max() <= 1.0 + 1e-9
    np.testing.assert_allclose(learner.predict(plain_rows(X[:1])), 1.0, atol=0.2)


@pytest.mark.parametrize("activation", ["sigmoid", "leaky-relu"])
def test_networks_step_as_their_twin(activation):
    X, T = stream()
    weights = np.random.default_rng(1).uniform(0.5, 2.0, N)
    learner = Network(3, activation, 0.05, 20.0, batch=10).make(context())
    twin = naive.Network(learner.first, learner.bias, K, activation, 0.05, 20.0)
    answers = feed(learner, X, T, weights)
    for part, answer in zip(blocks(), answers, strict=True):
        np.testing.assert_allclose(answer, [twin.predict(x) for x in X[part]], atol=1e-9)
        for start in range(part.start, part.stop, 10):
            batch = slice(start, start + 10)
            twin.update(X[batch], T[batch], weights[batch])
    assert np.abs(learner.second).max() > 0.1


def test_convolutions_step_as_their_twin():
    X, T = stream(d=42, n=60)
    settings = Convolution((6, 7), 2, side=3, stride=2, rate=0.02, decay=50.0, batch=15)
    learner = settings.make(context(42))
    twin = naive.Network(
        learner.first, learner.bias, K, "leaky-relu", 0.02, 50.0, naive.squares_of(6, 7, 3, 2)
    )
    answers = feed(learner, X, T, np.ones(60))
    for part, answer in zip(blocks(60), answers, strict=True):
        np.testing.assert_allclose(answer, [twin.predict(x) for x in X[part]], atol=1e-4)
        for start in range(part.start, part.stop, 15):
            batch = slice(start, start + 15)
            twin.update(X[batch], T[batch], np.ones(15))
    assert np.abs(learner.second).max() > 0.01


@pytest.mark.parametrize("window", [1.0, 2.5, np.inf])
def test_averaged_weights_are_those_of_the_twin(window):
    X, T = stream()
    settings = Network(3, "sigmoid", 0.05, 20.0, batch=10, averaging=window)
    learner = settings.make(context(averages=True))
    plain = settings.make(context())
    twin = naive.Network(learner.first, learner.bias, K, "sigmoid", 0.05, 20.0)
    answers = feed(learner, X, T, np.ones(N))
    np.testing.assert_array_equal(answers, feed(plain, X, T, np.ones(N)))
    for start in range(0, N, 10):
        twin.update(X[start : start + 10], T[start : start + 10], np.ones(10))
    average = twin.averaged(window)
    table = settings.members([learner], np.ones(1), np.zeros((1, K)), PLAIN, True)
    votes = table.votes_on(X, np.arange(N))[0].T
    np.testing.assert_allclose(votes, [average.predict(x) for x in X], atol=1e-9)
    far = np.abs(votes - learner.predict(plain_rows(X))).max()
    assert far < 1e-12 if window == 1.0 else far > 1e-3


@pytest.mark.parametrize("kind", [KINDS[2], KINDS[4]], ids=lambda kind: kind.name)
def test_averaged_weights_of_targets_of_any_size_are_alike(kind):
    X, T = stream()
    votes = []
    for size in (1.0, 2.0**20):
        learner = kind.make(context(averages=True))
        for number, part in enumerate(blocks(size=10)):  # their size is not known at first
            learner.update(
                plain_rows(X[part]), size * (1 + 1 / (1 + number)) * T[part], np.ones(10)
            )
        table = kind.members([learner], np.ones(1), np.zeros((1, K)), PLAIN, True)
        votes.append(table.votes_on(X, np.arange(N)) / size)
    np.testing.assert_allclose(*votes, atol=1e-6)
    assert np.abs(votes[0]).max() > 0.1


def test_the_average_is_rescaled_with_the_weights():
    X, T = stream()
    kind = Network(averaging=1.0)  # so that it is the last weights
    learner = kind.make(context(averages=True))
    for number, part in enumerate(blocks(size=10)):
        learner.update(plain_rows(X[part]), (1.0 + number) * T[part], np.ones(10))
        learner._resize(0.5)
        table = kind.members([learner], np.ones(1), np.zeros((1, K)), PLAIN, True)
        votes = table.votes_on(X, np.arange(N))[0].T
        np.testing.assert_allclose(votes, learner.predict(plain_rows(X)), atol=1e-9)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_members_vote_as_learners_answer(kind):
    X, T = stream()
    made = context()
    learners = [kind.make(made) for _ in range(3)]
    learners[1].allow(np.array([True, False, True, False]))
    for factor, learner in enumerate(learners):
        for part in blocks():
            learner.update(plain_rows(X[part]), (7.0 + factor) * T[part], np.ones(30))
    offsets = np.arange(6.0).reshape(3, 2)
    table = kind.members(learners, np.array([-1.0, 0.5, 2.0]), offsets, PLAIN, False)
    assert table.reads == ((0, 1, 2, 3), (0, 2), (0, 1, 2, 3))
    assert (table.n_outputs, len(table)) == (2, 3)
    for garbage in (np.nan, np.inf, 1e300):
        rows = X.copy()
        rows[:, [1, 3]] = garbage
        own = learners[1].predict(plain_rows(X))
        np.testing.assert_allclose(
            table.votes_on(rows, np.arange(N), [1])[0].T, 0.5 * own + offsets[1], atol=1e-5
        )
    votes = table.votes_on(X, np.arange(N))
    for vote, learner, factor, offset in zip(votes, learners, (-1, 0.5, 2), offsets, strict=True):
        own = factor * learner.predict(plain_rows(X)) + offset
        np.testing.assert_allclose(vote.T, own, atol=1e-4)
    some = table.taken(np.array([2, 0]))
    np.testing.assert_array_equal(some.votes_on(X, np.arange(N)), votes[[2, 0]])
    again = type(table).from_arrays(table.arrays())
    np.testing.assert_array_equal(again.votes_on(X, np.arange(N)), votes)
    assert np.isinf(table.bounds()).all()


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_targets_of_any_size_are_learnt_alike(kind):
    X, T = stream()
    answers = []
    for size in (1.0, 2.0**20):
        learner = kind.make(context())
        for part in blocks(size=10):
            learner.update(plain_rows(X[part]), size * T[part], np.ones(10))
        answers.append(learner.predict(plain_rows(X)) / size)
    np.testing.assert_allclose(*answers, atol=1e-6)
    assert np.abs(answers[0]).max() > 0.1


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_a_learner_begins_again_only_if_it_must(kind):
    X, T = stream()
    learner = kind.make(context())
    learner.allow(np.array([True, True, False, False]))
    assert len(learner.reads) == 0
    learner.update(plain_rows(X), T, np.ones(N))
    assert learner.reads.tolist() == [0, 1]
    learner.allow(np.array([True, True, True, False]))
    assert learner.has_learnt or kind.name == "random-features"
    learner.update(plain_rows(X), T, np.ones(N))
    assert learner.reads.tolist() == [0, 1, 2]
    learner.allow(np.array([False, True, True, False]))
    assert not learner.has_learnt
    np.testing.assert_array_equal(learner.predict(plain_rows(X)), 0.0)


@pytest.mark.parametrize("kind", [*KINDS[:2], KINDS[3]], ids=lambda kind: kind.name)
def test_the_mean_of_hypotheses_answers_with_the_mean_of_answers(kind):
    X, T = stream()
    learner = kind.make(context())
    seen = feed(learner, X, T, np.ones(N))  # so that the size does not change
    learner.reset()
    learner.n_rows, learner.size, seen = 1e9, 1.0, []
    for part in blocks():
        seen.append(learner.predict(plain_rows(X)))
        learner.update(plain_rows(X[part]), T[part], np.ones(30))
    table = kind.members([learner], np.ones(1), np.zeros((1, K)), PLAIN, True)
    np.testing.assert_allclose(
        table.votes_on(X, np.arange(N))[0].T, np.mean(seen, axis=0), atol=1e-9
    )


def test_inputs_are_standardised_and_categories_have_one_each():
    columns = Columns(None, (None, ("a", "b", "c"), None))
    moments = InputMoments(columns)
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(5, 2, 500), rng.integers(0, 3, 500), np.full(500, 3.0)])
    X[::7, 0] = np.nan
    for part in blocks(500, 33):
        moments.add(X[part])
    inputs = moments.inputs()
    assert inputs.column.tolist() == [0, 1, 1, 1, 2]
    Z = inputs.of(X, np.arange(500))
    known = ~np.isnan(X[:, 0])
    expected = (X[known, 0] - X[known, 0].mean()) / X[known, 0].std()
    np.testing.assert_allclose(Z[known, 0], expected, atol=1e-9)
    assert (Z[~known, 0] == 0).all()
    share = (X[:, 1] == 2).mean()
    expected = ((X[:, 1] == 2) - share) / np.sqrt(share * (1 - share))
    np.testing.assert_allclose(Z[:, 3], expected, atol=1e-9)
    assert (Z[:, 4] == 0).all()
    wild = inputs.of(np.array([[1e308, -1.0, np.inf], [np.nan] * 3]), np.arange(2))
    assert np.abs(wild).max() == 10.0
    assert (wild[1] == 0).all()


@pytest.mark.parametrize(
    ("kind", "name", "value", "match"),
    [
        ("linear", "mask", np.full((1, D), 2), "mask must hold 0 and 1"),
        ("linear", "mask", np.ones((2, D), int), "one row per member"),
        ("linear", "scale", np.zeros(D), "scales must be > 0"),
        ("linear", "column", np.array([0, 1, 2, -1]), "must not be negative"),
        ("linear", "weight", np.zeros((1, D, 3)), "weight has the shape"),
        ("linear", "weight", np.full((1, D, K), np.nan), "weight must be finite"),
        ("linear", "center", np.zeros(3), "one entry per input"),
        ("network", "first", np.zeros((1, D, 2)), "first has the shape"),
        ("network", "second", np.zeros((1, 4, K)), "second has the shape"),
        ("network", "activation", np.array([3]), "expected one number from 0 to 2"),
        ("convolution", "geometry", np.array([2, 3, 1, 1]), "one input per pixel"),
        ("convolution", "geometry", np.array([2, 2, 3, 1]), "must not exceed"),
        ("convolution", "geometry", np.array([2, 2, 1, 0]), "each 1 or more"),
        ("convolution", "geometry", np.array([2, 2, 1, 2]), "second has the shape"),
    ],
)
def test_arrays_that_do_not_fit_are_refused(kind, name, value, match):
    own = next(settings for settings in KINDS if settings.name == kind)
    learner = own.make(context())
    X, T = stream()
    learner.update(plain_rows(X), T, np.ones(N))
    table = own.members([learner], np.ones(1), np.zeros((1, K)), PLAIN, False)
    with pytest.raises(ValueError, match=match):
        type(table).from_arrays(table.arrays() | {name: value})


def test_images_must_fit():
    with pytest.raises(ValueError, match=r"image_shape is None; expected height and width of"):
        Convolution(side=1).make(context(5))
    with pytest.raises(ValueError, match=r"image_shape is \(2, 3\)"):
        Convolution((2, 3)).make(context(4))
    with pytest.raises(ValueError, match="side is 5; expected 2 or less"):
        Convolution().make(context(4))
    letters = LearnerContext(
        1, 1, InputMoments(Columns(None, (("a", "b"),))), np.random.default_rng(0)
    )
    with pytest.raises(ValueError, match="a column holds categories"):
        Convolution().make(letters)


def test_activations_must_be_known():
    with pytest.raises(ValueError, match="activation is 'tanh'; expected one of 'sigmoid'"):
        Network(activation="tanh").make(context())


@pytest.mark.parametrize(
    ("settings", "match"),
    [
        (Network(hidden=0), "hidden is 0; expected a whole number >= 1"),
        (Network(rate=-1.0), "rate is -1.0; expected a number > 0"),
        (Network(averaging=0.5), "averaging is 0.5; expected a number >= 1"),
        (Convolution((2, 2), side=1, stride=0), "stride is 0"),
        (Linear(l1=-1.0), "l1 is -1.0; expected a number >= 0"),
        (Newton(ridge=0.0), "ridge is 0.0; expected a number > 0"),
        (RandomFeatures(forgetting=1.5), "forgetting is 1.5; expected a number > 0 and <= 1"),
    ],
)
def test_bad_settings_are_refused(settings, match):
    with pytest.raises(ValueError, match=match):
        settings.make(context())
