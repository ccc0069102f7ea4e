"""Cost-aware trees: growth and pruning against naive twins, averages, and bad input."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from sklearn.datasets import load_iris
from sklearn.tree import DecisionTreeRegressor

from scrimp import BudgetedTreeClassifier, BudgetedTreeRegressor, Costs, load, save
from scrimp.learners.trees.price_pruning import pruned_to_average
from scrimp.learners.trees.pruning import cut_strengths, strengths_between
from tests.naive.trees import naive_best_pruning, naive_grow, naive_path, naive_proba

#: x0 and x1 share a fee, x2 requires x0, x3 and x4 come together, x5 is free
GRAPH = Costs(
    ("fee", "a", "b", "c", "pair", "free"),
    (1.5, 0.3, 2.0, 0.7, 1.1, 0.0),
    ((), (0,), (1,), (2,), (3, 4), (5,)),
    ((), (0,), (0,), (1,), (), ()),
)


def make_problem(seed, n_classes, missing=True, n=90):
    """Numbers, of which the last column is a code; weights; classes, or numbers if there are 0."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 6))
    X[:, 1] = np.round(X[:, 1])
    X[:, 5] = rng.integers(0, 4, n)
    score = X[:, :5] @ rng.normal(size=5) + (X[:, 5] == 2) + rng.normal(size=n)
    if missing:
        X[rng.random(X.shape) < 0.15] = np.nan
    y = score
    if n_classes:
        y = np.digitize(score, np.quantile(score, np.arange(1, n_classes) / n_classes))
    return X, y, rng.uniform(0.2, 2.0, size=n)


def frame_of(X):
    codes = [None if np.isnan(c) else "klmnop"[int(c)] for c in X[:, 5]]
    return pl.DataFrame({f"x{j}": X[:, j] for j in range(5)} | {"x5": codes})


NAMED = Costs(
    GRAPH.names, GRAPH.prices, GRAPH.columns, GRAPH.requires, tuple(f"x{j}" for j in range(6))
)


@pytest.mark.parametrize(
    ("rule", "n_classes", "budget"),
    [("eg2", 0, None), ("eg2", 2, 2.5), ("eg2", 3, None), ("cs-id3", 2, None), ("idx", 0, 2.5)],
)
def test_grows_as_the_formulas_say(rule, n_classes, budget):
    X, y, weight = make_problem(n_classes, n_classes)
    kind = BudgetedTreeClassifier if n_classes else BudgetedTreeRegressor
    model = kind(NAMED, budget, rule=rule, prune=None, min_samples_leaf=4)
    model.fit(frame_of(X), y, sample_weight=weight)
    targets = [[float(v == k) for k in range(n_classes)] or [float(v)] for v in y.tolist()]
    rows = list(zip(X.tolist(), targets, weight.tolist(), strict=True))
    limit = np.inf if budget is None else budget
    codes = [False] * 5 + [True]
    tree = naive_grow(rows, GRAPH, limit, rule, 0.5, 4, codes, n_classes > 0)
    fresh, _, _ = make_problem(99, n_classes)
    fresh[:4, 5] = 5.0  # a category that training did not have
    for asked in (None, 0.0, 1.1, 1.8, 2.5, GRAPH.total):
        most = limit if asked is None else min(asked, limit)
        ends = [naive_path(tree, row, GRAPH, most) for row in fresh.tolist()]
        table = frame_of(fresh)
        np.testing.assert_allclose(model.spend(table, asked), [paid for _, paid in ends])
        if n_classes:
            expected = [naive_proba(*class_frequencies(part, n_classes)) for part, _ in ends]
            np.testing.assert_allclose(model.predict_proba(table, asked), expected, rtol=1e-9)
        else:
            means = [np.average([r[1][0] for r in part], weights=[r[2] for r in part])
                     for part, _ in ends]  # fmt: skip
            np.testing.assert_allclose(model.predict(table, asked), means, rtol=1e-9, atol=1e-12)


def class_frequencies(rows, n_classes):
    weight = sum(r[2] for r in rows)
    return [sum(r[2] * r[1][k] for r in rows) / weight for k in range(n_classes)], weight


