"""A network as a candidate of a frontier, and blocks that end at budgets."""

from __future__ import annotations

import numpy as np
import pytest

from scrimp import Costs, FrontierClassifier, FrontierRegressor, load, save
from scrimp.nets import AnytimeNetClassifier
from scrimp.nets.purchase_blocks import divided_by_budgets
from scrimp.plans import BlocksPlan

QUICK = {"n_epochs": 6, "width": 16, "inner_width": 16, "random_state": 0}


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 4))
    return X, (X[:, 0] * X[:, 1] + 0.3 * X[:, 2] > 0).astype(int)


def test_blocks_end_at_budgets():
    costs = Costs.per_feature([1.0, 2.0, 4.0, 8.0])
    groups = [[0], [1], [2], [3]]
    assert divided_by_budgets(groups, costs, [3.0, 1.0, 3.5, 7.0]) == [[0], [1], [2]]
    assert divided_by_budgets(groups, costs, [0.5]) == [[]]


def test_a_list_of_budgets_is_where_blocks_end(rows):
    X, y = rows
    model = AnytimeNetClassifier([1.0, 1.0, 2.0, 4.0], budget=[2.0, 4.0], **QUICK).fit(X, y)
    assert len(model.exit_losses_) <= 2
    assert model.spend(X).max() <= 4.0


def test_several_budgets_need_one_network_for_tables(rows):
    model = AnytimeNetClassifier(budget=[1.0, 2.0], n_networks=2)
    with pytest.raises(ValueError, match="budget has 2 numbers; expected one"):
        model.fit(*rows)


def test_leading_blocks_answer_as_the_plan_cut_off_there(rows):
    X, y = rows
    model = AnytimeNetClassifier(budget=[1.0, 2.0, 4.0], **QUICK).fit(X, y)
    plan = model.plan_.plan
    assert isinstance(plan, BlocksPlan)
    first = plan.leading(1)
    assert len(first.stages) == 1
    assert first.stages.items[0] == plan.stages.items[0]


@pytest.mark.parametrize("kind", ["classification", "regression"])
def test_a_frontier_with_a_network(kind, rows, tmp_path):
    X, y = rows
    y = y if kind == "classification" else X[:, 0] * X[:, 1] + 0.3 * X[:, 2]
    learner = FrontierClassifier if kind == "classification" else FrontierRegressor
    model = learner(
        [1.0, 1.0, 2.0, 4.0], budgets=[2.0, 4.0, 8.0], candidates=["net"], max_seconds=20,
        random_state=0,
    ).fit(X, y)  # fmt: skip
    assert {entry.candidate for entry in model.chosen_} == {"net"}
    for budget in (1.0, 2.0, 4.0, 8.0):
        assert model.spend(X, budget=budget).max() <= budget
    save(model, tmp_path / "m.scrimp")
    stored = load(tmp_path / "m.scrimp")
    np.testing.assert_array_equal(stored.predict(X, budget=4.0), model.predict(X, budget=4.0))
