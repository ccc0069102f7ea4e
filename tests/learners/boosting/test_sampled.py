"""The sampled booster: contracts, the law of its draws, wrapped ensembles and bad input."""

from __future__ import annotations

import math
import warnings
from functools import partial

import numpy as np
import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from scrimp import (
    BudgetedBoostingClassifier,
    Costs,
    SampledBoostingClassifier,
    check_budgeted_estimator,
)
from scrimp.kernels.exact_sum import PARTIALS, add_to_sum, round_sum
from scrimp.learners.boosting.votes import vote_of_stumps
from scrimp.plans import SampledPlan, StumpTable
from scrimp.plans.components.counter_rng import uniforms
from scrimp.registry import LEARNERS
from tests.naive.sampled_vote import Hypothesis, sampled_vote

#: The paper's own vote, and the estimate of it.
VoteClassifier = partial(BudgetedBoostingClassifier, combine="vote")
SampledVote = partial(SampledBoostingClassifier, combine="vote")

KINDS = [
    {},
    {"sampling": "uniform", "bound": "paper"},
    {"bound": "paper"},
    {"sampling": "uniform"},
    {"sampling": "top"},
]


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(300, 6))
    X[rng.random(X.shape) < 0.05] = np.nan
    value = np.nan_to_num(X)
    y = np.where(value[:, 0] + value[:, 1] - value[:, 2] + rng.normal(size=300) > 0, "ill", "well")
    return X, y, np.array([1.0, 4.0, 2.0, 0.5, 3.0, 8.0])


@parametrize_with_checks(
    [SampledBoostingClassifier(n_rounds=20, **kind) for kind in KINDS[1:2]],
    expected_failed_checks=lambda _: dict(LEARNERS["sampled"].exemptions),
)
def test_is_a_scikit_learn_estimator(estimator, check):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        check(estimator)


@pytest.mark.parametrize("kind", KINDS[1:], ids=str)
def test_keeps_the_budget_contract(kind):
    check_budgeted_estimator(
        SampledVote(n_rounds=15, max_draws=20, **kind),
        max_examples=4,
        exclude=["check_no_worse_than_prior"],  # of parts of a vote
    )


def test_stacked_columns_keep_the_budget_contract():
    check_budgeted_estimator(SampledBoostingClassifier(n_rounds=15, bound="paper"), max_examples=2)


def hypotheses(model, x):
    """A fitted ensemble on one row, for the naive twin."""
    plan = model.plan_
    for s, needs in enumerate(plan.needs):
        vote = plan.plan.members.votes(s, x[[plan.plan.members.column[s]]])[0, 0]
        alpha = abs(plan.plan.members.inside[s, 0])
        yield Hypothesis(alpha, vote / alpha, frozenset(needs))


@pytest.mark.parametrize("sampling", ["uniform", "cost-aware"])
@pytest.mark.parametrize("bound", ["paper", "remaining"])
@pytest.mark.parametrize("free", [False, True])
def test_does_what_the_naive_twin_does(table, sampling, bound, free):
    X, y, _ = table
    costs = Costs(
        names=("fee", "a", "b", "c", "d", "e"),
        prices=(1.5, 1.0, 4.0, 0.5, 0.0 if free else 3.0, 8.1),
        columns=((), (0,), (1, 2), (3,), (4,), (5,)),
        requires=((), (0,), (), (0,), (), ()),
    )
    model = SampledVote(
        costs, sampling=sampling, bound=bound, n_rounds=40, max_draws=60, random_state=1
    ).fit(X, y)
    budgets = [0.4, 2.0, 6.1, 9.7, 11.0, 14.0, 30.0]
    sweep = model.sweep(X[:25], budgets)
    for key, x in enumerate(X[:25]):
        ensemble = list(hypotheses(model, x))

        def uniform(count, key=key):
            counters = np.array([[key], [count]], dtype=np.uint64)
            return uniforms(model.plan_.plan.seed, *counters)[0]

        for position, budget in enumerate(budgets):
            score, spent, _ = sampled_vote(
                ensemble, costs.prices, budget, uniform,
                cost_aware=sampling == "cost-aware", paper=bound == "paper", max_draws=60,
            )  # fmt: skip
            expected = score if abs(score) > 1e-12 else model.plan_.plan.prior[0]
            assert sweep.scores[key, position, 0] == pytest.approx(expected, abs=1e-12)
            assert sweep.spent[key, position] == spent


