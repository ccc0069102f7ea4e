"""Claims and theorems of Reyzin (2011)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from scrimp import SampledBoostingClassifier
from scrimp.plans import SampledPlan
from scrimp.plans.priced_plan import PricedPlan


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(5)
    X = rng.normal(size=(300, 8))
    y = (X[:, :5].sum(axis=1) + 0.5 * rng.normal(size=300) > 0).astype(int)
    return X, y, rng.uniform(0.5, 3.0, size=8)


def one_row(model, x, n=20_000):
    """Scores of one row under many keys, at a budget just below the full vote."""
    X = np.repeat(x[None], n, axis=0)
    return model.decision_function(X, 0.999 * model.plan_.price)


@pytest.mark.parametrize("sampling", ["uniform", "cost-aware"])
def test_theorem_5_the_vote_is_unbiased(table, sampling):
    X, y, prices = table
    model = SampledBoostingClassifier(
        prices, sampling=sampling, n_rounds=30, max_draws=2, random_state=0, combine="vote"
    ).fit(X, y)
    for x in X[:3]:
        scores = one_row(model, x)
        full = model.decision_function(x[None])[0]
        assert abs(scores.mean() - full) < 4 * scores.std() / np.sqrt(len(scores))


@pytest.mark.parametrize("sampling", ["uniform", "cost-aware"])
def test_propositions_4_and_6_many_draws_give_the_full_vote(table, sampling):
    X, y, prices = table
    model = SampledBoostingClassifier(
        prices, sampling=sampling, n_rounds=30, random_state=0, combine="vote"
    ).fit(X, y)
    plan, costs = model.plan_.plan, model.plan_.costs
    # a row that owns all but one column can draw all stumps but those on it
    last = plan.members.column[-1]
    rows, owned = X[:3], np.arange(8) != last
    those = np.flatnonzero(plan.members.column != last)
    limit = plan.members.votes_on(rows, np.arange(3), those)[:, 0].sum(axis=0)
    # drawn one by one, refused or not: the mean tends to the vote of all that is owned, ...
    law = SampledPlan(
        plan.stages, plan.members, plan.probability, plan.prior, plan.seed, max_draws=3000
    )
    drawn = replace(model.predictor_, plan=PricedPlan(law, costs))
    size = np.abs(plan.members.inside).sum()
    scores = drawn.decision_function(rows, 0.0, owned=owned)
    assert (scores != limit).all()
    np.testing.assert_allclose(scores, limit, atol=0.1 * size)
    # ... which is what drawing among all that can be paid answers at once
    np.testing.assert_allclose(model.decision_function(rows, 0.0, owned=owned), limit)


@pytest.mark.parametrize("sampling", ["uniform", "cost-aware"])
def test_the_number_of_draws_for_an_agreement_suffices(table, sampling):
    X, y, prices = table
    model = SampledBoostingClassifier(
        prices, sampling=sampling, n_rounds=30, random_state=0, combine="vote"
    ).fit(X, y)
    plan, draws = model.plan_.plan, model.draws_for(0.8, X)
    rng = np.random.default_rng(0)
    for row in np.argsort(draws)[:3]:
        x = X[row]
        votes = [plan.members.votes(s, x[[c]])[0, 0] for s, c in enumerate(plan.members.column)]
        counts = rng.multinomial(int(draws[row]), plan.probability, size=2000)
        estimates = counts @ (np.array(votes) / plan.probability)
        assert (np.sign(estimates) == np.sign(model.margins(X[[row]]))).mean() >= 0.8


def test_equal_prices_make_both_samplings_the_same(table):
    X, y, _ = table
    one, other = (
        SampledBoostingClassifier(
            sampling=sampling, n_rounds=30, random_state=0, combine="vote"
        ).fit(X, y)
        for sampling in ("uniform", "cost-aware")
    )
    np.testing.assert_allclose(one.plan_.plan.probability, other.plan_.plan.probability)
    np.testing.assert_allclose(one.decision_function(X, 3.0), other.decision_function(X, 3.0))


def test_unit_prices_and_the_papers_bound_buy_exactly_the_budget(table):
    X, y, _ = table
    model = SampledBoostingClassifier(
        bound="paper", n_rounds=60, random_state=0, combine="vote"
    ).fit(X, y)
    assert set(model.spend(X, 4.0)) == {4.0}  # the paper's strict < would stop at 3
