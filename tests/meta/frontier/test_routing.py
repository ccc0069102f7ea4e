"""The search for routes beside its naive twin, and candidates of a frontier that route."""

import numpy as np
import pytest

from scrimp import Costs, FrontierClassifier
from scrimp.data.columns import Columns
from scrimp.data.target import Target
from scrimp.meta.frontier.problem import Problem, TrainingSet
from scrimp.meta.frontier.routing import screening
from scrimp.meta.frontier.routing.region_scorer import RegionScorer, learning_rows
from scrimp.meta.frontier.routing.route import Branch, IntervalTest, Region, filled, regions_of
from scrimp.meta.frontier.routing.search import RouteSearch, free_at
from scrimp.meta.frontier.trained_routes import route_plan
from scrimp.meta.frontier.training_target import TrainingTarget
from scrimp.plans.components.models import LinearModel, Preparation
from scrimp.plans.priced_plan import PricedPlan
from scrimp.runtime.predictor import Predictor
from tests.meta.routed.tables import context, priced
from tests.naive.routed import naive_benefit, naive_follow, naive_gain

BUDGETS = (2.0, 3.0)


def training_set(n=600):
    X, y = context(n)
    target = TrainingTarget(y.astype(float), np.ones(n), 2)
    columns = Columns(None, (None,) * X.shape[1])
    costs = Costs.uniform(X.shape[1])
    problem = Problem(X, y, np.array([0, 1]), columns, X, target, costs, BUDGETS, 0)
    return TrainingSet.of(problem, np.arange(n), None)


@pytest.fixture(scope="module")
def rows():
    return training_set()


def test_the_benefit_of_a_test_is_that_of_the_twin(rows):
    scorer, n = rows.scorer, len(rows.index)
    screen = screening.Screen(scorer, rows.problem.costs, np.arange(n))
    screen.best([(0,)], 3.0, 1)
    growth = screening._Growth(screen, (0,), 3.0)
    split = growth._split(np.arange(n), 0, 0.5)
    scores = scorer.score([(0,)])[0].scores[:, 0]
    p = 1 / (1 + np.exp(-scores))
    gradient, hessian = rows.scorer.target.y - p, p * (1 - p)
    sides = []
    for side in (split.inside, split.outside):
        gains = {}
        for item in growth.others:
            x = scorer.design.bins[item][side].tolist()
            of_side = naive_gain(x, gradient[side], hessian[side], 1.0, growth.options[3])
            gains[item] = max(of_side - growth.noise, 0.0)
        sides.append(gains)
    prices = dict.fromkeys(growth.others, 1.0)
    expected = naive_benefit(*sides, prices, 2.0, screening.OPTIONS.n_counted)
    assert split.benefit == pytest.approx(expected, rel=1e-3)


def test_the_first_test_of_a_route_is_of_the_context(rows):
    (route,) = RouteSearch(rows).routes([(1, 2, 3)], [3.0])
    assert isinstance(route, Branch)
    assert route.test.column == 0
    for region in regions_of(route):
        assert 0 in region.items
        assert rows.problem.costs.price_of(region.items) <= 3.0


def test_one_level_routes_once(rows):
    (route,) = RouteSearch(rows, max_levels=1).routes([(1, 2, 3)], [3.0])
    assert sum(1 for _ in regions_of(route)) <= screening.OPTIONS.max_regions


def test_a_plan_of_a_route_is_followed_as_by_the_twin():
    X, y = context(300)
    X[::7, 0] = np.nan
    costs = priced(X)
    route = Branch(
        IntervalTest(0, -np.inf, 0.5, False),
        Region((0, 1)),
        Branch(IntervalTest(6, -1.0, 1.0, True), Region((0, 6, 7)), Region((0, 3, 6, 7))),
    )
    read = {(True,): [0, 1], (False, True): [6], (False, False): [3, 6]}
    models = {path: _linear(columns) for path, columns in read.items()}
    target = TrainingTarget(y.astype(float), np.ones(300), 2)
    columns = Columns(None, (None,) * X.shape[1])
    problem = Problem(X, y, np.array([0, 1]), columns, X, target, costs, BUDGETS, 0)
    plan = route_plan(route, list(models.values()), TrainingSet(problem, np.arange(300)))
    predictor = Predictor(PricedPlan(plan, costs), columns, Target("shares", np.array([0, 1])), {})
    scores, spent = predictor.answer(X)
    for row, answer, paid in zip(X, scores, spent, strict=True):
        expected, price = naive_follow(route, models, row, costs)
        np.testing.assert_allclose(answer, expected)
        assert paid == pytest.approx(price)
    assert PricedPlan(plan, costs).price == pytest.approx(1.5 + 1.0 + 0.5 + 1.0)


def _linear(columns):
    n = len(columns)
    none = np.full(n, np.nan)
    filled_columns = Preparation(np.array(columns), none, np.zeros(n), np.zeros(n), np.ones(n))
    weights = np.linspace(-1.0, 1.0, 2 * n).reshape(n, 2)
    return LinearModel(filled_columns, weights, [0.2, -0.2], "softmax")


def test_regions_learn_from_others_where_they_are_small(rows):
    rng = np.random.default_rng(0)
    inside = np.arange(len(rows.index)) < 100
    learns = learning_rows(inside, 150, rng)
    assert learns.sum() == 150
    assert learns[inside].all()
    scorer = RegionScorer(rows.design, rows.target, inside, learns, 3, rng)
    losses = scorer.row_losses((0, 1, 2))
    assert losses.shape == (100,)
    assert np.isfinite(losses).all()


def test_what_is_owned_is_free():
    costs = priced(context(5)[0])
    assert free_at(costs, (6,)).price_of([6]) == 0.0
    assert free_at(costs, (6,)).price_of([0]) == 1.5


def test_a_route_is_filled_in_order():
    route = Branch(IntervalTest(0, 0.0, 1.0, False), Region((0,)), Region((0,)))
    assert filled(route, iter([Region((1,)), Region((2,))])).outside == Region((2,))


def test_a_frontier_has_routed_candidates():
    X, y = context(1_200)
    model = FrontierClassifier(budgets=[3.0], candidates=["boosted", "routed"], cv=2, n_jobs=1).fit(
        X, y
    )
    assert [one.candidate for one in model.chosen_][-1] == "routed"
    assert model.chosen_[-1].price == 3.0
    assert model.losses_["routed"][0] < 0.2
