"""Sampling the vote of an online booster (Reyzin 2011, section 3.2)."""

import numpy as np
import polars as pl
import pytest
from sklearn.datasets import load_breast_cancer, load_digits

from scrimp import (
    BudgetedBoostingClassifier,
    BudgetedTreeClassifier,
    SampledBoostingClassifier,
    StreamingBoostingClassifier,
    StreamingBoostingRegressor,
    load,
    save,
)

X, Y = load_breast_cancer(return_X_y=True)
PRICES = 1.0 + np.arange(30) % 4


@pytest.mark.parametrize("loss", ["logistic", "hinge"])
def test_the_full_vote_is_the_streams(loss):
    model = StreamingBoostingClassifier(PRICES, loss=loss).fit(X[::2], Y[::2])
    sampled = SampledBoostingClassifier.from_ensemble(model, random_state=0)
    np.testing.assert_allclose(sampled.decision_function(X), model.decision_function(X))
    np.testing.assert_allclose(sampled.predict_proba(X), model.predict_proba(X))
    assert sampled.plan_.price == pytest.approx(model.plan_.price)


def test_several_classes_too():
    rows, y = load_digits(return_X_y=True)
    model = StreamingBoostingClassifier().fit(rows[::2], y[::2])
    sampled = SampledBoostingClassifier.from_ensemble(model, random_state=0)
    np.testing.assert_allclose(sampled.decision_function(rows), model.decision_function(rows))


@pytest.mark.parametrize("options", [{}, {"bound": "paper"}, {"sampling": "uniform"},
                                     {"sampling": "top"}])  # fmt: skip
def test_draws_stay_within_the_budget_and_are_better_than_the_prior(options):
    model = StreamingBoostingClassifier(PRICES, max_depth=2, n_learners=40).fit(X[::2], Y[::2])
    sampled = SampledBoostingClassifier.from_ensemble(model, random_state=0, **options)
    for budget in (0.0, 3.0, 10.0, 20.0):
        assert sampled.spend(X, budget=budget).max() <= budget
    full = sampled.plan_.price
    assert sampled.score(X[1::2], Y[1::2], budget=0.8 * full) > 0.8
    assert sampled.score(X[1::2], Y[1::2], budget=0.0) == pytest.approx(np.mean(Y[1::2]))


def test_the_mean_of_many_draws_is_the_full_vote():
    """Thm. 5 of the paper: after any number of draws the estimate is unbiased."""
    model = StreamingBoostingClassifier(PRICES, max_depth=2).fit(X, Y)
    sampled = SampledBoostingClassifier.from_ensemble(
        model, bound="paper", max_draws=2, random_state=0
    )
    row, n = np.repeat(X[:1], 4_000, axis=0), 4_000
    budget = 0.99 * sampled.plan_.price  # less than the full vote, and more than two draws take
    scores = sampled.decision_function(row, budget=budget, keys=np.arange(n))
    full = model.decision_function(X[:1])[0]
    assert abs(scores.mean() - full) < 4.0 * scores.std() / np.sqrt(n)
    assert scores.std() > 0


def test_it_keeps_names_categories_prices_and_its_state_while_the_stream_goes_on(tmp_path):
    rng = np.random.default_rng(0)
    frame = pl.DataFrame({"a": rng.normal(size=900), "s": rng.choice(["u", "v", "w"], 900)})
    y = np.where((frame["a"].to_numpy() > 0) ^ (frame["s"].to_numpy() == "u"), "yes", "no")
    model = StreamingBoostingClassifier({"a": 2.0, "s": 3.0}, n_learners=10)
    model.partial_fit(frame[:600], y[:600])
    before = model.predict_proba(frame)
    sampled = SampledBoostingClassifier.from_ensemble(model, random_state=0)
    model.partial_fit(frame[600:], y[600:])
    np.testing.assert_allclose(sampled.predict_proba(frame), before)
    assert sampled.plan_.costs.prices == (2.0, 3.0)
    save(sampled, tmp_path / "m.scrimp")
    np.testing.assert_allclose(load(tmp_path / "m.scrimp").predict_proba(frame), before)
    other = SampledBoostingClassifier.from_ensemble(model, {"a": 7.0, "s": 1.0}, random_state=0)
    assert other.plan_.costs.prices == (7.0, 1.0)


def test_the_vote_of_a_budgeted_booster_is_drawn_as_well():
    model = BudgetedBoostingClassifier(PRICES, n_rounds=20, combine="vote").fit(X, Y)
    sampled = SampledBoostingClassifier.from_ensemble(model, random_state=0)
    np.testing.assert_allclose(sampled.decision_function(X), model.decision_function(X))


def test_what_is_no_vote_is_refused():
    numbers = StreamingBoostingRegressor(n_learners=2).fit(X[:100], X[:100, 0])
    with pytest.raises(ValueError, match="predicts numbers, which are not voted on"):
        SampledBoostingClassifier.from_ensemble(numbers)
    projected = StreamingBoostingClassifier(loss="hinge", radius=1.0, n_learners=3).fit(X, Y)
    with pytest.raises(ValueError, match="projects its partial sums"):
        SampledBoostingClassifier.from_ensemble(projected)
    tree = BudgetedTreeClassifier().fit(X, Y)
    with pytest.raises(TypeError, match="whose answer is no sum"):
        SampledBoostingClassifier.from_ensemble(tree)
