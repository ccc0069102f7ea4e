import re
import time
from dataclasses import replace
from typing import ClassVar

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import ShuffleSplit
from threadpoolctl import threadpool_info, threadpool_limits

from scrimp import (
    BudgetedBoostingClassifier,
    BudgetedTreeClassifier,
    Comparison,
    Costs,
    FrontierClassifier,
    SequencedClassifier,
    compare,
)
from scrimp.datasets import load_heart
from scrimp.evaluation import METHODS, cross_curve, cross_sweep, price_steps
from scrimp.evaluation.division import divide
from scrimp.evaluation.methods import Setting, task_of
from scrimp.registry import LEARNERS, N_ROUNDS, Make
from scrimp.runtime.events import Progress, emit, listening

from ..quick_learners import make_frontier_quick

BUDGETS = [0.0, 1.0, 3.0]
random = np.random.default_rng(0)
X = random.normal(size=(90, 3))
y = (X @ [1.0, 2.0, 0.5] + random.normal(size=90) > 0).astype(int)
COSTS = [1.0, 2.0, 0.5]
BOOSTER = BudgetedBoostingClassifier(COSTS, budget=BUDGETS[1:], rule="edge", n_rounds=5)
TREE = BudgetedTreeClassifier(COSTS, random_state=0)


class Refusing(BudgetedTreeClassifier):
    def fit(self, X, y, sample_weight=None):
        raise ValueError("not this\n table")


class Slow(BudgetedTreeClassifier):
    """Tells of its progress, and has little of it."""

    def fit(self, X, y, sample_weight=None):
        for step in range(100):
            time.sleep(0.05)
            emit(Progress("fit", step, 100))
        return super().fit(X, y, sample_weight)


class Impatient(BudgetedTreeClassifier):
    """Is interrupted in one of its trainings."""

    left = 0

    def fit(self, X, y, sample_weight=None):
        Impatient.left -= 1
        if Impatient.left < 0:
            raise KeyboardInterrupt
        return super().fit(X, y, sample_weight)


@pytest.fixture(scope="module")
def result():
    return compare(
        X, y, COSTS, budgets=BUDGETS, methods={"boost": BOOSTER, "tree": TREE}, n_folds=3,
        n_repeats=2,
    )  # fmt: skip


@pytest.mark.parametrize(("name", "model"), [("boost", BOOSTER), ("tree", TREE)])
def test_curves_are_those_of_a_cross_validation(result, name, model):
    alone = cross_curve(model, X, y, BUDGETS, cv=3, n_repeats=2, n_bootstrap=500)
    curve = result.curve(name)
    for field in ("budgets", "spent", "quality", "low", "high"):
        np.testing.assert_allclose(getattr(curve, field), getattr(alone, field))
    assert result.at(name, 2.0).budget == 1.0


def test_a_difference_is_paired(result):
    """Against a bootstrap written out: one resample of rows for both methods."""
    hits = []
    for model in (BOOSTER, TREE):
        sweep, truth = cross_sweep(model, X, y, BUDGETS, cv=3, n_repeats=2)
        hits.append((sweep.labels()[:, 2] == truth).reshape(2, 90).astype(float))
    gaps = hits[0] - hits[1]
    draws = np.random.RandomState(0)
    resamples = np.array([gaps[:, draws.randint(90, size=90)].mean(axis=1) for _ in range(500)])
    low, high = np.quantile(resamples, [0.025, 0.975], axis=0).mean(axis=1)
    found = result.difference(("boost", 3.0), ("tree", 3.0))
    assert found.value == pytest.approx(gaps.mean())
    assert (found.low, found.high) == pytest.approx((low, high))
    # narrower than if rows were drawn for each of the two by itself
    apart = result.curve("boost").at(3.0), result.curve("tree").at(3.0)
    assert found.high - found.low < sum(point.high - point.low for point in apart)


def test_a_difference_in_costs_counts_what_rows_spend(result):
    gap = result.difference(("boost", 3.0), ("tree", 3.0), error_cost=10.0)
    one, other = result.at("boost", 3.0), result.at("tree", 3.0)
    assert gap.value == pytest.approx(
        (other.spent + 10 * (1 - other.quality)) - (one.spent + 10 * (1 - one.quality))
    )


def test_the_same_method_twice_is_no_difference():
    twins = compare(X, y, COSTS, budgets=BUDGETS, methods={"a": TREE, "b": TREE}, n_repeats=1)
    gap = twins.difference(("a", 3.0), ("b", 3.0))
    assert gap.is_nothing
    assert not gap.is_clear
    assert "Just as good here: b." in str(twins.recommend(3.0))


