"""Branch and bound against the best of all sets, each trained by the paper's formulas alone."""

from dataclasses import replace
from itertools import combinations, product

import numpy as np
import pytest
from scipy import sparse

from scrimp import BudgetedSVC, Costs, Item
from scrimp.kernels.svm_losses import SQUARED_HINGE
from scrimp.learners.svm.duality import Iterate
from scrimp.learners.svm.groups import Groups
from scrimp.learners.svm.problem import SVMProblem
from scrimp.learners.svm.rounding import Rounding
from tests.learners.svm.problems import COSTS, LABELS, LOSSES, model, table, trained_on

pytestmark = pytest.mark.filterwarnings("ignore:The cheapest purchase costs")

SQUARED = [loss for loss in LOSSES if loss.startswith("squared")]
MANY = 2_000
FEES = replace(
    Costs.from_items(
        [
            Item("draw", 3.0, ()),
            Item("a", 1.0, ("a",), ("draw",)),
            Item("b", 0.0, ("b", "b2"), ("draw",)),
            Item("c", 2.5, ("c",)),
            Item("d", 0.0, ("d",)),
            Item("e", 1.0, ("e", "e2"), ("c",)),
            Item("f", 2.0, ("f",), ("draw", "c")),
        ]
    ),
    column_names=None,
)


def prices_of(kind, rng):
    """Prices of a kind, for eight columns."""
    if kind == "fees":
        return FEES
    if kind == "columns":
        return Costs.per_group(range(8), rng.choice([1.0, 2.0, 5.0], 8))
    prices = {
        "near": rng.uniform(0.5, 3.0, 5),
        "apart": 10.0 ** rng.permutation([-3.0, -1.2, 0.0, 1.4, 3.0]),
        "free": rng.permutation([0.0, 0.0, 1.0, 1.5, 4.0]),
    }[kind]
    return Costs.per_group(LABELS, prices)


def budgets_of(costs, rng):
    """Nothing, less than the cheapest, what some sets cost exactly, something, and everything."""
    sets = [rng.choice(costs.n_items, 2, replace=False).tolist() for _ in range(2)]
    cheapest = min(price for price in costs.prices if price > 0)
    some = rng.uniform(0.2, 0.7) * costs.total
    return [0.0, 0.5 * cheapest, *map(costs.price_of, sets), some, costs.total]


def all_sets(X, targets, costs, C, loss):
    """The price and the objective of each set of items, with all that it requires."""
    found = {}
    items = [i for i, own in enumerate(costs.columns) if own]
    for size in range(len(items) + 1):
        for some in combinations(items, size):
            bought = costs.closure(some)
            if frozenset(bought) in found:
                continue
            columns = [c for item in bought for c in costs.columns[item]]
            objective = sum(trained_on(X, y, columns, C, loss).objective for y in targets)
            found[frozenset(bought)] = costs.price_of(some), objective
    return np.array(list(found.values())).T


def best_of(sets, budget):
    """The least objective of the sets that a budget pays for."""
    prices, objectives = sets
    return objectives[prices <= budget * (1 + 1e-9)].min()


def check(found, sets):
    """What is found is the best of all sets, is proven to be, and is paid for."""
    assert (found.prices_ <= found.budgets_ * (1 + 1e-9)).all()
    for place, budget in enumerate(found.budgets_):
        best = best_of(sets, budget)
        assert found.least_objective_[place] <= best * (1 + 1e-7)
        assert best * (1 - 1e-6) <= found.objective_[place] <= best * (1 + 1e-3)
    assert (found.bound_ <= 1e-3).all()
    assert (np.diff(found.least_objective_) <= 0).all()


# All sets


@pytest.mark.parametrize(
    ("loss", "kind", "seed"),
    [
        *product(LOSSES, ["near", "apart", "free", "fees"], [0]),
        *product(SQUARED, ["near", "apart", "free", "fees", "columns"], [1]),
    ],
)
def test_it_ends_with_the_best_of_all_sets_and_the_proof_of_it(loss, kind, seed):
    rng = np.random.default_rng([seed, LOSSES.index(loss)])
    X, y = table(loss, 10 + seed, n=25)
    costs, C = prices_of(kind, rng), 10 ** rng.uniform(-1.5, 1)
    budgets = budgets_of(costs, rng)
    found = model(loss, costs, budgets, C=C, max_nodes=MANY, max_iter=20_000).fit(X, y)
    check(found, all_sets(X, [y], costs, C, loss))
    assert (found.n_nodes_ >= 1).all()


