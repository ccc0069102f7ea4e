import json
import math
import time
import warnings

import numpy as np
import pytest

from scrimp import Costs, Curve, at_budget
from scrimp.evaluation import default_budgets
from scrimp.runtime.events import listening


def curve(budgets, quality, spent=None, **options):
    n = len(budgets)
    spent = budgets if spent is None else spent
    low, high = np.full(n, np.nan), np.full(n, np.nan)
    return Curve(budgets, spent, quality, low, high, options.pop("name", "accuracy"), **options)


# from_sweep


def test_accuracy_and_mean_spend_of_a_tiny_sweep(make_sweep):
    sweep = make_sweep([[-1, 1, 1], [-1, -1, 1], [-1, -1, -1], [-1, -1, 1]], [0, 2, 5])
    sweep.spent[3] = [0, 1, 3]
    result = Curve.from_sweep(sweep, [1, 1, 0, 0])
    assert result.budgets.tolist() == [0, 2, 5]
    assert result.quality.tolist() == [0.5, 0.75, 0.75]
    assert result.error.tolist() == [0.5, 0.25, 0.25]
    assert result.spent.tolist() == [0, 1.75, 4.5]
    assert result.name == "accuracy"


def test_budgets_in_any_order_and_twice_are_sorted(make_sweep):
    sweep = make_sweep([[1, -1, 1], [1, -1, 1]], [4, 0, 4])
    result = Curve.from_sweep(sweep, [1, 1])
    assert result.budgets.tolist() == [0, 4]
    assert result.quality.tolist() == [0, 1]


def test_the_mean_spend_of_equal_rows_is_not_rounded_above_the_budget(make_sweep):
    sweep = make_sweep(np.ones((7, 1)), [0.1])
    assert Curve.from_sweep(sweep, [0, 1, 0, 1, 0, 1, 0]).spent[0] <= 0.1


def test_weights_count_in_quality_and_spend(make_sweep):
    sweep = make_sweep([[1], [1]], [3])
    sweep.spent[:, 0] = [1, 3]
    result = Curve.from_sweep(sweep, [1, 0], sample_weight=[3, 1])
    assert result.quality[0] == 0.75
    assert result.spent[0] == 1.5


@pytest.mark.parametrize("scoring", ["accuracy", "roc_auc", "f1"])
def test_integer_weights_equal_repeated_rows(make_sweep, scoring):
    random = np.random.default_rng(1)
    scores, y, w = (
        random.normal(size=(30, 3)),
        random.integers(2, size=30),
        random.integers(3, size=30),
    )
    again = np.repeat(np.arange(30), w)
    weighted = Curve.from_sweep(
        make_sweep(scores, [0, 1, 2]), y, scoring=scoring, sample_weight=w, n_bootstrap=0
    )
    repeated = Curve.from_sweep(
        make_sweep(scores[again], [0, 1, 2]), y[again], scoring=scoring, n_bootstrap=0
    )
    assert weighted.quality == pytest.approx(repeated.quality)


def test_text_labels(make_sweep):
    sweep = make_sweep([[1.0], [-1.0], [1.0]], [1], classes=("ill", "well"))
    assert Curve.from_sweep(sweep, ["well", "ill", "ill"]).quality[0] == pytest.approx(2 / 3)


# the interval


def test_the_interval_is_that_of_the_binomial(make_sweep):
    n, hits = 400, 300
    scores = np.where(np.arange(n) < hits, 1.0, -1.0)[:, None]
    result = Curve.from_sweep(make_sweep(scores, [1]), np.ones(n, dtype=int), n_bootstrap=2000)
    half = 1.96 * math.sqrt(0.75 * 0.25 / n)
    assert result.low[0] == pytest.approx(0.75 - half, abs=0.006)
    assert result.high[0] == pytest.approx(0.75 + half, abs=0.006)


def test_the_interval_covers_the_truth_about_as_often_as_it_says(make_sweep):
    random = np.random.default_rng(3)
    covered = 0
    for trial in range(200):
        right = random.random((150, 1)) < 0.7
        sweep = make_sweep(np.where(right, 1.0, -1.0), [1])
        result = Curve.from_sweep(
            sweep, np.ones(150, dtype=int), n_bootstrap=200, level=0.9, random_state=trial
        )
        covered += bool(result.low[0] <= 0.7 <= result.high[0])
    assert 0.82 <= covered / 200 <= 0.96


