"""Sampled plans: what is drawn, what it estimates, and when drawing ends."""

import numpy as np
import pytest
from hypothesis import given

from scrimp.checks.driving import feed
from scrimp.costs.ledger import Ledger
from scrimp.plans import SampledPlan, TermTable, TreeTable
from scrimp.plans.components.counter_rng import uniforms

from .handmade import (
    AGE,
    CHOL,
    NAMES,
    PULSE,
    SCAN,
    SUGAR,
    clinic,
    drawn_trees,
    sampled,
    stages,
    stumps,
    table,
    trees,
    wrap,
)
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
    vote = [
        float(plan.members.votes_on(x[None], np.array([0]), [s])[0, 0, 0])
        for s in range(len(needs))
    ]
    if ledger.can_pay(i for items in plan.stages.items for i in items):
        return sum(vote), costs.price_of(i for items in plan.stages.items for i in items)
    sure, told = 0.0, 0
    for s in np.flatnonzero(plan.probability == 0):
        if ledger.first_affording(needs[s], rooms[s]) == 0:
            ledger.buy(needs[s])
            sure, told = sure + vote[s], told + 1
    chance, drawn, tries, passed = plan.probability.copy(), [], 0, 0
    while chance.sum() > 0:
        can_pay = np.array([ledger.first_affording(own) == 0 for own in needs]) & (chance > 0)
        if plan.affordable:
            can_pay &= plan.probability > 0
            if all(not ledger.missing(needs[s]) for s in np.flatnonzero(can_pay)):
                told += can_pay.sum()
                sure += sum(np.array(vote)[can_pay])
                drawn = []
                break
        if len(drawn) == plan.max_draws:
            break
        key_, try_ = np.array([key], np.uint64), np.array([tries], np.uint64)
        u = uniforms(plan.seed, key_, try_)[0]
        s = int(np.searchsorted(np.cumsum(chance), u * np.cumsum(chance)[-1], side="right"))
        tries += 1
        if plan.affordable and not can_pay[s]:
            passed += 1
            if passed == 16:
                chance, passed = np.where(can_pay, chance, 0.0), 0
            continue
        passed = 0
        whole = plan.probability[can_pay].sum() if plan.affordable else chance.sum()
        if ledger.first_affording(needs[s], rooms[s]) == 0:
            ledger.buy(needs[s])
            drawn.append(vote[s] * whole / plan.probability[s])
        elif plan.refusal == "stop":
            break
        else:
            chance[s] = 0.0
    if told + len(drawn) == 0:
        return plan.prior[0], ledger.spent
    return sure + (np.mean(drawn) if drawn else 0.0), ledger.spent


@pytest.mark.parametrize(
    "options",
    [
        {"max_draws": 300},  # free members would be drawn 10,000 times
        {"refusal": "stop"},
        {"max_draws": 3},
        {"seed": 5, "max_draws": 300},
        {"affordable": True},
        {"affordable": True, "max_draws": 3},
    ],
)
@pytest.mark.parametrize("make", [plan, drawn_trees])
@quick
@given(problem=problems())
def test_a_plan_does_what_its_words_say(make, options, problem):
    costs, budgets = problem
    own = make(costs, **options)
    model = wrap(own, costs)
    X = table(4)
    scores, spent = model.answer(X, budgets[0])
    for key, x in enumerate(X):
        score, price = naive(costs, own, x, key, budgets[0])
        assert scores[key, 0] == pytest.approx(score)
        assert spent[key] == price


def test_rare_members_are_found_by_new_sums_of_the_chances():
    """All but one part in 10,000 of the chances lead to what cannot be paid."""
    costs = clinic()
    chance = [0.0, 0.99989, 0.0001, 0.00001]
    where = stages(costs, *((c,) for c in COLUMNS))
    own = SampledPlan(where, stumps(COLUMNS), chance, [0.3], affordable=True, max_draws=5)
    X = table(30, missing=False)
    scores, spent = wrap(own, costs).answer(X, 5.8)  # age, then either pulse or sugar
    for key, x in enumerate(X):
        score, price = naive(costs, own, x, key, 5.8)
        assert scores[key, 0] == pytest.approx(score)
        assert spent[key] == price
    assert set(spent.round(2)) == {1.5, 5.7}