@pytest.mark.parametrize("complexity", ["leaves", "spend"])
@pytest.mark.parametrize("seed", range(3))
def test_pruning_is_the_best_of_all_subtrees(complexity, seed):
    X, y, weight = make_problem(seed, 3)
    model = BudgetedTreeClassifier(GRAPH, prune=None, min_samples_leaf=3)
    tree = model.fit(X, y, sample_weight=weight).tree_
    costs = np.ones(tree.node_count) if complexity == "leaves" else tree.spend
    strengths = cut_strengths(tree.inside, tree.outside, tree.risk, costs)
    tried = strengths_between(strengths[np.isfinite(strengths)])
    assert len(tried) > (4 if complexity == "leaves" else 1)
    for strength in tried:
        pruned = tree.pruned(strengths <= strength)
        tests = pruned.column >= 0
        counted = tests.sum() if complexity == "leaves" else pruned.spend.sum()
        objective = pruned.risk[~tests].sum() + strength * counted
        best = naive_best_pruning(tree.inside, tree.outside, tree.risk, costs, strength)
        assert objective == pytest.approx(best, rel=1e-9)


@pytest.mark.parametrize("n_classes", [0, 2])
def test_an_average_budget_holds_on_the_training_rows(n_classes):
    X, y, weight = make_problem(5, n_classes, n=300)
    kind = BudgetedTreeClassifier if n_classes else BudgetedTreeRegressor
    full = kind(GRAPH, prune=0.0).fit(X, y, sample_weight=weight)
    spends, risks = [], []
    for average in (0.2, 0.8, 1.6, 2.4):
        model = kind(GRAPH, 3.0, prune=0.0, average_budget=average)
        spent = model.fit(X, y, sample_weight=weight).spend(X)
        assert np.average(spent, weights=weight) == pytest.approx(model.average_spend_)
        assert model.average_spend_ <= average * (1 + 1e-9)
        assert spent.max() <= 3.0
        spends.append(model.average_spend_)
        tree = model.tree_
        risks.append(tree.risk[tree.column < 0].sum())
    assert spends[-1] > 1.0
    assert full.average_spend_ > 2.4
    assert (np.diff(risks) <= 1e-12).all()


def test_rows_in_doubt_pay_more_than_the_average():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 2))
    doubtful = X[:, 0] > 0.5
    y = np.where(doubtful, X[:, 1] > 0, X[:, 0] > -0.2)
    costs = [1.0, 10.0]
    model = BudgetedTreeClassifier(costs, average_budget=6.0, random_state=0).fit(X, y)
    assert model.average_spend_ <= 6.0
    assert set(model.spend(X).tolist()) == {1.0, 11.0}
    assert model.score(X, y) > 0.98


def test_of_two_copies_the_cheap_one_is_bought_and_bought_once():
    rng = np.random.default_rng(1)
    x = rng.normal(size=400)
    X = np.column_stack([x, x, rng.normal(size=400)])
    y = np.digitize(x, [-1.0, 0.0, 1.0])
    model = BudgetedTreeClassifier([5.0, 2.0, 1.0], random_state=0).fit(X, y)
    assert model.plan_.items == (1,)
    assert set(model.spend(X).tolist()) == {2.0}
    assert model.score(X, y) == 1.0


def test_the_budget_of_each_path_decides_what_is_tested():
    rng = np.random.default_rng(2)
    X = rng.normal(size=(500, 3))
    y = X[:, 0] + 0.5 * X[:, 1] + 0.25 * X[:, 2] > 0
    dear_first = [9.0, 3.0, 2.0]
    blind = BudgetedTreeClassifier(dear_first, 5.0, rule="price-blind", random_state=0)
    with pytest.warns(UserWarning, match="first item, 'x0', costs 9 but the budget is 5"):
        blind.fit(X, y)
    model = BudgetedTreeClassifier(dear_first, 5.0, random_state=0).fit(X, y)
    assert model.plan_.items
    assert 0 not in model.plan_.items
    assert model.score(X, y) > blind.score(X, y) + 0.1
    assert model.spend(X).max() <= 5.0


def test_a_price_blind_regressor_is_the_tree_of_scikit_learn():
    X, y, weight = make_problem(3, 0, n=200)
    model = BudgetedTreeRegressor(
        rule="price-blind", prune=0.05, max_depth=6, min_samples_leaf=3, random_state=0
    ).fit(X, y, weight)
    reference = DecisionTreeRegressor(
        ccp_alpha=0.05, max_depth=6, min_samples_leaf=3, random_state=0
    ).fit(X, y, weight)
    np.testing.assert_allclose(model.predict(X), reference.predict(X), rtol=1e-9)
    chosen = BudgetedTreeRegressor(rule="price-blind", random_state=0).fit(X, y)
    assert 0 < chosen.ccp_alpha_ < 2.0 * y.var()
    limited = BudgetedTreeRegressor(rule="price-blind", average_budget=1.5, random_state=0)
    assert 0 < limited.fit(X, y).average_spend_ <= 1.5