@pytest.mark.parametrize("frame", [pl.DataFrame, pd.DataFrame])
def test_frames_and_arrays_give_the_same(result, frame):
    table = frame({name: X[:, j] for j, name in enumerate("abc")})
    costs = dict(zip("abc", COSTS, strict=True))
    models = {"boost": BOOSTER.__class__(costs, BUDGETS[1:], "edge", 5)}
    framed = compare(table, y, costs, budgets=BUDGETS, methods=models, n_folds=3, n_repeats=2)
    np.testing.assert_array_equal(framed.curve("boost").quality, result.curve("boost").quality)


@pytest.mark.parametrize("scoring", ["roc_auc", "neg_log_loss"])
def test_scorers_that_need_more_than_labels(scoring):
    """Trees and boosters have scores on different scales; their probabilities count."""
    found = compare(
        X, y, COSTS, budgets=[3.0], methods={"boost": BOOSTER, "tree": TREE}, scoring=scoring,
        n_folds=3, n_repeats=1,
    )  # fmt: skip
    for name, model in (("boost", BOOSTER), ("tree", TREE)):
        alone = cross_curve(model, X, y, [3.0], cv=3, scoring=scoring, n_bootstrap=0)
        assert found.curve(name).quality == pytest.approx(alone.quality)
    if scoring == "roc_auc":
        sweep, truth = cross_sweep(BOOSTER, X, y, [3.0], cv=3)
        assert found.curve("boost").quality[0] == pytest.approx(
            roc_auc_score(truth, sweep.scores[:, 0, 0])
        )


def test_methods_by_name_and_several_rounds():
    found = compare(
        X, y, COSTS, budgets=BUDGETS, methods=["edge", "tree"], n_rounds=[2, 5], n_folds=2,
        n_repeats=1,
    )  # fmt: skip
    assert found.names == ("edge/2", "edge/5", "tree")


@pytest.mark.parametrize("task", ["classification", "regression"])
def test_every_method_of_the_list_learns(task, monkeypatch):
    make_frontier_quick(monkeypatch)
    able = [
        name
        for name, method in METHODS.items()
        if task in method.tasks and not method.spec.missing_extra
    ]
    labels = (y if task == "classification" else np.round(np.exp(X[:, 0] / 2)))[:40]
    with threadpool_limits(1):  # the threads of boosted trees wait for one another on 20 rows
        found = compare(
            X[:40], labels, COSTS, budgets=BUDGETS, methods=able, n_rounds=3, n_folds=2,
            n_repeats=1, task=task, max_seconds=np.inf,
        )  # fmt: skip
    assert set(found.names) == set(able)
    assert not found.left_out
    assert (found.spent <= found.budgets + 1e-9).all()


def test_what_is_slow_is_tried_on_request(monkeypatch):
    make_frontier_quick(monkeypatch)
    found = compare(X, y, COSTS, budgets=[2.0], n_rounds=3, n_folds=2, n_repeats=1)
    assert found.names == tuple(name for name, own in METHODS.items() if not own.on_request)
    assert "frontier" in found.names
    assert {"svm", "refit"}.isdisjoint(found.names)


class Patient(FrontierClassifier):
    """Takes all the time it is given."""

    def fit(self, X, y, sample_weight=None):
        time.sleep(self.max_seconds)
        return super().fit(X, y, sample_weight)


def test_the_frontier_has_its_share_of_the_time(monkeypatch):
    spec = LEARNERS["frontier"]
    quick = {"candidates": ["linear"], "cv": 2}
    patient = replace(spec, estimators={"classification": Make(f"{__name__}.Patient", quick)})
    monkeypatch.setitem(METHODS, "frontier", replace(METHODS["frontier"], spec=patient))
    options = {"budgets": [3.0], "methods": ["tree", "frontier"], "n_folds": 2, "n_repeats": 1}
    found = compare(X, y, COSTS, max_seconds=6.0, **options)
    assert "tree" in found.names
    if "frontier" in found.names:
        assert (
            "frontier used up its share of the time, 1 seconds per fold: with more it may do "
            "better." in found.remarks
        )
    else:  # on a machine so slow that the time was over
        assert "seconds" in found.left_out["frontier"]


def test_boosters_are_trained_once_for_all_budgets():
    """And by the defaults of the command line, which says how many rounds there are."""
    setting = Setting("classification", Costs.per_feature(COSTS), [1.0, 3.0])
    model = METHODS["edge"].make(setting)
    assert (model.budget, model.combine) == (None, "stacked")
    for task, n_rounds in N_ROUNDS.items():
        assert METHODS["edge"].make(replace(setting, task=task)).n_rounds == n_rounds
    assert METHODS["frontier"].make(setting).budgets == [1.0, 3.0]


