import numpy as np
import pytest

from scrimp import Costs, Predictor
from scrimp.data.columns import Columns
from scrimp.data.target import Target
from scrimp.evaluation import default_budgets
from scrimp.plans import MenuPlan, Nodes, RoutedPlan
from scrimp.plans.contract import StageTable
from scrimp.plans.priced_plan import PricedPlan


def predictor_of(priced):
    n = priced.costs.n_columns
    columns = Columns(priced.costs.column_names, (None,) * n)
    return Predictor(priced, columns, Target("binary", np.array([0, 1])), {})


def test_totals_of_the_order_when_a_refusal_stops(make_plan):
    stopping = predictor_of(make_plan([1, 0, 2], refusal="stop"))
    assert default_budgets(stopping).tolist() == [0, 5, 6, 10]


def test_what_fits_past_a_dear_stage_counts_when_a_refusal_skips(make_plan):
    # b costs 5 with its fee, a 1, c 4: from 1 on a, from 5 b alone, from 6 b and a
    assert default_budgets(predictor_of(make_plan([1, 0, 2]))).tolist() == [0, 1, 5, 6, 10]


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("refusal", ["skip", "stop"])
def test_between_default_budgets_nothing_changes(make_plan, seed, refusal):
    random = np.random.default_rng(seed)
    costs = Costs.per_feature(random.integers(1, 40, 6).astype(float))
    order = random.permutation(6)
    model = predictor_of(make_plan(order, refusal, costs))
    grid = default_budgets(model, n=1000)
    dense = np.arange(0, costs.total + 2, 0.5)
    X = random.normal(size=(3, 6))
    at_dense, at_grid = model.sweep(X, dense), model.sweep(X, grid)
    below = np.searchsorted(grid, dense, side="right") - 1
    assert np.array_equal(at_dense.scores, at_grid.scores[:, below])
    assert np.array_equal(at_dense.spent, at_grid.spent[:, below])
    assert (np.diff(at_grid.spent[0]) != 0).all() or refusal == "skip"


def test_at_most_n_with_both_ends(make_plan):
    costs = Costs.per_feature(2.0 ** np.arange(30) / 7)  # a billion different sums
    model = predictor_of(make_plan(range(29, -1, -1), "skip", costs))
    grid = default_budgets(model)
    assert len(grid) == 50
    assert (grid[0], grid[-1]) == (0, model.plan.price)
    assert (np.diff(grid) > 0).all()
    assert len(default_budgets(model, n=2)) == 2


def test_sums_that_differ_by_rounding_count_once(make_plan):
    model = predictor_of(make_plan(range(3), "skip", Costs.uniform(3, 0.1)))
    assert default_budgets(model) == pytest.approx([0, 0.1, 0.2, 0.3])


def test_a_menu_has_the_prices_of_its_entries(make_plan, costs):
    menu = MenuPlan([make_plan([0]).plan, make_plan([1, 0]).plan, make_plan([2, 1, 0]).plan])
    assert default_budgets(predictor_of(PricedPlan(menu, costs))).tolist() == [0, 1, 6, 10]


def test_a_tree_has_its_totals_and_the_price_of_each_test(costs):
    ints = np.array
    nodes = Nodes(
        ints([0, 2, -1, -1, -1]), np.full(5, -np.inf), np.zeros(5), ints([1, 2, -1, -1, -1]),
        ints([4, 3, -1, -1, -1]), ints([4, 3, -1, -1, -1]), np.full(5, -1), np.ones((5, 1)),
    )  # fmt: skip
    tree = RoutedPlan(StageTable(((1,), (3,), (), (), ())), nodes)
    assert default_budgets(predictor_of(PricedPlan(tree, costs))).tolist() == [0, 1, 4, 5]


@pytest.mark.parametrize("n", [1, 2.5, "10"])
def test_a_wrong_number_is_refused(predictor, n):
    with pytest.raises(ValueError, match="expected a whole number >= 2"):
        default_budgets(predictor, n)
