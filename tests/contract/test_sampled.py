"""Sampled plans: what is drawn, what it estimates, and when drawing ends."""

import numpy as np
import pytest
from hypothesis import given

from scrimp.checks.driving import feed
from scrimp.ledger import Ledger
from scrimp.plans import SampledPlan
from scrimp.plans.chance import uniforms

from .handmade import AGE, CHOL, NAMES, PULSE, SUGAR, clinic, sampled, stages, stumps, table, wrap
from .strategies import problems, quick

pytestmark = pytest.mark.filterwarnings("ignore:The cheapest purchase")

COLUMNS = [AGE, CHOL, PULSE, SUGAR]
CHANCE = [0.0, 0.5, 0.2, 0.3]


def plan(costs, headroom=False, **options):
    where = stages(costs, *((c,) for c in COLUMNS), headroom=headroom)
    return SampledPlan(where, stumps(COLUMNS), CHANCE, [0.3], **options)


def naive(costs, plan, x, key, budget):
    """One row, step by step, from the words of the plan's documentation."""
    ledger = Ledger(costs, [budget])
    needs = [costs.closure(items) for items in plan.stages.items]
    rooms = plan.stages.headroom
    vote = [plan.stumps.votes(s, x[[c]])[0, 0] for s, c in enumerate(plan.stumps.column)]
    if ledger.can_pay(i for items in plan.stages.items for i in items):
        return sum(vote), costs.price_of(i for items in plan.stages.items for i in items)
    sure, told = 0.0, 0
    for s in np.flatnonzero(plan.probability == 0):
        if ledger.first_affording(needs[s], rooms[s]) == 0:
            ledger.buy(needs[s])
            sure, told = sure + vote[s], told + 1
    chance, drawn, tries = plan.probability.copy(), [], 0
    while chance.sum() > 0 and len(drawn) < plan.max_draws:
        key_, try_ = np.array([key], np.uint64), np.array([tries], np.uint64)
        u = uniforms(plan.seed, key_, try_)[0]
        s = int(np.searchsorted(np.cumsum(chance), u * np.cumsum(chance)[-1], side="right"))
        tries += 1
        if ledger.first_affording(needs[s], rooms[s]) == 0:
            ledger.buy(needs[s])
            drawn.append(vote[s] * chance.sum() / plan.probability[s])
        elif plan.refusal == "stop":
            break
        else:
            chance[s] = 0.0
    if told + len(drawn) == 0:
        return plan.prior[0], ledger.spent
    return sure + (np.mean(drawn) if drawn else 0.0), ledger.spent


@pytest.mark.parametrize("options", [{}, {"refusal": "stop"}, {"max_draws": 3}, {"seed": 5}])
@quick
@given(problem=problems())
def test_a_plan_does_what_its_words_say(options, problem):
    costs, budgets = problem
    own = plan(costs, **({"max_draws": 20} | options))
    model = wrap(own, costs)
    X = table(4)
    scores, spent = model.answer(X, budgets[0])
    for key, x in enumerate(X):
        score, price = naive(costs, own, x, key, budgets[0])
        assert scores[key, 0] == pytest.approx(score)
        assert spent[key] == price


def test_draws_depend_on_the_key_and_the_seed_alone():
    model = wrap(sampled(clinic()), clinic())
    X = np.repeat(table(1), 50, axis=0)
    keys = np.arange(50) * 977
    scores, spent = model.answer(X, 9.0, keys=keys)
    order = np.random.default_rng(0).permutation(50)
    again = model.answer(X, 9.0, keys=keys[order])
    np.testing.assert_array_equal(again[0], scores[order])
    np.testing.assert_array_equal(again[1], spent[order])
    assert len(np.unique(scores)) > 5
    other = wrap(sampled(clinic(), seed=1), clinic()).answer(X, 9.0, keys=keys)[0]
    assert not np.array_equal(other, scores)