def test_a_wider_level_gives_a_wider_interval_around_the_quality(predictor, data):
    narrow = Curve.from_estimator(predictor, *data, level=0.5)
    wide = Curve.from_estimator(predictor, *data, level=0.99)
    assert (wide.low < narrow.low).all()
    assert (wide.high > narrow.high).all()
    assert ((narrow.low <= narrow.quality) & (narrow.quality <= narrow.high)).all()


def test_the_same_seed_gives_the_same_interval(predictor, data):
    one, two, other = (
        Curve.from_estimator(predictor, *data, random_state=seed) for seed in (0, 0, 1)
    )
    assert np.array_equal(one.low, two.low)
    assert not np.array_equal(one.low, other.low)


def test_without_resamples_there_is_no_interval_and_no_warning(predictor, data):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = Curve.from_estimator(predictor, *data, n_bootstrap=0)
    assert np.isnan(result.low).all()
    assert np.isnan(result.high).all()


@pytest.mark.parametrize("scoring", ["roc_auc", "average_precision"])
def test_resamples_with_one_class_are_dropped(make_sweep, scoring):
    y = np.array([1] + [0] * 20)  # a third of the resamples have no 1
    scores = np.array([5.0] + [-1.0] * 20)[:, None]
    result = Curve.from_sweep(make_sweep(scores, [1]), y, scoring=scoring)
    assert (result.low[0], result.high[0]) == (1.0, 1.0)


def test_an_interval_of_too_few_resamples_is_nan_with_a_warning(make_sweep):
    def scorer(estimator, X, y):
        if len(set(X.tolist())) < len(X):
            raise RuntimeError("a row came twice")
        return 0.5

    with pytest.warns(UserWarning, match="more than half of 200 resamples of the 4 rows") as seen:
        result = Curve.from_sweep(make_sweep(np.ones((4, 1)), [1]), [0, 1, 0, 1], scoring=scorer)
    assert seen[0].filename == __file__
    assert result.quality[0] == 0.5
    assert np.isnan(result.low[0])


def test_the_loop_emits_progress(predictor, data):
    events = []
    with listening(events.append):
        Curve.from_estimator(predictor, *data, scoring="f1", n_bootstrap=7)
    assert [(event.done, event.total) for event in events] == [(k, 7) for k in range(1, 8)]


def test_accuracy_is_fast(make_sweep):
    random = np.random.default_rng(0)
    sweep, y = make_sweep(random.normal(size=(1000, 50)), range(50)), random.integers(2, size=1000)
    Curve.from_sweep(sweep, y, n_bootstrap=2)
    start = time.perf_counter()
    Curve.from_sweep(sweep, y, n_bootstrap=200)
    assert time.perf_counter() - start < 1.0


# from_estimator


def test_from_estimator_looks_where_purchases_change(predictor, data):
    X, y = data
    result = Curve.from_estimator(predictor, X, y)
    assert result.budgets.tolist() == default_budgets(predictor).tolist()
    for budget, quality, spent in zip(result.budgets, result.quality, result.spent, strict=True):
        assert quality == (predictor.predict(X, budget) == y).mean()
        assert spent == predictor.spend(X, budget).mean()


def test_from_estimator_passes_on_what_rows_own(predictor, data):
    free = Curve.from_estimator(predictor, *data, [0.0], owned=[True, True, True])
    paid = Curve.from_estimator(predictor, *data, [10.0])
    assert free.quality[0] == paid.quality[0]
    assert free.spent[0] == 0


@pytest.mark.parametrize("wrap", [lambda p: at_budget(p, 1.0), lambda p: "a model"])
def test_other_models_are_refused(predictor, data, wrap):
    with pytest.raises(TypeError, match="expected a fitted scrimp estimator or a Predictor"):
        Curve.from_estimator(wrap(predictor), *data)


# what a curve tells


def test_area_by_hand():
    assert curve([0, 1, 3], [0.5, 0.7, 0.9]).area() == pytest.approx((0.6 + 2 * 0.8) / 3)


def test_area_over_log_budgets_leaves_out_zero():
    result = curve([0, 1, 10, 1000], [0.1, 0.5, 0.7, 0.9])
    assert result.area(log=True) == pytest.approx((0.6 + 2 * 0.8) / 3)