def test_with_equal_prices_one_rule_stands_for_all(monkeypatch):
    make_frontier_quick(monkeypatch)
    found = compare(X, y, budgets=[2.0], n_rounds=3, n_folds=2, n_repeats=1)
    assert found.names == ("smoothed", "sampled", "tree", "linear", "frontier")
    assert found.remarks == (
        "All prices are equal, so that all rules of boosting choose alike: smoothed stands for "
        "greedy, speedboost, hybrid and edge too.",
    )
    rules = ["smoothed", "greedy", "speedboost", "hybrid", "edge"]
    each = compare(X, y, budgets=[2.0], methods=rules, n_rounds=20, n_folds=2, n_repeats=1)
    assert all(each.difference(("edge", 2.0), (rule, 2.0)).is_nothing for rule in rules)


def test_a_regression(monkeypatch):
    make_frontier_quick(monkeypatch)
    truth = X @ [1.0, 2.0, 0.5]
    found = compare(X, truth, COSTS, budgets=BUDGETS, n_rounds=30, n_folds=3, n_repeats=1)
    assert found.task == "regression"
    assert found.scoring == "r2"
    rules = ("smoothed", "greedy", "speedboost", "hybrid", "edge")
    assert found.names == (*rules, "tree", "linear", "frontier")
    assert found.at("edge", 3.0).quality > 0.4
    assert found.at("linear", 3.0).quality > 0.9  # the truth is linear, and 3 buys most of it
    assert "r2 0." in str(found.recommend(3.0))


def test_matrix_products_have_one_thread():
    """Else the small fits of a linear model wait for threads, on a busy machine for minutes."""
    seen = []

    class Watching(SequencedClassifier):
        def fit(self, X, y):
            pools = [pool for pool in threadpool_info() if pool["user_api"] == "blas"]
            seen.extend(pool["num_threads"] for pool in pools)
            return super().fit(X, y)

    with threadpool_limits(2, user_api="blas"):
        compare(X, y, COSTS, budgets=[3.0], methods={"own": Watching(COSTS)}, n_folds=2)
    assert seen
    assert set(seen) == {1}


class TestLeftOut:
    def test_a_linear_model_takes_text(self):
        table = pl.DataFrame({"a": X[:, 0], "b": X[:, 1], "word": np.where(X[:, 2] > 0, "u", "v")})
        found = compare(table, y, methods=["tree", "linear"], budgets=[3.0], n_repeats=1)
        assert found.names == ("tree", "linear")
        assert not found.left_out

    def test_a_linear_model_takes_missing_values(self):
        gaps = X.copy()
        gaps[::7, 0] = np.nan
        found = compare(gaps, y, COSTS, methods=["linear"], budgets=[3.0], n_repeats=1)
        assert not found.left_out

    def test_who_refuses_is_named_and_the_rest_goes_on(self):
        found = compare(
            X, y, COSTS, budgets=[3.0], methods={"no": Refusing(), "tree": TREE}, n_repeats=1
        )
        assert found.left_out == {"no": "not this table"}
        assert found.names == ("tree",)

    def test_who_breaks_down_is_named_as_such(self):
        class Broken(BudgetedTreeClassifier):
            def fit(self, X, y, sample_weight=None):
                return {}["here"]

        models = {"broken": Broken(), "tree": TREE}
        found = compare(X, y, COSTS, budgets=[3.0], methods=models, n_repeats=1)
        assert found.left_out == {"broken": "it broke down with KeyError: 'here'"}

    def test_nobody_is_left(self):
        models = {"no": Refusing(), "nor this": Refusing()}
        with pytest.raises(ValueError, match=re.escape("result. no, nor this: not this table.")):
            compare(X, y, COSTS, budgets=[3.0], methods=models)

    def test_who_cannot_tell_three_classes(self):
        class Two(BudgetedTreeClassifier):
            def __sklearn_tags__(self):
                tags = super().__sklearn_tags__()
                tags.classifier_tags.multi_class = False
                return tags

        three = np.where(X[:, 0] > 1, 2, y)
        models = {"two": Two(COSTS), "tree": TREE}
        found = compare(X, three, COSTS, budgets=[3.0], methods=models, n_repeats=1)
        assert found.left_out == {"two": "it tells two classes apart, and here are more"}

    def test_who_takes_too_much_of_the_time(self):
        models = {"slow": Slow(COSTS), "tree": TREE}
        found = compare(
            X, y, COSTS, budgets=[3.0], methods=models, n_repeats=1, n_folds=2, max_seconds=3.0
        )
        assert found.left_out == {"slow": "one fold takes more than 1 seconds"}
        assert found.names == ("tree",)

    def test_no_time_at_all(self):
        with pytest.raises(ValueError, match=r"tree: no fold done in 1e-09 seconds\. Give more"):
            compare(X, y, COSTS, budgets=[3.0], methods={"tree": TREE}, max_seconds=1e-9)


