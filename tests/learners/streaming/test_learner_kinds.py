"""Streaming boosting with weak learners of all kinds: budgets, sessions, files, users' own."""

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import load_digits, make_friedman1

from scrimp import (
    Costs,
    StreamingBoostingClassifier,
    StreamingBoostingRegressor,
    check_budgeted_estimator,
    load,
    save,
)
from scrimp.learners.streaming import Convolution, Network
from scrimp.learners.streaming.learner_kinds import KINDS, learner_of, settings_of
from scrimp.learners.streaming.online_tree import TreeKind
from scrimp.learners.streaming.stream_rows import StreamRows
from scrimp.registry.options import STREAM_LEARNERS

X, Y = make_friedman1(2_000, 6, noise=1.0, random_state=0)
COSTS = Costs.per_feature([4.0, 1.0, 2.0, 8.0, 3.0, 1.0])
NAMES = ["linear", "newton", "network", "random-features"]


class Sgd:
    """Linear regression by stochastic gradient descent: a user's weak learner."""

    def __init__(self, rate=0.02):
        self.rate, self.weights = rate, None

    def predict(self, inputs):
        return inputs @ self.weights

    def update(self, inputs, targets, weights):
        if self.weights is None:
            self.weights = np.zeros((inputs.shape[1], targets.shape[1]))
        errors = weights[:, None] * (inputs @ self.weights - targets)
        self.weights -= self.rate * inputs.T @ errors / len(inputs)


@pytest.mark.parametrize("name", NAMES)
def test_kinds_learn_within_the_budget_and_are_saved(name, tmp_path):
    model = StreamingBoostingRegressor(COSTS, 10.0, learner=name, n_learners=8).fit(X, Y)
    for budget in (0.0, 1.0, 4.5, 10.0):
        assert model.spend(X[:50], budget=budget).max() <= budget
    assert model.score(X, Y) > 0.35
    assert model.score(X, Y, budget=1.0) < model.score(X, Y)
    garbage, bought = X.copy(), model.plan_.plan.members.reads[-1]
    garbage[:, [j for j in range(6) if j not in bought]] = np.nan
    np.testing.assert_array_equal(model.predict(garbage), model.predict(X))
    save(model, tmp_path / "m.scrimp")
    again = load(tmp_path / "m.scrimp")
    for budget in (0.0, 4.5, 10.0):
        np.testing.assert_array_equal(again.predict(X, budget), model.predict(X, budget))


@pytest.mark.parametrize(
    ("learner", "iterate"),
    [
        *((name, iterate) for name in NAMES for iterate in ("last", "average")),
        pytest.param(Sgd(), "last", id="own"),
    ],
)
def test_how_rows_are_divided_among_calls_does_not_matter(learner, iterate):
    whole = StreamingBoostingRegressor(COSTS, 10.0, learner=learner, n_learners=4, iterate=iterate)
    part = clone(whole)
    whole.partial_fit(X[:900], Y[:900])
    for start in range(0, 900, 90):
        part.partial_fit(X[start : start + 90], Y[start : start + 90])
    np.testing.assert_array_equal(whole.predict(X), part.predict(X))


@pytest.mark.parametrize("learner", [*NAMES, Sgd], ids=str)
def test_sessions_answer_as_batches(learner):
    model = StreamingBoostingRegressor(COSTS, 10.0, learner=learner, n_learners=4).fit(X, Y)
    session = model.session(budget=7.0)
    while (request := session.ask()) is not None:
        session.tell({column: float(X[0, int(column[1:])]) for column in request.columns})
    assert session.read().label == pytest.approx(model.predict(X[:1], budget=7.0)[0])


@pytest.mark.parametrize("name", ["network", "random-features", "linear"])
def test_classes_categories_and_missing_values(name):
    rng = np.random.default_rng(0)
    letters = rng.integers(0, 3, 3_000)
    number = rng.normal(size=3_000)
    y = np.where(number + np.array([-2.0, 0.0, 2.0])[letters] > 0, "high", "low")
    number[::10] = np.nan
    frame = pd.DataFrame({"letter": pd.Categorical(np.array(list("abc"))[letters]), "n": number})
    model = StreamingBoostingClassifier(learner=name, n_learners=6).fit(frame, y)
    assert model.score(frame, y) > 0.9
    lone = pd.DataFrame({"letter": frame["letter"].array[:1], "n": [np.nan]})
    assert np.isfinite(model.predict_proba(lone)).all()


def test_images_are_learnt_by_convolutions(tmp_path):
    images, digits = load_digits(return_X_y=True)
    learner = Convolution((8, 8), side=3, stride=1, rate=0.01)
    model = StreamingBoostingClassifier(learner=learner, n_learners=4, learning_rate=1.0)
    model.fit(images[::2], digits[::2])
    assert model.score(images[1::2], digits[1::2]) > 0.93
    save(model, tmp_path / "m.scrimp")
    again = load(tmp_path / "m.scrimp")
    np.testing.assert_array_equal(again.predict(images), model.predict(images))


