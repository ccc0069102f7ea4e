from itertools import pairwise

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier

from scrimp import (
    BudgetedBoostingClassifier,
    BudgetedSVC,
    BudgetedTreeClassifier,
    CalibratedClassifier,
    Costs,
    Predictor,
    PriceHistogramDisplay,
    RefitClassifier,
    SampledBoostingClassifier,
    SequencedClassifier,
)
from scrimp.data.columns import Columns
from scrimp.data.target import Target
from scrimp.datasets import load_heart
from scrimp.plans import MenuPlan
from scrimp.plans.priced_plan import PricedPlan


def heights(display):
    return [[bar.get_height() for bar in bars] for bars in display.bars_]


def places(display):
    return [label.get_text() for label in display.ax_.get_xticklabels()]


def legend(display):
    return [text.get_text() for text in display.ax_.get_legend().get_texts()]


@pytest.fixture(scope="module")
def heart():
    return load_heart()


def test_bars_side_by_side_count_items_at_each_price():
    prices = {"LTB": [1.0, 1.0, 5.0], "LTB-unif": [5.0, 5.0, 20.0]}
    display = PriceHistogramDisplay(prices).plot(currency="$")
    assert heights(display) == [[2, 1, 0], [0, 2, 1]]
    assert places(display) == ["1", "5", "20"]
    assert legend(display) == [r"LTB: 3 items for 7 \$", r"LTB-unif: 3 items for 30 \$"]
    assert display.ax_.get_xlabel() == r"Price of an item (\$)"
    assert display.ax_.get_ylabel() == "Items bought"
    assert [text.get_text() for text in display.ax_.texts] == ["2", "1", "", "", "2", "1"]
    left, right = display.bars_[0][1], display.bars_[1][1]
    assert left.get_x() + left.get_width() <= right.get_x()
    assert left.get_facecolor() != right.get_facecolor()


def test_many_prices_are_put_into_bins_and_none_is_lost():
    rng = np.random.default_rng(0)
    even, skewed = rng.uniform(3.0, 8.0, 300), rng.lognormal(2.0, 1.0, 300)
    display = PriceHistogramDisplay({"even": even, "fewer": even[:100]}).plot()
    assert places(display)[0] == "3–3.5"
    assert [sum(own) for own in heights(display)] == [300, 100]
    assert heights(display)[0][0] == (even < 3.5).sum()
    wide = PriceHistogramDisplay({"skewed": skewed}).plot()
    assert "2–5" in places(wide)
    assert "20–50" in places(wide)
    assert heights(wide)[0][places(wide).index("2–5")] == ((skewed >= 2) & (skewed < 5)).sum()
    assert sum(heights(wide)[0]) == 300


def test_free_items_and_prices_of_many_sizes_have_a_bin():
    prices = np.append(10.0 ** np.arange(-6.0, 8.0), 0.0)
    display = PriceHistogramDisplay({"all": prices}).plot()
    assert places(display)[0] == "0–1e-06"
    assert sum(heights(display)[0]) == len(prices)


def test_bins_may_be_given():
    prices = {"a": [1.0, 2.0, 3.0, 9.0]}
    assert heights(PriceHistogramDisplay(prices).plot(bins=[0, 2, 10])) == [[1, 3]]
    assert sum(heights(PriceHistogramDisplay(prices).plot(bins=3))[0]) == 4
    for bins in (0, True, [3.0], [2.0, 1.0]):
        with pytest.raises(ValueError, match="expected a number >= 1, or ascending edges"):
            PriceHistogramDisplay(prices).plot(bins=bins)
    with pytest.raises(ValueError, match="bins go from 0 to 5, but prices from 1 to 9"):
        PriceHistogramDisplay(prices).plot(bins=[0, 5])


def test_nothing_bought_says_so():
    display = PriceHistogramDisplay({"a": [], "b": []}).plot()
    assert [text.get_text() for text in display.ax_.texts] == ["Nothing is bought."]
    assert legend(display) == ["a: 0 items for 0", "b: 0 items for 0"]
    keys = display.ax_.get_legend().get_patches()
    assert keys[0].get_facecolor() != keys[1].get_facecolor()
    one = PriceHistogramDisplay({"a": [], "b": [2.0]}).plot()
    assert heights(one) == [[0], [1]]
    assert legend(one) == ["a: 0 items for 0", "b: 1 item for 2"]


@pytest.mark.parametrize(
    ("prices", "text"),
    [
        ({}, "There is no model to draw"),
        ({"a": [1.0, np.nan]}, "prices of 'a' are not all finite numbers >= 0"),
        ({"a": [-1.0]}, "prices of 'a' are not all finite numbers >= 0"),
    ],
)
def test_what_cannot_be_drawn_is_refused(prices, text):
    with pytest.raises(ValueError, match=text):
        PriceHistogramDisplay(prices).plot()