class TestInterrupted:
    """The warm-up is a training too, so the n-th fold is the (n + 1)-th."""

    def run(self, trainings, **options):
        Impatient.left = trainings
        return compare(
            X, y, COSTS, budgets=[3.0], methods={"tree": TREE, "last": Impatient(COSTS)},
            n_folds=3, **options,
        )  # fmt: skip

    def test_folds_that_all_have_done_count(self):
        found = self.run(3)
        assert not found.finished
        assert (found.n_folds, found.n_repeats, found.n_rows) == (2, 1, 60)
        assert found.remarks == (
            "Only 2 of 3 folds were done before it was interrupted: tested on 60 of 90 rows.",
        )

    def test_whole_repeats_count(self):
        found = self.run(8)
        assert (found.n_folds, found.n_repeats, found.n_rows) == (3, 2, 90)
        assert found.remarks == ("2 of 5 repeats were done before it was interrupted.",)

    def test_in_the_first_fold_the_others_remain(self):
        assert self.run(1).left_out == {"last": "interrupted"}

    def test_before_anything(self):
        Impatient.left = 0
        with pytest.raises(KeyboardInterrupt):
            compare(X, y, COSTS, budgets=[3.0], methods={"last": Impatient(COSTS)})


class TestRowsAndFolds:
    def test_every_training_has_every_class(self):
        labels = np.array(["a"] * 20 + ["b"] * 9 + ["c"] * 2)
        division = divide(labels, "classification", 5, 3, None, 0)
        assert len(division.splits) == 15
        for train, test in division.splits:
            assert set(labels[train]) == {"a", "b", "c"}
            assert not set(train) & set(test)
        assert division.remarks == (
            "Class c has fewer rows than the 5 folds: not every fold tests them, and what is "
            "learnt of them is little.",
        )

    def test_a_class_of_one_row_is_left_out(self):
        labels = np.array([0] * 10 + [1] * 10 + [7])
        division = divide(labels, "classification", 5, 1, None, 0)
        assert division.rows.tolist() == list(range(20))
        assert division.remarks[0].startswith("Class 7 has 1 row only")

    def test_rows_are_drawn_with_the_shares_of_the_classes(self):
        labels = np.repeat([0, 1, 2], [6000, 3000, 1000])
        division = divide(labels, "classification", 5, 1, 100, 0)
        assert np.bincount(labels[division.rows]).tolist() == [60, 30, 10]
        assert division.remarks == ("Compared on 100 of 10,000 rows, drawn at random.",)
        assert not np.array_equal(
            division.rows, divide(labels, "classification", 5, 1, 100, 1).rows
        )

    def test_few_rows_have_few_folds(self):
        division = divide(np.array([0, 0, 0, 1, 1]), "classification", 5, 1, None, 0)
        assert division.n_folds == 3
        assert "3 folds instead of 5" in division.remarks[0]

    @pytest.mark.parametrize(
        ("labels", "task", "text"),
        [
            ([0, 1, 2, 2], "classification", "1 of 3 classes have at least 2 rows"),
            ([0.5, 1.5, 2.5], "regression", "at least 4 rows; here are 3"),
        ],
    )
    def test_too_few_rows(self, labels, task, text):
        with pytest.raises(ValueError, match=text):
            divide(np.array(labels), task, 5, 1, None, 0)

    def test_rare_classes_are_compared_on(self):
        labels = np.where(y == 1, "yes", "no").astype("<U5")
        labels[:2] = "maybe"
        found = compare(X, labels, COSTS, budgets=[3.0], methods={"tree": TREE}, n_repeats=1)
        assert found.n_rows == 90
        assert "Class maybe has fewer rows" in found.remarks[0]


def hand_made(quality, spent, spread=0.02):
    """A comparison from numbers (methods x budgets); resamples are shared by the methods."""
    quality, spent = np.array(quality, dtype=float), np.array(spent, dtype=float)
    shifts = np.linspace(-2, 2, 101)[:, None, None, None] * spread
    samples = quality[None, :, None] + shifts
    return Comparison(
        tuple("abcdefg"[: len(quality)]), np.array([0.0, 1.0, 5.0, 20.0])[: quality.shape[1]],
        quality[:, None], spent[:, None], samples,
        np.broadcast_to(spent[None, :, None], samples.shape), "accuracy", 1.0, "classification",
        100, 5,
    )  # fmt: skip


