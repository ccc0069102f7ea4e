import math
import subprocess
import sys

import numpy as np
import pytest

from scrimp import CostCurveDisplay, Costs, Curve, Predictor, PurchaseDisplay
from scrimp.data.columns import Columns
from scrimp.data.target import Target
from scrimp.plans import MenuPlan
from scrimp.plans.priced_plan import PricedPlan


@pytest.fixture
def curve():
    low, high = [0.4, 0.6, 0.8], [0.6, 0.8, 0.95]
    return Curve([0, 1, 4], [0, 1, 3], [0.5, 0.7, 0.9], low, high, "accuracy")


def texts(ax):
    return [text.get_text() for text in ax.texts]


def ticks(ax):
    return [label.get_text() for label in ax.get_yticklabels()]


# CostCurveDisplay


def test_steps_over_budgets_with_the_interval_shaded(curve):
    display = CostCurveDisplay(curve).plot(currency="CAD")
    (line,) = display.lines_
    assert line.get_drawstyle() == "steps-post"
    assert line.get_xdata().tolist() == pytest.approx([0, 1, 4, 4.12])
    assert line.get_ydata().tolist() == [0.5, 0.7, 0.9, 0.9]
    (band,) = display.ax_.collections
    heights = band.get_paths()[0].vertices[:, 1]
    assert (heights.min(), heights.max()) == (0.4, 0.95)
    assert display.ax_.get_xlabel() == "Budget per row (CAD)"
    assert display.ax_.get_ylabel() == "Accuracy"
    assert display.ax_.get_legend() is None
    assert display.figure_ is display.ax_.figure


@pytest.mark.parametrize("log", [False, True])
def test_a_single_free_budget_can_be_seen(log):
    point = Curve([0], [0], [0.5], [0.4], [0.6], "accuracy")
    (line,) = CostCurveDisplay(point).plot(log=log).lines_
    assert np.ptp(line.get_xdata()) > 0


def test_a_line_over_the_mean_spend(curve):
    (line,) = CostCurveDisplay(curve).plot(x="spent", linewidth=3).lines_
    assert line.get_drawstyle() == "default"
    assert line.get_linewidth() == 3
    assert line.get_xdata().tolist() == [0, 1, 3]
    assert line.axes.get_xlabel() == "Mean spend per row"


def test_the_error_and_its_interval(curve):
    display = CostCurveDisplay(curve).plot(error=True)
    assert display.lines_[0].get_ydata()[:3] == pytest.approx([0.5, 0.3, 0.1])
    heights = display.ax_.collections[0].get_paths()[0].vertices[:, 1]
    assert (heights.min(), heights.max()) == pytest.approx((0.05, 0.6))
    assert display.ax_.get_ylabel() == "Error (1 − accuracy)"


@pytest.mark.parametrize(
    ("name", "error", "label"),
    [
        ("roc_auc", False, "ROC AUC"),
        ("r2", False, "R²"),
        ("balanced_accuracy", True, "Error (1 − balanced accuracy)"),
        ("neg_log_loss", False, "Negative log loss"),
        ("neg_log_loss", True, "Log loss"),
    ],
)
def test_the_label_says_what_is_drawn(name, error, label):
    best = 0.0 if name.startswith("neg_") else 1.0
    curve = Curve([0, 1], [0, 1], [0.5, 0.7], [0.4, 0.6], [0.6, 0.8], name, best)
    assert CostCurveDisplay(curve).plot(error=error).ax_.get_ylabel() == label


def test_several_curves_have_a_legend_outside(curve):
    display = CostCurveDisplay.from_curves({"one": curve, "a_$2_b$": curve})
    display.figure_.canvas.draw()
    legend = display.ax_.get_legend()
    assert [text.get_text() for text in legend.get_texts()] == ["one", r"a_\$2_b\$"]
    assert legend.get_window_extent().x0 >= display.ax_.get_window_extent().x1
    assert legend.get_window_extent().x1 <= display.figure_.bbox.x1
    assert display.lines_[0].get_color() != display.lines_[1].get_color()


def test_axes_that_are_given_are_used(curve):
    import matplotlib.pyplot as plt

    figure, (left, right) = plt.subplots(1, 2)
    display = CostCurveDisplay([curve, curve]).plot(right)
    assert display.ax_ is right
    assert not left.lines
    assert plt.get_fignums() == [figure.number]
    labels = [text.get_text() for text in right.get_legend().get_texts()]
    assert labels == ["curve 1", "curve 2"]


def test_a_logarithmic_scale_has_zero(curve):
    ax = CostCurveDisplay(curve).plot(log=True).ax_
    ax.figure.canvas.draw()
    assert ax.get_xscale() == "symlog"
    assert {"0", "1"} <= {label.get_text() for label in ax.get_xticklabels()}


def test_from_estimator_and_from_sweep_draw_the_same(predictor, data):
    X, y = data
    one = CostCurveDisplay.from_estimator(predictor, X, y, [0, 5, 10], scoring="f1", n_bootstrap=9)
    sweep = predictor.sweep(X, [0, 5, 10])
    two = CostCurveDisplay.from_sweep(sweep, y, scoring="f1", n_bootstrap=9)
    assert np.array_equal(one.lines_[0].get_ydata(), two.lines_[0].get_ydata())
    assert one.lines_[0].get_label() == "ByHand"
    assert one.ax_.get_ylabel() == "F1"