def test_numbers_of_any_magnitude_are_predicted():
    X, y, _ = make_problem(4, 0, n=150)
    expected = BudgetedTreeRegressor(random_state=0).fit(X, y).predict(X)
    for factor, shift in ((2.0**-300, 0.0), (2.0**200, 0.0), (1.0, 1024.0)):
        model = BudgetedTreeRegressor(random_state=0).fit(X, factor * y + shift)
        np.testing.assert_allclose(model.predict(X), factor * expected + shift, rtol=1e-6)
    constant = BudgetedTreeRegressor().fit(X, np.full(150, 7.0))
    assert constant.predict(X).tolist() == [7.0] * 150
    assert BudgetedTreeRegressor().fit(X[:1], y[:1]).predict(X[:2]).tolist() == [y[0]] * 2


@pytest.mark.parametrize("kind", [BudgetedTreeClassifier, BudgetedTreeRegressor])
def test_rows_without_any_value_are_answered(kind):
    X, y, _ = make_problem(6, 2)
    X[::9] = np.nan
    model = kind(GRAPH, random_state=0).fit(X, y)
    empty = np.full((2, 6), np.nan)
    assert np.isfinite(model.predict(empty)).all()
    nothing = kind(GRAPH).fit(np.full((20, 6), np.nan), np.arange(20) % 2)
    assert nothing.average_spend_ == 0.0


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"max_depth": 0}, r"max_depth is 0; expected a whole number >= 1, or None"),
        ({"max_depth": 2.5}, r"max_depth is 2.5; expected a whole number"),
        ({"min_samples_leaf": 0}, r"min_samples_leaf is 0; expected a whole number >= 1"),
        ({"min_samples_leaf": 1.5}, r"min_samples_leaf is 1.5; .* or a share"),
        ({"rule": "gini"}, r"rule is 'gini'; expected one of 'eg2', 'cs-id3', 'idx'"),
        ({"economy": 1.5}, r"economy is 1.5; expected a number from 0 to 1"),
        ({"average_budget": -1.0}, r"average_budget is -1.0; expected a number >= 0"),
        ({"average_budget": "ten"}, r"average_budget is 'ten'; expected a number"),
    ],
)
@pytest.mark.parametrize("kind", [BudgetedTreeClassifier, BudgetedTreeRegressor])
def test_refuses_strange_parameters(kind, params, message):
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match=message):
        kind(**params).fit(X, y)


def test_limits_that_leave_nothing_to_buy_are_remarked_upon():
    X, y = load_iris(return_X_y=True)
    with pytest.warns(UserWarning, match="cheapest item 'x0' costs 5 but the budget is 2"):
        BudgetedTreeClassifier(np.full(4, 5.0), 2.0).fit(X, y)
    with pytest.warns(UserWarning, match="No test is within average_budget=0.01.*costs 5"):
        model = BudgetedTreeRegressor(np.full(4, 5.0), average_budget=0.01).fit(X, y)
    assert model.plan_.items == ()
    with pytest.raises(ValueError, match="one class only"):
        BudgetedTreeClassifier().fit(X, np.zeros(150))
    with pytest.raises(ValueError, match="Use BudgetedTreeClassifier for classes"):
        BudgetedTreeRegressor().fit(X, np.where(y > 0, "a", "b"))


def test_a_free_test_is_kept_whatever_the_average():
    X, y, _ = make_problem(7, 2, n=300)
    y = (X[:, 5] == 2).astype(int)
    model = BudgetedTreeClassifier(GRAPH, average_budget=0.0, random_state=0).fit(X, y)
    assert model.plan_.items == (5,)
    tree = BudgetedTreeClassifier(GRAPH, prune=None).fit(X, y).tree_
    assert pruned_to_average(tree, 0.0, 0.0).spend.sum() == 0.0


def test_a_saved_regressor_answers_the_same(tmp_path):
    X, y, _ = make_problem(8, 0, n=200)
    model = BudgetedTreeRegressor(GRAPH, random_state=0).fit(X, y)
    save(model, tmp_path / "tree.scrimp")
    loaded = load(tmp_path / "tree.scrimp")
    assert loaded.predict(X, 2.0).tolist() == model.predict(X, 2.0).tolist()