class TestAdvice:
    quality = ((0.5, 0.7, 0.80, 0.81), (0.5, 0.72, 0.75, 0.82))
    spent = ((0, 1, 5, 20), (0, 1, 4, 15))

    def test_at_a_budget_the_best_there(self):
        advice = hand_made(self.quality, self.spent).recommend(budget=6.0)
        assert (advice.method, advice.point.budget) == ("a", 5.0)
        assert advice.rivals[0].difference.value == pytest.approx(0.05)
        assert advice.dearer is not None
        assert advice.dearer.method == "b"
        text = str(advice)
        assert text.startswith("For a budget of 6 take a: 80.0% right (76.2 to 83.8%), 5 spent")
        assert "Behind it by more than chance: b by 5.0 points (5.0 to 5.0)." in text
        assert "Buying nothing gives 50.0% right." in text
        assert "With more: a budget of 20 gives 82.0% right with b, better by 2.0 points" in text
        assert "The best of 2 methods on the same rows looks better there than it is" in text

    def test_of_equals_the_one_that_spends_less(self):
        advice = hand_made([[0.5, 0.8], [0.5, 0.8]], [[0, 1], [0, 0.4]]).recommend(1.0)
        assert advice.method == "b"

    def test_nearly_the_same_for_less(self):
        advice = hand_made(self.quality, self.spent).recommend(budget=20.0)
        assert advice.method == "b"
        assert advice.cheaper is None
        advice = hand_made(self.quality, self.spent, spread=0.1).recommend(budget=20.0)
        assert advice.cheaper is not None
        assert advice.cheaper.budget == 1.0
        assert "Cheaper: for a budget of 1 b gives 72.0% right for 1, nearly" in str(advice)

    def test_the_least_budget_within_a_standard_error_of_the_best(self):
        comparison = hand_made(self.quality, self.spent)
        error = comparison.standard_error("b", 20.0)
        assert error == pytest.approx(0.0233, abs=1e-3)
        advice = comparison.recommend()
        assert (advice.method, advice.point.budget) == ("a", 5.0)
        assert "least budget within one standard error (2.3 points) of the best" in str(advice)
        best = hand_made(self.quality, self.spent, spread=0.001).recommend()
        assert best.point.budget == 20.0
        assert "No smaller budget comes within one standard error of it (0.1" in str(best)

    def test_what_chance_may_have_done_is_said_first(self):
        quality = [[0.5, 0.6], [0.5, 0.55]]
        comparison = hand_made(quality, [[0, 1], [0, 1]])
        samples = comparison.quality_samples.copy()
        samples[:60, :, :, 1] = 0.4  # buying is worse than nothing in most resamples
        doubtful = replace(comparison, quality_samples=samples)
        text = str(doubtful.recommend(budget=1.0))
        assert text.startswith(
            "Buying nothing may do as well: it gives 50.0% right, and on these rows what follows "
            "is not distinguishable from that. For a budget of 1 take a: 60.0% right"
        )
        assert text.count("50.0% right") == 1
        text = str(doubtful.recommend(error_cost=100.0))
        assert text.startswith("Buying nothing may do as well: it costs 50 a row in errors, and")
        text = str(replace(doubtful, some_free=True).recommend(budget=1.0))
        assert text.startswith("What is free alone may do as well: it gives 50.0% right")

    def test_nothing_is_better_than_what_the_budget_buys(self):
        text = str(hand_made([[0.7, 0.5]], [[0, 1]]).recommend(budget=1.0))
        assert text.startswith(
            "Buying nothing does better on these rows: it gives 70.0% right. For a budget of 1 "
        )
        assert "Cheaper" not in text

    def test_what_is_free_is_not_nothing(self):
        comparison = replace(hand_made(self.quality, self.spent), some_free=True)
        assert "\nWhat is free alone gives 50.0% right." in str(comparison.recommend(budget=6.0))
        text = str(comparison.recommend(error_cost=1.0))
        assert "buy nothing: 50.0% right (46.2 to 53.8%) from what is free alone." in text

    def test_nothing_need_be_bought(self):
        advice = hand_made([[0.8, 0.79], [0.8, 0.805]], [[0, 1], [0, 1]]).recommend()
        assert advice.buys_nothing
        assert str(advice) == (
            "Buy nothing: 80.0% right (76.2 to 83.8%) without any purchase.\n"
            "No method is better by more than one standard error (2.3 points) at any budget."
        )

    @pytest.mark.parametrize(
        ("error_cost", "method", "budget"),
        [(0.0, "a", 0.0), (10.0, "b", 1.0), (60.0, "a", 5.0), (100_000.0, "b", 20.0)],
    )
    def test_the_least_cost_in_all(self, error_cost, method, budget):
        advice = hand_made(self.quality, self.spent).recommend(error_cost=error_cost)
        assert (advice.method, advice.point.budget) == (method, budget)

    def test_no_purchase_pays(self):
        text = str(hand_made(self.quality, self.spent).recommend(error_cost=1.0))
        assert text.startswith("If an error costs 1, buy nothing: 50.0% right")
        assert text.endswith("No purchase saves as much in errors as it costs.")

    def test_costs_in_words(self):
        text = str(hand_made(self.quality, self.spent).recommend(error_cost=60.0))
        assert "If an error costs 60, take a at a budget of 5: 5 spent on average plus 12" in text
        assert "for errors is 17 a row" in text
        assert "Dearer in all by more than chance: b by 0.80" in text

    def test_a_budget_limits_the_least_cost(self):
        comparison = hand_made(self.quality, self.spent)
        assert comparison.recommend(budget=3.0, error_cost=1e6).point.budget == 1.0

    def test_refuses_a_budget_below_all(self):
        found = compare(X, y, COSTS, budgets=[3.0], methods={"tree": TREE}, n_repeats=1)
        for error_cost in (None, 1.0):
            with pytest.raises(ValueError, match="least budget of the curve is 3"):
                found.recommend(budget=1.0, error_cost=error_cost)

    @pytest.mark.parametrize("error_cost", [-1.0, np.inf])
    def test_refuses_such_an_error_cost(self, error_cost):
        with pytest.raises(ValueError, match="expected a finite number >= 0"):
            hand_made(self.quality, self.spent).recommend(error_cost=error_cost)