@pytest.mark.parametrize(
    ("loss", "kind", "layout"),
    [
        ("squared_hinge", "apart", np.asarray),
        ("squared_hinge", "apart", sparse.csr_matrix),
        ("squared_hinge", "fees", sparse.csr_matrix),
        ("hinge", "near", np.asarray),
    ],
)
def test_so_it_does_for_several_classes_on_common_columns(loss, kind, layout):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(20, 8)) * (rng.random((20, 8)) < 0.8)
    y = (X[:, [0, 2, 7]] + 0.5 * rng.normal(size=(20, 3))).argmax(axis=1)
    costs = prices_of(kind, rng)
    budgets = budgets_of(costs, rng)[2:5]
    found = model(loss, costs, budgets, C=0.1, max_nodes=MANY).fit(layout(X), y)
    targets = np.where(y == np.arange(3)[:, None], 1.0, -1.0)
    check(found, all_sets(X, targets, costs, 0.1, loss))
    assert found.n_nodes_.max() > 1


@pytest.mark.parametrize("loss", SQUARED)
@pytest.mark.parametrize("layout", [np.asarray, sparse.csr_matrix])
def test_so_it_does_with_more_columns_than_rows(loss, layout):
    """Nodes are solved by gradient steps there."""
    rng = np.random.default_rng(5)
    X = rng.normal(size=(40, 60)) * (rng.random((40, 60)) < 0.5)
    signal = X @ rng.normal(size=60) + 2 * rng.normal(size=40)
    y = signal if "epsilon" in loss else np.where(signal > 0, 1.0, -1.0)
    labels, prices = rng.permutation(np.arange(60) % 6), rng.uniform(1.0, 4.0, 6)
    costs = Costs.per_group(labels, prices)
    budgets = np.array([0.2, 0.4, 0.6, 0.8]) * prices.sum()
    found = model(loss, costs, budgets, C=0.01, max_nodes=MANY).fit(layout(X), y)
    check(found, all_sets(X, [y], costs, 0.01, loss))
    assert found.n_nodes_.max() > 1


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("dear", [1e3, 1e6])
def test_sums_of_prices_within_rounding_of_the_budget_are_sets_too(seed, dear):
    """Three items at 0.1 fit in 0.3; so does one at 1e-6 beside one at the whole budget."""
    X, y = table("squared_hinge", seed, n=25)
    costs = Costs.per_group(LABELS, [dear, 1.0, 1.0, 1.0, 1e-6])
    budgets = [1.0, 1.0 + 1e-6, dear, dear + 1e-6, dear + 1.0]
    found = BudgetedSVC(costs, budgets, max_nodes=MANY).fit(X, y)
    check(found, all_sets(X, [y], costs, 1.0, "squared_hinge"))
    tenths = Costs.per_group(LABELS, [0.1] * 5)
    found = BudgetedSVC(tenths, [0.1, 0.3, 0.4], max_nodes=MANY).fit(X, y)
    check(found, all_sets(X, [y], tenths, 1.0, "squared_hinge"))
    assert [len(own) for own in found.items_] == [1, 3, 4]


# Nodes


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("costs", [COSTS, FEES], ids=["groups", "fees"])
def test_few_nodes_prove_less_but_nothing_wrong(loss, costs):
    X, y = table(loss, 4, n=25)
    sets = all_sets(X, [y], costs, 1.0, loss)
    for budget in np.array([0.3, 0.6] if loss in SQUARED else [0.4]) * costs.total:
        best, none = best_of(sets, budget), model(loss, costs, budget, max_nodes=0).fit(X, y)
        assert none.n_nodes_.tolist() == [0]
        for nodes in (1, 2, 5):
            found = model(loss, costs, budget, max_nodes=nodes).fit(X, y)
            assert found.least_objective_[0] <= best * (1 + 1e-7)
            assert found.least_objective_[0] >= none.least_objective_[0] * (1 - 1e-9)
            assert best * (1 - 1e-6) <= found.objective_[0]
            assert found.objective_[0] <= none.objective_[0] * (1 + 1e-9)
            assert found.prices_[0] <= budget * (1 + 1e-9)


