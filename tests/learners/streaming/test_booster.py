"""The booster of streams against its slow twin, row by row."""

import numpy as np
import pytest

from scrimp.learners.streaming.bounds import bounds_of
from scrimp.learners.streaming.losses import StreamLoss
from scrimp.learners.streaming.stream_booster import LARGEST_GRADIENT, StreamBooster
from scrimp.learners.streaming.stream_rows import StreamRows
from tests.naive import sgb as naive

SMOOTH = ["squared", "logistic", "multinomial", "poisson"]
NONSMOOTH = ["absolute", "hinge", "quantile"]


class Linear:
    """The twin's linear learner, for blocks of one row."""

    def __init__(self, columns, outputs, part=1.0):
        self.inner = naive.OnlineLinear(columns, outputs, rate=0.05)
        self.part = part

    def predict(self, rows):
        return np.array([self.part * self.inner.predict(x) for x in rows.X])

    def update(self, rows, targets, weights):
        self.inner.update(rows.X[0], targets[0])


def stream(loss, n=60):
    """Rows and targets, as the loss takes them."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(n, 3))
    signal = X @ [1.0, -0.5, 0.2]
    if loss == "multinomial":
        return X, np.eye(3)[np.digitize(signal, [-0.5, 0.5])]
    if loss in ("logistic", "hinge"):
        return X, np.where(signal + 0.3 * rng.normal(size=n) > 0, 1.0, -1.0)[:, None]
    if loss == "poisson":
        return X, rng.poisson(np.exp(0.5 * signal))[:, None].astype(float)
    return X, (signal + 0.1 * rng.normal(size=n))[:, None]


def run(loss, X, y, steps, radius=np.inf, part=1.0, combine=None, **options):
    """Feed a booster of linear learners row by row; return it with its answers."""
    booster = StreamBooster(
        StreamLoss(loss, **options), [Linear(3, y.shape[1], part) for _ in steps], np.array(steps),
        np.zeros(y.shape[1]), radius, combine=combine,
    )  # fmt: skip
    no_cuts = np.zeros((3, 1)), np.zeros(3, np.int64)
    answers = [
        booster.learn(StreamRows(X[i : i + 1], *no_cuts), y[i : i + 1], np.ones(1))[0]
        for i in range(len(X))
    ]
    return booster, np.array(answers)


@pytest.mark.parametrize("ridge", [0.0, 0.1])
@pytest.mark.parametrize("loss", SMOOTH)
def test_smooth_losses_are_boosted_as_by_the_twin(loss, ridge):
    X, y = stream(loss)
    booster, answers = run(loss, X, y, [0.4] * 5, ridge=ridge)
    learners = [naive.OnlineLinear(3, y.shape[1], rate=0.05) for _ in range(5)]
    twin = naive.smooth(
        list(zip(X, y, strict=True)), learners, naive.Loss(loss, ridge), 0.4, np.zeros(y.shape[1])
    )
    np.testing.assert_allclose(answers, twin.predictions, atol=1e-10)
    np.testing.assert_allclose(booster.record.edges, twin.edges, atol=1e-10)
    assert booster.record.n_rows == len(X)


@pytest.mark.parametrize("radius", [np.inf, 0.3])
@pytest.mark.parametrize("loss", NONSMOOTH)
def test_other_losses_are_boosted_with_residuals_as_by_the_twin(loss, radius):
    X, y = stream(loss)
    steps = [0.5 / i for i in range(1, 6)]
    booster, answers = run(loss, X, y, steps, radius, ridge=0.05, quantile=0.3)
    learners = [naive.OnlineLinear(3, 1, rate=0.05) for _ in steps]
    twin = naive.nonsmooth(
        list(zip(X, y, strict=True)), learners, naive.Loss(loss, 0.05, 0.3), steps, np.zeros(1),
        None if radius == np.inf else radius,
    )  # fmt: skip
    np.testing.assert_allclose(answers, twin.predictions, atol=1e-10)
    np.testing.assert_allclose(booster.record.edges, twin.edges, atol=1e-10)
    assert booster.record.n_projected == twin.projected_rows
    assert (twin.projected_rows > 0) == (radius < np.inf)


def test_momentum_moves_partial_sums_on_before_each_learner():
    """Row by row: z = y^(i-1) + (i - 1) / (i + 2) (y^(i-1) - y^(i-2)), y^i = z - step h_i(x)."""
    X, y = stream("squared")
    _, answers = run("squared", X, y, [0.4] * 5, combine="momentum")
    learners = [naive.OnlineLinear(3, 1, rate=0.05) for _ in range(5)]
    for x, target, answer in zip(X, y, answers, strict=True):
        before = now = np.zeros(1)
        lessons = []
        for i, learner in enumerate(learners, 1):
            z = now + (i - 1) / (i + 2) * (now - before)
            lessons.append(z - target)
            before, now = now, z - 0.4 * learner.predict(x)
        np.testing.assert_allclose(answer, now, atol=1e-10)
        for learner, lesson in zip(learners, lessons, strict=True):
            learner.update(x, lesson)


def test_weighted_means_weigh_partial_sums_by_their_number():
    X, y = stream("absolute")
    steps = [1 / (i + 1) for i in range(1, 4)]
    booster, answers = run("absolute", X, y, steps, combine="weighted", ridge=0.1)
    _, means = run("absolute", X, y, steps, ridge=0.1)
    no_cuts = np.zeros((3, 1)), np.zeros(3, np.int64)
    sums, _, _ = booster.partial_sums(booster.answers(StreamRows(X, *no_cuts)))
    expected = (sums[1] + 2 * sums[2] + 3 * sums[3]) / 6
    np.testing.assert_allclose(booster.scores(sums), expected, atol=1e-12)
    assert (answers != means).any()


@pytest.mark.parametrize("loss", [*SMOOTH, *NONSMOOTH])
def test_values_and_gradients_are_those_of_the_twin(loss):
    _, y = stream(loss)
    scores = np.random.default_rng(0).normal(size=y.shape)
    own, twin = StreamLoss(loss, 0.2, 0.7), naive.Loss(loss, 0.2, 0.7)
    pairs = list(zip(scores, y, strict=True))
    np.testing.assert_allclose(own.values(scores, y), [twin.value(*pair) for pair in pairs])
    np.testing.assert_allclose(own.gradients(scores, y), [twin.gradient(*pair) for pair in pairs])


@pytest.mark.parametrize("loss", [*SMOOTH, "absolute", "quantile"])
def test_the_constant_that_is_best_is_nearly_stationary(loss):
    _, y = stream(loss, n=2_000)
    own = StreamLoss(loss, quantile=0.3)
    best = own.best_constant(y, np.ones(len(y)))
    slope = own.gradients(np.tile(best, (len(y), 1)), y).mean(axis=0)
    assert np.abs(slope).max() < 0.01


@pytest.mark.parametrize("loss", ["squared", "logistic", "poisson"])
def test_second_derivatives_lie_between_convexity_and_smoothness(loss):
    own, bound, small = StreamLoss(loss, 0.1), 2.0, 1e-4
    scores = np.linspace(-bound, bound, 101)[:, None]
    y = np.ones_like(scores)
    slopes = own.gradients(scores + small, y) - own.gradients(scores - small, y)
    curvature = slopes / (2 * small)
    assert own.convexity(bound) <= curvature.min() + 1e-6
    assert own.smoothness(bound) >= curvature.max() - 1e-6


@pytest.mark.parametrize("edge", [0.1, 0.5, 0.9])
def test_bounds_are_those_of_the_theorems(edge):
    convex, smooth, n = 0.2, 1.0, 30
    edges = np.full(n, edge)
    theorem = np.full(n, naive.printed_step(edge, smooth))
    own = bounds_of(convex, smooth, edges, theorem, 1.0, True, 0)
    for name in ("printed", "proof"):
        rate = getattr(naive, f"{name}_rate")(edge, convex, smooth)
        assert getattr(own, name) == pytest.approx(naive.smooth_bound(rate, n, 1.0))
    assert own.of_steps <= own.proof < own.printed
    inverse = np.full(n, naive.inverse_step(smooth))
    other = bounds_of(convex, smooth, edges, inverse, 1.0, True, 0)
    rate = naive.inverse_rate(edge, convex, smooth)
    assert other.of_steps == pytest.approx(naive.smooth_bound(rate, n, 1.0))
    assert other.printed is None
    harmonic = np.array(naive.harmonic_steps(convex, n))
    rough = bounds_of(convex, np.inf, edges, harmonic, 1.0, False, 0)
    assert rough.nonsmooth == pytest.approx(naive.printed_bound(edge, convex, 1.0, n))
    assert rough.sharper == pytest.approx(naive.sharp_bound(edge, convex, 1.0, n))


def test_there_is_no_bound_where_its_conditions_do_not_hold():
    half, one = np.array([0.5]), np.ones(1)
    no_edge = bounds_of(1.0, 1.0, np.array([0.5, -0.1]), np.ones(2), 1.0, True, 0)
    assert "no edge" in no_edge.reason
    assert "strongly convex" in bounds_of(0.0, 1.0, half, one, 1.0, True, 0).reason
    assert "larger than 1 / 2" in bounds_of(1.0, 2.0, half, one, 1.0, True, 0).reason
    assert "number of the learner" in bounds_of(1.0, np.inf, half, half, 1.0, False, 0).reason
    assert "3 rows" in bounds_of(1.0, np.inf, half, one, 1.0, False, 3).reason


def test_the_regret_falls_geometrically_and_is_within_its_bound():
    """Learners that answer half of what they learn leave a quarter of the squared loss each."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3_000, 3))
    y = (X @ [1.0, -0.5, 0.2])[:, None]
    regrets = []
    for n in (1, 2, 3, 4):
        booster, answers = run("squared", X, y, [1.0] * n, part=0.5)
        largest, edges = 0.5 * float((y**2).max()), booster.record.edges
        known = bounds_of(1.0, 1.0, edges, booster.steps, largest, True, 0)
        assert edges.min() > 0.6
        assert 0.5 * float(((answers - y) ** 2).mean()) <= known.of_steps
        regrets.append(float(((answers - y)[2_000:] ** 2).mean()))
    np.testing.assert_allclose(np.diff(np.log(regrets)), np.log(0.25), rtol=0.1)


def test_gradients_that_are_not_finite_are_clipped_and_counted():
    X, y = stream("squared", n=5)
    y[2] = 1e300
    booster, _ = run("squared", X, y, [1.0, 1.0])
    assert booster.record.n_clipped >= 1
    assert np.isfinite(booster.learners[0].inner.weights).all()
    assert np.abs(booster.learners[0].inner.weights).max() < LARGEST_GRADIENT