def test_an_error_cost_needs_wrong_answers():
    found = compare(
        X, y, COSTS, budgets=[3.0], methods={"tree": TREE}, scoring="roc_auc", n_repeats=1
    )
    with pytest.raises(ValueError, match="roc_auc does not count wrong answers"):
        found.recommend(error_cost=1.0)


@pytest.mark.parametrize(("prices", "some_free"), [([0.0, 2.0, 1.0], True), (COSTS, False)])
def test_free_columns_are_noticed(prices, some_free):
    tree = BudgetedTreeClassifier(prices, random_state=0)
    found = compare(X, y, prices, budgets=[0.0, 3.0], methods={"tree": tree}, n_repeats=1)
    assert found.some_free is some_free
    assert found.recommend(3.0).some_free is some_free


def test_a_line_about_it(result):
    best = result.ranked()[0]
    assert repr(result) == f"Comparison(boost, tree; 90 rows; 3 budgets from 0 to 3; best: {best})"
    one = hand_made([[0.5]], [[0]])
    assert repr(one) == "Comparison(a; 100 rows; a budget of 0)"


def test_best_first():
    comparison = hand_made(TestAdvice.quality, TestAdvice.spent)
    assert comparison.ranked() == ["a", "b"]
    assert comparison.ranked(20.0) == ["b", "a"]
    equals = hand_made([[0.5, 0.8], [0.5, 0.8]], [[0, 1], [0, 0.4]])
    assert equals.ranked() == equals.ranked(1.0) == ["b", "a"]


def test_rows_for_tables(result):
    rows = result.to_rows()
    assert len(rows) == 6
    assert set(rows[0]) == {"method", "budget", "spent", "quality", "low", "high"}
    assert rows[3]["method"] == "tree"


def test_progress():
    seen = []
    with listening(seen.append):
        compare(X, y, COSTS, budgets=[3.0], methods={"tree": TREE}, n_folds=3, n_repeats=2)
    steps = [(event.done, event.total) for event in seen if event.task == "comparison"]
    assert steps == [(done, 6) for done in range(7)]


def test_price_steps():
    assert price_steps(Costs.uniform(3)).tolist() == [0, 1, 2, 3]
    many = price_steps(Costs.uniform(500))
    assert len(many) <= 10
    assert (many[0], many[1], many[-1]) == (0, 1, 500)
    assert price_steps(Costs.per_feature([0.0, 0.0])).tolist() == [0]