def test_a_row_that_owns_all_it_can_pay_answers_with_all_it_owns():
    costs = clinic()
    model = wrap(plan(costs, affordable=True, max_draws=10_000), costs)
    X = table(20, missing=False)
    scores, spent = model.answer(X, 1.6)
    votes = model.plan.plan.members.votes_on(X, np.arange(20))[:, 0]
    np.testing.assert_array_equal(spent, 1.5)
    np.testing.assert_allclose(scores[:, 0], votes[0] + votes[2])  # age is sure, pulse in budget


def test_what_fails_is_not_drawn_again_nor_what_needs_it():
    costs = clinic()
    model = wrap(plan(costs, affordable=True, max_draws=50), costs)
    for key in range(20):
        session, asked = model.session(10.7, key=key), []
        while (request := session.ask()) is not None:
            asked += request.items
            if "draw" in request.items:
                session.fail("draw")
            else:
                session.tell(dict.fromkeys(request.columns, 0.0))
        assert asked.count("draw") == 1 or "draw" not in asked
        assert session.bought == ("age", "ward")


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
    np.testing.assert_array_equal(scores, model.plan.plan.members.votes(0, X[:, AGE]))


def test_where_nothing_is_drawn_the_full_vote_is_the_sure_one():
    costs = clinic()
    never = SampledPlan(stages(costs, (AGE,)), stumps([AGE]), [0.0], [0.3])
    model = wrap(never, costs)
    X = table(4)
    np.testing.assert_array_equal(model.answer(X)[0], never.members.votes(0, X[:, AGE]))
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
        ([0.5, 0.5, 0.5, 0.5], {}, "sum to 1 over the members drawn"),
        ([-0.5, 0.5, 0.5, 0.5], {}, "probability must be >= 0"),
        ([np.nan, 0.5, 0.5, 0.0], {}, "probability must be >= 0"),
        ([1.0], {}, "one entry per member"),
        (CHANCE, {"max_draws": 0}, "max_draws is 0; expected 1 to 100000"),
        (CHANCE, {"refusal": "rechoose"}, "refusal is 'rechoose'; expected 'skip' or 'stop'"),
        (CHANCE, {"refusal": "stop", "affordable": True}, "affordable draws need refusal='skip'"),
    ],
)
def test_bad_plans_are_refused(chance, options, text):
    where = stages(clinic(), *((c,) for c in COLUMNS))
    with pytest.raises(ValueError, match=text):
        SampledPlan(where, stumps(COLUMNS), chance, [0.3], **options)


@pytest.mark.parametrize(
    ("part", "value", "text"),
    [
        ("roots", [1, 5, 6, 11], "roots must begin with node 0"),
        ("roots", [0, 5, 5, 11], "roots must begin with node 0 and ascend"),
        ("left", 5, "left must hold nodes of the same tree, after their parent"),
        ("right", 0, "right must hold nodes of the same tree"),
        ("missing", -2, "missing must hold nodes of the same tree"),
        ("cut", np.nan, "cuts not NaN"),
        ("value", np.inf, "votes of trees must be finite"),
        ("column", [0, 1], "one entry per node"),
    ],
)
def test_bad_trees_are_refused(part, value, text):
    arrays = {name: array.copy() for name, array in trees().arrays().items()}
    if isinstance(value, list):
        arrays[part] = np.array(value)
    else:
        arrays[part][0] = value
    with pytest.raises(ValueError, match=text):
        TreeTable.from_arrays(arrays)


@pytest.mark.parametrize(
    ("column", "center", "weight", "text"),
    [
        ([0], [0.0], [[np.nan]], "centers and weights must be finite"),
        ([0], [np.inf], [[1.0]], "centers and weights must be finite"),
        ([-2], [0.0], [[1.0]], "columns must not be negative"),
        ([0, 1], [0.0], [[1.0]], "one entry per term"),
    ],
)
def test_bad_terms_are_refused(column, center, weight, text):
    with pytest.raises(ValueError, match=text):
        TermTable(np.array(column), np.array(center), np.array(weight))


def test_some_of_the_trees_vote_as_they_did():
    table_, X = trees(), table(9)
    order = np.array([3, 0, 2])
    votes = table_.taken(order).votes_on(X, np.arange(9))
    np.testing.assert_array_equal(votes, table_.votes_on(X, np.arange(9))[order])
    assert table_.reads == ((AGE, CHOL), (), (PULSE, SUGAR), (SCAN,))