def test_axes_that_are_given_are_used():
    import matplotlib.pyplot as plt

    figure, (left, right) = plt.subplots(1, 2)
    display = PriceHistogramDisplay({"a": [1.0]}).plot(right)
    assert display.ax_ is right
    assert display.figure_ is figure
    assert not left.patches
    assert plt.get_fignums() == [figure.number]


def test_nothing_is_cut_off():
    rng = np.random.default_rng(0)
    names = ["a model with a long name", "another", "and a third that is not much shorter"]
    display = PriceHistogramDisplay({name: rng.uniform(0.1, 0.9, 300) for name in names}).plot()
    display.figure_.canvas.draw()
    page = display.figure_.bbox
    shown = [*display.ax_.get_xticklabels(), *display.ax_.get_legend().get_texts()]
    for text in (*shown, *display.ax_.texts):
        box = text.get_window_extent()
        assert page.x0 <= box.x0 <= box.x1 <= page.x1, text
        assert page.y0 <= box.y0 <= box.y1 <= page.y1, text
    labels = display.ax_.get_xticklabels()
    boxes = [label.get_window_extent() for label in labels]
    if not labels[0].get_rotation():
        assert all(one.x1 < other.x0 for one, other in pairwise(boxes))


# What models buy


def test_a_menu_buys_the_entry_that_the_budget_pays_for(make_plan, costs):
    menu = MenuPlan([make_plan([0]).plan, make_plan([2, 0]).plan])
    columns, target = Columns(("a", "b", "c"), (None,) * 3), Target("binary", np.array([0, 1]))
    model = Predictor(PricedPlan(menu, costs), columns, target, {"learner": "ByHand"})
    for budget, expected in ((None, [1, 4]), (5.0, [1, 4]), (4.9, [1]), (0.5, [])):
        display = PriceHistogramDisplay.from_estimator(model, budget=budget)
        assert display.prices["ByHand"].tolist() == expected


def test_an_order_is_followed_as_far_as_the_money_goes(predictor, make_plan):
    """b costs 3 and a fee of 2, then a costs 1, then c costs 4."""
    for budget, expected in ((10.0, [1, 2, 3, 4]), (9.0, [1, 2, 3]), (4.0, [1])):
        display = PriceHistogramDisplay.from_estimator(predictor, budget=budget)
        assert display.prices["ByHand"].tolist() == expected


def test_any_model_can_be_drawn(heart):
    X, y, costs = heart.X, heart.y, heart.costs
    numbers = X.select_dtypes("number") if hasattr(X, "select_dtypes") else X
    models = {
        "boosting": BudgetedBoostingClassifier(costs, n_rounds=20),
        "tree": BudgetedTreeClassifier(costs),
        "sampled": SampledBoostingClassifier(costs, n_rounds=20),
        "refit": RefitClassifier(DecisionTreeClassifier(max_depth=2), costs=costs, grid=3),
        "calibrated": CalibratedClassifier(BudgetedTreeClassifier(costs)),
    }
    fitted = {name: model.fit(numbers, y) for name, model in models.items()}
    display = PriceHistogramDisplay.from_estimators(fitted, budget=20.0, currency="CAD")
    assert len(display.bars_) == len(models)
    for name, model in fitted.items():
        bought = display.prices[name]
        assert len(bought)
        assert (bought <= 20.0).all()
        spent = model.spend(numbers, budget=20.0)
        if name in ("boosting", "refit"):  # all rows buy the same
            np.testing.assert_allclose(spent, bought.sum())
        else:
            assert spent.max() <= bought.sum() + 1e-9


@pytest.mark.parametrize("budget", [0.0, 3.0, 7.5, None])
def test_what_is_counted_is_what_rows_pay(budget):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 6))
    y = X @ [2.0, -1.0, 1.0, 0.5, 0.0, 1.0] > 0
    costs = Costs.per_group([0, 0, 1, 2, 3, 3], [3.0, 1.0, 2.5, 4.0])
    for model in (BudgetedSVC(costs, [3.0, 6.0, 9.0]), SequencedClassifier(costs)):
        display = PriceHistogramDisplay.from_estimator(model.fit(X, y), name="m", budget=budget)
        np.testing.assert_allclose(display.prices["m"].sum(), model.spend(X, budget=budget))


def test_a_foreign_model_and_a_bad_budget_are_refused():
    with pytest.raises(TypeError, match="model is a DecisionTreeClassifier; expected a fitted"):
        PriceHistogramDisplay.from_estimator(DecisionTreeClassifier())
    with pytest.raises(ValueError, match="budget"):
        PriceHistogramDisplay.from_estimators({}, budget=-1.0)
