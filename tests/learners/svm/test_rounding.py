"""What is bought: against all sets that a budget could buy, by the paper's formulas alone."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

from scrimp import BudgetedSVC, Costs, Item
from scrimp.learners.svm import rounding
from scrimp.learners.svm.path import PathSolution, share_lower_bounds
from tests.learners.svm.problems import EPSILON, GROUPS, LABELS, LOSSES, model, table, trained_on
from tests.naive import ltb as naive

pytestmark = pytest.mark.filterwarnings("ignore:The cheapest purchase costs")

#: Problems a loss.
SEEDS = range(10)


def solved(loss, seed):
    """A random problem, what the estimator finds, and the best set there is."""
    rng = np.random.default_rng(100 + seed)
    X, y = table(loss, seed, n=20)
    prices, C = rng.uniform(0.5, 3.0, 5), 10 ** rng.uniform(-2, 1)
    budget = rng.uniform(0.1, 0.8) * prices.sum()
    found = model(loss, Costs.per_group(LABELS, prices), budget, C=C, tol=1e-4, max_iter=20_000)
    best, _ = naive.best_integer(X, y, GROUPS, prices, budget, C, loss, EPSILON)
    return X, y, prices, budget, C, found.fit(X, y), best


@pytest.fixture(scope="module")
def problems():
    return {loss: [solved(loss, seed) for seed in SEEDS] for loss in LOSSES}


@pytest.mark.parametrize("loss", LOSSES)
def test_it_is_an_svm_trained_on_what_is_bought(problems, loss):
    for X, y, _, _, C, found, _ in problems[loss]:
        columns = [c for name in found.items_[0] for c in GROUPS[int(name)]]
        twin = trained_on(X, y, columns, C, loss)
        assert found.objective_[0] == pytest.approx(twin.objective, rel=1e-6)
        np.testing.assert_allclose(found.coef_[0], twin.w, atol=1e-8 * max(np.abs(twin.w).max(), 1))
        scores = X @ twin.w + twin.b
        answers = found.predict(X) if naive.is_regression(loss) else found.decision_function(X)
        own = naive.total_loss(y, answers, loss, EPSILON)
        assert own == pytest.approx(naive.total_loss(y, scores, loss, EPSILON), rel=1e-4, abs=1e-5)


@pytest.mark.parametrize("loss", LOSSES)
def test_it_is_between_the_relaxation_and_no_better_than_the_best_set(problems, loss):
    for X, y, prices, budget, C, found, best in problems[loss]:
        relaxed = naive.relaxed(X, y, GROUPS, prices, budget, C, loss, EPSILON, 1e-5)
        assert found.objective_[0] >= best * (1 - 1e-6)
        assert found.objective_[0] >= relaxed.lower * (1 - 1e-6)
        assert found.relaxed_objective_[0] == pytest.approx(relaxed.upper, rel=2e-4)
        assert found.prices_[0] <= budget * (1 + 1e-9)


def test_it_is_nearly_always_the_best_set(problems):
    """Of 40 random problems: how far the objective is above that of the best of all sets."""
    above = np.array(
        [own[5].objective_[0] / own[6] - 1 for loss in LOSSES for own in problems[loss]]
    )
    assert len(above) == 40
    assert (above < 0.01).mean() >= 0.8
    assert above.mean() < 0.05


@pytest.mark.parametrize("loss", LOSSES)
def test_the_bound_is_a_certificate(problems, loss):
    for *_, found, best in problems[loss]:
        assert found.least_objective_[0] <= best * (1 + 1e-7)
        distance = 1 - found.least_objective_[0] / found.objective_[0]
        assert found.bound_[0] == pytest.approx(max(distance, 0.0), abs=1e-12)
        assert found.objective_[0] * (1 - found.bound_[0]) <= best * (1 + 1e-7)


def test_the_bound_is_never_above_the_whole_objective():
    X, y = table("squared_hinge", 1)
    prices = [50.0, 1.0, 20.0, 1.0, 5.0]
    for seed in range(3):
        costs = Costs.per_group(LABELS, np.roll(prices, seed))
        found = model("squared_hinge", costs, [1.0, 8.0, 30.0], C=100.0, uniform=True).fit(X, y)
        assert ((found.bound_ >= 0) & (found.bound_ <= 1)).all()
        assert (found.least_objective_ >= 0).all()


def test_a_bound_of_nothing_left_to_gain_is_zero():
    X, y = table("squared_hinge")
    everything = model("squared_hinge", budget=None).fit(X, y)
    assert everything.bound_[0] < 1e-4
    assert everything.prices_[0] == 8.0


# Fees


NAMED = Costs.from_items(
    [
        Item("draw", 2.0, ()),
        Item("a", 1.0, ("a",), ("draw",)),
        Item("b", 0.0, ("b", "b2"), ("draw",)),
        Item("c", 2.5, ("c",)),
        Item("d", 0.0, ("d",)),
        Item("e", 1.0, ("e",), ("c",)),
        Item("f", 3.0, ("f",), ("draw", "c")),
    ]
)
FEES = replace(NAMED, column_names=None)


def best_with_fees(X, y, budget, C, loss):
    """The least objective of all sets of items that the budget pays for, with what they require."""
    items, least = [i for i, own in enumerate(FEES.columns) if own], np.inf
    seen = set()
    for size in range(len(items) + 1):
        for some in combinations(items, size):
            bought = FEES.closure(some)
            if FEES.price_of(some) <= budget * (1 + 1e-9) and frozenset(bought) not in seen:
                seen.add(frozenset(bought))
                columns = [c for item in bought for c in FEES.columns[item]]
                least = min(least, trained_on(X, y, columns, C, loss).objective)
    return least


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("uniform", [False, True])
def test_with_fees_budgets_are_kept_and_the_certificate_holds(loss, uniform):
    X, y = table(loss, 5, n=20)
    X = X[:, : FEES.n_columns]
    budgets = [0.0, 2.0, 3.0, 4.6, 6.5, 9.5]
    found = model(loss, FEES, budgets, C=0.5, uniform=uniform, max_iter=20_000).fit(X, y)
    assert (found.prices_ <= found.budgets_ * (1 + 1e-9)).all()
    for place, budget in enumerate(budgets):
        best = best_with_fees(X, y, budget, 0.5, loss)
        assert found.least_objective_[place] <= best * (1 + 1e-7)
        assert found.objective_[place] >= best * (1 - 1e-6)
        assert FEES.price_of([FEES.names.index(i) for i in found.items_[place]]) <= budget
        assert (found.spend(X, budget) <= budget).all()
    assert found.items_[0] == ["d"]  # free, and of use
    assert set(found.items_[-1]) == set(FEES.names)


def test_what_is_required_is_bought_with_it():
    X, y = table("squared_hinge", 6)
    for seed in range(3):
        rows = np.random.default_rng(seed).permutation(len(X))
        found = model("squared_hinge", FEES, [3.0, 4.5, 6.0], C=1.0).fit(X[rows, :7], y[rows])
        for items in found.items_:
            assert all(
                FEES.names[need] in items
                for own in items
                for need in FEES.closures[FEES.names.index(own)]
            )


@pytest.mark.parametrize(
    ("loss", "uniform"), [*((loss, False) for loss in LOSSES), ("squared_hinge", True)]
)
@pytest.mark.parametrize(
    "prices", [[0.0] * 5, [0.0, 1.0, 0.0, 2.0, 3.0], [0.1] * 5, [1e6, 1, 1, 1, 1e-6]]
)
def test_no_budget_is_ever_exceeded(loss, uniform, prices):
    X, y = table(loss, 1)
    costs = Costs.per_group(LABELS, prices)
    budgets = sorted({0.0, 0.3, 1.0, 2.0, 0.5 * sum(prices)})
    found = model(loss, costs, budgets, uniform=uniform).fit(X, y)
    assert (found.prices_ <= found.budgets_ * (1 + 1e-9)).all()
    assert (found.share_counts_.sum(axis=1) == 5).all()
    for budget in budgets:
        assert found.spend(X, budget).max() <= budget * (1 + 1e-9)
    if prices == [0.1] * 5 and not uniform:
        assert len(found.items_[budgets.index(0.3)]) == 3  # three items at 0.1 fit in 0.3
    free = [str(g) for g, price in enumerate(prices) if price == 0]
    assert set(free) <= set(found.items_[0])


# Paths


@pytest.mark.parametrize("loss", LOSSES)
def test_a_path_is_as_good_as_separate_fits_and_never_rises(loss):
    X, y = table(loss, 3)
    budgets = [0.0, 1.0, 2.5, 4.0, 6.0, 8.0]
    path = model(loss, budget=budgets, tol=1e-4, max_iter=20_000).fit(X, y)
    assert (np.diff(path.objective_) <= 1e-6 * path.objective_[:-1]).all()
    assert (np.diff(path.relaxed_objective_) <= 2e-4 * path.relaxed_objective_[:-1]).all()
    for place, budget in enumerate(budgets):
        alone = model(loss, budget=budget, tol=1e-4, max_iter=20_000).fit(X, y)
        assert path.relaxed_objective_[place] == pytest.approx(
            alone.relaxed_objective_[0], rel=2e-4
        )
        assert path.objective_[place] <= alone.objective_[0] * 1.02


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("costs", [Costs.per_group(LABELS, [2.0, 1.0, 3.0, 0.5, 1.5]), FEES])
def test_the_same_set_at_a_larger_budget_has_the_very_same_objective(loss, costs):
    X, y = table(loss, 7)
    X = X[:, : costs.n_columns]
    found = model(loss, costs, [1.5, 1.6, 3.2, 3.3, 4.6, 4.7, 6.6, 6.7]).fit(X, y)
    alike = [place for place in range(1, 8) if found.items_[place] == found.items_[place - 1]]
    assert 3 <= len(alike) < 7
    for place in alike:
        assert found.objective_[place] == found.objective_[place - 1]
        before, after = (found.budgets_[place - 1], found.budgets_[place])
        np.testing.assert_array_equal(found.predict(X, before), found.predict(X, after))


def test_what_a_larger_budget_proves_holds_for_smaller_ones():
    bounds = [3.0, 5.0, 4.0, 4.5, 1.0]
    path = [PathSolution(float(b), None, None, bound, 1, 0) for b, bound in enumerate(bounds)]
    shared = share_lower_bounds(path)
    assert [solution.lower_bound for solution in shared] == [5.0, 5.0, 4.5, 4.5, 1.0]
    assert [solution.budget for solution in shared] == [0.0, 1.0, 2.0, 3.0, 4.0]


@pytest.mark.parametrize("seed", range(4))
def test_a_larger_budget_is_never_worse(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(60, 20))
    y = np.where(X @ rng.normal(size=20) + rng.normal(size=60) > 0, 1, -1)
    prices = rng.uniform(0.5, 5.0, 20)
    for uniform in (False, True):
        found = model(
            "squared_hinge", prices, np.linspace(0, prices.sum(), 8), C=1.0, uniform=uniform
        ).fit(X, y)
        assert (np.diff(found.objective_) <= 1e-6 * found.objective_[:-1]).all()


@pytest.mark.parametrize("loss", ["epsilon_insensitive", "squared_epsilon_insensitive"])
@pytest.mark.parametrize("move", [-1e6, 1e6, 1e8])
def test_numbers_far_from_zero_are_bought_for_as_well_and_proven_as_well(loss, move):
    """The intercept is free: it takes in any shift."""
    X, y = table(loss, 2)
    here, there = model(loss).fit(X, y), model(loss).fit(X, y + move)
    assert there.items_ == here.items_
    assert there.least_objective_[0] == pytest.approx(here.least_objective_[0], rel=1e-3)
    assert (there.gap_ >= -1e-9).all()
    np.testing.assert_allclose(there.coef_, here.coef_, atol=1e-4)
    np.testing.assert_allclose(there.predict(X) - move, here.predict(X), atol=1e-4)
    assert there.predict(X, budget=0.0)[0] - move == pytest.approx(
        here.predict(X, budget=0.0)[0], abs=1e-4
    )


def test_small_sets_built_from_nothing_are_never_worse_and_sometimes_better(monkeypatch):
    better = 0
    for seed in range(10):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(100, 60)) + 0.5 * rng.normal(size=(100, 1))
        y = X @ rng.normal(size=60) + rng.normal(size=100) > 0
        prices = rng.choice([1.0, 2.0, 5.0], 60)
        objectives = []
        for small in (0, 100):
            limits = replace(rounding.SEARCH, small_set=small)
            monkeypatch.setattr(rounding, "SEARCH", limits)
            objectives.append(BudgetedSVC(prices, 15.0, max_nodes=0).fit(X, y).objective_[0])
        assert objectives[1] <= objectives[0] * (1 + 1e-6)
        better += objectives[1] < objectives[0] * (1 - 1e-2)
    assert better >= 3