@pytest.mark.parametrize("spread", [0.5, 3.0, 60.0])
@pytest.mark.parametrize("bound", ["paper", "remaining"])
def test_the_kernel_does_what_stages_one_by_one_come_to(monkeypatch, bound, spread):
    rng = np.random.default_rng(8)
    X = rng.normal(size=(60, 25))
    y = (X[:, :12].sum(axis=1) > 0).astype(int)
    prices = 10.0 ** rng.uniform(-spread, spread, size=25)
    model = SampledVote(prices, bound=bound, n_rounds=150, max_draws=150, random_state=2).fit(X, y)
    X = X[:20]
    budgets = np.sort(prices)[[3, 8, 12, 18, 22, 24]] * 1.5
    own = rng.choice(budgets, len(X))
    owned = rng.random((len(X), 25)) < 0.02
    fast = model.sweep(X, budgets), model.predictor_.answer(X, own, owned=owned)
    monkeypatch.setattr(SampledPlan, "answer_cohort", lambda *given: None)
    slow = model.sweep(X, budgets), model.predictor_.answer(X, own, owned=owned)
    np.testing.assert_array_equal(fast[0].spent, slow[0].spent)
    np.testing.assert_allclose(fast[0].scores, slow[0].scores, rtol=1e-9)
    np.testing.assert_array_equal(fast[1][1], slow[1][1])
    np.testing.assert_allclose(fast[1][0], slow[1][0], rtol=1e-9)


@pytest.mark.parametrize("seed", range(20))
def test_running_sums_of_prices_are_those_of_fsum(seed):
    rng = np.random.default_rng(seed)
    prices = 10.0 ** rng.uniform(-30, 30, 60) if seed % 2 else rng.integers(1, 99, 60) / 10
    partials, n = np.empty(PARTIALS), 0
    for count, price in enumerate(prices, start=1):
        n = add_to_sum(partials, n, price)
        assert round_sum(partials, n) == math.fsum(prices[:count])


def test_the_first_draw_follows_the_chances(table):
    X, y, prices = table
    model = SampledVote(prices, n_rounds=10, max_draws=1, random_state=0).fit(X, y)
    plan = model.plan_.plan
    rows = np.repeat(X[:1], 20_000, axis=0)
    spent = model.spend(rows, 0.999 * model.plan_.price)
    for column in np.unique(plan.members.column):
        expected = plan.probability[plan.members.column == column].sum()
        found = (spent == prices[column]).mean()
        assert abs(found - expected) < 4 * np.sqrt(expected * (1 - expected) / len(rows))


@pytest.mark.parametrize("sampling", ["uniform", "cost-aware"])
def test_chances_are_those_of_the_paper(table, sampling):
    X, y, prices = table
    model = SampledVote(prices, sampling=sampling, n_rounds=30).fit(X, y)
    stumps = model.plan_.plan.members
    weight = np.abs(stumps.inside[:, 0])
    if sampling == "cost-aware":
        weight = weight / prices[stumps.column]
    np.testing.assert_allclose(model.plan_.plan.probability, weight / weight.sum())


def test_merging_adds_weights_and_keeps_the_law(table):
    signs = np.array([1.0, 1.0, -1.0, 1.0])
    alpha = np.array([0.5, 0.25, 0.3, 0.2])
    votes = (signs * alpha).reshape(-1, 1)
    high = np.array([0.0, 0.0, 0.0, 1.0])
    low = np.full(4, -np.inf)
    stumps = StumpTable(np.array([2, 2, 2, 2]), low, high, votes, -votes, 0.0 * votes)
    merged = vote_of_stumps(stumps, np.zeros(1))
    assert merged.alpha.tolist() == [0.75, 0.3, 0.2]
    assert merged.members.inside[:, 0].tolist() == [0.75, -0.3, 0.2]
    x = np.linspace(-2, 2, 9)
    for table_ in (stumps, merged.members):
        total = sum(table_.votes(s, x) for s in range(len(table_)))
        np.testing.assert_allclose(
            total[:, 0], np.where(x <= 0, 0.65, np.where(x <= 1, -0.25, -0.65))
        )


def test_what_is_free_is_always_voted_and_never_drawn(table):
    X, y, prices = table
    prices = np.where(np.arange(6) == 0, 0.0, prices)
    model = SampledVote(prices, n_rounds=30, random_state=0).fit(X, y)
    plan = model.plan_.plan
    np.testing.assert_array_equal(plan.probability == 0, plan.members.column == 0)
    scores = model.decision_function(X, 0.0)
    free = sum(plan.members.votes(s, X[:, 0]) for s in np.flatnonzero(plan.probability == 0))
    np.testing.assert_allclose(scores, free[:, 0])
    everything = SampledVote(np.zeros(6), n_rounds=30).fit(X, y)
    np.testing.assert_array_equal(
        everything.decision_function(X, 0.0), everything.decision_function(X)
    )
    assert not everything.draws_for(0.9, X).any()


