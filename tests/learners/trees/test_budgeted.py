"""The tree on a budget: contracts, options and bad input."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.model_selection import ShuffleSplit
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

from scrimp import BudgetedTreeClassifier, Costs, at_budget, check_budgeted_estimator, load, save

#: What a tree cannot promise by its nature.
EXCLUDED = (
    # between equally good tests scikit-learn draws, and what it draws are positions
    "check_column_order",
    # a row buys what is on its own path; free tests on other paths are not come to
    "check_free_items_are_used",
)


def expected_failures(estimator):
    if estimator.prune is None:
        why = "a tree that is not pruned has leaves for rows of any weight"
        return {"check_class_weight_classifiers": why}
    return {}


@parametrize_with_checks(
    [
        BudgetedTreeClassifier(prune=None),
        BudgetedTreeClassifier(budget=2.0, prune=0.01, max_depth=4),
    ],
    expected_failed_checks=expected_failures,
)
def test_is_a_scikit_learn_estimator(estimator, check):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        check(estimator)


@pytest.mark.parametrize(
    ("prune", "excluded"),
    [
        # without pruning a tree overfits, and its leaves may be worse than nodes above them
        (None, (*EXCLUDED, "check_no_worse_than_prior")),
        (0.02, EXCLUDED),
    ],
)
def test_keeps_the_budget_contract(prune, excluded):
    check_budgeted_estimator(BudgetedTreeClassifier(prune=prune), max_examples=4, exclude=excluded)


@pytest.fixture(scope="module")
def iris():
    return load_iris(return_X_y=True)


def test_rows_pay_for_their_own_paths(iris):
    model = BudgetedTreeClassifier([1.0, 2.0, 4.0, 8.0], prune=None, random_state=0).fit(*iris)
    spent = model.spend(iris[0])
    assert len(np.unique(spent)) > 1
    assert spent.max() <= 15.0


def test_without_money_the_answer_is_the_root(iris):
    X, y = iris[0][:130], iris[1][:130]
    model = BudgetedTreeClassifier(prune=None).fit(X, y)
    expected = (np.bincount(y) + 1.0) / (len(y) + 3.0)
    np.testing.assert_allclose(model.predict_proba(X[:3], 0.0), [expected] * 3, rtol=1e-12)
    assert not model.spend(X, 0.0).any()
    binary = BudgetedTreeClassifier(prune=None).fit(X[40:], y[40:] > 0)
    np.testing.assert_allclose(binary.predict_proba(X[:1], 0.0)[0], [11 / 92, 81 / 92])


def test_what_is_free_is_used_without_money(iris):
    model = BudgetedTreeClassifier(np.zeros(4), random_state=0).fit(*iris)
    assert model.predict(iris[0], 0.0).tolist() == model.predict(iris[0]).tolist()


def test_the_tree_is_that_of_scikit_learn(iris):
    model = BudgetedTreeClassifier(
        max_depth=3, min_samples_leaf=4, prune=None, random_state=7, rule="price-blind"
    )
    reference = DecisionTreeClassifier(max_depth=3, min_samples_leaf=4, random_state=7).fit(*iris)
    assert model.fit(*iris).predict(iris[0]).tolist() == reference.predict(iris[0]).tolist()
    pruned = DecisionTreeClassifier(ccp_alpha=0.02, random_state=7).fit(*iris)
    model = BudgetedTreeClassifier(prune=0.02, random_state=7, rule="price-blind").fit(*iris)
    assert model.ccp_alpha_ == 0.02
    assert len(model.plan_.plan.stages) == pruned.tree_.node_count


def test_pruning_takes_away_what_noise_has_grown():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 5))
    y = (X[:, 0] > 0) ^ (rng.random(400) < 0.2)
    full = BudgetedTreeClassifier(prune=None, random_state=0).fit(X, y)
    pruned = BudgetedTreeClassifier(random_state=0).fit(X, y)
    assert len(pruned.plan_.plan.stages) == 3 < len(full.plan_.plan.stages)
    assert pruned.spend(X).max() == 1.0


def test_folds_may_be_any_splitter(iris):
    model = BudgetedTreeClassifier(cv=ShuffleSplit(3, random_state=0), random_state=0)
    assert model.fit(*iris).ccp_alpha_ > 0


def test_chance_follows_the_random_state(iris):
    one, two = (
        BudgetedTreeClassifier(random_state=np.random.RandomState(3)).fit(*iris) for _ in range(2)
    )
    assert one.ccp_alpha_ == two.ccp_alpha_
    np.testing.assert_array_equal(one.decision_function(iris[0]), two.decision_function(iris[0]))


def test_labels_survive_tiny_weights(iris):
    X, y = iris[0], np.where(iris[1] == 2, "b", "a")
    model = BudgetedTreeClassifier(prune=None).fit(X, y, sample_weight=np.full(150, 1e-30))
    assert model.score(X, y) == 1.0


def test_a_saved_tree_answers_the_same(iris, tmp_path):
    model = BudgetedTreeClassifier(random_state=0).fit(*iris)
    save(model, tmp_path / "tree.scrimp")
    loaded = load(tmp_path / "tree.scrimp")
    assert loaded.predict(iris[0], 1.0).tolist() == model.predict(iris[0], 1.0).tolist()
    assert at_budget(loaded, 1.0).spend(iris[0]).max() == 1.0


def test_a_budget_below_the_first_test_is_remarked_upon(iris):
    model = BudgetedTreeClassifier(np.full(4, 5.0), 2.0, random_state=0, rule="price-blind")
    with pytest.warns(UserWarning, match=r"first item, 'x\d', costs 5 but the budget is 2"):
        model.fit(*iris)
    assert model.plan_.items == ()


def test_fees_count_into_what_a_path_costs(iris):
    costs = Costs(
        ("fee", "a", "b", "c", "d"), (3.0, 1.0, 1.0, 1.0, 1.0),
        ((), (0,), (1,), (2,), (3,)), ((), (0,), (0,), (0,), (0,)),
    )  # fmt: skip
    model = BudgetedTreeClassifier(costs, 4.0, prune=None, random_state=0).fit(*iris)
    assert set(model.spend(iris[0]).tolist()) == {4.0}


@pytest.mark.parametrize("prune", ["ccp", -0.1, np.nan, np.inf, True, [0.1]])
def test_refuses_a_strange_pruning(iris, prune):
    with pytest.raises(ValueError, match=r"prune is .*; expected 'cv', a finite number"):
        BudgetedTreeClassifier(prune=prune).fit(*iris)


def test_refuses_one_class_and_lists_of_budgets(iris):
    with pytest.raises(ValueError, match=r"one class only, \[0\]"):
        BudgetedTreeClassifier().fit(*iris, sample_weight=(iris[1] == 0).astype(float))
    with pytest.raises(ValueError, match="expected one number"):
        BudgetedTreeClassifier(budget=[1.0, 2.0]).fit(*iris)


@pytest.mark.parametrize("kind", ["pandas", "polars"])
def test_a_text_column_that_is_wholly_empty_is_not_tested(kind):
    import pandas as pd
    import polars as pl

    b = np.arange(40.0)
    if kind == "pandas":
        X = pd.DataFrame({"a": pd.Series([None] * 40, dtype="str"), "b": b, "c": -(b % 7)})
    else:
        X = pl.DataFrame({"a": pl.Series([None] * 40, dtype=pl.String), "b": b, "c": -(b % 7)})
    y = (b >= 20).astype(int)
    model = BudgetedTreeClassifier({"a": 1.0, "b": 2.0, "c": 4.0}, prune=None).fit(X, y)
    assert [model.plan_.costs.names[item] for item in model.plan_.items] == ["b"]
    assert model.score(X, y) == 1.0
    alone = BudgetedTreeClassifier(prune=None).fit(X[["a"]], y)
    assert alone.spend(X[["a"]]).tolist() == [0.0] * 40


def test_folds_by_position_count_all_rows_as_given(iris):
    X, y = iris
    weight = np.ones(len(y))
    weight[::3] = 0.0
    folds = [
        (np.arange(len(y)) % 5 != k, np.flatnonzero(np.arange(len(y)) % 5 == k)) for k in (0, 1)
    ]
    folds += [(np.arange(1, len(y)), np.array([0]))]  # tests a row of weight 0 only
    model = BudgetedTreeClassifier(cv=folds, random_state=0).fit(X, y, sample_weight=weight)
    kept = np.flatnonzero(weight)
    same = [(np.flatnonzero(kept % 5 != k), np.flatnonzero(kept % 5 == k)) for k in (0, 1)]
    reference = BudgetedTreeClassifier(cv=same, random_state=0).fit(X[kept], y[kept])
    assert model.ccp_alpha_ == reference.ccp_alpha_
    assert (model.predict_proba(X) == reference.predict_proba(X)).all()