@pytest.mark.parametrize(
    ("values", "task"),
    [
        ([0, 1, 1], "classification"),
        (["a", "b"], "classification"),
        ([True, False], "classification"),
        ([1.0, 2.0], "classification"),
        ([0.5, 1.0], "regression"),
        (list(range(21)), "regression"),
    ],
)
def test_what_a_target_looks_like(values, task):
    assert task_of(np.array(values)) == task


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"methods": ["smothed"]}, "no method 'smothed'. Did you mean 'smoothed'"),
        ({"methods": ["sampled"], "task": "regression"}, "'sampled' is for classification only"),
        ({"task": "ranking"}, "task"),
        ({"scoring": "acuracy"}, "Did you mean 'accuracy'"),
        ({"scoring": "r2"}, "r2_score, which is for numbers, and here classes are predicted"),
        (
            {"scoring": "accuracy", "task": "regression"},
            "accuracy_score, which is for classes, and here numbers are predicted",
        ),
        ({"n_repeats": 0}, "n_repeats is 0; expected at least 1"),
        ({"n_folds": 1}, "1 folds; expected at least 2"),
        ({"max_seconds": 0}, "max_seconds is 0; expected a number > 0"),
        ({"max_rows": 1}, "max_rows is 1; expected at least 2"),
        ({"budgets": [1.0, np.inf]}, "budgets hold infinity"),
    ],
)
def test_refuses(options, text):
    with pytest.raises(ValueError, match=re.escape(text)):
        compare(X, y, COSTS, **options)


def test_an_area_under_the_curve_is_for_two_classes():
    three = np.where(X[:, 0] > 1, 2, y)
    with pytest.raises(ValueError, match=r"for two classes, and here are 3\. Choose roc_auc_ovr"):
        compare(X, three, COSTS, methods=["tree"], scoring="roc_auc")
    options = {"methods": ["tree"], "budgets": [3.0], "n_folds": 2, "n_repeats": 1}
    found = compare(X, three, COSTS, scoring="roc_auc_ovr", **options)
    assert 0.5 < found.at("tree", 3.0).quality <= 1.0


def test_refuses_a_method_that_is_not_there(result):
    with pytest.raises(ValueError, match="no method 'c' here, only boost, tree"):
        result.curve("c")


@pytest.mark.parametrize("rule", ["smoothed", "greedy", "speedboost", "hybrid", "edge"])
def test_a_training_for_one_budget_is_an_entry_of_a_menu(rule):
    """An entry of a menu is the model that is trained for its budget alone."""
    heart = load_heart()
    budgets = [4.0, 100.0, 323.97]
    together = BudgetedBoostingClassifier(heart.costs, budgets, rule, 15).fit(heart.X, heart.y)
    for budget in budgets:
        alone = BudgetedBoostingClassifier(heart.costs, budget, rule, 15).fit(heart.X, heart.y)
        np.testing.assert_array_equal(
            alone.predict(heart.X, budget), together.predict(heart.X, budget)
        )
        np.testing.assert_allclose(alone.spend(heart.X, budget), together.spend(heart.X, budget))


@pytest.mark.parametrize(
    ("change", "error", "text"),
    [
        ({"y": lambda y: y[:-5]}, ValueError, "inconsistent numbers of samples"),
        ({"y": lambda y: np.where(np.arange(len(y)) == 3, None, y)}, ValueError, "missing in 1 of"),
        ({"methods": "smoothed"}, TypeError, "methods is 'smoothed', one name"),
        ({"methods": []}, ValueError, "methods is empty"),
        ({"n_rounds": []}, ValueError, "n_rounds is empty"),
        ({"methods": {"mine": object()}}, TypeError, "'mine' is a object, without budgets"),
    ],
)
def test_arguments_that_do_not_fit_are_refused_at_the_door(change, error, text):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    y = (X[:, 0] > 0).astype(int)
    y = change.pop("y", lambda same: same)(y)
    with pytest.raises(error, match=text):
        compare(X, y, [1.0, 2.0, 3.0], **change)


def test_estimators_may_stand_among_names():
    methods = [BudgetedTreeClassifier(random_state=0), "tree", BudgetedTreeClassifier(budget=1.0)]
    options = {"budgets": [3.0], "n_folds": 2, "n_repeats": 1}
    found = compare(X, y, COSTS, methods=methods, **options)
    assert set(found.names) == {"BudgetedTreeClassifier", "BudgetedTreeClassifier 2", "tree"}
    one, same = (found.curve(name) for name in ("BudgetedTreeClassifier", "tree"))
    assert (one.quality, one.spent) == (same.quality, same.spent)
    assert not hasattr(methods[0], "plan_")


