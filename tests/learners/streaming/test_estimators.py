"""StreamingBoostingRegressor and StreamingBoostingClassifier: streams, budgets, bad input."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_digits, make_friedman1
from sklearn.exceptions import NotFittedError

from scrimp import (
    Costs,
    StreamingBoostingClassifier,
    StreamingBoostingRegressor,
    load,
    save,
)

X, Y = make_friedman1(3_000, 6, noise=1.0, random_state=0)
COSTS = Costs.per_feature([4.0, 1.0, 2.0, 8.0, 3.0, 1.0])


def streamed(model, size, n=1_200, **options):
    for start in range(0, n, size):
        stop = min(start + size, n)
        model.partial_fit(X[start:stop], Y[start:stop], **options)
    return model


@pytest.mark.parametrize(("size", "n"), [(1, 260), (7, 1_200), (400, 1_200)])
def test_how_rows_are_divided_among_calls_does_not_matter(size, n):
    whole = StreamingBoostingRegressor(COSTS, 10.0, n_learners=6)
    part = StreamingBoostingRegressor(COSTS, 10.0, n_learners=6)
    streamed(whole, n, n), streamed(part, size, n)
    np.testing.assert_array_equal(whole.predict(X), part.predict(X))
    np.testing.assert_array_equal(whole.edges_, part.edges_)
    assert whole.n_rows_ == part.n_rows_


def test_friedman_is_learnt_in_one_pass():
    rows, y = make_friedman1(15_000, 10, noise=1.0, random_state=1)
    model, errors = StreamingBoostingRegressor(n_learners=40), []
    for start in range(0, len(y), 500):
        part = slice(start, start + 500)
        if start:
            errors.append((model.predict(rows[part]) - y[part]) ** 2)
        model.partial_fit(rows[part], y[part])
    assert 1.0 - np.mean(errors) / y.var() > 0.8
    assert 1.0 - np.mean(errors[-6:]) / y.var() > 0.88
    assert model.edges_[0] > 0.5


def test_no_row_overspends_while_the_stream_goes_on():
    model = StreamingBoostingRegressor(COSTS, 9.0, n_learners=8)
    for start in range(0, 3_000, 300):
        model.partial_fit(X[start : start + 300], Y[start : start + 300])
        for budget in (0.0, 1.0, 3.5, 9.0):
            assert model.spend(X[:50], budget=budget).max() <= budget
        assert model.plan_.price <= 9.0
    scores = [model.score(X, Y, budget=budget) for budget in (0.0, 3.0, 9.0)]
    assert scores[0] < scores[1] < scores[2]


def test_a_session_keeps_the_model_it_began_with():
    model = streamed(StreamingBoostingRegressor(COSTS, 9.0, n_learners=5), 600)
    before = model.predict(X[:1])[0]
    session = model.session()
    streamed(model, 600, n=3_000)
    while (request := session.ask()) is not None:
        session.tell({column: float(X[0, int(column[1:])]) for column in request.columns})
    assert session.read().label == pytest.approx(before)
    assert model.predict(X[:1])[0] != before


@pytest.mark.parametrize("loss", ["squared", "absolute", "quantile", "poisson"])
def test_all_losses_of_numbers_learn_and_are_saved(loss, tmp_path):
    y = np.random.default_rng(0).poisson(np.exp(Y / 12)) if loss == "poisson" else Y
    model = StreamingBoostingRegressor(COSTS, loss=loss, quantile=0.5).fit(X, y)
    assert model.score(X, y) > (0.15 if loss == "poisson" else 0.5)
    save(model, tmp_path / "m.scrimp")
    again = load(tmp_path / "m.scrimp")
    for budget in (0.0, 5.0, 20.0):
        np.testing.assert_array_equal(again.predict(X, budget), model.predict(X, budget))


def test_classes_are_learnt():
    rows, y = load_digits(return_X_y=True)
    model = StreamingBoostingClassifier().fit(rows[::2], y[::2])
    assert model.score(rows[1::2], y[1::2]) > 0.85
    rows, y = load_breast_cancer(return_X_y=True)
    for loss in ("logistic", "hinge"):
        model = StreamingBoostingClassifier(budget=5.0, loss=loss).fit(rows[::2], y[::2])
        assert model.score(rows[1::2], y[1::2]) > 0.85
        assert model.plan_.price <= 5.0


def test_missing_values_and_rows_of_nothing_else():
    rows = X.copy()
    rows[np.random.default_rng(0).random(X.shape) < 0.1] = np.nan
    rows[5] = np.nan
    model = StreamingBoostingRegressor().fit(rows, Y)
    assert model.score(rows, Y) > 0.5
    assert np.isfinite(model.predict(np.full((1, 6), np.nan)))[0]


def test_a_label_that_was_never_seen_is_refused_and_nothing_is_lost():
    model = StreamingBoostingClassifier(n_learners=3)
    y = np.where(np.median(Y) < Y, "high", "low")
    model.partial_fit(X[:500], y[:500])
    before = model.predict_proba(X)
    with pytest.raises(ValueError, match=r"y holds \['middle'\], which are not among"):
        model.partial_fit(X[:2], ["low", "middle"])
    np.testing.assert_array_equal(model.predict_proba(X), before)
    with pytest.raises(ValueError, match="expected \\['high', 'low'\\] as in the first call"):
        model.partial_fit(X[:2], y[:2], classes=["a", "b"])


def test_the_first_rows_may_have_one_class():
    model = StreamingBoostingClassifier(n_learners=3)
    model.partial_fit(X[:1], [1], classes=[0, 1])
    assert model.predict_proba(X[:1])[0, 1] == pytest.approx(2 / 3)
    with pytest.raises(ValueError, match="class"):
        StreamingBoostingClassifier().partial_fit(X[:1], [1])


def test_other_columns_are_refused():
    model = streamed(StreamingBoostingRegressor(n_learners=2), 300)
    with pytest.raises(ValueError, match="6 features"):
        model.partial_fit(X[:5, :4], Y[:5])


def test_very_large_targets_are_clipped_and_counted():
    y = Y.copy()
    y[1_500] = 1e200
    model = StreamingBoostingRegressor().fit(X, y)
    assert model.n_clipped_ >= 1
    assert np.isfinite(model.predict(X)).all()


@pytest.mark.parametrize(
    ("params", "match"),
    [
        ({"n_learners": 0}, "n_learners is 0; expected a whole number >= 1"),
        ({"max_depth": 13}, "max_depth is 13; expected a whole number >= 1 and <= 12"),
        ({"learning_rate": 0.0}, "learning_rate is 0.0; expected a number > 0"),
        ({"step": "other"}, "step"),
        ({"step": [0.1, 0.2]}, "one per learner"),
        ({"loss": "hinge"}, "loss is 'hinge'"),
        ({"radius": -1.0}, "radius is -1.0"),
        ({"budget": [1.0, 2.0]}, "budget has the shape"),
        ({"quantile": 0.0}, "quantile is 0.0"),
        ({"rule": "best"}, "rule is 'best'"),
    ],
)
def test_bad_parameters_are_refused(params, match):
    with pytest.raises(ValueError, match=match):
        StreamingBoostingRegressor(**params).fit(X[:50], Y[:50])


def test_counts_must_not_be_negative():
    with pytest.raises(ValueError, match="y holds -1; the loss 'poisson' is for counts"):
        StreamingBoostingRegressor(loss="poisson").fit(X[:3], [-1, 2, 3])


def test_it_must_be_fitted_first():
    with pytest.raises(NotFittedError):
        StreamingBoostingRegressor().predict(X)


def test_steps_of_the_theorem_are_small_and_given_ones_are_taken():
    theorem = StreamingBoostingRegressor(step="theorem", edge=0.5, n_learners=3).fit(X, Y)
    np.testing.assert_allclose(theorem._stream.booster.steps, 0.5 / 6.0)
    given = StreamingBoostingRegressor(step=[0.5, 0.3, 0.1], n_learners=3).fit(X, Y)
    np.testing.assert_array_equal(given._stream.booster.steps, [0.5, 0.3, 0.1])
    assert given.score(X, Y) > theorem.score(X, Y)


def test_bounds_say_why_there_are_none():
    model = StreamingBoostingRegressor(loss="absolute").fit(X, Y)
    assert "ridge" in model.bounds().reason or "edge" in model.bounds().reason
    smooth = StreamingBoostingRegressor(n_learners=3, learning_rate=1.0).fit(X, Y)
    known = smooth.bounds(loss_bound=100.0)
    assert known.edge == smooth.edges_.min()
    assert known.reason or 0 < known.of_steps <= 200.0


def test_a_table_that_is_sorted_by_its_target_is_learnt_all_the_same():
    rows, y = load_breast_cancer(return_X_y=True)
    order = np.argsort(y, kind="stable")
    model = StreamingBoostingClassifier().fit(rows[order], y[order])
    assert model.score(rows, y) > 0.93
    in_order = StreamingBoostingClassifier(shuffle=False).fit(rows[order], y[order])
    assert in_order.score(rows, y) < model.score(rows, y)