def test_what_cannot_be_drawn_is_refused(curve):
    endless = Curve([0, math.inf], [0, 3], [0.5, 0.7], [0.4, 0.6], [0.6, 0.8], "accuracy")
    with pytest.raises(ValueError, match=r"infinite budget has no place.*x='spent'"):
        CostCurveDisplay(endless).plot()
    CostCurveDisplay(endless).plot(x="spent")
    other = Curve([0], [0], [0.5], [0.4], [0.6], "roc_auc")
    with pytest.raises(ValueError, match=r"scorers \['accuracy', 'roc_auc'\]; expected one"):
        CostCurveDisplay([curve, other]).plot()
    with pytest.raises(ValueError, match="x is 'time'; expected one of 'budget', 'spent'"):
        CostCurveDisplay(curve).plot(x="time")
    with pytest.raises(ValueError, match="no curve"):
        CostCurveDisplay({}).plot()


# PurchaseDisplay


def test_bars_are_prices_in_order_with_totals_and_fees_lighter(predictor):
    display = PurchaseDisplay.from_estimator(predictor, currency="CAD")
    assert ticks(display.ax_) == ["fee", "b", "a", "c"]
    assert [bar.get_width() for bar in display.bars_] == [2, 3, 1, 4]
    assert texts(display.ax_) == ["total 2", "5", "6", "total 10"]
    colors = [bar.get_facecolor() for bar in display.bars_]
    assert colors[0] != colors[1] == colors[2] == colors[3]
    legend = [text.get_text() for text in display.ax_.get_legend().get_texts()]
    assert legend == ["brings columns", "fee"]
    assert display.ax_.get_xlabel() == "Price (CAD)"
    bottom, top = display.ax_.get_ylim()
    assert bottom > top  # the first purchase is at the top


def test_without_fees_there_is_no_legend(make_plan, predictor):
    plan = make_plan([0, 2]).summary()
    assert PurchaseDisplay(plan).plot().ax_.get_legend() is None


def test_many_items_are_counted(make_plan):
    costs = Costs.per_feature(np.full(40, 1.25))
    display = PurchaseDisplay(make_plan(range(40), own_costs=costs).summary()).plot()
    assert len(display.bars_) == 25
    assert ticks(display.ax_)[-1] == "and 15 more"
    assert texts(display.ax_)[-1] == "total 50.00"
    few = PurchaseDisplay(display.purchases).plot(max_items=3)
    assert ticks(few.ax_) == ["x0", "x1", "x2", "and 37 more"]


def test_nothing_is_cut_off(make_plan):
    names = tuple(
        f"a very long name of an item, number {k}, that goes on and on" for k in range(30)
    )
    costs = Costs(names, (1e6,) * 30, tuple((k,) for k in range(30)), ((),) * 30)
    display = PurchaseDisplay(make_plan(range(30), own_costs=costs).summary()).plot(currency="$")
    display.figure_.canvas.draw()
    page = display.figure_.bbox
    for text in (*display.ax_.get_yticklabels(), *display.ax_.texts, display.ax_.xaxis.label):
        box = text.get_window_extent()
        assert page.x0 <= box.x0 <= box.x1 <= page.x1, text
        assert page.y0 <= box.y0 <= box.y1 <= page.y1, text


def test_a_menu_shows_its_best_entry_or_the_one_asked_for(make_plan, costs):
    menu = MenuPlan([make_plan([0]).plan, make_plan([2, 0]).plan])
    columns, target = Columns(("a", "b", "c"), (None,) * 3), Target("binary", np.array([0, 1]))
    model = Predictor(PricedPlan(menu, costs), columns, target, {})
    assert ticks(PurchaseDisplay.from_estimator(model).ax_) == ["c", "a"]
    assert ticks(PurchaseDisplay.from_estimator(model, entry=0).ax_) == ["a"]
    for entry in (2, -1):
        with pytest.raises(ValueError, match=f"entry is {entry}; expected a number from 0.*to 1"):
            PurchaseDisplay.from_estimator(model, entry=entry)


def test_an_entry_of_another_plan_is_refused(predictor):
    with pytest.raises(
        ValueError, match="entry is 0, but a plan of the kind additive has no entries"
    ):
        PurchaseDisplay.from_estimator(predictor, entry=0)


def test_a_plan_that_buys_nothing():
    assert texts(PurchaseDisplay([]).plot().ax_) == ["Nothing is bought."]


@pytest.mark.parametrize(
    ("price", "total"), [(0.0, "total 0"), (0.0004, "total 0.0004"), (1234.5, "total 1,234.50")]
)
def test_prices_of_any_size_are_readable(make_plan, price, total):
    plan = make_plan([0], own_costs=Costs.uniform(1, price))
    assert texts(PurchaseDisplay(plan.summary()).plot().ax_) == [total]


def test_no_items_to_show_is_refused(predictor):
    with pytest.raises(ValueError, match="max_items is 0"):
        PurchaseDisplay.from_estimator(predictor, max_items=0)


def test_matplotlib_is_imported_only_to_plot():
    code = "import sys, scrimp.evaluation; sys.exit('matplotlib' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0
