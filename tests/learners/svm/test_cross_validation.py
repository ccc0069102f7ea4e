"""C by cross-validation along the path of budgets."""

import numpy as np
import pytest
from sklearn.model_selection import KFold, StratifiedKFold, check_cv

from scrimp import BudgetedSVC, BudgetedSVR
from scrimp.learners.svm.path import as_list, best_c
from tests.learners.svm.problems import COSTS, EPSILON, LOSSES, model, table

BUDGETS, CS = [1.0, 4.0, 8.0], [0.001, 0.1, 10.0]


def errors_by_hand(loss, X, y, splits, weight=None, budgets=BUDGETS):
    """Mean mistakes (Cs, budgets) of estimators that are fitted on each fold alone."""
    weight = np.ones(len(y)) if weight is None else weight
    wrong, total = np.zeros((len(CS), len(budgets))), 0.0
    for train, test in splits:
        total += weight[test].sum()
        for number, C in enumerate(CS):
            fitted = model(loss, budget=budgets, C=C, max_nodes=0)
            fitted.fit(X[train], y[train], weight[train])
            for place, budget in enumerate(budgets):
                answer = fitted.predict(X[test], budget=budget)
                own = (answer - y[test]) ** 2 if "epsilon" in loss else answer != y[test]
                wrong[number, place] += weight[test] @ own
    return wrong / total


@pytest.mark.parametrize("loss", LOSSES)
def test_errors_are_those_of_fits_on_each_fold_and_the_least_decides(loss):
    X, y = table(loss, 3, n=45)
    found = model(loss, budget=BUDGETS, C=CS, cv=3).fit(X, y)
    splits = list(check_cv(3, y, classifier="hinge" in loss).split(X, y))
    expected = errors_by_hand(loss, X, y, splits)
    np.testing.assert_allclose(found.cv_errors_, expected, rtol=1e-2, atol=1e-9)
    assert found.cv_errors_.shape == (3, 3)
    assert found.C_.tolist() == [CS[k] for k in found.cv_errors_.argmin(axis=0)]


def test_each_budget_has_the_model_of_its_own_c():
    X, y = table("squared_hinge", 4, n=45)
    found = BudgetedSVC(COSTS, BUDGETS, C=CS, cv=3).fit(X, y)
    assert len(set(found.C_)) > 1
    for place, budget in enumerate(BUDGETS):
        alone = BudgetedSVC(COSTS, budget, C=found.C_[place]).fit(X, y)
        assert found.relaxed_objective_[place] == pytest.approx(
            alone.relaxed_objective_[0], rel=2e-3
        )
        if found.items_[place] == alone.items_[0]:
            np.testing.assert_allclose(
                found.decision_function(X, budget), alone.decision_function(X), atol=1e-4
            )
    assert any(found.items_[p] == BudgetedSVC(COSTS, b, C=found.C_[p]).fit(X, y).items_[0]
               for p, b in enumerate(BUDGETS))  # fmt: skip


def test_folds_may_be_a_number_a_splitter_or_positions():
    X, y = table("squared_hinge", 5, n=45)
    number = BudgetedSVC(COSTS, BUDGETS, C=CS, cv=4).fit(X, y)
    splitter = StratifiedKFold(4)
    by_splitter = BudgetedSVC(COSTS, BUDGETS, C=CS, cv=splitter).fit(X, y)
    positions = list(splitter.split(X, y))
    by_position = BudgetedSVC(COSTS, BUDGETS, C=CS, cv=positions).fit(X, y)
    np.testing.assert_array_equal(number.cv_errors_, by_splitter.cv_errors_)
    np.testing.assert_array_equal(number.cv_errors_, by_position.cv_errors_)
    other = BudgetedSVC(COSTS, BUDGETS, C=CS, cv=KFold(4)).fit(X, y)
    assert (other.cv_errors_ != number.cv_errors_).any()


@pytest.mark.parametrize("cv", [3, "positions"])
def test_rows_of_weight_0_count_neither_in_folds_nor_in_errors(cv):
    X, y = table("squared_epsilon_insensitive", 6, n=45)
    weight = np.random.default_rng(0).uniform(0.5, 2.0, len(y))
    weight[::4] = 0.0
    spoilt = np.where(weight == 0, 1e3, y)
    splits = list(KFold(3).split(X))
    given = splits if cv == "positions" else cv
    found = BudgetedSVR(COSTS, BUDGETS, C=CS, cv=given, epsilon=EPSILON).fit(X, spoilt, weight)
    expected = errors_by_hand("squared_epsilon_insensitive", X, y, splits, weight)
    np.testing.assert_allclose(found.cv_errors_, expected, rtol=1e-2)


def test_a_position_beyond_the_rows_is_refused():
    X, y = table("squared_hinge")
    with pytest.raises(ValueError, match="cv names the row 40; expected positions >= 0 and < 40"):
        BudgetedSVC(COSTS, 4.0, C=[0.1, 1.0], cv=[(np.arange(30), [40])]).fit(X, y)
    with pytest.raises(ValueError, match="at least one train/test split"):
        BudgetedSVC(COSTS, 4.0, C=[0.1, 1.0], cv=1).fit(X, y)


def test_several_classes_are_told_apart_in_folds_too():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(90, 8))
    y = np.array(["a", "b", "c"])[(X[:, [0, 3, 6]] + 0.1 * rng.normal(size=(90, 3))).argmax(axis=1)]
    found = BudgetedSVC(COSTS, [8.0], C=[1e-6, 1.0], cv=3).fit(X, y)
    assert found.cv_errors_[1, 0] < 0.2 < found.cv_errors_[0, 0]
    assert found.C_.tolist() == [1.0]


def test_of_equal_errors_the_smallest_c_is_taken():
    errors = np.array([[0.2, 0.1, 0.3], [0.2, 0.2, 0.1], [0.2, 0.1, 0.1]])
    assert best_c(errors, [10.0, 1.0, 0.1]) == [0.1, 0.1, 0.1]
    assert best_c(errors, [0.1, 1.0, 10.0]) == [0.1, 0.1, 1.0]


def test_one_c_needs_no_folds():
    X, y = table("squared_hinge")
    for C in (0.5, [0.5], np.array([0.5])):
        found = BudgetedSVC(COSTS, BUDGETS, C=C, cv="nonsense").fit(X, y)
        assert found.C_.tolist() == [0.5] * 3
        assert not hasattr(found, "cv_errors_")
    assert as_list((1, 2.5)) == [1.0, 2.5]
