"""The cost of errors as a measure: in curves, best budgets, comparisons and scorers."""

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.model_selection import cross_val_score
from sklearn.tree import DecisionTreeClassifier

from scrimp import BudgetedBoostingClassifier, BudgetedTreeClassifier, Curve, Sweep, compare
from scrimp.data.target import Target
from scrimp.datasets import load_heart
from scrimp.evaluation import cross_curve, error_cost_scorer

COSTS = {"sick->well": 30, "well->sick": 4}
MATRIX = np.array([[0.0, 30.0], [4.0, 0.0]])
Y = np.array(["sick", "sick", "well", "well"])


def sweep(error_costs=None):
    """Two budgets: all are called sick at 0, and one of each class is wrong at 5."""
    scores = np.array([[-1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0], [-1.0, 1.0]])[:, :, None]
    target = Target("binary", np.array(["sick", "well"]), 1.0, error_costs)
    return Sweep(np.array([0.0, 5.0]), np.array([[0.0, 5.0]] * 4), scores, target)


def test_the_quality_is_minus_the_mean_cost():
    curve = Curve.from_sweep(sweep(), Y, error_cost=COSTS)
    assert curve.name == "neg_error_cost"
    assert curve.quality.tolist() == [-2.0, -8.5]
    assert curve.error.tolist() == [2.0, 8.5]
    assert curve.total_cost().tolist() == [2.0, 13.5]
    assert curve.best_budget() == 0.0


def test_the_costs_of_the_model_are_the_default_of_the_scorer():
    by_name = Curve.from_sweep(sweep(MATRIX), Y, scoring="neg_error_cost")
    given = Curve.from_sweep(sweep(MATRIX), Y, error_cost=MATRIX)
    np.testing.assert_array_equal(by_name.quality, given.quality)
    # the odds of well, e, are below 30 / 4
    assert sweep(MATRIX).labels().tolist() == [["sick", "sick"]] * 4
    assert by_name.quality.tolist() == [-2.0, -2.0]


def test_a_curve_of_accuracy_takes_a_matrix_too():
    curve = Curve.from_sweep(sweep(), Y)
    assert curve.total_cost(COSTS).tolist() == [2.0, 13.5]
    assert curve.best_budget({"sick": 1, "well": 400}) == 5.0
    assert curve.best_budget(MATRIX) == 0.0
    np.testing.assert_allclose(curve.total_cost(10.0), curve.total_cost([[0, 10], [10, 0]]))


def test_weights_count():
    weight = [1.0, 3.0, 1.0, 1.0]
    curve = Curve.from_sweep(sweep(), Y, error_cost=COSTS, sample_weight=weight)
    assert curve.quality.tolist() == pytest.approx([-8 / 6, -(3 * 30 + 4) / 6])
    curve = Curve.from_sweep(sweep(), Y, sample_weight=weight)
    assert (curve.total_cost(COSTS) - curve.spent).tolist() == pytest.approx([8 / 6, 94 / 6])


def test_costs_of_single_rows_are_weights():
    heart = load_heart()
    y = np.where(heart.y == 1, "sick", "well")
    loss = np.where(y == "sick", 10.0 * np.arange(1, len(y) + 1), 5.0)
    model = BudgetedBoostingClassifier(heart.costs, n_rounds=20, combine="vote")
    model.fit(heart.X, y, sample_weight=loss)
    for budget in (5.0, None):
        by_hand = float((loss * (model.predict(heart.X, budget) != y)).mean())
        budgets = [np.inf if budget is None else budget]
        curve = Curve.from_estimator(model, heart.X, y, budgets, sample_weight=loss)
        assert curve.error[0] * loss.mean() == pytest.approx(by_hand)
        unit = Curve.from_estimator(model, heart.X, y, budgets, sample_weight=loss, error_cost=1.0)
        assert unit.error[0] * loss.mean() == pytest.approx(by_hand)
    score = error_cost_scorer(1.0)(model, heart.X, y, sample_weight=loss)
    assert -score * loss.mean() == pytest.approx(by_hand)
    assert (1.0 - model.score(heart.X, y, loss)) * loss.mean() == pytest.approx(by_hand)
    plain = BudgetedBoostingClassifier(heart.costs, n_rounds=20, combine="vote").fit(heart.X, y)
    assert by_hand < (loss * (plain.predict(heart.X) != y)).mean()


def test_costs_of_classes_are_a_case_of_costs_of_rows():
    heart = load_heart()
    y = np.where(heart.y == 1, "sick", "well")
    model = BudgetedTreeClassifier(heart.costs).fit(heart.X, y)
    loss = np.where(y == "sick", 30.0, 4.0)
    by_rows = error_cost_scorer(1.0)(model, heart.X, y, sample_weight=loss) * loss.mean()
    assert error_cost_scorer(COSTS)(model, heart.X, y) == pytest.approx(by_rows)


