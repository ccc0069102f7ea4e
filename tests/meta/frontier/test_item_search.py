"""What to buy: orders and sets of items under prices."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.linear_model import Ridge

from scrimp import Costs, FrontierClassifier, Item
from scrimp.costs.item_sets import ItemSets
from scrimp.costs.ledger import within
from scrimp.data.columns import Columns
from scrimp.meta.frontier import item_search, linear_scorer
from scrimp.meta.frontier.design import Design
from scrimp.meta.frontier.item_search import (
    best_sets,
    eliminated,
    find_item_sets,
    forward_order,
    swapped,
)
from scrimp.meta.frontier.linear_scorer import BlendedScorer, LinearScorer
from scrimp.meta.frontier.set_scorer import SetScorer, TreeOptions
from scrimp.meta.frontier.training_target import TrainingTarget

from .tables import COSTS, rows_of

NAMES = COSTS.names


def named(items):
    return {NAMES[item] for item in items}


def numbers(*names):
    return [NAMES.index(name) for name in names]


def naive_fill(costs, order, budget):
    """Buy in the order what can still be paid; the free things first."""
    have = {i for i in range(costs.n_items) if costs.price_of([i]) == 0}
    for item in order:
        if costs.columns[item] and within(costs.price_of({*have, item}), budget):
            have |= set(costs.closure([item]))
    return have


@pytest.mark.parametrize("seed", range(4))
def test_filling_never_spends_more_and_takes_all_that_fits(seed):
    rng = np.random.default_rng(seed)
    goods = ItemSets(COSTS)
    for budget in (0.0, 0.5, 2.5, 3.0, 3.5, 6.0, 7.5, 10.5, 99.0):
        order = rng.permutation(COSTS.n_items).tolist()
        items = goods.fill(order, budget)
        assert set(items) == naive_fill(COSTS, order, budget)
        assert set(COSTS.closure(items)) == set(items)
        assert within(COSTS.price_of(items), budget)
        assert "gift" in named(items)


def test_a_fee_is_paid_once():
    goods = ItemSets(COSTS)
    assert goods.added_price([], numbers("a")[0]) == 3.0
    assert goods.added_price(numbers("fee", "b"), numbers("a")[0]) == 1.0
    assert named(goods.fill(numbers("a", "b", "pair"), 3.5)) == {"gift", "fee", "a", "b"}
    assert named(goods.fill(numbers("late"), 5.9)) == {"gift"}
    assert named(goods.fill(numbers("late"), 6.0)) == {"gift", "fee", "a", "late"}


def test_what_is_given_up_takes_along_what_requires_it_and_its_fee():
    goods = ItemSets(COSTS)
    everything = goods.fill(range(COSTS.n_items), 99.0)
    assert named(goods.without(everything, numbers("a")[0])) == {"gift", "fee", "b", "pair"}
    late = numbers("fee", "a", "late", "gift")
    assert named(goods.without(late, numbers("a")[0])) == {"gift"}
    assert named(goods.without(late, numbers("late")[0])) == {"gift", "fee", "a"}


def test_a_swap_finds_what_no_order_has():
    """The orders begin with a dear column that says little: giving it up pays for two better."""
    costs = Costs.per_feature([3.0, 2.0, 1.0])
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 3))
    y = 0.3 * X[:, 0] + X[:, 1] + X[:, 2]
    scorer = SetScorer(
        Design.of(X, Columns(None, (None,) * 3), costs), TrainingTarget(y, np.ones(300), 0), 3, rng
    )
    orders = [[0, 1, 2]]
    before = best_sets(scorer, costs, orders, [3.0])
    assert before == [(0,)]
    wider = best_sets(scorer, costs, orders, [4.0])
    assert wider == [(0, 2)]
    assert swapped(scorer, costs, orders, wider, [4.0]) == [(1, 2)]
    assert swapped(scorer, costs, orders, wider, [4.0], deadline=0.0) == wider
    best = [(1, 2)]
    assert swapped(scorer, costs, orders, best, [3.0]) == best


@pytest.mark.parametrize("loss", [0.0, np.nan])
def test_swaps_end_where_all_sets_are_equal(monkeypatch, loss):
    scorer = rows_of(0)[0].scorer
    monkeypatch.setattr(scorer, "loss", lambda items: loss)
    orders = [numbers("a", "b", "gift", "pair", "late"), numbers("late", "pair", "b", "a", "gift")]
    start = [tuple(sorted(ItemSets(COSTS).fill(orders[0], 7.5)))]
    assert swapped(scorer, COSTS, orders, start, [7.5]) == start


def test_a_loss_is_never_negative():
    rows = rows_of(0, n=3, y=np.full(3, 7.0))[0]
    scorer = LinearScorer(rows.design, rows.target, np.random.default_rng(0))
    assert all(scorer.loss((item,)) >= 0.0 for item in range(len(NAMES)))


@pytest.mark.parametrize("n_classes", [0, 2, 3])
@pytest.mark.parametrize("cap", [0.0, 0.4, 3.2, 6.0, 99.0])
def test_an_order_stays_under_its_cap_and_brings_what_items_require(cap, n_classes):
    rows, _ = rows_of(n_classes)
    for beta in (1.0, 0.5):
        order = forward_order(rows.scorer, COSTS, cap, beta)
        assert len(set(order)) == len(order)
        assert within(COSTS.price_of(order), cap)
        assert set(COSTS.closure(order)) == set(order)
        assert order[0] == NAMES.index("gift")
    if cap > 90:
        assert set(order) == set(range(COSTS.n_items))


def test_what_tells_most_per_price_comes_first():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 3))
    y = (X[:, 0] + X[:, 2] > 0).astype(np.float64)
    costs = Costs.per_feature([1.0, 1.0, 20.0])
    order = forward_order(scorer_of(X, y, costs), costs, 99.0, 1.0)
    assert order[0] == 0
    assert forward_order(scorer_of(X, y, costs), costs, 5.0, 1.0) == [0, 1]


def scorer_of(X, y, costs):
    design = Design.of(X, Columns(None, (None,) * X.shape[1]), costs)
    return SetScorer(design, TrainingTarget(y, np.ones(len(y)), 2), 3, np.random.default_rng(0))


def test_many_cheap_columns_and_a_cap():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(120, 60))
    y = (X[:, :20].sum(axis=1) > 0).astype(np.float64)
    costs = Costs.from_items(
        [Item("visit", 5.0, ())]
        + [Item(f"i{j}", 0.1 * (1 + j % 7), (f"x{j}",), ("visit",) * (j % 2)) for j in range(60)]
    )
    costs = Costs(costs.names, costs.prices, costs.columns, costs.requires)
    for cap in (0.05, 1.0, 4.9, 9.0):
        order = forward_order(scorer_of(X, y, costs), costs, cap, 1.0)
        assert within(costs.price_of(order), cap)
        left = [j for j in range(costs.n_items) if j not in order and costs.columns[j]]
        assert not any(within(costs.price_of([*order, j]), cap) for j in left)


def test_where_nothing_tells_anything_nothing_breaks():
    costs = Costs.uniform(2)
    scorer = scorer_of(np.ones((20, 2)), np.arange(20) % 2.0, costs)
    assert forward_order(scorer, costs, 9.0, 1.0) == []
    assert best_sets(scorer, costs, [[]], [1.0]) == [()]


def test_the_best_set_is_that_of_least_loss():
    rows, _ = rows_of(2)
    orders = [numbers("late", "pair"), numbers("pair", "b"), numbers("a", "b", "pair")]
    budgets = [0.0, 3.5, 6.5, 20.0]
    sets = best_sets(rows.scorer, COSTS, orders, budgets)
    for budget, items in zip(budgets, sets, strict=True):
        tried = [naive_fill(COSTS, order, budget) for order in orders]
        losses = [rows.scorer.score([tuple(sorted(own))])[0].loss for own in tried]
        assert set(items) == tried[int(np.argmin(losses))]
        assert within(COSTS.price_of(items), budget)


def test_a_loss_is_the_mean_over_rows_not_learnt_from():
    rows, _ = rows_of(0)
    score = rows.scorer.score([tuple(numbers("fee", "a", "b"))])[0]
    errors = (rows.target.y - score.scores[:, 0]) ** 2
    assert score.loss == pytest.approx(errors.mean(), rel=1e-9)
    assert score.loss < np.var(rows.target.y)
    noise = rows_of(0, y=np.random.default_rng(9).normal(size=240))[0]
    noise.scorer.options = TreeOptions(rounds=40, patience=99)
    found = noise.scorer.score([tuple(range(COSTS.n_items))])[0]
    assert found.loss > 0.9 * np.var(noise.target.y)  # what was learnt by heart does not count


@pytest.mark.parametrize("candidates", [["linear"], ["boosted"]])
@pytest.mark.parametrize("n", [200, 900])
def test_a_copy_of_a_column_is_not_paid_for(candidates, n):
    X = np.random.default_rng(0).normal(size=(n, 4))
    X[:, 2] = X[:, 0]
    y = (X[:, 0] + X[:, 1] + 0.3 * np.random.default_rng(1).normal(size=n) > 0).astype(int)
    model = FrontierClassifier([2.0, 1.0, 1.0, 1.0], [2.0, 5.0], candidates=candidates, cv=2)
    model.fit(X, y)
    assert not model.plan_.items or 0 not in model.plan_.items  # the cheaper copy is bought
    assert model.chosen_[-1].price <= 3.0


def test_items_whose_removal_does_not_worsen_the_loss_are_removed():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(800, 6))
    y = X[:, 0] + X[:, 1] + 0.1 * rng.normal(size=800)
    costs = Costs.uniform(6)
    design = Design.of(X, Columns(None, (None,) * 6), costs)
    target = TrainingTarget(y, np.ones(800), 0)
    for scorer in (SetScorer(design, target, 3, rng), LinearScorer(design, target, rng)):
        items = eliminated(scorer, costs, tuple(range(6)))
        assert {0, 1} <= set(items)
        assert len(items) <= 4
        assert scorer.loss(items) <= scorer.loss(tuple(range(6)))


def test_the_linear_scorer_is_ridge_regression_on_folds():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(100, 3))
    target = TrainingTarget(X[:, 0] + rng.normal(size=100), rng.uniform(0.5, 2, 100), 0)
    design = Design.of(X, Columns(None, (None,) * 3), Costs.uniform(3))
    scorer = LinearScorer(design, target, np.random.default_rng(1))
    draws, losses = np.random.default_rng(1), []
    for _ in range(linear_scorer.OPTIONS.max_repeats):
        fold_of = target.folds(5, draws)
        for fold in range(5):
            train, test = fold_of != fold, fold_of == fold
            Z = design.filled[1][:, [0, 2]]
            own = []
            for alpha in linear_scorer.OPTIONS.penalties:
                ridge = Ridge(alpha).fit(Z[train], target.y[train], target.weights[train])
                errors = (ridge.predict(Z[test]) - target.y[test]) ** 2
                own.append(np.average(errors, weights=target.weights[test]))
            losses.append(own)
    assert scorer.loss((0, 2)) == pytest.approx(np.mean(losses, axis=0).min(), rel=1e-6)


def test_on_few_rows_linear_models_and_trees_have_the_same_sets(monkeypatch):
    rows, _ = rows_of(2)
    rows = replace(rows, problem=replace(rows.problem, budgets=(1.0, 4.0, COSTS.total)))
    shared = find_item_sets(rows)
    assert shared["linear"] == shared["trees"]
    monkeypatch.setattr(
        item_search, "OPTIONS", replace(item_search.OPTIONS, max_shared_rows=len(rows.index) - 1)
    )
    scored = []
    monkeypatch.setattr(item_search, "searched", lambda scorer, *_: scored.append(type(scorer)))
    find_item_sets(rows)
    assert scored == [SetScorer, LinearScorer]


def test_a_blended_loss_is_the_mean_of_losses_relative_to_the_priors():
    class Fixed:
        design = None

        def __init__(self, losses):
            self.losses, self.computed = losses, []

        def loss(self, items):
            return self.losses[items]

        def compute_losses(self, sets):
            self.computed += sets

    first, second = Fixed({(): 4.0, (1,): 1.0}), Fixed({(): 0.5, (1,): 0.25})
    blended = BlendedScorer(first, second)
    assert blended.loss(()) == 1.0
    assert blended.loss((1,)) == pytest.approx((0.25 + 0.5) / 2)
    blended.compute_losses([(1,)])
    assert first.computed == second.computed == [(1,)]