def test_timeliness_by_hand():
    result = curve([0, 1, 4], [0.5, 0.7, 0.9])
    assert result.timeliness() == pytest.approx((0.5 + 3 * 0.7) / 4)
    assert result.timeliness(2) == pytest.approx((0.5 + 0.7) / 2)
    assert result.timeliness(0.5) == pytest.approx(0.5)
    assert result.timeliness(10) == pytest.approx((0.5 + 3 * 0.7 + 6 * 0.9) / 10)


def test_timeliness_counts_the_first_quality_before_the_first_budget():
    assert curve([2, 4], [0.5, 0.9]).timeliness(5) == pytest.approx((4 * 0.5 + 0.9) / 5)


def test_timeliness_is_the_mean_at_random_interruptions():
    random = np.random.default_rng(0)
    result = curve([0, 1, 2.5, 7], random.random(4))
    costs = random.uniform(0, 7, 20_000)
    assert result.timeliness() == pytest.approx(
        np.mean([result.at(cost).quality for cost in costs]), abs=0.01
    )


def test_averages_over_an_infinite_budget_are_refused():
    result = curve([0, 1, math.inf], [0.5, 0.6, 0.7], spent=[0, 1, 2])
    for ask in (result.area, lambda: result.area(log=True), result.timeliness):
        with pytest.raises(ValueError, match=r"last budget is infinite.*full price"):
            ask()
    assert result.at(None).quality == 0.7


def test_too_little_for_an_average_is_refused():
    with pytest.raises(ValueError, match="at least two budgets; there are 1"):
        curve([3], [0.5]).area()
    with pytest.raises(ValueError, match="at least two positive budgets; there are 1"):
        curve([0, 3], [0.5, 0.6]).area(log=True)
    for until in (0, -1, math.nan, math.inf):
        with pytest.raises(ValueError, match="finite cost > 0"):
            curve([0, 3], [0.5, 0.6]).timeliness(until)
    with pytest.raises(ValueError, match="finite cost > 0"):
        curve([0], [0.5]).timeliness()


def test_at_takes_the_largest_budget_that_fits():
    result = curve([1, 3], [0.5, 0.9], spent=[1, 2.5])
    assert (result.at(2.9).quality, result.at(3).quality, result.at(99).budget) == (0.5, 0.9, 3)
    assert result.at(3).spent == 2.5
    assert math.isnan(result.at(3).low)


def test_at_forgives_rounding_as_the_ledger_does():
    assert curve([0, 0.1 + 0.2], [0.5, 0.9]).at(0.3).quality == 0.9


def test_at_refuses_less_than_the_first_budget():
    with pytest.raises(ValueError, match=r"budget is 0\.5, but the least budget of the curve is 1"):
        curve([1, 3], [0.5, 0.9]).at(0.5)
    with pytest.raises(ValueError, match="budget is nan"):
        curve([1, 3], [0.5, 0.9]).at(math.nan)


def test_best_budget_equals_brute_force():
    random = np.random.default_rng(0)
    for _ in range(50):
        budgets = np.unique(random.integers(0, 30, 8)).astype(float)
        spent, quality = budgets * random.random(len(budgets)), random.random(len(budgets))
        result, price = curve(budgets, quality, spent), random.exponential(30)
        totals = [s + price * (1 - q) for s, q in zip(spent, quality, strict=True)]
        assert result.best_budget(price) == budgets[totals.index(min(totals))]


def test_best_budget_is_the_smaller_of_equals():
    result = curve([0, 1, 2], [0.5, 0.5, 1.0], spent=[0, 0, 1])
    assert result.best_budget(0) == 0
    assert result.best_budget(2) == 0
    assert result.best_budget(3) == 2


def test_best_budget_of_a_loss():
    result = curve([0, 1], [-4.0, -1.0], name="neg_mean_squared_error", best=0.0)
    assert result.error.tolist() == [4, 1]
    assert (result.best_budget(0.3), result.best_budget(0.4)) == (0, 1)


@pytest.mark.parametrize("price", [-1.0, math.inf, math.nan])
def test_best_budget_refuses_a_price_that_is_none(price):
    with pytest.raises(ValueError, match="error_cost is"):
        curve([0, 1], [0.5, 0.6]).best_budget(price)