def test_the_interval_holds_the_mean():
    random = np.random.default_rng(0)
    scores = random.normal(size=(200, 1, 1))
    y = (scores[:, 0, 0] + random.normal(size=200) > 0).astype(int)
    many = Sweep(np.array([1.0]), np.ones((200, 1)), scores, Target("binary", np.array([0, 1])))
    curve = Curve.from_sweep(many, y, error_cost={0: 1, 1: 9})
    assert curve.low[0] < curve.quality[0] < curve.high[0] < 0


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"scoring": "neg_error_cost"}, "the model has no error_cost. Give error_cost here"),
        ({"scoring": "roc_auc", "error_cost": COSTS}, "error_cost is given, which is a score"),
        ({"error_cost": {"sick->ill": 1}}, "names the class 'ill'"),
    ],
)
def test_refuses(options, text):
    with pytest.raises(ValueError, match=text):
        Curve.from_sweep(sweep(), Y, **options)


def test_refuses_a_truth_without_costs():
    with pytest.raises(ValueError, match=r"y holds .*dead.*, whose errors have no cost"):
        Curve.from_sweep(sweep(), ["sick", "dead", "well", "well"], error_cost=COSTS)
    curve = Curve.from_sweep(sweep(), ["sick", "dead", "well", "well"])
    with pytest.raises(ValueError, match="does not know which errors there were"):
        curve.best_budget(COSTS)


def test_a_curve_by_hand_knows_no_kinds_of_errors():
    curve = Curve([0, 1], [0, 1], [0.5, 0.7], [0] * 2, [1] * 2, "accuracy")
    with pytest.raises(ValueError, match=r"does not know which errors there were\. Make it by"):
        curve.best_budget(COSTS)
    with pytest.raises(ValueError, match="error_cost is missing: accuracy is no cost"):
        curve.best_budget()


def test_repeats_are_averaged():
    heart = load_heart()
    model = BudgetedTreeClassifier(heart.costs, max_depth=2, prune=None, random_state=0)
    options = {"cv": 2, "n_repeats": 2, "n_bootstrap": 0}
    curve = cross_curve(model, heart.X, heart.y, [0.0, 300.0], **options)
    costs = {0: 5, 1: 50}
    priced = cross_curve(model, heart.X, heart.y, [0.0, 300.0], error_cost=costs, **options)
    np.testing.assert_allclose(curve.total_cost(costs), priced.total_cost())


@pytest.fixture(scope="module")
def result():
    heart = load_heart()
    options = {"budgets": [0, 4, 205], "n_rounds": 10, "n_repeats": 1, "n_folds": 3}
    costs = {0: 20, 1: 600}
    return compare(
        heart.X, heart.y, heart.costs, methods=["smoothed", "tree"], error_cost=costs, **options
    )


class TestCompare:
    def test_the_methods_decide_by_the_costs(self, result):
        # without a purchase all are called 1, the class whose miss is dear
        share = (load_heart().y == 0).mean()
        assert result.scoring == "neg_error_cost"
        assert result.at("tree", 0.0).quality == pytest.approx(-20 * share)

    def test_the_advice_has_the_least_total_cost(self, result):
        advice = result.recommend()
        totals = {
            (name, budget): curve.total_cost()[b]
            for name, curve in result.curves().items()
            for b, budget in enumerate(curve.budgets)
        }
        assert advice.cost_in_all(advice.point) == pytest.approx(min(totals.values()))
        assert str(advice).count("At these costs of errors") == 1

    def test_a_budget_is_a_limit(self, result):
        assert result.recommend(budget=4.0).point.budget <= 4.0

    def test_another_cost_is_refused(self, result):
        with pytest.raises(ValueError, match="has costs of errors already"):
            result.recommend(error_cost=5.0)

    def test_estimators_that_are_given_decide_by_their_own(self):
        heart = load_heart()
        costs = {0: 20, 1: 600}
        result = compare(
            heart.X, heart.y, heart.costs, budgets=[0.0, 4.0], n_repeats=1, n_folds=3,
            methods={
                "plain": BudgetedBoostingClassifier(n_rounds=5),
                "costly": BudgetedBoostingClassifier(n_rounds=5, error_cost=costs),
            },
            error_cost=costs,
        )  # fmt: skip
        assert result.at("costly", 0.0).quality > result.at("plain", 0.0).quality

    def test_numbers_have_no_errors_to_pay_for(self):
        with pytest.raises(ValueError, match="the cost of a wrong class; here numbers"):
            compare(np.zeros((30, 1)), np.linspace(0, 1, 30), error_cost={0: 1})


def test_a_scorer_for_scikit_learn():
    X, y = load_iris(return_X_y=True)
    scorer = error_cost_scorer({0: 1, 1: 10, 2: 10})
    values = cross_val_score(DecisionTreeClassifier(max_depth=1), X, y, scoring=scorer, cv=3)
    assert values == pytest.approx(
        -10 / 3, rel=0.05
    )  # one of the two classes that it cannot tell apart