@pytest.mark.parametrize(
    ("method", "what"),
    [(BudgetedTreeClassifier, "the class BudgetedTreeClassifier"), (object(), "a object")],
)
def test_what_is_no_estimator_is_refused(method, what):
    with pytest.raises(TypeError, match=f"methods holds {what}; expected names of methods and"):
        compare(X, y, COSTS, methods=["tree", method])


def test_all_columns_that_cannot_be_used_are_named_at_once():
    frame = pl.DataFrame(X[:, :2], schema=["a", "b"]).with_columns(
        tags=pl.Series([[1]] * len(y)), when=pl.lit(0).cast(pl.Date)
    )
    for learn in (compare, BudgetedTreeClassifier().fit):
        with pytest.raises(ValueError, match=r"'tags' holds List.*'when' holds Date; expected"):
            learn(frame, y)


class Watched(BudgetedTreeClassifier):
    """Remembers the first column of the rows of each training and test; that numbers the rows."""

    seen: ClassVar[list] = []

    def fit(self, X, y, sample_weight=None):
        Watched.seen.append([X[:, 0].astype(int), None])
        return super().fit(X, y, sample_weight)

    def sweep(self, X, *args, **options):
        Watched.seen[-1][1] = X[:, 0].astype(int)
        return super().sweep(X, *args, **options)


def folds_of(monkeypatch, **options):
    """Return the rows of each fold of a comparison, and the comparison."""
    monkeypatch.setattr(Watched, "seen", [])
    numbered = np.column_stack([np.arange(90), X])
    given = {"budgets": [3.0], "methods": {"own": Watched([0.0, *COSTS])}, **options}
    found = compare(numbered, y, [0.0, *COSTS], **given)
    return Watched.seen[1:], found  # the first training is the warm-up


def test_rows_of_a_group_stay_in_one_fold(monkeypatch):
    groups = np.array([f"patient {i // 6}" for i in range(90)])
    folds, found = folds_of(monkeypatch, groups=groups, n_folds=3, n_repeats=2)
    assert len(folds) == 6
    for train, test in folds:
        assert not set(groups[train]) & set(groups[test])
    assert (found.n_rows, found.n_folds, found.n_repeats) == (90, 3, 2)
    twice = compare(
        np.repeat(X, 2, axis=0), np.repeat(y, 2), COSTS, budgets=[3.0], methods=["linear"],
        groups=np.repeat(np.arange(90), 2), n_repeats=1,
    ).curve("linear")  # fmt: skip
    once = compare(X, y, COSTS, budgets=[3.0], methods=["linear"], n_repeats=1).curve("linear")
    assert twice.high - twice.low == pytest.approx(once.high - once.low, rel=0.3)


def test_time_trains_on_earlier_rows_only(monkeypatch):
    folds, found = folds_of(monkeypatch, cv="time", n_folds=4)
    assert len(folds) == 4
    assert all(train.max() < test.min() for train, test in folds)
    assert (found.n_rows, found.n_folds, found.n_repeats) == (72, 4, 1)
    assert "the first 18 rows are never tested." in found.remarks[-1]


def test_cv_may_be_a_splitter_or_splits(monkeypatch):
    folds, found = folds_of(monkeypatch, cv=ShuffleSplit(4, test_size=30, random_state=0))
    assert [len(test) for _, test in folds] == [30] * 4
    assert (found.n_rows, found.n_repeats) == (120, 1)
    folds, _ = folds_of(monkeypatch, cv=[(np.arange(60), np.arange(60, 90))])
    assert [test.tolist() for _, test in folds] == [list(range(60, 90))]
    assert len(folds_of(monkeypatch, cv=2, n_repeats=1)[0]) == 2


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"groups": np.arange(3)}, "groups has 3 entries; expected one per row: 90."),
        ({"groups": [1.0] * 89 + [np.nan]}, "groups is missing in some rows"),
        ({"groups": np.zeros(90)}, "groups has 1 group; expected at least 2"),
        ({"cv": "tme"}, "cv is 'tme'"),
        ({"cv": []}, "cv has no folds"),
        ({"cv": [([0], [1, 2])]}, "no row to learn from in fold 1 of 1"),
        ({"cv": "time", "groups": np.arange(90)}, r"exclude each other\. Leave one of them out"),
    ],
)
def test_folds_that_cannot_be(options, text):
    with pytest.raises(ValueError, match=text):
        compare(X, y, COSTS, methods=["tree"], **options)


def test_fewer_groups_than_folds():
    found = compare(X, y, COSTS, methods=["tree"], groups=np.arange(90) % 3, n_repeats=1)
    assert found.n_folds == 3
    assert "3 folds instead of 5: there are no more groups." in found.remarks
