"""A frame may lack what is not bought at its budget."""

import warnings

import numpy as np
import polars as pl
import pytest

from scrimp import BudgetedBoostingClassifier, BudgetedTreeClassifier, Costs

COSTS = Costs(
    ("a", "visit", "b", "noise"), (1.0, 2.0, 3.0, 50.0), ((0,), (), (1,), (2,)),
    ((), (), (1,), ()), ("a", "b", "noise"),
)  # fmt: skip


@pytest.fixture(scope="module")
def problem():
    random = np.random.default_rng(0)
    X = pl.DataFrame(random.normal(size=(200, 3)), schema=["a", "b", "noise"])
    return X, (X["a"] + 3.0 * X["b"] > 0).to_numpy()


@pytest.fixture(scope="module")
def model(problem):
    """It buys b for 5, and then a for 1."""
    return BudgetedBoostingClassifier(
        COSTS, budget=10.0, n_rounds=20, rule="edge", combine="vote"
    ).fit(*problem)


@pytest.mark.parametrize("budget", [0.0, 1.0, 4.9])
def test_what_is_not_bought_may_be_absent(model, problem, budget):
    X, _ = problem
    want = model.predict_proba(X, budget)
    np.testing.assert_array_equal(model.predict_proba(X.drop("b", "noise"), budget), want)
    np.testing.assert_array_equal(
        model.predict_proba(X.drop("b").to_pandas(), np.full(200, budget)), want
    )


def test_what_no_budget_buys_may_be_absent(model, problem):
    X, _ = problem
    np.testing.assert_array_equal(model.predict(X.drop("noise")), model.predict(X))


def test_what_is_bought_may_not(model, problem):
    X, _ = problem
    text = "X lacks 'b', which the model buys at a budget of 6. Give it, or a budget of 1: the"
    with pytest.raises(ValueError, match=text):
        model.predict(X.drop("b"), 6.0)
    with pytest.raises(ValueError, match=r"without a budget\. Give them, or a budget of 0"):
        model.predict(X.select("noise"))
    with pytest.raises(ValueError, match=r"lacks 'b'.*at a budget of 7"):
        model.sweep(X.drop("b"), [1.0, 7.0])
    with pytest.raises(ValueError, match="lacks 'b'"):  # a visit is owned: b may cost 3 only
        model.predict(X.drop("b"), 4.0, owned=["visit"])


def test_the_cheaper_one_may_be_absent_where_the_dearer_is_bought_first(model, problem):
    X, _ = problem
    np.testing.assert_array_equal(model.predict(X.drop("a"), 5.5), model.predict(X, 5.5))


def test_a_tree_may_lack_what_the_budget_cannot_pay(problem):
    X, y = problem
    tree = BudgetedTreeClassifier(COSTS).fit(X, y)
    np.testing.assert_array_equal(tree.predict(X.drop("b"), 4.0), tree.predict(X, 4.0))
    with pytest.raises(ValueError, match="lacks 'b'"):
        tree.predict(X.drop("b"), 5.0)
    budgets = np.linspace(0.0, 4.0, 300)  # more than are followed one by one
    many = pl.concat([X, X[:100]])
    np.testing.assert_array_equal(
        tree.predict(many.drop("b"), budgets), tree.predict(many, budgets)
    )


def test_columns_that_would_be_bought_are_named_where_the_model_answers_without(problem):
    X, y = problem
    model = BudgetedBoostingClassifier(COSTS, budget=60.0, n_rounds=20, random_state=0).fit(X, y)
    failed = model.predict_proba(X, 10.0, failed=["b"])
    with pytest.warns(UserWarning, match="X lacks 'b': the item that brings it counts as failed"):
        np.testing.assert_array_equal(model.predict_proba(X.drop("b"), 10.0), failed)
    with pytest.warns(UserWarning, match="X lacks 'a', 'b': their items count as failed"):
        model.sweep(X.select("noise"), [0.0, 10.0])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.predict(X.select("a"), 1.0)  # which buys neither of the others
