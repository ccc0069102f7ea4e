"""What an entry of the menu buys: only what its model uses, and no fee that nothing needs."""

import numpy as np
import pytest

from scrimp import Costs, FrontierClassifier, FrontierRegressor, Item
from scrimp.costs.item_sets import ItemSets
from scrimp.meta.frontier.trained import items_of
from scrimp.plans.components.models import AverageModel, LinearModel, Preparation, TreesModel
from scrimp.plans.components.tree_table import TreeTable

pytestmark = pytest.mark.filterwarnings("ignore:The cheapest")

#: The fee of two tests, one of which is constant; without the fee, a third.
FEE = Costs.from_items(
    [
        Item("fee", 1.0, ()),
        Item("constant", 1.0, (0,), ("fee",)),
        Item("useful", 6.0, (1,), ("fee",)),
        Item("plain", 2.0, (2,)),
    ]
)


def bought_and_needed(model):
    """The items of each entry, and those of the columns that it reads, with requirements."""
    costs = model.plan_.costs
    for entry in model.plan_.plan.outline.entries[1:]:
        read = {costs.item_of[column] for column in entry.columns_read}
        yield set(costs.closure(items_of(entry))), set(costs.closure(read))


@pytest.mark.parametrize("candidates", [["linear"], ["boosted"], ["forest"], ["kernel"], ["edge"]])
def test_entries_buy_what_they_read_and_its_requirements(candidates):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 3))
    X[:, 0] = 1.0
    y = (6 * X[:, 1] + 2 * X[:, 2] + 0.3 * rng.normal(size=300) > 0).astype(int)
    budgets = [1.0, 2.0, 3.0, 4.0, 7.0, 10.0]
    model = FrontierClassifier(FEE, budgets, candidates=candidates, cv=2).fit(X, y)
    for bought, needed in bought_and_needed(model):
        assert bought == needed
    assert 9.0 in [entry.price for entry in model.chosen_]
    assert set(model.spend(X, 6.0)) <= {0.0, 2.0}


def test_no_order_fills_a_budget_with_a_fee_alone():
    assert ItemSets(FEE).fill([0, 2, 3], 3.0) == (3,)
    assert set(ItemSets(FEE).fill([0, 2, 3], 9.0)) == {0, 2, 3}


def tree(column):
    """One split of a column at 0."""
    node = np.array([0, 1, 2])
    return TreeTable(
        node[:1], [column, -1, -1], [0.0, 0.0, 0.0], [1, -1, -1], [2, -1, -1], [1, -1, -1],
        [[0.0], [-1.0], [1.0]],
    )  # fmt: skip


def test_trimmed_models_answer_the_same():
    X = np.random.default_rng(0).normal(size=(20, 4))
    trees = TreesModel(Preparation.plain([0, 1, 3]), tree(2), [0.5], "identity")
    linear = LinearModel(Preparation.plain([0, 2]), [[0.0], [2.0]], [1.0], "identity")
    mean = AverageModel([trees, linear], [1.0, 3.0])
    for model, columns in ((trees, [3]), (linear, [2]), (mean, [2, 3])):
        assert model.trimmed().columns.tolist() == columns
        rows = np.arange(20)
        np.testing.assert_array_equal(model.trimmed().scores(X, rows), model.scores(X, rows))


def test_items_of_constant_columns_are_not_bought():
    rng = np.random.default_rng(0)
    X = np.column_stack([np.ones(200), rng.normal(size=200)])
    model = FrontierRegressor(np.array([3.0, 1.0]), [4.0], candidates=["linear"], cv=2)
    assert [entry.price for entry in model.fit(X, X[:, 1]).chosen_] == [1.0]


def test_entries_that_no_budget_uses_are_spare():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 3))
    y = X @ [1.0, 0.9, 3.0] + 0.1 * rng.normal(size=300)
    model = FrontierRegressor([1.0, 1.0, 3.0], [1.0, 2.0, 4.0, 5.0], candidates=["linear"], cv=2)
    model.fit(X, y)
    assert [entry.price for entry in model.chosen_] == [1.0, 2.0, 4.0, 5.0]
    assert model.spare_ == []
    dearer = model.reprice([1.0, 9.0, 3.0])
    assert [entry.price for entry in dearer.entries_] == [1.0, 10.0, 4.0, 13.0]
    assert [entry.price for entry in dearer.spare_] == [10.0]
    for entry in dearer.chosen_:
        assert set(dearer.spend(X, entry.price)) == {entry.price}
    assert len(dearer.predictor_.info["chosen"]) == 4  # as many as the menu has
    assert set(dearer.spend(X, 10.0, failed=[False, False, True])) == {10.0}