@pytest.mark.parametrize("max_nodes", [0, 1, 2, 3, 4, 5])
def test_no_more_nodes_are_searched_than_allowed(max_nodes):
    X, y = table("squared_hinge", n=25)
    found = BudgetedSVC(COSTS, [2.0, 4.0, 5.0], max_nodes=max_nodes).fit(X, y)
    assert (found.n_nodes_ <= max_nodes).all()
    assert (found.n_nodes_ >= min(max_nodes, 1)).all()


@pytest.mark.parametrize(("seed", "budget"), [(2, 4.0), (4, 14.0), (9, 8.0), (10, 14.0)])
def test_better_sets_are_found_where_exchanges_find_none(seed, budget):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(60, 20)) + 0.7 * rng.normal(size=(60, 1))
    y = X @ rng.normal(size=20) + rng.normal(size=60) > 0
    prices = rng.choice([1.0, 2.0, 5.0], 20)
    none, quick = (BudgetedSVC(prices, budget, max_nodes=n).fit(X, y) for n in (0, None))
    assert none.n_nodes_[0] == 0 < quick.n_nodes_[0]
    assert quick.objective_[0] < none.objective_[0] * (1 - 1e-3)
    assert quick.bound_[0] <= 1e-3 < none.bound_[0]
    assert none.least_objective_[0] <= quick.objective_[0]


def test_uniform_prices_search_no_nodes():
    X, y = table("squared_hinge", n=25)
    found = BudgetedSVC(COSTS, [2.0, 4.0], uniform=True, max_nodes=MANY).fit(X, y)
    assert found.n_nodes_.tolist() == [0, 0]
    assert (found.bound_ > 2e-3).all()


@pytest.mark.parametrize("loss", LOSSES)
def test_by_default_small_tables_are_searched_and_large_ones_are_not(loss):
    X, y = table(loss, n=25)
    found = model(loss, budget=[2.0, 4.0, 5.0]).fit(X, y)
    assert (found.n_nodes_ > 0).all()
    assert (found.bound_ <= 1e-3).all()
    many = np.tile(X, (2_600, 3))  # 500,000 cells and more, but few groups or many
    costs = Costs.per_group(np.tile(LABELS, 3), np.ones(5))
    few = model(loss, costs, budget=4.0, tol=0.1).fit(many, np.tile(y, 2_600))
    assert few.n_nodes_[0] > 0
    large = model(loss, [1.0] * many.shape[1], budget=4.0, tol=0.1)
    assert large.fit(many, np.tile(y, 2_600)).n_nodes_.tolist() == [0]


def test_swaps_end_where_no_single_one_is_better():
    """From a poor set on: all swaps that fit, each trained."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(80, 14)) + 0.7 * rng.normal(size=(80, 1))
    y = np.where(X @ rng.normal(size=14) + rng.normal(size=80) > 0, 1.0, -1.0)
    prices = rng.choice([1.0, 2.0, 5.0], 14)
    groups = Groups(Costs.per_feature(prices))
    problem = SVMProblem.from_table(X, y[None], np.ones(80), groups, SQUARED_HINGE)
    search = Rounding(problem, groups, 1_000)
    search.lower_bound = 0.0
    search.trainer.set_budget(9.0)
    start = Iterate(problem.zeros(), np.zeros(1), 0.0)
    poor = search.trainer.train(groups.fill(prices, 9.0), start, 1e-3)
    found = search._swap(poor)
    assert found.objective < 0.9 * poor.objective
    tried = 0
    for out, into in product(found.items, set(range(14)) - set(found.items)):
        items = tuple(sorted({*found.items, into} - {out}))
        if prices[list(items)].sum() <= 9.0:
            tried += 1
            trained = search.trainer.train(items, start, 1e-4)
            assert trained.objective >= found.objective * (1 - 2e-3)
    assert tried > 10


def test_what_has_no_coefficient_is_given_back():
    """With a non-smooth loss the coefficient of a bought column can be 0."""
    X = np.repeat(np.random.default_rng(0).normal(size=(30, 1)), 2, axis=1)
    X[:, 1] = 1e-9 * np.random.default_rng(1).normal(size=30)
    y = np.where(X[:, 0] > 0.3, 1, -1)
    with pytest.warns(UserWarning, match="differ in scale"):
        found = BudgetedSVC([1.0, 1.0], 2.0, C=1e-6, loss="hinge").fit(X, y)
    assert found.items_ == [["x0"]]
    assert found.prices_.tolist() == [1.0]
    assert found.coef_[0, 1] == 0
