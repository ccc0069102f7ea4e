"""Optimal shallow trees: no tree of the same tests is better, and what happens at their limits."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_iris

from scrimp import BudgetedTreeClassifier, BudgetedTreeRegressor
from scrimp.learners.trees.candidate_tests import candidate_tests
from scrimp.learners.trees.optimal_search import OptimalSearch, ShallowObjective
from scrimp.learners.trees.price_pruning import penalised_risk
from scrimp.learners.trees.priced_grower import TreeTable
from scrimp.runtime import time_limit
from tests.learners.trees.test_cost_aware import GRAPH, make_problem
from tests.naive.trees import naive_optimal


@pytest.mark.parametrize(
    ("n_classes", "depth", "budget", "alpha", "penalty"),
    [
        (2, 1, np.inf, 0.0, 0.0),
        (2, 2, np.inf, 0.002, 0.0),
        (3, 2, 2.9, 0.005, 0.01),
        (0, 2, 1.8, 0.01, 0.0),
        (2, 3, np.inf, 0.005, 0.01),
        (0, 3, 2.5, 0.002, 0.003),
    ],
)
def test_no_tree_of_these_tests_is_better(n_classes, depth, budget, alpha, penalty):
    X, y, weight = make_problem(depth, n_classes, n=50)
    targets = (y[:, None] == np.arange(n_classes)) if n_classes else y[:, None] / np.abs(y).max()
    categorical = np.arange(6) == 5
    data = TreeTable(X, categorical, targets.astype(float), weight, n_classes > 0)
    rows = np.arange(50)
    tests = candidate_tests(data, rows, np.arange(6))
    some = np.arange(len(tests.column))[:: len(tests.column) // (9 if depth == 3 else 25)]
    tests = tests.taken(some)
    search = OptimalSearch(data, rows, GRAPH, tests)
    objective = ShallowObjective(alpha, penalty, budget, depth, 2)
    tree = search.best(objective)
    assert search.is_proven
    leaves = tree.column < 0
    found = tree.risk[leaves].sum() + alpha * (leaves.sum() - 1) + penalty * tree.spend.sum()
    listed = [
        (int(c), (*data.interval(int(c), int(p)), bool(m)))
        for c, p, m in zip(tests.column, tests.place, tests.with_missing, strict=True)
    ]
    listed_rows = list(zip(X.tolist(), data.targets.tolist(), weight.tolist(), strict=True))
    total = weight.sum()
    best = naive_optimal(listed_rows, listed, GRAPH, budget, alpha * total, penalty, depth, 2)
    assert found == pytest.approx(best / total, rel=1e-9)
    assert tree.depth <= depth
    assert depth == 1 or tree.node_count > 3


def make_interaction():
    """Two columns tell all together and nothing alone; another tells a little."""
    rng = np.random.default_rng(0)
    X = rng.choice([-1.0, 1.0], size=(400, 5))
    y = (X[:, 1] * X[:, 3] > 0).astype(int)
    X[:, 0] = np.where(rng.random(400) < 0.3, 1 - y, y)
    return X, y


def test_an_interaction_that_no_greedy_step_sees():
    X, y = make_interaction()
    params = {"max_depth": 2, "prune": 0.01}
    optimal = BudgetedTreeClassifier(search="optimal", **params).fit(X, y)
    greedy = BudgetedTreeClassifier(search="greedy", **params).fit(X, y)
    assert optimal.score(X, y) == 1.0
    assert greedy.score(X, y) < 0.8
    assert optimal.is_optimal_
    assert sorted(optimal.plan_.items) == [1, 3]


def test_held_out_rows_decide_by_default():
    X, y = make_interaction()
    costs = [3.0, 1.0, 1.0, 1.0, 1.0]
    model = BudgetedTreeClassifier(costs, max_depth=2, random_state=0).fit(X, y)
    assert model.is_optimal_
    assert model.score(X, y) == 1.0
    greedy = BudgetedTreeClassifier(costs, max_depth=2, search="greedy", random_state=0)
    assert model.average_spend_ <= greedy.fit(X, y).average_spend_
    plain = BudgetedTreeClassifier(costs, max_depth=2, random_state=0).fit(X, X[:, 2] > 0)
    assert not plain.is_optimal_


@pytest.mark.parametrize("n_classes", [0, 2])
def test_limits_hold_for_optimal_trees(n_classes):
    X, y, weight = make_problem(11, n_classes, n=250)
    kind = BudgetedTreeClassifier if n_classes else BudgetedTreeRegressor
    params = {"prune": 0.0, "max_depth": 2, "min_samples_leaf": 5}
    for average in (None, 1.0):
        model, greedy = (
            kind(GRAPH, 3.0, average_budget=average, search=search, **params).fit(X, y, weight)
            for search in ("optimal", "greedy")
        )
        assert model.spend(X).max() <= 3.0
        assert average is None or model.average_spend_ <= average * (1 + 1e-9)
        assert penalised_risk(model.tree_, 0.0) <= penalised_risk(greedy.tree_, 0.0) * (1 + 1e-9)


def test_a_greedy_tree_is_taken_when_the_time_is_over():
    X, y = load_iris(return_X_y=True)
    model = BudgetedTreeClassifier(search="optimal", prune=0.0, max_seconds=1e-9)
    with pytest.warns(UserWarning, match="before the search for the optimal tree came to its end"):
        model.fit(X, y)
    assert not model.is_optimal_
    assert model.score(X, y) > 0.9
    assert time_limit.current_limit().seconds_left() == np.inf


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"search": "best"}, "search is 'best'; expected one of 'greedy', 'optimal', 'auto'"),
        ({"search": "optimal", "max_depth": 4}, "max_depth is 4; an optimal tree has a depth of"),
        (
            {"search": "optimal", "rule": "price-blind"},
            "search is 'optimal' and rule 'price-blind'",
        ),
    ],
)
def test_refuses_what_cannot_be_searched(params, message):
    with pytest.raises(ValueError, match=message):
        BudgetedTreeClassifier(**params).fit(*load_iris(return_X_y=True))
