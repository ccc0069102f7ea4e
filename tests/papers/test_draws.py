"""Draws that are counted are the draws that the plan answers with."""

import numpy as np
import pytest

from papers.reyzin2011.draws import Drawing, counts_within, path_of
from papers.trials import divide
from scrimp import SampledBoostingClassifier

from .conftest import SMALL, make

BOUNDS = (3.0, 5.0)


@pytest.fixture(scope="module")
def part():
    return divide(make("draws", d=24), SMALL, np.random.default_rng(3))


def model_of(part, prices, sampling):
    return SampledBoostingClassifier(
        prices,
        sampling=sampling,
        bound="paper",
        n_rounds=40,
        max_draws=5000,
        random_state=1,
        combine="vote",
    ).fit(part.X, part.y)


@pytest.mark.parametrize("sampling", ["cost-aware", "uniform"])
def test_spend_and_votes_are_those_of_the_estimator(part, sampling):
    prices = np.random.default_rng(0).uniform(size=24)
    model = model_of(part, prices, sampling)
    assert model.plan_.price > BOUNDS[-1]
    sweep = model.sweep(part.X_test, BOUNDS)
    for k, counts in enumerate(counts_within(model.plan_.plan, prices, part.X_test, BOUNDS)):
        np.testing.assert_allclose(counts.spent, sweep.spent[:, k], rtol=1e-12)
        tied = np.abs(counts.votes) < 1e-9  # answered with the prior
        scores = np.where(tied, model.plan_.plan.prior, counts.votes)
        np.testing.assert_allclose(scores, sweep.scores[:, k, 0], rtol=1e-9)
        assert tied.mean() < 0.3
        assert (counts.features <= counts.draws).all()


def test_the_loop_is_strict_so_equal_prices_buy_one_less_than_the_bound(part):
    model = model_of(part, np.ones(24), "uniform")
    [counts] = counts_within(model.plan_.plan, np.ones(24), part.X_test, [4.0])
    assert set(counts.features) == set(counts.spent) == {3}


def test_draws_stop_at_the_limit(part):
    model = model_of(part, np.ones(24), "uniform")
    plan = model.plan_.plan
    plan.max_draws = 7
    [counts] = counts_within(plan, np.ones(24), part.X_test, [model.plan_.price])
    assert set(counts.draws) == {7}


def test_a_bound_for_everything_takes_the_full_vote(part):
    model = model_of(part, np.ones(24), "uniform")
    [counts] = counts_within(model.plan_.plan, np.ones(24), part.X_test, [25.0])
    assert set(counts.draws) == {0}
    assert set(counts.features) == set(counts.spent) == {model.plan_.price}
    np.testing.assert_allclose(counts.votes, model.decision_function(part.X_test))


def test_a_path_tends_to_the_full_vote(part):
    model = model_of(part, np.ones(24), "uniform")
    errors, features = path_of(model.plan_.plan, part.X_test, part.y_test, np.array([1, 11, 4001]))
    full = (model.predict(part.X_test) != part.y_test).mean()
    assert errors[0] > full + 0.03
    assert abs(errors[-1] - full) < 0.03  # two rows of 80 have votes close to a tie
    assert features[0] == 1.0
    assert features[-1] == pytest.approx(len(model.plan_.plan.columns_read), abs=0.5)


def test_free_members_are_refused(part):
    prices = np.r_[np.zeros(6), np.ones(18)]
    plan = model_of(part, prices, "uniform").plan_.plan
    with pytest.raises(ValueError, match="has free members, which are not drawn"):
        Drawing(plan, prices, part.X_test)