def test_rows_are_json():
    result = Curve([0, math.inf], [0, 2], [0.5, 0.75], [0.25, math.nan], [1, math.nan], "accuracy")
    rows = json.loads(json.dumps(result.to_rows(), allow_nan=False))
    assert rows == [
        {"budget": 0, "spent": 0, "quality": 0.5, "low": 0.25, "high": 1},
        {"budget": None, "spent": 2, "quality": 0.75, "low": None, "high": None},
    ]


# errors


@pytest.mark.parametrize(
    ("y", "text"),
    [
        ([0, 1], r"y has the shape \(2,\) but the sweep has 3 rows"),
        ([[0], [1], [0]], r"y has the shape \(3, 1\)"),
        ([0.0, 1.0, math.nan], "y holds NaN"),
        (np.array([0, None, 1], dtype=object), "y holds NaN, None"),
        (["no", "yes", "no"], r"none of the model's classes \[0, 1\], but 'no'"),
    ],
)
def test_a_wrong_truth_is_refused(make_sweep, y, text):
    with pytest.raises(ValueError, match=text):
        Curve.from_sweep(make_sweep(np.ones((3, 1)), [1]), y)


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"n_bootstrap": -1}, "n_bootstrap is -1"),
        ({"n_bootstrap": 2.5}, "n_bootstrap is 2.5"),
        ({"level": 95}, "level is 95; expected a number between 0 and 1"),
        ({"sample_weight": [1, 2]}, "sample_weight must hold 3 finite numbers"),
        ({"sample_weight": [1, 2, math.nan]}, "sample_weight must hold 3 finite numbers"),
        ({"sample_weight": [0, 0, 0]}, "sample_weight is 0 for all rows"),
    ],
)
def test_wrong_options_are_refused(make_sweep, options, text):
    with pytest.raises(ValueError, match=text):
        Curve.from_sweep(make_sweep(np.ones((3, 1)), [1]), [0, 1, 0], **options)


def test_an_empty_sweep_is_refused(make_sweep):
    with pytest.raises(ValueError, match="no rows"):
        Curve.from_sweep(make_sweep(np.ones((0, 1)), [1]), [])


@pytest.mark.parametrize(
    ("budgets", "quality", "text"),
    [
        ([1, 0], [0.5, 0.6], "ascending and distinct"),
        ([0, 0], [0.5, 0.6], "ascending and distinct"),
        ([math.nan, 1], [0.5, 0.6], "ascending and distinct"),
        ([-1, 1], [0.5, 0.6], "ascending and distinct"),
        ([0, 1], [0.5], "for each budget"),
        ([], [], "for each budget"),
        ([0, 1], [0.5, math.nan], "must be finite"),
    ],
)
def test_a_curve_that_cannot_be_is_refused(budgets, quality, text):
    with pytest.raises(ValueError, match=text):
        curve(budgets, quality)


def test_costs_of_zero_make_a_curve_of_one_budget(make_plan, predictor, data):
    import dataclasses

    free = dataclasses.replace(predictor, plan=make_plan([1, 0], own_costs=Costs.uniform(3, 0.0)))
    result = Curve.from_estimator(free, *data)
    assert result.budgets.tolist() == [0]
    assert result.quality[0] > 0.8


def curve_of(name, best):
    return Curve([0, 1], [0, 1], [-0.9, -0.2], [-1, -1], [0, 0], name, best)


@pytest.mark.parametrize("name", ["roc_auc", "r2", "f1", "balanced_accuracy", "ndcg@5"])
def test_an_error_of_a_score_that_is_no_share_of_errors_has_no_price(name):
    with pytest.raises(ValueError, match=f"{name} counts neither.*accuracy, neg_mean_absolute"):
        curve_of(name, 1.0).best_budget(10.0)


@pytest.mark.parametrize("name", ["neg_log_loss", "neg_brier_score"])
def test_an_error_of_a_loss_that_is_no_amount_has_no_price(name):
    with pytest.raises(ValueError, match="counts neither"):
        curve_of(name, 0.0).best_budget(10.0)


@pytest.mark.parametrize("name", ["neg_mean_absolute_error", "neg_cost_of_delay"])
def test_an_amount_has_a_price(name):
    assert curve_of(name, 0.0).best_budget(10.0) == 1.0