def test_papers_bound_below_the_dearest_draws_nothing(table):
    X, y, prices = table
    model = SampledVote(prices, bound="paper", n_rounds=40).fit(X, y)
    with pytest.warns(UserWarning, match=r"unless 8 is left, what the dearest purchase, 'x5', "
                      r"takes, but the budget is 7\.9\. Raise"):  # fmt: skip
        assert not model.spend(X, 7.9).any()
    with pytest.warns(UserWarning, match="Nothing is bought unless 8 is left"):
        scores = model.decision_function(X, 7.9)
    np.testing.assert_array_equal(scores, model.plan_.plan.prior[0])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert model.spend(X, 8.0).all()
        remaining = model.set_params(bound="remaining").fit(X, y)
        assert remaining.spend(X, 7.9).all()
        assert (remaining.spend(X, 7.9) <= 7.9).all()


def test_top_votes_for_the_best_weight_per_price_first(table):
    X, y, prices = table
    model = SampledVote(prices, sampling="top", n_rounds=30).fit(X, y)
    stumps = model.plan_.plan.stumps
    worth = np.abs(stumps.inside[:, 0]) / prices[stumps.column]
    assert (np.diff(worth) <= 0).all()
    with pytest.raises(ValueError, match="sampling='top' draws nothing; use 'uniform'"):
        model.draws_for(0.9, X)


def test_margins_and_the_draws_they_ask_for(table):
    X, y, prices = table
    model = SampledVote(prices, sampling="uniform", n_rounds=30).fit(X, y)
    stumps = model.plan_.plan.members
    total = np.abs(stumps.inside).sum()
    margins = model.margins(X)
    np.testing.assert_allclose(margins, model.decision_function(X) / total)
    expected = np.ceil(2 * np.log(1 / 0.05) / margins**2 * (1 - 1e-12))
    np.testing.assert_allclose(model.draws_for(0.95, X), expected, atol=1)
    aware = SampledVote(prices, n_rounds=30).fit(X, y)
    weight = np.abs(stumps.inside[:, 0])
    factor = prices[stumps.column].max() * (weight / prices[stumps.column]).sum() / weight.sum()
    assert factor > 1
    np.testing.assert_allclose(
        aware.draws_for(0.95, X), 2 * np.log(1 / 0.05) * (factor / margins) ** 2, atol=1
    )


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"sampling": "best"}, "sampling is 'best'; expected one of 'cost-aware'"),
        ({"bound": "none"}, "bound is 'none'; expected one of 'remaining', 'paper'"),
        ({"sampling": "top", "bound": "paper"}, "bound must be 'remaining'"),
        ({"max_draws": 0}, "max_draws is 0; expected a whole number 1 to 100000"),
        ({"n_rounds": 0}, "n_rounds is 0"),
        ({"combine": "mean"}, "combine is 'mean'; expected one of 'stacked', 'vote'"),
    ],
)
def test_bad_parameters_are_refused(table, options, text):
    with pytest.raises(ValueError, match=text):
        SampledBoostingClassifier(**options).fit(*table[:2])


def test_bad_agreements_are_refused(table):
    model = SampledVote(n_rounds=3).fit(*table[:2])
    with pytest.raises(ValueError, match=r"agreement is 1\.0; expected a number between 0 and 1"):
        model.draws_for(1.0, table[0])
    with pytest.raises(TypeError, match=r"agreement is a ndarray; expected a number between 0 and"):
        model.draws_for(table[0], 0.95)


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_three_classes_have_the_boosters_full_vote(table, kind):
    X, _, prices = table
    value = np.nan_to_num(X)
    y = np.digitize(value[:, 0] + value[:, 1], [-0.6, 0.6])
    model = SampledVote(prices, n_rounds=30, random_state=0, **kind).fit(X, y)
    booster = VoteClassifier(prices, rule="edge", n_rounds=30, random_state=0)
    np.testing.assert_allclose(
        model.decision_function(X), booster.fit(X, y).decision_function(X), atol=1e-9
    )
    assert (model.spend(X, 9.0) <= 9.0).all()
    assert model.score(X, y, budget=9.0) > np.bincount(y).max() / len(y)