@pytest.mark.parametrize("draws", [1, 2])  # with more, a draw could be refused
def test_the_mean_over_many_keys_is_the_full_vote(draws):
    costs = clinic()
    model = wrap(plan(costs, max_draws=draws), costs)
    X = np.repeat(table(1, seed=3, missing=False), 20_000, axis=0)
    full = model.answer(X[:1])[0][0, 0]
    scores, spent = model.answer(X, 0.999 * model.plan.price)
    assert spent.max() < model.plan.price
    error = scores.std() / np.sqrt(len(scores))
    assert scores.std() > 0.1
    assert abs(scores.mean() - full) < 4 * error


def test_a_row_stops_after_so_many_draws():
    costs = clinic()
    model = wrap(plan(costs, max_draws=1), costs)
    for key in range(20):
        bought = feed(model.session(10.0, key=key), table(1)[0], NAMES).bought
        assert bought[0] == "age"
        assert bought[1:] in (("draw", "chol"), ("ward",), ("draw", "sugar"))


def test_stumps_with_probability_zero_are_evaluated_first_and_always():
    costs = clinic(age=0.0)
    model = wrap(plan(costs), costs)
    X = table(6, missing=False)
    scores, spent = model.answer(X, 0.0)
    assert not spent.any()
    np.testing.assert_array_equal(scores, model.plan.plan.stumps.votes(0, X[:, AGE]))


def test_where_nothing_is_drawn_the_full_vote_is_the_sure_one():
    costs = clinic()
    never = SampledPlan(stages(costs, (AGE,)), stumps([AGE]), [0.0], [0.3])
    model = wrap(never, costs)
    X = table(4)
    np.testing.assert_array_equal(model.answer(X)[0], never.stumps.votes(0, X[:, AGE]))
    assert model.answer(X, 0.1)[0].tolist() == [[0.3]] * 4


def test_with_skip_a_row_draws_on_among_what_it_can_pay():
    costs = clinic()
    model = wrap(plan(costs, max_draws=30), costs)
    bought = {feed(model.session(1.6, key=key), table(1)[0], NAMES).bought for key in range(30)}
    assert bought == {("age", "ward")}


def test_with_stop_the_first_draw_that_is_too_dear_ends_it():
    costs = clinic()
    model = wrap(plan(costs, refusal="stop", max_draws=30), costs)
    bought = {feed(model.session(1.6, key=key), table(1)[0], NAMES).bought for key in range(30)}
    assert bought == {("age",), ("age", "ward")}


@pytest.mark.parametrize("refusal", ["skip", "stop"])
def test_with_headroom_even_a_cheap_draw_must_leave_room_for_a_dear_one(refusal):
    costs = clinic()  # the dearest stage costs 7.27
    model = wrap(plan(costs, headroom=True, refusal=refusal, max_draws=30), costs)
    for key in range(30):
        session = model.session(8.0, key=key)
        before = 0.0
        while (request := session.ask()) is not None:
            assert session.spent + 7.27 <= 8.0 * (1 + 1e-9)
            before = session.spent
            session.tell(dict.fromkeys(request.columns, 0.0))
        assert before + 7.27 <= 8.0 * (1 + 1e-9)
        assert session.spent <= 8.0


@pytest.mark.parametrize(
    ("chance", "options", "text"),
    [
        ([0.5, 0.5, 0.5, 0.5], {}, "sum to 1 over the stumps drawn"),
        ([-0.5, 0.5, 0.5, 0.5], {}, "probability must be >= 0"),
        ([np.nan, 0.5, 0.5, 0.0], {}, "probability must be >= 0"),
        ([1.0], {}, "one entry a stump"),
        (CHANCE, {"max_draws": 0}, "max_draws is 0; expected 1 to 100000"),
        (CHANCE, {"refusal": "rechoose"}, "refusal is 'rechoose'; expected 'skip' or 'stop'"),
    ],
)
def test_bad_plans_are_refused(chance, options, text):
    where = stages(clinic(), *((c,) for c in COLUMNS))
    with pytest.raises(ValueError, match=text):
        SampledPlan(where, stumps(COLUMNS), chance, [0.3], **options)