@pytest.mark.parametrize("learner", [Sgd, Sgd(0.05), lambda: Sgd(0.03)])
def test_users_learners_are_boosted_and_refused_at_save(learner, tmp_path):
    model = StreamingBoostingRegressor(COSTS, learner=learner, n_learners=5).fit(X, Y)
    assert model.score(X, Y) > 0.6
    assert model.spend(X[:20], budget=5.0).max() <= 5.0
    before = model.predict(X[:5], budget=12.0)
    with pytest.raises(ValueError, match="the weak learners are of Sgd, a user's class, which"):
        save(model, tmp_path / "m.scrimp")
    model.partial_fit(X, Y)
    assert (model.predict(X[:5], budget=12.0) != before).all()
    if isinstance(learner, Sgd):
        assert learner.weights is None


def test_a_users_learner_that_breaks_its_promise_is_named():
    class Flat(Sgd):
        def predict(self, inputs):
            return (inputs @ self.weights)[:, 0]

    class Wild(Sgd):
        def predict(self, inputs):
            return np.full((len(inputs), 1), np.inf)

    with pytest.raises(ValueError, match=r"Flat\.predict returned the shape .*; expected .*, 1\)"):
        StreamingBoostingRegressor(learner=Flat).fit(X, Y)
    with pytest.raises(ValueError, match=r"Wild\.predict returned a number that is not finite"):
        StreamingBoostingRegressor(learner=Wild).fit(X, Y)


@pytest.mark.parametrize(
    ("params", "match"),
    [
        ({"learner": "forest"}, "learner is 'forest'; expected one of 'tree', 'linear'"),
        ({"learner": 3}, "learner is 3; expected one of tree, linear"),
        ({"learner": dict}, r"learner makes \{\}, which lacks `predict` or `update`"),
        ({"iterate": "average", "learner": Sgd}, 'hypotheses of the learner "a user\'s own"'),
        ({"iterate": "mean"}, "iterate is 'mean'"),
        ({"combine": "product"}, "combine is 'product'"),
        ({"combine": "sum", "radius": 1.0, "loss": "absolute"}, "Use combine='average'"),
    ],
)
def test_bad_parameters_are_refused(params, match):
    with pytest.raises(ValueError, match=match):
        StreamingBoostingRegressor(**params).fit(X[:60], Y[:60])


@pytest.mark.parametrize("learner", ["tree", "newton", "random-features", "network"])
def test_averages_over_time_are_learnt_alike_and_answer_otherwise(learner):
    last = StreamingBoostingRegressor(learner=learner, n_learners=3).fit(X, Y)
    average = clone(last).set_params(iterate="average").fit(X, Y)
    np.testing.assert_array_equal(last.edges_, average.edges_)
    assert (last.predict(X[:5]) != average.predict(X[:5])).all()
    assert average.score(X, Y) > 0.3


@pytest.mark.parametrize("combine", ["sum", "average", "weighted", "momentum"])
@pytest.mark.parametrize("loss", ["squared", "absolute"])
def test_plans_combine_partial_sums_as_the_booster_does(combine, loss):
    model = StreamingBoostingRegressor(
        learner="newton", combine=combine, loss=loss, n_learners=5, learning_rate=0.5, drift=None
    )
    model.fit(X, Y)
    stream = model._stream
    rows = StreamRows(X, stream._cuts, stream._n_cuts, stream.moments.inputs())
    sums, _, _ = stream.booster.partial_sums(stream.booster.answers(rows))
    np.testing.assert_allclose(model.predict(X), stream.booster.scores(sums)[:, 0], atol=1e-9)
    assert model.score(X, Y) > 0.3
    if combine == "momentum":
        assert "combine='momentum'" in model.bounds().reason


def test_settings_of_before_a_setting_came_have_its_default():
    settings = settings_of(Network(hidden=3))
    del settings["averaging"]
    assert learner_of(settings) == Network(hidden=3)
    with pytest.raises(ValueError, match="settings of its learner are not those of Network"):
        learner_of({**settings, "depth": 2})


def test_the_command_line_knows_all_kinds():
    assert (TreeKind.name, *KINDS) == STREAM_LEARNERS


def test_weighted_means_have_their_own_steps():
    model = StreamingBoostingRegressor(loss="absolute", ridge=0.5, combine="weighted", n_learners=4)
    model.fit(X[:100], Y[:100])
    np.testing.assert_allclose(model._stream.booster.steps, [2 / 2, 2 / 3, 2 / 4, 2 / 5])


@pytest.mark.parametrize("name", ["linear", "network"])
def test_promises_are_kept(name):
    model = StreamingBoostingClassifier(learner=name, n_learners=4)
    drawn = ["check_column_order"] if name == "network" else []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check_budgeted_estimator(model, max_examples=2, exclude=drawn)
